package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Append adds labels to a file, which it creates if there is none. The ending of its name
// gives the format.
//
// A file that is as Write would have written it stays sorted, and a newer version of a
// label takes the place of the older one. Any other file was written by hand. If it is
// YAML or JSONL the labels are added at its end and nothing else changes, so that
// comments and order stay; a JSON array or a CSV has no comments and is written anew.
// The new text is read back before it replaces the file, in one step: it has to say what
// the old one said, and the new labels.
func Append(path string, labels []*Label) error {
	format, err := formatOf(path)
	if err != nil {
		return err
	}
	path, err = resolved(path)
	if err != nil {
		return err
	}
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var have, want Labels
	if len(bytes.TrimSpace(src)) > 0 {
		for _, ls := range []*Labels{&have, &want} {
			if err := ls.parse(path, src); err != nil {
				return fmt.Errorf("%w; mend the file first (groundhog label lint)", err)
			}
		}
	}
	for _, l := range labels {
		if err := want.Add(l, path); err != nil {
			return err
		}
	}
	whole, err := Write(format, want.All())
	if err != nil {
		return err
	}
	old, err := Write(format, have.All())
	if err != nil {
		return err
	}
	text := whole
	byHand := len(bytes.TrimSpace(src)) > 0 && !bytes.Equal(src, old)
	if byHand && (format == "yaml" || format == "jsonl") {
		if text, err = appended(format, src, labels); err != nil {
			return err
		}
	}
	if !holds(path, format, text, whole) {
		return fmt.Errorf("%s: labels cannot be added at its end without touching the rest: "+
			"write one document for each label, or a list with one - at the beginning of a line", path)
	}
	return replace(path, text)
}

// holds reports whether the labels of a text, written anew, are whole.
func holds(path, format string, text, whole []byte) bool {
	var labels Labels
	if labels.parse(path, text) != nil {
		return false
	}
	again, err := Write(format, labels.All())
	return err == nil && bytes.Equal(again, whole)
}

// formatOf is the format of a file, by the ending of its name.
func formatOf(path string) (string, error) {
	switch ext := filepath.Ext(path); ext {
	case ".yaml", ".yml":
		return "yaml", nil
	case ".json", ".jsonl", ".csv":
		return ext[1:], nil
	}
	return "", fmt.Errorf("%s: labels are written to files that end in .yaml, .yml, .json, .jsonl or .csv", path)
}

// appended is a text that was written by hand with labels added at its end.
func appended(format string, src []byte, labels []*Label) ([]byte, error) {
	more, err := Write(format, labels)
	if err != nil {
		return nil, err
	}
	text := slices.Clone(src)
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if format == "jsonl" {
		return append(text, more...), nil
	}
	if !isList(src) {
		return append(append(text, "---\n"...), more...), nil
	}
	for doc := range strings.SplitSeq(string(more), "---\n") {
		mark := "- "
		for line := range strings.Lines(doc) {
			text = append(append(text, mark...), line...)
			mark = "  "
		}
	}
	return text, nil
}

// isList reports whether a YAML text is a list, with a - at the beginning of its lines.
func isList(src []byte) bool {
	for line := range bytes.Lines(src) {
		if bytes.HasPrefix(line, []byte("- ")) {
			return true
		}
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' && !bytes.HasPrefix(t, []byte("---")) {
			return false
		}
	}
	return false
}

// resolved is the file that a path leads to, so that a link stays a link.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return real, err
}

// replace puts a text in the place of a file, whole or not at all.
func replace(path string, text []byte) error {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
