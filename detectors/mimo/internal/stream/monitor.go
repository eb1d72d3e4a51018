package stream

import "strings"

// The original keeps the text it has seen as one string. At every delta it
// appends, splits all of it into tokens again, and asks whether the last window
// tokens hold a block repeated often enough (REPEAT below). When there are more
// than 2·window tokens it replaces the string by the last window of them, joined
// by spaces ("trim"). That costs 0.2 ms a delta, whatever the delta.
//
// Monitor gives the same answers from what changed. Tokens are numbered over the
// whole text: N is their count, w0 = max(0, N−window) the first one in the window.
//
//   - A token is settled once a later one has begun and no sigma can change it.
//     Settled tokens never change, so they are interned and pushed once.
//   - The others, nearly always just the last word, are looked at anew at every
//     delta, as if they had been pushed, and forgotten again.
//   - A trim changes nothing but the last token, which is opened again: if the
//     text ended in a space, the next word is glued to it. Older tokens are out
//     of the window and w0 never goes back. The numbering goes on.
//
// # What is measured
//
// REPEAT(T) for (n, threshold, min_distinct) is false if threshold < 2 or
// |T| < n·threshold. Else it looks at periods p = n … ⌊|T|/threshold⌋, counts
// how many consecutive i have T[i] = T[i+p], and is true once the count reaches
// p·(threshold−1) with at least min_distinct different tokens in the block; a
// block with fewer resets the count.
//
// A run of period p is a maximal sequence of x with T[x] = T[x−p] in the window
// (w0+p ≤ x < N). Its tokens, from p before its first x on, are p-periodic, so
// every block of p of them is a rotation of every other and has the same number
// of different tokens; the reset is therefore invisible: all blocks of a run
// pass or none does. A run of length m has
//
//	copies = ⌊m/p⌋ + 1
//
// complete copies of its block. Copies(n) is the largest copies of any run in
// the window with p ≥ n, copies ≥ 2 and min_distinct different tokens, or 0.
//
// REPEAT(T) = Copies(n) ≥ threshold for every threshold ≥ 2. For a given p the
// count reaches p·(threshold−1) in a run of length m iff m ≥ p·(threshold−1) iff
// ⌊m/p⌋ ≥ threshold−1 iff copies ≥ threshold. The bounds on |T| and p hold by
// themselves: such a run has m+p ≥ p·threshold tokens, all in the window, hence
// |T| ≥ p·threshold ≥ n·threshold and p ≤ ⌊|T|/threshold⌋. And for a run to pass
// at threshold, it must pass min_distinct, which does not depend on threshold.
//
// With a floor f, periods up to window/f are counted and copies below f reported
// as 0. By the same argument no run with f copies has a longer period, so
// Copies(n) ≥ threshold is exact for every threshold ≥ f.
//
// # How
//
// For each period: the length c of the run that the last token continues. A run
// that ends at e, started at s and reaches back over w0 has m = e−max(s, w0+p)+1,
// so copies = min(⌊(e−s+1)/p⌋+1, ⌊(e−w0+1)/p⌋). The second term shrinks as the
// window moves, so one best run is not enough: each period keeps a list of runs,
// later and with fewer copies from entry to entry. (A later run with as many
// copies is at least as good for ever.) Runs stay until they leave the window,
// because a hit that the table exemption hides counts again at a later delta
// when the text is no longer mostly a table.
//
// Only periods p with T[j] = T[j−p] have anything to do at token j. They are
// found by a chain through the earlier places of the same token: one step for
// each time the word stands in the last window/f tokens, none for a new word.
// Rejected: a counter for every period, reset on mismatch, which costs
// window/f steps a token, 165 at threshold 3.

// A Shape is what changes a measurement. Values below 1 count as 1, a Floor
// below 2 as 2.
type Shape struct {
	Window      int // tokens that are looked at
	MinDistinct int // different tokens that a block must have
	Floor       int // the lowest threshold that anybody will ask for
}

// A Monitor watches the deltas of one request attempt: reasoning and text in
// the order they came, with nothing between them. Memory is bounded by the
// window and the longest word. It does not allocate once warm, but for the text
// of words that are new to the window. Not safe for concurrent use.
type Monitor struct {
	shape     Shape
	maxPeriod int

	lex   lexer
	lines tableLines

	// Settled tokens. Token j is at j&mask.
	names interner
	ids   []int32
	prev  []int // the place of the same token before j, or -1
	count int   // of settled tokens
	base  int   // first token of the text since the last trim

	periods []period
	live    []int32 // periods that have runs

	// Unsettled tokens, when there are several.
	loose   []int32
	scratch []streak

	now   Repeats
	found bool // now has a run
}

// A period is what is known of one block length.
type period struct {
	streak
	runs []span
}

// A streak is the run that the last token continues, if it ends there.
type streak struct {
	end    int // its last position
	length int32
	low    bool // its block has too few different tokens; known from the floor on
}

// A span is a run long enough for the floor: its first and last x.
type span struct{ start, end int }

// NewMonitor gives a monitor that has seen nothing.
func NewMonitor(s Shape) *Monitor {
	s.Window = max(s.Window, 1)
	s.MinDistinct = max(s.MinDistinct, 1)
	s.Floor = max(s.Floor, 2)
	size := ceilPow2(s.Window + 1)
	m := &Monitor{
		shape:     s,
		maxPeriod: s.Window / s.Floor,
		names:     newInterner(size),
		ids:       make([]int32, size),
		prev:      make([]int, size),
	}
	m.periods = make([]period, m.maxPeriod+1)
	m.Reset()
	return m
}

