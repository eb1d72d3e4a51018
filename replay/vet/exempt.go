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

// This file looks at exemptions: sets of tools that some rule lets pass, and
// what is left for a tool once every exemption has had its say.

// members are the words of a set, sorted.
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

// withoutEffect finds members of a set that change nothing, and those that stand
// in a value which the agent itself replaces.
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
				f := s.found("no_effect", q.ID)
				f.What = name + " in this set changes nothing"
				f.Rests = fmt.Sprintf("%s in which every tool in turn was %s: the same verdicts with and without it; no proof", pluralOf(tried, "history", "histories"), name)
				f.Do = "take " + name + " out of the set, or let the rule that reads the set look at this tool"
				out = append(out, f)
			}
		}
		for _, name := range members(s.Preset.Replaced[q.ID]) {
			if !slices.Contains(set, name) {
				f := s.found("no_effect", q.ID)
				f.What = name + " is exempt in the agent's constructor, and not in production"
				f.Rests = fmt.Sprintf("the constructor's set (%s) is replaced before use by %s", s.Preset.Replaced[q.ID], strings.Join(set, ","))
				f.Do = "add " + name + " to the set that production uses, or take it out of the constructor's; tests that use the constructor's set pass for a set that nobody runs"
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// matters reports whether a member of a set changes any verdict.
func (s *Subject) matters(ctx context.Context, q detectors.Param, set []string, name string, witnesses [][]*transcript.Step) (tried int, matters bool, err error) {
	var sessions [][]*transcript.Step
	for _, w := range witnesses {
		sessions = append(sessions, asTool(w, name)...)
	}
	rest := strings.Join(slices.DeleteFunc(slices.Clone(set), func(m string) bool { return m == name }), ",")
	without := replay.Config{Preset: s.Preset, Set: s.config.Set.With(detectors.Settings{q.ID: rest})}
	outs, err := run(ctx, sessions, s.config, without)
	for _, o := range outs {
		matters = matters || !slices.EqualFunc(o.Points[0].Fires, o.Points[1].Fires, func(a, b *replay.Fire) bool {
			return a.Detector == b.Detector && a.Verdict == b.Verdict && a.Pos == b.Pos && slices.Equal(a.Masked, b.Masked)
		})
	}
	return len(sessions), matters, err
}

// asTool gives copies of a session in which one of its tools is another.
func asTool(steps []*transcript.Step, name string) (list [][]*transcript.Step) {
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
	name              string
	args, result, bad bool // differ from call to call; every call fails
}

var patterns = []pattern{
	{"the same call", false, false, false},
	{"distinct arguments, the same result", true, false, false},
	{"distinct arguments, a new result each time", true, true, false},
	{"the same call, failing", false, false, true},
	{"distinct arguments, failing", true, false, true},
}

// endless is how many calls of one tool are as good as endless.
const endless = 100

// plainTool is one that no rule names.
const plainTool = "some_tool"

func (p pattern) session(tool string) []*transcript.Step {
	var steps []*transcript.Step
	for i := range endless {
		mark := string(rune('a'+i/26)) + string(rune('a'+i%26)) + "-item"
		c := transcript.Call{Tool: tool, Args: `{"item":"one"}`, Result: transcript.Result{Status: transcript.ResultOK, Text: "done"}}
		if p.args {
			c.Args = `{"item":"` + mark + `"}`
		}
		if p.result {
			c.Result.Text = "found " + mark
		}
		if p.bad {
			c.Result.Status, c.Result.Text = transcript.ResultError, "refused"
		}
		steps = append(steps, &transcript.Step{Kind: transcript.Response, Finish: transcript.FinishToolCalls, Calls: []transcript.Call{c}})
	}
	return steps
}

// A lot is what became of a session: the calls of its first fire and first stop,
// by a path or a ladder; 0 if there is none.
type lot struct{ spoken, stopped int }

func fate(o *replay.Outcome) (l lot) {
	for i := range o.Points[0].Runs {
		r := o.Points[0].Runs[i]
		if r.FirstNudge != nil {
			l.spoken = int(r.FirstNudge.Pos.Call)
		}
		if f := cmp.Or(r.LadderStop, r.FirstStop); f != nil {
			l.stopped = int(f.Pos.Call)
		}
	}
	return l
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
	var names [][]string // by finding: the patterns it holds for
	for _, p := range patterns {
		sessions := [][]*transcript.Step{p.session(plainTool)}
		for _, tool := range tools {
			sessions = append(sessions, p.session(tool))
		}
		outs, err := run(ctx, sessions, s.config)
		if err != nil {
			return nil, err
		}
		plain := fate(outs[0])
		if plain.stopped == 0 {
			continue
		}
		var silent, nudged []string
		for i, tool := range tools {
			switch got := fate(outs[i+1]); {
			case got.stopped > 0:
			case got.spoken == 0:
				silent = append(silent, tool)
			default:
				nudged = append(nudged, tool)
			}
		}
		for _, f := range append(s.left(plain, silent, "no path speaks"), s.left(plain, nudged, "it is nudged, and nothing stops it")...) {
			if at := slices.IndexFunc(out, func(o Finding) bool { return o.Where == f.Where && o.What == f.What && o.Rests == f.Rests }); at >= 0 {
				names[at] = append(names[at], p.name)
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

func (s *Subject) left(plain lot, tools []string, what string) []Finding {
	if len(tools) == 0 {
		return nil
	}
	f := s.found("uncovered", strings.Join(tools, ", "))
	f.What = what
	f.Rests = fmt.Sprintf("%d calls in a row; a tool that no rule names is nudged at call %d and stopped at %d (ladders included)", endless, plain.spoken, plain.stopped)
	f.Do = "narrow the exemption, or name the path that is to catch a loop of this kind"
	return []Finding{f}
}
