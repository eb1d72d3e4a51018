package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/replay/ledger"
	"groundhog/report"
)

// Every command that reads sessions goes one way: inputs are found and copies
// dropped (read), the engine replays what is left (run), the command makes of each
// outcome what it wants, and what was left out is named at the end (leftOut).

// A source is what the inputs of a command came to.
type source struct {
	app     *app
	found   *formats.Found
	labels  *corpus.Labels
	past    *ledger.Ledger // that stands in place of recordings; nil if there is none
	left    []formats.Skip // what the user asked for and did not get
	wrong   []error        // labels that are wrong, or do not fit their session
	damaged int            // sessions that are counted without records that could not be read
	bar     *progress
	done    int  // sessions that were replayed
	stopped bool // the run was interrupted before the others
}

// replaying is the flags that say how sessions are replayed.
type replaying struct {
	jobs  int
	split string
	quiet bool
}

func (r *replaying) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&r.jobs, "jobs", "j", 0, "sessions replayed at once (default: one per CPU); changes no output")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress")
}

// splitFlag is --split, for commands that may cut text.
func (r *replaying) splitFlag(cmd *cobra.Command) {
	var names []string
	words := ""
	for _, n := range cut.All() {
		names = append(names, n.Name)
		words = cmp.Or(words, " (default "+n.Name+")")
	}
	cmd.Flags().StringVar(&r.split, "split", "", "how text without recorded deltas is split: "+
		strings.Join(names, ", ")+words)
	cmd.RegisterFlagCompletionFunc("split", fixed(names...))
}

// read finds the sessions that were asked for, and their labels.
func (a *app) read(ctx context.Context, in *inputs, quiet bool) (*source, error) {
	s := &source{app: a, labels: &corpus.Labels{}, bar: a.progress(quiet)}
	var err error
	if s.found, err = in.find(ctx, a); err != nil {
		return nil, err
	}
	if s.past, err = ledgerOf(s.found); err != nil {
		s.close()
		return nil, err
	}
	in.keep(s.found)
	for _, skip := range s.found.Skipped {
		if skip.Asked {
			s.left = append(s.left, skip)
		}
	}
	s.wrong = in.readLabels(a, s.found, s.labels)
	a.reading(filesOf(s.found)...)
	a.reading(in.labels...)
	return s, nil
}

func (s *source) close() { s.found.Close() }

// splitter is how text without recorded deltas is split. A ledger has decided that.
func (s *source) splitter(flag string) (cut.Named, error) {
	if s.past == nil {
		split, err := cut.Find(flag)
		if err != nil {
			return split, usagef("--split: %v", err)
		}
		return split, nil
	}
	if flag != "" && flag != s.past.Splitter() {
		return cut.Named{}, usagef("--split %s: %s was measured with %s; replay the transcripts", flag, s.past.File,
			s.past.Splitter())
	}
	return cut.Named{Name: s.past.Splitter()}, nil
}

// transcripts refuses a ledger, for commands that need what it does not hold.
func (s *source) transcripts(why string) error {
	if s.past == nil {
		return nil
	}
	return usagef("%s is a ledger, %s: name the recordings that it was made of", s.past.File, why)
}

// engine is ready to replay the sessions. Under compared, positions in streams are
// compared with those of the other splitters, as far as there is text to split.
func (s *source) engine(plan *replay.Plan, in *inputs, r *replaying, compared bool) (*replay.Engine, error) {
	split, err := s.splitter(r.split)
	if err != nil {
		return nil, err
	}
	e := &replay.Engine{Plan: plan, Workers: r.jobs, MaxBad: in.badLines, Split: split.Cut, Chosen: split.Name,
		Progress: s.bar.update}
	if compared && s.past == nil {
		for _, n := range cut.Apart() {
			e.Cuts = append(e.Cuts, replay.Cut{Name: n.Name, Split: n.Cut})
		}
	}
	return e, nil
}

