package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/report"
	"groundhog/report/review"
)

// The table of a review has calls down the side and one column a preset. It is
// laid out by hand: every line fits the terminal, what is wide gives way to what
// matters, and a folded stretch is one line over all columns.

// A reviewColumn is one column with how far it may shrink.
type reviewColumn struct {
	name         string
	width, least int
	right        bool
	text         func(*review.Row, int) string // for a width
}

const (
	mostArgs, leastArgs     = 60, 12
	mostResult, leastResult = 40, 7
	mostTool, leastTool     = 18, 8
	mostCell, leastCell     = 48, 10
)

func (p *reviewPrinter) rows(rows []review.Row) {
	columns, gone := p.columns(rows)
	p.linef("")
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.name
	}
	p.line(columns, header)
	for i := range rows {
		row := &rows[i]
		if row.Fold != nil {
			p.linef("%s", clipWidth(p.foldText(row, columns[0].width), p.style.Width))
			continue
		}
		cells := make([]string, len(columns))
		for j, c := range columns {
			cells[j] = c.text(row, c.width)
		}
		p.line(columns, cells)
	}
	if len(gone) > 0 {
		p.para("(", "  ", "not shown at this width: "+strings.Join(gone, ", ")+"; --format json has all)")
	}
	p.para("", "  ", legend(rows))
}

// legend explains the marks that are there.
func legend(rows []review.Row) string {
	parts := []string{"2/3: two of the three it takes", "·: quiet, with the path that is nearest"}
	var conditional, undelivered, ladder, after bool
	for i := range rows {
		for _, c := range rows[i].Cells {
			for _, f := range c.Fires {
				after = after || f.After
				conditional = conditional || f.Tier == "C" && !f.After
				undelivered = undelivered || f.Delivered == "" && !f.After
				ladder = ladder || laddered(f)
			}
		}
	}
	for _, x := range []struct {
		shown bool
		text  string
	}{
		{conditional, "C: if the agent goes on as recorded"},
		{undelivered, "(brackets): not delivered, another verdict of the step was"},
		{ladder, "LADDER: the nudge that stops, if those before it were ignored (H)"},
		{after, "⋯: after the first stop"},
	} {
		if x.shown {
			parts = append(parts, x.text)
		}
	}
	return strings.Join(parts, "; ")
}

func laddered(f *review.Fire) bool {
	return f.Delivered == "force_stop" && f.Verdict != "force_stop" && !f.Open
}

func (p *reviewPrinter) line(columns []reviewColumn, cells []string) {
	var out strings.Builder
	for i, c := range columns {
		cell := clipWidth(cells[i], c.width)
		pad := strings.Repeat(" ", c.width-twwidth.Width(cell))
		if c.right {
			cell = pad + cell
		} else {
			cell += pad
		}
		if i > 0 {
			out.WriteString(strings.Repeat(" ", gap))
		}
		out.WriteString(cell)
	}
	p.linef("%s", strings.TrimRight(out.String(), " "))
}

// columns are those of the table, as wide as they may be, and the names of those that
// are left out.
func (p *reviewPrinter) columns(rows []review.Row) (columns []reviewColumn, gone []string) {
	columns = []reviewColumn{
		{name: "CALL", right: true, least: 4, text: func(r *review.Row, _ int) string { return callText(r) }},
		{name: " ", least: 1, text: func(r *review.Row, _ int) string {
			if r.Span {
				return "┃"
			}
			return ""
		}},
		{name: "TOOL", width: mostTool, least: leastTool, text: func(r *review.Row, _ int) string { return toolText(r) }},
		{name: "ARGUMENTS", width: mostArgs, least: leastArgs, text: argsCell},
		{name: "RESULT", width: mostResult, least: leastResult, text: resultCell},
		{name: "TOKENS", right: true, least: 6, text: func(r *review.Row, _ int) string {
			if r.Tokens == nil {
				return ""
			}
			return thousands(*r.Tokens)
		}},
	}
	for i := range p.r.Presets {
		name := strings.ToUpper(p.presetName(i))
		columns = append(columns, reviewColumn{name: name, width: mostCell, least: leastCell,
			text: func(r *review.Row, width int) string {
				if i >= len(r.Cells) || r.Kind != "call" && len(r.Cells[i].Fires) == 0 {
					return ""
				}
				return verdictCell(&r.Cells[i], width)
			}})
	}
	naturalWidths(columns, rows)
	gone = fitColumns(columns, p.style.Width)
	return slices.DeleteFunc(columns, func(c reviewColumn) bool { return c.width == 0 }), gone
}

// Which columns are which, by index; presets come after them.
const (
	toolColumn = iota + 2
	argsColumn
	resultColumn
	tokensColumn
	presetColumns
)

