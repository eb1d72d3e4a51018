package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
)

// addOptions are the flags of `groundhog label add`.
type addOptions struct {
	labels           []string
	loops            []string
	productive, gap  bool
	shape, incident  string
	tolerate         []string
	doneAt, note     string
	by               []string
	source, reviewed string
	cluster          string
	revise           bool
	paths            []string
}

func (a *app) labelAddCommand() *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Use:   "add SESSION",
		Short: "Label a session",
		Long: "Add writes one label at the end of a file, or in its place in a file that is sorted; comments stay.\n" +
			"A loop is " + spanHelp + ".\n" +
			"Without --loop or --productive the answer is read from standard input, one line.",
		Example: "  groundhog label add 7f3a --loop onset=5,ideal=7,end=212 --shape noisy_args --incident INC-412\n" +
			"  groundhog label add b0c9 --productive --tolerate 3-9 --done-at 106 --by ann --path traces/\n" +
			"  groundhog label add c0de --loop onset=4,end=30 --known-gap --revise",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("label add: name the session")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.labelAdd(cmd, o, args) },
	}
	f := cmd.Flags()
	labelsFlag(cmd, &o.labels)
	f.StringArrayVar(&o.loops, "loop", nil, "a loop, onset=CALL,end=CALL,…; may be repeated")
	f.BoolVar(&o.productive, "productive", false, "all of the session is work")
	f.BoolVar(&o.gap, "known-gap", false, "the loops are of a shape that nobody is meant to catch")
	f.StringVar(&o.shape, "shape", "", "what the loops look like, in a word")
	f.StringVar(&o.incident, "incident", "", "the real incident that this is, by name")
	f.StringArrayVar(&o.tolerate, "tolerate", nil, "FROM-TO or RUN:FROM-TO: calls where a fire is neither right nor wrong; may be repeated")
	f.StringVar(&o.doneAt, "done-at", "", "CALL or RUN:CALL after which the work is complete")
	f.StringVar(&o.note, "note", "", "a sentence for who reads this later")
	f.StringSliceVar(&o.by, "by", nil, "who says so; labels of one session by others are second opinions")
	f.StringVar(&o.source, "source", "human", "human, adjudicated, synthetic, or weak for what a model said")
	f.StringVar(&o.reviewed, "reviewed", "full", "full or partial: only sessions read in full count as work")
	f.StringVar(&o.cluster, "cluster", "", "name of the sessions that are not independent of this one")
	f.BoolVar(&o.revise, "revise", false, "correct what the same reader said before")
	f.StringArrayVar(&o.paths, "path", nil, "sessions: SESSION may then be the beginning of an id, and the places are checked")
	return cmd
}

func (a *app) labelAdd(cmd *cobra.Command, o *addOptions, args []string) error {
	file, err := a.labelFile(cmd, o.labels)
	if err != nil {
		return err
	}
	l := &corpus.Label{Session: args[0], Reviewed: o.reviewed, Source: o.source, Note: o.note, Annotators: o.by, Cluster: o.cluster}
	if err := o.label(l, args[1:]); err != nil {
		return err
	}
	if len(o.loops) == 0 && !o.productive {
		if err := a.ask(l); err != nil {
			return err
		}
	}
	for i := range l.Spans {
		s := &l.Spans[i]
		s.KnownGap = s.KnownGap || o.gap
		if s.Shape == "" {
			s.Shape = o.shape
		}
		if s.Incident == "" {
			s.Incident = o.incident
		}
	}
	if len(l.Spans) == 0 && (o.gap || o.shape != "" || o.incident != "") {
		return usagef("--known-gap, --shape and --incident say something about a loop: give --loop onset=CALL,end=CALL")
	}
	if err := a.checkSession(cmd.Context(), o.paths, l); err != nil {
		return err
	}
	return a.addLabel(file, l, o.revise)
}

