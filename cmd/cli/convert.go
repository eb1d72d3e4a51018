package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay/transcript"
)

// convertOptions are the flags of `groundhog convert`.
type convertOptions struct {
	inputs
	to     string
	output string
}

func (a *app) convertCommand() *cobra.Command {
	o := &convertOptions{}
	cmd := &cobra.Command{
		Use:   "convert PATH…",
		Short: "Rewrite sessions as canonical JSONL, canonical Parquet or .session",
		Long: "Convert reads sessions like replay does and writes them in another form. A replay of the result gives the same\n" +
			"fires. What the target cannot hold is counted and named on stderr.",
		Example: "  groundhog convert ~/.claude/projects --to transcript -o sessions.jsonl\n" +
			"  groundhog convert traces/ --to parquet -o corpus/     # sessions.parquet and events.parquet\n" +
			"  groundhog convert corpus/ --session 7f3a --to session",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return a.convert(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	cmd.Flags().StringVar(&o.to, "to", "transcript", strings.Join(a.targets(), ", "))
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "file to write instead of stdout; for parquet, a folder")
	cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(a.targets(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// targets are the formats that can be written.
func (a *app) targets() []string {
	names := []string{parquet.Format.Name}
	for _, f := range a.Formats {
		if f.Write != nil {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (a *app) convert(ctx context.Context, o *convertOptions) error {
	if !contains(a.targets(), o.to) {
		return usagef("--to %s: expected one of %s", o.to, strings.Join(a.targets(), ", "))
	}
	o.failures = true
	found, _, bad, err := o.find(ctx, a, parquet.All)
	if err != nil {
		return err
	}
	defer found.Close()
	w, closers, err := a.target(o, found)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(found.Skipped), func(s formats.Skip) bool { return !s.Asked })
	for _, u := range found.Units {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := a.write(w, u)
		if err != nil {
			return err
		}
		if 100*float64(n) > o.badLines*float64(max(u.Records, n)) {
			left = append(left, formats.Skip{Path: u.Session.Origin.File, Asked: true,
				Why: fmt.Sprintf("session %s: %d of %d records could not be read; what could be was written", u.Session.ID, n, u.Records)})
		}
	}
	errs := []error{w.Close()}
	for _, c := range closers {
		errs = append(errs, c())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	if lossy, ok := w.(formats.Lossy); ok {
		for _, l := range lossy.Losses() {
			a.warnf("%s cannot hold %s: %d left out", o.to, l.What, l.N)
		}
	}
	return a.complain(left, bad)
}

// write copies one session. unreadable counts the records that were passed over.
func (a *app) write(w formats.Writer, u *formats.Unit) (unreadable int, err error) {
	if err := w.Begin(u.Session); err != nil {
		return 0, err
	}
	for step, err := range u.Read() {
		var syntax *formats.SyntaxError
		switch {
		case errors.As(err, &syntax):
			unreadable++
			a.warnf("%v", err)
			continue
		case err != nil:
			return unreadable, err
		}
		step.Flags &^= transcript.Context // where a message belongs is told anew when it is read
		if err := w.Step(step); err != nil {
			return unreadable, err
		}
	}
	return unreadable, w.End(u.Session)
}

// target opens the writer. The closers run in order after it is closed.
func (a *app) target(o *convertOptions, found *formats.Found) (formats.Writer, []func() error, error) {
	if o.to == parquet.Format.Name {
		return parquetTarget(o.output, found)
	}
	var out io.Writer = a.Stdout
	var closers []func() error
	if o.output != "" && o.output != "-" {
		f, err := create(o.output, found)
		if err != nil {
			return nil, nil, err
		}
		out, closers = f, append(closers, f.Close)
	}
	buf := bufio.NewWriterSize(out, 256<<10)
	closers = append([]func() error{buf.Flush}, closers...)
	for _, f := range a.Formats {
		if f.Name == o.to {
			return f.Write(buf), closers, nil
		}
	}
	return nil, nil, usagef("--to %s: not in this build", o.to)
}

// parquetTarget makes the files of a Parquet corpus in a folder.
func parquetTarget(dir string, found *formats.Found) (formats.Writer, []func() error, error) {
	if dir == "" || dir == "-" {
		return nil, nil, usagef("--to parquet makes several files: name a folder with -o")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, usagef("%v", err)
	}
	if err := unread(filepath.Join(dir, parquet.EventsFile), found); err != nil {
		return nil, nil, err // before the file beside it is gone
	}
	var files []io.Writer
	var closers []func() error
	for _, name := range []string{parquet.SessionsFile, parquet.EventsFile} {
		f, err := create(filepath.Join(dir, name), found)
		if err != nil {
			return nil, nil, err
		}
		files, closers = append(files, f), append(closers, f.Close)
	}
	return parquet.NewWriter(files[0], files[1]), closers, nil
}
