package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors/mimo"
	"groundhog/detectors/policy"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/report"
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
	config   string
	provider string
	format   string
	file     string
	more     []string
	jobs     int
	quiet    bool
	axes     []axis
}

func (a *app) retryCommand() *cobra.Command {
	o := &retryOptions{}
	cmd := &cobra.Command{
		Use:   "retry PATH… [AXIS=VALUES…]",
		Short: "Say what each retry policy would have made of the recorded failures",
		Long: "Retry reads recorded sessions and walks every failed request through retry policies: how often each would have\n" +
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
			if o.paths, o.axes, err = splitAxes(args); err != nil {
				return err
			}
			if _, err := a.configured(cmd, &o.inputs, nil, nil); err != nil {
				return err
			}
			return a.retry(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	f := cmd.Flags()
	f.StringSliceVarP(&o.policies, "policy", "p", nil, "policy to replay, may be repeated (default "+strings.Join(a.DefaultPolicies, ", ")+"); groundhog list policies")
	f.StringArrayVar(&o.set, "set", nil, "change a parameter, ID=VALUE; groundhog list policies")
	f.StringVar(&o.stack, "stack", "", "also replay these policies one inside the other, innermost first: SDK,AGENT")
	f.StringVar(&o.compare, "compare", "", "compare two policies, A,B, episode by episode")
	f.StringVar(&o.config, "mimo-config", "", "configuration of MiMo Code (JSON), of which retry and provider.ID.retry are read")
	f.StringVar(&o.provider, "provider", "", "provider, in that configuration, of requests whose record does not name one")
	f.StringVar(&o.format, "format", "text", "text, json, or the episodes one by one: jsonl")
	f.StringVarP(&o.file, "output", "o", "", "write to this file instead of stdout")
	f.StringArrayVar(&o.more, "out", nil, "write a further output, FORMAT=FILE")
	f.IntVarP(&o.jobs, "jobs", "j", 0, "sessions read at once (default: one per CPU); changes no output")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return policyNames(a.Policies), cobra.ShellCompDirectiveNoFileComp
	}
	for _, flag := range []string{"policy", "stack", "compare"} {
		cmd.RegisterFlagCompletionFunc(flag, names)
	}
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(retryFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var retryFormats = []string{"text", "json", "jsonl"}

func policyNames(list []*policy.Policy) (names []string) {
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

func (a *app) retry(ctx context.Context, o *retryOptions) error {
	known, config, err := a.policiesUnder(o.config, o.provider)
	if err != nil {
		return err
	}
	chosen, err := o.choose(a, known)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Requests: true, Brief: true})
	if err != nil {
		return err
	}
	bar := a.progress(o.quiet)
	o.failures = true
	found, labels, bad, err := o.find(ctx, a, parquet.All)
	if err != nil {
		return err
	}
	defer found.Close()
	if past, err := ledgerOf(found); err != nil || past != nil {
		return cmp.Or(err, usagef("a ledger holds measurements and no failed requests: name the recordings that it was made of"))
	}
	sinks, err := o.open(a, found)
	if err != nil {
		return err
	}
	rep := retry.New(chosen.retriers, found)
	rep.Findings = findings(config)
	for _, c := range mimo.RetryCases {
		rep.Cases = append(rep.Cases, retry.Case(c))
	}
	rep.Compare, rep.Axes = chosen.compare, chosen.sweep
	e := &replay.Engine{Plan: plan, Workers: o.jobs, MaxBad: o.badLines, Progress: bar.update}
	n, err := a.run(ctx, e, found, labels, func(out *replay.Outcome) error {
		return rep.Add(out, func(ep *retry.Episode) error {
			for _, s := range sinks {
				if s.lines != nil {
					if err := s.lines.Add(ep); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	bar.done()
	if err != nil {
		return err
	}
	if err := finishRetry(sinks, rep.Report()); err != nil {
		return err
	}
	return a.complain(rep.Left(), bad+n)
}

// policiesUnder are the policies, those of MiMo Code under the user's configuration.
func (a *app) policiesUnder(file, provider string) ([]*policy.Policy, *mimo.RetryConfig, error) {
	if file == "" {
		return a.Policies, nil, nil
	}
	data, err := mimoConfigFile(file)
	if err != nil {
		return nil, nil, err
	}
	config, err := mimo.ReadRetryConfig(data)
	if err != nil {
		return nil, nil, usagef("--mimo-config %s: %v", file, err)
	}
	list := slices.Clone(a.Policies)
	for _, p := range mimo.WithConfig(config, provider) {
		for i := range list {
			if list[i].Name == p.Name {
				list[i] = p
			}
		}
	}
	return list, config, nil
}

// A retrySink is one output.
type retrySink struct {
	format string
	w      *bufio.Writer
	close  func() error
	style  render.Style
	lines  *render.Retries
}

// open opens every output.
func (o *retryOptions) open(a *app, found *formats.Found) (list []*retrySink, err error) {
	specs := []string{o.format + "=" + o.file}
	for _, spec := range o.more {
		if _, file, ok := strings.Cut(spec, "="); !ok || file == "" {
			return nil, usagef("--out %s: expected FORMAT=FILE", spec)
		}
	}
	for _, spec := range append(specs, o.more...) {
		format, file, _ := strings.Cut(spec, "=")
		if !contains(retryFormats, format) {
			return nil, usagef("output format %q: expected one of %s", format, strings.Join(retryFormats, ", "))
		}
		s := &retrySink{format: format, close: func() error { return nil }}
		var w io.Writer = a.Stdout
		if file == "" || file == "-" {
			s.style = a.style(a.Stdout)
		} else {
			f, err := create(file, found)
			if err != nil {
				return nil, err
			}
			w, s.close = f, f.Close
		}
		s.w = bufio.NewWriterSize(w, 64<<10)
		if format == "jsonl" {
			s.lines = render.NewRetries(s.w)
		}
		list = append(list, s)
	}
	return list, nil
}

// finishRetry writes the report and closes every output.
func finishRetry(list []*retrySink, r *report.Report) error {
	for _, s := range list {
		var err error
		switch s.format {
		case "text":
			err = render.Text(s.w, r, s.style)
		case "json":
			err = render.JSON(s.w, r)
		}
		for _, f := range []func() error{s.w.Flush, s.close} {
			if e := f(); err == nil {
				err = e
			}
		}
		if err != nil {
			return fmt.Errorf("writing the output: %w", err)
		}
	}
	return nil
}
