package replay

import (
	"strings"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// An Intervention is what a live detector said or did, as the recording shows
// it: text that the harness put in front of the model between two steps.
type Intervention struct {
	Run, Step int // the step after which it came; from 1, 0 before the first. Run is -1 before the first of its lane
	Verdict   detectors.Verdict
}

// Words by which reminders about loops are told from other reminders. A prefix is
// Kocoro's mark for every message of its own (kocoro.md 5); the others are what
// such a reminder cannot do without.
const kocoroMark = "[system] "

var loopWords = []string{"repeat", "repetiti", "loop", "same tool", "same action", "no progress", "stuck", "identical call"}

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
			continue // a summary or a file that happens to use one of the words
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

// intervened takes in what the record says was delivered.
func (t *tally) intervened(l *lane, pos transcript.Pos) {
	v := Intervention{Run: int(pos.Run), Step: int(pos.Step), Verdict: detectors.Nudge}
	if !l.begun {
		v.Run = -1
	}
	t.out.Recorded = append(t.out.Recorded, v)
	for _, g := range t.groups {
		g.lanes[l.index].shown(pos.Step)
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
