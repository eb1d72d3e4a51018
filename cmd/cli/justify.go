package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report"
)

// justifyOptions are the flags of `groundhog justify`.
type justifyOptions struct {
	inputs
	choice
	judging
	detectors []string
	changes   []string
	additions []string
	costs     string
	unique    string
	fixtures  string
	targets   []string
}

var justifyFormats = []string{"text", "markdown", "json"}

func (a *app) justifyCommand() *cobra.Command {
	o := &justifyOptions{}
	cmd := &cobra.Command{
		Use:   "justify DETECTOR… PATH…",
		Short: "Say whether a detector may go: the dossier for its deletion",
		Long: "Justify replays a preset with and without some detectors, names every loop that only they catch, what catches the\n" +
			"others and how much later, and which work is no longer hit, and ends in a verdict by nine rules. With --change it\n" +
			"asks the same of a threshold, with --add of a detector that is to come. It always ends with 0 where the input could\n" +
			"be read. DETECTOR is exact_duplicate or kocoro/exact_duplicate; a folder of that name is ./exact_duplicate.",
		Example: "  groundhog justify sleep --preset kocoro-pre-sleep-removal --demo\n" +
			"  groundhog justify no_progress traces/ --targets edit_undo,cycle\n" +
			"  groundhog justify no_progress traces/ -l labels.yaml --format markdown --fixtures testdata/no_progress > body.md\n" +
			"  groundhog justify search_escalation no_progress traces/ --costs false_stop=40,missed_loop=8,nudge=0.5\n" +
			"  groundhog justify --change kocoro/exact_duplicate.nudge=5..4 traces/ --unique-at-most 2%\n" +
			"  groundhog justify --add kocoro/ping_pong traces/ --preset kocoro",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.detectors, o.paths = nil, nil
			for _, arg := range args {
				if a.isDetector(arg) {
					o.detectors = append(o.detectors, arg)
				} else {
					o.paths = append(o.paths, arg)
				}
			}
			c, err := a.configured(cmd, &o.inputs, &o.choice, nil)
			if err != nil {
				return err
			}
			o.judging.fill(cmd, c)
			if !cmd.Flags().Changed("costs") {
				o.costs = lossesOf(c)
			}
			return a.justify(cmd.Context(), o)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, d := range a.Detectors {
				names = append(names, d.Name)
			}
			return names, cobra.ShellCompDirectiveDefault
		},
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	o.judging.flags(cmd)
	f := cmd.Flags()
	f.Lookup("format").Usage = "text, markdown (for a pull request) or json"
	f.StringArrayVar(&o.changes, "change", nil, "ask about a threshold instead, PARAM=NOW..THEN or PARAM=THEN")
	f.StringArrayVar(&o.additions, "add", nil, "ask about a detector that is to come, after all others")
	f.StringVar(&o.costs, "costs", "", "what is lost costs: false_stop=,missed_loop=,nudge=")
	f.StringVar(&o.unique, "unique-at-most", "5%", "share of loops that only the detector may catch (rule 5)")
	f.StringSliceVar(&o.targets, "targets", nil, "shapes of loops that the detector is for besides its own list, in the words of the labels")
	f.StringVar(&o.fixtures, "fixtures", "", "write the sessions that are named to this folder, as .session files")
	return cmd
}

// isDetector reports whether a word is the name of a detector, or may be meant as
// one: what is not there and has neither an ending nor more than one folder.
func (a *app) isDetector(word string) bool {
	if named(a.Detectors, word) != nil {
		return true
	}
	_, err := os.Stat(word)
	return err != nil && word != "-" && strings.Count(word, "/") <= 1 && !strings.HasSuffix(word, "/") && !strings.ContainsAny(word, `.*?\~[`)
}

func (a *app) justify(ctx context.Context, o *justifyOptions) error {
	if !contains(justifyFormats, o.judging.format) {
		return usagef("output format %q: expected one of %s", o.judging.format, strings.Join(justifyFormats, ", "))
	}
	p, err := a.proposal(o)
	if err != nil {
		return err
	}
	levels, err := o.shown()
	if err != nil {
		return err
	}
	prevalence, err := o.shares()
	if err != nil {
		return err
	}
	losses, err := o.losses()
	if err != nil {
		return err
	}
	unique, err := fraction(o.unique)
	if err != nil || !(unique > 0 && unique < 1) {
		return usagef("--unique-at-most %s: expected a share between 0 and 1, such as 5%% or 0.05", o.unique)
	}
	if err := o.checkCluster(); err != nil {
		return err
	}
	plan, err := replay.NewPlan(p.Question())
	if err != nil {
		return usagef("%v", err)
	}
	var d *report.Dossier
	return a.judged(ctx, &o.inputs, &o.judging, plan, func(labels *corpus.Labels) func(*replay.Outcome) {
		d = report.NewDossier(p, plan, labels, o.cluster)
		d.Selection, d.Seed = o.selection, o.seed
		d.Levels, d.Prevalence, d.Losses, d.MaxUnique = levels, prevalence, losses, unique
		return d.Add
	}, func(found *formats.Found, labels *corpus.Labels) (*report.Report, error) {
		r := d.Report()
		if past, err := ledgerOf(found); err != nil {
			return nil, err
		} else if past != nil && o.fixtures != "" {
			return nil, usagef("--fixtures: %s is a ledger, which holds no text of sessions; name the transcripts", past.File)
		}
		if o.fixtures == "" {
			return r, nil
		}
		return r, a.writeFixtures(o.fixtures, d.Named(), found, labels)
	})
}

