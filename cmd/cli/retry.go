package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors/family"
	"groundhog/detectors/policy"
	"groundhog/replay"
	"groundhog/report/render"
	"groundhog/report/retry"
)

// retryOptions are the flags of `groundhog retry`.
type retryOptions struct {
	inputs
	policies []string
	set      []string
	stack    string
	compare  string
	files    agentConfigs
	provider string
	outputs
	replaying
	axes []string
}

func (a *app) retryCommand() *cobra.Command {
	o := &retryOptions{}
	cmd := &cobra.Command{
		Use:   "retry PATH… [AXIS=VALUES…]",
		Short: "Say what each retry policy would have made of the recorded failures",
		Long: "Retry reads recorded sessions and walks every failed request through retry policies: how often each would " +
			"have\n" +
			"tried again, how long it would have waited, why it would have stopped, and whether that would have been enough.\n" +
			"The failures are taken as recorded; what comes after a recorded give-up is unknown, and said to be.\n" +
			"PATH is as for groundhog replay. AXIS=VALUES sweeps a parameter: 1..10, 0..60000/5000, or 2,4,8.",
		Example: "  groundhog retry ~/.claude/projects\n" +
			"  groundhog retry traces/ --policy mimo-2026-09,mimo-head --mimo-config mimo.json --provider openai\n" +
			"  groundhog retry traces/ --compare opencode-1.14.19,mimo-2026-09\n" +
			"  groundhog retry traces/ --policy mimo-2026-09 mimo/retry.rate_limit.max_retries=1..10\n" +
			"  groundhog retry traces/ --stack openai-sdk,mimo-2026-09\n" +
			"  groundhog retry --demo --format jsonl",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.paths, o.axes = splitAxes(args)
			if _, err := a.configured(cmd, &o.inputs, nil, nil); err != nil {
				return err
			}
			return a.retry(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	f := cmd.Flags()
	f.StringSliceVarP(&o.policies, "policy", "p", nil, "policy to replay, may be repeated (default "+
		strings.Join(a.DefaultPolicies, ", ")+"); groundhog list policies")
	f.StringArrayVar(&o.set, "set", nil, "change a parameter, ID=VALUE; groundhog list policies")
	f.StringVar(&o.stack, "stack", "", "also replay these policies one inside the other, innermost first: SDK,AGENT")
	f.StringVar(&o.compare, "compare", "", "compare two policies, A,B, episode by episode")
	o.files.flags(a, cmd, retryHelp)
	f.StringVar(&o.provider, "provider", "", "provider, in that configuration, of requests whose record does not name one")
	o.outputs.flags(cmd, "text", "json", "jsonl")
	f.Lookup("format").Usage = "text, json, or the episodes one by one: jsonl"
	o.replaying.flags(cmd)
	for _, flag := range []string{"policy", "stack", "compare"} {
		cmd.RegisterFlagCompletionFunc(flag, fixed(policyNames(a.policies)...))
	}
	return cmd
}

func policyNames(list []*policy.Policy) (names []string) {
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

func (a *app) retry(ctx context.Context, o *retryOptions) error {
	config, err := a.policiesUnder(o.files, o.provider)
	if err != nil {
		return err
	}
	chosen, err := o.choose(a, config.policies)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Requests: true, Brief: true})
	if err != nil {
		return err
	}
	o.failures = true
	s, err := a.read(ctx, &o.inputs, o.quiet)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.transcripts("which holds measurements and no failed requests"); err != nil {
		return err
	}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	defer p.abort()
	var lines []*render.Retries
	for _, out := range p.sinks {
		if out.format == "jsonl" {
			lines = append(lines, render.NewRetries(out.w))
			out.finish = func() error { return nil }
		}
	}
	rep := retry.New(chosen.retriers, s.found)
	rep.Findings = config.notes
	rep.Cases = family.Concat(a.Families, func(f *family.Family) []policy.Case { return f.Cases })
	rep.Compare, rep.Axes = chosen.compare, chosen.sweep
	e := &replay.Engine{Plan: plan, Workers: o.jobs, MaxBad: o.badLines, Progress: s.bar.update}
	err = s.partly(ctx, e, func(out *replay.Outcome) error {
		return rep.Add(out, func(ep *retry.Episode) error {
			for _, l := range lines {
				if err := l.Add(ep); err != nil {
					return wroteErr(err)
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return s.print(p, rep.Report())
}
