package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/detectors"
	"groundhog/report/review"
)

// ReviewJSON writes a review for a machine.
func ReviewJSON(w io.Writer, r *review.Review) error {
	raw, err := json.Marshal(r, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(CleanJSON(raw), '\n'))
	return err
}

// reviewWidth is how wide a review gets where there is no terminal.
const reviewWidth = 120

// Review writes a review for a person. No line is wider than the terminal.
func Review(w io.Writer, r *review.Review, style Style) error {
	if style.Width <= 0 {
		style.Width = reviewWidth
	}
	p := &reviewPrinter{printer: printer{w: w, style: style}, r: r}
	if r.Suggestion != "" { // alone, so that it can be written to a file
		for line := range strings.Lines(r.Suggestion) {
			p.linef("%s", Clean(strings.TrimRight(line, "\n")))
		}
		return p.err
	}
	p.head()
	if r.Call != nil {
		p.call(r.Call)
		return p.err
	}
	p.rows(r.Rows)
	p.verdicts()
	p.inside()
	p.quiet()
	return p.err
}

type reviewPrinter struct {
	printer
	r *review.Review
}

func (p *reviewPrinter) title(text string) {
	p.linef("")
	lines := hang("", "  ", text, p.style.Width)
	if p.style.Bold {
		lines[0] = "\x1b[1m" + lines[0] + "\x1b[0m"
	}
	for _, l := range lines {
		p.linef("%s", l)
	}
}

// para writes prose with a hanging indent.
func (p *reviewPrinter) para(first, rest, text string) {
	for _, l := range hang(first, rest, text, p.style.Width) {
		p.linef("%s", l)
	}
}

func (p *reviewPrinter) head() {
	s := &p.r.Session
	p.para("", "  ", "groundhog review "+Clean(s.ID))
	parts := []string{plural(s.Runs, "run"), plural(s.Steps, "step"), plural(s.Calls, "call")}
	if s.Errors > 0 {
		parts = append(parts, plural(s.Errors, "error"))
	}
	if s.NotRun > 0 {
		parts = append(parts, fmt.Sprint(s.NotRun, " not run"))
	}
	parts = append(parts, tokensText(s.Tokens))
	line := strings.Join(parts, ", ")
	if s.End != "" {
		line += "; ended: " + s.End
	}
	if s.Agent != "" || s.Model != "" {
		line += "; " + strings.TrimSpace(s.Agent+" "+s.Model)
	}
	p.para("", "  ", Clean(line+"; "+s.Format+" "+s.File))
	if l := p.r.Label; l != nil {
		text := fmt.Sprintf("label (%s, reviewed: %s): %s", l.Source, l.Reviewed, l.Class)
		for _, x := range l.Spans {
			text += fmt.Sprintf("; calls %s to %d, ideal stop after %d", numbered(x.Run, x.Onset), x.End, x.IdealStop)
			for _, extra := range []string{x.Shape, x.Incident} {
				if extra != "" {
					text += ", " + extra
				}
			}
			if x.KnownGap {
				text += ", known gap"
			}
		}
		if len(l.Tolerate) > 0 {
			text += "; neither right nor wrong: " + strings.Join(l.Tolerate, ", ")
		}
		if l.DoneAt != nil {
			text += "; done at " + l.DoneAt.String()
		}
		if l.Note != "" {
			text += "; " + l.Note
		}
		p.para("", "  ", Clean(text))
	} else {
		p.para("", "  ", "no label: nothing here is called right or wrong")
	}
	for _, n := range p.r.Notes {
		p.para("note: ", "  ", Clean(n))
	}
}

// verdicts says what each preset would have done, in words.
func (p *reviewPrinter) verdicts() {
	p.title("what each preset would have done")
	for i := range p.r.Presets {
		x := &p.r.Presets[i]
		name := x.Name
		if x.Date != "" {
			name += " (" + x.Date + ")"
		}
		if len(x.Changed) > 0 {
			name += " with " + strings.Join(x.Changed, ", ")
		}
		switch {
		case x.Stop != nil:
			p.para(name+": ", "  ", "first stop "+fireText(x.Stop)+morePlaces(x.Stops)+firstNudge(x))
		case x.Nudge != nil:
			p.para(name+": ", "  ", "never stops"+firstNudge(x))
		default:
			p.para(name+": ", "  ", "never speaks")
		}
		if x.Ladder != nil {
			p.para("  ", "    ", fmt.Sprintf("the ladder stops at %s, if every nudge is ignored (H, a bound)", x.Ladder.Place))
		}
		if a := x.After; a != nil {
			p.para("  ", "    ", fmt.Sprintf("after that stop (C, relative to the recorded continuation): %s, %s, %s",
				plural(a.Calls, "call"), tokensText(a.Tokens), durationText(a.TimeMs)))
		}
		switch {
		case x.ChangesRun == 0:
		case x.Nudge != nil:
			p.para("  ", "    ", fmt.Sprintf("distinct calls that may have changed something before its first verdict: %d of %d",
				x.Changes, x.ChangesRun))
		default:
			p.para("  ", "    ", fmt.Sprintf("distinct calls that may have changed something, with nobody speaking: %d",
				x.ChangesRun))
		}
		if x.Diverges != nil {
			p.para("  ", "    ", fmt.Sprintf("exact up to %s: %s", x.Diverges, x.Because))
		}
	}
	p.recorded()
}

