package overview

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/replay"
	"groundhog/report"
)

// A nearRow is the quiet response of one session that came closest to a fire.
type nearRow struct {
	session, preset string
	*replay.Near
}

// maxNear is how many sessions are listed by how close they came.
const maxNear = 20

// maxBlock is how much of a block is shown, in characters.
const maxBlock = 60

// addNear takes what one configuration knows about one session.
func (r *Replay) addNear(c *configTally, o *replay.Outcome) {
	if o.Near == nil || o.Near[c.point] == nil {
		return
	}
	n := o.Near[c.point]
	c.responses += n.Responses
	c.dismissed += n.Dismissed
	if n.Nearest != nil {
		r.near = append(r.near, nearRow{o.Session.ID, r.preset(c).Name, n.Nearest})
		if len(r.near) >= 4*maxNear { // only the closest are shown
			r.closest()
		}
	}
}

// closest sorts the rows, and forgets those that will not be shown.
func (r *Replay) closest() {
	slices.SortStableFunc(r.near, func(a, b nearRow) int {
		switch {
		case a.Closer(b.Near.Near):
			return -1
		case b.Closer(a.Near.Near):
			return 1
		}
		return 0
	})
	if n := len(r.near); n > maxNear {
		r.further += n - maxNear
		r.near = r.near[:maxNear]
	}
}

// nearest names the quiet responses that came closest to a fire in their stream.
func (r *Replay) nearest() []report.Section {
	if len(r.near) == 0 {
		return nil
	}
	r.closest()
	s := report.Section{
		Key:   "near",
		Title: "nearest to a fire in the stream, without one",
		Doc: "for each session and preset the quiet response in which a block came closest to the copies that fire, at any " +
			"recorded delta, or at any " +
			"of its words where none were recorded. step: run:step.",
		Columns: report.Cols("session", "SESSION", "preset", "PRESET", "step", "STEP", "copies", "COPIES", "of", "OF",
			"period", "PERIOD", "detector", "PATH", "?why", "WHY NOT", "?block", "BLOCK"),
	}
	for _, n := range r.near {
		never := report.Null
		if n.Why != "" {
			never = report.Text(n.Why)
		}
		s.Add(n.session, n.preset, fmt.Sprintf("%d:%d", n.Pos.Run, n.Pos.Step), int(n.Have), int(n.Need),
			fmt.Sprintf("%d %s", n.Period, plainUnit(n.Near)), report.PathName(n.Detector), never, shortBlock(n.Block))
	}
	if r.further > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("… and %s further away", report.Plural(r.further, "session")))
	}
	return []report.Section{s}
}

func plainUnit(n *replay.Near) string {
	if n.Period == 1 {
		return n.Unit
	}
	return n.Unit + "s"
}

// clip is the head of a block on one line.
func shortBlock(block string) string {
	runes := []rune(strings.Join(strings.Fields(block), " "))
	if len(runes) <= maxBlock {
		return string(runes)
	}
	return string(runes[:maxBlock-1]) + "…"
}

// nearRows are what a preset as a whole says about distances.
func (r *Replay) nearRows(c *configTally, add func(what string, cell report.Cell, tier string)) {
	if c.responses > 0 && c.dismissed > 0 {
		add("responses dismissed: cannot fire in the stream, however cut (--near measures them)",
			report.Share(c.dismissed, c.responses), "E")
	}
}
