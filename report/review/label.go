package review

import (
	"fmt"
	"strings"

	"groundhog/replay"
	"groundhog/replay/transcript"
)

// suggestLabel writes a label that a reviewer might start from. It looks at the
// calls alone and at no detector, so that labels do not come from what they are
// to judge. It is never stored by itself, and nobody has reviewed it.
func suggestLabel(tr *replay.Trace) string {
	var out strings.Builder
	out.WriteString("# a draft from the calls alone: groundhog stores it nowhere, and nobody has reviewed it\n")
	fmt.Fprintf(&out, "session: %q\n", tr.Outcome.Session.ID)
	spans := repetitions(tr)
	if len(spans) == 0 {
		out.WriteString("class: unlabelled       # nothing repeats as a whole; productive, if you agree, needs reviewed: " +
			"full\n")
		out.WriteString("reviewed: none\nsource: weak\nspans: []\n")
		return out.String()
	}
	out.WriteString("class: loop             # or productive without spans, if the repetition is work\n")
	out.WriteString("reviewed: none          # full, once you have read it\nsource: weak            # human, once you " +
		"have read it\nspans:\n")
	for _, s := range spans {
		fmt.Fprintf(&out, "  - {run: %d, onset: %d, ideal_stop_after: %d, end: %d, shape: %s}  # %s\n", s.run, s.onset,
			s.onset, s.end, s.shape, s.why)
	}
	return out.String()
}

// A repetition is a stretch of calls that repeats itself.
type repetition struct {
	calls           int // redundant ones
	run, onset, end int
	shape, why      string
}

const leastLoop = 3 // copies of a cycle, or equal answers in a row, that may be a loop

// repetitions finds in each run the longest stretch in which a cycle of calls
// repeats; where there is none, calls of one tool that gave the same back.
func repetitions(tr *replay.Trace) (list []repetition) {
	type call struct {
		n            int
		key, outcome string
	}
	runs := make(map[int][]call)
	var order []int
	for i := range tr.Steps {
		s := &tr.Steps[i]
		run := int(s.Pos.Run)
		if len(s.Calls) > 0 && runs[run] == nil {
			order = append(order, run)
		}
		for j := range s.Calls {
			c := &s.Calls[j]
			x := call{n: int(s.Pos.Call) + j + 1, key: c.Tool + "\x00" + canonical(c.Args)}
			if c.Result.Status != transcript.ResultMissing && c.Result.Text != "" {
				x.outcome = c.Tool + "\x00" + c.Result.Text
			}
			runs[run] = append(runs[run], x)
		}
	}
	for _, run := range order {
		calls := runs[run]
		best := repetition{}
		for p := 1; p <= maxPeriod; p++ {
			for i := 0; i+p < len(calls); i++ {
				n := i
				for n+p < len(calls) && calls[n].key == calls[n+p].key {
					n++
				}
				if copies := (n - i + p) / p; copies >= leastLoop && n-i > best.calls {
					best = repetition{n - i, run, calls[i+p].n, calls[n+p-1].n, "exact_dup",
						fmt.Sprintf("the same call, %d times", copies)}
					if p > 1 {
						best.shape, best.why = "cycle", fmt.Sprintf("a cycle of %d calls, %d times", p, copies)
					}
				}
				i = max(i, n-1)
			}
		}
		for i := 0; i < len(calls) && best.end == 0; i++ {
			n := i
			for n+1 < len(calls) && calls[n+1].outcome == calls[i].outcome && calls[i].outcome != "" {
				n++
			}
			if n-i+1 > leastLoop {
				best = repetition{n - i, run, calls[i+1].n, calls[n].n, "noisy_arguments",
					fmt.Sprintf("%d calls of one tool gave the same back", n-i+1)}
			}
		}
		if best.end > 0 {
			list = append(list, best)
		}
	}
	return list
}
