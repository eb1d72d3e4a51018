package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/justify"
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
		Long: "Justify replays a preset with and without some detectors, names every loop that only they catch, what " +
			"catches the\n" +
			"others and how much later, and which work is no longer hit, and ends in a verdict by nine rules. With --change " +
			"it\n" +
			"asks the same of a threshold, with --add of a detector that is to come. It always ends with 0 where the input " +
			"could\n" +
			"be read. DETECTOR is exact_duplicate or kocoro/exact_duplicate; a folder of that name is ./exact_duplicate.",
		Example: "  groundhog justify sleep --preset kocoro-pre-sleep-removal --demo\n" +
			"  groundhog justify no_progress traces/ --targets edit_undo,cycle\n" +
			"  groundhog justify no_progress traces/ -l labels.yaml --format markdown --fixtures testdata/no_progress > " +
			"body.md\n" +
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
			for _, d := range a.detectors {
				names = append(names, d.Name)
			}
			return names, cobra.ShellCompDirectiveDefault
		},
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	o.judging.flags(cmd, justifyFormats...)
	f := cmd.Flags()
	f.Lookup("format").Usage = "text, markdown (for a pull request) or json"
	f.StringArrayVar(&o.changes, "change", nil, "ask about a threshold instead, PARAM=NOW..THEN or PARAM=THEN")
	f.StringArrayVar(&o.additions, "add", nil, "ask about a detector that is to come, after all others")
	f.StringVar(&o.costs, "costs", "", "what is lost costs: false_stop=,missed_loop=,nudge=")
	f.StringVar(&o.unique, "unique-at-most", "5%", "share of loops that only the detector may catch for the detector to be deletable")
	f.StringSliceVar(&o.targets, "targets", nil,
		"shapes of loops that the detector is for besides its own list, in the words of the labels")
	f.StringVar(&o.fixtures, "fixtures", "", "write the sessions that are named to this folder, as .session files")
	return cmd
}

// isDetector reports whether a word is the name of a detector, or may be meant as
// one: what is not there and has neither an ending nor more than one folder.
func (a *app) isDetector(word string) bool {
	if detectorNamed(a.detectors, word) != nil {
		return true
	}
	_, err := os.Stat(word)
	return err != nil && word != "-" && strings.Count(word, "/") <= 1 && !strings.HasSuffix(word, "/") &&
		!strings.ContainsAny(word, `.*?\~[`)
}

func (a *app) justify(ctx context.Context, o *justifyOptions) error {
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
	if err := o.check(); err != nil {
		return err
	}
	plan, err := replay.NewPlan(p.Question())
	if err != nil {
		return usagef("%v", err)
	}
	var d *justify.Dossier
	return a.judge(ctx, &o.inputs, &o.judging, plan, question{
		begin: func(labels *corpus.Labels) (*board.Board, func(*replay.Outcome)) {
			d = justify.New(p, plan, labels, o.cluster)
			d.Levels, d.Prevalence, d.Losses, d.MaxUnique = levels, prevalence, losses, unique
			return d.Board, d.Add
		},
		report: func(s *source) (*report.Report, error) {
			r := d.Report()
			if o.fixtures == "" {
				return r, nil
			}
			if s.past != nil {
				return nil, usagef("--fixtures: %s is a ledger, which holds no text of sessions; name the transcripts", s.past.File)
			}
			return r, a.writeFixtures(o.fixtures, d.Named(), s.found, s.labels)
		},
	})
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
func (o *justifyOptions) losses() (*justify.Losses, error) {
	if o.costs == "" {
		return nil, nil
	}
	c := &justify.Losses{}
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
