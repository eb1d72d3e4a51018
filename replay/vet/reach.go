package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors"
)

// This file finds verdicts that cannot happen. Only a verdict that the detector has under
// other numbers can be missed. So each parameter is moved through its range, one at a
// time, and a verdict that occurs then and not now is one that cannot happen. The
// nearest value under which it occurs is what to do about it.

// A remedy is a setting under which a key can happen.
type remedy struct {
	id, value string
	shape     bool
	size      int // of the smallest history
}

// A gap is a key that cannot happen, with the settings under which it can.
type gap struct {
	Key
	remedies []remedy
}

// unreachable finds verdicts that cannot happen, of paths and of ladders.
func unreachable(_ context.Context, s *Subject) ([]Finding, error) {
	var list []Finding
	for i := range s.Paths {
		p := &s.Paths[i]
		if !p.Bounded {
			continue
		}
		gaps, err := s.gaps(p)
		if err != nil {
			return nil, err
		}
		list = append(list, s.report(p, gaps)...)
	}
	return append(list, s.ladders()...), nil
}

// gaps lists what the path can say with some other value of one parameter, or under the
// defaults, and cannot say now.
func (s *Subject) gaps(p *Path) ([]gap, error) {
	var list []gap
	note := func(found []Key, r remedy) {
		for _, k := range found {
			if containsKey(p.Keys, k) {
				continue
			}
			i := slices.IndexFunc(list, func(g gap) bool { return g.same(k) })
			if i < 0 {
				i = len(list)
				list = append(list, gap{Key: k})
			}
			g := &list[i]
			known := slices.ContainsFunc(g.remedies, func(have remedy) bool { return have.id == r.id })
			if r.id != "" && !known { // values come nearest first
				r.size = k.Size
				g.remedies = append(g.remedies, r)
			}
		}
	}
	for _, set := range []detectors.Settings{s.Preset.Set, {}} {
		base, _, err := p.Detector.Reach(set)
		if err == nil { // defaults that cannot be replayed promise nothing
			note(s.inCases(p, keys(base)), remedy{})
		}
	}
	for _, q := range slices.Concat(p.Detector.Shared, p.Detector.Params) {
		for _, v := range values(q, s.value(q)) {
			found, _, err := p.Detector.Reach(s.Set.With(detectors.Settings{q.ID: v}))
			if err != nil {
				continue // a value that cannot be replayed is no remedy
			}
			note(keys(found), remedy{id: q.ID, value: v, shape: q.Shape})
		}
	}
	return slices.DeleteFunc(list, func(g gap) bool {
		// A case that the settings do not have is missed only for a verdict that no other has.
		return len(s.inCases(p, []Key{g.Key})) == 0 && s.elsewhere(p, g.Key)
	}), nil
}

// elsewhere reports whether the path can say the same in some other case.
func (s *Subject) elsewhere(p *Path, k Key) bool {
	return slices.ContainsFunc(p.Keys, func(o Key) bool { return o.Verdict == k.Verdict && o.Reason == k.Reason })
}

// inCases keeps the keys of cases that the path has under the settings in force.
func (s *Subject) inCases(p *Path, list []Key) []Key {
	return slices.DeleteFunc(list, func(k Key) bool {
		return !slices.ContainsFunc(p.Reached, func(r detectors.Reached) bool { return r.Case == k.Case })
	})
}

func (s *Subject) value(q detectors.Param) string {
	if v, ok := s.Set[q.ID]; ok {
		return v
	}
	return q.Default
}

// triedValues is how many values of a wide range are tried.
const triedValues = 64

// values are the other values of a parameter that make sense, nearest first.
func values(q detectors.Param, now string) []string {
	switch q.Kind {
	case detectors.Bool:
		if now == "true" {
			return []string{"false"}
		}
		return []string{"true"}
	case detectors.Int:
	default:
		return nil
	}
	current, err := strconv.Atoi(now)
	if err != nil {
		return nil
	}
	step := max(1, (q.Hi-q.Lo)/triedValues)
	var list []int
	for n := q.Lo; n <= q.Hi; n += step {
		if n != current {
			list = append(list, n)
		}
	}
	if step > 1 {
		list = append(list, q.Hi)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(distance(a, current), distance(b, current)) })
	words := make([]string, 0, len(list))
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

func distance(a, b int) int { return max(a-b, b-a) }

