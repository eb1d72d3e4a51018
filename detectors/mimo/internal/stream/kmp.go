package stream

import (
	"unicode/utf16"

	"groundhog/detectors/mimo/internal/js"
)

// Chars finds a text that ends in one short stretch over and over, on the level
// of UTF-16 code units and without tokens. Every Interval units it looks at the
// last Window of them, at every suffix, at the suffix's smallest period (by the
// prefix function of the text read backwards) and at how often the period fits.
// How often is too often depends on the length of the period and on whether the
// text stands inside a code fence.

// CharRows is the number of classes of periods, shortest first.
const CharRows = 7

// charRowEnds is the first period beyond each row but the last.
var charRowEnds = [CharRows - 1]int{2, 5, 15, 30, 50, 200}

// minChars is the shortest text that is checked.
const minChars = 16

// A CharTable says at how many copies a period of each row is a loop. 0 is never.
type CharTable struct {
	Outside [CharRows]int // of code fences
	Inside  [CharRows]int
}

// DefaultCharTable is the original's.
func DefaultCharTable() CharTable {
	return CharTable{
		Outside: [CharRows]int{300, 80, 40, 16, 16, 8, 5},
		Inside:  [CharRows]int{0, 0, 0, 0, 24, 24, 24},
	}
}

// A Suffix is the measurement of one check.
type Suffix struct {
	Copies [CharRows]int // most copies of any suffix whose period is in the row; 0 or at least 2
	Inside bool          // a code fence is open
}

// Hit tells whether some row reaches its limit.
func (s *Suffix) Hit(t *CharTable) bool {
	limits := t.limits(s.Inside)
	for row, n := range s.Copies {
		if limits[row] > 0 && n >= max(limits[row], 2) {
			return true
		}
	}
	return false
}

func (t *CharTable) limits(inside bool) *[CharRows]int {
	if inside {
		return &t.Inside
	}
	return &t.Outside
}

// Chars watches the deltas of one part of a stream. Call Reset where the
// original starts anew: at each request attempt, and whenever a reasoning or
// text part begins. Memory is bounded by the window and the longest delta.
type Chars struct {
	window, interval int

	text    []uint16 // at least the last window units
	delta   []uint16 // what fences are looked for in: carry and delta
	carry   int      // units at the head of delta that are from before
	pending int
	inside  bool
	prefix  []int32
}

// NewChars gives a detector that has seen nothing. The original's window is
// 8192 and its interval 256 units.
func NewChars(window, interval int) *Chars {
	return &Chars{window: max(window, 1), interval: interval}
}

// Reset forgets everything but the buffers.
func (c *Chars) Reset() {
	*c = Chars{window: c.window, interval: c.interval, text: c.text[:0], delta: c.delta[:0], prefix: c.prefix}
}

// Feed reads the next delta. It tells whether the original checks at this one,
// and if so what it sees.
func (c *Chars) Feed(delta string) (s Suffix, checked bool) {
	if delta == "" {
		return s, false
	}
	c.delta = js.AppendUnits(c.delta[:c.carry], delta)
	c.countFences()
	fresh := c.delta[c.carry:]
	if len(c.text) >= 2*c.window { // now and then, so that a unit moves once
		c.text = c.text[:copy(c.text, c.text[len(c.text)-c.window:])]
	}
	c.text = append(c.text, fresh...)
	c.pending += len(fresh)
	c.carry = copy(c.delta, c.delta[max(0, len(c.delta)-2):])
	if c.pending < c.interval {
		return s, false
	}
	c.pending = 0
	s.Inside = c.inside
	c.suffixes(func(period, copies int) bool {
		row := charRow(period)
		s.Copies[row] = max(s.Copies[row], copies)
		return true
	})
	return s, true
}

// First is the period and the copies that the original reports after a check:
// those of the shortest suffix that reaches its limit. It gives 0, 0 if none
// does. It is as costly as a check; for hits.
func (c *Chars) First(t *CharTable) (period, copies int) {
	limits := t.limits(c.inside)
	c.suffixes(func(p, n int) bool {
		if limit := limits[charRow(p)]; limit > 0 && n >= limit {
			period, copies = p, n
		}
		return period == 0
	})
	return period, copies
}

// Nearest is the suffix that comes closest to its limit, that of its row in
// percent of a table: the period, its copies and that limit. It is 0, 0, 0 if none
// repeats, or only such as have no limit. It is as costly as a check.
func (c *Chars) Nearest(t *CharTable, percent int) (period, copies, limit int) {
	limits := t.limits(c.inside)
	c.suffixes(func(p, n int) bool {
		need := (limits[charRow(p)]*percent + 99) / 100
		if need > 0 && n*max(limit, 1) > copies*need {
			period, copies, limit = p, n, need
		}
		return true
	})
	return period, copies, limit
}

// Tail is the last n units of the text.
func (c *Chars) Tail(n int) string {
	return string(utf16.Decode(c.text[max(0, len(c.text)-n):]))
}

// countFences counts "```" in delta, from the left. The carry may hold
// back-ticks that the last delta counted: "```" and then "`" are two fences, and
// "````" at once is one. The original does that.
func (c *Chars) countFences() {
	ticks := 0
	for _, u := range c.delta {
		if u != '`' {
			ticks = 0
			continue
		}
		if ticks++; ticks == 3 {
			c.inside = !c.inside
			ticks = 0
		}
	}
}

// suffixes goes through the suffixes of the last window units, shortest first,
// that hold their smallest period at least twice.
func (c *Chars) suffixes(yield func(period, copies int) bool) {
	text := c.text[max(0, len(c.text)-c.window):]
	if len(text) < minChars {
		return
	}
	if cap(c.prefix) < len(text) {
		c.prefix = make([]int32, c.window)
	}
	last := len(text) - 1
	prefix := c.prefix[:len(text)]
	prefix[0] = 0
	k := 0 // prefix[i-1], then prefix[i]
	for i := 1; i <= last; i++ {
		unit := text[last-i]
		for k > 0 && text[last-k] != unit {
			k = int(prefix[k-1])
		}
		if text[last-k] == unit {
			k++
		}
		prefix[i] = int32(k)
		if length := i + 1; 2*k >= length {
			period := length - k
			if !yield(period, length/period) {
				return
			}
		}
	}
}

func charRow(period int) int {
	row := 0
	for row < len(charRowEnds) && period >= charRowEnds[row] {
		row++
	}
	return row
}
