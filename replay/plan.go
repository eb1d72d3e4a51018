// Package replay runs presets over recorded sessions.
//
// A Question is resolved into a Plan of points. The Engine reads units in parallel,
// and a tally folds the frames of one session into an Outcome. Points that behave
// alike share their arbiters (group.go). Detectors, presets and formats arrive as
// values: the package knows none by name.
package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
)

// A View says which trajectory a fire belongs to.
type View string

const (
	// Production has all paths, in order; the first that fires wins.
	Production View = "production"
	// Shadow is what every path asked for at the decision points of production.
	Shadow View = "shadow"
	// Standalone is one path alone, with a memory of its own.
	Standalone View = "standalone"
	// OtherSplit is the fires of production that exist only under another splitter
	// than the chosen one.
	OtherSplit View = "other_split"
	// Ablated is production without one path.
	Ablated View = "ablated"
)

// Views lists the views whose fires can be shown, in order.
var Views = []View{Production, Shadow, Standalone}

// A Question is what the user wants to know, before planning.
type Question struct {
	Configs []Config
	Alone   bool // also ask each detector on its own
	DropOne bool // also ask each preset without each of its detectors
	// Brief leaves out what only a list of fires needs: reasons, texts, evidence, the
	// shadow view, and the Fires of standalone points, which keep only FirstNudge,
	// FirstStop and LadderStop. A session of many calls then needs little memory.
	Brief bool
	Calls Calls // what to note about single calls
	// Requests also gathers failed requests, for retry policies.
	Requests bool
}

// A Config is a preset with some settings changed.
type Config struct {
	Preset *detectors.Preset
	Set    detectors.Settings
}

// A Point is one configuration that is asked about.
type Point struct {
	Config   int    // index in the Question
	Detector string // the one detector of a standalone point; "" for the whole preset
	Without  string // the one detector that an ablated point lacks

	panel    int
	list     []*detectors.Detector // of the panel
	rules    []detectors.Point     // each with an arbiter of its own
	withhold bool                  // the calls of a vetoed step are kept from the panel, which serves this point alone
}

// View is the view that the point's fires belong to.
func (p *Point) View() View {
	switch {
	case p.Detector != "":
		return Standalone
	case p.Without != "":
		return Ablated
	}
	return Production
}

// A Plan is a Question resolved into points. Measurements are shared: points that
// differ in one limit cost one pass, and a judgement at the events where some detector
// measures something. Each distinct assignment of shape parameters has a panel of its
// own, which the same decoding pass feeds. A Plan does not change once it is made, and
// may be used from several goroutines.
type Plan struct {
	Configs  []Config
	Points   []Point
	Brief    bool
	Calls    Calls
	Requests bool
	panels   []panelPlan
	owner    []int   // by panel: the point whose vetoes change what it sees; -1 for none
	alike    [][]int // by group: the points that begin a session in it
}

type panelPlan struct {
	key      string
	list     []*detectors.Detector
	set      detectors.Settings     // shape parameters come from here
	variants [][]detectors.Settings // by detector: distinct limits
	limits   [][]string             // by detector: their keys
	kit      *detectors.Kit         // makes panels of all this
}

// NewPlan resolves a question. The error names the setting that is wrong.
func NewPlan(q Question) (*Plan, error) {
	p := &Plan{Configs: q.Configs, Brief: q.Brief, Calls: q.Calls, Requests: q.Requests}
	for i, c := range q.Configs {
		if err := c.Preset.Check(c.Set); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Preset.Name, err)
		}
		if err := p.add(i, c, q); err != nil {
			return nil, err
		}
	}
	for i := range p.panels {
		var err error
		pp := &p.panels[i]
		if pp.kit, err = detectors.NewKit(pp.list, pp.set, pp.variants); err != nil {
			return nil, err
		}
	}
	used := make(map[int]bool)
	p.owner = slices.Repeat([]int{-1}, len(p.panels))
	for i := range p.Points {
		pt := &p.Points[i]
		if pt.withhold && used[pt.panel] {
			// What the panel sees depends on this point's own vetoes, so it needs its own.
			p.panels = append(p.panels, p.panels[pt.panel])
			p.owner = append(p.owner, -1)
			pt.panel = len(p.panels) - 1
		}
		if pt.withhold {
			p.owner[pt.panel] = i
		}
		used[pt.panel] = true
		pt.list = p.panels[pt.panel].list
	}
	p.alike = p.begin()
	return p, nil
}

