package detectors

import (
	"reflect"

	"groundhog/replay/transcript"
)

// A probe is a meter and its judge with their types hidden.
type probe interface {
	listens(transcript.Kind) bool
	// observe reports whether there is something to judge.
	observe(*transcript.Event) bool
	// judge reports whether what there is goes above Continue under any limits.
	judge() bool
	dismisses(*transcript.Step) bool
	near(s *transcript.Step, variant int) (Near, bool)
	row() *Row
	fire(variant int) Fire
	// save and load copy the measurement that is judged out and in.
	save(*Measurement)
	load(*Measurement)
}

// variants are a detector's limits under each variant, the same for all lanes.
type variants[L any] struct {
	limits []L
	rest   []int64
	scales []scale // by case, of a rule that counts; else nil
}

func newVariants[S, L, M any](r *Rule[S, L, M], list []Settings) (*variants[L], error) {
	v := &variants[L]{limits: make([]L, len(list)), rest: make([]int64, len(list))}
	for i, set := range list {
		if _, err := r.limits(&v.limits[i], set); err != nil {
			return nil, err
		}
		v.rest[i] = r.restOf(v.limits[i])
	}
	v.scales = scalesOf(r, v.limits)
	return v, nil
}

// A meter is a Rule at work on one lane.
type meter[S, L, M any] struct {
	rule  *Rule[S, L, M]
	state *S
	*variants[L]
	numbers  []number
	m        M
	kind     transcript.Kind
	pos      transcript.Pos
	delta    transcript.Delta // of a Streamed event, without its text
	verdicts []Verdict
	fires    []Fire // by variant, as far as they were asked for at this event; nil until one is
	made     []bool
	out      Row
}

func newMeter[S, L, M any](r *Rule[S, L, M], numbers []number, in *Inputs, v *variants[L]) (*meter[S, L, M], error) {
	m := &meter[S, L, M]{rule: r, state: r.New(in), numbers: numbers, variants: v}
	m.verdicts = make([]Verdict, len(v.limits))
	if _, err := r.shape(m.state, in.set); err != nil {
		return nil, err
	}
	if r.Floor != nil {
		r.Floor(m.state, m.limits)
	}
	return m, nil
}

func (p *meter[S, L, M]) listens(k transcript.Kind) bool {
	r := p.rule
	switch k {
	case transcript.RunBegins:
		return r.OnRun != nil || r.OnMessage != nil
	case transcript.Requested:
		return r.OnRequest != nil
	case transcript.Noted:
		return r.OnMessage != nil
	case transcript.Attempted:
		return r.OnAttempt != nil
	case transcript.Streamed:
		return r.OnDelta != nil
	case transcript.Responded:
		return r.OnResponse != nil
	case transcript.Proposed:
		return r.OnPropose != nil
	case transcript.Called:
		return r.OnCall != nil
	case transcript.StepEnds:
		return r.OnStep != nil
	}
	return false
}

func (p *meter[S, L, M]) observe(ev *transcript.Event) bool {
	r := p.rule
	var ok bool
	switch ev.Kind {
	case transcript.RunBegins:
		if r.OnRun != nil {
			r.OnRun(p.state)
		}
		if r.OnMessage != nil && ev.Step.Kind != transcript.Response { // a run may begin with one
			r.OnMessage(p.state, ev.Step)
		}
	case transcript.Noted:
		r.OnMessage(p.state, ev.Step)
	case transcript.Requested:
		p.m, ok = r.OnRequest(p.state)
	case transcript.Attempted:
		r.OnAttempt(p.state, ev.Attempt)
	case transcript.Streamed:
		p.m, ok = r.OnDelta(p.state, ev.Delta)
	case transcript.Responded:
		p.m, ok = r.OnResponse(p.state, ev.Step)
	case transcript.Proposed:
		p.m, ok = r.OnPropose(p.state, ev.Call)
	case transcript.Called:
		p.m, ok = r.OnCall(p.state, ev.Call)
	case transcript.StepEnds:
		p.m, ok = r.OnStep(p.state, ev.Step)
	}
	if !ok {
		return false
	}
	p.kind, p.pos = ev.Kind, ev.Pos
	p.delta = deltaOf(ev)
	return true
}

func (p *meter[S, L, M]) judge() bool {
	clear(p.made)
	any := Continue
	if p.scales != nil {
		any = p.compare()
	} else {
		for i := range p.limits {
			v := p.rule.Judge(p.m, p.limits[i])
			p.verdicts[i] = v
			any = max(any, v)
		}
	}
	if any == Continue {
		return false
	}
	p.out.Episode = p.rule.episodeOf(p.m)
	return true
}

// compare judges a rule that counts, and gives the most severe verdict. Most
// measurements are below what any variant asks for, and then nobody reads the
// verdicts.
func (p *meter[S, L, M]) compare() (any Verdict) {
	c := p.rule.Count(p.m)
	s := &p.scales[0]
	if c.Case != "" {
		s = p.scale(c.Case)
	}
	if c.N < s.least || s.least == 0 {
		return Continue
	}
	for i := range s.limits {
		v := s.limits[i].Verdict(c.N)
		if v > Continue && p.rule.Passes != nil && p.rule.Passes(p.m, p.limits[i], v) {
			v = Continue
		}
		p.verdicts[i] = v
		any = max(any, v)
	}
	return any
}

// scale finds the limits of a case. One that the rule does not list is made anew
// for each measurement.
func (p *meter[S, L, M]) scale(name string) *scale {
	for i := range p.scales {
		if p.scales[i].name == name {
			return &p.scales[i]
		}
	}
	s := scaleOf(p.rule, p.limits, name)
	return &s
}

func (p *meter[S, L, M]) dismisses(s *transcript.Step) bool {
	return p.rule.OnDelta == nil || p.rule.Dismiss != nil && p.rule.Dismiss(p.state, s)
}

func (p *meter[S, L, M]) row() *Row {
	p.out.Verdicts, p.out.rest, p.out.probe = p.verdicts, p.rest, p
	return &p.out
}

// fire explains a verdict, once for all points that share its limits.
func (p *meter[S, L, M]) fire(variant int) Fire {
	if p.made == nil {
		p.fires, p.made = make([]Fire, len(p.limits)), make([]bool, len(p.limits))
	}
	if p.made[variant] {
		return p.fires[variant]
	}
	f := p.rule.explained(p.m, p.limits[variant], p.verdicts[variant], p.numbers)
	f.Phase, f.Pos = PhaseOf(p.kind), p.pos
	if p.kind == transcript.Streamed {
		f.Part, f.Offset, f.Recorded = p.delta.Index, p.delta.End, p.delta.Recorded
	}
	p.fires[variant], p.made[variant] = f, true
	return f
}

func (p *meter[S, L, M]) save(to *Measurement) {
	to.Kind, to.Pos, to.Episode = p.kind, p.pos, p.rule.episodeOf(p.m)
	to.Part, to.Offset, to.Recorded = 0, 0, false
	if p.kind == transcript.Streamed {
		to.Part, to.Offset, to.Recorded = p.delta.Index, p.delta.End, p.delta.Recorded
	}
	to.Values = to.Values[:0]
	value := reflect.ValueOf(&p.m).Elem()
	for _, n := range p.numbers {
		to.Values = append(to.Values, n.of(value))
	}
}

func (p *meter[S, L, M]) load(from *Measurement) {
	p.kind, p.pos = from.Kind, from.Pos
	p.delta = from.delta()
	fill(&p.m, p.numbers, from.Values)
}
