package kocoro_test

// consecutiveRead is consecutive_duplicate for a read that never failed: only the same outcome counts.
func (d *Detector) consecutiveRead(name string) (Verdict, bool) {
	n := d.sameOutcomeRun(name)
	if n >= d.cfg.ConsecutiveDuplicateROForce {
		return forceStop("consecutive_duplicate", "", n)
	}
	if n == d.cfg.ConsecutiveDuplicateRONudge {
		return nudge("consecutive_duplicate", "", n)
	}
	return silent()
}

// sameOutcomeRun counts the part of the run at the tail that brought what the newest call brought.
func (d *Detector) sameOutcomeRun(name string) int {
	h := d.newestHash(name)
	outcome := d.history[len(d.history)-1].outcomeSig
	if outcome == "" {
		return 0
	}
	n := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if r.name != name || r.argsHash != h || r.outcomeSig != outcome {
			break
		}
		n++
	}
	return n
}

// sameOutcomes counts the identical calls, whatever ran between, back to the first that brought something else.
func (d *Detector) sameOutcomes(name string) int {
	h := d.newestHash(name)
	outcome := d.history[len(d.history)-1].outcomeSig
	if outcome == "" {
		return 0
	}
	n := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if r.name != name || r.argsHash != h {
			continue
		}
		if r.outcomeSig != outcome {
			break
		}
		n++
	}
	return n
}

func (d *Detector) pingPong(string) (Verdict, bool) {
	if d.cfg.Preset != Head {
		return silent()
	}
	n := d.pingPongTail()
	if n >= d.cfg.PingPongForce {
		return forceStop("ping_pong", "", n)
	}
	if n == d.cfg.PingPongNudge {
		return nudge("ping_pong", "", n)
	}
	return silent()
}

// pingPongTail counts the records at the tail that take turns between two actions. It is 0 if one of them
// failed, if a read brought something else than before, if they are few, and if they are odd.
func (d *Detector) pingPongTail() int {
	if len(d.history) < 4 {
		return 0
	}
	var sides [2]record // the two newest records
	for k := range sides {
		sides[k] = d.history[len(d.history)-1-k]
	}
	if sides[0].name == sides[1].name && sides[0].argsHash == sides[1].argsHash {
		return 0
	}
	var outcomes [2]string // the first that a read brought on each side
	n := 0
	for k := range d.history {
		r := d.history[len(d.history)-1-k]
		side := sides[k%2]
		if r.name != side.name || r.argsHash != side.argsHash {
			break
		}
		if r.isError {
			return 0
		}
		if r.readOnly {
			if r.outcomeSig == "" {
				return 0
			}
			if outcomes[k%2] == "" {
				outcomes[k%2] = r.outcomeSig
			}
			if r.outcomeSig != outcomes[k%2] {
				return 0
			}
		}
		n++
	}
	if n < 4 || n%2 == 1 {
		return 0
	}
	return n
}

// stableActionTail counts the records at the tail that are one read of one outcome.
func (d *Detector) stableActionTail(name, h string) int {
	n := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if r.name != name || r.argsHash != h || !r.readOnly || r.isError {
			break
		}
		if r.outcomeSig == "" || r.outcomeSig != d.history[len(d.history)-1].outcomeSig {
			break
		}
		n++
	}
	return n
}

// stableWebTail counts the records at the tail that are web reads which found the same URLs.
func (d *Detector) stableWebTail() int {
	n := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if ToolFamily(d.cfg.Preset, r.name) != "web" || !r.readOnly || r.isError {
			break
		}
		if r.resultSig == "" || r.resultSig != d.history[len(d.history)-1].resultSig {
			break
		}
		n++
	}
	return n
}

// strictProgress reports whether every call of a tool in the window did something new and brought something new.
func (d *Detector) strictProgress(name string) bool {
	var seen []record
	for _, r := range d.history {
		if r.name != name {
			continue
		}
		if r.isError || !r.readOnly && !r.trusted || r.argsHash == "" || r.outcomeSig == "" {
			return false
		}
		for _, s := range seen {
			if s.argsHash == r.argsHash || s.outcomeSig == r.outcomeSig {
				return false
			}
		}
		seen = append(seen, r)
	}
	return len(seen) >= 2
}

// CheckBefore judges a call that has not run yet, by the records alone; it changes nothing. The answer is to
// continue or to force a stop, and before Head always to continue.
func (d *Detector) CheckBefore(name, args string, readOnly bool) Verdict {
	proceed := Verdict{Action: "continue"}
	rev := d.cfg.Preset
	if rev != Head || !readOnly || isDupExempt(rev, name) || len(d.history) == 0 {
		return proceed
	}
	if n := d.stableActionTail(name, HashArgs(args)); n >= d.cfg.BeforeStableReadOnlyForce {
		v, _ := forceStop("before_stable_read_only", "", n)
		return v
	}
	if d.pingPongTail() >= d.cfg.BeforePingPongForce {
		if second := d.history[len(d.history)-2]; second.name == name && second.argsHash == HashArgs(args) {
			// The limit, not the count.
			v, _ := forceStop("before_ping_pong", "", d.cfg.BeforePingPongForce)
			return v
		}
	}
	if ToolFamily(rev, name) == "web" {
		if n := d.stableWebTail(); n >= d.cfg.BeforeStableWebForce {
			v, _ := forceStop("before_stable_web", "", n)
			return v
		}
	}
	return proceed
}
