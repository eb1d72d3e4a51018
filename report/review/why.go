package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report"
)

// Why a path is quiet is not guessed from its rules: the session is asked again
// with one thing different about it (replay.WhatIf), and what makes the path speak
// is the reason. So a reason holds for any detector, and can be wrong only where
// two things kept it quiet together; then it is not given.

// An experiment is one thing that is different, with the sentence it proves. The
// session is asked in the order of the experiments, the most particular first.
type experiment struct {
	status Quietness
	ask    replay.WhatIf
	why    func(verb, place string, a replay.Answer) string
	// unmeasured: it explains nothing to a path that has measured something.
	unmeasured bool
}

const (
	maxTriedCalls = 120 // calls about the nearest ones that are asked again
	maxTriedTools = 2   // tools whose calls are changed, those called most
	maxTriedKeys  = 3   // arguments of each
	maxPeriod     = 8   // steps of a cycle at the end of the recording
	maxBeyond     = 30  // calls after the end that a reason may speak of
	leastRepeated = 3   // calls of a tool, or equal calls, that an experiment needs
)

// reasons explains the paths of one configuration that nothing has explained yet.
func (r *reviewer) reasons(list []*quietPath) error {
	var open []*quietPath
	for _, q := range list {
		if q.Status != "" {
			continue
		}
		// What does not count has nothing that it could be short of.
		if q.short(); q.counts() && !q.path.Streams && !r.trace.Cut {
			open = append(open, q)
		}
	}
	if len(open) == 0 {
		return nil
	}
	part := r.trace.Part(middle(open), maxTriedCalls)
	if n := len(part.Steps); n < len(r.trace.Steps) && !r.parted {
		r.parted = true
		r.note("what keeps a path quiet was tried out on the %d calls about where one came nearest, as if they were all",
			maxTriedCalls)
	}
	for _, e := range experiments(r.trace, part) {
		var asked []*quietPath
		var paths []*replay.Path
		for _, q := range open {
			if !q.proved && (q.near == nil || !e.unmeasured) {
				asked, paths = append(asked, q), append(paths, q.path)
			}
		}
		if len(asked) == 0 {
			continue
		}
		answers, err := part.Ask(paths, e.ask)
		if err != nil {
			return err
		}
		for i, q := range asked {
			if a := answers[i]; a.Verdict > detectors.Continue && a.Beyond <= maxBeyond {
				q.prove(&e, a)
			}
		}
	}
	return nil
}

// counts reports whether the path counts towards a limit.
func (q *quietPath) counts() bool {
	_, ok := q.path.Judge.Gauge(make([]int64, len(q.path.Detector.Measures)))
	return ok
}

// prove takes an experiment as the reason.
func (q *quietPath) prove(e *experiment, a replay.Answer) {
	q.proved, q.Status = true, e.status
	q.Why = e.why(verb(a.Verdict), placeOf(a.Pos).String(), a)
	if c := q.counted(); c != "" {
		q.Why = c + ". " + q.Why
	}
}

// middle is where the paths came nearest: the nearest of all.
func middle(list []*quietPath) *transcript.Pos {
	var best *quietPath
	for _, q := range list {
		if q.near != nil && (best == nil || q.g.Nearer(best.g)) {
			best = q
		}
	}
	if best == nil {
		return nil
	}
	return &best.near.Pos
}

// experiments lists what may be different about a part of a session. How often
// something is said to be so is counted over the whole.
func experiments(tr, part *replay.Trace) (list []experiment) {
	atEnd := len(part.Steps) > 0 && part.Steps[len(part.Steps)-1] == tr.Steps[len(tr.Steps)-1]
	strict := cycle(tr, true)
	if atEnd && strict > 0 {
		list = append(list, goesOn(strict))
	}
	tools, most := callsOf(tr)
	for _, t := range tools {
		for _, k := range t.keys {
			list = append(list, t.digits(k))
		}
		for _, k := range t.keys {
			list = append(list, t.without(k))
		}
	}
	if most.n >= leastRepeated {
		list = append(list, most.alone())
	}
	for _, t := range tools {
		if len(t.keys) > 1 {
			list = append(list, t.sameArgs())
		}
		list = append(list, t.sameOutcome())
		if t.failed > 0 {
			list = append(list, t.allOK())
		}
		if t.failed < t.n {
			list = append(list, t.allFail())
		}
		list = append(list, t.renamed())
	}
	if loose := cycle(tr, false); atEnd && loose > 0 && loose != strict {
		list = append(list, goesOn(loose))
	}
	return list
}

