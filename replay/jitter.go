package replay

import (
	"cmp"
	"slices"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Chunk jitter (evaluation.md E8.5). A detector in the stream decides at the end
// of a delta, so a text without recorded deltas has no one answer: it has one for
// each way of cutting it. The session is therefore folded once more for each way
// in Engine.Cuts but the chosen one, in the same walk.
//
// These further tallies are kept small. They hold the whole preset of each
// configuration that has a detector in the stream, and no other points. Where
// every detector delivers for itself they hold only those detectors: the others
// answer the same however the text is cut, and finish puts the two together. They
// see only events that somebody in them listens to, and cut a text only where the
// chosen way is cut, too: what can be dismissed can be dismissed under any.
//
// Points that share an outcome under the chosen cut (group.go) may differ under the
// others, so what is said here is said in outcomes of their own.

// A Cut is a way of cutting whole text into deltas, with the name it is shown by.
type Cut struct {
	Name  string
	Split transcript.Splitter
}

// A Jitter is where a fire in the stream stands under each of Engine.Cuts. For a
// fire at a recorded delta that is what the text alone would have given.
type Jitter struct {
	Places    []Place // as Engine.Cuts
	Sensitive bool    // two of them differ
}

// A Place is where, in a response, a detector fires under one way of cutting.
type Place struct {
	Cut          string
	Fired        bool
	Part, Offset int // index of the part, and bytes into it; 0 if it does not fire
}

// Earliest and Latest are the first and the last place where it fires; both are
// the zero Place if it fires nowhere.
func (j *Jitter) Earliest() Place { return j.edge(-1) }

// Latest is the other end of Earliest.
func (j *Jitter) Latest() Place { return j.edge(1) }

func (j *Jitter) edge(sign int) (edge Place) {
	for _, p := range j.Places {
		if p.Fired && (!edge.Fired || sign*p.compare(edge) > 0) {
			edge = p
		}
	}
	return edge
}

func (p Place) compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Part, o.Part), cmp.Compare(p.Offset, o.Offset))
}

// newJitter says whether the places differ.
func newJitter(places []Place) *Jitter {
	j := &Jitter{Places: places}
	for _, p := range places {
		j.Sensitive = j.Sensitive || p.Fired != places[0].Fired || p.compare(places[0]) != 0
	}
	return j
}

// An Under is what a configuration would have done if text without recorded
// deltas were cut in another way. CallsLeft and TokensLeft of its runs are 0.
type Under struct {
	Cut string
	PointOutcome
}

// An aside is what the further tallies of all sessions share.
type aside struct {
	plan    *Plan
	points  []int       // by point of plan: the one of Engine.Plan that it is compared with
	alone   map[int]int // by point of Engine.Plan, of one detector that delivers for itself: the point of plan that answers for it
	listens [transcript.Noted + 1]bool
	cuts    []Cut
	chosen  int // index in cuts of the way that Engine.Split is; -1 if it is none of them
}

// newAside is nil where no detector of a plan could be moved.
func newAside(p *Plan, cuts []Cut, chosen string) (*aside, error) {
	if len(cuts) == 0 {
		return nil, nil
	}
	a := &aside{cuts: cuts, chosen: slices.IndexFunc(cuts, func(c Cut) bool { return c.Name == chosen })}
	a.alone = make(map[int]int)
	q := Question{Brief: p.Brief}
	for i := range p.Points {
		pt := &p.Points[i]
		c := p.Configs[pt.Config]
		preset := inStream(c.Preset)
		switch {
		case preset == nil:
		case pt.View() == Production: // the first of its configuration
			q.Configs = append(q.Configs, Config{Preset: preset, Set: c.Set})
			a.points = append(a.points, i)
		case pt.View() == Standalone && preset.Every:
			a.alone[i] = len(a.points) - 1
		}
	}
	if q.Configs == nil {
		return nil, nil
	}
	var err error
	if a.plan, err = NewPlan(q); err != nil {
		return nil, err
	}
	for k := range a.listens {
		switch transcript.Kind(k) {
		case transcript.RunBegins, transcript.Requested, transcript.Responded, transcript.StepEnds: // what a tally itself needs
			a.listens[k] = true
		}
		for _, panel := range a.plan.newPanels() {
			a.listens[k] = a.listens[k] || panel.Listens(transcript.Kind(k))
		}
	}
	return a, nil
}

// moves reports whether the way of cutting can move a detector's fires. One that
// looks at times has none to look at in deltas that were made up.
func moves(d *detectors.Detector) bool { return d.Streams && !d.Needs.Timed }

// inStream is what of a preset must be folded again, or nil.
func inStream(p *detectors.Preset) *detectors.Preset {
	if !slices.ContainsFunc(p.Detectors, moves) {
		return nil
	}
	if !p.Every { // who fires first decides who is heard
		return p
	}
	for _, y := range p.Yields { // who was delivered keeps another silent
		if moves(y.Detector) || moves(y.To) {
			return p
		}
	}
	some := *p
	some.Detectors = slices.DeleteFunc(slices.Clone(p.Detectors), func(d *detectors.Detector) bool { return !moves(d) })
	return &some
}

