package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/report"
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
	a.reading(paths...)
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
	say := func(format string, args ...any) { fmt.Fprintln(a.Stdout, clean(format, args...)) }
	s, unlabelled, err := a.lintSessions(cmd.Context(), in)
	if err != nil {
		return err
	}
	for _, e := range s.wrong {
		say("%v", e)
	}
	labels, wrong := s.labels, len(s.wrong)
	s.wrong = nil // named
	a.remarks(labels, say)
	if unlabelled > 0 {
		say("remark: %d of %d sessions have no label", unlabelled, len(s.found.Units))
	}
	say("%d sessions labelled, %d mistakes", labels.Len(), wrong)
	left := s.leftOut()
	if wrong > 0 {
		return &dataError{wrong}
	}
	return left
}

// lintSessions reads the labels, and the sessions that they are of where some are
// named, and counts the sessions without one.
func (a *app) lintSessions(ctx context.Context, in *inputs) (s *source, unlabelled int, err error) {
	if len(in.paths) == 0 && !in.demo {
		s = &source{app: a, found: &formats.Found{}, labels: &corpus.Labels{}}
		s.wrong = in.readLabels(a, s.found, s.labels)
		return s, 0, nil
	}
	in.columns = parquet.Args
	if s, err = a.read(ctx, in, true); err != nil {
		return nil, 0, err
	}
	defer s.close()
	here := map[string]bool{}
	for _, u := range s.found.Units {
		here[u.Session.ID] = true
		unlabelled += report.Bit(s.labels.Of(u.Session.ID) == nil)
	}
	err = a.outcomes(ctx, s.found.Units, func(o *replay.Outcome) error {
		if err := s.labels.Fits(o); err != nil {
			s.wrong = append(s.wrong, err)
		}
		return nil
	})
	for _, session := range s.labels.Sessions() {
		if !here[session] && in.session == "" {
			s.wrong = append(s.wrong, fmt.Errorf("%s: label of %s: no such session below what was read", s.labels.Where(session),
				session))
		}
	}
	return s, unlabelled, err
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
			say("remark: %s: label of %s: readers differ on the class; it counts as unlabelled until one is adjudicated", where,
				session)
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
