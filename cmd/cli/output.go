package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"groundhog/corpus"
	"groundhog/report"
	"groundhog/report/render"
)

// Everything that a command writes goes through this file: reports, fires, ledgers,
// baselines, labels, converted sessions. A file is written beside the one it replaces
// and renamed when all of it is there, so that what stood before is whole until then.
// An output that is one of the inputs, or another output, is refused, also through
// links: sessions are read step by step, and would be gone before they are.

// A writing is the outputs of one command. Abort after a failure, and Commit once
// everything has been written; either may be called after the other.
type writing struct {
	app   *app
	files []*outFile
}

// An outFile is a file while it is written.
type outFile struct {
	path string
	temp string // where it is written until it is complete; "" if in place
	io.Writer
	commit, abort func() error
}

func (a *app) writing() *writing { return &writing{app: a} }

// reading notes files that the command reads, and must therefore not write.
func (a *app) reading(paths ...string) { a.reads = append(a.reads, paths...) }

// keeping notes a file that the command reads in order to write it anew, such as a
// baseline: no other output may go there.
func (a *app) keeping(path string) { a.keeps = append(a.keeps, path) }

// create begins a file. A device or a pipe is written as it is, since there is
// nothing in it to lose.
func (w *writing) create(path string) (*outFile, error) {
	if err := w.refuse(path, slices.Concat(w.app.reads, w.app.keeps)); err != nil {
		return nil, err
	}
	return w.begin(path)
}

func (w *writing) begin(path string) (*outFile, error) {
	f := &outFile{path: path}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, usagef("%s is a folder: name a file", path)
		}
		device, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, usagef("%v", err)
		}
		f.Writer, f.commit, f.abort = device, device.Close, device.Close
	} else if err := f.open(path); err != nil {
		return nil, usagef("%v", err)
	}
	if f.temp != "" {
		w.app.temporary.add(f.temp)
	}
	w.files = append(w.files, f)
	return f, nil
}

