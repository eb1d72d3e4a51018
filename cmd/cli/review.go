package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/report/render"
	"groundhog/report/review"
)

// reviewOptions are the flags of `groundhog review`.
type reviewOptions struct {
	inputs
	choice
	outputs
	replaying
	eras         string
	width        int
	call, around string
	full         bool
	suggest      bool
}

func (a *app) reviewCommand() *cobra.Command {
	o := &reviewOptions{}
	cmd := &cobra.Command{
		Use:   "review [SESSION] PATH…",
		Short: "Show one session: what fired, what did not, and why",
		Long: "Review shows one session on one screen: its calls with equal ones folded, what each preset would have said " +
			"and at\n" +
			"which count, what followed the first stop, and for every path that kept quiet how near it was and what kept it " +
			"quiet.\n" +
			"SESSION is an id or its beginning; it may be left out where PATH holds one session, and PATH where --demo is " +
			"given.",
		Example: "  groundhog review zero-byte-write --demo\n" +
			"  groundhog review 7f3a traces/ --preset kocoro-4ec6772,mimo-2026-09\n" +
			"  groundhog review run.jsonl --full\n" +
			"  groundhog review run.jsonl --call 12       # everything known at call 12; 1:12 is call 12 of run 1\n" +
			"  groundhog review run.jsonl --around 212 --width 200\n" +
			"  groundhog review three-tool-cycle --demo --eras\n" +
			"  groundhog review run.jsonl --suggest-label >> labels.draft\n" +
			"  groundhog review run.jsonl --format json -o review.json",
		RunE: func(cmd *cobra.Command, args []string) error { return a.reviewSession(cmd.Context(), o, args) },
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	f := cmd.Flags()
	o.outputs.flags(cmd, "text", "json")
	o.splitFlag(cmd)
	f.StringVar(&o.eras, "eras", "", "ask every preset of a family, oldest first")
	f.Lookup("eras").NoOptDefVal = "kocoro"
	f.IntVar(&o.width, "width", 0, "columns of the screen (default: those of the terminal)")
	f.StringVar(&o.call, "call", "", "everything known at one call, CALL or RUN:CALL")
	f.StringVar(&o.around, "around", "", "show the calls about this one, CALL or RUN:CALL")
	f.BoolVar(&o.full, "full", false, "fold nothing")
	f.BoolVar(&o.suggest, "suggest-label", false, "print a label to start from; nothing is stored")
	return cmd
}

func (a *app) reviewSession(ctx context.Context, o *reviewOptions, args []string) error {
	options, err := o.settle(a, args)
	if err != nil {
		return err
	}
	split, err := cut.Find(o.split)
	if err != nil {
		return usagef("--split: %v", err)
	}
	options.Splitter = split.Name
	configs, err := o.configs(a)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Alone: true, Calls: a.callChecks(configs)})
	if err != nil {
		return usagef("%v", err)
	}
	want := o.session
	s, err := a.read(ctx, &o.inputs, true)
	if err != nil {
		return err
	}
	defer s.close()
	unit, err := pick(s.found, want)
	if err != nil {
		return s.nothing(err)
	}
	if unit.Past != nil {
		return usagef("%s: a ledger holds what was measured and no calls: name the recording it was made of",
			unit.Session.Origin.File)
	}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	defer p.abort()
	e, err := s.engine(plan, &o.inputs, &o.replaying, false)
	if err != nil {
		return err
	}
	trace, err := e.Trace(ctx, unit)
	if err != nil {
		return err
	}
	s.left = nil // what else was found is not asked for
	s.note(trace.Outcome)
	if trace.Outcome.Err != nil {
		return s.leftOut()
	}
	rev, err := review.New(trace, s.labels.Of(unit.Session.ID), options)
	if err != nil {
		return usagef("%v", err)
	}
	if err := p.each(func(out *sink) error { return o.show(out, rev) }); err != nil {
		return err
	}
	return s.leftOut()
}

// show writes the review in the format of an output.
func (o *reviewOptions) show(out *sink, rev *review.Review) error {
	if out.format == "json" {
		return render.ReviewJSON(out.w, rev)
	}
	if o.width > 0 {
		out.style.Width = o.width
	}
	return render.Review(out.w, rev, out.style)
}

// settle reads what the arguments and flags say.
func (o *reviewOptions) settle(a *app, args []string) (review.Options, error) {
	out := review.Options{Full: o.full, Suggest: o.suggest}
	if _, err := o.specs(); err != nil {
		return out, err
	}
	var err error
	if out.Call, err = callPlace("call", o.call); err != nil {
		return out, err
	}
	if out.Around, err = callPlace("around", o.around); err != nil {
		return out, err
	}
	if o.eras != "" {
		if len(o.presets) > 0 {
			return out, usagef("--eras %s asks every preset of the family: leave out --preset", o.eras)
		}
		for _, p := range a.presets {
			if strings.HasPrefix(p.Name, o.eras+"-") {
				o.presets = append(o.presets, p.Name)
			}
		}
		if len(o.presets) == 0 {
			return out, usagef("--eras %s: no preset of that family; groundhog list presets", o.eras)
		}
	}
	switch {
	case o.demo && len(args) > 1:
		return out, usagef("--demo looks in the embedded corpus: leave out %s", strings.Join(args[1:], " "))
	case o.demo && len(args) == 1:
		o.session, args = args[0], nil
	case len(args) == 1 && !exists(args[0]):
		return out, usagef("%s: no such file. A session of the embedded corpus needs --demo; one of your own the files to "+
			"look in: groundhog review %s PATH…", args[0], args[0])
	case len(args) > 1 && o.session == "" && !exists(args[0]):
		o.session, args = args[0], args[1:]
	}
	o.paths = args
	return out, nil
}

// exists reports whether an argument is something to read.
func exists(path string) bool {
	if path == "-" || strings.ContainsAny(path, "*?[") {
		return true
	}
	_, err := os.Stat(path)
	return err == nil
}

// place reads CALL or RUN:CALL.
func callPlace(flag, word string) (*corpus.Place, error) {
	if word == "" {
		return nil, nil
	}
	run, call, two := strings.Cut(word, ":")
	if !two {
		run, call = "0", word
	}
	r, err := strconv.Atoi(run)
	c, err2 := strconv.Atoi(call)
	if err != nil || err2 != nil || r < 0 || c < 1 {
		return nil, usagef("--%s %s: expected the number of a call, or RUN:CALL; runs count from 0 and calls from 1", flag,
			word)
	}
	return &corpus.Place{Run: r, Call: c}, nil
}

// pick is the one session that is meant.
func pick(found *formats.Found, want string) (*formats.Unit, error) {
	var names []string
	for _, u := range found.Units {
		if u.Session.ID == want && want != "" {
			return u, nil
		}
		names = append(names, u.Session.ID)
	}
	switch {
	case len(names) == 1:
		return found.Units[0], nil
	case len(names) == 0:
		return nil, fmt.Errorf("no session to review")
	}
	const most = 10
	if n := len(names); n > most {
		names = append(names[:most], fmt.Sprintf("… and %d more", n-most))
	}
	return nil, usagef("%d sessions: say which, groundhog review SESSION PATH… (%s)", len(found.Units),
		strings.Join(names, ", "))
}

// nothing says why there is nothing to review.
func (s *source) nothing(why error) error {
	if len(s.found.Units) > 0 {
		return why
	}
	s.left = s.found.Skipped
	if err := s.leftOut(); err != nil {
		return err
	}
	s.app.warnf("%v", why)
	return &dataError{1}
}
