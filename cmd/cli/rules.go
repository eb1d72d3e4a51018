package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report/vet"
)

// testRules runs the four-cell tests of `groundhog vet --rules`.
func (a *app) testRules(ctx context.Context, o *vetOptions) error {
	var files []*corpus.Rules
	for _, path := range o.rules {
		rs, err := corpus.ReadRules(path)
		if err != nil {
			return usagef("%v", err)
		}
		files = append(files, rs)
	}
	if o.demo {
		rs, err := corpus.ReadDemoRules()
		if err != nil {
			return err
		}
		files = append(files, rs)
	}
	var tested []vet.Tested
	failed, news := 0, 0
	for _, rs := range files {
		configs, err := o.beside(a, rs)
		if err != nil {
			return err
		}
		for _, c := range configs {
			results, err := rs.Check(ctx, c)
			if err != nil {
				return a.unknownPath(err)
			}
			for i := range results {
				if results[i].Failed() {
					failed++
				}
				if results[i].News() {
					news++
				}
			}
			tested = append(tested, vet.Tested{Rules: rs, Preset: c.Preset, Results: results})
		}
	}
	if err := a.print(vet.Rules(tested), o.format); err != nil {
		return err
	}
	if failed > 0 || o.strict && news > 0 {
		return &failure{fmt.Sprintf("%d sessions are not as the rules expect, %d known faults are none any longer", failed,
			news)}
	}
	return nil
}

// beside is the choice of a file's own preset and settings, under those of the
// command line.
func (o *vetOptions) beside(a *app, rs *corpus.Rules) ([]replay.Config, error) {
	c := choice{presets: o.presets}
	switch {
	case len(c.presets) > 0:
	case rs.Preset == "":
		return nil, usagef("%s names no preset: add a line preset: NAME, or name one on the command line", rs.From)
	default:
		c.presets = []string{rs.Preset}
	}
	list, err := c.configs(a)
	if err != nil {
		return nil, usagef("%s: %v", rs.From, err)
	}
	for _, id := range sortedKeys(rs.Set) {
		if err := a.assign(list, "set", id+"="+rs.Set[id]); err != nil {
			return nil, usagef("%s: %v", rs.From, err)
		}
	}
	for _, s := range o.set {
		if err := a.assign(list, "--set", s); err != nil {
			return nil, err
		}
	}
	for _, cfg := range list {
		if err := cfg.Preset.Check(cfg.Set); err != nil {
			return nil, usagef("%s: %v", rs.From, err)
		}
	}
	return list, nil
}

func sortedKeys(set detectors.Settings) []string { return slices.Sorted(maps.Keys(set)) }

// unknownPath explains what went wrong with the rules of a file.
func (a *app) unknownPath(err error) error {
	var unknown *corpus.UnknownPathError
	var syntax *formats.SyntaxError
	var excluded *replay.ExcludedError
	switch {
	case errors.As(err, &unknown):
		if t := a.removed(unknown.Name); t != "" {
			return usagef("%s: %s", unknown.Where, t)
		}
		return usagef("%v; groundhog list presets, groundhog list detectors", err)
	case errors.As(err, &excluded), errors.As(err, &syntax):
		a.warnf("%v", err)
		return &dataError{1}
	}
	return err
}
