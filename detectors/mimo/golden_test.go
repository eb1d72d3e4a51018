package mimo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// The golden data was made for the algorithms, which internal/steps and
// internal/stream compare with it. Here it goes through the rules: a record is
// written as a session, and what a preset says about it is compared. Not every
// record can be: a transcript has no structured output and no streamed starts of
// calls. Each check reports which it is.

// An inexpressible says why a record is no session.
type inexpressible string

func (e inexpressible) Error() string { return string(e) }

// golden compares the records of one function that are sessions, all of which
// must agree, and reports how many that were.
func golden(t *testing.T, file, fn string, check func(raw []byte) (got, want string, err error)) {
	t.Helper()
	root := os.Getenv("GROUNDHOG_SHARED")
	if root == "" {
		t.Skip("GROUNDHOG_SHARED is not set, so there is no golden data; internal/steps compares a sample of it")
	}
	data, err := os.ReadFile(filepath.Join(root, "golden", file+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	total, agree := 0, 0
	why := make(map[string]int)
	for line := range bytes.Lines(data) {
		var head struct{ ID, Fn string }
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		if head.Fn != fn {
			continue
		}
		total++
		got, want, err := check(line)
		switch e, ok := err.(inexpressible); {
		case ok:
			why[string(e)]++
		case err != nil:
			t.Fatalf("%s: %v", head.ID, err)
		case got != want:
			t.Errorf("%s: got %s, want %s", head.ID, got, want)
		default:
			agree++
		}
	}
	left, reasons := 0, []string{}
	for reason, n := range why {
		left += n
		reasons = append(reasons, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(reasons)
	t.Logf("%s: %d of %d records are expressible, and %d of these agree; the others: %q", fn, total-left, total, agree, reasons)
	if total == left {
		t.Errorf("%s: nothing was compared", fn)
	}
}

// A goldenPart is a part as the golden files write it.
type goldenPart struct {
	Type, Text, Tool   string
	Synthetic, Ignored bool
	State              struct {
		Status   string
		Input    json.RawMessage
		Metadata struct{ Interrupted bool }
	}
	Metadata struct{ ProviderExecuted bool }
}

var goldenFinish = map[string]transcript.Finish{
	"": transcript.FinishAborted, "stop": transcript.FinishStop, "tool-calls": transcript.FinishToolCalls, "length": transcript.FinishLength,
	"content-filter": transcript.FinishFilter, "error": transcript.FinishError, "other": transcript.FinishPause, "unknown": transcript.FinishPause,
}

// responseOf is a response with these parts. What the harness wrote is not in it.
func responseOf(finish string, list []goldenPart) (*transcript.Step, error) {
	word, ok := goldenFinish[finish]
	if !ok {
		return nil, fmt.Errorf("finish %q", finish)
	}
	s := &transcript.Step{Finish: word}
	texts, ignored := 0, 0
	for _, p := range list {
		switch p.Type {
		case "text":
			if p.Synthetic {
				continue
			}
			texts++
			if p.Ignored {
				ignored++
			}
			s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Text, Text: p.Text})
		case "reasoning":
			s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Thinking, Text: p.Text})
		case "tool":
			s.Parts = append(s.Parts, transcript.Part{Kind: transcript.ToolInput, Call: len(s.Calls)})
			c := transcript.Call{Tool: p.Tool, Args: string(p.State.Input), Provider: p.Metadata.ProviderExecuted, Interrupted: p.State.Metadata.Interrupted}
			switch p.State.Status {
			case "completed":
				c.Result.Status = transcript.ResultOK
			case "error":
				c.Result.Status = transcript.ResultError
			}
			s.Calls = append(s.Calls, c)
		}
	}
	if ignored > 0 {
		if ignored < texts {
			return nil, inexpressible("with a text that the model saw and one that it did not")
		}
		s.Flags = transcript.Ignored
	}
	return s, nil
}

var prompt = &transcript.Step{Kind: transcript.Prompt}

// deliveries is what one detector delivered at each step: its verdict, or "none".
func deliveries(t *testing.T, p *detectors.Preset, set detectors.Settings, d *detectors.Detector, steps []*transcript.Step) []string {
	t.Helper()
	m, err := detectors.NewMonitor(p, set)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(steps))
	var cur transcript.Cursor
	for i, s := range steps {
		out[i] = "none"
		for ev := range cur.Events(s) {
			m.Observe(ev)
			for _, a := range m.Alarms() {
				if a.Detector == d.Name {
					out[i] = a.Delivered.String()
				}
			}
		}
	}
	return out
}

// afterStop is what the original says from a run's stop on: nothing any more.
// The rules, which change nothing in a recording, go on.
func afterStop(want, got []string) []string {
	got = slices.Clone(got)
	for i := range got {
		if i < len(want) && want[i] == "after_stop" {
			got[i] = "after_stop"
		}
	}
	return got
}

// actionVerdicts are the actions of the ladders as verdicts.
var actionVerdicts = map[string]string{
	"none": "none", "skip": "none", "reset": "none", "mild": "nudge", "strong": "nudge", "remind": "nudge", "replan": "nudge",
	"stop": "force_stop", "after_stop": "after_stop",
}

func verdictsOf(actions []string) ([]string, error) {
	out := make([]string, len(actions))
	for i, a := range actions {
		v, ok := actionVerdicts[a]
		if !ok {
			return nil, fmt.Errorf("action %q", a)
		}
		out[i] = v
	}
	return out, nil
}

