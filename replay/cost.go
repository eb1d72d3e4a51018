package replay

import (
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// A Cost is what came in a response after a fire in its stream: what a stop at
// once would have saved. It is conditional (tier C): the rest is that of the
// recording, and nothing is said about the request that a recovery would have
// made instead.
type Cost struct {
	Chars  int64 // of the rest of the part, of later parts, and of arguments that have no part
	Tokens int64
	By     string        // how Tokens is known: ByUsage, or what the Counter says
	Time   time.Duration // from the fire to the last recorded delta; negative if not recorded
}

// ByUsage says that tokens are the recorded output tokens of the response times
// the share of its characters that came after the fire. Thoughts that were paid
// for and not recorded spread over the whole.
const ByUsage = "usage"

// perToken is how many characters a recorded output token stands for at most. Session
// files of agents may hold the count of a response that has only begun: with that,
// the rest of a long text would come out as nothing. Where one token is to stand for
// more than so many characters the text is counted instead. No vocabulary comes near
// it, but for rows of one sign, which are counted as well then.
const perToken = 10

// A Counter counts the tokens of a text, and says in a word how.
type Counter func(text string) (tokens int64, by string)

// costOf is what came after a byte of a part of a response.
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

// characters counts code points, a lone half of a surrogate pair as one.
func characters(text string) (n int64) {
	for i := range len(text) {
		if text[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// of sets the cost of fires in the stream of a response.
func (count Counter) of(fires []*Fire, s *transcript.Step) {
	if count == nil {
		return
	}
	for _, f := range fires {
		if f.Phase == detectors.InStream && f.Cost == nil { // points share fires
			f.Cost = costOf(s, f.Part, f.Offset, count)
		}
	}
}

// A follower looks at each response once it has ended, while its text is still
// there.
type follower struct {
	*Engine
	beside   *beside
	seen     []int // by point: fires that were looked at
	streamed bool  // the current response had deltas
	pos      transcript.Pos
}

// add notes what the current response is.
func (w *follower) add(ev *transcript.Event) {
	switch ev.Kind {
	case transcript.Streamed:
		w.streamed = true
	case transcript.Responded:
		w.pos = ev.Pos
	}
}

// step completes the fires in the stream of the response that has just ended, and
// measures how close the quiet ones came.
func (w *follower) step(t *tally, s *transcript.Step, heard bool) {
	if w.Count == nil && w.beside == nil && w.Near == NotNear {
		return
	}
	if w.seen == nil {
		w.seen = make([]int, len(t.of))
	}
	fires := func(point int) []*Fire { return t.of[point].out.Fires[w.seen[point]:] }
	t.near(s, w.pos, heard, w.Near, fires)
	for i, g := range t.of {
		if w.streamed {
			w.Count.of(fires(i), s)
			w.beside.recorded(s, i, w.seen[i], fires(i))
		}
		w.seen[i] = len(g.out.Fires)
	}
	w.streamed = false
}
