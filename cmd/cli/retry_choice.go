package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/report/retry"
)

// chosen is what the flags of a retry replay come to: the policies to walk, and
// what is asked about them.
type chosen struct {
	retriers []*policy.Retrier
	compare  *retry.Pair
	sweep    *retry.Sweep
}

// An axis is a parameter with the values it is swept over.
type axis struct {
	id     string
	values []string
}

// axisArg tells an axis from a path: the id of a parameter of a policy.
var axisArg = regexp.MustCompile(`^([a-z0-9.-]+/retry\.[a-z0-9_.]+)=(.*)$`)

// splitAxes tells paths and axes apart.
func splitAxes(args []string) (paths []string, axes []axis, err error) {
	for _, arg := range args {
		m := axisArg.FindStringSubmatch(arg)
		if m == nil {
			paths = append(paths, arg)
			continue
		}
		values, err := axisValues(m[2])
		if err != nil {
			return nil, nil, usagef("%s: %v", arg, err)
		}
		axes = append(axes, axis{m[1], values})
	}
	return paths, axes, nil
}

// mostPoints bounds a sweep: beyond it nobody reads the table.
const mostPoints = 1000

// axisValues reads 1..10, 0..60000/5000, or a list with commas.
func axisValues(s string) (list []string, err error) {
	lo, rest, ranged := strings.Cut(s, "..")
	if !ranged {
		if list = strings.Split(s, ","); slices.Contains(list, "") {
			return nil, usagef("expected values such as 1..10, 0..60000/5000 or 2,4,8")
		}
		return list, nil
	}
	hi, by, stepped := strings.Cut(rest, "/")
	step := 1
	from, err1 := strconv.Atoi(lo)
	to, err2 := strconv.Atoi(hi)
	if stepped {
		step, err = strconv.Atoi(by)
	}
	switch {
	case err != nil || err1 != nil || err2 != nil || step < 1 || to < from || from < 0:
		return nil, usagef("expected a range such as 1..10 or 0..60000/5000")
	case (to-from)/step >= mostPoints:
		return nil, usagef("more than %d values", mostPoints)
	}
	for n := from; n <= to; n += step {
		list = append(list, strconv.Itoa(n))
	}
	return list, nil
}

// choose resolves policies, settings, the stack, the comparison and the axes.
func (o *retryOptions) choose(a *app, known []*policy.Policy) (*chosen, error) {
	names := o.policies
	compare := strings.FieldsFunc(o.compare, func(r rune) bool { return r == ',' })
	stack := strings.FieldsFunc(o.stack, func(r rune) bool { return r == ',' })
	switch {
	case o.compare != "" && (len(compare) != 2 || len(o.axes) > 0 || len(names) > 0 || o.stack != ""):
		return nil, usagef("--compare %s: expected two policies, A,B, and neither --policy, --stack nor an axis", o.compare)
	case o.stack != "" && (len(stack) < 2 || len(o.axes) > 0):
		return nil, usagef("--stack %s: expected at least two policies, innermost first, and no axis", o.stack)
	case len(compare) == 2:
		names = compare
	case len(names) == 0:
		names = a.DefaultPolicies
	}
	policies, err := policiesNamed(names, known)
	if err != nil {
		return nil, err
	}
	layers, err := policiesNamed(stack, known)
	if err != nil {
		return nil, err
	}
	set, err := o.settings(slices.Concat(policies, layers))
	if err != nil {
		return nil, err
	}
	if len(o.axes) > 0 {
		return o.points(policies, set)
	}
	c := &chosen{}
	for _, p := range policies {
		r, err := retrierAt(p, set, nil)
		if err != nil {
			return nil, err
		}
		c.retriers = append(c.retriers, r)
	}
	if len(compare) == 2 {
		c.compare = &retry.Pair{A: 0, B: len(policies) - 1}
	}
	var outer *policy.Retrier
	for _, p := range layers {
		r, err := retrierAt(p, set, nil)
		if err != nil {
			return nil, err
		}
		if outer == nil {
			outer = r
		} else {
			outer = outer.Stack(r)
		}
	}
	if outer != nil {
		c.retriers = append(c.retriers, outer)
	}
	return c, nil
}

