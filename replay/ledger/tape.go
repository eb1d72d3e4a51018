package ledger

import (
	"encoding/binary"
	"math"
	"time"

	"groundhog/formats/native"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A tape holds what was kept of one session until it is its turn to be written. Most
// numbers are small, so that a measurement takes some twenty bytes.
type tape struct {
	meters [][]int // by panel and index: the meter; below 0 for one that measures what another does
	digest *native.Digest
	buf    []byte
	rows   int64 // how many rows it will be written as
}

// Step implements replay.Keeper.
func (t *tape) Step(s *transcript.Step) { t.digest.Step(s) }

// Keep implements replay.Keeper.
func (t *tape) Keep(k *replay.Kept) {
	t.put(int64(k.Lane), flags(k.Context, k.Begins, k.Ends, k.Reminded))
	if k.Begins {
		t.place(k.Begin)
		t.rows++
	}
	if k.Reminded {
		t.place(k.Reminder)
		t.rows++
	}
	if !k.Ends {
		return
	}
	t.place(k.End)
	t.rows++
	u := k.Usage
	t.put(int64(k.Calls), flags(u.Known), u.Input, u.Output, u.Reasoning)
	t.put(u.CacheRead, u.CacheWrite, int64(math.Float64bits(u.Cost)))
	t.time(k.Time)
	n := 0
	for i := range k.Measured {
		if t.meter(&k.Measured[i]) >= 0 {
			n++
		}
	}
	t.put(int64(n))
	t.rows += int64(n)
	for i := range k.Measured {
		m := &k.Measured[i]
		if t.meter(m) < 0 {
			continue
		}
		t.put(int64(t.meter(m)), int64(m.Kind), int64(m.Pos.Call), int64(m.Pos.Delta), int64(m.Pos.Line))
		t.put(int64(m.Part), int64(m.Offset), flags(m.Recorded), int64(len(m.Values)))
		t.put(m.Values...)
	}
}

func (t *tape) meter(m *replay.Measured) int { return t.meters[m.Panel][m.Detector] }

func (t *tape) put(list ...int64) {
	for _, n := range list {
		t.buf = binary.AppendVarint(t.buf, n)
	}
}

func (t *tape) place(p transcript.Pos) {
	t.put(int64(p.Run), int64(p.Step), int64(p.Call), int64(p.Line))
}

func (t *tape) time(when time.Time) {
	n, ok := nanos(when)
	t.put(flags(ok), n)
}

// flags is a number whose bit i is the i-th flag.
func flags(list ...bool) (n int64) {
	for i, set := range list {
		if set {
			n |= 1 << i
		}
	}
	return n
}

// nanos is a time as it is kept. Times that a recording lacks, and those outside the
// years 1678 to 2261, are not kept.
func nanos(t time.Time) (n int64, ok bool) {
	if t.IsZero() || t.Year() < 1678 || t.Year() > 2261 {
		return 0, false
	}
	return t.UnixNano(), true
}

// A playback reads a tape. The tape never leaves memory, so there is nothing to check.
type playback struct {
	buf    []byte
	kept   replay.Kept
	values []int64
}

// next is the next step. Each Measured has the index of its meter in Panel.
func (p *playback) next() (*replay.Kept, bool) {
	if len(p.buf) == 0 {
		return nil, false
	}
	k := &p.kept
	*k = replay.Kept{Measured: k.Measured[:0], Lane: int(p.take())}
	set := p.take()
	k.Context, k.Begins, k.Ends, k.Reminded = set&1 != 0, set&2 != 0, set&4 != 0, set&8 != 0
	if k.Begins {
		k.Begin = p.place()
	}
	if k.Reminded {
		k.Reminder = p.place()
	}
	if !k.Ends {
		return k, true
	}
	k.End = p.place()
	k.Calls = int(p.take())
	k.Usage = transcript.Usage{
		Known: p.take() != 0, Input: p.take(), Output: p.take(), Reasoning: p.take(),
		CacheRead: p.take(), CacheWrite: p.take(), Cost: math.Float64frombits(uint64(p.take())),
	}
	k.Time = p.time()
	p.values = p.values[:0]
	for range p.take() {
		m := replay.Measured{Panel: int(p.take())}
		m.Kind = transcript.Kind(p.take())
		m.Pos = transcript.Pos{Run: k.End.Run, Step: k.End.Step}
		m.Pos.Call, m.Pos.Delta, m.Pos.Line = int32(p.take()), int32(p.take()), int(p.take())
		m.Part, m.Offset, m.Recorded = int(p.take()), int(p.take()), p.take() != 0
		from := len(p.values)
		for range p.take() {
			p.values = append(p.values, p.take())
		}
		m.Values = p.values[from:len(p.values):len(p.values)]
		k.Measured = append(k.Measured, m)
	}
	return k, true
}

func (p *playback) take() int64 {
	n, size := binary.Varint(p.buf)
	p.buf = p.buf[size:]
	return n
}

func (p *playback) place() transcript.Pos {
	return transcript.Pos{Run: int32(p.take()), Step: int32(p.take()), Call: int32(p.take()), Line: int(p.take())}
}

func (p *playback) time() time.Time {
	if known, n := p.take(), p.take(); known != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}
