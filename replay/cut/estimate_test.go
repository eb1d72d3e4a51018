//go:build !slim

package cut

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The estimate is within a tenth of the count, on average over pieces of Go's own
// source, and within a twentieth in total.
func TestEstimateOnCode(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "net", "http", "*.go"))
	if err != nil || len(files) == 0 {
		t.Skip("the toolchain came without its source")
	}
	var count, estimate int64
	off, n := 0.0, 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw[:min(len(raw), 4000)])
		c, by := Count(text)
		if by != "bpe" {
			continue // cut inside a character
		}
		e := Estimate(text)
		count, estimate, n = count+c, estimate+e, n+1
		off += math.Abs(float64(e-c)) / float64(c)
	}
	t.Logf("%d pieces: %d counted, %d estimated, %.1f %% off on average", n, count, estimate, 100*off/float64(n))
	if off > 0.10*float64(n) || math.Abs(float64(estimate-count)) > 0.05*float64(count) {
		t.Errorf("%d counted, %d estimated, %.1f %% off on average", count, estimate, 100*off/float64(n))
	}
}

// In prose of other scripts it is a guess, and no worse than a third off.
func TestEstimateOnProse(t *testing.T) {
	for _, text := range []string{
		"我再检查一下这个文件，看看有没有其他的问题。如果没有问题，就可以提交这次修改，然后继续处理下一个任务。",
		"Сначала я проверю этот файл ещё раз, а потом запущу тесты, чтобы убедиться, что всё работает правильно.",
		"Je vais d'abord vérifier ce fichier encore une fois, puis lancer les tests pour être sûr que tout marche après la modification.",
		"まずこのファイルをもう一度確認して、それからテストを実行して、すべてが正しく動くことを確かめます。",
		strings.Repeat("Let me check the file again. ", 20),
	} {
		c, _ := Count(text)
		e := Estimate(text)
		t.Logf("%d counted, %d estimated: %.20s", c, e, text)
		if math.Abs(float64(e-c)) > float64(c)/3 {
			t.Errorf("%d counted, %d estimated: %s", c, e, text)
		}
	}
}

// What the vocabulary cannot give back is estimated.
func TestCountSaysHow(t *testing.T) {
	for text, want := range map[string]string{"": "bpe", "two words": "bpe", "half \xed\xa0\xbd": "estimate"} {
		n, by := Count(text)
		if by != want || (n == 0) != (text == "") {
			t.Errorf("Count(%q) = %d by %s, want %s", text, n, by, want)
		}
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("The quick fox, 我再 \xed\xa0\xbd\xff 12345\n\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		if n := Estimate(text); n < 0 || n > int64(2*len(text)+1) {
			t.Errorf("Estimate(%q) = %d", text, n)
		}
	})
}
