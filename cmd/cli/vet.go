package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"groundhog/replay/vet"
	vetreport "groundhog/report/vet"
)

// vetOptions are the flags of `groundhog vet`.
type vetOptions struct {
	choice
	rules  []string
	demo   bool
	format string
	strict bool
}

func (a *app) vetCommand() *cobra.Command {
	o := &vetOptions{}
	cmd := &cobra.Command{
		Use:   "vet [PRESET|POLICY…]",
		Short: "Say what a preset rules out by its own numbers",
		Long: "Vet looks at presets and retry policies, and not at sessions:\n\n" +
			"  vet/unreachable   a verdict that cannot happen under these numbers\n" +
			"  vet/shadowed      one that an earlier path always answers first, as far as a bounded search can tell\n" +
			"  vet/no_effect     an exemption, or a ladder, that changes nothing\n" +
			"  vet/uncovered     tools that exemptions leave without any path that could stop a loop\n" +
			"  vet/nudge_only    a path that nudges for ever: nothing turns its nudges into a stop\n" +
			"  vet/no_origin     a detector or ladder that names neither incident nor source\n" +
			"  vet/out_of_range  a parameter outside the range that makes sense\n" +
			"  vet/deadline_before_first_delay\n" +
			"                    a retry budget whose deadline is over before its first retry is due\n\n" +
			"The last is of retry policies: those named, and that of the same name as a preset. With --mimo-config, the keys\n" +
			"retry and provider.ID.retry hold for those of MiMo Code, and each provider of the file is looked at.\n\n" +
			"What it says are facts about the preset as it was, so it exits 0; with --strict\n" +
			"a finding exits 1 that the preset does not call meant.\n\n" +
			"With --rules it runs the tests of a file instead: sessions that a preset must fire on, must not, and the misses " +
			"and\n" +
			"false alarms that are known. A test that fails exits 1. See groundhog help rules.",
		Example: "  groundhog vet kocoro-4ec6772\n" +
			"  groundhog vet kocoro-4ec6772 --set kocoro.window=24\n" +
			"  groundhog vet --strict --format json mimo-2026-09\n" +
			"  groundhog vet gax-go --set gax-go/retry.deadline_ms=500\n" +
			"  groundhog vet --demo\n" +
			"  groundhog vet --rules detectors.rules.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.presets = append(args, o.presets...)
			return a.vet(cmd.Context(), o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			names := append(a.presetNames(), policyNames(a.policies)...)
			slices.Sort(names)
			return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.choice.flags(a, cmd)
	cmd.Flags().StringArrayVar(&o.rules, "rules", nil,
		"test the expectations of this file, may be repeated; groundhog help rules")
	cmd.Flags().BoolVar(&o.demo, "demo", false, "test those that come with the embedded corpus")
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&o.strict, "strict", false,
		"exit 1 if there is a finding that is not meant, or if a known fault is one no longer")
	return cmd
}

func (a *app) vet(ctx context.Context, o *vetOptions) error {
	if o.format != "text" && o.format != "json" {
		return usagef("output format %q: expected text or json", o.format)
	}
	if o.demo || len(o.rules) > 0 {
		return a.testRules(ctx, o)
	}
	configs, policies, err := o.split(a)
	if err != nil {
		return err
	}
	var subjects []*vet.Subject
	var all []vet.Finding
	for _, c := range configs {
		s, err := vet.NewSubject(c)
		if err != nil {
			return usagef("%v", err)
		}
		found, err := vet.Check(ctx, s, vet.Finders())
		if err != nil {
			return err
		}
		subjects, all = append(subjects, s), append(all, found...)
	}
	rep := vetreport.Presets(subjects, all)
	for _, p := range policies {
		vetreport.AddPolicy(rep, p.Policy, p.findings)
		all = append(all, p.findings...)
	}
	if err := a.print(rep, o.format); err != nil {
		return err
	}
	if open := vetreport.Unmeant(all); o.strict && len(open) > 0 {
		return &failure{vetreport.Summary(open)}
	}
	return nil
}
