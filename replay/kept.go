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

// A session that was measured once can be asked again without its transcript.
// While it is replayed, a Keeper is told what its steps cost and what every meter
// found (package ledger writes that down); later a Past tells the same to a
// tally, which makes the same frames of it. What lies between them is Kept, so
// neither knows how the other works.

// Kept is what stays of one step: where it stands, what it cost and what was
// measured in it. There is no text. Steps that are none of
// the beginning of a run, a response of the model and a reminder leave nothing.
type Kept struct {
	Lane    int  // from 0, in the order in which lanes appear
	Context bool // the step belongs to another session
	Begins  bool // a run begins, at Begin
	Begin   transcript.Pos
	Ends    bool // a response ends, at End
	End     transcript.Pos

	// Reminded says that the step is what a live detector told the model, at Reminder.
	Reminded bool
	Reminder transcript.Pos

	// Of a response.
	Calls    int
	Usage    transcript.Usage
	Time     time.Time
	Measured []Measured // in the order of events; none in a step of another session
}

// Measured is a measurement and the panel of the plan that made it.
type Measured struct {
	Panel int
	detectors.Measurement
}

// A Keeper is told of one session while it is replayed, from one goroutine. What
// it is given is used again.
type Keeper interface {
	// Step is called for each step as it was read, before Keep.
	Step(*transcript.Step)
	Keep(*Kept)
}

// A Past is a session that was measured before. Package formats carries it in
// Unit.Past. Its methods may be called for several sessions at a time.
type Past interface {
	formats.Past
	// Answers says what a plan asks that was not measured, and what to do.
	Answers(*Plan) error
	// Kept tells what was kept, for the panels of a plan that it answers.
	Kept(*Plan) iter.Seq2[*Kept, error]
	// Complete sets what an outcome has beyond that: numbers of the session that
	// depend on no detector.
	Complete(*Outcome)
}

// past is the unit's session as it was measured before, or nil.
func past(u *formats.Unit) Past {
	p, _ := u.Past.(Past)
	return p
}

// A Meter is one detector in one panel of a plan, with all that decides what it
// measures.
type Meter struct {
	Panel    int
	Index    int // of the detector in the panel
	Detector *detectors.Detector
	Shape    detectors.Settings   // every shape parameter it sees, defaults included
	Limits   []detectors.Settings // the distinct limits it is judged under, defaults included
	// Closed names the one configuration whose own verdicts change what the meter
	// sees; "" if none does. What was measured then answers for no other.
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
					m.Shape[q.ID] = value(q, pp.set)
				}
			}
			for _, set := range pp.variants[j] {
				limits := detectors.Settings{}
				for _, q := range d.Params {
					if !q.Shape {
						limits[q.ID] = value(q, set)
					}
				}
				m.Limits = append(m.Limits, limits)
			}
			list = append(list, m)
		}
	}
	return list
}

// closed names the point whose vetoes a panel feels, with everything it is set to.
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
		fmt.Fprintf(&name, " %s=%q", q.ID, value(q, set))
	}
	return name.String()
}

// listen makes the panels of a new lane tell what they measure.
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

// note takes down where an event stands.
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

// stepped tells the keeper about the step whose last event has been heard.
func (t *tally) stepped() {
	if t.kept.Begins || t.kept.Ends || t.kept.Reminded {
		t.keeper.Keep(&t.kept)
	}
	t.kept = Kept{Measured: t.kept.Measured[:0]}
	t.numbers = t.numbers[:0]
}

// recall takes the next step of a session that was measured before. It does what
// add does at those of its events that anybody would have noticed.
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

// laneName stands for the name of a lane, which is not kept: it may be text.
func laneName(index int) string {
	if index == 0 {
		return ""
	}
	return fmt.Sprintf("lane %d", index)
}

// recallEvent makes the frames of the next event of what was measured at it, and
// gives what was measured after it.
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
