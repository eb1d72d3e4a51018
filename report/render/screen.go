package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/report"
)

// The first screen is at most so many lines of so many columns, where the terminal is
// not narrower. Where more is to be said, the lines below rows go first, from the last
// row on, and then rows from the end of the longest block, which are counted.
const (
	screenWidth = 80
	screenLines = 24
)

// Screen writes what a command answers first.
func Screen(w io.Writer, title string, s *report.Screen, style Style) error {
	if style.Width <= 0 {
		style.Width = screenWidth
	}
	p := &screenPrinter{style: style}
	keep, under := make([]int, len(s.Blocks)), 0
	for i, b := range s.Blocks {
		keep[i] = len(b.Rows)
		under = max(under, len(b.Rows))
	}
	lines := p.lay(title, s, keep, under)
	for !style.All && len(lines) > screenLines && (under > 1 || spare(keep) >= 0) {
		if under > 1 {
			under--
		} else {
			keep[spare(keep)]--
		}
		lines = p.lay(title, s, keep, under)
	}
	for _, l := range lines {
		if _, err := io.WriteString(w, strings.TrimRight(l, " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// spare is the block that loses a row next: the longest, the last of equals, and none
// its first row. It is -1 if there is none.
func spare(keep []int) int {
	at := -1
	for i, n := range keep {
		if n > 1 && (at < 0 || n >= keep[at]) {
			at = i
		}
	}
	return at
}

type screenPrinter struct {
	style Style
	lines []string
}

func (p *screenPrinter) add(lines ...string) { p.lines = append(p.lines, lines...) }

// para adds a paragraph, wrapped at words.
func (p *screenPrinter) para(first, rest, text string) {
	p.add(hang(first, rest, Clean(text), p.style.Width)...)
}

// gapLine separates two parts of the screen.
func (p *screenPrinter) gapLine() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.add("")
	}
}

// lay is the screen with so many rows of each block, and what stands below the first
// so many of them.
func (p *screenPrinter) lay(title string, s *report.Screen, keep []int, under int) []string {
	p.lines = nil
	head := "groundhog " + title
	for _, r := range s.Read {
		head += " · " + r
	}
	first := len(p.lines)
	p.para("", "  ", head)
	p.lines[first] = p.paint(bold, p.lines[first])
	if len(s.Answer) > 0 {
		p.gapLine()
		p.para("", "", strings.Join(s.Answer, " "))
	}
	for i := range s.Blocks {
		p.gapLine()
		p.block(&s.Blocks[i], keep[i], under)
	}
	if len(s.Remarks) > 0 {
		p.gapLine()
		for _, r := range s.Remarks {
			p.para("", "  ", r)
		}
	}
	if p.style.Next && len(s.Next) > 0 {
		p.gapLine()
		p.next(s.Next)
	}
	return p.lines
}

// next lists commands with what they are for. A command is never broken: whoever copies
// it needs it whole.
func (p *screenPrinter) next(list []report.Next) {
	wide := 0
	for _, n := range list {
		wide = max(wide, twwidth.Width(Clean(n.Command)))
	}
	for i, n := range list {
		line := "      "
		if i == 0 {
			line = "next: "
		}
		line += Clean(n.Command)
		why := Clean(n.Why)
		if pad := strings.Repeat(" ", wide-twwidth.Width(Clean(n.Command))+2); why != "" &&
			twwidth.Width(line+pad+why) <= p.style.Width {
			line += pad + p.paint(dim, why)
		}
		p.add(line)
	}
}

// block lays a table out: side by side if it fits, else one cell below the other.
func (p *screenPrinter) block(b *report.Block, rows, under int) {
	if b.Title != "" {
		p.para("", "  ", b.Title)
	}
	t := p.table(b, rows)
	for i, row := range b.Rows[:rows] {
		p.add(t.lines(i)...)
		for _, c := range row.Under {
			if i < under {
				p.under(c)
			}
		}
	}
	if hidden := b.Hidden + len(b.Rows) - rows; hidden > 0 {
		more := fmt.Sprintf("%d more", hidden)
		if b.More != "" {
			more += ": " + b.More
		}
		p.add("  " + p.paint(dim, more))
	}
}

// under is a line below a row: a strip with words after it, or words.
func (p *screenPrinter) under(c report.Cell) {
	const indent = "    "
	if c.Kind != report.KindStrip {
		p.para(indent, indent, c.Text)
		return
	}
	text := Clean(c.Text)
	room := p.style.Width - len(indent)
	if n := twwidth.Width(text); n > 0 && room-n-1 >= leastStrip {
		room -= n + 1
	} else if n > 0 {
		defer p.para(indent, indent, text)
		text = ""
	}
	for i, l := range p.strip(c.Strip, min(room, mostStrip)) {
		if i == 0 && text != "" {
			l += " " + text
		}
		p.add(indent + l)
	}
}

// A screenTable is a block that has been measured.
type screenTable struct {
	p      *screenPrinter
	b      *report.Block
	cells  [][]string
	widths []int
	right  []bool
	stack  bool
	header bool
}

const (
	markWidth   = 2  // a sign and a space
	leastColumn = 14 // columns of text are not wrapped below this
)

// table measures the rows that are shown.
func (p *screenPrinter) table(b *report.Block, rows int) *screenTable {
	t := &screenTable{p: p, b: b, widths: make([]int, len(b.Columns)), right: make([]bool, len(b.Columns))}
	largest := make([]float64, len(b.Columns))
	for _, row := range b.Rows {
		for j, c := range row.Cells {
			if c.Kind == report.KindBar && c.D > 0 {
				largest[j] = max(largest[j], float64(c.N)/float64(c.D))
			}
		}
	}
	for _, row := range b.Rows[:rows] {
		line := make([]string, len(row.Cells))
		for j, c := range row.Cells {
			line[j] = p.cell(c, largest[j])
			t.widths[j] = max(t.widths[j], twwidth.Width(line[j]))
			t.right[j] = t.right[j] || c.Kind == report.KindCount
		}
		t.cells = append(t.cells, line)
	}
	for j, c := range b.Columns {
		t.header = t.header || c.Name != ""
		t.widths[j] = max(t.widths[j], twwidth.Width(c.Name))
	}
	t.narrow()
	if t.header && !t.stack {
		names := make([]string, len(b.Columns))
		for j, c := range b.Columns {
			names[j] = c.Name
		}
		p.add(p.paint(dim, strings.TrimRight(strings.Join(t.row("  ", names), "\n"), " ")))
	}
	return t
}

// narrow wraps the widest column until the table fits, and stacks rows if it does not.
func (t *screenTable) narrow() {
	over := func() int {
		total := markWidth - gap
		for _, w := range t.widths {
			total += w + gap
		}
		return total - t.p.style.Width
	}
	for over() > 0 {
		widest := 0
		for j, w := range t.widths {
			if w > t.widths[widest] {
				widest = j
			}
		}
		if t.widths[widest] <= max(leastColumn, twwidth.Width(t.b.Columns[widest].Name)) {
			t.stack = true
			return
		}
		t.widths[widest] = max(t.widths[widest]-over(), leastColumn, twwidth.Width(t.b.Columns[widest].Name))
	}
}

// lines are those of one row.
func (t *screenTable) lines(i int) []string {
	mark := t.p.sign(t.b.Rows[i].Mark)
	if !t.stack {
		return t.row(mark, t.cells[i])
	}
	var parts []string
	for j, cell := range t.cells[i] {
		if name := t.b.Columns[j].Name; cell != "" && name != "" && j > 0 {
			parts = append(parts, strings.ToLower(name)+" "+cell)
		} else if cell != "" {
			parts = append(parts, cell)
		}
	}
	return hang(mark, "    ", strings.Join(parts, ", "), t.p.style.Width)
}

// row puts cells side by side; a cell that is wider than its column is wrapped.
func (t *screenTable) row(mark string, cells []string) (lines []string) {
	wrapped := make([][]string, len(cells))
	height := 1
	for j, c := range cells {
		wrapped[j] = []string{c}
		if twwidth.Width(c) > t.widths[j] {
			wrapped[j] = hang("", "", c, t.widths[j])
		}
		height = max(height, len(wrapped[j]))
	}
	for k := range height {
		line := strings.Repeat(" ", markWidth)
		if k == 0 {
			line = mark
		}
		for j := range cells {
			text := ""
			if k < len(wrapped[j]) {
				text = wrapped[j][k]
			}
			pad := strings.Repeat(" ", max(t.widths[j]-twwidth.Width(text), 0))
			if t.right[j] {
				text = pad + text
			} else {
				text += pad
			}
			line += text + strings.Repeat(" ", gap)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// cell is a cell of a screen in words or as a bar.
func (p *screenPrinter) cell(c report.Cell, largest float64) string {
	switch c.Kind {
	case report.KindBar:
		return p.bar(c, largest)
	case report.KindText:
		return Clean(c.Text)
	}
	return cellText(c)
}