// refuse is an error if the path is one of those that are read, or is written twice.
func (w *writing) refuse(path string, reads []string) error {
	for _, f := range w.files {
		if sameFile(f.path, path) {
			return usagef("%s: two outputs go there", path)
		}
	}
	for _, read := range reads {
		if sameFile(read, path) || isLabelIn(read, path) {
			return usagef("%s is one of the files that are read: name another output", path)
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file, which need not be there yet.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	return errX != nil && errY != nil && filepath.Clean(a) == filepath.Clean(b)
}

// isLabelIn reports whether a file is one of the labels of a folder that is read.
func isLabelIn(dir, path string) bool {
	if _, err := os.Stat(path); err != nil || !corpus.IsLabelFile(path) {
		return false
	}
	x, errX := os.Stat(dir)
	y, errY := os.Stat(filepath.Dir(path))
	return errX == nil && errY == nil && x.IsDir() && os.SameFile(x, y)
}

// resolved is the file that a path leads to: a link stays a link.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// commit puts every file in its place.
func (w *writing) commit() error {
	var errs []error
	for _, f := range w.files {
		errs = append(errs, f.commit())
		w.app.temporary.done(f.temp)
	}
	w.files = nil
	return wroteErr(errors.Join(errs...))
}

// abort takes away what is not complete. Without a commit nothing has changed.
func (w *writing) abort() {
	for _, f := range w.files {
		f.abort()
		w.app.temporary.done(f.temp)
	}
	w.files = nil
}

// writeFile writes one new file in one piece. Folders on the way are made.
func (a *app) writeFile(path string, raw []byte) error {
	return a.replaceFile(path, raw, slices.Concat(a.reads, a.keeps))
}

// rewriteFile is writeFile for a file that the command has read to write it anew.
func (a *app) rewriteFile(path string, raw []byte) error { return a.replaceFile(path, raw, a.reads) }

func (a *app) replaceFile(path string, raw []byte, reads []string) error {
	w := a.writing()
	defer w.abort()
	if err := w.refuse(path, reads); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return usagef("%v", err)
	}
	f, err := w.begin(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(raw); err != nil {
		return wroteErr(err)
	}
	return w.commit()
}

// An outputError is an output that could not be written: a full disk, a closed pipe.
type outputError struct{ err error }

func (e *outputError) Error() string { return "writing the output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// wroteErr says of an error that it came from writing an output.
func wroteErr(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{err}
}

// outputs are the flags that say what to print, and where.
type outputs struct {
	formats []string // that the command has; the first is the default
	format  string
	file    string
	more    []string
}

func (o *outputs) flags(cmd *cobra.Command, formats ...string) {
	o.formats = formats
	f := cmd.Flags()
	f.StringVar(&o.format, "format", formats[0], strings.Join(formats, ", "))
	f.StringVarP(&o.file, "output", "o", "", "write to this file instead of stdout")
	f.StringArrayVar(&o.more, "out", nil, "write a further output, FORMAT=FILE, or FORMAT for stdout")
	cmd.RegisterFlagCompletionFunc("format", fixed(formats...))
}

// fixed completes a flag with words.
func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// A sink is one output of a command.
type sink struct {
	format string
	w      *bufio.Writer
	style  render.Style
	stdout bool
	finish func() error // writes what is left of an output that is written as sessions go by; nil for a report
}

// A printing is the outputs that the flags of a command ask for.
type printing struct {
	*writing
	sinks []*sink
}

// spec is a format with the file that it goes to; "" is stdout.
type spec struct{ format, file string }

// specs are the outputs that the flags name, checked.
func (o *outputs) specs() ([]spec, error) {
	list := []spec{{o.format, o.file}}
	for _, s := range o.more {
		format, file, _ := strings.Cut(s, "=")
		list = append(list, spec{format, file})
	}
	for i := range list {
		if list[i].format == "md" {
			list[i].format = "markdown"
		}
		if !slices.Contains(o.formats, list[i].format) {
			return nil, usagef("output format %q: expected one of %s", list[i].format, strings.Join(o.formats, ", "))
		}
		if list[i].file == "-" || list[i].file == "/dev/stdout" {
			list[i].file = ""
		}
	}
	return list, nil
}

// has reports whether some output has one of these formats.
func (o *outputs) has(formats ...string) bool {
	list, _ := o.specs() // whoever opens them says what is wrong
	return slices.ContainsFunc(list, func(s spec) bool { return slices.Contains(formats, s.format) })
}

// open opens every output. It is called once everything that is read is known.
func (o *outputs) open(a *app) (*printing, error) {
	list, err := o.specs()
	if err != nil {
		return nil, err
	}
	p := &printing{writing: a.writing()}
	for _, spec := range list {
		s := &sink{format: spec.format}
		var w io.Writer = a.Stdout
		if spec.file == "" {
			s.stdout, s.style = true, a.style(a.Stdout)
		} else {
			f, err := p.create(spec.file)
			if err != nil {
				p.abort()
				return nil, err
			}
			w = f
		}
		s.w = bufio.NewWriterSize(w, 64<<10)
		p.sinks = append(p.sinks, s)
	}
	return p, nil
}

// onStdout leaves out every file: a partial result goes to stdout alone.
func (p *printing) onStdout() {
	p.abort()
	p.sinks = slices.DeleteFunc(p.sinks, func(s *sink) bool { return !s.stdout })
}

// report writes the report wherever it was asked for, and completes every output.
func (p *printing) report(r *report.Report) error {
	return p.each(func(s *sink) error { return s.report(r) })
}

// each lets write fill every output that nothing has filled yet, and completes all.
func (p *printing) each(write func(*sink) error) error {
	defer p.abort()
	for _, s := range p.sinks {
		var err error
		if s.finish != nil {
			err = s.finish()
		} else {
			err = write(s)
		}
		if err = errors.Join(err, s.w.Flush()); err != nil {
			return wroteErr(err)
		}
	}
	return p.commit()
}

// report writes a report in the format of the sink.
func (s *sink) report(r *report.Report) error {
	switch s.format {
	case "json":
		return render.JSON(s.w, r)
	case "markdown":
		return render.Markdown(s.w, r)
	}
	return render.Text(s.w, r, s.style)
}

// print writes a report to stdout, for commands without an output flag.
func (a *app) print(r *report.Report, format string) error {
	o := outputs{formats: []string{"text", "json"}, format: format}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	return p.report(r)
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
		force := os.Getenv("CLICOLOR_FORCE")
		s.Bold = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" || force != "" && force != "0"
	}
	return s
}
