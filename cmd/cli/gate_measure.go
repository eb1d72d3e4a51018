package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/report/board"
	"groundhog/report/gate"
)

// measuring is the flags of what replays a configuration for a baseline.
type measuring struct {
	inputs
	choice
	baseline string
	cluster  string
	split    string
	jobs     int
	quiet    bool

	selection corpus.Selection
	seed      uint64
	cfg       replay.Config
	cut       cut.Named
}

func (o *measuring) flags(a *app, cmd *cobra.Command) {
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	f := cmd.Flags()
	f.Lookup("preset").Usage = "the one preset to gate (default: that of groundhog.yaml, else of the baseline, else " + a.Default[0] + ")"
	bad := f.Lookup("max-bad-lines") // a gate takes no session with a hole in it (E2.4)
	bad.DefValue, o.badLines = "0", 0
	baselineFlag(cmd, &o.baseline)
	f.StringVar(&o.cluster, "cluster", "session", "what makes sessions one cluster: session, task, incident, label")
	f.StringVar(&o.split, "split", "", "how text without recorded deltas is cut: "+splitters())
	f.IntVarP(&o.jobs, "jobs", "j", 0, "sessions replayed at once (default: one per CPU); changes no output")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	cmd.RegisterFlagCompletionFunc("cluster", cobra.FixedCompletions(corpus.ClusterKeys, cobra.ShellCompDirectiveNoFileComp))
}

func baselineFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "baseline", "", "baseline file (default: gate.baseline of groundhog.yaml, .groundhog/baseline.json)")
}

// fill takes what the command line does not say from the configuration.
func (o *measuring) fill(a *app, cmd *cobra.Command, args []string) (*config, error) {
	o.paths = args
	c, err := a.configured(cmd, &o.inputs, &o.choice, nil)
	if err != nil {
		return nil, err
	}
	if o.baseline == "" {
		o.baseline = c.word("gate.baseline")
	}
	if !cmd.Flags().Changed("cluster") {
		o.cluster = c.cluster()
	}
	if o.cluster, err = corpus.ParseClusterKey(o.cluster); err != nil {
		return nil, usagef("--cluster: %v", err)
	}
	o.selection, o.seed = c.selection(), c.seed()
	return c, nil
}

// settle says what is replayed. base is nil where there is no baseline yet; its
// way to cut text stays unless another is named.
func (o *measuring) settle(a *app, base *gate.Baseline) (err error) {
	if o.cfg, err = o.oneConfig(a, base); err != nil {
		return err
	}
	if o.split == "" && base != nil {
		o.split = base.Split
	}
	if o.cut, err = cut.Find(o.split); err != nil {
		return usagef("--split: %v", err)
	}
	return nil
}

// measured is what a replay came to.
type measured struct {
	now   *gate.Baseline
	found *formats.Found // closed: for names alone
	left  error          // what was asked for and could not be read; nil if all was
}

// measure replays the configuration. turned reads everything in another order.
func (o *measuring) measure(ctx context.Context, a *app, jobs int, turned bool) (*measured, error) {
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{o.cfg}, Brief: true})
	if err != nil {
		return nil, usagef("%v", err)
	}
	in := o.inputs
	in.paths, in.labels = slices.Clone(in.paths), slices.Clone(in.labels)
	if turned {
		slices.Reverse(in.paths)
		slices.Reverse(in.labels)
	}
	bar := a.progress(o.quiet)
	found, labels, bad, err := in.find(ctx, a, parquet.All)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	if past, err := ledgerOf(found); err != nil {
		return nil, err
	} else if past != nil {
		return nil, usagef("%s is a ledger, which holds no transcript: a gate compares what sessions hold, so name the recordings", past.File)
	}
	if turned {
		slices.Reverse(found.Units)
	}
	contents := make(map[string]*corpus.Content, len(found.Units))
	for _, u := range found.Units {
		contents[u.Session.ID] = corpus.Watch(u)
	}
	board := board.New(plan, labels, o.cluster)
	board.Selection, board.Seed = o.selection, o.seed
	e := &replay.Engine{Plan: plan, Workers: jobs, Split: o.cut.Cut, MaxBad: in.badLines, Progress: bar.update}
	left := 0
	n, err := a.run(ctx, e, found, labels, func(out *replay.Outcome) error {
		if out.Err != nil {
			a.warnf("%s: session %s: %v", out.Session.Origin.File, out.Session.ID, out.Err)
			left++
		}
		board.Add(out)
		return nil
	})
	bar.done()
	if err != nil {
		return nil, err
	}
	m := &measured{found: found, left: a.complain(asked(found), bad+n+left)}
	m.now = gate.Take(board, 0, o.cut.Name, func(id string) string { return contents[id].Sum() })
	if len(m.now.Sessions) == 0 && m.left == nil {
		a.warnf("no session was found in %d inputs: there is nothing to compare", len(in.paths))
		m.left = &dataError{1}
	}
	return m, nil
}
