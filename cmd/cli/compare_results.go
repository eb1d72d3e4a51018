package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/replay/ledger"
	"groundhog/report/board"
	"groundhog/report/compare"
)

// isLedger reports whether a side of a comparison names a result file, with or
// without the preset that is meant after an @.
func isLedger(spec string) bool {
	file, _ := resultFile(spec)
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && filepath.Ext(file) == ".parquet"
}

// resultFile takes FILE@PRESET apart.
func resultFile(spec string) (file, preset string) {
	if _, err := os.Stat(spec); err == nil {
		return spec, ""
	}
	if i := strings.LastIndexByte(spec, '@'); i >= 0 {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

// compareResults compares what two ledgers hold, each under the configuration it
// was made with: results of two days, or of two builds of a configuration.
func (a *app) compareResults(ctx context.Context, o *compareOptions, specA, specB string) error {
	if len(o.paths) > 0 || o.demo {
		return usagef("two result files hold their sessions themselves; leave out %s",
			strings.Join(append(o.paths, map[bool]string{true: "--demo"}[o.demo]), " "))
	}
	levels, err := o.shown()
	if err != nil {
		return err
	}
	prevalence, err := o.shares()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	var boards [2]*board.Board
	left := &source{app: a}
	for i, spec := range []string{specA, specB} {
		if boards[i], err = a.resultBoard(ctx, o, spec, left); err != nil {
			return err
		}
	}
	joined, onlyA, onlyB, changed := board.Join(boards[0], boards[1])
	c := &compare.Compare{Board: joined, A: 0, B: 1, NameA: specA, NameB: specB, Levels: levels, Prevalence: prevalence}
	for _, n := range []struct {
		ids  []string
		what string
	}{{onlyA, "only in " + specA}, {onlyB, "only in " + specB}, {changed, "with another number of calls in either"}} {
		if len(n.ids) > 0 {
			c.Remarks = append(c.Remarks, fmt.Sprintf("not compared, %s: %d, such as %s", n.what, len(n.ids), n.ids[0]))
		}
	}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	if err := p.report(c.Report()); err != nil {
		return err
	}
	return left.leftOut()
}

// resultBoard judges the sessions of one ledger under its own configuration. What is
// left out of it goes to left.
func (a *app) resultBoard(ctx context.Context, o *compareOptions, spec string, left *source) (*board.Board, error) {
	file, name := resultFile(spec)
	in := o.inputs
	in.paths = []string{file}
	s, err := a.read(ctx, &in, true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.past == nil {
		return nil, usagef("%s: expected a ledger (groundhog replay PATH… --ledger FILE)", file)
	}
	config, err := a.madeUnder(s.past, file, name)
	if err != nil {
		return nil, err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{config}, Brief: true})
	if err != nil {
		return nil, usagef("%s: %v", file, err)
	}
	b := board.New(plan, s.labels, o.cluster)
	b.Selection, b.Seed, b.Splitter = o.selection, o.seed, s.past.Splitter()
	err = s.run(ctx, &replay.Engine{Plan: plan, Workers: o.jobs, MaxBad: in.badLines}, func(out *replay.Outcome) error {
		b.Add(out)
		return nil
	})
	left.left, left.wrong = append(left.left, s.left...), append(left.wrong, s.wrong...)
	return b, err
}

// madeUnder is the configuration that a ledger was made under; name says which, where
// there are several.
func (a *app) madeUnder(l *ledger.Ledger, file, name string) (replay.Config, error) {
	var config *replay.Config
	var names []string
	for _, m := range l.Made() {
		names = append(names, m.Preset)
		p := family.FindPreset(m.Preset, a.presets)
		if p == nil || name != "" && family.FindPreset(name, a.presets) != p {
			continue
		}
		if config != nil {
			return replay.Config{}, usagef("%s was made under %s: say which after an @", file, strings.Join(names, ", "))
		}
		config = &replay.Config{Preset: p, Set: detectors.Settings{}.With(m.Set)}
	}
	if config == nil {
		return replay.Config{}, usagef("%s was made under %s, and not under %s", file, strings.Join(names, ", "), name)
	}
	return *config, nil
}