// Reset forgets everything but the buffers: a new attempt begins.
func (m *Monitor) Reset() {
	for j := max(0, m.count-len(m.ids)); j < m.count; j++ {
		m.names.release(m.ids[m.slot(j)])
	}
	for p := range m.periods {
		m.periods[p] = period{streak{end: -1}, m.periods[p].runs[:0]}
	}
	m.lex.reset()
	m.lines = tableLines{}
	m.count, m.base, m.live = 0, 0, m.live[:0]
	m.now, m.found = Repeats{}, false
}

// Feed reads the next delta: whole characters, or halves of surrogate pairs. An
// empty one changes nothing.
func (m *Monitor) Feed(delta string) {
	if delta == "" {
		return
	}
	m.lines.write(delta)
	// In pieces, so that the buffers fit the window and not a giant delta.
	for delta != "" {
		delta = m.lex.write(delta, m.shape.Window)
		m.settle(m.lex.settled())
	}
	m.measure()
	if m.tokens()-m.base > 2*m.shape.Window {
		m.trim()
	}
	m.now.TableHeavy = m.lines.heavy()
}

// Repeats is the measurement after the last delta.
func (m *Monitor) Repeats() Repeats { return m.now }

// Block is the first block of a run of the last measurement, with spaces
// between its tokens.
func (m *Monitor) Block(r Run) string {
	var b strings.Builder
	for j := r.Start; j < r.Start+r.Period; j++ {
		if j > r.Start {
			b.WriteByte(' ')
		}
		b.Write(m.token(j))
	}
	return b.String()
}

func (m *Monitor) tokens() int { return m.count + len(m.lex.words) }

// first is the number of the first token in the window.
func (m *Monitor) first() int { return max(0, m.tokens()-m.shape.Window) }

func (m *Monitor) slot(j int) int { return j & (len(m.ids) - 1) }

func (m *Monitor) token(j int) []byte {
	if j < m.count {
		return m.names.names[m.ids[m.slot(j)]].text
	}
	return m.lex.word(j - m.count)
}

// settle pushes the first n words of the lexer.
func (m *Monitor) settle(n int) {
	for i := range n {
		m.push(m.names.hold(m.lex.word(i), m.lex.words[i].hash))
	}
	m.lex.drop(n)
}

// push appends a settled token.
func (m *Monitor) push(id int32) {
	j := m.count
	at := m.slot(j)
	if j >= len(m.ids) {
		m.names.release(m.ids[at])
	}
	where := m.names.names[id].where
	m.ids[at], m.prev[at] = id, where
	m.names.names[id].where = j
	m.count++
	for k := where; k >= 0 && j-k <= m.maxPeriod; k = m.prev[m.slot(k)] {
		p := j - k
		s := &m.periods[p].streak
		if m.extend(s, p, j) {
			m.record(p, span{j - int(s.length) + 1, j})
		}
	}
}

// extend notes that token j equals token j-p and tells whether the run is now
// one that counts.
func (m *Monitor) extend(s *streak, p, j int) bool {
	if s.end != j-1 {
		s.length = 0
	}
	s.length++
	s.end = j
	enough := int32(p * (m.shape.Floor - 1))
	if s.length == enough {
		s.low = !m.distinct(j-p, j)
	}
	return s.length >= enough && !s.low
}

// distinct tells whether the tokens from j to end, which may be unsettled but
// not the last, have enough different ones among them. The block that ends
// before token x has the same tokens as the one that ends at x.
func (m *Monitor) distinct(j, end int) bool {
	if end-j < m.shape.MinDistinct {
		return false
	}
	m.names.stamp++
	n := 0
	for ; j < end; j++ {
		id := int32(0)
		if j < m.count {
			id = m.ids[m.slot(j)]
		} else {
			id = m.loose[j-m.count]
		}
		if m.names.mark(id) {
			if n++; n == m.shape.MinDistinct {
				return true
			}
		}
	}
	return false
}

// record keeps a run that ends at the last settled token.
func (m *Monitor) record(p int, s span) {
	runs := m.periods[p].runs
	if len(runs) == 0 {
		m.live = append(m.live, int32(p))
	}
	if n := len(runs); n > 0 && runs[n-1].start == s.start {
		runs[n-1].end = s.end
	} else {
		runs = append(runs, s)
	}
	n := len(runs) - 1
	for n > 0 && runs[n-1].copies(p) <= s.copies(p) {
		n--
	}
	runs[n] = s
	m.periods[p].runs = runs[:n+1]
}

// copies is how many complete copies a run has, window or not.
func (s span) copies(p int) int { return (s.end-s.start+1)/p + 1 }

// trim does what the original does to a text of more than 2·window tokens.
func (m *Monitor) trim() {
	m.base = m.first()
	m.settle(len(m.lex.words) - 1)
	m.lex.reopen()
	m.lines = tableLines{}
	for j := m.base; j < m.tokens() && m.lines.line < table; j++ {
		if j > m.base {
			m.lines.write(" ")
		}
		m.lines.write(string(m.token(j)))
	}
}
