package kocoro

import (
	"fmt"

	"groundhog/detectors"
)

// This file reads the measurements of all paths as counts (detectors.Gauge).

func gaugeEmptyThinks(m emptyThinks, l emptyThinkLimits) detectors.Gauge {
	return detectors.Gauge{Count: int64(m.Thinks), Of: "empty thinks in a row", First: int64(l.stop), Stop: int64(l.stop)}
}

func gaugeRefusals(m refusals, l validationLimits) detectors.Gauge {
	g := detectors.Gauge{Count: int64(m.Refused), Of: "identical calls in a row, refused for their arguments", First: int64(l.stop), Stop: int64(l.stop)}
	if m.Refused < m.Calls {
		g.Passes = fmt.Sprintf("%d of the %d identical calls ended otherwise", m.Calls-m.Refused, m.Calls)
	}
	return g
}

func gaugeRun(m run, l consecutiveLimits) detectors.Gauge {
	if m.ReadOnly {
		return countedOnce(m.Same, l.readNudge, l.readStop, "identical reads in a row with one outcome")
	}
	limit := l.limit(m)
	return counted(m.Calls, limit, limit+l.over, "identical calls in a row"+allFailed(m.Failed, m.Calls))
}

func gaugeAlternation(m alternation, l pingPongLimits) detectors.Gauge {
	return countedOnce(m.Calls, l.nudge, l.stop, "calls of two in turn, with nothing new")
}

func gaugeDuplicates(m duplicates, l exactLimits) detectors.Gauge {
	limit := l.limit(m)
	if !m.ReadOnly {
		return counted(m.Calls, limit, limit*l.forceFactor, "identical calls in the window"+allFailed(m.Failed, m.Calls))
	}
	g := countedOnce(m.Same, limit, limit*l.forceFactor, "identical reads in the window with one outcome")
	if m.Same == limit && m.Row >= m.Same && m.Same < limit*l.forceFactor {
		g.Passes = "they stand in one row, which is left to consecutive_duplicate"
	}
	return g
}

func gaugeToolErrors(m toolErrors, l toolErrorLimits) detectors.Gauge {
	return counted(m.Errors, l.nudge, l.nudge*l.forceFactor, "errors of one tool in the window")
}

func gaugeFamily(m familyProgress, l familyLimits) detectors.Gauge {
	const shared = "calls of one family that share a topic or URLs"
	var g detectors.Gauge
	if m.Page {
		g = counted(m.Progress, l.page, l.page, "calls that stay on one page")
	} else {
		g = counted(m.Progress, min(l.nudge, l.nudge2), l.stop, shared)
	}
	if m.Fallback {
		g = counted(m.Calls, l.fallbackNudge, l.fallbackStop, "calls of one tool without a topic or URL to compare")
	}
	if m.Stable > 0 {
		if s := counted(m.Stable, l.stable, l.stable, "web reads in a row that gave the same URLs"); m.Stable >= l.stable || s.Nearer(g) {
			g = s
		}
	}
	return g
}

func gaugeSearches(m searches, l searchLimits) detectors.Gauge {
	return counted(m.Streak, l.nudge, l.stop, "searches in a row without a result to act on")
}

func gaugeUses(m uses, l noProgressLimits) detectors.Gauge {
	limit := l.limit(m)
	g := counted(m.Calls, limit, limit*l.forceFactor, "calls of one tool in the window")
	switch {
	case m.Progress:
		g.Passes = "each of them succeeded, only read, and found something of its own"
	case m.Tolerant && 100*m.Distinct >= l.uniquePercent*m.Calls:
		g.Passes = fmt.Sprintf("%d of them have arguments of their own, and the tool may repeat while %d%% have", m.Distinct, l.uniquePercent)
	}
	return g
}

func gaugeSleeps(m sleeps, l sleepLimits) detectors.Gauge {
	return counted(m.Sleeps, l.nudge, l.stop, "sleeping commands in the window")
}

func gaugeBeforeStableReadOnly(m stableReads, l stableReadsLimits) detectors.Gauge {
	return counted(m.Calls, l.block, 0, "identical reads in a row with one outcome, before this one")
}

func gaugeBeforePingPong(m alternatingReads, l alternatingReadsLimits) detectors.Gauge {
	return counted(m.Calls, l.block, 0, "calls of two in turn, with nothing new, before this one")
}

func gaugeBeforeStableWeb(m stableWebReads, l stableWebReadsLimits) detectors.Gauge {
	return counted(m.Calls, l.block, 0, "web reads in a row that gave the same URLs, before this one")
}

// counted is the gauge of nudgeOrStop.
func counted(n, nudge, stop int, of string) detectors.Gauge {
	g := detectors.Gauge{Count: int64(n), Of: of, First: int64(nudge), Stop: int64(stop)}
	if stop > 0 {
		g.First = min(g.First, g.Stop)
	}
	return g
}

// countedOnce is the gauge of onceThenStop.
func countedOnce(n, nudge, stop int, of string) detectors.Gauge {
	g := counted(n, nudge, stop, of)
	if n > nudge && n < stop {
		g.First = int64(stop) // the nudge came at one count alone
	}
	return g
}

func allFailed(failed, n int) string {
	if failed == n {
		return ", all failed"
	}
	return ""
}
