package review

import (
	"slices"
	"strings"
	"unicode/utf8"

	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A Cut is a fire while a response streamed, with the text about the place.
// Before, the copies of Block, Tail and Rest are the text as it stands.
type Cut struct {
	Presets  []string `json:"presets"`
	Fire     *Fire    `json:"fire"`
	Part     int      `json:"part"`   // of the response
	Offset   int      `json:"offset"` // bytes into the part, where the delta ends
	Deltas   string   `json:"deltas"` // recorded, or reconstructed:SPLITTER
	Before   string   `json:"before"`
	Block    string   `json:"block"`  // what repeats, to the cut; "" if no bytes do
	Copies   int      `json:"copies"` // of Block, whole ones
	Tail     string   `json:"tail"`   // an incomplete copy before the cut
	Rest     string   `json:"rest"`   // the recording goes on
	Leftover int      `json:"left"`   // bytes of the response after the cut
}

const (
	maxCuts       = 6    // stream fires that are shown with their text
	aboutText     = 80   // characters of text before and after
	maxBlockBytes = 2000 // bytes of a block that are looked for
	leastCopy     = 3    // copies that make a block
)

// cuts shows the first stream fires.
func (r *reviewer) cuts() {
	if r.trace.Cut {
		return // the text may not be there
	}
	for config := range r.Presets {
		out, _ := r.trace.Of(config, "")
		for i, f := range out.Fires {
			if f.Phase != detectors.InStream || f.After {
				continue
			}
			name := r.Presets[config].Name
			same := slices.IndexFunc(r.Cuts, func(c Cut) bool {
				return c.Fire.Detector == f.Detector && c.Fire.Place == r.fires[config][i].Place && c.Part == f.Part &&
					c.Offset == f.Offset
			})
			if same >= 0 {
				if c := &r.Cuts[same]; !slices.Contains(c.Presets, name) {
					c.Presets = append(c.Presets, name)
				}
				continue
			}
			if len(r.Cuts) == maxCuts {
				r.note("more than %d fires inside responses: the others are not shown with their text", maxCuts)
				return
			}
			if s := r.step(f); s != nil {
				r.Cuts = append(r.Cuts, r.cut(name, f, r.fires[config][i], s))
			}
		}
	}
}

func (r *reviewer) step(f *replay.Fire) *transcript.Step {
	for i := range r.trace.Steps {
		s := &r.trace.Steps[i]
		if s.Kind == transcript.Response && s.Pos.Run == f.Pos.Run && s.Pos.Step == f.Pos.Step {
			return s.Step
		}
	}
	return nil
}

func (r *reviewer) cut(preset string, f *replay.Fire, shown *Fire, s *transcript.Step) Cut {
	c := Cut{Presets: []string{preset}, Fire: shown, Part: f.Part, Offset: f.Offset, Deltas: "recorded"}
	if !f.Recorded {
		c.Deltas = "reconstructed:" + r.options.Splitter
	}
	var before, rest strings.Builder
	for i, p := range s.Parts {
		switch {
		case p.Kind == transcript.ToolInput:
		case i < f.Part:
			before.WriteString(p.Text)
		case i == f.Part:
			at := min(f.Offset, len(p.Text)) // a text that was cut is shorter
			before.WriteString(p.Text[:at])
			rest.WriteString(p.Text[at:])
		default:
			rest.WriteString(p.Text)
		}
	}
	text := before.String()
	size, tail := lastBlock(text)
	if size > 0 {
		c.Tail = text[len(text)-tail:]
		text = text[:len(text)-tail]
		c.Block = text[len(text)-size:]
		for strings.HasSuffix(text, c.Block) {
			text = text[:len(text)-size]
			c.Copies++
		}
	}
	c.Before = lastOf(text, aboutText)
	c.Leftover = rest.Len()
	c.Rest = headOf(rest.String(), aboutText)
	return c
}

// lastBlock finds the shortest block of bytes of which the text, but for an
// incomplete copy, ends in several copies.
func lastBlock(text string) (size, tail int) {
	for size := 1; size <= maxBlockBytes && leastCopy*size <= len(text); size++ {
		n := 0 // bytes that equal those one block before
		for n < (leastCopy-1)*size+size-1 && len(text)-1-n-size >= 0 && text[len(text)-1-n] == text[len(text)-1-n-size] {
			n++
		}
		if n < (leastCopy-1)*size {
			continue
		}
		for n+size < len(text) && text[len(text)-1-n] == text[len(text)-1-n-size] {
			n++
		}
		tail := (n + size) % size
		return size, beginning(text, size, tail)
	}
	return 0, 0
}

// beginning moves the edge of the copies to where a sentence begins, if one does,
// so that the block reads as it was written, and at least to where a character does.
func beginning(text string, size, tail int) int {
	whole := 0
	for t := tail; t < tail+size && len(text)-t-leastCopy*size >= 0; t++ {
		at := len(text) - t
		if t > 0 && !utf8.RuneStart(text[at]) {
			continue
		}
		if whole == 0 {
			whole = t
		}
		before := strings.TrimRight(text[:at], " ")
		last, _ := utf8.DecodeLastRuneInString(before)
		if strings.ContainsRune(".!?\n。！？", last) && (t == 0 || text[at] != ' ') {
			return t
		}
	}
	return whole
}

// headOf is the first characters of a text.
func headOf(s string, n int) string {
	runes := []rune(s[:min(len(s), 4*n)])
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}

// lastOf is the last characters of a text.
func lastOf(s string, n int) string {
	if len(s) > 4*n {
		s = s[len(s)-4*n:]
	}
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return "…" + string(runes[len(runes)-n:])
}
