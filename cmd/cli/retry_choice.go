package cli

import (
	"errors"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/replay"
	"groundhog/report/retry"
)

// chosen is what the flags of a retry replay come to: the policies to walk, and
// what is asked about them.
type chosen struct {
	retriers []*policy.Retrier
	compare  *retry.Pair
	sweep    *retry.Sweep
}

// mostPoints bounds a sweep: beyond it nobody reads the table.
const mostPoints = 1000

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

// paramsOf are the parameters of all of some policies.
func paramsOf(policies []*policy.Policy) (list []detectors.Param) {
	for _, p := range policies {
		list = append(list, p.Params()...)
	}
	return list
}

// settings reads --set. Every setting must be a parameter of some policy in use.
func (o *retryOptions) settings(policies []*policy.Policy) (detectors.Settings, error) {
	set, params := detectors.Settings{}, paramsOf(policies)
	for _, spec := range o.set {
		s, err := replay.ParseSetting(params, spec)
		if err != nil {
			return nil, noPolicyParam(err, params, "--set ", spec)
		}
		set[s.Param.ID] = s.Value
	}
	return set, nil
}

// noPolicyParam names what is near, if the error is that no policy in use has the
// parameter.
func noPolicyParam(err error, params []detectors.Param, flag, spec string) error {
	if !errors.Is(err, replay.ErrNoParam) {
		return usagef("%s%v", flag, err)
	}
	const none = "no policy in use has this parameter"
	id, _, _ := strings.Cut(spec, "=")
	_, last, _ := strings.Cut(id, "/retry.")
	last = last[strings.LastIndexByte(last, '.')+1:]
	var near []string
	for _, q := range params {
		if last != "" && strings.HasSuffix(q.ID, last) {
			near = append(near, q.ID)
		}
	}
	slices.Sort(near)
	near = slices.Compact(near)
	if len(near) == 0 {
		return usagef("%s%s: %s; groundhog list policies", flag, spec, none)
	}
	return usagef("%s%s: %s; did you mean %s?", flag, spec, none, strings.Join(near[:min(len(near), 5)], ", "))
}

// retrierAt is a policy under those settings that are its own.
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
	params := paramsOf(policies)
	var axes []replay.Axis
	points := 1
	for _, spec := range o.axes {
		ax, err := replay.ParseAxis(params, spec)
		if err != nil {
			return nil, noPolicyParam(err, params, "", spec)
		}
		axes, c.sweep.Axes = append(axes, ax), append(c.sweep.Axes, ax.Param.ID)
		if points *= len(ax.Values); points > mostPoints {
			return nil, usagef("%d points: a sweep has at most %d", points, mostPoints)
		}
	}
	combinations, err := replay.Combinations(axes)
	if err != nil {
		return nil, usagef("%v", err)
	}
	for _, p := range policies {
		if _, err := replay.FindParam(p.Params(), c.sweep.Axes[0]); err != nil {
			continue // the axis does not move it
		}
		c.sweep.Base = append(c.sweep.Base, len(c.retriers))
		for _, s := range append([]detectors.Settings{nil}, combinations...) {
			r, err := retrierAt(p, set, s)
			if err != nil {
				return nil, err
			}
			pt := retry.Point{Policy: p.Name}
			for _, id := range c.sweep.Axes {
				if s != nil {
					pt.Values = append(pt.Values, s[id])
				}
			}
			c.retriers = append(c.retriers, r)
			c.sweep.Points = append(c.sweep.Points, pt)
		}
	}
	return c, nil
}