// cutNames are the splitters that the engine compares.
func cutNames(e *replay.Engine) (names []string) {
	for _, c := range e.Cuts {
		names = append(names, c.Name)
	}
	return names
}

// run replays every session and hands its outcome to sink, also of those that are
// left out. Records that could not be read are named on stderr as they are met.
func (s *source) run(ctx context.Context, e *replay.Engine, sink func(*replay.Outcome) error) error {
	defer s.bar.done()
	err := e.Run(ctx, s.found.Units, func(o *replay.Outcome) error {
		s.note(o)
		s.done++
		return sink(o)
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		s.stopped = true
		return errInterrupted
	}
	return err
}

// partly is run for commands whose report may be partial: it is no error that a run was
// interrupted, and print says so.
func (s *source) partly(ctx context.Context, e *replay.Engine, sink func(*replay.Outcome) error) error {
	err := s.run(ctx, e, sink)
	if err == errInterrupted {
		return nil
	}
	return err
}

// print writes the report and names what was left out. A partial report goes to stdout
// alone: files stay as they were.
func (s *source) print(p *printing, r *report.Report) error {
	if s.stopped {
		r.Partial = &report.Partial{Done: s.done, Of: len(s.found.Units)}
		p.onStdout()
	}
	if err := p.report(r); err != nil {
		return err
	}
	return s.leftOut()
}

// note takes in what is wrong with one session.
func (s *source) note(o *replay.Outcome) {
	for _, b := range o.Bad {
		s.app.warnf("%v", b)
	}
	if n := o.BadRecords - len(o.Bad); n > 0 {
		s.app.warnf("%s: … and %d more records that could not be read", o.Session.Origin.File, n)
	}
	if err := s.labels.Fits(o); err != nil {
		s.wrong = append(s.wrong, err)
	}
	switch {
	case o.Err != nil:
		why := fmt.Sprintf("session %s: %v", o.Session.ID, o.Err)
		s.left = append(s.left, formats.Skip{Path: o.Session.Origin.File, Why: why, Asked: true})
	case o.BadRecords > 0:
		s.damaged++
		s.app.warnf("session %s: counted without %s that could not be read", o.Session.ID,
			report.Plural(o.BadRecords, "record"))
	}
}

// leftOut names on stderr what the user asked for and did not get, and the labels that
// are wrong. It is an error if there is anything.
func (s *source) leftOut() error {
	const most = 50
	for i, skip := range s.left {
		if i == most {
			s.app.warnf("… and %d more", len(s.left)-most)
			break
		}
		s.app.warnf("%s: %s", skip.Path, skip.Why)
	}
	for _, err := range s.wrong {
		s.app.warnf("labels: %v", err)
	}
	if s.stopped {
		return errInterrupted
	}
	if n := len(s.left) + len(s.wrong) + s.damaged; n > 0 {
		return &dataError{n}
	}
	return nil
}

// filesOf are the files that sessions were looked for in.
func filesOf(found *formats.Found) (files []string) {
	for _, u := range found.Units {
		files = append(files, u.Session.Origin.File)
	}
	for _, s := range found.Skipped {
		files = append(files, s.Path)
	}
	for _, c := range found.Copies {
		files = append(files, c.Dropped...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// ledgerOf is the ledger that was named in place of recordings, or nil. It stands
// alone: which steps two sources have in common, and which of them would count
// one, can only be told from transcripts.
func ledgerOf(found *formats.Found) (*ledger.Ledger, error) {
	var only *ledger.Ledger
	transcripts := "" // a file of them
	for _, u := range found.Units {
		switch l := ledger.Of(u); {
		case l == nil:
			transcripts = u.Session.Origin.File
		case only == nil:
			only = l
		case l != only:
			return nil, usagef("%s and %s are two ledgers: name one, or make one of all their transcripts (replay PATH… "+
				"--ledger FILE)", only.File, l.File)
		}
	}
	if only != nil && transcripts != "" {
		return nil, usagef("%s is a ledger and %s holds transcripts: name one or the other", only.File, transcripts)
	}
	return only, nil
}
