package replay

import (
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Cost is what came in a response after a fire in its stream: what a stop at once
// would have saved. It assumes the recorded continuation (tier C) and does not count
// the request that a recovery would have made instead.
type Cost struct {
	Chars  int64 // of the rest of the part, of later parts, and of arguments that have no part
	Tokens int64
	By     string        // how Tokens is known: ByUsage, or what the Counter says
	Time   time.Duration // from the fire to the last recorded delta; negative if times were not recorded
}

// ByUsage says that the tokens are the recorded output tokens of the response times
// the share of its characters that came after the fire. Thoughts that were paid for
// and not recorded are spread over the whole response.
const ByUsage = "usage"

// perToken is the most characters that one recorded output token is taken to stand
// for. Some session files hold the count of a response that had only begun, by which
// the rest of a long text would cost nothing. Where a token would stand for more
// characters the text is counted instead. No vocabulary comes near this number but
// for rows of one sign, which are then counted too.
const perToken = 10

// A Counter counts the tokens of a text, and says in a word how it did. It may be
// called from several goroutines.
type Counter func(text string) (tokens int64, by string)

// costOf is what came after byte offset of a part of a response. part is its index.
func costOf(s *transcript.Step, part, offset int, count Counter) *Cost {
	var rest []string
	c := &Cost{Time: -1}
	all := int64(0)
	piece := func(text string, after bool) {
		n := characters(text)
		if all += n; after {
			c.Chars += n
			rest = append(rest, text)
		}
	}
	placed := make([]bool, len(s.Calls))
	var fired, last time.Duration = -1, -1
	for i, p := range s.Parts {
		if p.Kind == transcript.ToolInput && p.Call < len(placed) {
			placed[p.Call] = true
		}
		switch {
		case i < part:
			piece(p.Text, false)
		case i == part:
			piece(p.Text[:offset], false)
			piece(p.Text[offset:], true)
		default:
			piece(p.Text, true)
		}
		for _, cut := range p.Cuts {
			if i == part && cut.End == offset {
				fired = cut.At
			}
			last = max(last, cut.At)
		}
	}
	for i := range s.Calls {
		if !placed[i] {
			piece(s.Calls[i].Args, true)
		}
	}
	if fired >= 0 {
		c.Time = last - fired
	}
	if s.Usage.Known && s.Usage.Output > 0 && all > 0 && all <= perToken*s.Usage.Output {
		c.Tokens, c.By = s.Usage.Output*c.Chars/all, ByUsage
		return c
	}
	c.Tokens, c.By = count(strings.Join(rest, ""))
	return c
}

// characters counts code points. A lone half of a surrogate pair counts as one.
func characters(text string) (n int64) {
	for i := range len(text) {
		if text[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// setCosts sets the cost of fires in the stream of a response.
func (count Counter) setCosts(fires []*Fire, s *transcript.Step) {
	if count == nil {
		return
	}
	for _, f := range fires {
		if f.Phase == detectors.InStream && f.Cost == nil { // points share fires
			f.Cost = costOf(s, f.Part, f.Offset, count)
		}
	}
}

// A follower looks at each response after its end, while its text is still there.
type follower struct {
	*Engine
	others   *otherTallies
	seen     []int // by point: how many fires it has looked at
	streamed bool  // the current response had deltas
	pos      transcript.Pos
}

// add takes the next event.
func (w *follower) add(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.Streamed:
		w.streamed = true
	case transcript.Responded:
		w.pos = ev.Pos
	}
}

// step completes the fires in the stream of the response that has just ended, and
// measures how near quiet responses came to a fire.
func (w *follower) step(t *tally, s *transcript.Step, heard bool) {
	if w.Count == nil && w.others == nil && w.Near == NotNear {
		return
	}
	if w.seen == nil {
		w.seen = make([]int, len(t.groupOf))
	}
	fires := func(point int) []*Fire { return t.groupOf[point].out.Fires[w.seen[point]:] }
	t.near(s, w.pos, heard, w.Near, fires)
	for i, g := range t.groupOf {
		if w.streamed {
			w.Count.setCosts(fires(i), s)
			w.others.recorded(s, i, w.seen[i], fires(i))
		}
		w.seen[i] = len(g.out.Fires)
	}
	w.streamed = false
}
