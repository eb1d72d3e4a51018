package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors"
)

// An Axis is one parameter and the values to try, distinct and in the order given.
type Axis struct {
	Param  detectors.Param
	Values []string
}

// maxValues bounds an axis, and maxPoints a grid: a range that was mistyped must
// not eat the machine.
const (
	maxValues = 10_000
	maxPoints = 100_000
)

// ParseAxis reads PARAM=VALUES, where the parameter is one of params and VALUES are
// separated by commas. Each is a value or, for a number, a range:
//
//	3,5,8      these
//	2..8       every whole number from 2 to 8
//	10..50:10  every tenth; / may stand for the colon
//	2..64:x2   each twice the one before
//	3,5..8     a value and a range
//	10s..1m:10s  times, where the id of the parameter ends in _ms
//
// The values themselves are checked where they are bound, by NewPlan for presets.
func ParseAxis(params []detectors.Param, spec string) (Axis, error) {
	id, values, ok := strings.Cut(spec, "=")
	if !ok || id == "" {
		return Axis{}, fmt.Errorf("%q: expected PARAM=VALUES, such as exact_duplicate.nudge=2..8", spec)
	}
	q, err := FindParam(params, id)
	if err != nil {
		return Axis{}, err
	}
	if q.Kind != detectors.Int && q.Kind != detectors.Bool && q.Kind != detectors.Choice {
		return Axis{}, fmt.Errorf("%s is a list of names, which can be set and not swept", q.ID)
	}
	a := Axis{Param: *q}
	for word := range strings.SplitSeq(values, ",") {
		if word == "" {
			return Axis{}, fmt.Errorf("%s: no value: expected a range such as 2..8 or a list such as 3,5,8", spec)
		}
		if err := a.add(word); err != nil {
			return Axis{}, fmt.Errorf("%s=%s: %w", q.ID, word, err)
		}
		if len(a.Values) > maxValues {
			return Axis{}, fmt.Errorf("%s: more than %d values: give a step, such as %s=0..100:10", spec, maxValues, id)
		}
	}
	a.Values = distinct(a.Values)
	return a, nil
}

// add takes one value or one range.
func (a *Axis) add(word string) error {
	from, to, ranged := strings.Cut(word, "..")
	switch {
	case !ranged:
		a.Values = append(a.Values, canonical(&a.Param, word))
		return nil
	case a.Param.Kind != detectors.Int:
		return fmt.Errorf("only a number has a range: list the values, such as %s", a.examples())
	}
	step := ""
	if i := strings.IndexAny(to, ":/"); i >= 0 {
		to, step = to[:i], to[i+1:]
		if step == "" {
			return errors.New("no step: expected a range such as 10..50:10 or 2..64:x2, or leave out the colon")
		}
	}
	lo, ok := number(&a.Param, from)
	hi, ok2 := number(&a.Param, to)
	if !ok || !ok2 || lo > hi {
		return errors.New("expected a range from a smaller whole number to a larger one, such as 2..8")
	}
	return a.span(lo, hi, step)
}

// examples are values of a parameter that is no number.
func (a *Axis) examples() string {
	if a.Param.Kind == detectors.Choice {
		return strings.Join(a.Param.Options, ",")
	}
	return "true,false"
}

// span adds the values of a range. step is what stands after the colon, or "".
func (a *Axis) span(lo, hi int, step string) error {
	by, factor := 1, 1
	if digits, times := strings.CutPrefix(step, "x"); times {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 2 || lo < 1 {
			return fmt.Errorf("step %q: expected a factor of 2 or more in a range above 0, such as 2..64:x2", step)
		}
		factor = n
	} else if step != "" {
		n, ok := number(&a.Param, step)
		if !ok || n < 1 {
			const want = "expected a whole number above 0 such as 10..50:10, or a factor such as 2..64:x2"
			return fmt.Errorf("step %q: %s", step, want)
		}
		by = n
	}
	for v := lo; len(a.Values) <= maxValues; {
		a.Values = append(a.Values, strconv.Itoa(v))
		switch {
		case factor > 1 && v <= hi/factor:
			v *= factor
		case factor == 1 && v <= hi-by:
			v += by
		default:
			return nil
		}
	}
	return nil // too many: ParseAxis says so
}

// Combinations are the settings of every combination of values, the last axis
// moving fastest. No parameter may stand on two axes.
func Combinations(axes []Axis) ([]detectors.Settings, error) {
	points := 1
	for i, a := range axes {
		if slices.ContainsFunc(axes[:i], func(have Axis) bool { return have.Param.ID == a.Param.ID }) {
			return nil, fmt.Errorf("%s is given twice: list all its values on one axis", a.Param.ID)
		}
		if points *= len(a.Values); points > maxPoints {
			return nil, fmt.Errorf("a grid of more than %d points: leave out some values", maxPoints)
		}
	}
	list := make([]detectors.Settings, points)
	for i := range list {
		set := make(detectors.Settings, len(axes))
		rest := i
		for k := len(axes) - 1; k >= 0; k-- {
			values := axes[k].Values
			set[axes[k].Param.ID] = values[rest%len(values)]
			rest /= len(values)
		}
		list[i] = set
	}
	return list, nil
}

// Grid is every combination of the axes' values over a configuration, which is
// always one of them: current is its index. A value that the configuration has and
// its axis lacks is put in, so grid may have longer axes than were given.
func Grid(base Config, axes []Axis) (list []Config, grid []Axis, current int, err error) {
	now := make(detectors.Settings)
	for _, a := range axes {
		now[a.Param.ID] = valueOf(a.Param, base.Preset.Set.With(base.Set))
		grid = append(grid, a.with(now[a.Param.ID]))
	}
	sets, err := Combinations(grid)
	if err != nil {
		return nil, nil, 0, err
	}
	for i, set := range sets {
		list = append(list, Config{Preset: base.Preset, Set: base.Set.With(set)})
		if maps.Equal(set, now) {
			current = i
		}
	}
	return list, grid, current, nil
}

// with is the axis with one value more: a number before the first larger one,
// anything else at the end.
func (a Axis) with(v string) Axis {
	if slices.Contains(a.Values, v) {
		return a
	}
	index := len(a.Values)
	if n, err := strconv.Atoi(v); err == nil && a.Param.Kind == detectors.Int {
		larger := slices.IndexFunc(a.Values, func(w string) bool {
			m, err := strconv.Atoi(w)
			return err == nil && m > n
		})
		if larger >= 0 {
			index = larger
		}
	}
	a.Values = slices.Insert(slices.Clone(a.Values), index, v)
	return a
}
