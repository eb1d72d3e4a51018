package render

import (
	"fmt"
	"strings"

	"groundhog/report/review"
)

// call writes everything known at one call.
func (p *reviewPrinter) call(c *review.Call) {
	p.title(c.Place.String() + ": the record")
	where := fmt.Sprintf("run %d, step %d", c.Place.Run, c.Place.Step)
	if c.Line > 0 {
		where += fmt.Sprintf(", line %d of %s", c.Line, p.r.Session.File)
	}
	if c.Lane != "" {
		where += ", sub-agent " + c.Lane
	}
	if c.Time != "" {
		where += ", " + c.Time
	}
	if c.TookMs != nil {
		where += ", took " + durationText(c.TookMs)
	}
	if c.Signals {
		where += ", with what the live detector saw"
	}
	p.para("", "  ", Clean(where))
	if c.Said != "" {
		p.para("says: ", "  ", Clean(c.Said))
	}
	p.para("", "  ", Clean(c.Tool+" "+c.Args))
	p.para("→ ", "  ", Clean(c.Result+" "+c.Text))
	p.title("the calls before it")
	if len(c.Window) == 0 {
		p.linef("none in this run")
	}
	for i := range c.Window {
		r := &c.Window[i]
		args := Clean(r.Args)
		if r.Same > 0 {
			args = "= call " + numbered(r.Place.Run, r.Same)
		}
		p.linef("%s", clipWidth(fmt.Sprintf("%4s  %s %s → %s", callText(r), toolText(r), args, resultCell(r, mostResult)),
			p.style.Width))
	}
	preset := ""
	for i := range c.Paths {
		m := &c.Paths[i]
		if m.Preset != preset {
			preset = m.Preset
			p.title("measured: " + preset)
		}
		left := shortName(m.Detector)
		if m.Count != nil {
			left += " " + m.Count.String()
		}
		text := fmt.Sprintf("%s %s", m.Phase, m.Verdict)
		if m.Count != nil {
			text += fmt.Sprintf(": %d %s", m.Count.Count, m.Count.Of)
		}
		if m.Text != "" {
			text += "; " + m.Text
		}
		var values []string
		for _, v := range m.Values {
			values = append(values, fmt.Sprintf("%s=%d", v.Name, v.Value))
		}
		p.beside(left, Clean(text+" ["+strings.Join(values, " ")+"]"))
	}
	if len(c.Paths) == 0 {
		p.linef("no path measures anything here")
	}
}
