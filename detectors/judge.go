package detectors

// A Judge is a detector's judge under one set of limits, for measurements that
// were kept: what would it have said of them, and why? It needs neither session
// nor panel. Values are those of a Measurement and must fit (Detector.Fits). It
// is not safe for concurrent use.
type Judge struct {
	Detector *Detector
	Rest     int64 // by how much the episode must grow after a win before the next (Rule.Rest)
	judgment
}

// Bind gives the detector's judge under the limits of set; all that set has
// beyond them is ignored.
func (d *Detector) Bind(set Settings) (*Judge, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	j, err := d.bind(set)
	if err != nil {
		return nil, err
	}
	j.Detector = d
	return j, nil
}

// A judgment is a rule under one set of limits with its types hidden.
type judgment interface {
	// Verdict judges a measurement.
	Verdict(values []int64) Verdict
	// Episode numbers the situation the measurement belongs to; 0 is none.
	Episode(values []int64) int64
	// Explain gives the reason and the sentence of a fire with this verdict.
	Explain(values []int64, v Verdict) (reason, text string)
	// Evidence is what a fire shows of the measurement.
	Evidence(values []int64) []Field
	// Gauge reads the measurement as a count, if the detector counts.
	Gauge(values []int64) (Gauge, bool)
	// Case is the kind of measurement it is; the zero Case where there is one.
	Case(values []int64) Case
}

func newJudge[S, L, M any](r *Rule[S, L, M], numbers []number, set Settings) (*Judge, error) {
	b := &bound[S, L, M]{rule: r, numbers: numbers}
	if _, err := r.limits(&b.limits, set); err != nil {
		return nil, err
	}
	return &Judge{Rest: r.restOf(b.limits), judgment: b}, nil
}

type bound[S, L, M any] struct {
	rule    *Rule[S, L, M]
	limits  L
	numbers []number
	m       M
}

func (b *bound[S, L, M]) take(values []int64) M {
	fill(&b.m, b.numbers, values)
	return b.m
}

func (b *bound[S, L, M]) Verdict(values []int64) Verdict {
	return b.rule.verdictOf(b.take(values), b.limits)
}

func (b *bound[S, L, M]) Episode(values []int64) int64 { return b.rule.episodeOf(b.take(values)) }

func (b *bound[S, L, M]) Explain(values []int64, v Verdict) (reason, text string) {
	return b.rule.explain(b.take(values), b.limits, v)
}

func (b *bound[S, L, M]) Evidence(values []int64) []Field {
	m := b.take(values)
	return b.rule.evidenceOf(&m, b.limits, b.numbers)
}

func (b *bound[S, L, M]) Gauge(values []int64) (Gauge, bool) {
	return b.rule.gaugeOf(b.take(values), b.limits)
}

func (b *bound[S, L, M]) Case(values []int64) Case {
	return b.rule.caseOf(b.take(values), b.limits)
}
