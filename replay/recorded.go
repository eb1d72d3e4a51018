package replay

import (
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// An Intervention is what a detector that was live while the session was recorded told
// the model: text that the harness put in front of it between two steps.
type Intervention struct {
	Run  int // -1 before the first run of its lane
	Step int // the step after which it came, from 1; 0 before the first
	// Verdict is Nudge: no recording shows more.
	Verdict detectors.Verdict
}

// kocoroMark begins every message that Kocoro itself puts before the model.
const kocoroMark = "[system] "

// loopWords are words without which no reminder about a loop is written.
var loopWords = []string{
	"repeat", "repetiti", "loop", "same tool", "same action", "no progress", "stuck", "identical call",
}

// intervention reports whether an injected text is a nudge by a loop detector.
func intervention(s *transcript.Step) bool {
	if s.Kind != transcript.Injection {
		return false
	}
	for i := range s.Parts {
		text := strings.ToLower(s.Parts[i].Text)
		if strings.HasPrefix(text, kocoroMark) {
			return true
		}
		if len(text) > maxReminder {
			continue // a summary or a file in which one of the words stands
		}
		for _, w := range loopWords {
			if strings.Contains(text, w) {
				return true
			}
		}
	}
	return false
}

// maxReminder bounds a reminder without a mark, in bytes.
const maxReminder = 600

// intervened notes a nudge that the record shows.
func (t *tally) intervened(l *lane, pos transcript.Pos) {
	v := Intervention{Run: int(pos.Run), Step: int(pos.Step), Verdict: detectors.Nudge}
	if !l.begun {
		v.Run = -1
	}
	t.out.Recorded = append(t.out.Recorded, v)
	for _, g := range t.groups {
		g.lanes[l.index].recorded(pos.Step)
	}
}

// stoppedByDetector reports whether the record says that a loop detector ended it.
func stoppedByDetector(s *transcript.Session) bool {
	if s.End != transcript.EndLimit && s.End != transcript.EndError {
		return false
	}
	status := strings.ToLower(s.Recorded.ExitStatus)
	for _, w := range []string{"loop", "stuck", "repetition"} {
		if strings.Contains(status, w) {
			return true
		}
	}
	return false
}