// goesOn: the recording ends in a cycle of so many steps, which goes on.
func goesOn(period int) experiment {
	return experiment{status: Ends, ask: replay.WhatIf{Repeat: period, Times: maxBeyond/period + 1},
		why: func(verb, _ string, a replay.Answer) string {
			like := "like the last"
			if period > 1 {
				like = fmt.Sprintf("of the cycle of %d steps it ends in", period)
			}
			return fmt.Sprintf("The recording ends first: with %s %s, it would %s", report.Plural(a.Beyond, "more call"), like,
				verb)
		}}
}

// A usedTool is a tool that is called often, with its arguments that vary.
type usedTool struct {
	name      string
	n, failed int
	keys      []string
	args      string // of its first call
	result    transcript.Result
	signals   *transcript.Signals
	distinct  map[string]map[string]bool // values by key
	order     []string                   // of the keys
}

// A usedCall is a call that stands there most often.
type usedCall struct {
	tool, args string
	n          int
}

// callsOf finds what is called most.
func callsOf(tr *replay.Trace) (tools []*usedTool, most usedCall) {
	by := make(map[string]*usedTool)
	equal := make(map[[2]string]int)
	for i := range tr.Steps {
		for j := range tr.Steps[i].Calls {
			c := &tr.Steps[i].Calls[j]
			t := by[c.Tool]
			if t == nil {
				t = &usedTool{name: c.Tool, args: c.Args, result: c.Result, signals: c.Signals,
					distinct: make(map[string]map[string]bool)}
				by[c.Tool] = t
				tools = append(tools, t)
			}
			t.add(c)
			key := [2]string{c.Tool, canonical(c.Args)}
			if equal[key]++; equal[key] > most.n {
				most = usedCall{key[0], key[1], equal[key]}
			}
		}
	}
	slices.SortStableFunc(tools, func(a, b *usedTool) int { return cmp.Compare(b.n, a.n) })
	tools = slices.DeleteFunc(tools, func(t *usedTool) bool { return t.n < leastRepeated })
	if len(tools) > maxTriedTools {
		tools = tools[:maxTriedTools]
	}
	for _, t := range tools {
		for _, k := range t.order {
			if len(t.distinct[k]) > 1 && len(t.keys) < maxTriedKeys {
				t.keys = append(t.keys, k)
			}
		}
	}
	return tools, most
}

func (t *usedTool) add(c *transcript.Call) {
	t.n++
	if failed, _ := c.Result.Failed(); failed {
		t.failed++
	}
	fields, _ := fieldsOf(c.Args)
	for _, f := range fields {
		if t.distinct[f.name] == nil {
			t.distinct[f.name] = make(map[string]bool)
			t.order = append(t.order, f.name)
		}
		if len(t.distinct[f.name]) < 2 {
			t.distinct[f.name][f.text] = true
		}
	}
}

// edit changes the calls of the tool alone.
func (t *usedTool) edit(change func(*transcript.Call)) replay.WhatIf {
	return replay.WhatIf{Edit: func(c *transcript.Call) bool {
		if c.Tool == t.name {
			change(c)
		}
		return true
	}}
}

func (t *usedTool) digits(key string) experiment {
	return experiment{status: Varies, ask: t.edit(func(c *transcript.Call) {
		c.Args = withField(c.Args, key,
			withoutDigits)
	}), why: func(verb, place string, _ replay.Answer) string {
		return fmt.Sprintf("The calls of %s differ in the digits of %q: were those equal, it would %s at %s", t.name, key,
			verb, place)
	}}
}

