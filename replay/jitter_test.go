package replay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"groundhog/detectors"
	"groundhog/detectors/mimo"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/replay/transcript"
)

// apart are the ways of cutting text that fires are compared under.
func apart() (list []replay.Cut) {
	for _, n := range cut.Apart() {
		list = append(list, replay.Cut{Name: n.Name, Split: n.Cut})
	}
	return list
}

// cutting is an engine that cuts text in one way and compares it with all.
func cutting(t testing.TB, q replay.Question, name string) *replay.Engine {
	n, err := cut.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Engine{Plan: newPlan(t, q), Split: n.Cut, Chosen: name, Cuts: apart(), Count: cut.Count}
}

func mimoPreset(t testing.TB, name string) *detectors.Preset {
	i := slices.IndexFunc(mimo.Presets, func(p *detectors.Preset) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no preset %s", name)
	}
	return mimo.Presets[i]
}

// streamQuestion asks presets in which everybody speaks, and one in which the
// first does.
func streamQuestion(t testing.TB) replay.Question {
	article := mimoPreset(t, "mimo-2026-09")
	ordered := *article
	ordered.Name, ordered.Every = "ordered", false
	ordered.Detectors = append([]*detectors.Detector{mimo.OutputLoopKMP}, article.Detectors...)
	ordered.Detectors = slices.DeleteFunc(ordered.Detectors, func(d *detectors.Detector) bool { return d.Closed })
	loose := detectors.Settings{"mimo/text_ngram_repeat.threshold": "5", "mimo/output_loop_kmp.interval": "64", "mimo/output_loop_kmp.percent": "50"}
	thinking := loose.With(detectors.Settings{"mimo/thinking_streak.enabled": "true"})
	return replay.Question{Alone: true, Configs: []replay.Config{{Preset: article}, {Preset: article, Set: loose}, {Preset: mimoPreset(t, "mimo-head"), Set: thinking}, {Preset: &ordered, Set: loose}}}
}

// chant is a session whose responses repeat themselves nearly enough, or more. Of
// some the deltas were recorded, of some those of one part; some are followed by a
// reminder that the harness of the recording wrote.
func chant(seed uint64) *formats.Unit {
	r := rand.New(rand.NewPCG(seed, 7))
	blocks := []string{"let me check it ", "check this file, a", "我再检查一下。", "one two three four five\n", "| a | b |\n", "Wait. ", "=-", "no, ab c d "}
	tails := []string{"", "ab", "checking on", "。好", "\n\n", "and so on and on"}
	var steps []*transcript.Step
	for range 2 + r.IntN(8) {
		s := &transcript.Step{Line: len(steps) + 1}
		if r.IntN(5) == 0 {
			s.Kind = transcript.Prompt
			steps = append(steps, s)
			continue
		}
		if r.IntN(4) == 0 {
			s.Lane = "sub"
		}
		if r.IntN(8) == 0 {
			s.Kind, s.Flags = transcript.Injection, transcript.Synthetic
			s.Parts = []transcript.Part{{Text: "You seem to be stuck in a loop."}}
			steps = append(steps, s)
			continue
		}
		for range 1 + r.IntN(2) {
			copies := []int{2, 4, 5, 6, 19, 20, 21, 60}[r.IntN(8)]
			text := blocks[r.IntN(len(blocks))]
			text = strings.Repeat(text, copies) + tails[r.IntN(len(tails))]
			p := transcript.Part{Kind: transcript.PartKind(r.IntN(2)), Text: text}
			if r.IntN(4) == 0 {
				at := time.Duration(0)
				for end := range transcript.Words(text) {
					n := len(end)
					if len(p.Cuts) > 0 {
						n += p.Cuts[len(p.Cuts)-1].End
					}
					at += time.Second
					p.Cuts = append(p.Cuts, transcript.Cut{End: n, At: at})
				}
			}
			s.Parts = append(s.Parts, p)
		}
		if r.IntN(2) == 0 {
			s.Calls = []transcript.Call{{Tool: "bash", Args: `{"command":"make"}`, Result: transcript.Result{Status: transcript.ResultOK, Text: "done"}}}
			s.Finish = transcript.FinishToolCalls
		}
		if r.IntN(2) == 0 {
			s.Usage = transcript.Usage{Known: true, Output: int64(1 + r.IntN(1000))}
		}
		steps = append(steps, s)
	}
	return made(fmt.Sprintf("chant-%03d", seed), steps...)
}

// byPosition is a list of fires run by run.
func byPosition(list []*replay.Fire) []*replay.Fire {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y *replay.Fire) int { return int(x.Pos.Run - y.Pos.Run) })
	return list
}