// label takes what the flags say. parts are words after the session, which
// belong to the one loop: --loop onset=5 ideal=7 end=212.
func (o *addOptions) label(l *corpus.Label, parts []string) error {
	if o.productive && len(o.loops) > 0 {
		return usagef("a session is productive or has a loop: give --productive or --loop")
	}
	if len(parts) > 0 && len(o.loops) != 1 {
		return usagef("label add takes one session, and got %q too", parts[0])
	}
	for _, text := range o.loops {
		var s corpus.Span
		for _, part := range append(strings.Split(text, ","), parts...) {
			if err := setSpan(&s, part); err != nil {
				return usagef("--loop: %v", err)
			}
		}
		l.Spans = append(l.Spans, s)
	}
	for _, text := range o.tolerate {
		t, err := parseStretch(text)
		if err != nil {
			return usagef("--tolerate %v", err)
		}
		l.Tolerate = append(l.Tolerate, t)
	}
	if o.doneAt != "" {
		p, err := parsePlace(o.doneAt)
		if err != nil {
			return usagef("--done-at %v", err)
		}
		l.DoneAt = &p
	}
	return nil
}

// ask reads one answer from standard input.
func (a *app) ask(l *corpus.Label) error {
	fmt.Fprintf(a.Stderr, "%s\n%s> ", answerHelp, clean("%s", l.Session))
	line, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return usagef("standard input: %v", err)
	}
	what, err := parseAnswer(line, l)
	switch {
	case err != nil:
		return usagef("%v", err)
	case what != answered:
		return usagef("nothing said about %s: give --productive or --loop onset=CALL,end=CALL, or answer on standard input", l.Session)
	}
	return nil
}

// checkSession finds the session of a label below paths, completes its id, and
// looks whether the places are there. Without paths it believes the label.
func (a *app) checkSession(ctx context.Context, paths []string, l *corpus.Label) error {
	if len(paths) == 0 {
		return nil
	}
	in := &inputs{paths: paths, session: l.Session, record: formats.DefaultMaxRecord, badLines: 1}
	found, _, _, err := in.find(ctx, a, parquet.Args)
	if err != nil {
		return err
	}
	defer found.Close()
	if len(found.Units) == 0 {
		return usagef("no session whose id begins with %q below %s", l.Session, strings.Join(paths, ", "))
	}
	if i := slices.IndexFunc(found.Units, func(u *formats.Unit) bool { return u.Session.ID == l.Session }); i >= 0 {
		found.Units = found.Units[i : i+1]
	}
	if n := len(found.Units); n > 1 {
		return usagef("%d sessions begin with %q, %s and %s among them: give more of the id", n, l.Session, found.Units[0].Session.ID, found.Units[1].Session.ID)
	}
	l.Session = found.Units[0].Session.ID
	var check corpus.Labels
	mine := *l
	if err := check.Add(&mine, "label add"); err != nil {
		return usagef("%v", unplaced(err))
	}
	return a.outcomes(ctx, found, nil, func(o *replay.Outcome) error {
		if err := check.Fits(o); err != nil {
			return usagef("%v", unplaced(err))
		}
		return nil
	})
}

// outcomes replays what was found under some presets, or the default ones, for
// commands that only want to know what happened.
func (a *app) outcomes(ctx context.Context, found *formats.Found, configs []replay.Config, sink func(*replay.Outcome) error) error {
	if len(configs) == 0 {
		var err error
		if configs, err = new(choice).configs(a); err != nil {
			return err
		}
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		return usagef("%v", err)
	}
	return (&replay.Engine{Plan: plan, MaxBad: 1}).Run(ctx, found.Units, sink)
}

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
		Long: "PLACE is CALL or RUN:CALL. The answer names no detector: every path, limit and future detector that fires there\n" +
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
	f.StringArrayVar(&o.paths, "path", nil, "sessions: SESSION may then be the beginning of an id, and the place is checked")
	answers := cobra.FixedCompletions([]string{"yes", "no", "unsure"}, cobra.ShellCompDirectiveNoFileComp)
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
	p := corpus.Position{Run: place.Run, Call: place.Call, NudgeOK: corpus.Answer(o.nudge), StopOK: corpus.Answer(o.stop), By: o.by}
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
	if contains(file.labels.Unsettled(), probe.Session) {
		return usagef("the readers of %s differ on its class: settle that first, with label add --source adjudicated", probe.Session)
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
