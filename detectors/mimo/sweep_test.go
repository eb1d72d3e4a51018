package mimo

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/replay/cut"
	"groundhog/replay/transcript"
)

// nearLoop draws a text that is full of repeats, and of what almost is one.
func nearLoop(t *rapid.T) string {
	const most = 6000
	word := rapid.SampledFrom([]string{"a", "b", "ab", "A", "check", "file.", "file", "件", "。", "ΟΔΟΣ", "ς", "|", "---|", "\n", "\n| ", "\ufeff", "x1", "x2", "İ", "😀"})
	var b strings.Builder
	for range rapid.IntRange(1, 5).Draw(t, "stretches") {
		words := rapid.SliceOfN(word, 1, 14).Draw(t, "block")
		block := strings.Join(words, rapid.SampledFrom([]string{" ", " ", "  ", "\n", ""}).Draw(t, "gap"))
		for range rapid.SampledFrom([]int{1, 2, 3, 5, 9, 20, 41, 100}).Draw(t, "copies") {
			b.WriteString(block)
			b.WriteString(" ")
		}
		if rapid.Bool().Draw(t, "noise") {
			b.WriteString("other words ")
		}
	}
	text := b.String()
	for len(text) > most {
		text = strings.TrimRight(text[:most], "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f")
	}
	return strings.ToValidUTF8(text, "")
}

// streaming draws a response that thinks and says a text.
func streaming(t *rapid.T) *transcript.Step {
	text := []rune(nearLoop(t))
	n := len(text) * rapid.IntRange(0, 3).Draw(t, "thinks") / 3
	return &transcript.Step{Parts: []transcript.Part{
		{Kind: transcript.Thinking, Text: string(text[:n])},
		{Kind: transcript.ToolInput, Text: "{}"},
		{Kind: transcript.Text, Text: string(text[n:])},
	}}
}

// anySplit draws a way to cut texts.
func anySplit(t *rapid.T) transcript.Splitter {
	sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 1, 2, 3, 7, 40, 300}), 1, 6).Draw(t, "sizes")
	random := func(text string) iter.Seq[string] {
		return func(yield func(string) bool) {
			runes := []rune(text)
			for i := 0; len(runes) > 0; i++ {
				n := min(sizes[i%len(sizes)], len(runes))
				if !yield(string(runes[:n])) {
					return
				}
				runes = runes[n:]
			}
		}
	}
	list := append(cut.All(), cut.Named{Name: "random", Cut: random}, cut.Named{Name: "random", Cut: random})
	return list[rapid.IntRange(0, len(list)-1).Draw(t, "split")].Cut
}

// ngramFires is what each variant of text_ngram_repeat says about a session, all of
// them over one panel.
func ngramFires(t *rapid.T, shape detectors.Settings, variants []detectors.Settings, split transcript.Splitter, steps []*transcript.Step) [][]string {
	list := []*detectors.Detector{TextNgramRepeat}
	panel, err := detectors.NewPanel(list, shape, [][]detectors.Settings{variants})
	if err != nil {
		t.Fatal(err)
	}
	points := make([]*detectors.Point, len(variants))
	arbiters := make([]*detectors.Arbiter, len(variants))
	for i := range variants {
		points[i] = &detectors.Point{On: []int{0}, Variant: []int{i}}
		arbiters[i] = detectors.NewArbiter(points[i])
	}
	out := make([][]string, len(variants))
	cur := transcript.Cursor{Split: split}
	for _, s := range steps {
		for ev := range cur.Events(s) {
			f := panel.Observe(ev)
			if f == nil {
				continue
			}
			for i, a := range arbiters {
				if d, ok := a.Add(f); ok {
					out[i] = append(out[i], fmt.Sprintf("%+v", f.Explain(points[i], d, list)))
				}
			}
		}
	}
	return out
}

func limits(n, threshold int) detectors.Settings {
	return detectors.Settings{
		"mimo/text_ngram_repeat.n":         strconv.Itoa(n),
		"mimo/text_ngram_repeat.threshold": strconv.Itoa(threshold),
	}
}

// One pass answers the whole sweep: thresholds 3 to 40 by blocks of 2 to 12
// tokens, as variants of one panel, each say what they say over their own.
func TestSweepIsRuns(t *testing.T) {
	var variants []detectors.Settings
	for threshold := 3; threshold <= 40; threshold++ {
		for n := 2; n <= 12; n++ {
			variants = append(variants, limits(n, threshold))
		}
	}
	loud, quiet := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		split := anySplit(t)
		steps := []*transcript.Step{streaming(t), streaming(t)}
		exempt := strconv.FormatBool(rapid.Bool().Draw(t, "table_exempt"))
		shape := detectors.Settings{"mimo/text_ngram_repeat.window": rapid.SampledFrom([]string{"100", "500", "2000"}).Draw(t, "window")}
		list := slices.Clone(variants)
		for i := range list {
			list[i] = list[i].With(shape).With(detectors.Settings{"mimo/text_ngram_repeat.table_exempt": exempt})
		}
		together := ngramFires(t, shape, list, split, steps)
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(list)-1), 6, 6).Draw(t, "sample") {
			alone := ngramFires(t, shape, list[i:i+1], split, steps)[0]
			if !slices.Equal(alone, together[i]) {
				t.Errorf("%v:\nalone         %v\namong others  %v", list[i], alone, together[i])
			}
			if len(alone) > 0 {
				loud++
			} else {
				quiet++
			}
		}
	})
	if loud == 0 || quiet == 0 {
		t.Errorf("%d of the compared runs fire and %d do not: nothing is shown", loud, quiet)
	}
}