// What is said in passing about another way of cutting is what a replay says that
// cuts that way.
func TestJitterEqualsReplays(t *testing.T) {
	q := streamQuestion(t)
	plan := newPlan(t, q)
	var units []*formats.Unit
	for seed := range uint64(40) {
		units = append(units, chant(seed))
	}
	runs := make(map[string][]*replay.Outcome)
	for _, n := range cut.All() {
		runs[n.Name] = run(t, cutting(t, q, n.Name), units)
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(replay.Fire{}, "Jitter", "Wanted"), cmpopts.IgnoreFields(detectors.Fire{}, "Pos.Delta"),
		cmpopts.EquateEmpty(),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Cost" }, cmp.Ignore()),
	}
	sensitive, elsewhere, ladders := 0, 0, 0
	for _, chosen := range cut.All() {
		for i, o := range runs[chosen.Name] {
			for j := range o.Points {
				p := o.Points[j]
				for _, u := range p.Under {
					want := runs[u.Cut][i].Points[j]
					for _, r := range want.Runs {
						if r.LadderStop != nil {
							ladders++
						}
					}
					if diff := cmp.Diff(replay.PointOutcome{Runs: want.Runs, Fires: byPosition(want.Fires)}, u.PointOutcome, same); diff != "" {
						t.Fatalf("%s, point %d, under %s with %s chosen (-replayed +under):\n%s", o.Session.ID, j, u.Cut, chosen.Name, diff)
					}
				}
				for _, f := range append(slices.Clone(p.Fires), p.Elsewhere...) {
					if f.Jitter == nil {
						if f.Phase == detectors.InStream && f.Detector != mimo.ChunkTimeout.Name && q.Configs[plan.Points[j].Config].Preset.Every {
							t.Errorf("%s, point %d, cut by %s: %s has no jitter", o.Session.ID, j, chosen.Name, f.Detector)
						}
						continue
					}
					if f.Recorded {
						continue
					}
					for _, place := range f.Jitter.Places {
						got := replay.Place{Cut: place.Cut}
						for _, g := range runs[place.Cut][i].Points[j].Fires {
							if g.Detector == f.Detector && g.Phase == f.Phase && g.Pos.Run == f.Pos.Run && g.Pos.Step == f.Pos.Step {
								got = replay.Place{Cut: place.Cut, Fired: true, Part: g.Part, Offset: g.Offset}
								break
							}
						}
						if got != place {
							t.Errorf("%s, point %d, cut by %s: %s at %v, replayed %v", o.Session.ID, j, chosen.Name, f.Detector, place, got)
						}
					}
					if f.Jitter.Sensitive {
						sensitive++
					}
				}
				elsewhere += len(p.Elsewhere)
				if p.Under == nil && plan.Points[j].View() == replay.Production {
					for _, c := range apart() {
						for _, f := range runs[c.Name][i].Points[j].Fires {
							if f.Phase == detectors.InStream && !f.Recorded {
								t.Errorf("%s, point %d, cut by %s: %s fires under %s, and nothing is said", o.Session.ID, j, chosen.Name, f.Detector, c.Name)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d chunk-sensitive, %d only elsewhere, %d runs stopped by a ladder", sensitive, elsewhere, ladders)
	if sensitive == 0 || elsewhere == 0 || ladders == 0 {
		t.Errorf("%d chunk-sensitive, %d only elsewhere, %d runs stopped by a ladder: too few to say much", sensitive, elsewhere, ladders)
	}
}

// Workers change nothing, also where text is cut in several ways.
func TestSchedulingChangesNoJitter(t *testing.T) {
	var units []*formats.Unit
	for seed := range uint64(12) {
		units = append(units, chant(1000+seed))
	}
	outcomes := func(workers int) []*replay.Outcome {
		e := cutting(t, streamQuestion(t), "word")
		e.Workers, e.Near = workers, replay.NearAll
		return run(t, e, units)
	}
	if d := diff(outcomes(1), outcomes(8)); d != "" {
		t.Errorf("one worker and eight (-1 +8):\n%s", d)
	}
}

// Points that share their fires under one way of cutting may differ under another:
// each is told its own, as if its fires were explained.
func TestSharedOutcomesKeepTheirOwnJitter(t *testing.T) {
	q := replay.Question{Alone: true}
	for _, threshold := range []string{"3", "4", "5", "6", "19", "20", "21", "40"} {
		q.Configs = append(q.Configs, replay.Config{Preset: mimoPreset(t, "mimo-2026-09"), Set: detectors.Settings{"mimo/text_ngram_repeat.threshold": threshold}})
	}
	// The twentieth copy stands there for a while, if it comes by the character.
	crumb := transcript.Part{Kind: transcript.Text, Text: strings.Repeat("go on and repeat ", 19) + "go on and repeatedly"}
	units := []*formats.Unit{made("crumb", &transcript.Step{Parts: []transcript.Part{crumb}})}
	for seed := range uint64(20) {
		units = append(units, chant(seed))
	}
	explained := run(t, cutting(t, q, "word"), units)
	q.Brief = true
	plan := newPlan(t, q)
	bare := run(t, &replay.Engine{Plan: plan, Split: transcript.Words}, units)
	same := cmp.Options{cmpopts.IgnoreFields(replay.Fire{}, "Wanted"), cmpopts.IgnoreFields(detectors.Fire{}, "Reason", "Text", "Evidence", "Case"), cmpopts.EquateEmpty()}
	differ := 0
	for i, o := range run(t, cutting(t, q, "word"), units) {
		for j, got := range o.Points {
			if plan.Points[j].View() != replay.Production {
				continue
			}
			if diff := cmp.Diff(explained[i].Points[j], got, same); diff != "" {
				t.Fatalf("%s, point %d (-explained +brief):\n%s", o.Session.ID, j, diff)
			}
			for k := range j {
				if bare[i].Points[k] == bare[i].Points[j] && !cmp.Equal(o.Points[k].Under, got.Under, same) {
					differ++
				}
			}
		}
	}
	t.Logf("%d pairs share their fires and differ under another cut", differ)
	if differ == 0 {
		t.Error("no points share their fires and differ under another cut: nothing was tested")
	}
}
