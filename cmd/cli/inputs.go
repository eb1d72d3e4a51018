package cli

import (
	"cmp"
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
	fresh    bool            // label files need not be there yet
	columns  parquet.Columns // of Parquet, those that the command looks at; 0 means all
}

func (in *inputs) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&in.demo, "demo", false, "replay the embedded corpus")
	f.StringArrayVarP(&in.labels, "labels", "l", nil,
		"file or folder of labels (YAML, JSON, JSONL); labels.* in a folder that is read is found by itself")
	f.StringVar(&in.format, "input-format", "", "read every file as this format instead of telling it by its content")
	f.StringVar(&in.session, "session", "", "only sessions whose id begins with this")
	f.Int64Var(&in.record, "max-record", formats.DefaultMaxRecord,
		"largest record to hold, in bytes; larger ones are skipped and named")
	f.Float64Var(&in.badLines, "max-bad-lines", 1, "percent of unreadable records up to which a session is kept;\none such record costs only itself, unless this is 0")
	var names []string
	for _, f := range a.Formats {
		if f.Find != nil {
			names = append(names, f.Name)
		}
	}
	cmd.RegisterFlagCompletionFunc("input-format", fixed(names...))
}

// find finds the sessions that the flags name. Where it fails, nothing is left open.
func (in *inputs) find(ctx context.Context, a *app) (found *formats.Found, err error) {
	switch {
	case in.demo && len(in.paths) > 0:
		return nil, usagef("--demo replays the embedded corpus; leave out %s", strings.Join(in.paths, " "))
	case in.demo:
		if found, err = corpus.Demo(); err == nil && !in.failures && in.session == "" {
			found.Units = slices.DeleteFunc(found.Units,
				func(u *formats.Unit) bool { return corpus.AboutFailures(u.Session.ID) })
		}
	case len(in.paths) == 0:
		return nil, usagef("no PATH: name files, folders, globs or - (groundhog demo needs none)")
	case in.record <= 0:
		return nil, usagef("--max-record %d: must be positive", in.record)
	default:
		if err := in.checkFormat(a); err != nil {
			return nil, err
		}
		labels := labelsBeside(in.paths)
		in.labels = append(in.labels, labels...)
		files := formats.Files{Paths: in.paths, Formats: in.projected(a.Formats), Format: in.format, Stdin: a.Stdin,
			Options: formats.Options{MaxRecord: in.record}, Ignore: labels}
		found, err = files.Find(ctx)
	}
	if err != nil && found != nil {
		found.Close()
	}
	return found, err
}

// projected is the list of formats, with Parquet reading only the columns that are
// wanted, and ledgers.
func (in *inputs) projected(list []*formats.Format) []*formats.Format {
	columns := cmp.Or(in.columns, parquet.All)
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

// labelsBeside lists the label files that lie beside sessions.
func labelsBeside(paths []string) []string {
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
		found.Skipped = append(found.Skipped, formats.Skip{Path: "--session " + in.session,
			Why: "no session id begins with this", Asked: true})
	}
}

// readLabels reads the labels of files and those that sessions carry, and gives what
// is wrong with them.
func (in *inputs) readLabels(a *app, found *formats.Found, labels *corpus.Labels) (wrong []error) {
	for _, path := range in.labels {
		if _, err := os.Stat(path); in.fresh && errors.Is(err, fs.ErrNotExist) {
			a.warnf("%s is not there yet", path)
			continue
		}
		wrong = append(wrong, flatten(labels.Read(path))...)
	}
	for _, u := range found.Units {
		if u.Session.Label != nil {
			wrong = append(wrong, flatten(labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File))...)
		}
	}
	return wrong
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
