package render

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/report"
)

// Pictures for terminals: a bar, a strip of calls, signs and colours. Each has a form of
// ASCII alone.

const (
	barWidth   = 12
	leastStrip = 12
	mostStrip  = 60
)

// bar is a share as a bar, with its counts behind it.
func (p *screenPrinter) bar(c report.Cell, largest float64) string {
	if c.D == 0 {
		return "–"
	}
	full, n := "█", 0
	if p.style.ASCII {
		full = "#"
	}
	if largest > 0 {
		n = int(float64(c.N)/float64(c.D)/largest*barWidth + 0.5)
	}
	if c.N > 0 {
		n = max(n, 1)
	}
	return strings.Repeat(full, n) + strings.Repeat(" ", barWidth-n) + fmt.Sprintf(" %d/%d", c.N, c.D)
}

// glyphs are those of groups of equal calls, the largest group first; the last stands
// for all further groups.
var glyphs = struct{ wide, ascii []rune }{[]rune("▓▒░█▚▞"), []rune("#*=%+x")}

// strip draws calls as cells, in at most so many columns, and fires in a line above if
// there are any. Where several calls share a column the largest group of them is shown.
func (p *screenPrinter) strip(s *report.Strip, width int) []string {
	n := len(s.Groups)
	if n == 0 || width < 1 {
		return nil
	}
	width = min(width, n)
	signs := glyphs.wide
	single := '·'
	if p.style.ASCII {
		signs, single = glyphs.ascii, '.'
	}
	order := largestFirst(s.Groups)
	cells := make([]rune, width)
	for col := range cells {
		group := modal(s.Groups[col*n/width : max((col+1)*n/width, col*n/width+1)])
		if cells[col] = single; group != 0 {
			cells[col] = signs[min(slices.Index(order, group), len(signs)-1)]
		}
	}
	if len(s.Marks) == 0 {
		return []string{string(cells)}
	}
	marks := []rune(strings.Repeat(" ", width))
	for _, m := range s.Marks {
		col := min(m.Call*width/n, width-1)
		sign := []rune(p.plainSign(m.Mark))[0]
		if marks[col] == ' ' || m.Mark == report.Stop {
			marks[col] = sign
		}
	}
	return []string{strings.TrimRight(string(marks), " "), string(cells)}
}

// largestFirst are the groups that hold more than one call, the largest first.
func largestFirst(groups []uint16) (order []uint16) {
	size := make(map[uint16]int)
	for _, g := range groups {
		if g == 0 {
			continue
		}
		if size[g] == 0 {
			order = append(order, g)
		}
		size[g]++
	}
	slices.SortStableFunc(order, func(a, b uint16) int { return size[b] - size[a] })
	return order
}

// modal is the group with the most calls, the first of equals.
func modal(groups []uint16) (best uint16) {
	most := 0
	for i, g := range groups {
		n := 0
		for _, h := range groups[i:] {
			if h == g {
				n++
			}
		}
		if n > most {
			best, most = g, n
		}
	}
	return best
}

// sign is the mark of a row, in its colour, as wide as the column of marks.
func (p *screenPrinter) sign(m report.Mark) string {
	text := p.plainSign(m)
	switch m {
	case report.Stop:
		return p.paint(red, text) + " "
	case report.Nudge, report.Warning:
		return p.paint(yellow, text) + " "
	case report.Good:
		return p.paint(green, text) + " "
	}
	return text + " "
}

func (p *screenPrinter) plainSign(m report.Mark) string {
	if p.style.ASCII {
		return [...]string{" ", "X", "^", "!", "o", ">"}[m]
	}
	return [...]string{" ", "■", "▲", "!", "✓", "▸"}[m]
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// paint gives a text a weight or a colour.
func (p *screenPrinter) paint(code, text string) string {
	if !p.style.Bold || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
