package mimo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// retold writes steps as a script and reads them again: what is replayed is what
// a user could have typed.
func retold(t tester, list []*transcript.Step) []*transcript.Step {
	t.Helper()
	var out bytes.Buffer
	w := script.Format.Write(&out)
	s := &transcript.Session{ID: "golden"}
	if err := w.Begin(s); err != nil {
		t.Fatal(err)
	}
	for _, step := range list {
		if err := w.Step(step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return session(t, out.String())
}

// outcome replays a session through a plan.
func outcome(t tester, q replay.Question, list []*transcript.Step) (*replay.Plan, *replay.Outcome) {
	t.Helper()
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	u := &formats.Unit{Session: &transcript.Session{ID: "golden"}, Steps: func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
	var out *replay.Outcome
	err = (&replay.Engine{Plan: plan}).Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error { out = o; return o.Err })
	if err != nil {
		t.Fatal(err)
	}
	return plan, out
}

// streaking is the settings of thinking_streak.
func streaking(trigger, span int) detectors.Settings {
	return detectors.Settings{
		"mimo/thinking_streak.enabled":       "true",
		"mimo/thinking_streak.trigger_count": strconv.Itoa(trigger),
		"mimo/thinking_streak.max_span":      strconv.Itoa(span),
	}
}

// cropsOf is what thinking_streak says of a session, a line for each crop: run,
// step and evidence. All points that have it must say the same, beside points
// with other numbers and those without it.
func cropsOf(t tester, trigger, span int, list []*transcript.Step) []string {
	t.Helper()
	list = retold(t, list)
	q := replay.Question{Alone: true, DropOne: true}
	for _, name := range []string{"mimo-2026-09", "mimo-head"} {
		p := preset(t, name)
		q.Configs = append(q.Configs, replay.Config{Preset: p, Set: streaking(trigger, span)},
			replay.Config{Preset: p, Set: streaking(trigger+1, span)}, replay.Config{Preset: p})
	}
	plan, out := outcome(t, q, list)
	var said [][]string
	for i, pt := range plan.Points {
		var lines []string
		for _, f := range out.Points[i].Fires {
			if f.Detector == ThinkingStreak.Name {
				lines = append(lines, cropLine(&f.Fire))
			}
		}
		switch has := (pt.Detector == "" || pt.Detector == ThinkingStreak.Name) && pt.Without != ThinkingStreak.Name; {
		case pt.Config%3 == 0 && has:
			said = append(said, lines)
		case pt.Config%3 == 2 && lines != nil, !has && lines != nil:
			t.Errorf("point %+v says %q", pt, lines)
		}
	}
	var live []string
	for _, a := range alarms(t, preset(t, "mimo-head"), streaking(trigger, span), nil, list) {
		if a.Detector == ThinkingStreak.Name {
			live = append(live, cropLine(&a.Fire))
		}
	}
	for _, lines := range append(said, live) {
		if !slices.Equal(lines, said[0]) {
			t.Errorf("one point says %q, another %q", said[0], lines)
		}
	}
	return said[0]
}

// hidden fields of a crop are in no golden record.
var hidden = []string{"tokens", "tokens_unknown", "again", "by_tools"}

func cropLine(f *detectors.Fire) string {
	out := fmt.Sprintf("%d/%d", f.Pos.Run, f.Pos.Step)
	for _, e := range f.Evidence {
		if !slices.Contains(hidden, e.Name) {
			out += fmt.Sprintf(" %s=%d", e.Name, e.Value)
		}
	}
	return out
}

// wantLine is the line of a crop before the request of a run's step.
func wantLine(run, step int, c crop) string {
	return fmt.Sprintf("%d/%d steps=%d from_back=%d to_back=%d anchor_back=%d omitted_blocks=%d kept_blocks=%d remaining_similar=%d earlier=%d truncated=%d cache_risk=%d continue=%d",
		run, step, c.Steps, c.FromBack, c.ToBack, c.AnchorBack, c.OmittedBlocks, c.KeptBlocks, c.RemainingSimilar, c.Earlier, bit(c.Truncated), bit(c.CacheRisk), bit(c.Continue))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// userSays is a message of a person, or of the harness.
func userSays(kind transcript.StepKind, text string) *transcript.Step {
	return &transcript.Step{Kind: kind, Parts: []transcript.Part{{Text: text}}}
}

// numbered gives messages by id their place: how many responses there are up to them.
type numbered map[string]int

func (n numbered) back(id string, requests int) int { return requests - n[id] + 1 }

func TestGoldenStreakSession(t *testing.T) {
	crops := 0
	golden(t, "mimo-streak", "streak_session", func(raw []byte) (got, want string, err error) {
		var r struct {
			TriggerCount int `json:"trigger_count"`
			MaxSpan      int `json:"max_span"`
			Turns        []struct {
				Role, Finish string
				Parts        []goldenPart
			}
			Requests []struct {
				Reapplied []string
				Trailing  bool `json:"trailing_assistant"`
				Crop      *struct {
					From, To         string
					Anchor           *string
					Omitted          []string
					OmittedBlocks    int  `json:"omitted_blocks"`
					KeptBlocks       int  `json:"kept_blocks"`
					RemainingSimilar int  `json:"remaining_similar"`
					CacheRisk        bool `json:"cache_risk"`
					Truncated        bool
				}
			}
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		var list []*transcript.Step
		var lines []string
		place := numbered{}
		run, step, asked := -1, 0, 0
		for i, turn := range r.Turns {
			id := fmt.Sprintf("m%04d", i)
			if turn.Role == "user" {
				if len(turn.Parts) != 1 || turn.Parts[0].Type != "text" {
					return "", "", inexpressible("with a message of several parts")
				}
				run, step = run+1, 0
				list = append(list, userSays(transcript.Prompt, turn.Parts[0].Text))
				continue
			}
			s, err := responseOf(turn.Finish, turn.Parts)
			if err != nil {
				return "", "", err
			}
			list = append(list, s)
			step++
			q := r.Requests[asked]
			if c := q.Crop; c != nil {
				crops++
				m := crop{Steps: len(c.Omitted), FromBack: place.back(c.From, asked), ToBack: place.back(c.To, asked), OmittedBlocks: c.OmittedBlocks,
					KeptBlocks: c.KeptBlocks, RemainingSimilar: c.RemainingSimilar, Earlier: len(q.Reapplied), Truncated: c.Truncated, CacheRisk: c.CacheRisk, Continue: q.Trailing}
				if c.Anchor != nil {
					m.AnchorBack = place.back(*c.Anchor, asked)
				}
				lines = append(lines, wantLine(run, step, m))
			}
			asked++
			place[id] = asked
		}
		return strings.Join(cropsOf(t, r.TriggerCount, r.MaxSpan, list), "\n"), strings.Join(lines, "\n"), nil
	})
	t.Logf("%d crops", crops)
}

// asked ends a session with a request, all others of which no crop may come
// before: a word of the harness stands after each response but the last.
func asked(responses []*transcript.Step) []*transcript.Step {
	list := []*transcript.Step{userSays(transcript.Prompt, "go")}
	for i, s := range responses {
		if i > 0 {
			list = append(list, userSays(transcript.Injection, "well"))
		}
		list = append(list, s)
	}
	return append(list, &transcript.Step{Parts: []transcript.Part{{Text: "Done."}}, Finish: transcript.FinishStop})
}

// The core of the detection: a list of keys.
func TestGoldenStreakDetect(t *testing.T) {
	golden(t, "mimo-streak", "streak_detect", func(raw []byte) (got, want string, err error) {
		var r struct {
			Entries      []struct{ ID, Key string }
			TriggerCount int `json:"trigger_count"`
			MaxSpan      int `json:"max_span"`
			Span         *struct {
				FromID, ToID string
				AnchorID     *string
				Length       int
				Truncated    bool
			}
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		place := numbered{}
		var list []*transcript.Step
		for i, e := range r.Entries {
			if e.Key == "" && i < len(r.Entries)-1 {
				return "", "", inexpressible("with a message without a key in the list, which the original passes over")
			}
			s := &transcript.Step{Finish: transcript.FinishStop, Parts: []transcript.Part{{Kind: transcript.Thinking, Text: e.Key}}}
			list = append(list, s)
			place[e.ID] = i + 1
		}
		if sp := r.Span; sp != nil {
			n := len(list)
			m := crop{Steps: sp.Length, FromBack: place.back(sp.FromID, n), ToBack: place.back(sp.ToID, n), OmittedBlocks: sp.Length,
				KeptBlocks: n + n - sp.Length, Truncated: sp.Truncated, CacheRisk: sp.Length > 20, RemainingSimilar: 0}
			if sp.AnchorID != nil {
				m.AnchorBack = place.back(*sp.AnchorID, n)
			}
			for _, e := range r.Entries[:place[sp.FromID]-1] {
				m.RemainingSimilar += bit(e.Key == r.Entries[n-1].Key)
			}
			want = wantLine(0, n+1, m)
		}
		return strings.Join(cropsOf(t, r.TriggerCount, r.MaxSpan, asked(list)), "\n"), want, nil
	})
}

// A key cannot be seen, but two steps with equal keys are a row, and no others.
func TestGoldenStreakKey(t *testing.T) {
	type record struct {
		step *transcript.Step
		key  string
	}
	var before []record
	golden(t, "mimo-streak", "streak_key", func(raw []byte) (got, want string, err error) {
		var r struct {
			Parts []goldenPart
			Key   string
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		s, err := responseOf("tool-calls", r.Parts)
		if err != nil {
			return "", "", err
		}
		before = append(before, record{s, r.Key})
		for _, b := range before {
			got += fmt.Sprintf("%t ", len(cropsOf(t, 2, 64, asked([]*transcript.Step{b.step, s}))) > 0)
			want += fmt.Sprintf("%t ", r.Key != "" && b.key == r.Key)
		}
		return got, want, nil
	})
}

// A crop of a span is a session if the detection would find the span.
func TestGoldenStreakCrop(t *testing.T) {
	golden(t, "mimo-streak", "streak_crop", func(raw []byte) (got, want string, err error) {
		var r struct {
			KeyEqual bool `json:"key_equal"`
			Messages []struct {
				Info  struct{ ID, Role, Finish string }
				Parts []goldenPart
			}
			Span struct {
				FromID, ToID string
				AnchorID     *string
				Key          string
				Length       int
				Truncated    bool
			}
			Omitted                                     []string
			OmittedBlocks, KeptBlocks, RemainingSimilar int
			CacheRisk                                   bool
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		if !r.KeyEqual {
			return "", "", inexpressible("of the older version, which crops other keys, too")
		}
		place := numbered{}
		list := []*transcript.Step{userSays(transcript.Prompt, "go")}
		added, n := 1, 0
		var keys, ids []string // of what counts
		for i, m := range r.Messages {
			if m.Info.Role == "user" {
				list = append(list, userSays(transcript.Injection, "u"))
				added += 1 - len(m.Parts)
				continue
			}
			if i > 0 && r.Messages[i-1].Info.Role != "user" && n > 0 {
				list = append(list, userSays(transcript.Injection, "well"))
				added++
			}
			s, err := responseOf(m.Info.Finish, m.Parts)
			if err != nil {
				return "", "", err
			}
			list = append(list, s)
			n++
			place[m.Info.ID] = n
			if key, _ := steps.StreakKey(parts(s)); m.Info.Finish != "" && key != "" {
				keys, ids = append(keys, key), append(ids, m.Info.ID)
			}
		}
		last := r.Messages[len(r.Messages)-1]
		if last.Info.ID != r.Span.ToID || last.Info.Finish == "" {
			return "", "", inexpressible("with messages after the span")
		}
		row := 0
		for row < len(keys) && keys[len(keys)-1-row] == keys[len(keys)-1] {
			row++
		}
		span := r.Span.Length
		if row < 2 || span > row || ids[len(ids)-span] != r.Span.FromID || r.Span.Truncated != (span < row) {
			return "", "", inexpressible("with a span that the detection would not find")
		}
		if len(keys) > row != (r.Span.AnchorID != nil) && span == row {
			return "", "", inexpressible("with an anchor that the detection would not find")
		}
		m := crop{Steps: len(r.Omitted), FromBack: place.back(r.Span.FromID, n), ToBack: place.back(r.Span.ToID, n), OmittedBlocks: r.OmittedBlocks,
			KeptBlocks: r.KeptBlocks + added, RemainingSimilar: r.RemainingSimilar, Truncated: r.Span.Truncated, CacheRisk: r.CacheRisk}
		if r.Span.AnchorID != nil {
			m.AnchorBack = place.back(*r.Span.AnchorID, n)
		}
		list = append(list, &transcript.Step{Parts: []transcript.Part{{Text: "Done."}}, Finish: transcript.FinishStop})
		said := cropsOf(t, 2, span, list)
		run, step := 0, n+1
		return strings.Join(said, "\n"), wantLine(run, step, m), nil
	})
}
