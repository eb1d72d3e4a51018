package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/cut"
	"groundhog/report"
)

// replayOptions are the flags of `groundhog replay`.
type replayOptions struct {
	inputs
	choice
	outputs
	jobs   int
	split  string
	near   bool
	quiet  bool
	ledger string
	compat string
	config *config
}

func (a *app) replayCommand() *cobra.Command {
	o := &replayOptions{}
	cmd := &cobra.Command{
		Use:   "replay PATH…",
		Short: "Say where each path would have fired",
		Long: "Replay reads recorded sessions and says, for each preset and path, where it would have fired, what masked it,\n" +
			"and what followed. PATH is a file, a folder, a glob or - for standard input; formats are told by content,\n" +
			".gz and .zst are unwrapped. See groundhog help views, help stream, help session, help exit-codes.",
		Example: "  groundhog replay ~/.claude/projects\n" +
			"  groundhog replay 'runs/**/*.jsonl.gz' --preset kocoro-2026-03,kocoro-4ec6772\n" +
			"  groundhog replay traces/ --labels labels.yaml --set exact_duplicate.nudge=4\n" +
			"  groundhog replay traces/ --format jsonl --view all > fires.jsonl\n" +
			"  groundhog replay traces/ --ledger traces.parquet      # then: groundhog replay traces.parquet --set …\n" +
			"  groundhog replay traces/ --preset mimo-head --mimo-config mimo.json\n" +
			"  groundhog replay --demo --session three-parallel-sleeps --preset kocoro-pre-sleep-removal\n" +
			"  zcat run.jsonl.gz | groundhog replay - --out json=report.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			c, err := a.configured(cmd, &o.inputs, &o.choice, &o.views)
			if err != nil {
				return err
			}
			o.config = c
			return a.replay(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	o.outputs.flags(cmd)
	cmd.Flags().IntVarP(&o.jobs, "jobs", "j", 0, "sessions replayed at once (default: one per CPU); changes no output")
	cmd.Flags().StringVar(&o.split, "split", "", "how text without recorded deltas is cut: "+splitters())
	cmd.RegisterFlagCompletionFunc("split", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, n := range cut.All() {
			names = append(names, n.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	cmd.Flags().BoolVar(&o.near, "near", false, "say of every response how close it came to a fire in its stream, not only of those that had to be cut")
	cmd.Flags().StringVar(&o.ledger, "ledger", "", "also keep what is measured in this file (Parquet, no text); it can be replayed in place of the recordings")
	cmd.Flags().StringVar(&o.compat, "compat", "", "kocoro: also the three numbers of Kocoro's own harness, for comparison")
	cmd.RegisterFlagCompletionFunc("compat", cobra.FixedCompletions([]string{"kocoro"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	return cmd
}

// cuts are the ways of cutting text that a position in the stream is compared under.
func cuts() (list []replay.Cut) {
	for _, n := range cut.Apart() {
		list = append(list, replay.Cut{Name: n.Name, Split: n.Cut})
	}
	return list
}

// splitters lists the ways to cut text, the default first.
func splitters() string {
	var list []string
	for _, n := range cut.All() {
		list = append(list, n.Name)
	}
	return strings.Join(list, ", ") + " (default " + list[0] + ")"
}

func (a *app) replay(ctx context.Context, o *replayOptions) error {
	if _, err := cut.Find(o.split); err != nil {
		return usagef("--split: %v", err)
	}
	if o.compat != "" && o.compat != "kocoro" {
		return usagef("--compat %s: expected kocoro", o.compat)
	}
	configs, err := o.configs(a)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Alone: true, Brief: !o.lists(), Calls: calls(configs)})
	if err != nil {
		return usagef("%v", err)
	}
	bar := a.progress(o.quiet)
	found, labels, bad, err := o.find(ctx, a, parquet.All)
	if err != nil {
		return err
	}
	defer found.Close()
	past, err := ledgerOf(found)
	if err != nil {
		return err
	}
	if past != nil {
		plan.Calls = replay.Calls{} // a ledger holds no arguments to tell calls by
	}
	split, err := splitter(o.split, past)
	if err != nil {
		return err
	}
	sinks, err := o.open(a, plan, split.Name, found)
	if err != nil {
		return err
	}
	rep := report.NewReplay(plan, labels, found)
	rep.Splitter = split.Name
	rep.Corpus(o.config.selection(), o.config.cluster(), o.config.seed())
	if past != nil {
		rep.Notes = append(rep.Notes, past.About())
		if o.near {
			return usagef("--near: a ledger holds no text to measure; replay the transcripts")
		}
	}
	rep.Compat = o.compat == "kocoro"
	var others []replay.Cut
	if past == nil { // a ledger holds no text to cut
		others = cuts()
	}
	for _, c := range others {
		rep.Cuts = append(rep.Cuts, c.Name)
	}
	e := &replay.Engine{Plan: plan, Workers: o.jobs, Split: split.Cut, Cuts: others, Chosen: split.Name, Count: cut.Count, MaxBad: o.badLines, Progress: bar.update}
	if e.Near = replay.NearHeard; o.near {
		e.Near = replay.NearAll
	}
	kept, err := keep(o.ledger, &o.outputs, e, split.Name, found)
	if err != nil {
		return err
	}
	n, err := a.run(ctx, e, found, labels, func(out *replay.Outcome) error {
		rep.Add(out)
		return errors.Join(outcome(sinks, out), kept.add(out))
	})
	bar.done()
	if err = kept.done(err); err != nil {
		return err
	}
	if err := finish(sinks, rep.Report()); err != nil {
		return err
	}
	return a.complain(rep.Left(), bad+n)
}

// calls is what is counted of single calls, under the names that the presets use.
func calls(configs []replay.Config) replay.Calls {
	set := detectors.Settings{}
	for _, c := range configs {
		if c.Preset.MapTool != nil {
			set = c.Preset.Set.With(c.Set)
			break
		}
	}
	return replay.Calls{Changes: kocoro.Changes(set), Empty: contract.Empty(kocoro.Name(set), kocoro.Required)}
}

// run replays what was found. bad counts labels that do not fit their session.
func (a *app) run(ctx context.Context, e *replay.Engine, found *formats.Found, labels *corpus.Labels, sink func(*replay.Outcome) error) (bad int, err error) {
	err = e.Run(ctx, found.Units, func(o *replay.Outcome) error {
		for _, b := range o.Bad {
			a.warnf("%v", b)
		}
		if n := o.BadRecords - len(o.Bad); n > 0 {
			a.warnf("%s: … and %d more records that could not be read", o.Session.Origin.File, n)
		}
		if err := labels.Fits(o); err != nil {
			a.warnf("labels: %v", err)
			bad++
		}
		return sink(o)
	})
	return bad, err
}
