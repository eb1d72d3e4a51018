package bench

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/replay/transcript"
)

// The sessions are as long, and their results as large, as the constants say.
func TestDistribution(t *testing.T) {
	const sessions = 3000
	var calls, sizes []int
	large, huge, batches, steps, failed, prompts := 0, 0, 0, 0, 0, 0
	for s := range (Spec{Sessions: sessions, Seed: 1}).All() {
		calls = append(calls, s.Calls)
		made := 0
		for step := range s.Steps() {
			made += len(step.Calls)
			if step.Kind == transcript.Prompt {
				prompts++
				continue
			}
			steps++
			if len(step.Calls) > 1 {
				batches++
			}
			for _, c := range step.Calls {
				n := len(c.Result.Text)
				sizes = append(sizes, n)
				switch {
				case n >= hugeResult-3:
					huge++
				case n >= largeResult*4/5:
					large++
				}
				if c.Result.Status == transcript.ResultError {
					failed++
				}
			}
		}
		if made != s.Calls {
			t.Fatalf("session %s has %d calls, want %d", s.Header.ID, made, s.Calls)
		}
	}
	slices.Sort(calls)
	slices.Sort(sizes)
	at := func(list []int, percent int) int { return list[len(list)*percent/100] }
	for _, want := range []struct {
		what        string
		got, lo, hi int
	}{
		{"median of calls", at(calls, 50), 14, 16},
		{"90th percentile of calls", at(calls, 90), 67, 81},
		{"99th percentile of calls", at(calls, 99), 220, 310},
		{"median of result bytes", at(sizes, 50), 700, 1000},
		{"results of some 100 KB", large, len(sizes) / 1000, len(sizes) / 200},
		{"results of 2 MB", huge, 1, 1},
		{"failed calls in a thousand", 1000 * failed / len(sizes), 100, 250},
		{"responses with several calls in a thousand", 1000 * batches / steps, 40, 130},
		{"prompts in a thousand sessions", 1000 * prompts / sessions, 1200, 3500},
	} {
		if want.got < want.lo || want.got > want.hi {
			t.Errorf("%s = %d, want %d to %d", want.what, want.got, want.lo, want.hi)
		}
	}
}

// A session is the same however often it is asked for, whatever else is.
func TestDeterministic(t *testing.T) {
	read := func(spec Spec) (list [][]*transcript.Step) {
		for s := range spec.All() {
			steps := slices.Collect(s.Steps())
			if diff := cmp.Diff(steps, slices.Collect(s.Steps())); diff != "" {
				t.Fatalf("%s read again (-first +second):\n%s", s.Header.ID, diff)
			}
			list = append(list, steps)
		}
		return list
	}
	few, many := read(Spec{Sessions: 7, Seed: 3}), read(Spec{Sessions: 20, Seed: 3})
	for i := range few {
		if i == 3 { // the one with the huge result
			continue
		}
		if diff := cmp.Diff(few[i], many[i]); diff != "" {
			t.Errorf("session %d of 7 and of 20 (-7 +20):\n%s", i, diff)
		}
	}
	if cmp.Equal(few[0], read(Spec{Sessions: 1, Seed: 4})[0]) {
		t.Error("two seeds gave the same session")
	}
}

// Every machine generates these bytes. A changed digest is a changed workload:
// ratios from before and after cannot be compared.
func TestDigest(t *testing.T) {
	want := map[string]string{
		"canonical":   "cf7cb4d77e633158",
		"claude-code": "0d902a55120358d1",
		"openai":      "ed8f4a9332f79eed",
	}
	for _, shape := range Shapes {
		sum := sha256.New()
		if err := (Spec{Sessions: 10, Seed: 1}).Write(sum, shape); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want[shape.Name] {
			t.Errorf("%s = %s, want %s", shape.Name, got, want[shape.Name])
		}
	}
}

// A file of Claude Code has some 6 KB a call, the huge result aside. No shape
// is ever held as a whole: a record goes out before the next one is made.
func TestFileSize(t *testing.T) {
	spec := Spec{Sessions: 500, Seed: 2}
	calls := 0
	for s := range spec.All() {
		calls += s.Calls
	}
	for _, shape := range Shapes {
		var n meter
		if err := spec.Write(&n, shape); err != nil {
			t.Fatal(err)
		}
		a := (n.bytes - hugeResult) / int64(calls)
		t.Logf("%s: %d bytes a call", shape.Name, a)
		if shape.Name == "claude-code" && (a < 5500 || a > 7000) {
			t.Errorf("%s: %d bytes a call, want about 6 KB", shape.Name, a)
		}
	}
}

// A meter counts bytes.
type meter struct{ bytes int64 }

func (m *meter) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	return len(p), nil
}
