package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"groundhog/formats"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/render"
)

// outputs are the flags that say what to print, and where.
type outputs struct {
	format string
	file   string
	more   []string
	views  []string
}

var outputFormats = []string{"text", "json", "jsonl", "parquet"}

func (o *outputs) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text, json, or the fires one by one: jsonl, parquet")
	f.StringVarP(&o.file, "output", "o", "", "write to this file instead of stdout")
	f.StringArrayVar(&o.more, "out", nil, "write a further output, FORMAT=FILE")
	f.StringSliceVar(&o.views, "view", []string{string(replay.Production)}, "views whose fires jsonl and parquet list: production, shadow, standalone, all")
	complete := func(words ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	cmd.RegisterFlagCompletionFunc("format", complete(outputFormats...))
	cmd.RegisterFlagCompletionFunc("view", complete("production", "shadow", "standalone", "all"))
}

// A sink is one output: fires are written as they come, a report at the end.
type sink struct {
	format string
	w      *bufio.Writer
	close  func() error
	style  render.Style
	fires  *render.Fires
}

// create makes an output file. One that is read is refused: sessions are read
// step by step, and it would be empty before they are.
func create(path string, found *formats.Found) (*os.File, error) {
	if err := unread(path, found); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return f, nil
}

// unread is an error if the file is one of those that were found.
func unread(path string, found *formats.Found) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // to be made
	}
	var read []string
	for _, u := range found.Units {
		read = append(read, u.Session.Origin.File)
	}
	for _, s := range found.Skipped {
		read = append(read, s.Path)
	}
	for _, c := range found.Copies {
		read = append(read, c.Dropped...)
	}
	slices.Sort(read)
	for _, file := range slices.Compact(read) {
		if other, err := os.Stat(file); err == nil && os.SameFile(info, other) {
			return usagef("%s is one of the files that are read: name another output", path)
		}
	}
	return nil
}

// open opens every output. The files are complete only after close.
func (o *outputs) open(a *app, plan *replay.Plan, splitter string, found *formats.Found) ([]*sink, error) {
	views, err := o.viewList()
	if err != nil {
		return nil, err
	}
	var list []*sink
	add := func(format, file string) error {
		s := &sink{format: format, close: func() error { return nil }}
		var w io.Writer = a.Stdout
		switch {
		case !contains(outputFormats, format):
			return usagef("output format %q: expected one of %s", format, strings.Join(outputFormats, ", "))
		case file == "" || file == "-":
			s.style = a.style(a.Stdout)
		default:
			f, err := create(file, found)
			if err != nil {
				return err
			}
			w, s.close = f, f.Close
		}
		s.w = bufio.NewWriterSize(w, 64<<10)
		switch format {
		case "jsonl":
			s.fires = render.NewFires(s.w, plan, views, splitter)
		case "parquet":
			if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
				return usagef("parquet is not for a terminal: name a file with -o")
			}
			s.fires = render.NewParquetFires(s.w, plan, views, splitter)
		}
		list = append(list, s)
		return nil
	}
	if err := add(o.format, o.file); err != nil {
		return nil, err
	}
	for _, spec := range o.more {
		format, file, ok := strings.Cut(spec, "=")
		if !ok || file == "" {
			return nil, usagef("--out %s: expected FORMAT=FILE", spec)
		}
		if err := add(format, file); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// lists reports whether some output lists fires one by one.
func (o *outputs) lists() bool {
	list := o.format == "jsonl" || o.format == "parquet"
	for _, spec := range o.more {
		list = list || strings.HasPrefix(spec, "jsonl=") || strings.HasPrefix(spec, "parquet=")
	}
	return list
}

func (o *outputs) viewList() ([]replay.View, error) {
	var list []replay.View
	for _, word := range o.views {
		if word == "all" {
			return replay.Views, nil
		}
		v := replay.View(word)
		if !contains(replay.Views, v) {
			return nil, usagef("--view %s: expected production, shadow, standalone or all", word)
		}
		list = append(list, v)
	}
	return list, nil
}

func contains[T comparable](list []T, x T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// outcome passes one session on to the outputs that print fires.
func outcome(list []*sink, o *replay.Outcome) error {
	for _, s := range list {
		if s.fires != nil {
			if err := s.fires.Add(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes the report and closes every output.
func finish(list []*sink, r *report.Report) error {
	var errs []error
	for _, s := range list {
		switch s.format {
		case "text":
			errs = append(errs, render.Text(s.w, r, s.style))
		case "json":
			errs = append(errs, render.JSON(s.w, r))
		default:
			errs = append(errs, s.fires.Close())
		}
		errs = append(errs, s.w.Flush(), s.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// style is how text looks on w.
func (a *app) style(w io.Writer) render.Style {
	var s render.Style
	f, ok := w.(*os.File)
	terminal := ok && term.IsTerminal(int(f.Fd()))
	if terminal {
		s.Width, _, _ = term.GetSize(int(f.Fd()))
	}
	switch a.color {
	case "always":
		s.Bold = true
	case "never":
	default:
		s.Bold = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" || os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0"
	}
	return s
}
