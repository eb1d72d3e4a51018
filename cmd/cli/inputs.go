package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay/ledger"
)

// inputs are the flags that say what to read.
type inputs struct {
	paths    []string
	demo     bool
	failures bool // of the demo, also the sessions that are about failed requests
	labels   []string
	format   string
	session  string
	record   int64
	badLines float64
	fresh    bool // label files need not be there yet
}

func (in *inputs) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&in.demo, "demo", false, "replay the embedded corpus")
	f.StringArrayVarP(&in.labels, "labels", "l", nil, "file or folder of labels (YAML, JSON, JSONL); labels.* in a folder that is read is found by itself")
	f.StringVar(&in.format, "input-format", "", "read every file as this format instead of telling it by its content")
	f.StringVar(&in.session, "session", "", "only sessions whose id begins with this")
	f.Int64Var(&in.record, "max-record", formats.DefaultMaxRecord, "largest record to hold, in bytes; larger ones are skipped and named")
	f.Float64Var(&in.badLines, "max-bad-lines", 1, "percent of unreadable records up to which a session is kept")
	cmd.RegisterFlagCompletionFunc("input-format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, f := range a.Formats {
			if f.Find != nil {
				names = append(names, f.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// find finds the sessions and their labels. What the user asked for and could
// not be read is in the found's Skipped, and label errors are in bad.
//
// Of Parquet only the columns that somebody wants are read.
func (in *inputs) find(ctx context.Context, a *app, columns parquet.Columns) (found *formats.Found, labels *corpus.Labels, bad int, err error) {
	labels = &corpus.Labels{}
	switch {
	case in.demo && len(in.paths) > 0:
		return nil, nil, 0, usagef("--demo replays the embedded corpus; leave out %s", strings.Join(in.paths, " "))
	case in.demo:
		if found, err = corpus.Demo(); err == nil && !in.failures && in.session == "" {
			found.Units = slices.DeleteFunc(found.Units, func(u *formats.Unit) bool { return corpus.AboutFailures(u.Session.ID) })
		}
	case len(in.paths) == 0:
		return nil, nil, 0, usagef("no PATH: name files, folders, globs or - (groundhog demo needs none)")
	case in.record <= 0:
		return nil, nil, 0, usagef("--max-record %d: must be positive", in.record)
	default:
		if err := in.checkFormat(a); err != nil {
			return nil, nil, 0, err
		}
		beside := besides(in.paths)
		in.labels = append(in.labels, beside...)
		files := formats.Files{Paths: in.paths, Formats: projected(a.Formats, columns), Format: in.format, Stdin: a.Stdin,
			Options: formats.Options{MaxRecord: in.record}, Ignore: beside}
		found, err = files.Find(ctx)
	}
	if err != nil {
		if found != nil {
			found.Close()
		}
		return nil, nil, 0, err
	}
	if _, err := ledgerOf(found); err != nil {
		found.Close()
		return nil, nil, 0, err
	}
	in.keep(found)
	bad = in.readLabels(a, found, labels)
	return found, labels, bad, nil
}

// projected is the list of formats, with Parquet reading only some columns, and
// ledgers.
func projected(list []*formats.Format, columns parquet.Columns) []*formats.Format {
	list = slices.Clone(list)
	for i, f := range list {
		if f == parquet.Format {
			list[i] = ledger.Format(parquet.With(columns))
		}
	}
	return list
}

func (in *inputs) checkFormat(a *app) error {
	if in.format == "" {
		return nil
	}
	var names []string
	for _, f := range a.Formats {
		switch {
		case f.Name == in.format && f.Find == nil:
			return usagef("--input-format %s: that format is recognised but not read yet", in.format)
		case f.Name == in.format:
			return nil
		case f.Find != nil:
			names = append(names, f.Name)
		}
	}
	return usagef("--input-format %s: expected one of %s", in.format, strings.Join(names, ", "))
}

// besides lists the label files that lie beside sessions.
func besides(paths []string) []string {
	var list []string
	for _, p := range paths {
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			continue
		}
		matches, _ := filepath.Glob(filepath.Join(p, "labels.*"))
		for _, m := range matches {
			if corpus.IsLabelFile(m) {
				list = append(list, filepath.ToSlash(filepath.Clean(m)))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// keep leaves only the sessions that were asked for.
func (in *inputs) keep(found *formats.Found) {
	if in.session == "" {
		return
	}
	found.Units = slices.DeleteFunc(found.Units, func(u *formats.Unit) bool {
		return !strings.HasPrefix(u.Session.ID, in.session)
	})
	found.Copies = slices.DeleteFunc(found.Copies, func(c formats.Copy) bool {
		return !strings.HasPrefix(c.Session, in.session)
	})
	if len(found.Units) == 0 {
		found.Skipped = append(found.Skipped, formats.Skip{Path: "--session " + in.session, Why: "no session id begins with this", Asked: true})
	}
}

// readLabels reads the labels of files and those that sessions carry. Each bad
// one is a line on stderr; bad counts them.
func (in *inputs) readLabels(a *app, found *formats.Found, labels *corpus.Labels) (bad int) {
	complain := func(err error) {
		for _, e := range flatten(err) {
			a.warnf("labels: %v", e)
			bad++
		}
	}
	for _, path := range in.labels {
		if _, err := os.Stat(path); in.fresh && errors.Is(err, fs.ErrNotExist) {
			a.warnf("%s is not there yet", path)
			continue
		}
		if err := labels.Read(path); err != nil {
			complain(err)
		}
	}
	for _, u := range found.Units {
		if u.Session.Label != nil {
			if err := labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File); err != nil {
				complain(err)
			}
		}
	}
	return bad
}

// flatten takes a joined error apart.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, flatten(e)...)
	}
	return list
}

// complain names on stderr what the user asked for and did not get.
func (a *app) complain(left []formats.Skip, bad int) error {
	const most = 50
	for i, s := range left {
		if i == most {
			a.warnf("… and %d more", len(left)-most)
			break
		}
		a.warnf("%s: %s", s.Path, s.Why)
	}
	if n := len(left) + bad; n > 0 {
		return &dataError{n}
	}
	return nil
}
