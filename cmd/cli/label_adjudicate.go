package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"groundhog/corpus"
)

// adjudicateOptions are the flags of `groundhog label adjudicate`.
type adjudicateOptions struct {
	labels      []string
	nudge, stop string
	by          string
	paths       []string
}

func (a *app) labelAdjudicateCommand() *cobra.Command {
	o := &adjudicateOptions{}
	cmd := &cobra.Command{
		Use:   "adjudicate SESSION PLACE",
		Short: "Answer for one place of a session: would a nudge, would a stop be right there",
		Long: "PLACE is CALL or RUN:CALL. The answer names no detector: every path, limit and future detector that fires " +
			"there\n" +
			"inherits it, and it comes before what the loops of the label say. The label is written again as a newer version.",
		Example: "  groundhog label adjudicate 7f3a 0:12 --nudge-ok yes --stop-ok no --by ann",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("label adjudicate: expected SESSION and CALL or RUN:CALL")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.adjudicate(cmd, o, args[0], args[1]) },
	}
	labelsFlag(cmd, &o.labels)
	f := cmd.Flags()
	f.StringVar(&o.nudge, "nudge-ok", "", "yes, no or unsure")
	f.StringVar(&o.stop, "stop-ok", "", "yes, no or unsure")
	f.StringVar(&o.by, "by", "", "who says so")
	f.StringArrayVar(&o.paths, "path", nil,
		"sessions: SESSION may then be the beginning of an id, and the place is checked")
	answers := fixed("yes", "no", "unsure")
	cmd.RegisterFlagCompletionFunc("nudge-ok", answers)
	cmd.RegisterFlagCompletionFunc("stop-ok", answers)
	return cmd
}

func (a *app) adjudicate(cmd *cobra.Command, o *adjudicateOptions, session, at string) error {
	place, err := parsePlace(at)
	if err != nil {
		return usagef("label adjudicate: %v", err)
	}
	if o.nudge == "" && o.stop == "" {
		return usagef("label adjudicate: give --nudge-ok or --stop-ok, yes, no or unsure")
	}
	file, err := a.labelFile(cmd, o.labels)
	if err != nil {
		return err
	}
	p := corpus.Position{Run: place.Run, Call: place.Call, NudgeOK: corpus.Answer(o.nudge), StopOK: corpus.Answer(o.stop),
		By: o.by}
	probe := &corpus.Label{Session: session, Positions: []corpus.Position{p}}
	if err := a.checkSession(cmd.Context(), o.paths, probe); err != nil {
		return err
	}
	readings := file.labels.Readings(probe.Session)
	if len(readings) == 0 {
		if o.by != "" {
			probe.Annotators = []string{o.by}
		}
		return a.addLabel(file, probe, false)
	}
	if slices.Contains(file.labels.Unsettled(), probe.Session) {
		return usagef("the readers of %s differ on its class: settle that first, with label add --source adjudicated",
			probe.Session)
	}
	l := *readings[0].Label
	l.Positions = answeredAt(l.Positions, p)
	return a.addLabel(file, &l, true)
}

// answeredAt are positions with one more answer, or an answer completed.
func answeredAt(list []corpus.Position, p corpus.Position) []corpus.Position {
	list = append([]corpus.Position(nil), list...)
	for i := range list {
		have := &list[i]
		if have.Run != p.Run || have.Call != p.Call {
			continue
		}
		if p.NudgeOK != "" {
			have.NudgeOK = p.NudgeOK
		}
		if p.StopOK != "" {
			have.StopOK = p.StopOK
		}
		if p.By != "" {
			have.By = p.By
		}
		return list
	}
	return append(list, p)
}
