package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/report"
	"groundhog/report/stat"
)

// sweepOptions are the flags of `groundhog sweep`.
type sweepOptions struct {
	inputs
	choice
	judging
	axes      []string
	objective string
	costs     string
	holdout   string
	force     bool
	all       bool
}

// judging is the flags of the commands that judge points.
type judging struct {
	format, file string
	levels       string
	prevalence   []string
	cluster      string
	selection    corpus.Selection
	seed         uint64
	split        string
	cuts         []replay.Cut // ways of cutting text that are compared; none in a sweep, where they would cost as much as it does
	jobs         int
	quiet        bool
}

func (j *judging) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&j.format, "format", "text", "text or json")
	f.StringVarP(&j.file, "output", "o", "", "write to this file instead of stdout")
	f.StringVar(&j.levels, "level", "", "nudge or stop (default both; an objective is judged at stop level)")
	f.StringSliceVar(&j.prevalence, "prevalence", nil, "shares of loops at which the share of right fires is shown (default 1%,5%)")
	f.StringVar(&j.cluster, "cluster", "session", "what makes sessions one cluster: "+strings.Join(corpus.ClusterKeys, ", "))
	f.StringVar(&j.split, "split", "", "how text without recorded deltas is cut: "+splitters())
	f.IntVarP(&j.jobs, "jobs", "j", 0, "sessions replayed at once (default: one per CPU); changes no output")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "no progress")
	cmd.RegisterFlagCompletionFunc("level", cobra.FixedCompletions([]string{"nudge", "stop"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("cluster", cobra.FixedCompletions(corpus.ClusterKeys, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// shown are the levels asked for.
func (j *judging) shown() ([]detectors.Verdict, error) {
	switch j.levels {
	case "":
		return report.Levels[:], nil
	case "nudge":
		return []detectors.Verdict{detectors.Nudge}, nil
	case "stop":
		return []detectors.Verdict{detectors.ForceStop}, nil
	}
	return nil, usagef("--level %s: expected nudge or stop", j.levels)
}

// shares reads the prevalences.
func (j *judging) shares() ([]float64, error) {
	if len(j.prevalence) == 0 {
		return report.Prevalences, nil
	}
	var list []float64
	for _, word := range j.prevalence {
		p, err := fraction(word)
		if err != nil || p <= 0 || p >= 1 {
			return nil, usagef("--prevalence %s: expected a share between 0 and 1, such as 2%% or 0.02", word)
		}
		list = append(list, p)
	}
	return list, nil
}

// fraction reads 0.02 or 2%.
func fraction(word string) (float64, error) {
	digits, percent := strings.CutSuffix(word, "%")
	p, err := strconv.ParseFloat(digits, 64)
	if percent {
		p /= 100
	}
	return p, err
}

func (j *judging) check() error {
	if j.format != "text" && j.format != "json" {
		return usagef("output format %q: expected text or json", j.format)
	}
	return j.checkCluster()
}

func (j *judging) checkCluster() error {
	key, err := corpus.ParseClusterKey(j.cluster)
	if err != nil {
		return usagef("--cluster: %v", err)
	}
	j.cluster = key
	return nil
}

func (a *app) sweepCommand() *cobra.Command {
	o := &sweepOptions{}
	cmd := &cobra.Command{
		Use:   "sweep PARAM=VALUES… PATH…",
		Short: "Say how outcomes move along a threshold",
		Long: "Sweep replays one preset at every value of one parameter, or at every combination of several, in one pass.\n" +
			"It says which sessions flip at each step, by name, and which setting an objective picks, or what that lacks.\n" +
			"VALUES are a range 2..8, one with a step 10..50:10 or a factor 2..64:x2, or a list 3,5,8. The current setting is\n" +
			"always among them. See groundhog help views, list params.",
		Example: "  groundhog sweep --demo kocoro/exact_duplicate.nudge=2..8\n" +
			"  groundhog sweep exact_duplicate.nudge=3..6 no_progress.nudge=8..16:2 traces/ -l labels.yaml\n" +
			"  groundhog sweep -p mimo-2026-09 text_ngram_repeat.threshold=8..40:4 traces/ --objective 'min waste s.t. fpr95<=2%'\n" +
			"  groundhog sweep exact_duplicate.nudge=2..8 traces/ --costs false_stop=40,missed_loop=8,wasted_call=0.2,nudge=0.5 \\\n" +
			"      --prevalence 3% --objective 'min cost'",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.axes, o.paths = nil, nil
			for _, arg := range args {
				if _, err := os.Stat(arg); err != nil && strings.Contains(arg, "=") {
					o.axes = append(o.axes, arg)
				} else {
					o.paths = append(o.paths, arg)
				}
			}
			c, err := a.configured(cmd, &o.inputs, &o.choice, nil)
			if err != nil {
				return err
			}
			o.judging.fill(cmd, c)
			o.costs = o.judging.costsOr(cmd, c, o.costs)
			return a.sweep(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	o.judging.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.objective, "objective", report.DefaultObjective, "max or min METRIC s.t. METRIC<=VALUE,…")
	f.StringVar(&o.costs, "costs", "", "what mistakes cost: false_stop=,missed_loop=,wasted_call=,nudge=; needs one --prevalence")
	f.StringVar(&o.holdout, "holdout-after", "", "choose on sessions before this date, measure on the others (YYYY-MM-DD)")
	f.BoolVar(&o.force, "force", false, "choose although too few loops are labelled")
	f.BoolVar(&o.all, "all", false, "list every point of a grid that differs")
	return cmd
}

func (a *app) sweep(ctx context.Context, o *sweepOptions) error {
	s, configs, err := o.settle(a)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		return usagef("%v", err)
	}
	return a.board(ctx, &o.inputs, &o.judging, plan, func(b *report.Board) *report.Report {
		s.Board = b
		return s.Report()
	})
}

// settle reads what the flags say.
func (o *sweepOptions) settle(a *app) (*report.Sweep, []replay.Config, error) {
	configs, err := o.configs(a)
	if err != nil {
		return nil, nil, err
	}
	if len(o.axes) == 0 {
		return nil, nil, usagef("no axis: name a parameter and its values, such as exact_duplicate.nudge=2..8; groundhog list params")
	}
	if len(o.presets) > 1 {
		return nil, nil, usagef("--preset: a sweep is about one preset, and compare about two")
	}
	var axes []replay.Axis
	for _, spec := range o.axes {
		axis, err := replay.ParseAxis(configs[0].Preset.Params(), spec)
		if len(o.presets) == 0 && errors.Is(err, replay.ErrNoParam) { // another of the default presets may have it
			for _, c := range configs[1:] {
				if axis2, err2 := replay.ParseAxis(c.Preset.Params(), spec); err2 == nil {
					configs, axis, err = []replay.Config{c}, axis2, nil
				}
			}
		}
		if err != nil {
			if errors.Is(err, replay.ErrNoParam) {
				id, _, _ := strings.Cut(spec, "=")
				return nil, nil, usagef("%s: %s", id, a.unknown(id, configs[:1]))
			}
			return nil, nil, usagef("%v", err)
		}
		axes = append(axes, axis)
	}
	s := &report.Sweep{Force: o.force, All: o.all, Level: detectors.ForceStop}
	list, grid, current, err := replay.Grid(configs[0], axes)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	s.Grid, s.Current = grid, current
	if s.Levels, err = o.shown(); err != nil {
		return nil, nil, err
	}
	if o.levels == "nudge" {
		s.Level = detectors.Nudge
	}
	if s.Prevalence, err = o.shares(); err != nil {
		return nil, nil, err
	}
	if s.Objective, err = report.ParseObjective(o.objective); err != nil {
		return nil, nil, usagef("--objective: %v", err)
	}
	if s.Costs, err = o.mistakes(s.Prevalence); err != nil {
		return nil, nil, err
	}
	if s.Objective.NeedsCosts() && s.Costs == nil {
		return nil, nil, usagef("--objective %s needs --costs: there are no costs that fit everybody", o.objective)
	}
	if o.holdout != "" {
		if s.Holdout, err = time.Parse(time.DateOnly, o.holdout); err != nil {
			return nil, nil, usagef("--holdout-after %s: expected a date such as 2026-07-01", o.holdout)
		}
	}
	return s, list, o.judging.check()
}

// mistakes reads the costs. They mean nothing without the share of loops.
func (o *sweepOptions) mistakes(prevalence []float64) (*stat.Costs, error) {
	if o.costs == "" {
		return nil, nil
	}
	if len(o.prevalence) != 1 {
		return nil, usagef("--costs needs one --prevalence: what mistakes cost depends on how many sessions are loops")
	}
	c := &stat.Costs{Prevalence: prevalence[0]}
	into := map[string]*float64{"false_stop": &c.FalseStop, "missed_loop": &c.Miss, "wasted_call": &c.WastedCall, "nudge": &c.OneNudge}
	given := make(map[string]bool)
	for _, part := range strings.Split(o.costs, ",") {
		name, value, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(value, 64)
		switch {
		case into[name] == nil:
			return nil, usagef("--costs %s: expected false_stop, missed_loop, wasted_call and nudge", name)
		case err != nil || !(v >= 0 && v < 1e12):
			return nil, usagef("--costs %s: %q is no cost", name, value)
		}
		*into[name], given[name] = v, true
	}
	if len(given) != len(into) {
		return nil, usagef("--costs %s: all four are needed: false_stop, missed_loop, wasted_call, nudge", o.costs)
	}
	return c, nil
}

// board replays what was asked for onto a board, and prints what is made of it.
func (a *app) board(ctx context.Context, in *inputs, j *judging, plan *replay.Plan, made func(*report.Board) *report.Report) error {
	var board *report.Board
	return a.judged(ctx, in, j, plan, func(labels *corpus.Labels) (*report.Board, func(*replay.Outcome)) {
		board = report.NewBoard(plan, labels, j.cluster)
		return board, board.Add
	}, func(*formats.Found, *corpus.Labels) (*report.Report, error) { return made(board), nil })
}

// judged replays what was asked for onto the board that begin gives, hands it every
// outcome by what begin gives besides, and prints what is made in the end.
func (a *app) judged(ctx context.Context, in *inputs, j *judging, plan *replay.Plan, begin func(*corpus.Labels) (*report.Board, func(*replay.Outcome)), made func(*formats.Found, *corpus.Labels) (*report.Report, error)) error {
	if _, err := cut.Find(j.split); err != nil {
		return usagef("--split: %v", err)
	}
	bar := a.progress(j.quiet)
	found, labels, bad, err := in.find(ctx, a, parquet.All)
	if err != nil {
		return err
	}
	defer found.Close()
	past, err := ledgerOf(found)
	if err != nil {
		return err
	}
	split, err := splitter(j.split, past)
	if err != nil {
		return err
	}
	board, add := begin(labels)
	board.Selection, board.Seed = j.selection, j.seed
	board.Splitter = split.Name
	if past != nil { // a ledger holds no text to cut
		j.cuts = nil
	}
	for _, c := range j.cuts {
		board.Cuts = append(board.Cuts, c.Name)
	}
	e := &replay.Engine{Plan: plan, Workers: j.jobs, Split: split.Cut, Cuts: j.cuts, Chosen: split.Name, MaxBad: in.badLines, Progress: bar.update}
	left := 0
	n, err := a.run(ctx, e, found, labels, func(o *replay.Outcome) error {
		if o.Err != nil {
			a.warnf("%s: session %s: %v", o.Session.Origin.File, o.Session.ID, o.Err)
			left++
		}
		add(o)
		return nil
	})
	bar.done()
	if err != nil {
		return err
	}
	w := a.Stdout
	if j.file != "" && j.file != "-" {
		f, err := create(j.file, found)
		if err != nil {
			return err
		}
		defer f.Close()
		w = f
	}
	r, err := made(found, labels)
	if err != nil {
		return err
	}
	if err := a.printTo(w, r, j.format); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return a.complain(asked(found), bad+n+left)
}

// asked lists what the user named and did not get.
func asked(found *formats.Found) (list []formats.Skip) {
	for _, s := range found.Skipped {
		if s.Asked {
			list = append(list, s)
		}
	}
	return list
}
