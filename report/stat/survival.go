package stat

import (
	"cmp"
	"math"
	"slices"
)

// A Spell is how long something lasted, in milliseconds, such as an outage from the
// first failure on. A spell that had not ended when the record did is censored: it
// lasted longer than Length.
type Spell struct {
	Length int64
	Ended  bool
}

// A SurvivalStep is the share S of spells that last longer than At, with Greenwood's
// interval and the counts that it comes from.
type SurvivalStep struct {
	At            int64
	AtRisk, Ended int
	S, Lo, Hi     float64
}

// A Survival is a Kaplan-Meier curve: a step down at every length at which some
// spell ended. Before the first step S is 1.
type Survival struct {
	Steps  []SurvivalStep
	Spells int
	// Last is the longest length seen, ended or not. Beyond it the curve is not
	// known, unless it has come down to 0.
	Last int64
}

// KaplanMeier is the curve of the spells. A spell that is censored at the length at
// which another ended was still at risk there. Spells of negative length are left
// out. Where everything still at risk ends, S is 0 and Greenwood's formula has no
// value; the upper end then stays that of the step before, as S cannot rise.
func KaplanMeier(spells []Spell, level float64) Survival {
	sorted := slices.DeleteFunc(slices.Clone(spells), func(s Spell) bool { return s.Length < 0 })
	slices.SortFunc(sorted, func(a, b Spell) int { return cmp.Compare(a.Length, b.Length) })
	c := Survival{Spells: len(sorted)}
	s, hi, variance := 1.0, 1.0, 0.0 // variance of ln S
	for i := 0; i < len(sorted); {
		at, risk, ended := sorted[i].Length, len(sorted)-i, 0
		for ; i < len(sorted) && sorted[i].Length == at; i++ {
			if sorted[i].Ended {
				ended++
			}
		}
		c.Last = at
		if ended == 0 {
			continue
		}
		left := float64(risk - ended)
		s *= left / float64(risk)
		lo := 0.0
		if left > 0 {
			variance += float64(ended) / (float64(risk) * left)
			lo, hi = 0, 1
			if isLevel(level) {
				half := quantile(level) * s * math.Sqrt(variance)
				lo, hi = max(0, s-half), min(1, s+half)
			}
		}
		c.Steps = append(c.Steps, SurvivalStep{At: at, AtRisk: risk, Ended: ended, S: s, Lo: lo, Hi: hi})
	}
	return c
}

// At is S at a length: the share of spells that last longer. It is undefined below 0
// and beyond the longest spell, unless the curve has come down to 0 there.
func (c Survival) At(length int64) (float64, bool) {
	if c.Spells == 0 || length < 0 {
		return 0, false
	}
	s := 1.0
	for _, step := range c.Steps {
		if step.At > length {
			break
		}
		s = step.S
	}
	return s, length <= c.Last || s == 0
}

// EndsBy is the probability that a spell ends by the length by when it is known to
// have lasted longer than past: 1 - S(by)/S(past). Its sum over episodes is how many
// recoveries a policy can expect. It is undefined where the curve is not known and
// where no spell lasted that long.
func (c Survival) EndsBy(by, past int64) (float64, bool) {
	from, ok := c.At(past)
	if !ok || from == 0 {
		return 0, false
	}
	if by <= past {
		return 0, true
	}
	to, ok := c.At(by)
	if !ok {
		return 0, false
	}
	return 1 - to/from, true
}
