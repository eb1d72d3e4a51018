package steps

// This file follows the text of the specification as it stands, with lists that
// are walked again for each request. The meters are compared with it.

// openTextLoop is the open meter with what an arbiter does: a pause after a
// win, a ladder, and silence in a step where a crop was delivered.
type openTextLoop struct {
	TextLoop
	trigger    int
	recoveries int
	clears     bool

	spent   int64 // position of the last win; 0: none
	wins    int
	stopped bool
}

func (o *openTextLoop) reset() {
	o.TextLoop.Reset()
	o.spent, o.wins, o.stopped = 0, 0, false
}

func (o *openTextLoop) step(parts []Part, cropped bool) TextAction {
	if o.stopped {
		return TextEnded
	}
	m, ok := o.Step(parts)
	if !ok {
		return TextSkip
	}
	rest := int64(1)
	if o.clears {
		rest = int64(o.trigger)
	}
	if cropped || m.Streak < o.trigger || o.spent > 0 && m.Position < o.spent+rest {
		return TextNone
	}
	o.spent = m.Position
	o.wins++
	switch {
	case o.wins > o.recoveries:
		o.stopped = true
		return TextStop
	case o.wins == 1:
		return TextMild
	default:
		return TextStrong
	}
}

// A message is one of the list that requests are made of.
type message struct {
	at       int
	user     bool
	finished bool
	parts    []Part
	crops    []span // stored on a user message
}

func (m *message) key() string {
	if m.user {
		return ""
	}
	key, _ := StreakKey(m.parts)
	return key
}

type entry struct {
	at  int
	key string
}

type span struct {
	from, to, anchor int
	key              string
	length           int
	truncated        bool
}

func crops(list []message) (all []span) {
	for i := range list {
		if list[i].user {
			all = append(all, list[i].crops...)
		}
	}
	return all
}

// replay is step 1.
func replay(list []message) (kept, omitted []message) {
	kept, omitted = []message{}, []message{}
	all := crops(list)
	for _, m := range list {
		out := false
		for _, c := range all {
			out = out || !m.user && m.at >= c.from && m.at <= c.to && m.key() == c.key
		}
		if out {
			omitted = append(omitted, m)
		} else {
			kept = append(kept, m)
		}
	}
	return kept, omitted
}

// detect is the core of step 2. An empty key equals nothing, not even another;
// the session passes over messages that have one, the core itself does not.
func detect(list []entry, trigger, maxSpan int) *span {
	if trigger < 2 || len(list) < trigger || list[len(list)-1].key == "" {
		return nil
	}
	last := list[len(list)-1]
	n := 0
	for n < len(list) && list[len(list)-1-n].key == last.key {
		n++
	}
	if n < trigger {
		return nil
	}
	sp := &span{to: last.at, key: last.key, anchor: -1}
	if n > maxSpan {
		n, sp.truncated = maxSpan, true
	}
	sp.length = n
	sp.from = list[len(list)-n].at
	if before := len(list) - n - 1; before >= 0 {
		sp.anchor = list[before].at
	}
	return sp
}

// crop is step 3, without storing it.
func crop(list []message, sp span, keyEqual bool) (kept, omitted []message, c Crop) {
	kept, omitted = []message{}, []message{}
	for _, m := range list {
		if !m.user && m.at < sp.from && m.key() == sp.key {
			c.RemainingSimilar++
		}
		if !m.user && m.at >= sp.from && m.at <= sp.to && (!keyEqual || m.key() == sp.key) {
			omitted = append(omitted, m)
			c.OmittedBlocks += Blocks(m.parts)
		} else {
			kept = append(kept, m)
			c.KeptBlocks += Blocks(m.parts)
		}
	}
	c.Steps = len(omitted)
	c.From, c.To, c.Anchor, c.Truncated = sp.from, sp.to, sp.anchor, sp.truncated
	c.CacheRisk = c.OmittedBlocks > 20
	return kept, omitted, c
}

// literalStreak is thinking_streak over a session.
type literalStreak struct {
	trigger, maxSpan int
	all              []message
}

func (l *literalStreak) user(parts []Part) {
	l.all = append(l.all, message{at: len(l.all), user: true, parts: parts})
}

func (l *literalStreak) step(finished bool, parts []Part) {
	l.all = append(l.all, message{at: len(l.all), finished: finished, parts: parts})
}

func (l *literalStreak) request() Crop {
	newest, user := -1, -1
	for i, m := range l.all {
		switch {
		case m.user:
			user = i
		case m.finished:
			newest = i
		}
	}
	view, omitted := replay(l.all)
	var c Crop
	if user >= 0 && newest > user {
		var list []entry
		for i := range view {
			if view[i].finished && view[i].key() != "" {
				list = append(list, entry{view[i].at, view[i].key()})
			}
		}
		if sp := detect(list, l.trigger, l.maxSpan); sp != nil && sp.to == newest {
			var out []message
			view, out, c = crop(view, *sp, true)
			if len(out) > 0 {
				c.Made = true
				_, c.ByTools = StreakKey(out[len(out)-1].parts)
				l.all[user].crops = append(l.all[user].crops, *sp)
				l.all[user].parts = append(l.all[user].parts[:len(l.all[user].parts):len(l.all[user].parts)], Part{Kind: Text, Synthetic: true, Ignored: true})
			}
		}
	}
	c.Reapplied = len(omitted)
	if n := len(view); n > 0 {
		c.Continue = !view[n-1].user && !hasClientTool(view[n-1].parts)
	}
	return c
}

// repeats is repeated_action: walk back to the first finished message without tools.
func repeats(list []message, threshold int) bool {
	var signatures []string
	for i := len(list) - 1; i >= 0 && len(signatures) < threshold; i-- {
		m := list[i]
		if m.user || !m.finished {
			continue
		}
		signature, ok := Signature(m.parts)
		if !ok {
			break
		}
		signatures = append(signatures, signature)
	}
	for _, s := range signatures {
		if s != signatures[0] {
			return false
		}
	}
	return len(signatures) > 0 && len(signatures) >= threshold
}

// literalDoom is doom_loop over the parts of one message.
type literalDoom struct{ parts []literalPart }

type literalPart struct {
	id      string
	tool    bool
	running bool
	call    Part
}

func (l *literalDoom) add(p literalPart) { l.parts = append(l.parts, p) }

func (l *literalDoom) call(id string, call Part, threshold int) bool {
	for i := range l.parts {
		if l.parts[i].tool && l.parts[i].id == id {
			l.parts[i].running, l.parts[i].call = true, call
		}
	}
	if len(l.parts) < threshold {
		return false
	}
	for _, p := range l.parts[len(l.parts)-threshold:] {
		if !p.tool || !p.running || p.call.Tool != call.Tool || p.call.json() != call.json() {
			return false
		}
	}
	return true
}