// recorded says what the detectors said that were live when it happened.
func (p *reviewPrinter) recorded() {
	var list []string
	for _, in := range p.r.Recorded {
		list = append(list, in.String())
	}
	if n := len(list); n > 8 {
		list = append(list[:8], fmt.Sprintf("and %d more", n-8))
	}
	text := "no reminder or stop of a loop detector"
	if len(list) > 0 {
		text = "reminders of a loop detector after " + strings.Join(list, ", ")
	}
	if p.r.Stopped {
		text += "; a loop detector ended the session"
	}
	p.para("recorded: ", "  ", text)
}

func firstNudge(x *review.Preset) string {
	switch {
	case x.Nudge == nil || x.Stop != nil && x.Nudge.Place == x.Stop.Place && x.Nudge.Detector == x.Stop.Detector:
		return ""
	}
	return "; first " + strings.ToLower(verdictWord(x.Nudge.Level())) + " " + fireText(x.Nudge)
}

func morePlaces(stops int) string {
	if stops < 2 {
		return ""
	}
	return fmt.Sprintf(", and in %s more", plural(stops-1, "run"))
}

// fireText is a verdict in a few words.
func fireText(f *review.Fire) string {
	out := shortName(f.Detector)
	if f.Count != nil {
		out += " " + f.Count.String()
	}
	return fmt.Sprintf("%s at %s (%s)", out, f.Place, f.Tier)
}

// inside shows the text about fires in a stream.
func (p *reviewPrinter) inside() {
	if len(p.r.Cuts) == 0 {
		return
	}
	p.title("inside responses: the text about the cut, the block that repeats in ⟦ ⟧")
	for i := range p.r.Cuts {
		c := &p.r.Cuts[i]
		p.para("", "  ", fmt.Sprintf("%s: %s %s, %s deltas, part %d, byte %d; %s", strings.Join(c.Presets, ", "),
			verdictWord(c.Fire.Level()), fireText(c.Fire),
			c.Deltas, c.Part+1, c.Offset, c.Fire.Text))
		text := Clean(c.Before)
		if c.Block != "" {
			text += fmt.Sprintf("⟦%s⟧×%d", Clean(c.Block), c.Copies)
		}
		if c.Tail != "" {
			text += Clean(c.Tail)
		}
		text += " ✂ "
		if c.Leftover > 0 {
			text += fmt.Sprintf("%s (%s after the cut)", Clean(c.Rest), plural(c.Leftover, "byte"))
		} else {
			text += "(nothing follows)"
		}
		p.para("    ", "    ", text)
	}
}

// beside writes two columns, the right one wrapped.
func (p *reviewPrinter) beside(left, right string) {
	const wide = 46
	column := min(wide, p.style.Width*2/5)
	pad := strings.Repeat(" ", column+2)
	first := "  " + left
	if n := twwidth.Width(first); n <= column {
		first += strings.Repeat(" ", column+2-n)
	} else {
		p.linef("%s", clipWidth(first, p.style.Width))
		first = pad
	}
	for i, l := range hang("", "", right, p.style.Width-column-2) {
		if i > 0 {
			first = pad
		}
		p.linef("%s", strings.TrimRight(first+l, " "))
	}
}

func verbOf(verdict string) string {
	switch verdict {
	case detectors.ForceStop.String():
		return "stop"
	case detectors.Block.String():
		return "veto"
	case detectors.Annotate.String():
		return "remark"
	}
	return "nudge"
}

func verdictWord(v detectors.Verdict) string {
	if v == detectors.ForceStop {
		return "STOP"
	}
	return strings.ToUpper(v.String())
}

func shortName(detector string) string {
	_, name, _ := strings.Cut(detector, "/")
	return name
}

func numbered(run, call int) string {
	if run == 0 {
		return fmt.Sprint(call)
	}
	return fmt.Sprintf("%d:%d", run, call)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tokensText never shows a sum that is not one: where steps recorded none, it is a
// lower bound.
func tokensText(t *review.Tokens) string {
	switch {
	case t == nil:
		return "no tokens recorded"
	case t.Unknown > 0:
		return "≥ " + thousands(t.N) + " tokens"
	}
	return thousands(t.N) + " tokens"
}

func thousands(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func durationText(ms *int64) string {
	if ms == nil {
		return "no times recorded"
	}
	s := *ms / 1000
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
}
