package mimo

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"groundhog/detectors"
	"groundhog/replay/cut"
	"groundhog/replay/transcript"
)

// splitters are the ways in which a text without recorded deltas is cut, whole
// texts excepted.
func splitters() []cut.Named {
	return slices.DeleteFunc(cut.All(), func(n cut.Named) bool { return n.Name == "whole" })
}

// cutAt is the first cut of a text in its only part: how far the deltas had come, in
// bytes and in UTF-16 code units. It is 0, 0 if nobody cuts.
func cutAt(t *testing.T, d *detectors.Detector, p *detectors.Preset, split transcript.Splitter, text string) (bytes, units int) {
	t.Helper()
	steps := []*transcript.Step{{Parts: []transcript.Part{{Kind: transcript.Text, Text: text}}}}
	for _, a := range alarms(t, p, nil, split, steps) {
		if a.Detector == d.Name {
			if a.Recorded || a.Phase != detectors.InStream {
				t.Errorf("recorded %v, phase %s: %s", a.Recorded, a.Phase, a.Text)
			}
			return a.Offset, len(utf16.Encode([]rune(text[:a.Offset])))
		}
	}
	return 0, 0
}

// block is a block of n different words, and a space.
func block(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%c%c ", 'a'+i/26, 'a'+i%26)
	}
	return b.String()
}

// The worked examples of the behaviour description.
func TestWorkedExamples(t *testing.T) {
	const sentence = "我再检查一下这个文件。"
	if n := len([]rune(sentence)); n != 11 {
		t.Fatalf("%d characters, each a token; want 11", n)
	}
	fresh := func(n int) string { // different words
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String()
	}
	whole := strings.TrimSuffix(strings.Repeat(block(25), 20), " ")
	for _, test := range []struct {
		name, text string
		want       string // the text whose last word completes the repeat
	}{
		{"a sentence nineteen times", strings.Repeat(sentence, 19) + "好。", ""},
		{"a sentence twenty times", strings.Repeat(sentence, 20), strings.Repeat(sentence, 20)},
		{"a sentence twenty times, and on", strings.Repeat(sentence, 25), strings.Repeat(sentence, 20)},
		{"one character two hundred times", strings.Repeat("哈", 200), ""},
		{"two characters a hundred times", strings.Repeat("哈呵", 100), ""},
		{"twenty blocks of 25 tokens", whole, whole},
		{"twenty blocks of 25 tokens, and something else", whole + " and something else", whole},
		{"text before twenty blocks of 25 tokens", fresh(700) + whole, fresh(700) + whole},
		{"many blocks of 26 tokens", strings.Repeat(block(26), 60), ""},
		{"twenty blocks in a long text", fresh(300) + strings.Repeat(block(5), 20) + fresh(900), fresh(300) + strings.TrimSuffix(strings.Repeat(block(5), 20), " ")},
	} {
		for _, s := range splitters() {
			for _, name := range []string{"mimo-2026-09", "mimo-head"} {
				got, units := cutAt(t, TextNgramRepeat, preset(t, name), s.Cut, test.text)
				want := 0 // the end of the first delta that holds it all
				for piece := range s.Cut(test.text) {
					if want >= len(test.want) {
						break
					}
					want += len(piece)
				}
				if got != want {
					t.Errorf("%s, in %s, %s: cut at %d of %d bytes, want %d", test.name, s.Name, name, got, len(test.text), want)
				}
				if test.name == "a sentence twenty times" && units != 220 {
					t.Errorf("in %s, %s: cut at unit %d, want 220", s.Name, name, units)
				}
			}
		}
	}
	// As one delta, only the end of a text is seen.
	text := strings.Repeat(block(5), 20) + fresh(500)
	if got, _ := cutAt(t, TextNgramRepeat, preset(t, "mimo-2026-09"), transcript.Whole, text); got != 0 {
		t.Errorf("as one delta: cut at %d, want silence", got)
	}
}

// Tables pass in the newest version as long as they are most of the text.
func TestTableExemption(t *testing.T) {
	table := strings.Repeat("| a | b | c | d |\n", 30)
	after := table + strings.Repeat("It is done now.\n", 46)
	for _, test := range []struct {
		name, text    string
		article, head bool
	}{
		{"a table", table, true, false},
		{"what comes after a table", after, true, true},
	} {
		for _, s := range splitters() {
			for name, want := range map[string]bool{"mimo-2026-09": test.article, "mimo-head": test.head} {
				got, _ := cutAt(t, TextNgramRepeat, preset(t, name), s.Cut, test.text)
				if (got > 0) != want || name == "mimo-head" && want && got <= len(table) {
					t.Errorf("%s, in %s, %s: cut at %d of %d bytes, want a cut: %v", test.name, s.Name, name, got, len(test.text), want)
				}
			}
		}
	}
}

// Recorded deltas are cut where they were recorded; thoughts and text share a
// window, and arguments are not in it.
func TestSharedWindow(t *testing.T) {
	part := func(kind transcript.PartKind, text string, pieces int) transcript.Part {
		p := transcript.Part{Kind: kind, Text: strings.Repeat(text, pieces)}
		for i := range pieces {
			p.Cuts = append(p.Cuts, transcript.Cut{End: (i + 1) * len(text), At: -1})
		}
		return p
	}
	again := "I check the file again. "
	steps := []*transcript.Step{
		{Parts: []transcript.Part{part(transcript.ToolInput, again, 30)}, Calls: []transcript.Call{{Tool: "write"}}},
		{Parts: []transcript.Part{part(transcript.Thinking, again, 12), part(transcript.ToolInput, "other words, and many", 9), part(transcript.Text, again, 12)}, Calls: []transcript.Call{{Tool: "write"}}},
	}
	list := alarms(t, preset(t, "mimo-2026-09"), nil, nil, steps)
	if len(list) != 1 {
		t.Fatalf("%d alarms, want 1: %v", len(list), list)
	}
	if a := list[0]; a.Detector != TextNgramRepeat.Name || a.Pos.Step != 2 || a.Pos.Delta != 29 || a.Part != 2 || a.Offset != 8*len(again) || !a.Recorded {
		t.Errorf("%s at step %d, delta %d, byte %d of part %d, recorded %v", a.Detector, a.Pos.Step, a.Pos.Delta, a.Offset, a.Part, a.Recorded)
	}
}

