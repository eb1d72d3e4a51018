package script

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// The things a .session file cannot hold, in the order of Losses.
const (
	lostParent = iota
	lostEnded
	lostOutcome
	lostHead
	lostModel
	lostTime
	lostFlags
	lostMessage
	lostFinishRaw
	lostCost
	lostCallID
	lostCallState
	lostMedia
	lostErrorText
	lostTruncated
	lostInput
	lostBoundary
	lostAttempt
	lossKinds
)

var lossNames = [lossKinds]string{
	lostParent:    "parents of sessions",
	lostEnded:     "ends of sessions, as times",
	lostOutcome:   "recorded outcomes of sessions",
	lostHead:      "labels, times or ends of sessions that do not fit on a line",
	lostModel:     "models of steps that are no responses",
	lostTime:      "times of steps, calls, results and attempts",
	lostFlags:     "flags of steps",
	lostMessage:   "details of messages, such as an id or several parts",
	lostFinishRaw: "finish words of the source",
	lostCost:      "costs",
	lostCallID:    "ids of calls",
	lostCallState: "states of calls",
	lostMedia:     "media in results",
	lostErrorText: "separate error texts of results",
	lostTruncated: "marks of results that the recording cut",
	lostInput:     "streamed arguments without recorded deltas",
	lostBoundary:  "boundaries between streamed parts",
	lostAttempt:   "details of attempts",
}

// Losses implements formats.Lossy.
func (w *writer) Losses() []formats.Loss {
	var list []formats.Loss
	for what, n := range w.losses {
		if n > 0 {
			list = append(list, formats.Loss{What: lossNames[what], N: n})
		}
	}
	return list
}

// lose counts one loss if it is one.
func (w *writer) lose(what int, is bool) {
	if is {
		w.losses[what]++
	}
}

func (w *writer) loseSession(s *transcript.Session) {
	w.lose(lostParent, s.Parent != "")
	w.lose(lostEnded, !s.Ended.IsZero())
	w.lose(lostOutcome, s.Recorded != transcript.Recorded{})
}

// loseStep counts what a step of any kind loses.
func (w *writer) loseStep(s *transcript.Step) {
	w.lose(lostModel, s.Kind != transcript.Response && s.Model != "" && s.Model != w.model)
	w.lose(lostTime, !s.Time.IsZero() || !s.Ended.IsZero())
	held := transcript.Synthetic
	if s.Kind == transcript.System || s.Kind == transcript.Compaction {
		held = 0
	}
	w.lose(lostFlags, s.Flags&^held != 0)
	w.lose(lostFinishRaw, s.FinishRaw != "" && s.FinishRaw != string(s.Finish) ||
		s.Finish != transcript.FinishUnknown && !slices.Contains(finishes, s.Finish))
	w.lose(lostCost, s.Usage.Cost != 0)
	if s.Kind == transcript.Response {
		return
	}
	// A prompt that the client made is written as what it is in effect: an
	// injection, which begins nothing.
	plain := len(s.Parts) == 0 || len(s.Parts) == 1 && s.Parts[0].Kind == transcript.Text && s.Parts[0].Cuts == nil
	w.lose(lostMessage, !plain || s.ID != "" || len(s.Calls) > 0 || len(s.Attempts) > 0 ||
		s.Usage.Known || s.Finish != "" ||
		s.Kind == transcript.Prompt && s.Has(transcript.Synthetic))
}

func (w *writer) loseCall(c *transcript.Call) {
	r := &c.Result
	w.lose(lostCallID, c.ID != "")
	w.lose(lostCallState, c.State != "" || c.Interrupted || c.Provider)
	w.lose(lostTime, !c.Time.IsZero() || !r.Time.IsZero())
	w.lose(lostMedia, len(r.Media) > 0)
	w.lose(lostErrorText, r.ErrorText != "")
	w.lose(lostTruncated, r.Truncated)
}

// loseAttempt counts what an attempt loses. n is the number it will be read with.
func (w *writer) loseAttempt(a *transcript.Attempt, n int) {
	w.lose(lostTime, !a.Time.IsZero())
	w.lose(lostAttempt, a.Headers != nil || a.Max != 0 || a.N != 0 && a.N != n || a.Retryable != nil ||
		a.Status < 0 || a.Status > maxStatus ||
		(a.Phase != "" || a.AfterCall) && attemptPhase(a) == "" ||
		cmp.Or(a.Name, a.Cause, a.Body, a.RequestID, a.Provider, a.Adapter, a.Error, a.Outcome) != "")
}

// isWord reports whether a name can be written without quotes.
func isWord(name string) bool {
	if name == "" || name == arrow || name[0] == '"' || name[0] == '#' || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f {
			return false
		}
	}
	return true
}
