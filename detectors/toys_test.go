package detectors_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// The detectors of these tests say what they are told to: an event carries text
// such as "a=2 b=3/7", by which toy/a asks for verdict 2 and toy/b for verdict
// 3 in episode 7. Where the text stands depends on the phase.

// said is what a toy measured.
type said struct {
	Verdict int
	Episode int64
}

// threshold is a toy's limit: it asks for nothing below it.
type threshold struct{ least, rest int }

func (l *threshold) bind(p *detectors.Params) {
	p.Int(&l.least, "least", 1, 1, 4, "the least verdict it gives")
	p.Int(&l.rest, "rest", 1, 1, 3, "episodes it keeps silent")
}

// ear is a toy's state: the name it listens for.
type ear struct{ name string }

func (e *ear) hear(text string) (said, bool) {
	for _, word := range strings.Fields(text) {
		rest, ok := strings.CutPrefix(word, e.name+"=")
		if !ok {
			continue
		}
		verdict, episode, _ := strings.Cut(rest, "/")
		v, err := strconv.Atoi(verdict)
		if err != nil {
			panic(err)
		}
		n, _ := strconv.ParseInt(episode, 10, 64)
		return said{v, n}, true
	}
	return said{}, false
}

// toy is a detector that listens for its name in one phase: delta, response,
// propose, call or step.
func toy(name, phase string) *detectors.Detector {
	r := detectors.Rule[ear, threshold, said]{
		Name:   "toy/" + name,
		Doc:    "says what it is told to",
		Origin: detectors.Origin{Source: "this test"},
		New:    func(*detectors.Inputs) *ear { return &ear{name} },
		Limits: (*threshold).bind,
		Judge: func(m said, l threshold) detectors.Verdict {
			if m.Verdict < l.least {
				return detectors.Continue
			}
			return detectors.Verdict(m.Verdict)
		},
		Episode: func(m said) int64 { return m.Episode },
		Rest:    func(l threshold) int64 { return int64(l.rest) },
		Explain: func(m said, l threshold, v detectors.Verdict) (reason, text string) {
			return phase, fmt.Sprintf("told to %v, at least %d", v, l.least)
		},
	}
	switch phase {
	case "delta":
		r.OnDelta = func(e *ear, d *transcript.Delta) (said, bool) { return e.hear(d.Text) }
	case "response":
		r.OnResponse = func(e *ear, s *transcript.Step) (said, bool) { return e.hear(s.ID) }
	case "propose":
		r.OnPropose = func(e *ear, c *transcript.Call) (said, bool) { return e.hear(c.Args) }
	case "call":
		r.OnCall = func(e *ear, c *transcript.Call) (said, bool) { return e.hear(c.Args) }
	case "step":
		r.OnStep = func(e *ear, s *transcript.Step) (said, bool) { return e.hear(s.ID) }
	default:
		panic(phase)
	}
	return detectors.Define(r)
}

// preset is a preset of toys.
func preset(ladders []*detectors.Ladder, list ...*detectors.Detector) *detectors.Preset {
	return &detectors.Preset{Name: "toys", Detectors: list, Ladders: ladders, Set: detectors.Settings{}}
}

// step is a response with a call for each text.
func step(calls ...string) *transcript.Step { return stepOf("", "", calls...) }

// stepOf is a response with a text that streams in one delta.
func stepOf(id, stream string, calls ...string) *transcript.Step {
	s := &transcript.Step{ID: id}
	if stream != "" {
		s.Parts = []transcript.Part{{Text: stream, Cuts: []transcript.Cut{{End: len(stream)}}}}
	}
	for _, args := range calls {
		s.Calls = append(s.Calls, transcript.Call{Tool: "t", Args: args})
	}
	return s
}

func prompt() *transcript.Step { return &transcript.Step{Kind: transcript.Prompt} }

func in(lane string, s *transcript.Step) *transcript.Step { s.Lane = lane; return s }

// hand drives panels and arbiters by hand, one of each for a lane.
type hand struct {
	t      testing.TB
	preset *detectors.Preset
	set    detectors.Settings
	lanes  map[string]*handLane
}