// naturalWidths gives every column what its cells need, within its bounds.
func naturalWidths(columns []reviewColumn, rows []review.Row) {
	for i := range columns {
		c := &columns[i]
		natural := 0
		for j := range rows {
			if rows[j].Fold == nil {
				natural = max(natural, twwidth.Width(c.text(&rows[j], 1<<10)))
			}
		}
		if i == tokensColumn && natural == 0 {
			c.width = 0 // no tokens recorded
			continue
		}
		if natural = max(natural, twwidth.Width(c.name)); c.width > 0 {
			natural = min(natural, c.width)
		}
		c.width = natural
		if i == argsColumn {
			c.least = max(c.least, widestMark(rows)+4)
		}
		c.least = min(c.least, natural)
	}
}

// fitColumns narrows columns until they fit the width, and then drops some: first
// results give way to their status, then arguments and presets shrink, then tokens and
// results go, and at last presets from the right, of which the first stays.
func fitColumns(columns []reviewColumn, width int) (gone []string) {
	over := func() int {
		total := -gap
		for _, c := range columns {
			if c.width > 0 {
				total += c.width + gap
			}
		}
		return total - width
	}
	shrink := func(i int) { columns[i].width = max(columns[i].least, columns[i].width-max(over(), 0)) }
	shrink(resultColumn)
	for over() > 0 {
		widest := widestShrinkable(columns)
		if widest < 0 {
			break
		}
		columns[widest].width--
	}
	shrink(toolColumn)
	drop := func(i int) {
		if over() > 0 && columns[i].width > 0 {
			gone = append(gone, strings.ToLower(columns[i].name))
			columns[i].width = 0
		}
	}
	drop(tokensColumn)
	drop(resultColumn)
	for i := len(columns) - 1; i > presetColumns; i-- {
		drop(i)
	}
	return gone
}

// widestShrinkable is the widest of arguments and presets that may be narrower, or -1.
func widestShrinkable(columns []reviewColumn) int {
	widest := -1
	for i := argsColumn; i < len(columns); i++ {
		if i == resultColumn || i == tokensColumn || columns[i].width <= columns[i].least {
			continue
		}
		if widest < 0 || columns[i].width > columns[widest].width {
			widest = i
		}
	}
	return widest
}

// presetName is without the family where all presets are of one.
func (p *reviewPrinter) presetName(i int) string {
	family, _, _ := strings.Cut(p.r.Presets[0].Name, "-")
	for _, x := range p.r.Presets {
		if !strings.HasPrefix(x.Name, family+"-") {
			return p.r.Presets[i].Name
		}
	}
	if len(p.r.Presets) == 1 {
		return p.r.Presets[i].Name
	}
	return strings.TrimPrefix(p.r.Presets[i].Name, family+"-")
}

func (p *reviewPrinter) foldText(r *review.Row, indent int) string {
	f := r.Fold
	text := "… " + plural(f.Calls, "equal call")
	if !f.Equal {
		var parts []string
		for i, t := range f.Tools {
			if i == 4 {
				parts = append(parts, plural(len(f.Tools)-i, "other tool"))
				break
			}
			parts = append(parts, fmt.Sprintf("%s %d", Clean(t.Tool), t.Calls))
		}
		text = "… " + plural(f.Calls, "call")
		if len(parts) > 0 {
			text += ": " + strings.Join(parts, ", ")
		}
		if n := f.Rows - f.Calls; n > 0 {
			text += fmt.Sprintf("; %s", plural(n, "message"))
		}
	}
	var more []string
	for i, n := range f.Fires {
		if n > 0 {
			more = append(more, fmt.Sprintf("%s speaks %d times", p.r.Presets[i].Name, n))
		}
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	mark := " "
	if r.Span {
		mark = "┃"
	}
	return strings.Repeat(" ", indent+gap) + mark + strings.Repeat(" ", gap) + text
}

// clipWidth cuts a text to a display width.
func clipWidth(s string, width int) string {
	if twwidth.Width(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	out, used := []rune{}, 0
	for _, r := range s {
		n := twwidth.Width(string(r))
		if used+n > width-1 {
			break
		}
		out, used = append(out, r), used+n
	}
	return string(out) + "…"
}

// hang breaks a text at spaces, with an indent for the first line and one for the
// others. A word that is wider than a line is broken.
func hang(first, rest, text string, width int) (lines []string) {
	row, empty := first, true
	for _, word := range strings.Fields(text) {
		for {
			if room := width - twwidth.Width(row) - report.Bit(!empty); twwidth.Width(word) <= room {
				if !empty {
					row += " "
				}
				row += word
				empty = false
				break
			}
			if empty { // a line of its own is not enough
				room := max(width-twwidth.Width(row), 2)
				head := []rune(clipWidth(word, room))
				n := max(len(head)-1, 1) // without the ellipsis
				row += string([]rune(word)[:n])
				word = string([]rune(word)[n:])
			}
			lines = append(lines, row)
			row, empty = rest, true
		}
	}
	return append(lines, strings.TrimRight(row, " "))
}
