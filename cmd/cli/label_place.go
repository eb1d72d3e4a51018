package cli

import (
	"context"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
)

// checkSession finds the session of a label below paths, completes its id, and
// looks whether the places are there. Without paths it believes the label.
func (a *app) checkSession(ctx context.Context, paths []string, l *corpus.Label) error {
	if len(paths) == 0 {
		return nil
	}
	in := &inputs{paths: paths, session: l.Session, record: formats.DefaultMaxRecord, badLines: 1}
	in.columns = parquet.Args
	found, err := in.find(ctx, a)
	if err != nil {
		return err
	}
	defer found.Close()
	in.keep(found)
	a.reading(filesOf(found)...)
	if len(found.Units) == 0 {
		return usagef("no session whose id begins with %q below %s", l.Session, strings.Join(paths, ", "))
	}
	if i := slices.IndexFunc(found.Units, func(u *formats.Unit) bool { return u.Session.ID == l.Session }); i >= 0 {
		found.Units = found.Units[i : i+1]
	}
	if n := len(found.Units); n > 1 {
		return usagef("%d sessions begin with %q, %s and %s among them: give more of the id", n, l.Session,
			found.Units[0].Session.ID, found.Units[1].Session.ID)
	}
	l.Session = found.Units[0].Session.ID
	var check corpus.Labels
	mine := *l
	if err := check.Add(&mine, "label add"); err != nil {
		return usagef("%v", unplaced(err))
	}
	return a.outcomes(ctx, found.Units, func(o *replay.Outcome) error {
		if err := check.Fits(o); err != nil {
			return usagef("%v", unplaced(err))
		}
		return nil
	})
}

// outcomes replays sessions under the default presets, for commands that only want to
// know what happened.
func (a *app) outcomes(ctx context.Context, units []*formats.Unit, sink func(*replay.Outcome) error) error {
	configs, err := new(choice).configs(a)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(replay.Question{Configs: configs, Brief: true})
	if err != nil {
		return usagef("%v", err)
	}
	return (&replay.Engine{Plan: plan, MaxBad: 1}).Run(ctx, units, sink)
}
