package overview

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/board"
)

// inside is what a preset does that looks into responses and from step to step.
// It has a table of its own: it asks about other things than the presets side by
// side, which not every session records.
func (d *Demo) inside(point int) report.Section {
	config := d.plan.Configs[d.plan.Points[point].Config]
	preset := config.Preset
	s := report.Section{
		Key:     "inside",
		Title:   preset.Name + ", inside responses and from step to step: right on loops, wrong on work",
		Doc:     precedence(preset) + ". of the sessions that record what the path looks at; – where none does.",
		Columns: report.Cols("path", "PATH", "on_loops", "ON LOOPS", "on_work", "ON WORK"),
	}
	for _, det := range preset.Detectors {
		if det.Off(preset.Set.With(config.Set)) {
			s.Add(report.PathName(det.Name)+" (off)", report.Null, report.Null)
			continue
		}
		loops, work := [2]int{}, [2]int{} // hit, seen
		for _, o := range d.all {
			l := d.labels.Of(o.Session.ID)
			if l == nil || o.Lacks(det) {
				continue
			}
			right, wrong := d.hits(o, point, det.Name)
			loops[0] += report.Bit(right)
			loops[1] += report.Bit(l.Class == corpus.Loop)
			work[0] += report.Bit(wrong)
			work[1] += report.Bit(l.Class == corpus.Productive)
		}
		s.Add(report.PathName(det.Name), report.Share(loops[0], loops[1]), report.Share(work[0], work[1]))
	}
	if c := d.longestRest(point); c != nil {
		s.Lines = c.lines(preset.Name)
	}
	return s
}

// A streamCut is where a response would have ended. Pieces are those of the demo's
// splitter, whether the deltas were recorded or made up.
type streamCut struct {
	session string
	fire    *replay.Fire
	part    transcript.PartKind
	unit    string // what the splitter calls a piece
	at, of  int    // pieces of the response
	block   string // what stands over and over before the cut; "" if it is never the same bytes
}

// longestRest is the cut, right on a loop, that leaves most of its response
// unsaid; the first of the corpus on a tie.
func (d *Demo) longestRest(point int) *streamCut {
	var best *streamCut
	for i, o := range d.all {
		l := d.labels.Of(o.Session.ID)
		for _, f := range o.Points[point].Fires {
			if f.Phase != detectors.InStream || f.After || f.Verdict < detectors.Nudge || l == nil ||
				board.Truth(l, f.Verdict, o, f) != corpus.Right {
				continue
			}
			if c := d.measure(d.Units[i], f); c != nil && (best == nil || c.of-c.at > best.of-best.at) {
				best = c
			}
		}
	}
	return best
}

// measure reads a session once more for the response that a fire lies in.
func (d *Demo) measure(u *formats.Unit, f *replay.Fire) *streamCut {
	s := responseAt(u, f.Pos)
	if s == nil || f.Part >= len(s.Parts) {
		return nil
	}
	c := &streamCut{session: u.Session.ID, fire: f, part: s.Parts[f.Part].Kind, unit: d.Split.Name}
	for i, p := range s.Parts {
		if p.Kind == transcript.ToolInput {
			continue
		}
		from := 0
		for piece := range d.Split.Cut(p.Text) {
			c.of++
			if i < f.Part || i == f.Part && from < f.Offset {
				c.at++
			}
			from += len(piece)
		}
	}
	c.block = repeated(s.Parts[f.Part].Text[:f.Offset], c.copies())
	return c
}

// responseAt is the response that a position lies in, or nil.
func responseAt(u *formats.Unit, at transcript.Pos) *transcript.Step {
	var cursor transcript.Cursor
	for s, err := range u.Read() {
		if err != nil {
			continue // named when it was replayed
		}
		for ev := range cursor.Events(s) {
			if ev.Kind == transcript.Responded && ev.Pos.Run == at.Run && ev.Pos.Step == at.Step {
				return s
			}
		}
	}
	return nil
}

// copies is how often the block stands there, as the detector counts.
func (c *streamCut) copies() int {
	for _, e := range c.fire.Evidence {
		if e.Name == "copies" {
			return int(e.Value)
		}
	}
	return 0
}

func (c *streamCut) lines(preset string) []string {
	where := map[transcript.PartKind]string{transcript.Text: "text", transcript.Thinking: "thinking"}[c.part]
	what := ""
	if c.block != "" {
		what = fmt.Sprintf(", after %d copies of %q", c.copies(), c.block)
	}
	return []string{
		fmt.Sprintf("%s, step %d: %s would have cut the response at %s %d of %d (byte %d of its %s)%s",
			c.session, c.fire.Pos.Step, report.PathName(c.fire.Detector), c.unit, c.at, c.of, c.fire.Offset, where, what),
		fmt.Sprintf("   → groundhog replay --demo --session %s --preset %s --format jsonl", c.session, preset),
	}
}

// longestBlock is how many characters of a block are shown.
const longestBlock = 80

// repeated is the shortest block that text ends in so many copies of, from the
// beginning of a word. A detector that compares words may see copies where the
// bytes differ: then there is none to show.
func repeated(text string, copies int) string {
	if copies < 3 {
		return ""
	}
	for n := 1; n*(copies-1) <= len(text); n++ {
		from := len(text) - n*(copies-1) // the first copy may lack the blank before it
		if text[from:len(text)-n] != text[from+n:] {
			continue
		}
		for from > 0 && text[from-1] == text[from-1+n] {
			from--
		}
		block := beginning(text[from : from+n])
		if !utf8.ValidString(block) {
			return ""
		}
		if r := []rune(block); len(r) > longestBlock {
			block = string(r[:longestBlock]) + "…"
		}
		return block
	}
	return ""
}

// begin turns a block that follows itself until it begins with a sentence, or
// else with a word.
func beginning(block string) string {
	word := -1
	for i := range block {
		before := block + block[:i]
		end := strings.TrimRightFunc(before, unicode.IsSpace)
		spaced := len(end) < len(before)
		last, _ := utf8.DecodeLastRuneInString(end)
		if strings.ContainsRune(sentenceEnds, last) && (spaced || last > unicode.MaxASCII) {
			return strings.TrimSpace(block[i:] + block[:i])
		}
		if spaced && word < 0 {
			word = i
		}
	}
	word = max(word, 0)
	return strings.TrimSpace(block[word:] + block[:word])
}

// sentenceEnds are the signs after which a sentence begins: where a blank
// follows, and in a script without blanks at once.
const sentenceEnds = ".!?。！？"
