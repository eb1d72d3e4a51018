package render

import (
	"fmt"
	"strconv"

	"groundhog/replay"
)

// This file holds what only a fire in the stream has: where it would stand under
// other ways of cutting the text, and what a stop would have saved.

// jitter appends where a fire stands under each way of cutting. Offsets are in
// bytes of the part of the fire; parts says which part, if they are not all one.
func (f *Fires) jitter(j *replay.Jitter) {
	first, last := j.Earliest(), j.Latest()
	f.buf = append(f.buf, `,"jitter":{"earliest":`...)
	f.offset(first)
	f.buf = append(f.buf, `,"latest":`...)
	f.offset(last)
	f.buf = fmt.Appendf(f.buf, `,"chunk_sensitive":%t,"splitters":{`, j.Sensitive)
	for i, p := range j.Places {
		if i > 0 {
			f.buf = append(f.buf, ',')
		}
		f.str("", p.Cut)
		f.buf = append(f.buf, ':')
		f.offset(p)
	}
	f.buf = append(f.buf, '}')
	if first.Part != last.Part {
		f.buf = append(f.buf, `,"parts":{`...)
		for i, p := range j.Places {
			if i > 0 {
				f.buf = append(f.buf, ',')
			}
			f.str("", p.Cut)
			f.buf = append(f.buf, ':')
			if p.Fired {
				f.buf = strconv.AppendInt(f.buf, int64(p.Part), 10)
			} else {
				f.buf = append(f.buf, "null"...)
			}
		}
		f.buf = append(f.buf, '}')
	}
	f.buf = append(f.buf, '}')
}

func (f *Fires) offset(p replay.Place) {
	if !p.Fired {
		f.buf = append(f.buf, "null"...)
		return
	}
	f.buf = strconv.AppendInt(f.buf, int64(p.Offset), 10)
}

// saved appends what came after the fire.
func (f *Fires) saved(c *replay.Cost) {
	if c == nil {
		return
	}
	f.buf = fmt.Appendf(f.buf, `,"saved":{"chars":%d,"tokens":%d`, c.Chars, c.Tokens)
	f.str(`,"tokens_by":`, c.By)
	f.buf = append(f.buf, `,"time_ms":`...)
	if c.Time >= 0 {
		f.buf = strconv.AppendInt(f.buf, c.Time.Milliseconds(), 10)
	} else {
		f.buf = append(f.buf, "null"...)
	}
	f.str(`,"tier":`, string(replay.Conditional))
	f.buf = append(f.buf, '}')
}

// besides fills the same into a row.
func (r *fireRow) besides(fire *replay.Fire, winner bool) {
	if j := fire.Jitter; j != nil && winner {
		if first, last := j.Earliest(), j.Latest(); first.Fired {
			a, b, c, d := int64(first.Offset), int32(first.Part), int64(last.Offset), int32(last.Part)
			r.Earliest, r.EarliestPart, r.Latest, r.LatestPart = &a, &b, &c, &d
		}
		r.Sensitive = &j.Sensitive
		for _, p := range j.Places {
			at := int64(p.Offset)
			if column := map[string]**int64{"token": &r.Token, "word": &r.Word, "char": &r.Char}[p.Cut]; column != nil &&
				p.Fired {
				*column = &at
			}
		}
	}
	if c := fire.Cost; c != nil {
		r.SavedChars, r.SavedTokens, r.SavedBy = &c.Chars, &c.Tokens, &c.By
		if c.Time >= 0 {
			ms := c.Time.Milliseconds()
			r.SavedMillis = &ms
		}
	}
}

// near appends how close each response came to a fire, where that was asked for:
// lines of a view of their own, and no rows.
func (f *Fires) near(o *replay.Outcome, point int, preset string) {
	if f.rows != nil || o.Near == nil || o.Near[point] == nil {
		return
	}
	for _, n := range o.Near[point].All {
		start := len(f.buf)
		f.str(`{"session":`, o.Session.ID)
		f.str(`,"preset":`, preset)
		f.str(`,"view":`, "near")
		f.str(`,"detector":`, n.Detector)
		f.buf = fmt.Appendf(f.buf, `,"run":%d,"step":%d,"fired":%t,"near":{"copies":%d,"of":%d,"period":%d`, n.Pos.Run,
			n.Pos.Step, n.Fired, n.Have, n.Need, n.Period)
		f.str(`,"unit":`, n.Unit)
		f.buf = fmt.Appendf(f.buf, `,"never":%t`, n.Never)
		f.str(`,"why":`, n.Why)
		f.str(`,"block":`, n.Block)
		f.buf = append(f.buf, "}}\n"...)
		f.clean(start)
	}
}
