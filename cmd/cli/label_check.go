package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/report/board"
	"groundhog/report/labels"
)

func (a *app) labelStatsCommand() *cobra.Command {
	var given []string
	var format string
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count labels by class, source and reader, and say how far readers agree",
		Example: "  groundhog label stats -l labels.yaml\n  groundhog label stats -l labels/ --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.allLabels(cmd, given)
			if err != nil {
				return err
			}
			return a.print(labels.Labels(all), format)
		},
	}
	labelsFlag(cmd, &given)
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// allLabels reads the label files of the command line or the configuration,
// all of which have to be there.
func (a *app) allLabels(cmd *cobra.Command, given []string) (*corpus.Labels, error) {
	paths, err := a.labelPaths(cmd, given)
	if err != nil {
		return nil, err
	}
	labels := &corpus.Labels{}
	bad := 0
	for _, path := range paths {
		for _, e := range flatten(labels.Read(path)) {
			a.warnf("labels: %v", e)
			bad++
		}
	}
	if bad > 0 {
		return nil, &dataError{bad}
	}
	return labels, nil
}

func (a *app) labelLintCommand() *cobra.Command {
	in := &inputs{}
	cmd := &cobra.Command{
		Use:   "lint [PATH…]",
		Short: "Look for labels that contradict themselves, each other, or their sessions",
		Long: "Lint reads every label and names what is wrong with it, one line each. With PATH, or corpus.paths in\n" +
			"groundhog.yaml, it also names labels of sessions that are not there and places that a session does not have.\n" +
			"Exit status 3 if anything is wrong. Readers who differ, and sessions without a label, are remarks.",
		Example: "  groundhog label lint -l labels.yaml\n  groundhog label lint traces/ -l labels/",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.paths = args
			return a.lint(cmd, in)
		},
	}
	in.flags(a, cmd)
	return cmd
}

func (a *app) lint(cmd *cobra.Command, in *inputs) error {
	if _, err := a.configured(cmd, in, nil, nil); err != nil {
		return err
	}
	if len(in.labels) == 0 && len(in.paths) == 0 && !in.demo {
		return usagef("no label file: name one with --labels FILE, or labels: in groundhog.yaml")
	}
	wrong := 0
	say := func(format string, args ...any) { fmt.Fprintln(a.Stdout, clean(format, args...)) }
	complain := func(err error) {
		for _, e := range flatten(err) {
			say("%v", e)
			wrong++
		}
	}
	labels := &corpus.Labels{}
	here := map[string]bool{}
	left := error(nil)
	unlabelled := 0
	if len(in.paths) > 0 || in.demo {
		quiet := &app{Options: a.Options} // bad labels are named below
		quiet.Stderr = io.Discard
		found, _, _, err := in.find(cmd.Context(), quiet, parquet.Args)
		if err != nil {
			return err
		}
		defer found.Close()
		for _, path := range in.labels {
			complain(labels.Read(path))
		}
		for _, u := range found.Units {
			here[u.Session.ID] = true
			if u.Session.Label != nil {
				complain(labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File))
			}
			if labels.Of(u.Session.ID) == nil {
				unlabelled++
			}
		}
		skipped := asked(found)
		err = a.outcomes(cmd.Context(), found, nil, func(o *replay.Outcome) error {
			complain(labels.Fits(o))
			return nil
		})
		if err != nil {
			return err
		}
		for _, session := range labels.Sessions() {
			if !here[session] && in.session == "" {
				say("%s: label of %s: no such session below what was read", labels.Where(session), session)
				wrong++
			}
		}
		left = a.complain(skipped, 0)
	} else {
		for _, path := range in.labels {
			complain(labels.Read(path))
		}
	}
	a.remarks(labels, say)
	if unlabelled > 0 {
		say("remark: %d of %d sessions have no label", unlabelled, len(here))
	}
	say("%d sessions labelled, %d mistakes", labels.Len(), wrong)
	if wrong > 0 {
		return &dataError{wrong}
	}
	return left
}

// remarks are what is not wrong, but should be known.
func (a *app) remarks(labels *corpus.Labels, say func(string, ...any)) {
	for _, note := range board.Cautions(labels) {
		say("remark: %s", note)
	}
	unsettled := labels.Unsettled()
	for _, session := range labels.Sessions() {
		l := labels.Of(session)
		where := labels.Where(session)
		switch {
		case slices.Contains(unsettled, session):
			say("remark: %s: label of %s: readers differ on the class; it counts as unlabelled until one is adjudicated", where, session)
		case l.Reviewed != "full":
			say("remark: %s: label of %s: reviewed: %s, so it enters no rate of work", where, session, l.Reviewed)
		}
		for i, s := range l.Spans {
			if s.Shape == "" {
				say("remark: %s: label of %s: span %d has no shape; deletion dossiers go by shape", where, session, i+1)
			}
		}
	}
}
