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
		Long: "Convert reads sessions like replay does and writes them in another form. A replay of the result gives the " +
			"same\n" +
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
	cmd.RegisterFlagCompletionFunc("to", fixed(a.targets()...))
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
	if !slices.Contains(a.targets(), o.to) {
		return usagef("--to %s: expected one of %s", o.to, strings.Join(a.targets(), ", "))
	}
	o.failures = true
	s, err := a.read(ctx, &o.inputs, true)
	if err != nil {
		return err
	}
	defer s.close()
	out := a.writing()
	defer out.abort()
	w, flush, err := a.target(o, out)
	if err != nil {
		return err
	}
	for _, u := range s.found.Units {
		if err := ctx.Err(); err != nil {
			return err
		}
		bad, steps, err := a.write(w, u)
		if err != nil {
			return err
		}
		if of, damaged := u.Damaged(bad, steps, o.badLines); damaged {
			why := fmt.Sprintf("session %s: %d of %d records could not be read; what could be was written", u.Session.ID, bad,
				of)
			s.left = append(s.left, formats.Skip{Path: u.Session.Origin.File, Asked: true, Why: why})
		}
	}
	if err := errors.Join(w.Close(), flush()); err != nil {
		return wroteErr(err)
	}
	if err := out.commit(); err != nil {
		return err
	}
	if lossy, ok := w.(formats.Lossy); ok {
		for _, l := range lossy.Losses() {
			a.warnf("%s cannot hold %s: %d left out", o.to, l.What, l.N)
		}
	}
	return s.leftOut()
}

// write copies one session. unreadable counts the records that were passed over.
func (a *app) write(w formats.Writer, u *formats.Unit) (unreadable, steps int, err error) {
	if err := w.Begin(u.Session); err != nil {
		return 0, 0, err
	}
	for step, err := range u.Read() {
		var syntax *formats.SyntaxError
		switch {
		case errors.As(err, &syntax):
			unreadable++
			a.warnf("%v", err)
			continue
		case err != nil:
			return unreadable, steps, err
		}
		steps++
		step.Flags &^= transcript.Context // where a message belongs is told anew when it is read
		if err := w.Step(step); err != nil {
			return unreadable, steps, wroteErr(err)
		}
	}
	return unreadable, steps, w.End(u.Session)
}

// target opens the writer; flush comes after its Close.
func (a *app) target(o *convertOptions, out *writing) (w formats.Writer, flush func() error, err error) {
	if o.to == parquet.Format.Name {
		w, err = parquetTarget(o.output, out)
		return w, func() error { return nil }, err
	}
	var to io.Writer = a.Stdout
	if o.output != "" && o.output != "-" {
		if to, err = out.create(o.output); err != nil {
			return nil, nil, err
		}
	}
	buf := bufio.NewWriterSize(to, 256<<10)
	for _, f := range a.Formats {
		if f.Name == o.to {
			return f.Write(buf), buf.Flush, nil
		}
	}
	return nil, nil, usagef("--to %s: not in this build", o.to)
}

// parquetTarget makes the files of a Parquet corpus in a folder.
func parquetTarget(dir string, out *writing) (formats.Writer, error) {
	if dir == "" || dir == "-" {
		return nil, usagef("--to parquet makes several files: name a folder with -o")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, usagef("%v", err)
	}
	sessions, err := out.create(filepath.Join(dir, parquet.SessionsFile))
	if err != nil {
		return nil, err
	}
	events, err := out.create(filepath.Join(dir, parquet.EventsFile))
	if err != nil {
		return nil, err
	}
	return parquet.NewWriter(sessions, events), nil
}
