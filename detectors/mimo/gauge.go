package mimo

import (
	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/stream"
)

// This file reads the measurements of the detectors that count as counts
// (detectors.Gauge). The classes of steps count nothing.

func gaugeRepeats(m repeats, l ngramLimits) detectors.Gauge {
	g := upTo(int64(m.Copies[l.n-1]), l.threshold, "copies of one block of words in a row")
	if l.tableExempt && m.Table {
		g.Passes = "the text is mostly a table"
	}
	return g
}

func gaugeGap(m gap, l silenceLimits) detectors.Gauge {
	return detectors.Gauge{Count: m.SilenceMs, Of: "ms between two chunks", First: int64(l.ms) + 1}
}

func gaugeSameText(m sameText, l textLoopLimits) detectors.Gauge {
	return upTo(int64(m.Streak), l.trigger, "steps in a row that say and do the same")
}

func gaugeSameAction(m sameAction, l actionLimits) detectors.Gauge {
	return upTo(int64(m.Steps), l.threshold, "steps in a row with the same calls")
}

func gaugeSameCalls(m sameCalls, l doomLimits) detectors.Gauge {
	return upTo(int64(m.Calls), l.threshold, "equal calls in a row in one response")
}

func gaugeNthCall(m nthCall, l floodLimits) detectors.Gauge {
	return detectors.Gauge{Count: int64(m.Calls), Of: "calls in one response", First: int64(l.limit) + 1}
}

// gaugeChars reads the row of the table that is nearest to its limit.
func gaugeChars(m loopedChars, l charLimits) (g detectors.Gauge) {
	table := stream.DefaultCharTable()
	rows := table.Outside
	if m.Inside {
		rows = table.Inside
	}
	g.Of = "copies of one block of characters at the end"
	for i, limit := range rows {
		if limit == 0 {
			continue
		}
		row := detectors.Gauge{Count: int64(m.Copies[i]), Of: g.Of, First: (int64(l.percent)*int64(limit) + 99) / 100}
		if row.Nearer(g) {
			g = row
		}
	}
	return g
}

// upTo is the gauge of a threshold that 0 turns off.
func upTo(n int64, threshold int, of string) detectors.Gauge {
	return detectors.Gauge{Count: n, Of: of, First: int64(threshold)}
}