// proposal is what the command line asks about.
func (a *app) proposal(o *justifyOptions) (*report.Proposal, error) {
	asked := 0
	for _, list := range [][]string{o.detectors, o.changes, o.additions} {
		if len(list) > 0 {
			asked++
		}
	}
	if asked != 1 {
		return nil, usagef("expected one question: DETECTOR… to delete, --change PARAM=NOW..THEN, or --add FAMILY/DETECTOR")
	}
	bare := o.choice
	bare.set = nil // settings may be those of a detector that is to come
	configs, err := bare.configs(a)
	if err != nil {
		return nil, err
	}
	var p *report.Proposal
	switch {
	case len(o.changes) > 0:
		p, err = a.changeOf(o, configs)
	case len(o.additions) > 0:
		p, err = a.additionTo(o, configs)
	default:
		p, err = a.deletionFrom(o, configs)
	}
	if err != nil {
		return nil, err
	}
	p.Targets = o.targets
	q := p.Question()
	all := replay.Config{Preset: q.Configs[0].Preset, Set: p.Set}
	for _, s := range o.set {
		if err := a.assign([]replay.Config{all}, "--set", s); err != nil {
			return nil, err
		}
	}
	if err := all.Preset.Check(p.Set); err != nil {
		return nil, usagef("--set %v", err)
	}
	return p, a.settle(p)
}

