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
	"groundhog/replay"
	"groundhog/replay/transcript"
)

func (a *app) labelReviewCommand() *cobra.Command {
	o := &suggestOptions{}
	cmd := &cobra.Command{
		Use:   "review PATH…",
		Short: "Go through the suggested sessions, one answer each",
		Long: "Review shows the calls of each session that label suggest names, in its order, and reads a line from " +
			"standard\n" +
			"input. It shows no verdict of any detector. What is answered is in the label file at once.\n\n" + answerHelp,
		Example: "  groundhog label review traces/ -l labels.yaml --by ann",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return a.review(cmd, o)
		},
	}
	o.flags(a, cmd)
	cmd.Flags().StringSliceVar(&o.by, "by", nil, "who says so")
	return cmd
}

func (a *app) review(cmd *cobra.Command, o *suggestOptions) error {
	if slices.Contains(o.inputs.paths, "-") {
		return usagef("label review reads answers from standard input: name files or folders")
	}
	file, err := a.labelFile(cmd, o.inputs.labels)
	if err != nil {
		return err
	}
	sug, s, err := a.suggest(cmd, o)
	if err != nil {
		return err
	}
	defer s.close()
	in := bufio.NewReader(a.Stdin)
	fmt.Fprintf(a.Stderr, "%s\n", answerHelp)
	for _, next := range sug.Next() {
		for _, u := range s.found.Units {
			if u.Session.ID != next.Session {
				continue
			}
			more, failed := a.reviewOne(cmd.Context(), in, file, u, o.by)
			if failed != nil {
				return failed
			}
			if !more {
				return s.leftOut()
			}
		}
	}
	return s.leftOut()
}

// reviewOne shows a session and takes an answer; more is false at the end of
// the answers.
func (a *app) reviewOne(ctx context.Context, in *bufio.Reader, file *labelFile, u *formats.Unit,
	by []string) (more bool, err error) {
	a.showCalls(u)
	for {
		fmt.Fprintf(a.Stderr, "%s> ", clean("%s", u.Session.ID))
		line, err := in.ReadString('\n')
		if err != nil && (err != io.EOF || strings.TrimSpace(line) == "") {
			return false, nil
		}
		l := &corpus.Label{Session: u.Session.ID, Reviewed: "full", Source: "human", Annotators: by}
		what, err := parseAnswer(line, l)
		if err == nil && what == answered {
			var check corpus.Labels
			mine := *l
			if err = check.Add(&mine, u.Session.ID); err == nil {
				err = a.outcomes(ctx, []*formats.Unit{u}, func(o *replay.Outcome) error { return check.Fits(o) })
			}
		}
		switch {
		case err != nil:
			a.warnf("%v", unplaced(err))
		case what == quit:
			return false, nil
		case what == skipped:
			return true, nil
		default:
			return true, a.addLabel(file, l, true)
		}
	}
}

// mostShown bounds what is shown of an argument or a result, in characters.
const mostShown = 60

// showCalls lists the calls of a session, equal ones in a row on one line.
func (a *app) showCalls(u *formats.Unit) {
	fmt.Fprintf(a.Stdout, "\n%s\n", clean("%s  %s", u.Session.ID, u.Session.Origin.File))
	var row callRow
	flush := func() {
		if row.text != "" {
			fmt.Fprintln(a.Stdout, row.String())
		}
	}
	var cur transcript.Cursor
	for step, err := range u.Read() {
		if err != nil {
			continue // named when the session was replayed
		}
		for ev := range cur.Events(step) {
			if ev.Kind != transcript.Called {
				continue
			}
			c := ev.Call
			key := strings.Join([]string{c.Tool, c.Args, c.Result.Text, c.Result.ErrorText}, "\x00")
			at := fmt.Sprintf("%d:%d", ev.Pos.Run, ev.Pos.Call)
			if key == row.key {
				row.last = at
				continue
			}
			flush()
			row = callRow{key, at, at, clean("%-5s  %s %s → %s", status(&c.Result), c.Tool, brief(c.Args),
				brief(c.Result.Text+c.Result.ErrorText))}
		}
	}
	flush()
}

// A callRow is one call, or several equal ones in a row.
type callRow struct{ key, first, last, text string }

func (r *callRow) String() string {
	at := r.first
	if r.last != r.first {
		at += "–" + r.last
	}
	return fmt.Sprintf("%11s  %s", at, r.text)
}

func status(r *transcript.Result) string {
	if failed, _ := r.Failed(); failed {
		return "error"
	}
	switch r.Status {
	case transcript.ResultMissing:
		return "none"
	case transcript.ResultUnflagged:
		return "?"
	}
	return "ok"
}

// brief is a text in a few words on one line.
func brief(s string) string {
	s = s[:min(len(s), 8*mostShown)]
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > mostShown {
		return string(r[:mostShown]) + "…"
	}
	return s
}