// begin gathers the points that differ in nothing but the limits of their detectors.
// Every point is alone in its group where fires are explained, since limits stand in
// explanations, and where its own vetoes change what it sees.
func (p *Plan) begin() [][]int {
	var list [][]int
	groups := make(map[string]int)
	for j := range p.Points {
		pt := &p.Points[j]
		if !p.Brief || pt.withhold {
			list = append(list, []int{j})
			continue
		}
		key := fmt.Sprint(pt.panel, pt.View() == Standalone)
		for _, rule := range pt.rules {
			key += fmt.Sprint(rule.On, rule.Ladders, rule.YieldTo)
		}
		i, ok := groups[key]
		if !ok {
			i = len(list)
			groups[key] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], j)
	}
	return list
}

// add adds the points of one configuration.
func (p *Plan) add(config int, c Config, q Question) error {
	set := c.Preset.Set.With(c.Set)
	index := p.panel(c.Preset, set)
	panel := &p.panels[index]
	withhold := c.Preset.Withhold != "" && set[c.Preset.Withhold] == "true"
	whole := Point{Config: config, panel: index, withhold: withhold}
	var variant []int
	for _, d := range c.Preset.Detectors {
		det, v := panel.place(d, set)
		variant = grow(variant, det)
		variant[det] = v
	}
	add := func(pt Point, some []*detectors.Detector) (err error) {
		inPanel := func(d *detectors.Detector) int { return slices.Index(panel.list, d) }
		pt.rules, err = c.Preset.Points(some, inPanel, variant, set)
		p.Points = append(p.Points, pt)
		return err
	}
	errs := []error{add(whole, c.Preset.Detectors)}
	for i, d := range c.Preset.Detectors {
		if q.Alone {
			solo := whole
			solo.Detector = d.Name
			errs = append(errs, add(solo, c.Preset.Detectors[i:i+1]))
		}
		if q.DropOne {
			rest := whole
			rest.Without = d.Name
			errs = append(errs, add(rest, slices.Delete(slices.Clone(c.Preset.Detectors), i, i+1)))
		}
	}
	return errors.Join(errs...)
}

// panel finds or makes the panel for a preset's shape.
func (p *Plan) panel(preset *detectors.Preset, set detectors.Settings) int {
	var key strings.Builder
	for _, q := range preset.Params() {
		if q.Shape {
			fmt.Fprintf(&key, "%s=%q ", q.ID, valueOf(q, set))
		}
	}
	for i := range p.panels {
		if p.panels[i].key == key.String() {
			return i
		}
	}
	p.panels = append(p.panels, panelPlan{key: key.String(), set: set})
	return len(p.panels) - 1
}

// place finds or makes the row of a detector and the variant of its limits.
func (pp *panelPlan) place(d *detectors.Detector, set detectors.Settings) (det, variant int) {
	det = slices.Index(pp.list, d)
	if det < 0 {
		det = len(pp.list)
		pp.list = append(pp.list, d)
		pp.variants = append(pp.variants, nil)
		pp.limits = append(pp.limits, nil)
	}
	var key strings.Builder
	for _, q := range d.Params {
		if !q.Shape {
			fmt.Fprintf(&key, "%q ", valueOf(q, set))
		}
	}
	variant = slices.Index(pp.limits[det], key.String())
	if variant < 0 {
		variant = len(pp.variants[det])
		pp.variants[det] = append(pp.variants[det], set)
		pp.limits[det] = append(pp.limits[det], key.String())
	}
	return det, variant
}

// valueOf is the value of a parameter under settings.
func valueOf(q detectors.Param, set detectors.Settings) string {
	if v, ok := set[q.ID]; ok {
		return v
	}
	return q.Default
}

// grow makes s long enough to hold index i.
func grow(s []int, i int) []int {
	for len(s) <= i {
		s = append(s, 0)
	}
	return s
}

// newPanels builds the panels of one lane.
func (p *Plan) newPanels() []*detectors.Panel {
	panels := make([]*detectors.Panel, len(p.panels))
	for i, pp := range p.panels {
		panel, err := pp.kit.Panel()
		if err != nil {
			panic("settings were checked by NewPlan: " + err.Error())
		}
		panels[i] = panel
	}
	return panels
}

// Panels is how many panels the plan feeds: more than one for a preset where
// points differ in what is measured, or where a detector feels its own verdicts.
func (p *Plan) Panels() int { return len(p.panels) }