func (t *usedTool) without(key string) experiment {
	return experiment{status: Varies, ask: t.edit(func(c *transcript.Call) {
		c.Args = withField(c.Args, key,
			func(string) string { return "" })
	}), why: func(verb, place string, _ replay.Answer) string {
		return fmt.Sprintf("The calls of %s differ in %q: were that equal, it would %s at %s", t.name, key, verb, place)
	}}
}

func (t *usedTool) sameArgs() experiment {
	return experiment{status: Varies, ask: t.edit(func(c *transcript.Call) { c.Args = t.args }),
		why: func(verb, place string, _ replay.Answer) string {
			return fmt.Sprintf("The calls of %s differ in %s: were those equal, it would %s at %s", t.name, quoted(t.keys), verb,
				place)
		}}
}

func (t *usedTool) sameOutcome() experiment {
	return experiment{status: Outcomes, ask: t.edit(func(c *transcript.Call) {
		if c.Result.Status != transcript.ResultMissing {
			c.Result = t.result
		}
		if c.Signals != nil && t.signals != nil {
			own := *c.Signals
			own.OutcomeSig, own.ResultSig = t.signals.OutcomeSig, t.signals.ResultSig
			c.Signals = &own
		}
	}), why: func(verb, place string, _ replay.Answer) string {
		return fmt.Sprintf("What %s gave back changed: had each call ended as the first, it would %s at %s", t.name, verb,
			place)
	}}
}

func (t *usedTool) allOK() experiment {
	return experiment{status: Errors, ask: t.edit(func(c *transcript.Call) {
		c.Result.Status, c.Result.ErrorText, c.Result.ExitCode = transcript.ResultOK, "", nil
	}), why: func(verb, place string, _ replay.Answer) string {
		return fmt.Sprintf("%d of %d calls of %s failed, and failures have rules of their own: had none failed, it would "+
			"%s at %s", t.failed, t.n, t.name, verb, place)
	}}
}

func (t *usedTool) allFail() experiment {
	return experiment{unmeasured: true, status: Errors,
		ask: t.edit(func(c *transcript.Call) { c.Result.Status = transcript.ResultError }),
		why: func(verb, place string, _ replay.Answer) string {
			return fmt.Sprintf("%d of %d calls of %s failed: had all failed, it would %s at %s", t.failed, t.n, t.name, verb,
				place)
		}}
}

// another is a name that no agent gives a tool, so that no rule is about it.
const another = "some_other_tool"

func (t *usedTool) renamed() experiment {
	return experiment{status: Exempt, ask: t.edit(func(c *transcript.Call) { c.Tool = another }),
		why: func(verb, place string, _ replay.Answer) string {
			return fmt.Sprintf("%s is exempt here: a tool of a name it does not know would make it %s at %s", t.name, verb,
				place)
		}}
}

// alone: every other call is left out.
func (u usedCall) alone() experiment {
	keep := func(c *transcript.Call) bool { return c.Tool == u.tool && canonical(c.Args) == u.args }
	return experiment{status: Between, ask: replay.WhatIf{Edit: keep}, why: func(verb, place string,
		_ replay.Answer) string {
		return fmt.Sprintf("Other calls stand between the %d equal calls of %s: without those, it would %s at %s", u.n,
			u.tool, verb, place)
	}}
}

// cycle finds the shortest cycle of steps with calls in which the recording ends,
// twice at least; 0 for none. With outcomes, what came back is part of it.
func cycle(tr *replay.Trace, outcomes bool) (period int) {
	var list []string
	for i := len(tr.Steps) - 1; i >= 0 && len(list) < 2*maxPeriod; i-- {
		if s := &tr.Steps[i]; len(s.Calls) > 0 {
			var key strings.Builder
			for j := range s.Calls {
				c := &s.Calls[j]
				fmt.Fprintf(&key, "%s\x00%s\x00", c.Tool, canonical(c.Args))
				if outcomes {
					fmt.Fprintf(&key, "%d\x00%s\x00%s\x00", c.Result.Status, c.Result.Text, c.Result.ErrorText)
				}
			}
			list = append(list, key.String())
		}
	}
	for p := 1; 2*p <= len(list); p++ {
		if slices.Equal(list[:p], list[p:2*p]) {
			return p
		}
	}
	return 0
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(list, ", ")
}
