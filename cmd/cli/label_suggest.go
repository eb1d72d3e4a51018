package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/report/labels"
)

// suggestOptions are the flags of `groundhog label suggest` and `label review`.
type suggestOptions struct {
	inputs
	choice
	format    string
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
		Long: "Suggest replays the sessions and names those to label: where configurations disagree, all that are stopped, and a\n" +
			"random sample of the quiet ones, drawn by a hash, so that the same sessions give the same sample. It does not say\n" +
			"which detector fired where: a reviewer judges the session.",
		Example: "  groundhog label suggest traces/ -l labels.yaml\n" +
			"  groundhog label suggest traces/ --preset kocoro-2026-03,kocoro-4ec6772 --half-width 0.1 --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if o.format != "text" && o.format != "json" {
				return usagef("output format %q: expected text or json", o.format)
			}
			s, found, err := a.suggest(cmd, o)
			if found != nil {
				defer found.Close()
			}
			if s == nil {
				return err
			}
			if printed := a.print(s.Report(o.top), o.format); printed != nil {
				return printed
			}
			return err
		},
	}
	o.flags(a, cmd)
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	cmd.Flags().IntVar(&o.top, "top", 20, "sessions to list; 0 lists all")
	return cmd
}

// suggest replays what was found. With an error there may still be a
// suggestion: some input was left out, and has been named.
func (a *app) suggest(cmd *cobra.Command, o *suggestOptions) (*labels.Suggest, *formats.Found, error) {
	ctx := cmd.Context()
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
	bar := a.progress(o.quiet)
	found, known, bad, err := o.find(ctx, a, parquet.All)
	if err != nil {
		return nil, nil, err
	}
	s := labels.NewSuggest(plan, known)
	s.HalfWidth = o.halfWidth
	s.Level, _ = c.number("report.confidence")
	s.Seed = c.seed()
	left := asked(found)
	n, err := a.run(ctx, &replay.Engine{Plan: plan, MaxBad: o.badLines, Progress: bar.update}, found, known, func(out *replay.Outcome) error {
		if out.Err != nil {
			left = append(left, formats.Skip{Path: out.Session.Origin.File, Asked: true, Why: fmt.Sprintf("session %s: %v", out.Session.ID, out.Err)})
		}
		s.Add(out)
		return nil
	})
	bar.done()
	if err != nil {
		return nil, found, err
	}
	return s, found, a.complain(left, bad+n)
}
