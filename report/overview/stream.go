package overview

import (
	"cmp"
	"fmt"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
)

// A streamTally counts what concerns fires in the stream alone: whether they hang
// on how text was cut, and what came after them.
type streamTally struct {
	// fires up to a run's first stop, by their deltas; of the made-up ones, those that move
	recorded, madeUp, sensitive int
	otherwise                   int // recorded ones that the text alone would not give alike under every cut
	elsewhere                   int // fires that exist only under other cuts
	sessions                    int // with a fire that moves, or is only elsewhere
	least, most                 int // sessions nudged or stopped, over all cuts
	responses, timed            int // with a fire, and those of them that say when
	chars, millis               int64
	tokens                      map[string]int64 // by how they are known
	by                          map[string]int   // responses
}

// add counts one session.
func (t *streamTally) add(p *replay.PointOutcome) {
	moved := false
	type response struct{ run, step int32 }
	seen := make(map[response]bool)
	for _, f := range p.Fires {
		if f.After || f.Phase != detectors.InStream {
			continue
		}
		at := response{f.Pos.Run, f.Pos.Step}
		if f.Cost != nil && f.Verdict >= detectors.Nudge && !seen[at] { // the first fire cuts it
			seen[at] = true
			t.save(f.Cost)
		}
		if f.Jitter == nil {
			continue
		}
		switch {
		case f.Recorded:
			t.recorded++
			t.otherwise += report.Bit(f.Jitter.Sensitive)
		default:
			t.madeUp++
			t.sensitive += report.Bit(f.Jitter.Sensitive)
			moved = moved || f.Jitter.Sensitive
		}
	}
	t.elsewhere += len(p.Elsewhere)
	t.sessions += report.Bit(moved || len(p.Elsewhere) > 0)
	here := firstNudge(p) != nil
	every, some := here, here
	for i := range p.Under {
		fired := firstNudge(&p.Under[i].PointOutcome) != nil
		every, some = every && fired, some || fired
	}
	t.least += report.Bit(every)
	t.most += report.Bit(some)
}

func (t *streamTally) save(c *replay.Cost) {
	if t.tokens == nil {
		t.tokens, t.by = make(map[string]int64), make(map[string]int)
	}
	t.responses++
	t.chars += c.Chars
	t.tokens[c.By] += c.Tokens
	t.by[c.By]++
	if c.Time >= 0 {
		t.timed++
		t.millis += c.Time.Milliseconds()
	}
}

func firstNudge(p *replay.PointOutcome) (f *replay.Fire) {
	for i := range p.Runs {
		f = cmp.Or(f, p.Runs[i].FirstNudge)
	}
	return f
}

func firstStopOf(p *replay.PointOutcome) (f *replay.Fire) {
	for i := range p.Runs {
		f = cmp.Or(f, p.Runs[i].FirstStop)
	}
	return f
}

// spread is what other cuts make of a session's first nudge or stop: nothing where
// they agree, bytes where it is only those that differ, else each in words.
func spread(o *replay.Outcome, f *replay.Fire, p *replay.PointOutcome,
	pick func(*replay.PointOutcome) *replay.Fire) string {
	var others []string
	bytes := f != nil && f.Jitter != nil
	for i := range p.Under {
		g := pick(&p.Under[i].PointOutcome)
		switch {
		case f == nil && g == nil:
			continue
		case g == nil:
			bytes = false
			others = append(others, p.Under[i].Cut+" never")
			continue
		case f != nil && f.Detector == g.Detector && f.Pos.Run == g.Pos.Run && f.Pos.Step == g.Pos.Step &&
			f.Phase == g.Phase && f.Part == g.Part:
			if f.Offset == g.Offset {
				continue
			}
			others = append(others, fmt.Sprintf("%s byte %d", p.Under[i].Cut, g.Offset))
			continue
		}
		bytes = false
		others = append(others, p.Under[i].Cut+" "+fireWord(o, g))
	}
	switch {
	case len(others) == 0:
		return ""
	case bytes:
		return fmt.Sprintf(" (bytes %d–%d)", f.Jitter.Earliest().Offset, f.Jitter.Latest().Offset)
	}
	return " (" + strings.Join(others, ", ") + ")"
}

// streams reports whether a preset has a detector that the way of cutting can move.
func streams(p *detectors.Preset) bool {
	for _, d := range p.Detectors {
		if d.Streams && !d.Needs.Timed {
			return true
		}
	}
	return false
}

// stream adds the rows of a preset as a whole that concern the stream.
func (r *Replay) stream(c *configTally, add func(what string, cell report.Cell, tier string)) {
	if !streams(r.preset(c)) {
		return
	}
	t := &c.stream
	if t.madeUp+t.elsewhere > 0 {
		cuts := strings.Join(r.Cuts, ", ")
		add("sessions that are chunk-sensitive: "+cuts+" differ", report.Share(t.sessions, r.read.sessions), "E")
		add("… sessions nudged or stopped, least and most over these", report.Text(fmt.Sprintf("%d to %d", t.least,
			t.most)), "E")
		add("fires at reconstructed deltas that are chunk-sensitive", report.Share(t.sensitive, t.madeUp), "E")
		add("… and fires that exist only under another splitter", report.Count(t.elsewhere), "E")
	}
	if t.recorded > 0 {
		add("fires at recorded deltas whose text alone is chunk-sensitive", report.Share(t.otherwise, t.recorded), "E")
	}
	if t.responses == 0 {
		return
	}
	add("characters after the first fire in the stream of a response", report.Cell{Kind: report.KindCount, N: t.chars},
		"C")
	for _, by := range []struct{ key, what string }{
		{replay.ByUsage, "recorded output tokens, by share of characters"},
		{"bpe", "tokens counted with o200k"},
		{"estimate", "tokens estimated by kinds of characters"},
	} {
		if n := t.by[by.key]; n > 0 {
			add(fmt.Sprintf("… %s (%d of %s)", by.what, n, report.Plural(t.responses, "response")),
				report.Cell{Kind: report.KindCount, N: t.tokens[by.key]}, "C")
		}
	}
	if t.timed > 0 {
		add(fmt.Sprintf("… milliseconds (%d of %s)", t.timed, report.Plural(t.responses, "response")),
			report.Cell{Kind: report.KindCount, N: t.millis}, "C")
	} else {
		add("… milliseconds", report.Null, "C")
	}
}
