package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors"
)

// An Axis is one parameter and the values to try, in the order given.
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

// ErrNoAxis says that a word names no parameter of the preset: it may be a path.
var ErrNoAxis = errors.New("no such parameter")

// ParseAxis reads PARAM=VALUES: a range 2..8, one with a step 10..50:10 or a
// factor 2..64:x2, or a list 3,5,8.
func ParseAxis(p *detectors.Preset, spec string) (Axis, error) {
	id, values, ok := strings.Cut(spec, "=")
	if !ok {
		return Axis{}, fmt.Errorf("%q: %w: expected PARAM=VALUES, such as exact_duplicate.nudge=2..8", spec, ErrNoAxis)
	}
	q, err := p.Resolve(id)
	if err != nil {
		return Axis{}, err
	}
	if q == nil {
		return Axis{}, fmt.Errorf("%q: %w of %s; groundhog list params", id, ErrNoAxis, p.Name)
	}
	a := Axis{Param: *q}
	if q.Kind != detectors.Int && q.Kind != detectors.Bool && q.Kind != detectors.Choice {
		return a, fmt.Errorf("%s is a list of names, which can be set and not swept", q.ID)
	}
	for _, word := range strings.Split(values, ",") {
		if from, to, ok := strings.Cut(word, ".."); ok {
			if err := a.span(from, to); err != nil {
				return a, err
			}
			continue
		}
		if word == "" {
			return a, fmt.Errorf("%s: no value: expected a range such as 2..8 or a list such as 3,5,8", spec)
		}
		a.Values = append(a.Values, word)
	}
	seen := make(map[string]bool)
	a.Values = slices.DeleteFunc(a.Values, func(v string) bool {
		twice := seen[v]
		seen[v] = true
		return twice
	})
	return a, nil
}

func (a *Axis) span(from, to string) error {
	if a.Param.Kind != detectors.Int {
		return fmt.Errorf("%s is no number: list its values", a.Param.ID)
	}
	to, step, stepped := strings.Cut(to, ":")
	lo, err1 := strconv.Atoi(from)
	hi, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || lo > hi {
		return fmt.Errorf("%s=%s..%s: expected a range from a smaller whole number to a larger one", a.Param.ID, from, to)
	}
	by, factor := 1, 1
	if stepped {
		text, times := strings.CutPrefix(step, "x")
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || times && (n < 2 || lo < 1) {
			return fmt.Errorf("%s: step %q: expected a whole number such as 5, or a factor such as x2 of a range above 0", a.Param.ID, step)
		}
		if times {
			factor = n
		} else {
			by = n
		}
	}
	for v := lo; v <= hi; {
		a.Values = append(a.Values, strconv.Itoa(v))
		if len(a.Values) > maxValues {
			return fmt.Errorf("%s: more than %d values", a.Param.ID, maxValues)
		}
		if factor > 1 {
			v *= factor
		} else {
			v += by
		}
	}
	return nil
}

// Grid is every combination of the values, the last axis moving fastest, over a
// configuration. The configuration itself is always one of them: current is its
// index. A value of it that is not on its axis is put in where it belongs.
func Grid(base Config, axes []Axis) (list []Config, grid []Axis, current int, err error) {
	set := base.Preset.Set.With(base.Set)
	points := 1
	for _, a := range axes {
		if slices.ContainsFunc(grid, func(have Axis) bool { return have.Param.ID == a.Param.ID }) {
			return nil, nil, 0, fmt.Errorf("%s is given twice", a.Param.ID)
		}
		a = a.with(value(a.Param, set))
		grid = append(grid, a)
		if points *= len(a.Values); points > maxPoints {
			return nil, nil, 0, fmt.Errorf("a grid of more than %d points: leave out some values", maxPoints)
		}
	}
	for i := range points {
		c := Config{Preset: base.Preset, Set: base.Set.With(nil)}
		isBase := true
		rest := i
		for k := len(grid) - 1; k >= 0; k-- {
			a := &grid[k]
			v := a.Values[rest%len(a.Values)]
			rest /= len(a.Values)
			c.Set[a.Param.ID] = v
			isBase = isBase && v == value(a.Param, set)
		}
		if isBase {
			current = i
		}
		list = append(list, c)
	}
	return list, grid, current, nil
}

// with is the axis with one value more, where it belongs among numbers.
func (a Axis) with(v string) Axis {
	if slices.Contains(a.Values, v) {
		return a
	}
	at := len(a.Values)
	if n, err := strconv.Atoi(v); err == nil && a.Param.Kind == detectors.Int {
		at = slices.IndexFunc(a.Values, func(w string) bool {
			m, err := strconv.Atoi(w)
			return err == nil && m > n
		})
		if at < 0 {
			at = len(a.Values)
		}
	}
	a.Values = slices.Insert(slices.Clone(a.Values), at, v)
	return a
}

// Panels is how many panels the plan feeds: more than one for a preset where
// points differ in what is measured, or where a detector feels its own verdicts.
func (p *Plan) Panels() int { return len(p.panels) }