// A long silence is remarked on at the chunk that ends it. Chunks without times,
// made up or not, and the time between two responses are no silence.
func TestChunkTimeout(t *testing.T) {
	timed := func(kind transcript.PartKind, at ...time.Duration) transcript.Part {
		p := transcript.Part{Kind: kind}
		for i, d := range at {
			p.Text += fmt.Sprintf("%d ", i)
			p.Cuts = append(p.Cuts, transcript.Cut{End: len(p.Text), At: d})
		}
		return p
	}
	const m, never = time.Minute, time.Duration(-1)
	limit := 8 * m
	for _, test := range []struct {
		name  string
		steps [][]transcript.Part
		want  []string // step/delta: silence
	}{
		{"it fires", [][]transcript.Part{
			{timed(transcript.Text, 0, m, m+limit+time.Millisecond, 20*m)},
			{timed(transcript.Thinking, m), timed(transcript.Text, 10*m), timed(transcript.ToolInput, 11*m, 30*m)},
		}, []string{"1/3: 480001", "1/4: 659999", "2/2: 540000", "2/4: 1140000"}},
		{"it nearly fires", [][]transcript.Part{
			{timed(transcript.Text, 0, limit, 2*limit)},
			{timed(transcript.Text, 4*limit)},
			{timed(transcript.Text, never, never, 9*m), timed(transcript.Text, never, 17*m)},
		}, nil},
		{"a slow stream", [][]transcript.Part{
			{timed(transcript.Text, 0, 3*m, 6*m, 9*m, 12*m, 15*m, 18*m)},
		}, nil},
		{"no times", [][]transcript.Part{
			{timed(transcript.Text, never, never), {Kind: transcript.Text, Text: "three more words"}},
		}, nil},
	} {
		var steps []*transcript.Step
		for _, parts := range test.steps {
			steps = append(steps, &transcript.Step{Parts: parts, Calls: make([]transcript.Call, 1)})
		}
		var got []string
		for _, a := range alarms(t, preset(t, "mimo-2026-09"), nil, transcript.Words, steps) {
			if a.Detector == ChunkTimeout.Name {
				got = append(got, fmt.Sprintf("%d/%d: %d", a.Pos.Step, a.Pos.Delta, a.Evidence[0].Value))
				if a.Verdict != detectors.Annotate {
					t.Errorf("%s: %s", test.name, a.Verdict)
				}
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Characters are looked at in texts and thoughts, each part for itself.
func TestCharsOfParts(t *testing.T) {
	p := &detectors.Preset{Name: "chars", Detectors: []*detectors.Detector{OutputLoopKMP}, Every: true}
	part := func(kind transcript.PartKind, n int) transcript.Part {
		text := strings.Repeat("=", n)
		return transcript.Part{Kind: kind, Text: text, Cuts: []transcript.Cut{{End: n / 2, At: -1}, {End: n, At: -1}}}
	}
	for _, test := range []struct {
		name  string
		parts []transcript.Part
		want  int // alarms
	}{
		{"a text", []transcript.Part{part(transcript.Text, 600)}, 1},
		{"a thought and a text", []transcript.Part{part(transcript.Thinking, 600), part(transcript.Text, 600)}, 1}, // a response is cut once
		{"two halves", []transcript.Part{part(transcript.Thinking, 280), part(transcript.Text, 280)}, 0},
		{"arguments", []transcript.Part{part(transcript.ToolInput, 600)}, 0},
	} {
		steps := []*transcript.Step{{Parts: test.parts, Calls: make([]transcript.Call, 1)}}
		if got := alarms(t, p, nil, nil, steps); len(got) != test.want {
			t.Errorf("%s: %d alarms, want %d", test.name, len(got), test.want)
		}
	}
}

// The two detectors of one stream see different things.
func TestCharsSeeWhatTokensDoNot(t *testing.T) {
	both := &detectors.Preset{Name: "both", Detectors: []*detectors.Detector{TextNgramRepeat, OutputLoopKMP}, Every: true}
	pieces := func(n int) transcript.Splitter {
		return func(text string) iter.Seq[string] {
			return func(yield func(string) bool) {
				for c := range slices.Chunk([]rune(text), n) {
					if !yield(string(c)) {
						return
					}
				}
			}
		}
	}
	for _, test := range []struct {
		name, text   string
		ngram, chars bool
	}{
		{"one character", strings.Repeat("哈", 600), false, true},
		{"a block of thirty tokens", strings.Repeat(block(30), 20), false, true},
		{"short words", strings.Repeat("a b c d ", 25), true, false},
		{"a short loop in a code fence", "```\n" + strings.Repeat("a b c d ", 100), true, false},
	} {
		for _, n := range []int{1, 7, 64} {
			ngram, _ := cutAt(t, TextNgramRepeat, both, pieces(n), test.text)
			chars, _ := cutAt(t, OutputLoopKMP, both, pieces(n), test.text)
			if (ngram > 0) != test.ngram || (chars > 0) != test.chars {
				t.Errorf("%s, %d characters a delta: cut at %d and %d, want cuts: %v and %v", test.name, n, ngram, chars, test.ngram, test.chars)
			}
		}
	}
}
