package steps

import (
	"strings"

	"groundhog/detectors/mimo/internal/js"
)

// Openings that a text may begin with and mean the same. One is dropped.
var openings = [...]string{"let me ", "i'll ", "i will ", "let's "}

// normalize is what two texts are compared by, without a limit to its length.
func normalize(s string) string {
	s = js.Collapse(js.Lower(js.Trim(s)))
	for _, opening := range openings {
		if rest, ok := strings.CutPrefix(s, opening); ok {
			return rest
		}
	}
	return s
}

// Normalize is the first limit code units of what two texts are compared by.
func Normalize(s string, limit int) string { return js.Cut(normalize(s), limit) }

// TextKey is what a step is compared by: its own text, cut to limit, and all its
// tools with their arguments as they were written. A step without text has none.
func TextKey(parts []Part, limit int) (string, bool) {
	var texts []string
	for i := range parts {
		if p := &parts[i]; p.Kind == Text && !p.Synthetic {
			texts = append(texts, p.Text)
		}
	}
	text := strings.Join(texts, " ")
	if js.Blank(text) {
		return "", false
	}
	key := []byte(Normalize(text, limit))
	sep := byte(0)
	for i := range parts {
		p := &parts[i]
		if p.Kind != Tool {
			continue
		}
		key = append(key, sep)
		key = append(key, p.Tool...)
		key = append(key, ':')
		key = append(key, p.json()...)
		sep = '|'
	}
	return string(key), true
}

// TextLoop is the open meter of cross_step_text_loop within one run.
//
// The original keeps a list of keys and fires at trigger t when the last t are
// equal; a reminder empties the list, a streak crop in its place does not. The
// list is the run of steps since it was last emptied, so a streak of t at a
// position t or more beyond the last reminder is the same thing: Position is an
// episode, and the rest after a win is t, or 1 if reminders leave the list alone.
// A list shorter than t never fires, which is no use to anybody; the meter has
// no such bound and answers every trigger.
type TextLoop struct {
	Limit int // code units of text that count

	last string
	seen TextStreak
}

// A TextStreak says how often the last key has come in a row, and how many
// keys the run has had.
type TextStreak struct {
	Streak   int
	Position int64
}

// Step takes in a step that made a request. It is false for a step without
// text, which neither continues nor breaks a streak and is never judged.
func (t *TextLoop) Step(parts []Part) (TextStreak, bool) {
	key, ok := TextKey(parts, t.Limit)
	if !ok {
		return TextStreak{}, false
	}
	if t.seen.Streak == 0 || key != t.last {
		t.last, t.seen.Streak = key, 0
	}
	t.seen.Streak++
	t.seen.Position++
	return t.seen, true
}

// Reset begins another run. The zero TextLoop apart from Limit has begun one.
func (t *TextLoop) Reset() { *t = TextLoop{Limit: t.Limit} }