// A response is dismissed only if nobody fires on it, however it is cut and
// whatever came before. Limits that never fire change nothing for the others.
func TestDismissedResponsesNeverFire(t *testing.T) {
	dismissed, kept, fired := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		steps := []*transcript.Step{streaming(t), streaming(t)}
		shape := detectors.Settings{
			"mimo/text_ngram_repeat.window":       rapid.SampledFrom([]string{"20", "100", "500", "2000"}).Draw(t, "window"),
			"mimo/text_ngram_repeat.min_distinct": strconv.Itoa(rapid.IntRange(1, 6).Draw(t, "min_distinct")),
		}
		var variants []detectors.Settings
		for range rapid.IntRange(1, 3).Draw(t, "variants") {
			variants = append(variants, limits(rapid.IntRange(1, 12).Draw(t, "n"), rapid.SampledFrom([]int{0, 1, 2, 3, 5, 10, 20, 20, 30, 40}).Draw(t, "threshold")))
		}
		panel, err := detectors.NewPanel([]*detectors.Detector{TextNgramRepeat, ChunkTimeout}, shape, [][]detectors.Settings{variants, {shape}})
		if err != nil {
			t.Fatal(err)
		}
		if !panel.Streams() {
			t.Fatal("nobody listens to deltas")
		}
		if !panel.Dismisses(steps[1]) {
			kept++
			return
		}
		dismissed++
		for range 4 {
			for i, list := range ngramFires(t, shape, variants, anySplit(t), steps) {
				for _, f := range list {
					if strings.Contains(f, "Step:2") {
						t.Errorf("dismissed, and %v says: %s", variants[i], f)
					}
					fired++
				}
			}
		}
	})
	if dismissed == 0 || kept == 0 {
		t.Errorf("%d responses dismissed and %d not: nothing is shown", dismissed, kept)
	}
	t.Logf("%d dismissed, %d not, %d fires on what came before", dismissed, kept, fired)
}

// Prose is dismissed, a loop is not, and whoever cannot dismiss keeps all.
func TestDismiss(t *testing.T) {
	prose := &transcript.Step{Parts: []transcript.Part{{Kind: transcript.Text, Text: "The test fails because the file is empty. " + block(300)}}}
	loop := &transcript.Step{Parts: []transcript.Part{
		{Kind: transcript.Thinking, Text: strings.Repeat("I check the file again. ", 10)},
		{Kind: transcript.Text, Text: strings.Repeat("I check the file again. ", 10)},
	}}
	args := &transcript.Step{Parts: []transcript.Part{{Kind: transcript.ToolInput, Text: strings.Repeat("I check the file again. ", 40)}}}
	long := &transcript.Step{Parts: []transcript.Part{{Kind: transcript.Text, Text: strings.Repeat(block(25), 20)}}}
	alone, both := []*detectors.Detector{TextNgramRepeat}, []*detectors.Detector{TextNgramRepeat, ChunkTimeout}
	for _, test := range []struct {
		name     string
		list     []*detectors.Detector
		variants []detectors.Settings // of text_ngram_repeat, which comes first
		want     string               // of prose, short loop, long loop and arguments: what is dismissed
	}{
		{"the defaults", both, []detectors.Settings{nil}, "prose args"},
		{"a threshold that never fires", alone, []detectors.Settings{limits(4, 1)}, "prose short long args"},
		{"what never fires, beside the default", alone, []detectors.Settings{limits(4, 1), nil}, "prose args"},
		{"the shortest block counts", alone, []detectors.Settings{limits(12, 20), nil}, "prose args"},
		{"the lowest threshold counts", alone, []detectors.Settings{limits(4, 40), nil}, "prose args"},
		{"blocks of twelve", alone, []detectors.Settings{limits(12, 20)}, "prose short args"},
		{"characters", []*detectors.Detector{TextNgramRepeat, OutputLoopKMP}, []detectors.Settings{nil}, ""},
	} {
		variants := [][]detectors.Settings{test.variants, {nil}}[:len(test.list)]
		panel, err := detectors.NewPanel(test.list, nil, variants)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, s := range []*transcript.Step{prose, loop, long, args} {
			if panel.Dismisses(s) {
				got = append(got, []string{"prose", "short", "long", "args"}[i])
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: dismissed %v, want %s", test.name, got, test.want)
		}
	}
}

// A block length that is not told apart is refused, and not taken for another.
func TestBlockLengthRefused(t *testing.T) {
	for _, n := range []int{0, 13} {
		_, err := detectors.NewPanel([]*detectors.Detector{TextNgramRepeat}, nil, [][]detectors.Settings{{limits(n, 20)}})
		if err == nil || !strings.Contains(err.Error(), "1 to 12") {
			t.Errorf("n=%d: %v", n, err)
		}
	}
}