func TestGoldenTextLoopLadder(t *testing.T) {
	crops := 0
	golden(t, "mimo-textloop", "textloop_ladder", func(raw []byte) (got, want string, err error) {
		var r struct {
			Limit, Buffer, Trigger int
			MaxRecovery            int  `json:"max_recovery"`
			ClearOnRecovery        bool `json:"clear_on_recovery"`
			Steps                  []struct {
				Parts       []goldenPart
				Cropped     bool
				NewUserTurn bool `json:"new_user_turn"`
			}
			Actions []string
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		if r.Trigger > r.Buffer {
			return "", "", inexpressible("with a list too short for the trigger")
		}
		// Thoughts make the crops: with these settings a crop takes out the step
		// before it, if that thought what the one before thought. One response before
		// everything is there to be thought after. The record's own thoughts, which the
		// detector does not look at, make room.
		steps := []*transcript.Step{prompt, {Parts: []transcript.Part{{Kind: transcript.Thinking, Text: "0"}}, Finish: transcript.FinishStop}, prompt}
		lead, thought := len(steps), "0"
		for i, s := range r.Steps {
			if s.NewUserTurn {
				steps = append(steps, prompt)
				continue
			}
			if s.Cropped && (i == 0 || r.Steps[i-1].NewUserTurn) && r.Trigger < 2 {
				return "", "", inexpressible("with a crop before the first response of a run")
			}
			step, err := responseOf("stop", s.Parts)
			if err != nil {
				return "", "", err
			}
			if i+1 == len(r.Steps) || !r.Steps[i+1].Cropped {
				thought = strconv.Itoa(i + 1)
			}
			step.Parts = slices.DeleteFunc(step.Parts, func(p transcript.Part) bool { return p.Kind == transcript.Thinking })
			step.Parts = append(step.Parts, transcript.Part{Kind: transcript.Thinking, Text: thought})
			steps = append(steps, step)
			if s.Cropped {
				crops++
			}
		}
		verdicts, err := verdictsOf(r.Actions)
		if err != nil {
			return "", "", err
		}
		set := detectors.Settings{
			"mimo/cross_step_text_loop.limit":             strconv.Itoa(r.Limit),
			"mimo/cross_step_text_loop.trigger":           strconv.Itoa(r.Trigger),
			"mimo/cross_step_text_loop.clear_on_recovery": strconv.FormatBool(r.ClearOnRecovery),
			"mimo/cross_step_text_loop.max_recovery":      strconv.Itoa(r.MaxRecovery),
		}
		set = set.With(streaking(2, 1))
		cropped := deliveries(t, preset(t, "mimo-2026-09"), set, ThinkingStreak, steps)[lead:]
		for i, s := range r.Steps {
			first := i == 0 || r.Steps[i-1].NewUserTurn // where there is nothing to be silent about
			if want := s.Cropped && !first; !s.NewUserTurn && (cropped[i] == "annotate") != want {
				return "", "", fmt.Errorf("response %d: thinking_streak says %s, the record %t", i, cropped[i], want)
			}
		}
		said := deliveries(t, preset(t, "mimo-2026-09"), set, CrossStepTextLoop, steps)[lead:]
		return fmt.Sprint(afterStop(verdicts, said)), fmt.Sprint(verdicts), nil
	})
	t.Logf("%d crops", crops)
}

func TestGoldenTextRepeatLadder(t *testing.T) {
	loop, quiet := session(t, loops)[0], session(t, work)[0]
	golden(t, "mimo-textloop", "textrepeat_ladder", func(raw []byte) (got, want string, err error) {
		var r struct {
			MaxRecovery     int `json:"max_recovery"`
			Events, Actions []string
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		var steps []*transcript.Step
		for _, ev := range r.Events {
			s, ok := map[string]*transcript.Step{"hit": loop, "ok": quiet, "new_user_turn": prompt}[ev]
			if !ok {
				return "", "", fmt.Errorf("event %q", ev)
			}
			steps = append(steps, s)
		}
		verdicts, err := verdictsOf(r.Actions)
		if err != nil {
			return "", "", err
		}
		set := detectors.Settings{"mimo/text_ngram_repeat.max_recovery": strconv.Itoa(r.MaxRecovery)}
		said := deliveries(t, preset(t, "mimo-2026-09"), set, TextNgramRepeat, steps)
		return fmt.Sprint(afterStop(verdicts, said)), fmt.Sprint(verdicts), nil
	})
}

// A record says whether the request after its last message has a reminder. What
// a rule says at the end of the last step is about that request, too: messages of
// the user change nothing.
func TestGoldenRepeatedAction(t *testing.T) {
	golden(t, "mimo-streak", "repeated_action", func(raw []byte) (got, want string, err error) {
		var r struct {
			Threshold int
			Messages  []struct {
				Info  struct{ Role, Finish string }
				Parts []goldenPart
			}
			Repeating bool
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", "", err
		}
		var steps []*transcript.Step
		last := -1
		for i, m := range r.Messages {
			s := prompt
			if m.Info.Role != "user" {
				if s, err = responseOf(m.Info.Finish, m.Parts); err != nil {
					return "", "", err
				}
				last = i
			}
			steps = append(steps, s)
		}
		set := detectors.Settings{"mimo/repeated_action.threshold": strconv.Itoa(r.Threshold)}
		said := deliveries(t, preset(t, "mimo-2026-09"), set, RepeatedAction, steps)
		return strconv.FormatBool(last >= 0 && said[last] == "nudge"), strconv.FormatBool(r.Repeating), nil
	})
}