// detector finds a detector of a point of the plan by its name; nil if it is not
// among those that are folded again.
func (a *aside) detector(point int, name string) *detectors.Detector {
	for _, d := range a.plan.Configs[a.plan.Points[point].Config].Preset.Detectors {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// A beside is one session's further tallies. A nil one does nothing.
type beside struct {
	*aside
	count   Counter
	tallies []*tally         // by cut; nil for the chosen one
	heard   bool             // the current response
	walked  bool             // the current response was cut, and each tally has been through it
	cut     bool             // some response was
	shown   map[int][]placed // by point: of its fires at recorded deltas
	own     map[int]bool     // by point: shares its outcome with no other
}

func (a *aside) begin(s *transcript.Session, count Counter) *beside {
	if a == nil {
		return nil
	}
	b := &beside{aside: a, count: count, tallies: make([]*tally, len(a.cuts)), shown: make(map[int][]placed), own: make(map[int]bool)}
	for i := range a.cuts {
		if i != a.chosen {
			b.tallies[i] = newTally(a.plan, s)
		}
	}
	return b
}

// step says what comes next, before cur goes through it.
func (b *beside) step(cur *transcript.Cursor, s *transcript.Step, heard bool) {
	if b == nil {
		return
	}
	b.heard = heard
	if b.walked = heard && cur.Split != nil && hasWhole(s); !b.walked {
		return
	}
	b.cut = true
	for i, t := range b.tallies {
		if t == nil {
			continue
		}
		before := make([]int, len(t.of))
		for k, g := range t.of {
			before[k] = len(g.out.Fires)
		}
		own := cur.Clone()
		own.Split = b.cuts[i].Split
		for ev := range own.Events(s) {
			t.add(ev)
		}
		for k, n := range before {
			b.count.of(t.of[k].out.Fires[n:], s)
		}
	}
}

// hasWhole reports whether a response has text that would be cut.
func hasWhole(s *transcript.Step) bool {
	return slices.ContainsFunc(s.Parts, func(p transcript.Part) bool {
		return p.Kind != transcript.ToolInput && len(p.Cuts) == 0 && p.Text != ""
	})
}

// add passes an event on that is the same however text is cut.
func (b *beside) add(ev *transcript.Event) {
	if b == nil || b.walked || !b.listens[ev.Kind] || ev.Kind == transcript.Streamed && !b.heard {
		return
	}
	for _, t := range b.tallies {
		if t != nil {
			t.add(ev)
		}
	}
}

// A spot is what fires at recorded and at made-up deltas are compared by: the
// n-th fire of a detector in a response.
type spot struct {
	run, step int32
	detector  string
	n         int
}

// spots finds the fires at deltas that were made up.
func (a *aside) spots(point int, fires []*Fire) (list []spot, at map[spot]*Fire) {
	at = make(map[spot]*Fire)
	for _, f := range fires {
		if f.Phase != detectors.InStream || f.Recorded || a.detector(point, f.Detector) == nil {
			continue
		}
		s := spot{run: f.Pos.Run, step: f.Pos.Step, detector: f.Detector}
		for at[s] != nil {
			s.n++
		}
		at[s] = f
		list = append(list, s)
	}
	return list, at
}

// finish puts the answers side by side.
func (b *beside) finish(out *Outcome) *Outcome {
	if b == nil {
		return out
	}
	for at, list := range b.shown {
		p := b.owned(out, at)
		for _, j := range list {
			p.Fires[j.fire].Jitter = j.Jitter
		}
	}
	if !b.cut {
		return out
	}
	others := make([]*Outcome, len(b.tallies))
	for i, t := range b.tallies {
		if t != nil {
			others[i] = t.finish()
		}
	}
	for i, at := range b.points {
		b.compare(out, at, i, others)
	}
	return out
}

// owned is the outcome of a point, made its own: points that share one under the
// chosen cut may differ under the others.
func (b *beside) owned(out *Outcome, at int) *PointOutcome {
	if b.own[at] {
		return out.Points[at]
	}
	b.own[at] = true
	p := out.Points[at]
	c := &PointOutcome{Runs: slices.Clone(p.Runs), Fires: make([]*Fire, len(p.Fires))}
	of := make(map[*Fire]*Fire, len(p.Fires))
	for i, f := range p.Fires {
		fire := *f
		c.Fires[i], of[f] = &fire, &fire
	}
	for i := range c.Runs {
		r := &c.Runs[i]
		for _, f := range []**Fire{&r.FirstNudge, &r.FirstStop, &r.LadderStop} {
			*f = cmp.Or(of[*f], *f) // the fires themselves are not kept of every point
		}
	}
	out.Points[at] = c
	return c
}

// compare does it for one configuration: point at of the main plan and point i here.
func (b *beside) compare(out *Outcome, at, i int, others []*Outcome) {
	all, _ := b.spots(i, out.Points[at].Fires)
	for _, o := range others {
		if o == nil {
			continue
		}
		list, _ := b.spots(i, o.Points[i].Fires)
		for _, s := range list {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	p := b.owned(out, at)
	_, chosen := b.spots(i, p.Fires)
	byCut := make([]map[spot]*Fire, len(b.cuts))
	for k, o := range others {
		if byCut[k] = chosen; o != nil {
			p.Under = append(p.Under, Under{b.cuts[k].Name, b.join(out, p, i, o.Points[i])})
			_, byCut[k] = b.spots(i, p.Under[len(p.Under)-1].Fires)
		}
	}
	for _, s := range all {
		places := make([]Place, len(b.cuts))
		var first *Fire
		for k := range b.cuts {
			places[k].Cut = b.cuts[k].Name
			if f := byCut[k][s]; f != nil {
				places[k] = Place{b.cuts[k].Name, true, f.Part, f.Offset}
				first = cmp.Or(first, f)
			}
		}
		j := newJitter(places)
		if f := chosen[s]; f != nil {
			f.Jitter = j
			continue
		}
		only := *first
		only.Jitter = j
		p.Elsewhere = append(p.Elsewhere, &only)
	}
	for point, answers := range b.alone {
		if answers != i {
			continue
		}
		same, at := b.spots(i, out.Points[point].Fires) // explained, so shared with nobody
		for _, s := range same {
			if f := chosen[s]; f != nil {
				at[s].Jitter = f.Jitter
			}
		}
	}
}
