package replay_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"groundhog/detectors"
	"groundhog/detectors/mimo"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/replay/transcript"
)

// A sample is one line of the golden file of the original's monitor or of its
// character loop.
type sample struct {
	ID     string
	Params map[string]any
	Pieces [][2]any
	Split  struct {
		Kind string
		N    int
		At   []int
	}
	Fire int
	End  int `json:"fire_end_u16"`
}

func goldenSamples(t *testing.T, name string) (list []sample) {
	t.Helper()
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is not set: no golden data")
	}
	f, err := os.Open(filepath.Join(shared, "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func (s *sample) text() string {
	var b strings.Builder
	for _, p := range s.Pieces {
		b.WriteString(strings.Repeat(p[0].(string), int(p[1].(float64))))
	}
	return b.String()
}

// cuts are the ends of the recorded deltas in UTF-16 units.
func (s *sample) cuts(units int) (ends []int) {
	switch s.Split.Kind {
	case "fixed":
		for n := s.Split.N; n < units; n += s.Split.N {
			ends = append(ends, n)
		}
	case "cuts":
		for _, n := range s.Split.At {
			if n > 0 && n < units {
				ends = append(ends, n)
			}
		}
	}
	return append(ends, units)
}

func (s *sample) settings(family string) detectors.Settings {
	set := detectors.Settings{}
	for name, v := range s.Params {
		if n, ok := v.(float64); ok {
			set[family+name] = strconv.Itoa(int(n))
		} else if b, ok := v.(bool); ok {
			set[family+name] = strconv.FormatBool(b)
		}
	}
	return set
}

// The original's monitor, fed one unit at a time, stops at the place under char,
// whatever splitter was chosen. At recorded deltas the fire is the recording's, and its
// jitter has the places of the text.
func TestJitterOfGoldenMonitors(t *testing.T) {
	chars, recorded, placed := 0, 0, 0
	for i, s := range goldenSamples(t, "mimo-monitor.jsonl") {
		if (s.Split.Kind != "fixed" || s.Split.N > 1) && i%4 > 0 { // each is replayed four times, which is slow
			continue
		}
		text := s.text()
		units := utf16.Encode([]rune(text))
		if len(units) != len([]rune(text)) { // pairs of surrogates: a delta of one unit is not one of one character
			continue
		}
		set := s.settings("mimo/text_ngram_repeat.")
		q := replay.Question{Configs: []replay.Config{{Preset: mimoPreset(t, "mimo-2026-09"), Set: set}}}
		bytes := func(n int) int { return len(string([]rune(text)[:n])) }
		part := transcript.Part{Kind: transcript.Text, Text: text}
		if s.Split.Kind == "fixed" && s.Split.N == 1 {
			chars++
			o := run(t, cutting(t, q, cut.All()[0].Name), []*formats.Unit{made("whole", &transcript.Step{Parts: []transcript.Part{part}})})[0]
			got := -1
			for _, f := range append(slices.Clone(o.Points[0].Fires), o.Points[0].Elsewhere...) {
				if f.Detector == mimo.TextNgramRepeat.Name {
					if p := f.Jitter.Places[len(f.Jitter.Places)-1]; p.Cut != "char" {
						t.Fatalf("the last place is %v", p)
					} else if p.Fired {
						got = p.Offset
					}
				}
			}
			want := -1
			if s.Fire >= 0 {
				want = bytes(s.End)
			}
			if got != want {
				t.Errorf("%s: char at %d, the original at %d", s.ID, got, want)
			}
		}
		for _, end := range s.cuts(len(units)) {
			part.Cuts = append(part.Cuts, transcript.Cut{End: bytes(end), At: -1})
		}
		o := run(t, cutting(t, q, "word"), []*formats.Unit{made("recorded", &transcript.Step{Parts: []transcript.Part{part}})})[0]
		got := -1
		for _, f := range o.Points[0].Fires {
			if f.Detector != mimo.TextNgramRepeat.Name {
				continue
			}
			got = f.Offset
			if !f.Recorded || f.Jitter == nil || len(f.Jitter.Places) != len(apart()) {
				t.Errorf("%s: recorded %v, jitter %v", s.ID, f.Recorded, f.Jitter)
				continue
			}
			if f.Jitter.Latest().Fired {
				placed++
			}
		}
		recorded++
		want := -1
		if s.Fire >= 0 {
			want = bytes(s.End)
		}
		if got != want {
			t.Errorf("%s: recorded deltas fire at %d, the original at %d", s.ID, got, want)
		}
		if len(o.Points[0].Elsewhere) > 0 || o.Points[0].Under != nil {
			t.Errorf("%s: recorded deltas were cut", s.ID)
		}
	}
	t.Logf("%d by character, %d recorded, %d of them with places", chars, recorded, placed)
	if chars < 150 || recorded < 400 || placed < 100 {
		t.Errorf("%d by character, %d recorded, %d of them with places: too few", chars, recorded, placed)
	}
}

// The character loop at recorded deltas, whose fires have the places of the text.
func TestJitterOfGoldenCharacterLoops(t *testing.T) {
	p := &detectors.Preset{Name: "chars", Detectors: []*detectors.Detector{mimo.OutputLoopKMP}, Every: true}
	fired, moved := 0, 0
	for i, s := range goldenSamples(t, "mimo-kmp.jsonl") {
		if i%4 > 0 { // each is looked at four times, and that takes time
			continue
		}
		text := s.text()
		units := []rune(text)
		if len(units) != len(utf16.Encode(units)) {
			continue
		}
		part := transcript.Part{Kind: transcript.Text, Text: text}
		ends := s.cuts(len(units))
		for _, end := range ends {
			part.Cuts = append(part.Cuts, transcript.Cut{End: len(string(units[:end])), At: -1})
		}
		o := run(t, cutting(t, replay.Question{Configs: []replay.Config{{Preset: p}}}, "word"), []*formats.Unit{made("recorded", &transcript.Step{Parts: []transcript.Part{part}})})[0]
		got, want := -1, -1
		for _, f := range o.Points[0].Fires {
			got = f.Offset
			fired++
			if f.Jitter == nil {
				t.Errorf("%s: no jitter", s.ID)
			} else if f.Jitter.Sensitive {
				moved++
			}
		}
		if s.Fire >= 0 {
			want = part.Cuts[s.Fire].End
		}
		if got != want {
			t.Errorf("%s: fires at %d, the original at %d", s.ID, got, want)
		}
	}
	t.Logf("%d fire, %d of them chunk-sensitive by their text", fired, moved)
	if fired < 25 {
		t.Errorf("only %d fire: too few", fired)
	}
}

// stops is the only fire of a session of one response.
func stops(t *testing.T, s *transcript.Step) *replay.Fire {
	t.Helper()
	q := replay.Question{Configs: []replay.Config{{Preset: mimoPreset(t, "mimo-2026-09")}}}
	var list []*replay.Fire
	for _, f := range run(t, cutting(t, q, "word"), []*formats.Unit{made("s", s)})[0].Points[0].Fires {
		if f.Detector == mimo.TextNgramRepeat.Name {
			list = append(list, f)
		}
	}
	if len(list) != 1 {
		t.Fatalf("%d fires, want 1", len(list))
	}
	return list[0]
}

// What came after a fire: the rest of its part, later parts, and arguments.
func TestCost(t *testing.T) {
	const again = "check the file again, " // 22 characters, 4 words
	fired := strings.Repeat(again, 19) + "check the file again,"
	rest := " " + strings.Repeat(again, 10)
	timed := func(text string, from time.Duration) transcript.Part {
		p := transcript.Part{Kind: transcript.Text, Text: text}
		end := 0
		for piece := range transcript.Words(text) {
			end += len(piece)
			from += 100 * time.Millisecond
			p.Cuts = append(p.Cuts, transcript.Cut{End: end, At: from})
		}
		return p
	}
	text := func(s string) transcript.Part { return transcript.Part{Kind: transcript.Text, Text: s} }
	input := `{"path":"a.go"}`
	for _, test := range []struct {
		name  string
		step  transcript.Step
		chars int
		by    string
		want  int64 // tokens; 0: those of rest
		time  time.Duration
	}{
		{"the rest of the part", transcript.Step{Parts: []transcript.Part{text(fired + rest)}}, len(rest), "bpe", 0, -1},
		{"nothing", transcript.Step{Parts: []transcript.Part{text(fired)}}, 0, "bpe", 0, -1},
		{"by usage", transcript.Step{Parts: []transcript.Part{text(fired + rest)}, Usage: transcript.Usage{Known: true, Output: 900}},
			len(rest), replay.ByUsage, 900 * int64(len(rest)) / int64(len(fired+rest)), -1},
		{"usage of a response that has only begun", transcript.Step{Parts: []transcript.Part{text(fired + rest)}, Usage: transcript.Usage{Known: true, Output: 3}}, len(rest), "bpe", 0, -1},
		{"usage without output", transcript.Step{Parts: []transcript.Part{text(fired + rest)}, Usage: transcript.Usage{Known: true, Input: 900}}, len(rest), "bpe", 0, -1},
		{"a part before, a part after", transcript.Step{Parts: []transcript.Part{{Kind: transcript.Thinking, Text: "我 "}, text(fired + rest), text("我再检查")},
			Usage: transcript.Usage{Known: true, Output: 1 << 40}}, len(rest) + 4, replay.ByUsage, (1 << 40) * int64(len(rest)+4) / int64(len(fired+rest)+4+2), -1},
		{"arguments", transcript.Step{Parts: []transcript.Part{{Kind: transcript.ToolInput, Text: input, Call: 0}, text(fired)}, Calls: []transcript.Call{{Args: input}, {Args: input}},
			Usage: transcript.Usage{Known: true, Output: 1000}}, len(input), replay.ByUsage, 1000 * int64(len(input)) / int64(len(fired)+2*len(input)), -1},
		{"times", transcript.Step{Parts: []transcript.Part{timed(fired+rest, time.Second)}}, len(rest), "bpe", 0, 41 * 100 * time.Millisecond},
		{"half a character", transcript.Step{Parts: []transcript.Part{text(fired + " \xed\xa0\xbd")}}, 2, countBy(" \xed\xa0\xbd"), cut.Estimate(" \xed\xa0\xbd"), -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := stops(t, &test.step)
			c := f.Cost
			if c == nil {
				t.Fatal("no cost")
			}
			if test.want == 0 && test.by != replay.ByUsage {
				after := ""
				if test.chars > 0 {
					after = test.step.Parts[f.Part].Text[f.Offset:]
				}
				test.want, test.by = cut.Count(after)
			}
			if f.Offset != len(fired) || c.Chars != int64(test.chars) || c.By != test.by || c.Tokens != test.want || c.Time != test.time {
				t.Errorf("at %d: %+v; want it at %d: %d characters, %d tokens by %s, %v", f.Offset, *c, len(fired), test.chars, test.want, test.by, test.time)
			}
		})
	}
}

func countBy(text string) string {
	_, by := cut.Count(text)
	return by
}

// Without ways to compare and without a counter nothing is said.
func TestNothingAsked(t *testing.T) {
	q := replay.Question{Configs: []replay.Config{{Preset: mimoPreset(t, "mimo-2026-09")}}}
	e := &replay.Engine{Plan: newPlan(t, q), Split: transcript.Words}
	for seed := range uint64(20) {
		for _, f := range run(t, e, []*formats.Unit{chant(seed)})[0].Points[0].Fires {
			if f.Jitter != nil || f.Cost != nil {
				t.Errorf("%s: %v, %v", f.Detector, f.Jitter, f.Cost)
			}
		}
	}
}