type handLane struct {
	panel   *detectors.Panel
	arbiter *detectors.Arbiter
	point   *detectors.Point
	last    map[transcript.Pos][]detectors.Fire // fires that wait for the end of the step
}

func byHand(t testing.TB, p *detectors.Preset, set detectors.Settings) *hand {
	return &hand{t: t, preset: p, set: set, lanes: make(map[string]*handLane)}
}

func (h *hand) lane(name string) *handLane {
	h.t.Helper()
	if l := h.lanes[name]; l != nil {
		return l
	}
	all := h.preset.Set.With(h.set)
	point := &detectors.Point{}
	var variants [][]detectors.Settings
	for i := range h.preset.Detectors {
		point.On = append(point.On, i)
		point.Variant = append(point.Variant, 0)
		variants = append(variants, []detectors.Settings{all})
	}
	for _, l := range h.preset.Ladders {
		r, err := l.Rungs(all)
		if err != nil {
			h.t.Fatal(err)
		}
		point.Ladders = append(point.Ladders, r)
	}
	panel, err := detectors.NewPanel(h.preset.Detectors, all, variants)
	if err != nil {
		h.t.Fatal(err)
	}
	l := &handLane{panel: panel, arbiter: detectors.NewArbiter(point), point: point}
	h.lanes[name] = l
	return l
}

// A decided is a decision or a delivery, with the winner's fire.
type decided struct {
	Fire      detectors.Fire
	Open      bool
	Delivered detectors.Verdict
	Ladder    bool
	AtEnd     bool // a delivery at the end of the step
}

// observe takes an event and lists what was decided and delivered at it.
func (h *hand) observe(ev *transcript.Event) (list []decided) {
	h.t.Helper()
	l := h.lane(ev.Step.Lane)
	if ev.Kind == transcript.RunBegins {
		l.arbiter.RunBegins()
	}
	if f := l.panel.Observe(ev); f != nil {
		if d, ok := l.arbiter.Add(f); ok {
			fire := f.Explain(l.point, d, h.preset.Detectors)
			list = append(list, decided{Fire: fire, Open: d.Open, Delivered: d.Delivery.Verdict, Ladder: d.Delivery.Ladder})
			if l.last == nil {
				l.last = make(map[transcript.Pos][]detectors.Fire)
			}
			l.last[fire.Pos] = append(l.last[fire.Pos], fire)
		}
	}
	if ev.Kind != transcript.StepEnds {
		return list
	}
	if d, ok := l.arbiter.StepEnds(ev.Pos); ok {
		for _, fire := range l.last[d.Pos] {
			if fire.Detector == h.preset.Detectors[d.Detector].Name && fire.Phase != detectors.BeforeCall {
				list = append(list, decided{Fire: fire, Delivered: d.Verdict, Ladder: d.Ladder, AtEnd: true})
				break
			}
		}
	}
	clear(l.last)
	return list
}

// told replays steps and gives a line for each decision and delivery.
func told(t testing.TB, p *detectors.Preset, set detectors.Settings, steps ...*transcript.Step) (list []string) {
	t.Helper()
	h := byHand(t, p, set)
	var cur transcript.Cursor
	for _, s := range steps {
		for ev := range cur.Events(s) {
			for _, d := range h.observe(ev) {
				list = append(list, d.String())
			}
		}
	}
	return list
}

func (d decided) String() string {
	name := strings.TrimPrefix(d.Fire.Detector, "toy/")
	pos := fmt.Sprintf("%d/%d/%d", d.Fire.Pos.Run, d.Fire.Pos.Step, d.Fire.Pos.Call)
	out := fmt.Sprintf("%s %s %v %s", pos, name, d.Fire.Verdict, d.Fire.Phase)
	if d.AtEnd {
		out = fmt.Sprintf("%s %s delivered", pos, name)
	}
	for _, m := range d.Fire.Masked {
		if !d.AtEnd {
			out += " masks " + strings.TrimPrefix(m, "toy/")
		}
	}
	if d.Delivered > detectors.Continue {
		out += " -> " + d.Delivered.String()
	}
	if d.Ladder {
		out += " by ladder"
	}
	if d.Open {
		out += " open"
	}
	return out
}
