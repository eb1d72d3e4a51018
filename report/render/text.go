package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"groundhog/report"
	"groundhog/report/retry"
)

// Style is how text is written.
type Style struct {
	Width int  // of the terminal; 0 means no limit
	Bold  bool // escape sequences for weight and colour
	ASCII bool // no other characters: the locale is not UTF-8
	Next  bool // say what to run next
	All   bool // every row of a screen, however many lines that takes
}

// Text writes a report for a person.
func Text(w io.Writer, r *report.Report, style Style) error {
	p := &printer{w: w, style: style}
	p.linef("groundhog %s", r.Title)
	for _, n := range r.Notes {
		p.wrap(Clean(n))
	}
	for i := range r.Sections {
		p.section(&r.Sections[i])
	}
	if r.Partial != nil {
		p.linef("")
		p.linef("interrupted: %d of %s", r.Partial.Done, report.Plural(r.Partial.Of, "session"))
	}
	return p.err
}

type printer struct {
	w     io.Writer
	style Style
	err   error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) section(s *report.Section) {
	p.linef("")
	title := Clean(s.Title)
	if p.style.Bold {
		title = "\x1b[1m" + title + "\x1b[0m"
	}
	p.linef("%s", title)
	if s.Doc != "" {
		p.wrap(s.Doc)
	}
	switch {
	case s.Stacked:
		p.stack(s)
	case len(s.Columns) > 0 && len(s.Rows) > 0:
		p.table(s)
	}
	for _, l := range s.Lines {
		p.wrap(Clean(l))
	}
}

// stack writes rows one below the other: the columns that are always kept in one
// line, and each other column that has a name in a line of its own.
func (p *printer) stack(s *report.Section) {
	for _, row := range s.Rows {
		var head []string
		for i, c := range s.Columns {
			if text := cellText(row[i]); c.Keep && text != "" {
				head = append(head, text)
			}
		}
		p.wrap(strings.Join(head, ": "))
		for i, c := range s.Columns {
			if text := cellText(row[i]); !c.Keep && c.Name != "" && text != "" {
				p.wrap("  " + c.Name + ": " + text)
			}
		}
	}
}

// proseWidth is how wide prose gets where there is no terminal.
const proseWidth = 100

