package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"groundhog/report/gate"
	"groundhog/report/render"
)

// gateOptions are the flags of `groundhog gate` and of its subcommands.
type gateOptions struct {
	measuring
	outputs
	rules        []string
	inconclusive string
	asOf         string
	verify       bool

	config *config
}

func (a *app) gateCommand() *cobra.Command {
	o := &gateOptions{}
	cmd := &cobra.Command{
		Use:   "gate [PATH…]",
		Short: "Fail where a configuration does worse than a baseline",
		Long: "Gate replays the present configuration and compares every session with a baseline file.\n" +
			"That a session flips is a fact and needs no statistics: a replay is deterministic. Without a preset on the " +
			"command line\n" +
			"or in groundhog.yaml the configuration is the baseline's own, and --set changes it. PATH and rules may stand in\n" +
			"groundhog.yaml (gate:, corpus:, labels:).\n\n" +
			"Exit status: 0 pass, 1 the gate failed, 2 wrong usage, 3 data, 4 inconclusive with --inconclusive=fail,\n" +
			"5 two replays differ. See groundhog help exit-codes.",
		Example: "  groundhog gate init traces/ -l labels.yaml\n" +
			"  groundhog gate traces/ -l labels.yaml\n" +
			"  groundhog gate --demo --baseline demo.json --set kocoro/exact_duplicate.nudge=3\n" +
			"  groundhog gate --out junit=groundhog.xml --out sarif=groundhog.sarif --out github --out " +
			"markdown=\"$GITHUB_STEP_SUMMARY\"\n" +
			"  groundhog gate update --accept build-poll-03 --reason 'polls by design' --owner agents-team --expires " +
			"2027-03-01\n" +
			"  groundhog gate self-test",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.fill(a, cmd, args); err != nil {
				return err
			}
			return a.gate(cmd.Context(), o)
		},
	}
	o.measuring.flags(a, cmd)
	o.judgingFlags(cmd)
	f := cmd.Flags()
	o.outputs.flags(cmd, render.GateFormats...)
	f.BoolVar(&o.verify, "verify", false,
		"replay twice, with other workers and in another order, and compare what is written")
	cmd.AddCommand(a.gateInitCommand(), a.gateUpdateCommand(), a.gateSelfTestCommand(), a.gateShowCommand())
	return cmd
}

// judgingFlags are those of what follows from a comparison.
func (o *gateOptions) judgingFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.rules, "rule", nil, "change a rule, NAME=LEVEL or NAME=LIMIT:LEVEL; levels: "+
		strings.Join(gate.RuleLevels, ", "))
	f.StringVar(&o.inconclusive, "inconclusive", "warn", "what follows where the data do not decide: "+
		strings.Join(gate.InconclusiveWords, ", "))
	f.StringVar(&o.asOf, "as-of", "", "the day on which exceptions are judged, YYYY-MM-DD (default: today, UTC)")
	cmd.RegisterFlagCompletionFunc("inconclusive", fixed(gate.InconclusiveWords...))
	cmd.RegisterFlagCompletionFunc("rule", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, r := range gate.DefaultRules() {
			names = append(names, r.Name+"=")
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// fill takes what the command line does not say from the configuration.
func (o *gateOptions) fill(a *app, cmd *cobra.Command, args []string) (err error) {
	if o.config, err = o.measuring.fill(a, cmd, args); err != nil {
		return err
	}
	if !cmd.Flags().Changed("inconclusive") {
		o.inconclusive = o.config.word("gate.inconclusive")
	}
	if !slices.Contains(gate.InconclusiveWords, o.inconclusive) {
		return usagef("--inconclusive %s: expected %s", o.inconclusive, strings.Join(gate.InconclusiveWords, ", "))
	}
	if o.asOf == "" {
		o.asOf = time.Now().UTC().Format(time.DateOnly) // a gate on another day may judge another way: --as-of fixes it
	}
	if _, err := time.Parse(time.DateOnly, o.asOf); err != nil {
		return usagef("--as-of %s: expected a date such as 2026-11-30", o.asOf)
	}
	return nil
}

// compared is a baseline and what is now.
func (o *gateOptions) compared(ctx context.Context, a *app) (*gate.Gate, *measured, error) {
	base, err := a.readBaseline(o.baseline)
	if err != nil {
		return nil, nil, err
	}
	g, err := o.against(a, base)
	if err != nil {
		return nil, nil, err
	}
	if err := o.settle(a, base); err != nil {
		return nil, nil, err
	}
	m, err := o.measure(ctx, a, o.jobs, false)
	if err != nil {
		return nil, nil, err
	}
	g.Now = m.now
	g.Detectors = a.detectorsOf(m.now.Preset)
	return g, m, nil
}

func (a *app) gate(ctx context.Context, o *gateOptions) error {
	if _, err := o.specs(); err != nil {
		return err
	}
	g, m, err := o.compared(ctx, a)
	if err != nil {
		return err
	}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	defer p.abort()
	r := g.Judge()
	if o.verify {
		if err := o.again(ctx, a, g, r); err != nil {
			return err
		}
	}
	if err := p.each(func(s *sink) error { return render.Gate(s.w, r, s.format, s.style) }); err != nil {
		return err
	}
	if m.left != nil { // what could not be read is no pass, and no verdict either
		return m.left
	}
	switch r.Verdict {
	case gate.Fail:
		return &failure{"gate " + r.Headline()}
	case gate.Inconclusive:
		return &exitError{exitInconclusive, fmt.Errorf("gate %s", r.Headline())}
	}
	return nil
}

// again replays a second time and compares every output.
func (o *gateOptions) again(ctx context.Context, a *app, g *gate.Gate, first *gate.Result) error {
	if slices.Contains(o.paths, "-") {
		return usagef("--verify reads everything twice, which standard input cannot be")
	}
	silent := *a
	silent.Stderr = io.Discard // everything has been said
	jobs := 1
	if o.jobs == 1 {
		jobs = 8
	}
	m, err := o.measure(ctx, &silent, jobs, true)
	if err != nil {
		return err
	}
	second := *g
	second.Now = m.now
	names, x, err := digests(g.Now, first)
	if err != nil {
		return err
	}
	_, y, err := digests(m.now, second.Judge())
	if err != nil {
		return err
	}
	for i := range x {
		if x[i] != y[i] {
			return &exitError{exitUnstable,
				fmt.Errorf("two replays of the same sessions differ in %s (%x, %x): the result cannot be relied on, please "+
					"report it", names[i], x[i][:6], y[i][:6])}
		}
	}
	return nil
}

// digests are those of all that can be written.
func digests(now *gate.Baseline, r *gate.Result) (names []string, sums [][sha256.Size]byte, err error) {
	raw, err := now.Encode()
	names, sums = append(names, "the outcomes"), append(sums, sha256.Sum256(raw))
	for _, format := range render.GateFormats {
		var buf bytes.Buffer
		err = errors.Join(err, render.Gate(&buf, r, format, render.Style{}))
		names, sums = append(names, format), append(sums, sha256.Sum256(buf.Bytes()))
	}
	return names, sums, err
}
