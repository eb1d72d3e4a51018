package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/compare"
)

// compareOptions are the flags of `groundhog compare`.
type compareOptions struct {
	inputs
	judging
}

func (a *app) compareCommand() *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare A B PATH…",
		Short: "Say what changes between two configurations",
		Long: "Compare replays two configurations over the same sessions, names every session that does something else, " +
			"and says\n" +
			"what may be noise (~). A and B are presets, with settings after an @ " +
			"(kocoro@exact_duplicate.nudge=3,no_progress.nudge=8),\n" +
			"or configuration files with one preset, or two result files (replay --ledger), which hold their sessions " +
			"themselves.\n" +
			"It always ends with 0 where the input could be read: groundhog gate is what fails.",
		Example: "  groundhog compare --demo kocoro-2026-03 kocoro-4ec6772\n" +
			"  groundhog compare kocoro kocoro@exact_duplicate.nudge=3 traces/ -l labels.yaml\n" +
			"  groundhog compare kocoro-4ec6772 kocoro-head traces/ --level stop --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("expected two configurations and PATHs, such as compare kocoro-2026-03 kocoro-4ec6772 traces/")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args[2:]
			c, err := a.configured(cmd, &o.inputs, nil, nil)
			if err != nil {
				return err
			}
			o.judging.fill(cmd, c)
			return a.compare(cmd.Context(), o, args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) < 2 {
				return a.presetNames(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	o.inputs.flags(a, cmd)
	o.judging.flags(cmd, "text", "json")
	return cmd
}

func (a *app) compare(ctx context.Context, o *compareOptions, specA, specB string) error {
	if isLedger(specA) && isLedger(specB) {
		return a.compareResults(ctx, o, specA, specB)
	}
	var configs []replay.Config
	for _, spec := range []string{specA, specB} {
		c, err := a.config(spec)
		if err != nil {
			return err
		}
		configs = append(configs, c)
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
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		return usagef("%v", err)
	}
	o.compared = true
	return a.judge(ctx, &o.inputs, &o.judging, plan, o.onBoard(plan, func(b *board.Board) *report.Report {
		c := &compare.Compare{Board: b, A: 0, B: 1, NameA: specA, NameB: specB, Levels: levels, Prevalence: prevalence}
		return c.Report()
	}))
}

// config reads PRESET or PRESET@PARAM=VALUE,….
func (a *app) config(spec string) (replay.Config, error) {
	if ext := filepath.Ext(spec); ext == ".yaml" || ext == ".yml" {
		return a.configOf(spec)
	}
	name, settings, _ := strings.Cut(spec, "@")
	p := family.FindPreset(name, a.presets)
	if p == nil {
		return replay.Config{}, usagef("unknown preset %q: expected one of %s, with settings after an @", name,
			strings.Join(a.presetNames(), ", "))
	}
	c := replay.Config{Preset: p, Set: detectors.Settings{}}
	if settings != "" {
		for _, s := range strings.Split(settings, ",") {
			if err := a.assign([]replay.Config{c}, spec+":", s); err != nil {
				return c, err
			}
		}
	}
	if err := p.Check(c.Set); err != nil {
		return c, usagef("%s: %v", spec, err)
	}
	return c, nil
}

// configOf is the one preset that a configuration file uses.
func (a *app) configOf(file string) (replay.Config, error) {
	a.reading(file)
	src, err := os.ReadFile(file)
	if err != nil {
		return replay.Config{}, usagef("%v", err)
	}
	c := newConfig()
	c.file = filepath.ToSlash(file)
	if _, err := c.parse(src, a.ignoreUnknown); err != nil {
		return replay.Config{}, usagef("%v", err)
	}
	list, err := (&choice{uses: c.presets}).configs(a)
	switch {
	case err != nil:
		return replay.Config{}, err
	case len(c.presets) != 1:
		return replay.Config{}, usagef("%s: presets: expected one, found %d: one file is one side of a comparison", file,
			len(c.presets))
	}
	return list[0], nil
}
