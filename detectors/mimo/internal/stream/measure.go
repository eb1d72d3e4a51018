package stream

// MaxMinPeriod is the largest minimum period that a measurement answers.
const MaxMinPeriod = 12

// A Run is a stretch of tokens that repeats a block. The zero Run is none.
type Run struct {
	Copies int // complete copies inside the window; at least the floor, or 0
	Period int // tokens in a block
	Start  int // number of the first token, counted over the whole text
	End    int // number after the last one; the last copy may be incomplete
}

// Repeats is the measurement after a delta.
type Repeats struct {
	// Runs[n-1] is the run with most copies among those of period n or more;
	// then the shortest period, then the latest.
	Runs       [MaxMinPeriod]Run
	Tokens     int  // tokens of the text so far
	TableHeavy bool // the text since the last trim is mostly a table
}

// Hit tells whether the original stops the stream at this delta. It answers
// for 1 ≤ n ≤ MaxMinPeriod and for thresholds of the floor and above.
func (r *Repeats) Hit(n, threshold int, tableExempt bool) bool {
	return threshold >= 2 && r.Runs[n-1].Copies >= threshold && !(tableExempt && r.TableHeavy)
}

// measure finds the best runs at a boundary.
func (m *Monitor) measure() {
	if m.found {
		m.now.Runs, m.found = [MaxMinPeriod]Run{}, false
	}
	w0 := m.first()
	m.now.Tokens = m.tokens()
	for i := 0; i < len(m.live); {
		p := int(m.live[i])
		runs := m.periods[p].runs
		gone := 0
		for gone < len(runs) && (runs[gone].end-w0+1)/p < m.shape.Floor {
			gone++
		}
		if gone > 0 {
			runs = runs[:copy(runs, runs[gone:])]
			m.periods[p].runs = runs
		}
		if len(runs) == 0 {
			last := len(m.live) - 1
			m.live[i] = m.live[last]
			m.live = m.live[:last]
			continue
		}
		for _, s := range runs {
			m.offer(p, s, w0)
		}
		i++
	}
	switch len(m.lex.words) {
	case 0:
	case 1:
		m.tryLast(w0)
	default:
		m.tryAll(w0)
	}
	if !m.found {
		return
	}
	for n := MaxMinPeriod - 2; n >= 0; n-- {
		if r := m.now.Runs[n+1]; r.better(m.now.Runs[n]) {
			m.now.Runs[n] = r
		}
	}
}

// offer notes a run if it is the best of its period, or of all long periods.
func (m *Monitor) offer(p int, s span, w0 int) {
	r := Run{Copies: min(s.copies(p), (s.end-w0+1)/p), Period: p, Start: max(s.start-p, w0), End: s.end + 1}
	best := &m.now.Runs[min(p, MaxMinPeriod)-1]
	if r.Copies >= m.shape.Floor && r.better(*best) {
		*best, m.found = r, true
	}
}

func (r Run) better(o Run) bool {
	switch {
	case r.Copies != o.Copies:
		return r.Copies > o.Copies
	case r.Period != o.Period:
		return r.Period < o.Period
	}
	return r.End > o.End
}

// tryLast offers the runs that the one unsettled token continues.
func (m *Monitor) tryLast(w0 int) {
	id := m.names.find(m.lex.word(0), m.lex.words[0].hash)
	if id < 0 {
		return
	}
	j := m.count
	for k := m.names.names[id].where; k >= 0 && j-k <= m.maxPeriod; k = m.prev[m.slot(k)] {
		p := j - k
		s := m.periods[p].streak
		if m.extend(&s, p, j) {
			m.offer(p, span{j - int(s.length) + 1, j}, w0)
		}
	}
}

// tryAll is tryLast for several unsettled tokens. There are some only after a
// sigma followed by nothing but case-ignorable characters, so it may be slow.
func (m *Monitor) tryAll(w0 int) {
	m.scratch = m.scratch[:0]
	for p := range m.periods {
		m.scratch = append(m.scratch, m.periods[p].streak)
	}
	for i := range m.lex.words {
		m.loose = append(m.loose, m.names.hold(m.lex.word(i), m.lex.words[i].hash))
	}
	for i, id := range m.loose {
		j := m.count + i
		step := func(p int) {
			if s := &m.scratch[p]; m.extend(s, p, j) {
				m.offer(p, span{j - int(s.length) + 1, j}, w0)
			}
		}
		for p := 1; p <= min(i, m.maxPeriod); p++ {
			if m.loose[i-p] == id {
				step(p)
			}
		}
		for k := m.names.names[id].where; k >= 0 && j-k <= m.maxPeriod; k = m.prev[m.slot(k)] {
			step(j - k)
		}
	}
	for _, id := range m.loose {
		m.names.release(id)
	}
	m.loose = m.loose[:0]
}