// report makes one finding of the gaps of each verdict, over all cases.
func (s *Subject) report(p *Path, gaps []gap) []Finding {
	var list []Finding
	for len(gaps) > 0 {
		first := gaps[0]
		var group []gap
		gaps = slices.DeleteFunc(gaps, func(g gap) bool {
			same := g.Verdict == first.Verdict && g.Reason == first.Reason && g.Case.Name == first.Case.Name
			if first.Case.N == 0 {
				same = g.Verdict == first.Verdict && g.Reason == first.Reason && g.Case.N == 0
			}
			if same {
				group = append(group, g)
			}
			return same
		})
		slices.SortStableFunc(group, func(a, b gap) int { return cmp.Compare(a.Case.N, b.Case.N) })
		f := s.finding("unreachable", p.Detector.Name)
		f.What = s.what(p, group)
		f.Rests = s.rests(p, group)
		f.Do = "nothing else that is tried makes it happen: take the verdict out, or say that it is meant"
		if r := s.ways(p, group); r != "" {
			f.Do = "it can happen with " + r
		}
		list = append(list, f)
	}
	return list
}

// what names the verdict, and the cases if it can happen in others.
func (s *Subject) what(p *Path, group []gap) string {
	k := group[0].Key
	verdict := k.Verdict.String()
	if k.Reason != "" {
		verdict += " (" + k.Reason + ")"
	}
	if !s.elsewhere(p, k) {
		return verdict + " cannot happen"
	}
	return verdict + " cannot happen: " + joined(caseNames(p, group), "or")
}

// caseNames says in which cases the gaps are, numbered ones as a range.
func caseNames(p *Path, group []gap) []string {
	var names []string
	lo, hi := group[0].Case.N, group[0].Case.N
	for _, g := range group {
		if g.Case.N == 0 {
			names = append(names, caseName(g.Case))
		}
		lo, hi = min(lo, g.Case.N), max(hi, g.Case.N)
	}
	if lo == 0 {
		return names
	}
	beyond := func(k Key) bool { return k.Case.Name == group[0].Case.Name && k.Case.N > hi }
	if slices.ContainsFunc(p.Keys, beyond) {
		return []string{fmt.Sprintf("%s: %d to %d", group[0].Case.Name, lo, hi)}
	}
	return []string{fmt.Sprintf("%s: %d or more", group[0].Case.Name, lo)}
}

// caseName is what a case is called. The plain one has no name of its own.
func caseName(c detectors.Case) string {
	switch {
	case c.Name == "":
		return "any other call"
	case c.N > 0:
		return fmt.Sprintf("%s: %d", c.Name, c.N)
	}
	return c.Name
}

// rests says how much history would be needed, and how much there is.
func (s *Subject) rests(p *Path, group []gap) string {
	var needs []string
	said := 0
	for _, g := range group {
		need := 0
		for _, r := range g.remedies {
			if need == 0 || r.shape {
				need = r.size
			}
		}
		if need == 0 || need == said {
			continue
		}
		text := plural(need, p.Detector.Unit())
		if said > 0 {
			text += " (" + caseName(g.Case) + ")"
		}
		said = need
		if needs = append(needs, text); g.Case.N > 0 {
			break // the smallest of them
		}
	}
	longest := 0
	for _, r := range p.Reached {
		longest = max(longest, r.Size)
	}
	basis := fmt.Sprintf("judged %s, the longest of %s",
		pluralOf(len(p.Reached), "extreme history", "extreme histories"), plural(longest, p.Detector.Unit()))
	if len(p.Reached) == 0 {
		basis = "no history gives this path anything to judge"
	}
	if len(needs) == 0 {
		return basis
	}
	return "it needs " + joined(needs, "or") + "; " + basis
}

// ways lists the settings that help the first gap, and for other gaps those that differ.
func (s *Subject) ways(p *Path, group []gap) string {
	var parts []string
	said := ""
	for _, g := range group {
		var words []string
		for _, r := range g.remedies {
			words = append(words, r.id+"="+s.nearest(p, g.Key, r))
		}
		text := joined(words, "or")
		if text == "" || text == said {
			continue
		}
		if said != "" {
			parts = append(parts, caseName(g.Case)+": "+text)
		} else {
			parts = append(parts, text)
		}
		if said = text; g.Case.N > 0 {
			break
		}
	}
	return strings.Join(parts, "; ")
}

// nearest is the value of a remedy, moved towards the one in force as far as it still
// helps, since of a wide range only some values were tried.
func (s *Subject) nearest(p *Path, k Key, r remedy) string {
	for _, q := range slices.Concat(p.Detector.Shared, p.Detector.Params) {
		if q.ID != r.id || q.Kind != detectors.Int {
			continue
		}
		bad, err := strconv.Atoi(s.value(q))
		good, err2 := strconv.Atoi(r.value)
		if err != nil || err2 != nil {
			break
		}
		for distance(good, bad) > 1 {
			mid := (good + bad) / 2
			found, _, err := p.Detector.Reach(s.Set.With(detectors.Settings{q.ID: strconv.Itoa(mid)}))
			if err == nil && containsKey(keys(found), k) {
				good = mid
			} else {
				bad = mid
			}
		}
		return strconv.Itoa(good)
	}
	return r.value
}
