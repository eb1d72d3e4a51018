package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
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
	f.StringArrayVar(&o.tolerate, "tolerate", nil,
		"FROM-TO or RUN:FROM-TO: calls where a fire is neither right nor wrong; may be repeated")
	f.StringVar(&o.doneAt, "done-at", "", "CALL or RUN:CALL after which the work is complete")
	f.StringVar(&o.note, "note", "", "a sentence for who reads this later")
	f.StringSliceVar(&o.by, "by", nil, "who says so; labels of one session by others are second opinions")
	f.StringVar(&o.source, "source", "human", "human, adjudicated, synthetic, or weak for what a model said")
	f.StringVar(&o.reviewed, "reviewed", "full", "full or partial: only sessions read in full count as work")
	f.StringVar(&o.cluster, "cluster", "", "name of the sessions that are not independent of this one")
	f.BoolVar(&o.revise, "revise", false, "correct what the same reader said before")
	f.StringArrayVar(&o.paths, "path", nil,
		"sessions: SESSION may then be the beginning of an id, and the places are checked")
	return cmd
}

func (a *app) labelAdd(cmd *cobra.Command, o *addOptions, args []string) error {
	file, err := a.labelFile(cmd, o.labels)
	if err != nil {
		return err
	}
	l := &corpus.Label{Session: args[0], Reviewed: o.reviewed, Source: o.source, Note: o.note, Annotators: o.by,
		Cluster: o.cluster}
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
		return usagef("nothing said about %s: give --productive or --loop onset=CALL,end=CALL, or answer on standard input",
			l.Session)
	}
	return nil
}
