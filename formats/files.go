package formats

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Files is what a command line names.
type Files struct {
	Paths   []string  // files, folders, globs, or "-" for standard input
	Formats []*Format // to choose from
	Format  string    // if set, the name of the one to use: nothing is sniffed
	Options Options
	Stdin   io.Reader
	Ignore  []string // files in folders that are something else, as walking names them
}

// Found is what Files led to. Its order does not depend on the order of paths.
type Found struct {
	Units   []*Unit // by session id, then by file
	Skipped []Skip  // what was not read, by path
	Copies  []Copy  // sessions that were found more than once
	Bytes   int64   // of all units

	temp   []string
	copies map[string]int // index in Copies, by session
}

// Close removes the temporary files.
func (f *Found) Close() {
	for _, name := range f.temp {
		os.Remove(name)
	}
}

// A Skip is a file, or a session of it, that was not read.
type Skip struct {
	Path   string
	Why    string
	Format string // of a file whose format is recognised but not read yet
	Asked  bool   // the user named it, so leaving it out is an error
}

// A Copy is a session that was found more than once: the longest was kept.
type Copy struct {
	Session string
	Kept    string
	Dropped []string
}

// an input is one file to look at.
type input struct {
	path  string
	asked bool // named by the user, and not met in a folder
}

// Find expands the paths, tells each file's format and finds the sessions in
// it. What cannot be read is in Found.Skipped; an error means that nothing
// useful could be done.
func (f *Files) Find(ctx context.Context) (*Found, error) {
	found := &Found{}
	inputs := f.expand(found)
	for _, in := range inputs {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		if err := f.find(in, found); err != nil {
			return found, err
		}
	}
	found.settle()
	return found, nil
}

// expand turns paths into files: folders walked in order of name, globs, "-".
// A file that several paths lead to is read once.
func (f *Files) expand(found *Found) []input {
	var list []input
	add := func(path string, asked bool) {
		list = append(list, input{filepath.ToSlash(filepath.Clean(path)), asked})
	}
	for _, path := range f.Paths {
		if path == "-" {
			list = append(list, input{"-", true})
			continue
		}
		matches := []string{path}
		if _, err := os.Lstat(path); err != nil && strings.ContainsAny(path, "*?[{") {
			matches, err = doublestar.FilepathGlob(path)
			if err == nil && len(matches) == 0 {
				err = errors.New("no file matches")
			}
			if err != nil {
				found.skip(path, err.Error(), true)
				continue
			}
		}
		for _, m := range matches {
			info, err := os.Stat(m)
			switch {
			case err != nil:
				found.skip(m, reason(err), true)
			case !info.IsDir():
				add(m, true)
			default:
				walk(m, func(path string, asked bool) {
					if !slices.Contains(f.Ignore, filepath.ToSlash(filepath.Clean(path))) {
						add(path, asked)
					}
				}, found)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].path != list[j].path {
			return list[i].path < list[j].path
		}
		return list[i].asked && !list[j].asked
	})
	return slices.CompactFunc(list, func(a, b input) bool { return a.path == b.path })
}

// walk adds the regular files below a folder. Hidden files and folders are
// passed over unless the user named them.
func walk(root string, add func(string, bool), found *Found) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			found.skip(path, reason(err), true)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case path != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			add(path, false)
		case d.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				add(path, false)
			}
		}
		return nil
	})
}

func (found *Found) skip(path, why string, asked bool) {
	found.Skipped = append(found.Skipped, Skip{Path: filepath.ToSlash(path), Why: why, Asked: asked})
}

// reason is an error of the file system without its path, which is printed beside it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// find reads one input and appends its units.
func (f *Files) find(in input, found *Found) error {
	file, head, err := f.open(in, found)
	if err != nil {
		found.skip(in.path, reason(err), true) // there, but unreadable: never silent
		return nil
	}
	format, err := f.choose(head)
	var unknown *UnknownError
	switch {
	case errors.As(err, &unknown):
		found.skip(in.path, err.Error(), in.asked)
		return nil
	case err != nil:
		return err
	case format.Find == nil:
		found.Skipped = append(found.Skipped, Skip{Path: in.path, Format: format.Name, Asked: in.asked,
			Why: "recognised as " + format.Name + ", which is not read yet"})
		return nil
	}
	for u, err := range format.Find(file, f.Options) {
		if err != nil {
			// A file that turns out to hold something else was merely met.
			asked := in.asked || !errors.As(err, &unknown)
			found.skip(in.path, strings.TrimPrefix(err.Error(), file.Name+": "), asked)
			continue
		}
		u.Session.Origin.File = in.path
		u.Session.Origin.Format = format.Name
		found.Units = append(found.Units, u)
	}
	return nil
}

func (f *Files) choose(h *Head) (*Format, error) {
	if f.Format == "" {
		return Detect(h, f.Formats)
	}
	var names []string
	for _, format := range f.Formats {
		if format.Name == f.Format {
			return format, nil
		}
		names = append(names, format.Name)
	}
	return nil, fmt.Errorf("unknown input format %q: expected one of %s", f.Format, strings.Join(names, ", "))
}

// open opens an input and unwraps it, through a temporary file if it cannot be
// read at random as it is.
func (f *Files) open(in input, found *Found) (*File, *Head, error) {
	path := in.path
	src, stream := f.Stdin, true
	if path != "-" {
		r, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer r.Close()
		info, err := r.Stat()
		if err != nil {
			return nil, nil, err
		}
		src, stream = r, !info.Mode().IsRegular() // a pipe has a path, too
	}
	buf := bufio.NewReaderSize(src, 64<<10)
	magic, _ := buf.Peek(4)
	wrapped, err := unwrap(buf, magic)
	if err != nil {
		return nil, nil, err
	}
	if wrapped != nil {
		defer wrapped.Close()
		path, err = spool(wrapped, found)
	} else if stream {
		path, err = spool(buf, found)
	}
	if err != nil {
		return nil, nil, err
	}
	file := &File{Name: in.path, Open: func() (ReadAtCloser, error) { return os.Open(path) }}
	head, err := readHead(file, path)
	return file, head, err
}

// unwrap gives the content of a gzip or zstd stream, or nil if it is neither.
func unwrap(r io.Reader, magic []byte) (io.ReadCloser, error) {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, nil
}

// spool copies a stream to a temporary file that Found.Close removes.
func spool(r io.Reader, found *Found) (string, error) {
	t, err := os.CreateTemp("", "groundhog-*")
	if err != nil {
		return "", err
	}
	defer t.Close()
	found.temp = append(found.temp, t.Name())
	if _, err := io.Copy(t, r); err != nil {
		return "", fmt.Errorf("unwrapping: %w", err)
	}
	return t.Name(), nil
}

func readHead(file *File, path string) (*Head, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	file.Size = info.Size()
	data := make([]byte, min(file.Size, HeadSize))
	n, err := io.ReadFull(r, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return NewHead(data[:n], int64(n) == file.Size), nil
}
