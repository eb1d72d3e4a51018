package steps

// RepeatedAction is the open meter of repeated_action over a session. User
// messages do not break a streak, so it never begins anew.
//
// The reminder of mimo-2026-09 is added to each request while the streak lasts:
// no episode. That of mimo-head is stored once for each user message, genuine or
// not: an episode by Message, with a rest of 1.
type RepeatedAction struct {
	last string
	seen ActionStreak
}

// An ActionStreak says how many of the last finished steps had the same tools
// with the same arguments, and how many user messages there were: the last of
// them is the one that a reminder would go to.
type ActionStreak struct {
	Streak  int
	Message int64
}

// User takes in a message of the user's role, synthetic ones included.
func (r *RepeatedAction) User() { r.seen.Message++ }

// Step takes in a step. One that did not finish leaves no trace; a finished one
// without tools ends the streak.
func (r *RepeatedAction) Step(finished bool, parts []Part) {
	if !finished {
		return
	}
	signature, ok := Signature(parts)
	if !ok {
		r.last, r.seen.Streak = "", 0
		return
	}
	if signature != r.last {
		r.last, r.seen.Streak = signature, 0
	}
	r.seen.Streak++
}

// Measure is the state before the next request. It is false if there is no
// streak to judge.
func (r *RepeatedAction) Measure() (ActionStreak, bool) { return r.seen, r.seen.Streak > 0 }
