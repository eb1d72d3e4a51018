package mimo

import (
	"groundhog/detectors/mimo/internal/retry"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

// RetryCases are those that a replay can show on recorded failures.
var RetryCases = []policy.Case{
	{
		Policy: "mimo-2026-09",
		Title:  "a network error loses its kind when it is normalised",
		Doc: "the document says network, persistent; the code classifies the normalised error, in which code and cause " +
			"no longer stand, and says unknown: 8 retries in 15 min. " +
			"Replayed as the document means it; --set mimo/retry.network_by_metadata=false follows the code",
		Concerns: func(a *transcript.Attempt, _ *policy.Answer) bool { return lostInCode(a) },
	},
	{
		Policy: "mimo-2026-09",
		Title:  "a network error of a max-mode candidate or judge draws on the persistent budget",
		Doc: "the order of the budgets asks for the network before the scope, so that maxCandidate and maxJudge with " +
			"their 3 retries do not bound it; mimo-head asks for the scope first",
		Concerns: func(_ *transcript.Attempt, w *policy.Answer) bool {
			return w.Budget == "network" && (w.Decision.Scope == retry.ScopeCandidate || w.Decision.Scope == retry.ScopeJudge)
		},
	},
	{
		Policy: "mimo-2026-09",
		Title:  "the rate-limit budget ends after 15 min, which the document does not mention",
		Doc: "the document has 5 retries of up to 5 min each and no deadline; with the one of the code, the third " +
			"wait of 5 min is not begun",
		Concerns: func(_ *transcript.Attempt, w *policy.Answer) bool { return w.Budget == "rateLimit" },
	},
	{
		Policy: "mimo-head",
		Title:  "a stop after a tool call does not end the run",
		Doc: "if a tool has completed and none is pending, no error is written: the step counts as finished and the " +
			"loop goes on with the next. " +
			"A recording seldom says which calls of a broken answer were carried out",
		Concerns: func(_ *transcript.Attempt, w *policy.Answer) bool { return w.Stop == policy.StopUnsafe },
	},
}

// lostInCode reports whether a failure is a network error that the code of
// 2026-09 takes for something else.
func lostInCode(a *transcript.Attempt) bool {
	e, _ := errorOf(a)
	return retry.LostNetwork(e, retry.Version{})
}