// wrap breaks a line at spaces where it is wider than the terminal.
func (p *printer) wrap(line string) {
	width := p.style.Width
	if width == 0 {
		width = proseWidth
	}
	if twwidth.Width(line) <= width {
		p.linef("%s", line)
		return
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	row := indent
	for _, word := range strings.Fields(line) {
		if row != indent && twwidth.Width(row)+1+twwidth.Width(word) > width {
			p.linef("%s", row)
			row = indent + "  "
		}
		if strings.TrimSpace(row) != "" {
			row += " "
		}
		row += word
	}
	p.linef("%s", row)
}

// table writes a section's table, leaving out columns from the right where it
// would not fit.
func (p *printer) table(s *report.Section) {
	cells := make([][]string, len(s.Rows))
	for i, row := range s.Rows {
		for _, c := range row {
			cells[i] = append(cells[i], cellText(c))
		}
	}
	show := p.fit(s, cells)
	if p.err != nil {
		return
	}
	header := make([]string, 0, len(show))
	align := make([]tw.Align, 0, len(show))
	for _, i := range show {
		header = append(header, s.Columns[i].Name)
		align = append(align, alignment(s, i))
	}
	rows := make([][]string, len(cells))
	for i := range cells {
		for _, j := range show {
			rows[i] = append(rows[i], cells[i][j])
		}
	}
	p.err = plainTable(p.w, header, rows, align)
	if len(show) < len(s.Columns) {
		var gone []string
		kept := make(map[int]bool)
		for _, i := range show {
			kept[i] = true
		}
		for i, c := range s.Columns {
			if !kept[i] {
				gone = append(gone, strings.ToLower(c.Name))
			}
		}
		p.linef("(not shown at this width: %s; --format json has all)", strings.Join(gone, ", "))
	}
}

const gap = 2 // spaces between columns

// fit chooses the columns to show.
func (p *printer) fit(s *report.Section, cells [][]string) []int {
	widths := make([]int, len(s.Columns))
	total := 0
	show := make([]int, len(s.Columns))
	for i, c := range s.Columns {
		show[i] = i
		widths[i] = twwidth.Width(c.Name)
		for _, row := range cells {
			widths[i] = max(widths[i], twwidth.Width(row[i]))
		}
		total += widths[i] + gap
	}
	for i := len(s.Columns) - 1; i >= 0 && p.style.Width > 0 && total > p.style.Width; i-- {
		if !s.Columns[i].Keep {
			total -= widths[i] + gap
			show = append(show[:i], show[i+1:]...)
		}
	}
	return show
}

// alignment: columns of numbers stand to the right.
func alignment(s *report.Section, column int) tw.Align {
	numbers := false
	for _, row := range s.Rows {
		switch row[column].Kind {
		case report.KindCount, report.KindPerK, report.KindMean, report.KindPortion, report.KindNumber, report.KindWait:
			numbers = true
		case report.KindText, report.KindShare, report.KindCounts:
			return tw.AlignLeft
		}
	}
	if numbers {
		return tw.AlignRight
	}
	return tw.AlignLeft
}

func plainTable(w io.Writer, header []string, rows [][]string, align []tw.Align) error {
	var out bytes.Buffer
	t := tablewriter.NewTable(&out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{
				Lines:      tw.LinesNone,
				Separators: tw.SeparatorsNone,
			},
		})),
		tablewriter.WithEastAsian(tw.Off), // not the locale's business: same input, same bytes
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: strings.Repeat(" ", gap), Overwrite: true}),
		tablewriter.WithAlignment(align),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	t.Header(header)
	for _, row := range rows {
		if err := t.Append(row); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range bytes.Lines(out.Bytes()) {
		if _, err := w.Write(append(bytes.TrimRight(line, " \n"), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// cellText is how a cell looks. A rate is never without its counts and its
// interval, and a zero never without its bound.
func cellText(c report.Cell) string {
	out := plainCell(c)
	if c.Least && c.Kind != report.KindNull {
		out = "≥ " + out
	}
	if c.Range != nil && c.Range.Flag != "" {
		out += " (" + c.Range.Flag + ")"
	}
	if c.Same {
		out = "~ " + out
	}
	return out
}

func plainCell(c report.Cell) string {
	switch c.Kind {
	case report.KindMean:
		out := fmt.Sprintf("%.1f", float64(c.N)/float64(c.D))
		if c.Range != nil {
			out += fmt.Sprintf(" [%.1f, %.1f]", c.Range.Lo, c.Range.Hi)
		}
		return out
	case report.KindPortion:
		out := percent(c.P, 0) + "%"
		if c.Range != nil {
			out += fmt.Sprintf(" [%s, %s]", percent(c.Range.Lo, 0), percent(c.Range.Hi, 0))
		}
		return out
	case report.KindNumber:
		out := fmt.Sprintf("%.2f", c.P)
		if c.Range != nil {
			out += fmt.Sprintf(" [%.2f, %.2f]", c.Range.Lo, c.Range.Hi)
		}
		return out
	case report.KindCount:
		return fmt.Sprint(c.N)
	case report.KindShare:
		if c.D == 0 {
			return "–"
		}
		lo, hi := c.Interval()
		if c.N == 0 {
			return fmt.Sprintf("0/%d 0%% (≤ %s%%)", c.D, percent(hi, hi))
		}
		half := (hi - lo) / 2
		return fmt.Sprintf("%d/%d %s%% [%s, %s]", c.N, c.D, percent(float64(c.N)/float64(c.D), half), percent(lo, half),
			percent(hi, half))
	case report.KindPerK:
		switch {
		case c.D == 0:
			return "–"
		case c.N == 0:
			if c.Bound() >= 10 {
				return fmt.Sprintf("0 (≤ %.0f)", c.Bound())
			}
			return fmt.Sprintf("0 (≤ %.2g)", c.Bound())
		}
		return fmt.Sprintf("%.1f", 1000*float64(c.N)/float64(c.D))
	case report.KindCounts:
		var parts []string
		for _, n := range c.List {
			parts = append(parts, fmt.Sprintf("%s %d", Clean(n.Name), n.N))
		}
		return strings.Join(parts, ", ")
	case report.KindNull:
		return "–"
	case report.KindWait:
		return retry.Duration(time.Duration(c.N) * time.Millisecond)
	}
	return Clean(c.Text)
}

// percent gives as many digits as an interval of that half-width supports: two
// significant digits of it, and one decimal at most.
func percent(p, half float64) string {
	if half < 0.1 {
		return fmt.Sprintf("%.1f", 100*p)
	}
	return fmt.Sprintf("%.0f", 100*p)
}
