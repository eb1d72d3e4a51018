// Package taubench reads the results of tau-bench: a JSON array of
// {task_id, reward, info, traj, trial}, each one trial of one task and a session
// of its own, with a trajectory of OpenAI messages.
//
// Finding is done on brackets and quotes: they show where a result ends even if
// what is in it is not JSON, so one bad result does not cost the others. (A JSON
// decoder over the whole file was considered; it cannot go on after a mistake.)
// Each result is then read once for what stands around its messages, and the
// messages are left to package openai, one at a time.
package taubench

import (
	"groundhog/formats"
)

// Format reads results of tau-bench. tau2 writes another shape.
var Format = &formats.Format{
	Name: "tau-bench",
	Doc: `tau-bench results (JSON, JSONL)

An array of {"task_id", "reward", "info", "traj", "trial"}, or one such object a
line. Every result is a session; its user is simulated. Whether a call is an
error is inferred from the environment's words, "Error: ..." and "Unknown action
...". The text actions of act and react runs are read as calls.`,
	Sniff: sniff,
	Find:  find,
}

// The notes of this format.
const (
	noteNaN    = "NaN and infinite numbers, read as null"
	noteFailed = "the run broke off with an error and kept no messages"
)

func sniff(h *formats.Head) formats.Confidence {
	for _, r := range h.Records {
		if r.Has("task_id", "reward", "traj") {
			return formats.Certain
		}
	}
	return formats.No
}
