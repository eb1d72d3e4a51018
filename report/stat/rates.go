package stat

// This file holds the numbers that are made of recall and the false-positive rate.
// The two are Shares with denominators of their own; where one is undefined, so is
// what is made of it.

// LoopOverall is L/O, R/(R+F) of the recall R and the false-positive rate F: below
// 0.5 a path fires on a larger share of work than of loops. It is undefined where
// both are 0. See help numbers: L/O.
func LoopOverall(recall, falsePositive Share) (float64, bool) {
	r, okR := recall.Value()
	f, okF := falsePositive.Value()
	if !okR || !okF || r+f == 0 {
		return 0, false
	}
	return r / (r + f), true
}

// PPV is the share of fires that would be right where the fraction prevalence of all
// sessions are loops. See help numbers: precision at a prevalence.
func PPV(recall, falsePositive Share, prevalence float64) (float64, bool) {
	r, okR := recall.Value()
	f, okF := falsePositive.Value()
	if !okR || !okF || !(prevalence >= 0 && prevalence <= 1) {
		return 0, false
	}
	right, wrong := r*prevalence, f*(1-prevalence)
	if right+wrong == 0 {
		return 0, false
	}
	return right / (right + wrong), true
}

// FBeta is F-beta of loops caught (TP), loops not caught (FN, PREM and LATE) and
// sessions disturbed wrongly (FP, PREM and LATE). See help numbers: F.
func FBeta(caught, missed, wrong int, beta float64) (float64, bool) {
	if caught < 0 || missed < 0 || wrong < 0 || !positive(beta) {
		return 0, false
	}
	// Divided by 1+beta², which a large beta would overflow otherwise.
	share := 1 / (1/beta/beta + 1)
	whole := float64(caught) + share*float64(missed) + (1-share)*float64(wrong)
	if whole == 0 {
		return 0, false
	}
	return float64(caught) / whole, true
}

// TotalCostRatio is loops/(λ·FP + FN), where λ is the cost of a false stop in missed
// loops: below 1 is worse than no detector. Without errors it is undefined.
func TotalCostRatio(loops, falsePositives, missed int, lambda float64) (float64, bool) {
	if loops < 0 || falsePositives < 0 || missed < 0 || !positive(lambda) {
		return 0, false
	}
	cost := lambda*float64(falsePositives) + float64(missed)
	if cost == 0 {
		return 0, false
	}
	return defined(float64(loops) / cost)
}

// Costs are what each mistake costs, in one unit of the user's choice, and the
// fraction of sessions that are loops. None has a default: no costs fit everybody.
type Costs struct {
	Prevalence                            float64
	Miss, WastedCall, FalseStop, OneNudge float64
}

// PerSession is the expected cost of a session. waste is the mean number of calls
// wasted on a caught loop, nudges that of nudges to a productive session.
func (c Costs) PerSession(recall, falsePositive Share, waste, nudges float64) (float64, bool) {
	r, okR := recall.Value()
	f, okF := falsePositive.Value()
	if !okR || !okF || !(c.Prevalence >= 0 && c.Prevalence <= 1) {
		return 0, false
	}
	onLoop := (1-r)*c.Miss + r*c.WastedCall*waste
	onWork := f*c.FalseStop + nudges*c.OneNudge
	return defined(c.Prevalence*onLoop + (1-c.Prevalence)*onWork)
}
