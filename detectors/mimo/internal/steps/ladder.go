package steps

// A Ladder counts the recoveries of one kind within a run. It allows Max; what
// was asked for after that ends the run. Counts are totals: what lies between
// two recoveries does not matter. A negative Max allows none, like 0.
type Ladder struct {
	Max  int
	used int
}

// Next takes a recovery. Rung is the number of those before it; ok is false if
// none was left.
func (l *Ladder) Next() (rung int, ok bool) {
	if l.used >= l.Max {
		return l.used, false
	}
	l.used++
	return l.used - 1, true
}

// Reset begins another run.
func (l *Ladder) Reset() { l.used = 0 }
