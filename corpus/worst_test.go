package corpus_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/mimo"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// cutBy replays a session of one response and one call after it, with its text cut
// by one way, or by the other, and the two compared.
func cutBy(t *testing.T, text, chosen string) *replay.Outcome {
	t.Helper()
	cuts := []replay.Cut{{Name: "word", Split: transcript.Words}, {Name: "char", Split: transcript.Chars}}
	u := &formats.Unit{Session: &transcript.Session{ID: "s"}, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			yield(&transcript.Step{Parts: []transcript.Part{{Kind: transcript.Text, Text: text}}, Calls: []transcript.Call{{Tool: "t"}}}, nil)
		}
	}}
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: &detectors.Preset{
		Name: "stream", Detectors: []*detectors.Detector{mimo.TextNgramRepeat}, Every: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: plan, Cuts: cuts, Chosen: chosen, Split: cuts[0].Split}
	if chosen == "char" {
		e.Split = cuts[1].Split
	}
	var out *replay.Outcome
	if err := e.Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error { out = o; return o.Err }); err != nil {
		t.Fatal(err)
	}
	return out
}

// A label gets the worst of the ways of cutting text, whichever was chosen; an
// unlabelled session keeps the chosen one's.
func TestWorst(t *testing.T) {
	const block = "go on and repeat "
	every := strings.Repeat(block, 21)
	one := strings.Repeat(block, 19) + "go on and repeatedly" // repeat stands there for a while, if it comes by the character
	none := strings.Repeat(block, 15)
	loop := &corpus.Label{Class: corpus.Loop, Reviewed: "full", Spans: []corpus.Span{{Run: 0, Onset: 0, End: 1}}}
	late := &corpus.Label{Class: corpus.Loop, Reviewed: "full", Spans: []corpus.Span{{Run: 0, Onset: 2, End: 2}}}
	gap := &corpus.Label{Class: corpus.KnownGap, Reviewed: "full", Spans: []corpus.Span{{Run: 0, Onset: 0, End: 1, KnownGap: true}}}
	work := &corpus.Label{Class: corpus.Productive, Reviewed: "full"}
	for _, test := range []struct {
		name, text string
		label      *corpus.Label
		word, char corpus.Result
	}{
		{"work, all fire", every, work, corpus.FalsePositive, corpus.FalsePositive},
		{"work, one fires", one, work, corpus.FalsePositive, corpus.FalsePositive},
		{"work, none fires", none, work, corpus.TrueNegative, corpus.TrueNegative},
		{"loop, all fire", every, loop, corpus.TruePositive, corpus.TruePositive},
		{"loop, one fires", one, loop, corpus.FalseNegative, corpus.FalseNegative},
		{"loop that has not begun, one fires", one, late, corpus.Premature, corpus.Premature},
		{"gap, one fires", one, gap, corpus.GapMiss, corpus.GapMiss},
		{"no label, one fires", one, nil, corpus.UnknownQuiet, corpus.UnknownFire},
		{"unlabelled, all fire", every, &corpus.Label{Class: corpus.Unlabelled}, corpus.UnknownFire, corpus.UnknownFire},
	} {
		for chosen, want := range map[string]corpus.Result{"word": test.word, "char": test.char} {
			o := cutBy(t, test.text, chosen)
			if got := corpus.Worst(test.label, o, 0, detectors.Nudge); got != want {
				t.Errorf("%s, cut by %s: %s, want %s", test.name, chosen, got, want)
			}
			if test.text == one && (len(o.Points[0].Fires)+len(o.Points[0].Elsewhere) != 1) {
				t.Errorf("%s, cut by %s: %d fires, %d elsewhere; want one of them", test.name, chosen, len(o.Points[0].Fires), len(o.Points[0].Elsewhere))
			}
		}
	}
}
