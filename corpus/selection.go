package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// A Selection says how the sessions of a corpus were chosen, on which it depends what
// they say about other sessions. The zero value means that this is not known.
type Selection struct {
	Kind string  // all, random, triggered, incident_only, benchmark; "" if not known
	P    float64 // of random: the share that was kept
	By   string  // of triggered: the detector that had to fire
}

// ParseSelection reads all, random(P), triggered(DETECTOR), incident_only or
// benchmark.
func ParseSelection(s string) (Selection, error) {
	kind, rest, args := strings.Cut(s, "(")
	arg, closed := strings.CutSuffix(rest, ")")
	arg = strings.TrimSpace(arg)
	if wantsArg := kind == "random" || kind == "triggered"; args != wantsArg || args && !closed {
		return Selection{}, fmt.Errorf("selection %q: expected %s", s, selections)
	}
	switch kind {
	case "random":
		p, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(p > 0 && p <= 1) {
			return Selection{}, fmt.Errorf("selection %q: the share kept lies above 0 and at most at 1", s)
		}
		return Selection{Kind: kind, P: p}, nil
	case "triggered":
		if arg == "" {
			return Selection{}, fmt.Errorf("selection %q: name the detector that had to fire", s)
		}
		return Selection{Kind: kind, By: arg}, nil
	case "all", "incident_only", "benchmark":
		return Selection{Kind: kind}, nil
	}
	return Selection{}, fmt.Errorf("selection %q: expected %s", s, selections)
}

const selections = "all, random(P), triggered(DETECTOR), incident_only or benchmark"

// String is what ParseSelection reads; "" for the zero value.
func (s Selection) String() string {
	switch s.Kind {
	case "random":
		return fmt.Sprintf("random(%s)", strconv.FormatFloat(s.P, 'g', -1, 64))
	case "triggered":
		return "triggered(" + s.By + ")"
	}
	return s.Kind
}

// A Rate is a kind of number whose meaning depends on how sessions were chosen.
type Rate uint8

const (
	RateRecall     Rate = iota // loops caught, and what depends on them: latency, waste
	RateFalse                  // work disturbed
	RatePrecision              // share of fires that were right
	RateFrequency              // fires per call or session
	RateAgreement              // of detectors, or of people, with each other
	RateDifference             // one configuration against another on the same sessions
)

// Allows reports whether a rate of a detector may be printed, and if not, why. The name
// of the detector matters for RatePrecision alone; "" is a whole preset.
func (s Selection) Allows(r Rate, detector string) (ok bool, why string) {
	if r == RateAgreement || r == RateDifference {
		return true, ""
	}
	switch s.Kind {
	case "triggered":
		if r == RatePrecision && detector == s.By {
			return true, ""
		}
		return false, fmt.Sprintf("the sessions are those in which %s fired: "+
			"what it missed, and work in peace, are not among them", s.By)
	case "incident_only":
		if r == RateRecall {
			return true, ""
		}
		return false, "the sessions are incidents: ordinary work is not among them"
	}
	return true, ""
}

// Caveat is a sentence that qualifies every rate; "" if none is needed.
func (s Selection) Caveat() string {
	switch s.Kind {
	case "":
		return "how the sessions were chosen is not stated (corpus.selection): rates are those of these sessions"
	case "triggered":
		return fmt.Sprintf("the sessions are those in which %s fired: "+
			"differences hold among them, and rates do not exist", s.By)
	case "incident_only":
		return "the sessions are incidents: the share of loops caught is that of incidents, " +
			"and nothing is known about ordinary work"
	case "benchmark":
		return "the sessions are a benchmark's: rates are those of the benchmark and not of ordinary traffic"
	}
	return ""
}
