package review

import (
	"strconv"

	"groundhog/detectors"
	"groundhog/replay"
)

// A limit that a path is judged by can be moved without the session: its
// measurements answer for every value (detectors.Detector.Bind).

// maxTried bounds the values of one limit that are tried.
const maxTried = 400

// smallest finds the smallest change of one limit that makes a quiet path speak:
// inside a labelled loop if any change does, else anywhere. A change within the
// range that makes sense goes before one outside it, then the smaller before the
// larger; on a tie the parameter that stands first.
func (r *reviewer) smallest(p *replay.Path) *Limit {
	if len(p.List) == 0 {
		return nil
	}
	spans := r.label != nil && len(r.label.Spans) > 0
	if spans {
		if best := r.smallestAt(p, true); best != nil {
			r.early(p, best)
			return best
		}
	}
	return r.smallestAt(p, false)
}

func (r *reviewer) smallestAt(p *replay.Path, inSpan bool) (best *Limit) {
	list := r.distinct(p, inSpan)
	distance := 0
	for _, q := range p.Detector.Params {
		if q.Shape {
			continue // it would change what is measured
		}
		from := valueOfParam(q, p.Set)
		for _, c := range candidates(q, from, list) {
			usual := c.usual
			if best != nil && (best.Usual && !usual || best.Usual == usual && c.distance >= distance) {
				continue
			}
			judge, err := p.Detector.Bind(p.Set.With(detectors.Settings{q.ID: c.value}))
			if err != nil {
				continue // a value that cannot be replayed
			}
			if m, v := firstSpoken(judge, list); m != nil {
				place := spokenAt(m)
				best = &Limit{Param: q.ID, From: from, To: c.value, Usual: usual, Verdict: v.String(), Place: place,
					Right: r.right(place)}
				distance = c.distance
			}
		}
	}
	return best
}

// early notes where the change makes the path speak before the loop.
func (r *reviewer) early(p *replay.Path, c *Limit) {
	judge, err := p.Detector.Bind(p.Set.With(detectors.Settings{c.Param: c.To}))
	if err != nil {
		return
	}
	if m, _ := firstSpoken(judge, r.distinct(p, false)); m != nil {
		if place := spokenAt(m); place != c.Place {
			c.Early = &place
		}
	}
}

// spokenAt is where a verdict on a measurement would stand.
func spokenAt(m *detectors.Measurement) Place {
	place := placeOf(m.Pos)
	if detectors.PhaseOf(m.Kind) == detectors.InStream {
		place.Call = 0
	}
	return place
}

// distinct is the path's measurements without those that equal an earlier one:
// a judge says the same of both.
func (r *reviewer) distinct(p *replay.Path, inSpan bool) (list []*detectors.Measurement) {
	seen := make(map[string]bool)
	var key []byte
	for i := range p.List {
		m := &p.List[i]
		if inSpan && !r.right(placeOf(m.Pos)) {
			continue
		}
		key = key[:0]
		for _, v := range m.Values {
			key = strconv.AppendInt(append(key, ' '), v, 10)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			list = append(list, m)
		}
	}
	return list
}

func firstSpoken(judge *detectors.Judge, list []*detectors.Measurement) (*detectors.Measurement, detectors.Verdict) {
	for _, m := range list {
		if v := judge.Verdict(m.Values); v > detectors.Continue {
			return m, v
		}
	}
	return nil, detectors.Continue
}

func valueOfParam(q detectors.Param, set detectors.Settings) string {
	if v, ok := set[q.ID]; ok {
		return v
	}
	return q.Default
}

// A candidate is another value of a parameter.
type candidate struct {
	value    string
	distance int
	usual    bool
}

// candidates lists other values, the nearest first. Of a wide range, those that
// are measured somewhere are tried: a verdict changes at no others.
func candidates(q detectors.Param, from string, list []*detectors.Measurement) (out []candidate) {
	switch q.Kind {
	case detectors.Bool:
		return []candidate{{strconv.FormatBool(from != "true"), 1, true}}
	case detectors.Int:
	default:
		return nil
	}
	at, err := strconv.Atoi(from)
	if err != nil {
		return nil
	}
	add := func(v int) {
		if v >= 1 && v != at {
			out = append(out, candidate{strconv.Itoa(v), max(v-at, at-v), q.Lo <= v && v <= q.Hi})
		}
	}
	if reach := max(at, q.Hi); reach <= maxTried {
		for d := 1; d <= reach; d++ {
			add(at - d)
			if at+d <= q.Hi {
				add(at + d)
			}
		}
		return out
	}
	best := int64(0) // the largest number that is still below the limit
	for _, m := range list {
		for _, v := range m.Values {
			if v < int64(at) {
				best = max(best, v)
			}
		}
	}
	add(int(best))
	add(int(best) - 1)
	return out
}
