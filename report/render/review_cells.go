package render

import (
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/report/review"
)

func callText(r *review.Row) string {
	if r.Kind != "call" {
		return ""
	}
	return numbered(r.Place.Run, r.Place.Call)
}

func toolText(r *review.Row) string {
	switch r.Kind {
	case "user":
		return "user:"
	case "harness":
		return "harness:"
	case "text":
		return "says:"
	}
	return Clean(r.Tool)
}

func argsCell(r *review.Row, width int) string {
	if r.Kind != "call" {
		return Clean(r.Text)
	}
	out, mark := Clean(r.Args), markText(r)
	if r.Same > 0 {
		out = "= call " + numbered(r.Place.Run, r.Same)
	}
	room := width - twwidth.Width(mark)
	if room < 4 && mark != "" {
		return clipWidth(strings.TrimSpace(mark), width)
	}
	return clipWidth(out, room) + mark
}

func markText(r *review.Row) string {
	if r.Mark == "" {
		return ""
	}
	return " ◄ " + r.Mark
}

func widestMark(rows []review.Row) (n int) {
	for i := range rows {
		n = max(n, twwidth.Width(markText(&rows[i])))
	}
	return n
}

func resultCell(r *review.Row, width int) string {
	if r.Kind != "call" {
		return ""
	}
	status := r.Result
	switch status {
	case "unflagged":
		status = "–"
	case "missing":
		status = "none"
	}
	if r.Text == "" || width <= leastResult {
		return status
	}
	return status + " " + Clean(r.Text)
}

// verdictCell is what a preset does at a row, in as many words as fit.
func verdictCell(c *review.Cell, width int) string {
	if len(c.Fires) == 0 {
		if c.Near == nil {
			return "·"
		}
		return namedCell("· ", c.Near.Detector, " "+c.Near.Count.String(), width)
	}
	f := c.Fires[0]
	for _, g := range c.Fires[1:] {
		if g.Level() > f.Level() {
			f = g
		}
	}
	head, tail := verdictWord(f.Level())+" ", ""
	if f.Count != nil {
		tail = " " + f.Count.String()
	}
	if f.Tier != "E" {
		tail += " " + string(f.Tier)
	}
	switch {
	case laddered(f):
		head = "LADDER "
	case f.After:
		head = "⋯ " + strings.ToLower(head)
	case f.Delivered == "":
		head, tail = "("+strings.ToLower(head), tail+")"
	}
	if n := len(c.Fires); n > 1 {
		tail += fmt.Sprintf(" +%d", n-1)
	}
	return namedCell(head, f.Detector, tail, width)
}

// named shortens the name in the middle until the whole fits; a name of less than
// four characters says nothing, and goes.
func namedCell(head, detector, tail string, width int) string {
	name := shortName(detector)
	room := width - twwidth.Width(head) - twwidth.Width(tail)
	if room < 4 {
		return clipWidth(strings.TrimSpace(strings.TrimRight(head, " ")+tail), width)
	}
	return head + clipWidth(name, room) + tail
}
