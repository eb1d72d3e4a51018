package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats/parquet"
	"groundhog/replay"
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
		return usagef("two result files hold their sessions themselves; leave out %s", strings.Join(append(o.paths, map[bool]string{true: "--demo"}[o.demo]), " "))
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
	left := 0
	for i, spec := range []string{specA, specB} {
		b, n, err := a.resultBoard(ctx, o, spec)
		if err != nil {
			return err
		}
		boards[i] = b
		left += n
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
	w := a.Stdout
	if o.judging.file != "" && o.judging.file != "-" {
		f, err := os.Create(o.judging.file)
		if err != nil {
			return usagef("%v", err)
		}
		defer f.Close()
		w = f
	}
	if err := a.printTo(w, c.Report(), o.judging.format); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return a.complain(nil, left)
}

// resultBoard judges the sessions of one ledger under its own configuration.
func (a *app) resultBoard(ctx context.Context, o *compareOptions, spec string) (b *board.Board, left int, err error) {
	file, name := resultFile(spec)
	in := o.inputs
	in.paths = []string{file}
	found, labels, bad, err := in.find(ctx, a, parquet.All)
	if err != nil {
		return nil, 0, err
	}
	defer found.Close()
	l, err := ledgerOf(found)
	if err != nil {
		return nil, 0, err
	}
	if l == nil {
		return nil, 0, usagef("%s: expected a ledger (groundhog replay PATH… --ledger FILE)", file)
	}
	var config *replay.Config
	var names []string
	for _, m := range l.Made() {
		names = append(names, m.Preset)
		p := catalog.Find(m.Preset, a.Presets)
		if p == nil || name != "" && catalog.Find(name, a.Presets) != p {
			continue
		}
		if config != nil {
			return nil, 0, usagef("%s was made under %s: say which after an @", file, strings.Join(names, ", "))
		}
		config = &replay.Config{Preset: p, Set: detectors.Settings{}.With(m.Set)}
	}
	if config == nil {
		return nil, 0, usagef("%s was made under %s, and not under %s", file, strings.Join(names, ", "), name)
	}
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{*config}, Brief: true})
	if err != nil {
		return nil, 0, usagef("%s: %v", file, err)
	}
	b = board.New(plan, labels, o.cluster)
	b.Selection, b.Seed, b.Splitter = o.selection, o.seed, l.Splitter()
	n, err := a.run(ctx, &replay.Engine{Plan: plan, Workers: o.jobs, MaxBad: in.badLines}, found, labels, func(out *replay.Outcome) error {
		if out.Err != nil {
			a.warnf("%s: session %s: %v", file, out.Session.ID, out.Err)
			left++
		}
		b.Add(out)
		return nil
	})
	return b, left + n + bad, err
}