// find resolves names. A policy is asked once, however often it is named.
func policiesNamed(names []string, known []*policy.Policy) (list []*policy.Policy, err error) {
	for _, name := range names {
		p := policy.Find(name, known)
		if p == nil {
			return nil, usagef("unknown policy %q: expected one of %s", name, strings.Join(policyNames(known), ", "))
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// settings reads --set. Every setting must be a parameter of some policy in use.
func (o *retryOptions) settings(policies []*policy.Policy) (detectors.Settings, error) {
	set := detectors.Settings{}
	for _, spec := range o.set {
		id, value, ok := strings.Cut(spec, "=")
		if !ok {
			return nil, usagef("--set %s: expected ID=VALUE", spec)
		}
		if err := checkParam(policies, id); err != nil {
			return nil, usagef("--set %s: %v", spec, err)
		}
		set[id] = value
	}
	return set, nil
}

// has is an error that names what is near if no policy has a parameter.
func checkParam(policies []*policy.Policy, id string) error {
	_, last, _ := strings.Cut(id, "/retry.")
	var near []string
	for _, p := range policies {
		for _, q := range p.Params() {
			if q.ID == id {
				return nil
			}
			if last != "" && strings.HasSuffix(q.ID, last[strings.LastIndexByte(last, '.')+1:]) {
				near = append(near, q.ID)
			}
		}
	}
	slices.Sort(near)
	near = slices.Compact(near)
	if len(near) == 0 {
		return usagef("no policy in use has this parameter; groundhog list policies")
	}
	return usagef("no policy in use has this parameter; did you mean %s?", strings.Join(near[:min(len(near), 5)], ", "))
}

// at is a policy under those settings that are its own.
func retrierAt(p *policy.Policy, set detectors.Settings, over detectors.Settings) (*policy.Retrier, error) {
	own := detectors.Settings{}
	for _, q := range p.Params() {
		for _, s := range []detectors.Settings{set, over} {
			if v, ok := s[q.ID]; ok {
				own[q.ID] = v
			}
		}
	}
	r, err := p.At(own)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return r, nil
}

// points makes a policy for each combination of the axes' values.
func (o *retryOptions) points(policies []*policy.Policy, set detectors.Settings) (*chosen, error) {
	c := &chosen{sweep: &retry.Sweep{}}
	combos := []detectors.Settings{{}}
	for _, ax := range o.axes {
		if err := checkParam(policies, ax.id); err != nil {
			return nil, usagef("%s: %v", ax.id, err)
		}
		c.sweep.Axes = append(c.sweep.Axes, ax.id)
		var next []detectors.Settings
		for _, s := range combos {
			for _, v := range ax.values {
				next = append(next, s.With(detectors.Settings{ax.id: v}))
			}
		}
		if combos = next; len(combos) > mostPoints {
			return nil, usagef("%d points: a sweep has at most %d", len(combos), mostPoints)
		}
	}
	for _, p := range policies {
		if checkParam([]*policy.Policy{p}, o.axes[0].id) != nil {
			continue // the axis does not move it
		}
		base, err := retrierAt(p, set, nil)
		if err != nil {
			return nil, err
		}
		c.sweep.Base = append(c.sweep.Base, len(c.retriers))
		c.retriers = append(c.retriers, base)
		c.sweep.Points = append(c.sweep.Points, retry.Point{Policy: p.Name})
		for _, s := range combos {
			r, err := retrierAt(p, set, s)
			if err != nil {
				return nil, err
			}
			pt := retry.Point{Policy: p.Name}
			for _, id := range c.sweep.Axes {
				pt.Values = append(pt.Values, s[id])
			}
			c.retriers = append(c.retriers, r)
			c.sweep.Points = append(c.sweep.Points, pt)
		}
	}
	return c, nil
}
