package steps

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"groundhog/detectors/mimo/internal/js"
)

// StreakKey is what thinking_streak compares a message by: its reasoning, or,
// where it has none, its tools. The empty key is that of a message with neither.
// Recordings that hide reasoning fall back to tools, too; byTools says so.
func StreakKey(parts []Part) (key string, byTools bool) {
	var thought strings.Builder
	for i := range parts {
		if parts[i].Kind == Reasoning {
			thought.WriteString(parts[i].Text)
		}
	}
	if text := normalize(thought.String()); text != "" {
		sum := sha256.Sum256([]byte(wellFormed(text)))
		return "reason:" + hex.EncodeToString(sum[:8]), false
	}
	if signature, ok := Signature(parts); ok {
		return "tool:" + signature, true
	}
	return "", false
}

// wellFormed is s as an encoder writes it: U+FFFD for a lone surrogate.
func wellFormed(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	dst := make([]byte, 0, len(s))
	for s != "" {
		r, n := js.Decode(s)
		s = s[n:]
		dst = utf8.AppendRune(dst, r)
	}
	return string(dst)
}

// Blocks is the weight of a message in a provider's cache: a tool is a call and
// a result.
func Blocks(parts []Part) (n int) {
	for i := range parts {
		switch parts[i].Kind {
		case Tool:
			n += 2
		case Text, Reasoning:
			n++
		}
	}
	return n
}

// cacheBlocks is the number of blocks that a provider looks back to find what
// it has cached.
const cacheBlocks = 20

// ThinkingStreak is thinking_streak over a session. It is closed: what a crop
// took out of the model's view stays out, so the next streak is counted in what
// is left, and steps on either side of a crop become neighbours. Trigger and
// MaxSpan are therefore set before the first message.
//
// Messages are named by their positions, from 0, over both roles. A crop never
// grows: it takes out what has its key between its ends, and every later
// message lies beyond them. So the messages in view are a slice that only loses
// entries near its end, and a message counts its streak once, when it comes.
type ThinkingStreak struct {
	Trigger int // fewer than 2 never fires
	MaxSpan int

	view    []seen
	last    int // index in view of the last message that counts, +1
	next    int // position of the next message
	user    int // of the newest user message, +1
	newest  int // of the newest finished assistant, in view or not, +1
	blocks  int // in view
	omitted []int
	cropped map[[sha256.Size]byte]bool // keys that some crop had
}

// A seen is a message in view.
type seen struct {
	at      int
	user    bool
	answers bool // ends on the wire with what a tool said
	counts  bool // finished, and has a key
	byTools bool
	key     [sha256.Size]byte // of the key; zero without one
	blocks  int
	streak  int // equal keys in a row that end here, of those that count
}

// A Crop is what a request left out, compared with the one before it, and what
// it was about to send. It is flat; without Made the rest up to CacheRisk is zero.
type Crop struct {
	Made             bool
	From, To         int // positions of the first and the last message left out
	Anchor           int // position of the last one before From that counts; -1 if none
	Steps            int // messages left out
	OmittedBlocks    int
	KeptBlocks       int
	RemainingSimilar int // messages before From with the same key
	Truncated        bool
	ByTools          bool // the key is one of tools
	CacheRisk        bool

	Reapplied int  // messages that earlier crops keep out
	Continue  bool // the request ends with the assistant and needs a word of the user
}

// User takes in a message of the user's role, synthetic ones included, and
// returns its position.
func (t *ThinkingStreak) User(parts []Part) int {
	at := t.add(seen{user: true, blocks: Blocks(parts)})
	t.user = t.next
	return at
}

// Step takes in an assistant's message and returns its position. Again says
// that an earlier crop had its key: the loop went on, as recorded, without the
// crop, and this step is one that the crop may have avoided.
func (t *ThinkingStreak) Step(finished bool, parts []Part) (at int, again bool) {
	m := seen{blocks: Blocks(parts), answers: hasClientTool(parts)}
	key, byTools := StreakKey(parts)
	if key != "" {
		m.key, m.byTools = sha256.Sum256([]byte(key)), byTools
		again = t.cropped[m.key]
	}
	if finished && key != "" {
		m.counts, m.streak = true, 1
		if t.last > 0 && t.view[t.last-1].key == m.key {
			m.streak += t.view[t.last-1].streak
		}
	}
	at = t.add(m)
	if m.counts {
		t.last = len(t.view)
	}
	if finished {
		t.newest = t.next
	}
	return at, again
}

func (t *ThinkingStreak) add(m seen) int {
	m.at = t.next
	t.next++
	t.blocks += m.blocks
	t.view = append(t.view, m)
	return m.at
}

// before is the index in view of the last message before i that counts, or -1.
func (t *ThinkingStreak) before(i int) int {
	for i--; i >= 0 && !t.view[i].counts; i-- {
	}
	return i
}

// Request stands before each request. It makes a crop if there is one to make.
func (t *ThinkingStreak) Request() Crop {
	c := Crop{Reapplied: len(t.omitted)}
	if last := t.last - 1; t.fires(last) {
		t.crop(last, &c)
	}
	if n := len(t.view); n > 0 {
		c.Continue = !t.view[n-1].user && !t.view[n-1].answers
	}
	return c
}

// fires reports whether the last message that counts ends a streak. It must be
// the newest finished one of all, and newer than what the user said.
func (t *ThinkingStreak) fires(last int) bool {
	return t.Trigger >= 2 && last >= 0 && t.user > 0 && t.newest > t.user &&
		t.view[last].at == t.newest-1 && t.view[last].streak >= t.Trigger
}

func (t *ThinkingStreak) crop(last int, c *Crop) {
	end := t.view[last]
	length := min(end.streak, max(t.MaxSpan, 1))
	from := last
	for range length - 1 {
		from = t.before(from)
	}
	c.Made, c.From, c.To, c.Anchor = true, t.view[from].at, end.at, -1
	c.Truncated = end.streak > length
	c.ByTools = end.byTools
	if t.last = t.before(from) + 1; t.last > 0 {
		c.Anchor = t.view[t.last-1].at
	}
	for i := range t.view[:from] {
		if t.view[i].key == end.key { // a user message has no key
			c.RemainingSimilar++
		}
	}
	kept := t.view[:from]
	for i, m := range t.view[from:] {
		if from+i <= last && m.key == end.key {
			c.Steps++
			c.OmittedBlocks += m.blocks
			t.omitted = append(t.omitted, m.at)
			continue
		}
		kept = append(kept, m)
	}
	t.view = kept
	t.blocks -= c.OmittedBlocks
	c.KeptBlocks = t.blocks
	c.CacheRisk = c.OmittedBlocks > cacheBlocks
	if t.cropped == nil {
		t.cropped = make(map[[sha256.Size]byte]bool)
	}
	t.cropped[end.key] = true
	t.mark()
}

// mark stores the crop: one more text part, empty, in the newest user message.
func (t *ThinkingStreak) mark() {
	for i := range slices.Backward(t.view) {
		if t.view[i].user {
			t.view[i].blocks++
			t.blocks++
			return
		}
	}
}

// Compact takes everything out of view: a compaction leaves none of it in the
// list of messages. What stands for it is a message of the user, to be taken in
// next.
func (t *ThinkingStreak) Compact() {
	t.view, t.omitted, t.last, t.blocks = t.view[:0], t.omitted[:0], 0, 0
}

// Omitted lists the positions of the messages that crops keep out, in the order
// in which they did. The caller must not change it.
func (t *ThinkingStreak) Omitted() []int { return t.omitted }
