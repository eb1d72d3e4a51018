package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// This file looks at exemptions, which are sets of tools that some rule passes over: at
// members that change nothing, and at tools for which too much is passed over.

// members are the distinct words of a set, sorted.
func members(value string) []string {
	var list []string
	for word := range strings.SplitSeq(value, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// withoutEffect finds members of a set that change nothing, and members of a value that
// the agent itself replaces before use.
func withoutEffect(ctx context.Context, s *Subject) ([]Finding, error) {
	var out []Finding
	_, witnesses := s.witnesses()
	for _, p := range patterns {
		witnesses = append(witnesses, p.session(plainTool))
	}
	for _, q := range s.Preset.Params() {
		if q.Kind != detectors.Names {
			continue
		}
		set := members(s.value(q))
		for _, name := range set {
			tried, matters, err := s.matters(ctx, q, set, name, witnesses)
			if err != nil {
				return nil, err
			}
			if !matters {
				f := s.finding("no_effect", q.ID)
				f.What = name + " in this set changes nothing"
				f.Rests = fmt.Sprintf("%s in which every tool in turn was %s: "+
					"the same verdicts with and without it; no proof", pluralOf(tried, "history", "histories"), name)
				f.Do = "take " + name + " out of the set, or let the rule that reads the set look at this tool"
				out = append(out, f)
			}
		}
		replaced := s.Preset.Replaced[q.ID]
		for _, name := range members(replaced) {
			if !slices.Contains(set, name) {
				f := s.finding("no_effect", q.ID)
				f.What = name + " is exempt in the agent's constructor, and not in production"
				f.Rests = fmt.Sprintf("the constructor's set (%s) is replaced before use by %s",
					replaced, strings.Join(set, ","))
				f.Do = "add " + name + " to the set that production uses, or take it out of the constructor's; " +
					"tests that use the constructor's set pass for a set that nobody runs"
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// matters reports whether any verdict changes if a set lacks the member name, over
// sessions in which every tool in turn has that name. tried counts these sessions.
func (s *Subject) matters(
	ctx context.Context, q detectors.Param, set []string, name string, witnesses [][]*transcript.Step,
) (tried int, matters bool, err error) {
	var sessions [][]*transcript.Step
	for _, w := range witnesses {
		sessions = append(sessions, withTool(w, name)...)
	}
	rest := strings.Join(slices.DeleteFunc(slices.Clone(set), func(m string) bool { return m == name }), ",")
	without := replay.Config{Preset: s.Preset, Set: s.config.Set.With(detectors.Settings{q.ID: rest})}
	outs, err := replayed(ctx, sessions, s.config, without)
	same := func(a, b *replay.Fire) bool {
		return a.Detector == b.Detector && a.Verdict == b.Verdict && a.Pos == b.Pos && slices.Equal(a.Masked, b.Masked)
	}
	for _, o := range outs {
		matters = matters || !slices.EqualFunc(o.Points[0].Fires, o.Points[1].Fires, same)
	}
	return len(sessions), matters, err
}

// withTool gives, for each tool of a session, a copy in which that tool has another
// name.
func withTool(steps []*transcript.Step, name string) (list [][]*transcript.Step) {
	var tools []string
	for _, step := range steps {
		for i := range step.Calls {
			if !slices.Contains(tools, step.Calls[i].Tool) {
				tools = append(tools, step.Calls[i].Tool)
			}
		}
	}
	for _, tool := range tools {
		var session []*transcript.Step
		for _, step := range steps {
			changed := *step
			changed.Calls = slices.Clone(step.Calls)
			for i := range changed.Calls {
				if changed.Calls[i].Tool == tool {
					changed.Calls[i].Tool = name
				}
			}
			session = append(session, &changed)
		}
		list = append(list, session)
	}
	return list
}

// A pattern is a way to call one tool over and over.
type pattern struct {
	name         string
	args, result bool // differ from call to call
	bad          bool // every call fails
}

var patterns = []pattern{
	{"the same call", false, false, false},
	{"distinct arguments, the same result", true, false, false},
	{"distinct arguments, a new result each time", true, true, false},
	{"the same call, failing", false, false, true},
	{"distinct arguments, failing", true, false, true},
}

// loopCalls is how many calls of one tool stand for an endless loop.
const loopCalls = 100

// plainTool is a tool that no rule names.
const plainTool = "some_tool"

// session is loopCalls calls of a tool in this way.
func (p pattern) session(tool string) []*transcript.Step {
	var steps []*transcript.Step
	for i := range loopCalls {
		mark := string(rune('a'+i/26)) + string(rune('a'+i%26)) + "-item"
		c := transcript.Call{Tool: tool, Args: `{"item":"one"}`}
		c.Result = transcript.Result{Status: transcript.ResultOK, Text: "done"}
		if p.args {
			c.Args = `{"item":"` + mark + `"}`
		}
		if p.result {
			c.Result.Text = "found " + mark
		}
		if p.bad {
			c.Result.Status, c.Result.Text = transcript.ResultError, "refused"
		}
		steps = append(steps, &transcript.Step{
			Kind: transcript.Response, Finish: transcript.FinishToolCalls, Calls: []transcript.Call{c},
		})
	}
	return steps
}

// A reaction is the first fire and the first stop of a session, by the numbers of their
// calls; 0 if there is none. The stop is a path's or a ladder's.
type reaction struct{ fire, stop int }

func reactionOf(o *replay.Outcome) (out reaction) {
	for _, r := range o.Points[0].Runs {
		if r.FirstNudge != nil {
			out.fire = int(r.FirstNudge.Pos.Call)
		}
		if f := cmp.Or(r.LadderStop, r.FirstStop); f != nil {
			out.stop = int(f.Pos.Call)
		}
	}
	return out
}

// uncovered finds tools for which the exemptions leave nothing that could stop a
// loop, though a tool that no rule names would be stopped.
func uncovered(ctx context.Context, s *Subject) ([]Finding, error) {
	tools := slices.Clone(s.Preset.Tools)
	for _, q := range s.Preset.Params() {
		if q.Kind == detectors.Names {
			tools = append(tools, members(s.value(q))...)
		}
	}
	slices.Sort(tools)
	tools = slices.Compact(tools)
	var out []Finding
	var names [][]string // by finding: the patterns for which it holds
	for _, p := range patterns {
		sessions := [][]*transcript.Step{p.session(plainTool)}
		for _, tool := range tools {
			sessions = append(sessions, p.session(tool))
		}
		outs, err := replayed(ctx, sessions, s.config)
		if err != nil {
			return nil, err
		}
		plain := reactionOf(outs[0])
		if plain.stop == 0 {
			continue
		}
		var silent, nudged []string
		for i, tool := range tools {
			switch got := reactionOf(outs[i+1]); {
			case got.stop > 0:
			case got.fire == 0:
				silent = append(silent, tool)
			default:
				nudged = append(nudged, tool)
			}
		}
		found := slices.Concat(
			s.uncoveredTools(plain, silent, "no path speaks"),
			s.uncoveredTools(plain, nudged, "it is nudged, and nothing stops it"),
		)
		for _, f := range found {
			if i := slices.Index(out, f); i >= 0 {
				names[i] = append(names[i], p.name)
				continue
			}
			out, names = append(out, f), append(names, []string{p.name})
		}
	}
	for i := range out {
		out[i].What = strings.Join(names[i], "; ") + ": " + out[i].What
	}
	return out, nil
}

// uncoveredTools is the finding about tools that are not stopped, if there are any.
// plain is what happens to a tool that no rule names.
func (s *Subject) uncoveredTools(plain reaction, tools []string, what string) []Finding {
	if len(tools) == 0 {
		return nil
	}
	f := s.finding("uncovered", strings.Join(tools, ", "))
	f.What = what
	f.Rests = fmt.Sprintf("%d calls in a row; "+
		"a tool that no rule names is nudged at call %d and stopped at %d (ladders included)",
		loopCalls, plain.fire, plain.stop)
	f.Do = "narrow the exemption, or name the path that is to catch a loop of this kind"
	return []Finding{f}
}
