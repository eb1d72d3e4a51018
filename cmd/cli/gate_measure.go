package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"groundhog/corpus"
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
	replaying

	selection corpus.Selection
	seed      uint64
	cfg       replay.Config
	cut       cut.Named
}

func (o *measuring) flags(a *app, cmd *cobra.Command) {
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	f := cmd.Flags()
	f.Lookup("preset").Usage = "the one preset to gate (default: that of groundhog.yaml, else of the baseline, else " +
		a.Default[0] + ")"
	bad := f.Lookup("max-bad-lines") // a gate takes no session with a hole in it
	bad.DefValue, o.badLines = "0", 0
	baselineFlag(cmd, &o.baseline)
	f.StringVar(&o.cluster, "cluster", "session", "what makes sessions one cluster: session, task, incident, label")
	o.replaying.flags(cmd)
	o.splitFlag(cmd)
	cmd.RegisterFlagCompletionFunc("cluster", fixed(corpus.ClusterKeys...))
}

func baselineFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "baseline", "",
		"baseline file (default: gate.baseline of groundhog.yaml, .groundhog/baseline.json)")
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
	now  *gate.Baseline
	left error // what was asked for and could not be read; nil if all was
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
	s, err := a.read(ctx, &in, o.quiet)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.transcripts("which holds no transcript, and a gate compares what sessions hold"); err != nil {
		return nil, err
	}
	if turned {
		slices.Reverse(s.found.Units)
	}
	contents := make(map[string]*corpus.Content, len(s.found.Units))
	for _, u := range s.found.Units {
		contents[u.Session.ID] = corpus.Watch(u)
	}
	b := board.New(plan, s.labels, o.cluster)
	b.Selection, b.Seed = o.selection, o.seed
	e := &replay.Engine{Plan: plan, Workers: jobs, Split: o.cut.Cut, MaxBad: in.badLines, Progress: s.bar.update}
	if err := s.run(ctx, e, func(out *replay.Outcome) error {
		b.Add(out)
		return nil
	}); err != nil {
		return nil, err
	}
	m := &measured{left: s.leftOut()}
	m.now = gate.Take(b, 0, o.cut.Name, func(id string) string { return contents[id].Sum() })
	if len(m.now.Sessions) == 0 && m.left == nil {
		a.warnf("no session was found in %d inputs: there is nothing to compare", len(in.paths))
		m.left = &dataError{1}
	}
	return m, nil
}
