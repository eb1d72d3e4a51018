package cli

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
	"groundhog/report/sweep"
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
	outputs
	replaying
	levels     string
	prevalence []string
	cluster    string
	selection  corpus.Selection
	seed       uint64
	// positions in streams are compared under several splitters; in a sweep they would
	// cost as much as it does
	compared bool
}

func (j *judging) flags(cmd *cobra.Command, formats ...string) {
	j.outputs.flags(cmd, formats...)
	j.replaying.flags(cmd)
	j.splitFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&j.levels, "level", "", "nudge or stop (default both; an objective is judged at stop level)")
	f.StringSliceVar(&j.prevalence, "prevalence", nil,
		"shares of loops at which the share of right fires is shown (default 1%,5%)")
	f.StringVar(&j.cluster, "cluster", "session", "what makes sessions one cluster: "+
		strings.Join(corpus.ClusterKeys, ", "))
	cmd.RegisterFlagCompletionFunc("level", fixed("nudge", "stop"))
	cmd.RegisterFlagCompletionFunc("cluster", fixed(corpus.ClusterKeys...))
}

// shown are the levels asked for.
func (j *judging) shown() ([]detectors.Verdict, error) {
	switch j.levels {
	case "":
		return board.Levels[:], nil
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
		return board.Prevalences, nil
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

// check is what can be said of the flags before anything is read.
func (j *judging) check() error {
	if _, err := j.specs(); err != nil {
		return err
	}
	if _, err := cut.Find(j.split); err != nil {
		return usagef("--split: %v", err)
	}
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
			"VALUES are a range 2..8, one with a step 10..50:10 or a factor 2..64:x2, or a list 3,5,8. The current setting " +
			"is\n" +
			"always among them. See groundhog help views, list params.",
		Example: "  groundhog sweep --demo kocoro/exact_duplicate.nudge=2..8\n" +
			"  groundhog sweep exact_duplicate.nudge=3..6 no_progress.nudge=8..16:2 traces/ -l labels.yaml\n" +
			"  groundhog sweep -p mimo-2026-09 text_ngram_repeat.threshold=8..40:4 traces/ --objective 'min waste s.t. " +
			"fpr95<=2%'\n" +
			"  groundhog sweep exact_duplicate.nudge=2..8 traces/ --costs " +
			"false_stop=40,missed_loop=8,wasted_call=0.2,nudge=0.5 \\\n" +
			"      --prevalence 3% --objective 'min cost'",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths, o.axes = splitAxes(args)
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
	o.judging.flags(cmd, "text", "json")
	f := cmd.Flags()
	f.StringVar(&o.objective, "objective", sweep.DefaultObjective, "max or min METRIC s.t. METRIC<=VALUE,…")
	f.StringVar(&o.costs, "costs", "",
		"what mistakes cost: false_stop=,missed_loop=,wasted_call=,nudge=; needs one --prevalence")
	f.StringVar(&o.holdout, "holdout-after", "", "choose on sessions before this date, measure on the others (YYYY-MM-DD)")
	f.BoolVar(&o.force, "force", false, "choose although too few loops are labelled")
	f.BoolVar(&o.all, "all", false, "list every point of a grid that differs")
	return cmd
}

// splitAxes tells paths and axes apart: an axis has a = and is no file.
func splitAxes(args []string) (paths, axes []string) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && strings.Contains(arg, "=") {
			axes = append(axes, arg)
		} else {
			paths = append(paths, arg)
		}
	}
	return paths, axes
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
	return a.judge(ctx, &o.inputs, &o.judging, plan, o.onBoard(plan, func(b *board.Board) *report.Report {
		s.Board = b
		return s.Report()
	}))
}

// settle reads what the flags say.
func (o *sweepOptions) settle(a *app) (*sweep.Sweep, []replay.Config, error) {
	configs, err := o.configs(a)
	if err != nil {
		return nil, nil, err
	}
	if len(o.axes) == 0 {
		return nil, nil, usagef("no axis: name a parameter and its values, such as exact_duplicate.nudge=2..8; groundhog " +
			"list params")
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
	s := &sweep.Sweep{Force: o.force, All: o.all, Level: detectors.ForceStop}
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
	if s.Objective, err = sweep.ParseObjective(o.objective); err != nil {
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
	into := map[string]*float64{"false_stop": &c.FalseStop, "missed_loop": &c.Miss, "wasted_call": &c.WastedCall,
		"nudge": &c.OneNudge}
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

// judge replays what was asked for onto the board that begin makes of the labels,
// hands it every outcome, and prints what is made of it in the end.
func (a *app) judge(ctx context.Context, in *inputs, j *judging, plan *replay.Plan, q question) error {
	s, err := a.read(ctx, in, j.quiet)
	if err != nil {
		return err
	}
	defer s.close()
	e, err := s.engine(plan, in, &j.replaying, j.compared)
	if err != nil {
		return err
	}
	p, err := j.open(a)
	if err != nil {
		return err
	}
	defer p.abort()
	b, add := q.begin(s.labels)
	b.Selection, b.Seed, b.Splitter, b.Cuts = j.selection, j.seed, e.Chosen, cutNames(e)
	if err := s.partly(ctx, e, func(o *replay.Outcome) error {
		add(o)
		return nil
	}); err != nil {
		return err
	}
	r, err := q.report(s)
	if err != nil {
		return err
	}
	return s.print(p, r)
}

// A question is what a command makes of judged sessions.
type question struct {
	begin  func(*corpus.Labels) (*board.Board, func(*replay.Outcome))
	report func(*source) (*report.Report, error)
}

// onBoard is the question that needs a board and no more.
func (j *judging) onBoard(plan *replay.Plan, made func(*board.Board) *report.Report) question {
	var b *board.Board
	return question{
		begin: func(labels *corpus.Labels) (*board.Board, func(*replay.Outcome)) {
			b = board.New(plan, labels, j.cluster)
			return b, b.Add
		},
		report: func(*source) (*report.Report, error) { return made(b), nil },
	}
}