// deletionFrom finds the preset in use that has all the detectors.
func (a *app) deletionFrom(o *justifyOptions, configs []replay.Config) (*report.Proposal, error) {
	var hits []*report.Proposal
	for _, c := range configs {
		p := &report.Proposal{Kind: report.Deletion, Preset: c.Preset, Set: c.Set}
		for _, d := range c.Preset.Detectors { // in the preset's order, whatever that of the words
			if slices.ContainsFunc(o.detectors, func(name string) bool { return named(c.Preset.Detectors, name) == d }) {
				p.Paths = append(p.Paths, d)
			}
		}
		if len(p.Paths) > 0 && !slices.ContainsFunc(o.detectors, func(name string) bool { return named(c.Preset.Detectors, name) == nil }) {
			hits = append(hits, p)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		return nil, usagef("%s is in %s and in %s: name one with --preset", strings.Join(o.detectors, ", "), hits[0].Preset.Name, hits[1].Preset.Name)
	}
	for _, name := range o.detectors {
		if !slices.ContainsFunc(configs, func(c replay.Config) bool { return named(c.Preset.Detectors, name) != nil }) {
			return nil, usagef("%s: %s", name, a.noDetector(name, configs))
		}
	}
	return nil, usagef("no preset in use has all of %s: name one with --preset", strings.Join(o.detectors, ", "))
}

// named is the detector of a list by its name, with or without its family.
func named(list []*detectors.Detector, name string) *detectors.Detector {
	for _, d := range list {
		if _, short, _ := strings.Cut(d.Name, "/"); d.Name == name || short == name {
			return d
		}
	}
	return nil
}

// noDetector explains a detector that no preset in use has.
func (a *app) noDetector(name string, configs []replay.Config) string {
	if t := a.removed(name); t != "" {
		return t
	}
	var in, have []string
	for _, p := range a.Presets {
		if named(p.Detectors, name) != nil {
			in = append(in, p.Name)
		}
	}
	if len(in) > 0 {
		return "no preset in use has this detector; --preset " + strings.Join(in, " or ") + " has it"
	}
	if d := named(a.Detectors, name); d != nil {
		return fmt.Sprintf("no preset has this detector; --add %s asks what it would bring", d.Name)
	}
	for _, c := range configs {
		for _, d := range c.Preset.Detectors {
			_, short, _ := strings.Cut(d.Name, "/")
			have = append(have, short)
		}
	}
	return "no such file, and no such detector: expected one of " + strings.Join(have, ", ")
}

// changeOf finds the preset in use that has the parameters, and the detectors
// that look at them.
func (a *app) changeOf(o *justifyOptions, configs []replay.Config) (*report.Proposal, error) {
	p := &report.Proposal{Kind: report.Change}
	for _, spec := range o.changes {
		id, values, ok := strings.Cut(spec, "=")
		if !ok || values == "" {
			return nil, usagef("--change %s: expected PARAM=NOW..THEN, such as exact_duplicate.nudge=5..4", spec)
		}
		var param *detectors.Param
		for _, c := range configs {
			q, err := c.Preset.Resolve(id)
			if err != nil {
				return nil, usagef("--change %v", err)
			}
			if q != nil && (p.Preset == nil || p.Preset == c.Preset) {
				p.Preset, p.Set, param = c.Preset, c.Set, q
				break
			}
		}
		if param == nil {
			return nil, usagef("--change %s: %s", id, a.unknown(id, configs))
		}
		from, to, both := strings.Cut(values, "..")
		if !both {
			from, to = "", values
		}
		p.Settings = append(p.Settings, report.Setting{ID: param.ID, From: from, To: to})
		for _, d := range p.Preset.Detectors {
			looks := func(q detectors.Param) bool { return q.ID == param.ID }
			if (slices.ContainsFunc(d.Params, looks) || slices.ContainsFunc(d.Shared, looks)) && !slices.Contains(p.Paths, d) {
				p.Paths = append(p.Paths, d)
			}
		}
	}
	if len(p.Paths) == 0 {
		return nil, usagef("--change %s: no detector looks at it. a ladder's stop depends on how the agent takes every nudge, so it is in no table here", o.changes[0])
	}
	return p, nil
}

// settle completes a change once the settings in force are known.
func (a *app) settle(p *report.Proposal) error {
	then := p.Set.With(nil)
	for i := range p.Settings {
		s := &p.Settings[i]
		now := p.Preset.Set.With(p.Set)[s.ID]
		if q, _ := p.Preset.Resolve(s.ID); now == "" {
			now = q.Default
		}
		switch {
		case s.From != "" && s.From != now:
			return usagef("--change %s=%s..%s: it is %s now; leave out %s.. or set it with --set", s.ID, s.From, s.To, now, s.From)
		case s.To == now:
			return usagef("--change %s=%s: it is %s now, so nothing changes", s.ID, s.To, now)
		}
		s.From, then[s.ID] = now, s.To
	}
	if err := p.Preset.Check(then); err != nil {
		return usagef("--change %v", err)
	}
	return nil
}

// additionTo puts detectors at the end of the one preset in use.
func (a *app) additionTo(o *justifyOptions, configs []replay.Config) (*report.Proposal, error) {
	if len(o.presets) == 0 {
		configs = configs[:1]
	}
	if len(configs) > 1 {
		return nil, usagef("--add asks about one preset: name one with --preset")
	}
	p := &report.Proposal{Kind: report.Addition, Preset: configs[0].Preset, Set: configs[0].Set}
	for _, name := range o.additions {
		d := named(a.Detectors, name)
		switch {
		case d == nil:
			return nil, usagef("--add %s: no such detector; groundhog list detectors", name)
		case named(p.Preset.Detectors, d.Name) != nil:
			return nil, usagef("--add %s: %s has it already; groundhog justify %s asks whether it may go", name, p.Preset.Name, name)
		}
		if !slices.Contains(p.Paths, d) {
			p.Paths = append(p.Paths, d)
		}
	}
	return p, nil
}

// lossesOf are the costs of the configuration, in the form of --costs; "" unless
// all three are set.
func lossesOf(c *config) string {
	var parts []string
	for _, name := range []string{"false_stop", "missed_loop", "nudge"} {
		v, ok := c.number("costs." + name)
		if !ok {
			return ""
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, v))
	}
	return strings.Join(parts, ",")
}

// losses reads the costs of rule 2.
func (o *justifyOptions) losses() (*report.Losses, error) {
	if o.costs == "" {
		return nil, nil
	}
	c := &report.Losses{}
	into := map[string]*float64{"false_stop": &c.FalseStop, "missed_loop": &c.MissedLoop, "nudge": &c.Nudge}
	given := make(map[string]bool)
	for _, part := range strings.Split(o.costs, ",") {
		name, value, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(value, 64)
		if into[name] == nil || given[name] {
			return nil, usagef("--costs %s: expected each of false_stop, missed_loop and nudge once", name)
		}
		if err != nil || !(v >= 0 && v < 1e12) {
			return nil, usagef("--costs %s: %q is no cost", name, value)
		}
		*into[name], given[name] = v, true
	}
	if len(given) != len(into) {
		return nil, usagef("--costs %s: all three are needed: false_stop, missed_loop, nudge", o.costs)
	}
	return c, nil
}
