package cli

import (
	"github.com/spf13/cobra"

	"groundhog/replay"
	"groundhog/report/labels"
)

// suggestOptions are the flags of `groundhog label suggest` and `label review`.
type suggestOptions struct {
	inputs
	choice
	outputs
	halfWidth float64
	top       int
	quiet     bool
	by        []string // of review
}

func (o *suggestOptions) flags(a *app, cmd *cobra.Command) {
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	cmd.Flags().Float64Var(&o.halfWidth, "half-width", 0.05, "how exact the share of loops among quiet sessions shall be")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
}

func (a *app) labelSuggestCommand() *cobra.Command {
	o := &suggestOptions{}
	cmd := &cobra.Command{
		Use:   "suggest PATH…",
		Short: "Say which sessions to label next, and how many",
		Long: "Suggest replays the sessions and names those to label: where configurations disagree, all that are stopped, " +
			"and a\n" +
			"random sample of the quiet ones, drawn by a hash, so that the same sessions give the same sample. It does not " +
			"say\n" +
			"which detector fired where: a reviewer judges the session.",
		Example: "  groundhog label suggest traces/ -l labels.yaml\n" +
			"  groundhog label suggest traces/ --preset kocoro-2026-03,kocoro-4ec6772 --half-width 0.1 --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if _, err := o.specs(); err != nil {
				return err
			}
			sug, s, err := a.suggest(cmd, o)
			if err != nil {
				return err
			}
			defer s.close()
			p, err := o.open(a)
			if err != nil {
				return err
			}
			return s.print(p, sug.Report(o.top))
		},
	}
	o.flags(a, cmd)
	o.outputs.flags(cmd, "text", "json")
	cmd.Flags().IntVar(&o.top, "top", 20, "sessions to list; 0 lists all")
	return cmd
}

// suggest replays what was found. The source has to be closed.
func (a *app) suggest(cmd *cobra.Command, o *suggestOptions) (*labels.Suggest, *source, error) {
	if !(o.halfWidth > 0 && o.halfWidth < 0.5) {
		return nil, nil, usagef("--half-width %v: expected a share above 0 and below 0.5", o.halfWidth)
	}
	c, err := a.configured(cmd, &o.inputs, &o.choice, nil)
	if err != nil {
		return nil, nil, err
	}
	configs, err := o.configs(a)
	if err != nil {
		return nil, nil, err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	o.fresh = true
	s, err := a.read(cmd.Context(), &o.inputs, o.quiet)
	if err != nil {
		return nil, nil, err
	}
	sug := labels.NewSuggest(plan, s.labels)
	sug.HalfWidth = o.halfWidth
	sug.Level, _ = c.number("report.confidence")
	sug.Seed = c.seed()
	e := &replay.Engine{Plan: plan, MaxBad: o.badLines, Progress: s.bar.update}
	err = s.partly(cmd.Context(), e, func(out *replay.Outcome) error {
		sug.Add(out)
		return nil
	})
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return sug, s, nil
}
