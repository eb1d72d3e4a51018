package kocoro

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// This file says how far each path can see. What a path counts is in the window,
// so every count from 1 to its size is listed, with the shortest session that
// leads to it: each call a step of its own, no signals, names that no mapping
// touches. Where several calls lead to one count, those are listed that a judge
// could tell apart.

// An act is one call of such a session.
type act struct {
	tool, args, text string
	failed           bool
}

// widest is the largest window whose counts are listed. Nobody has a larger one,
// and of such a one nothing is said.
const widest = 1024

// bounded is a list of extremes, and nil where the window is too wide.
func bounded[M any](w *window, list detectors.Extremes[M]) detectors.Extremes[M] {
	if w.size > widest {
		return nil
	}
	return list
}

// note is a call that no path minds. A session needs one where it is too short
// for any path to speak.
var note = act{tool: "note", args: `{}`, text: "noted"}

func (a act) step() *transcript.Step {
	c := transcript.Call{Tool: a.tool, Args: a.args, Result: transcript.Result{Status: transcript.ResultOK, Text: a.text}}
	if a.failed {
		c.Result.Status = transcript.ResultError
	}
	return &transcript.Step{Kind: transcript.Response, Finish: transcript.FinishToolCalls, Calls: []transcript.Call{c}}
}

// acts are the steps of n calls, with a note before them where there is only one.
func acts(n int, at func(i int) act) func() []*transcript.Step {
	return func() []*transcript.Step {
		var list []*transcript.Step
		if n == 1 {
			list = append(list, note.step())
		}
		for i := range n {
			list = append(list, at(i).step())
		}
		return list
	}
}

// asIs repeats one act.
func asIs(a act) func(int) act { return func(int) act { return a } }

// varied numbers the arguments of an act, up to so many different ones.
func varied(a act, different int) func(int) act {
	return func(i int) act {
		a := a
		a.args = `{"item":"` + letters(i%max(different, 1)) + `"}`
		return a
	}
}

// letters is a number in letters: digits might be masked.
func letters(i int) string {
	w := string(rune('a' + i%26))
	for i /= 26; i > 0; i /= 26 {
		w = string(rune('a'+i%26)) + w
	}
	return w + "-item"
}

// rows lists every count from 1 to the size of the window.
func rows[M any](w *window, measure func(n int) M, at func(i int) act) detectors.Extremes[M] {
	return bounded(w, func(yield func(detectors.Extreme[M]) bool) {
		if w.size < 2 {
			return // no path speaks about fewer than two calls
		}
		for n := 1; n <= w.size; n++ {
			if !yield(detectors.Extreme[M]{M: measure(n), Size: max(n, 2), Session: acts(n, at)}) {
				return
			}
		}
	})
}

// once is a path that sees something or does not.
func once[M any](w *window, m M, list ...act) detectors.Extremes[M] {
	return func(yield func(detectors.Extreme[M]) bool) {
		if w.size >= 2 {
			yield(detectors.Extreme[M]{M: m, Size: len(list), Session: acts(len(list), func(i int) act { return list[i] })})
		}
	}
}

func concat[M any](w *window, lists ...detectors.Extremes[M]) detectors.Extremes[M] {
	return bounded(w, func(yield func(detectors.Extreme[M]) bool) {
		for _, list := range lists {
			for e := range list {
				if !yield(e) {
					return
				}
			}
		}
	})
}

// The acts that the sessions are made of.
var (
	update   = act{tool: "board_update", args: `{"card":"a"}`, text: "updated"}
	failing  = act{tool: "board_update", args: `{"card":"a"}`, text: "connection refused", failed: true}
	refused  = act{tool: "board_update", args: `{}`, text: validationMarker + " card is required", failed: true}
	reading  = act{tool: "file_read", args: `{"path":"a"}`, text: "1 line"}
	reading2 = act{tool: "file_read", args: `{"path":"b"}`, text: "2 lines"}
	command  = act{tool: "bash", text: "done"}
	pages    = act{tool: "web_fetch", text: "an answer"}
	clicks   = act{tool: "browser_click", text: "now on https://app.example/orders"}
	script   = act{tool: "applescript", args: `{"script":"open the window"}`, text: "opened"}
	look     = act{tool: "screenshot", args: `{}`, text: "[screenshot]"}
	thought  = act{tool: "think", args: `{"thought":""}`, text: "ok"}
)
