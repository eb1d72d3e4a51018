package replay

import (
	"cmp"
	"slices"

	"groundhog/replay/transcript"
)

// An otherTallies is one session under the splitters that were not chosen. A nil one
// does nothing. It is not safe for concurrent use.
type otherTallies struct {
	*otherSplits
	count   Counter
	tallies []*tally                 // by splitter; nil for the chosen one
	heard   bool                     // somebody listens to the text of the current response
	walked  bool                     // the current response was split, and every tally has been through it
	split   bool                     // some response was
	shown   map[int][]recordedJitter // by point: of its fires at recorded deltas
	own     map[int]bool             // by point: its outcome is shared with no other
}

// begin starts a session; nil for a nil s.
func (s *otherSplits) begin(session *transcript.Session, count Counter) *otherTallies {
	if s == nil {
		return nil
	}
	o := &otherTallies{
		otherSplits: s,
		count:       count,
		tallies:     make([]*tally, len(s.cuts)),
		shown:       make(map[int][]recordedJitter),
		own:         make(map[int]bool),
	}
	for i := range s.cuts {
		if i != s.chosen {
			o.tallies[i] = newTally(s.plan, session)
		}
	}
	return o
}

// step announces the next step, before cur goes through it. A response that is
// split differently for each tally is walked here, by a copy of the cursor each.
func (o *otherTallies) step(cur *transcript.Cursor, s *transcript.Step, heard bool) {
	if o == nil {
		return
	}
	o.heard = heard
	if o.walked = heard && cur.Split != nil && hasWhole(s); !o.walked {
		return
	}
	o.split = true
	for i, t := range o.tallies {
		if t == nil {
			continue
		}
		before := make([]int, len(t.groupOf))
		for k, g := range t.groupOf {
			before[k] = len(g.out.Fires)
		}
		own := cur.Clone()
		own.Split = o.cuts[i].Split
		for ev := range own.Events(s) {
			t.add(ev)
		}
		for k, n := range before {
			o.count.setCosts(t.groupOf[k].out.Fires[n:], s)
		}
	}
}

// hasWhole reports whether a response has text that would be split.
func hasWhole(s *transcript.Step) bool {
	return slices.ContainsFunc(s.Parts, func(p transcript.Part) bool {
		return p.Kind != transcript.ToolInput && len(p.Cuts) == 0 && p.Text != ""
	})
}

// add passes on an event that is the same under every splitter.
func (o *otherTallies) add(ev *transcript.Event) {
	if o == nil || o.walked || !o.listens[ev.Kind] || ev.Kind == transcript.Streamed && !o.heard {
		return
	}
	for _, t := range o.tallies {
		if t != nil {
			t.add(ev)
		}
	}
}

// finish adds what the other splitters gave to the outcome of the chosen one.
func (o *otherTallies) finish(out *Outcome) *Outcome {
	if o == nil {
		return out
	}
	for point, list := range o.shown {
		p := o.owned(out, point)
		for _, j := range list {
			p.Fires[j.fire].Jitter = j.Jitter
		}
	}
	if !o.split {
		return out
	}
	others := make([]*Outcome, len(o.tallies))
	for i, t := range o.tallies {
		if t != nil {
			others[i] = t.finish()
		}
	}
	for i, point := range o.points {
		o.compare(out, point, i, others)
	}
	return out
}

// owned is the outcome of a point, copied if it may be shared: points that agree
// under the chosen splitter may differ under the others.
func (o *otherTallies) owned(out *Outcome, point int) *PointOutcome {
	if o.own[point] {
		return out.Points[point]
	}
	o.own[point] = true
	p := out.Points[point]
	c := &PointOutcome{Runs: slices.Clone(p.Runs), Fires: make([]*Fire, len(p.Fires))}
	copies := make(map[*Fire]*Fire, len(p.Fires))
	for i, f := range p.Fires {
		fire := *f
		c.Fires[i], copies[f] = &fire, &fire
	}
	for i := range c.Runs {
		r := &c.Runs[i]
		for _, f := range []**Fire{&r.FirstNudge, &r.FirstStop, &r.LadderStop} {
			*f = cmp.Or(copies[*f], *f) // not every point keeps its fires
		}
	}
	out.Points[point] = c
	return c
}

// compare compares the splitters for one configuration, which is a point of
// Engine.Plan and point i of the others' plan. others holds an outcome by splitter,
// nil for the chosen one.
func (o *otherTallies) compare(out *Outcome, point, i int, others []*Outcome) {
	all, _ := o.madeUp(i, out.Points[point].Fires)
	for _, other := range others {
		if other == nil {
			continue
		}
		keys, _ := o.madeUp(i, other.Points[i].Fires)
		for _, k := range keys {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	p := o.owned(out, point)
	_, chosen := o.madeUp(i, p.Fires)
	bySplit := make([]map[fireKey]*Fire, len(o.cuts))
	for k, other := range others {
		if bySplit[k] = chosen; other != nil {
			p.Under = append(p.Under, Under{o.cuts[k].Name, o.join(out, p, i, other.Points[i])})
			_, bySplit[k] = o.madeUp(i, p.Under[len(p.Under)-1].Fires)
		}
	}
	for _, key := range all {
		j, first := o.jitter(key, bySplit)
		if f := chosen[key]; f != nil {
			f.Jitter = j
			continue
		}
		only := *first
		only.Jitter = j
		p.Elsewhere = append(p.Elsewhere, &only)
	}
	o.share(out, i, chosen)
}

// jitter is where a fire stands under each splitter, with the fire under the first
// splitter that has it.
func (o *otherTallies) jitter(key fireKey, bySplit []map[fireKey]*Fire) (j *Jitter, first *Fire) {
	places := make([]Place, len(o.cuts))
	for k := range o.cuts {
		places[k].Cut = o.cuts[k].Name
		if f := bySplit[k][key]; f != nil {
			places[k] = Place{o.cuts[k].Name, true, f.Part, f.Offset}
			first = cmp.Or(first, f)
		}
	}
	return newJitter(places), first
}

// share gives the jitter of fires to the same fires of detectors on their own.
// Standalone fires of a plan that is not brief are shared with no other point.
func (o *otherTallies) share(out *Outcome, i int, chosen map[fireKey]*Fire) {
	for point, answers := range o.alone {
		if answers != i {
			continue
		}
		keys, fires := o.madeUp(i, out.Points[point].Fires)
		for _, k := range keys {
			if f := chosen[k]; f != nil {
				fires[k].Jitter = f.Jitter
			}
		}
	}
}
