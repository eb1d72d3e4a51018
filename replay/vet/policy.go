package vet

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"groundhog/detectors"
	"groundhog/detectors/policy"
)

// A lateBudget is a budget whose deadline is over before its first retry is due.
// The time starts with the first failure, and a wait as long as the deadline is too
// long.
type lateBudget struct {
	budget    policy.Budget
	low, high time.Duration // the first wait, at both ends of the jitter
	loops     []string      // the layers in which this is so
	most      int           // retries that its count allows; below 0 for no count
	hinted    bool          // a hint of the server can make the wait short enough
	atOnce    bool          // the layer also retries some failures without a wait
}

// CheckPolicy looks at a retry policy under those of the settings that are its own.
func CheckPolicy(p *policy.Policy, set detectors.Settings) ([]Finding, error) {
	own := detectors.Settings{}
	for _, q := range p.Params() {
		if v, ok := set[q.ID]; ok {
			own[q.ID] = v
		}
	}
	r, err := p.At(own)
	if err != nil {
		return nil, err
	}
	var list []Finding
	for _, l := range lateBudgets(r) {
		where, do := l.remedies(p, own)
		list = append(list, Finding{
			Rule: "vet/deadline_before_first_delay", Preset: p.Name, Where: where,
			What: l.what(), Rests: l.rests(), Do: do,
		})
	}
	return list, nil
}

// lateBudgets are those of a policy. A budget that allows no retry is not among them,
// because its count stops it, whatever the deadline.
func lateBudgets(r *policy.Retrier) (list []lateBudget) {
	for i := range r.Layers {
		l := &r.Layers[i]
		for _, b := range l.Budgets {
			low, high := l.FirstWait(b)
			most := l.Most(b)
			if b.Deadline == 0 || most == 0 || low < b.Deadline && high <= b.Deadline {
				continue
			}
			atOnce := l.Silent > 0 || l.Fallback != nil
			i := slices.IndexFunc(list, func(o lateBudget) bool { return o.budget == b && o.most == most })
			if i < 0 {
				i = len(list)
				hinted := l.HintedWait(b) < b.Deadline
				list = append(list, lateBudget{budget: b, low: low, high: high, most: most, hinted: hinted})
			}
			list[i].loops = append(list[i].loops, l.Name)
			list[i].atOnce = list[i].atOnce || atOnce
		}
	}
	return list
}

func (l *lateBudget) what() string {
	s := "no retry on budget %s begins: the deadline is %d ms, the first delay %s"
	if l.low < l.budget.Deadline {
		s = "the jitter decides whether a retry on budget %s begins: the deadline is %d ms, the first delay %s"
	}
	s = fmt.Sprintf(s, l.budget.Name, l.budget.Deadline.Milliseconds(), l.wait())
	if l.hinted {
		s += "; a shorter wait that the server asks for is the exception"
	}
	return s
}

// wait is the first delay with its extremes.
func (l *lateBudget) wait() string {
	if l.low == l.high {
		return fmt.Sprintf("%d ms, without jitter", l.low.Milliseconds())
	}
	return fmt.Sprintf("%d to %d ms, by the jitter", l.low.Milliseconds(), l.high.Milliseconds())
}

func (l *lateBudget) rests() string {
	count := "retries without a count"
	if l.most >= 0 {
		count = pluralOf(l.most, "retry", "retries") + " allowed"
	}
	loops := "loops"
	if len(l.loops) == 1 {
		loops = "loop"
	}
	s := fmt.Sprintf("the policy's numbers alone: %s in %s %s; the clock starts with the first failure, "+
		"and a retry due at the deadline or after it is not begun", count, loops, joined(l.loops, "and"))
	if l.atOnce {
		s += "; failures that the loop sends again at once, without a wait, are another matter"
	}
	return s
}

// remedies says which values of parameters let the first retry begin, each tried by
// itself, and where the finding is: at the parameter of the budget's deadline.
func (l *lateBudget) remedies(p *policy.Policy, set detectors.Settings) (where, do string) {
	where = p.Name + ", budget " + l.budget.Name
	enough := int(l.high/time.Millisecond) + 1
	var ways []string
	for _, q := range p.Params() {
		switch {
		case strings.HasSuffix(q.ID, "deadline_ms") && l.lifted(p, set, q.ID, enough):
			where = q.ID
			ways = append(ways, fmt.Sprintf("%s=%d or more", q.ID, enough))
		case strings.HasSuffix(q.ID, "initial_delay_ms"):
			n := sort.Search(int(l.budget.Initial/time.Millisecond), func(i int) bool {
				return !l.lifted(p, set, q.ID, i+1)
			})
			if n > 0 {
				ways = append(ways, fmt.Sprintf("%s=%d or less", q.ID, n))
			}
		}
	}
	if len(ways) == 0 {
		return where, "give it a longer deadline or a shorter first delay, or no retries"
	}
	do = "the first retry begins in time with " + joined(ways, "or")
	if l.most > 0 {
		do += "; or say with a count of 0 that there is to be none"
	}
	return where, do
}

// lifted reports whether the first retry begins, whatever the jitter, with one parameter
// changed.
func (l *lateBudget) lifted(p *policy.Policy, set detectors.Settings, id string, value int) bool {
	r, err := p.At(set.With(detectors.Settings{id: strconv.Itoa(value)}))
	if err != nil {
		return false
	}
	for i := range r.Layers {
		layer := &r.Layers[i]
		for _, b := range layer.Budgets {
			if b.Name != l.budget.Name || !slices.Contains(l.loops, layer.Name) {
				continue
			}
			if _, high := layer.FirstWait(b); b.Deadline > 0 && high >= b.Deadline {
				return false
			}
		}
	}
	return true
}
