package replay

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A session that was measured once can be asked again without its transcript. While
// it is replayed, a Keeper is given what its steps cost and what every meter measured;
// package ledger writes that to a file. Later a Past gives the same to a tally, which
// makes the same frames of it. A Kept is what passes between them, so that neither
// knows how the other works.

// A Kept is what is kept of one step: its position, what it cost and what was measured
// in it, and no text. Only steps that begin a run, that are a response of the model or
// that are a reminder are kept.
type Kept struct {
	Lane    int  // from 0, in the order in which lanes appear
	Context bool // the step belongs to another session
	Begins  bool // a run begins, at Begin
	Begin   transcript.Pos
	Ends    bool // a response ends, at End
	End     transcript.Pos

	// Reminded says that the step, at Reminder, is a reminder of a detector that was live
	// while the session was recorded.
	Reminded bool
	Reminder transcript.Pos

	// The rest is set for a response alone.

	Calls    int
	Usage    transcript.Usage
	Time     time.Time
	Measured []Measured // in the order of events; empty in a step of another session
}

// A Measured is a measurement and the panel of the plan that made it.
type Measured struct {
	Panel int
	detectors.Measurement
}

// A Keeper takes what is kept of one session while it is replayed, from one goroutine.
// It must copy what it keeps: its arguments are used again.
type Keeper interface {
	// Step is called for each step as it was read, before Keep.
	Step(*transcript.Step)
	// Keep is called for each step of which something is kept.
	Keep(*Kept)
}

// A Past is a session that was measured before. Package formats carries it in
// Unit.Past. Different sessions may be used from different goroutines.
type Past interface {
	formats.Past
	// Answers is an error if a plan asks for what was not measured; it says what that
	// is and what to do.
	Answers(*Plan) error
	// Kept yields what was kept, for the panels of a plan that it answers. What it
	// yields is valid until the next.
	Kept(*Plan) iter.Seq2[*Kept, error]
	// Complete sets the numbers of an outcome that depend on no detector and do not
	// follow from what was kept.
	Complete(*Outcome)
}

// pastOf is the unit's session as it was measured before, or nil.
func pastOf(u *formats.Unit) Past {
	p, _ := u.Past.(Past)
	return p
}

// A Meter is one detector in one panel of a plan, with everything that decides what it
// measures.
type Meter struct {
	Panel    int
	Index    int // of the detector in the panel
	Detector *detectors.Detector
	Shape    detectors.Settings   // every shape parameter it sees, defaults included
	Limits   []detectors.Settings // the distinct limits it is judged under, defaults included
	// Closed names the configuration whose own verdicts change what the meter sees; ""
	// if none does. What was measured answers for that configuration alone.
	Closed string
}

// Meters lists the meters of a plan by panel.
func (p *Plan) Meters() (list []Meter) {
	for i := range p.panels {
		pp := &p.panels[i]
		for j, d := range pp.list {
			m := Meter{Panel: i, Index: j, Detector: d, Shape: detectors.Settings{}, Closed: p.closed(i)}
			for _, q := range slices.Concat(d.Shared, d.Params) {
				if q.Shape {
					m.Shape[q.ID] = valueOf(q, pp.set)
				}
			}
			for _, set := range pp.variants[j] {
				limits := detectors.Settings{}
				for _, q := range d.Params {
					if !q.Shape {
						limits[q.ID] = valueOf(q, set)
					}
				}
				m.Limits = append(m.Limits, limits)
			}
			list = append(list, m)
		}
	}
	return list
}

// closed names the point whose vetoes change what a panel sees, with all its settings.
func (p *Plan) closed(panel int) string {
	if p.owner[panel] < 0 {
		return ""
	}
	pt := &p.Points[p.owner[panel]]
	c := p.Configs[pt.Config]
	set := c.Preset.Set.With(c.Set)
	var name strings.Builder
	fmt.Fprintf(&name, "%s %s %s", c.Preset.Name, pt.View(), pt.Detector+pt.Without)
	for _, q := range c.Preset.Params() {
		fmt.Fprintf(&name, " %s=%q", q.ID, valueOf(q, set))
	}
	return name.String()
}

// listen records what the panels of a new lane measure.
func (t *tally) listen(l *lane) {
	for i, panel := range l.panels {
		panel.Record(func(m *detectors.Measurement) {
			if t.kept.Context {
				return
			}
			from := len(t.numbers)
			t.numbers = append(t.numbers, m.Values...)
			own := Measured{i, *m}
			own.Values = t.numbers[from:len(t.numbers):len(t.numbers)]
			t.kept.Measured = append(t.kept.Measured, own)
		})
	}
}

// note keeps what an event says of its step.
func (t *tally) note(l *lane, ev *transcript.Event, context bool) {
	k := &t.kept
	k.Lane, k.Context = l.index, context
	switch ev.Kind {
	case transcript.RunBegins:
		k.Begins, k.Begin = true, ev.Pos
	case transcript.StepEnds:
		k.Ends, k.End = true, ev.Pos
		k.Calls, k.Usage, k.Time = len(ev.Step.Calls), ev.Step.Usage, ev.Step.Time
	case transcript.Noted:
		k.Reminded, k.Reminder = intervention(ev.Step), ev.Pos
	}
}

// stepped gives the keeper the step that has just ended.
func (t *tally) stepped() {
	if t.kept.Begins || t.kept.Ends || t.kept.Reminded {
		t.keeper.Keep(&t.kept)
	}
	t.kept = Kept{Measured: t.kept.Measured[:0]}
	t.numbers = t.numbers[:0]
}

// recall takes the next step of a session that was measured before. It does what add
// does at those events that change something.
func (t *tally) recall(k *Kept) {
	l := t.lane(laneName(k.Lane))
	if k.Begins {
		t.begin(l)
		if !k.Context {
			t.exposed(l, k.Begin)
		}
	}
	if k.Reminded && !k.Context {
		t.intervened(l, k.Reminder)
	}
	if !k.Ends || k.Context {
		return
	}
	list := k.Measured
	for len(list) > 0 && list[0].Kind <= transcript.Streamed {
		list = t.recallEvent(l, list)
	}
	t.response(l, k.End, k.Calls, k.Usage)
	for len(list) > 0 {
		list = t.recallEvent(l, list)
	}
	t.mark(l, k.End, Mark{Calls: k.Calls, Usage: k.Usage, Time: k.Time})
	t.ends(l, k.End)
}

// laneName is a name for a lane. The recorded one is not kept, since it may hold text
// of the session.
func laneName(index int) string {
	if index == 0 {
		return ""
	}
	return fmt.Sprintf("lane %d", index)
}

// recallEvent makes the frames of the next event from what was measured at it, and
// returns what was measured after it.
func (t *tally) recallEvent(l *lane, list []Measured) (rest []Measured) {
	t.exposed(l, list[0].Pos)
	n := 1
	for n < len(list) && list[n].Kind == list[0].Kind && list[n].Pos == list[0].Pos {
		n++
	}
	for i, panel := range l.panels {
		t.recalled = t.recalled[:0]
		for _, m := range list[:n] {
			if m.Panel == i {
				t.recalled = append(t.recalled, m.Measurement)
			}
		}
		if len(t.recalled) > 0 {
			t.frame(l, i, panel.Recall(t.recalled))
		}
	}
	return list[n:]
}
