package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// Labels are the labels of many sessions, by session id. The zero value is
// ready to use.
type Labels struct {
	by   map[string]*entry
	used map[string]bool
}

// A LabelError is a label that cannot be used: unreadable, or contradicting
// itself or the session it is about.
type LabelError struct{ Where, Msg string }

func (e *LabelError) Error() string { return e.Where + ": " + e.Msg }

// Of is the label of a session that counts, or nil.
func (ls *Labels) Of(session string) *Label {
	if e := ls.by[session]; e != nil {
		if ls.used == nil {
			ls.used = make(map[string]bool)
		}
		ls.used[session] = true
		return e.counts
	}
	return nil
}

// Len is the number of labelled sessions.
func (ls *Labels) Len() int { return len(ls.by) }

// Unused is how many labelled sessions nobody asked for.
func (ls *Labels) Unused() int { return len(ls.by) - len(ls.used) }

// Where says where the label of a session stands.
func (ls *Labels) Where(session string) string {
	if e := ls.by[session]; e != nil {
		return e.readings[0].From
	}
	return ""
}

// Add takes a label, unless it contradicts itself or another one of its session
// by the same reader.
func (ls *Labels) Add(l *Label, from string) error {
	if err := l.settle(); err != nil {
		return &LabelError{from, sessionPrefix(l) + err.Error()}
	}
	e := ls.by[l.Session]
	if e == nil {
		e = &entry{}
	}
	if err := e.add(Reading{l, from}); err != nil {
		return err
	}
	if ls.by == nil {
		ls.by = make(map[string]*entry)
	}
	ls.by[l.Session] = e
	return nil
}

func sessionPrefix(l *Label) string {
	if l.Session == "" {
		return ""
	}
	return "label of " + l.Session + ": "
}

// AddCarried takes the label that a session carries in its own file.
func (ls *Labels) AddCarried(raw []byte, session, file string) error {
	var l Label
	if err := decodeYAML(raw, &l); err != nil {
		return &LabelError{file, fmt.Sprintf("label of %s: %v", session, err)}
	}
	if l.Session != "" && l.Session != session {
		return &LabelError{file, fmt.Sprintf("label of %s says it is about %s", session, l.Session)}
	}
	l.Session = session
	return ls.Add(&l, file)
}

// maxLabels bounds a file of labels: YAML is decoded whole.
const maxLabels = 64 << 20

// Read adds the labels of a file, or of every label file in a folder: YAML
// (documents, or one list), JSON (an object or an array), JSONL or CSV. It goes on
// after a bad label and reports all of them.
func (ls *Labels) Read(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return ls.readFile(path)
	}
	var errs []error
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && IsLabelFile(p) {
			errs = append(errs, ls.readFile(p))
		}
		return err
	})
	return errors.Join(append(errs, err)...)
}

// IsLabelFile reports whether a file looks like labels: it has one of their
// endings, and its beginning names a session and what is said of it.
func IsLabelFile(path string) bool {
	if !one(filepath.Ext(path), ".yaml", ".yml", ".json", ".jsonl", ".csv") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	if filepath.Ext(path) == ".csv" {
		return isCSV(head)
	}
	return aboutSession.Match(head) && saysSomething.Match(head)
}

var (
	aboutSession  = regexp.MustCompile(`(?m)(^\s*(-\s+)?|[{,]\s*)"?session"?\s*:`)
	saysSomething = regexp.MustCompile(`(?m)(^\s*(-\s+)?|[{,]\s*)"?(class|spans|reviewed)"?\s*:`)
)

func (ls *Labels) readFile(path string) error {
	src, err := textOf(path)
	if err != nil {
		return err
	}
	return ls.parse(path, src)
}

// textOf is the text of a file that is not too large to be decoded whole.
func textOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxLabels {
		return nil, &LabelError{path, fmt.Sprintf("a label file over %d MiB", maxLabels>>20)}
	}
	return os.ReadFile(path)
}

// parse adds the labels of a file's text; its name says the format.
func (ls *Labels) parse(path string, src []byte) error {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	trimmed := bytes.TrimLeft(src, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return &LabelError{path, "no labels: the file is empty"}
	case filepath.Ext(path) == ".csv":
		return ls.readCSV(path, src)
	case trimmed[0] == '{' && filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml":
		return ls.readLines(path, src)
	case trimmed[0] == '[' && filepath.Ext(path) == ".json":
		var list []Label
		if err := json.Unmarshal(src, &list, json.RejectUnknownMembers(true)); err != nil {
			return &LabelError{path, plain(err)}
		}
		return ls.addAll(list, path)
	}
	return ls.readYAML(path, src)
}

func (ls *Labels) addAll(list []Label, from string) error {
	var errs []error
	for i := range list {
		errs = append(errs, ls.Add(&list[i], from))
	}
	return errors.Join(errs...)
}

// readLines reads objects one after the other: JSONL, or one JSON object.
func (ls *Labels) readLines(path string, src []byte) error {
	first, _, _ := bytes.Cut(bytes.TrimSpace(src), []byte("\n"))
	if !jsontext.Value(first).IsValid() { // so it is one object over many lines
		var whole Label
		if err := json.Unmarshal(src, &whole, json.RejectUnknownMembers(true)); err != nil {
			return &LabelError{path, plain(err)}
		}
		return ls.Add(&whole, path)
	}
	var errs []error
	n := 0
	for line := range bytes.Lines(src) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, n)
		var l Label
		if err := json.Unmarshal(line, &l, json.RejectUnknownMembers(true)); err != nil {
			errs = append(errs, &LabelError{where, plain(err)})
			continue
		}
		errs = append(errs, ls.Add(&l, where))
	}
	return errors.Join(errs...)
}

func (ls *Labels) readYAML(path string, src []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	dec.KnownFields(true)
	var errs []error
	for {
		var node yaml.Node
		if err := dec.Decode(&node); err == io.EOF {
			return errors.Join(errs...)
		} else if err != nil {
			return errors.Join(append(errs, &LabelError{path, plain(err)})...)
		}
		items := node.Content // of a document, which is one label or a list
		if len(items) == 1 && items[0].Kind == yaml.SequenceNode {
			items = items[0].Content
		}
		for _, item := range items {
			where := fmt.Sprintf("%s:%d", path, item.Line)
			raw, err := yaml.Marshal(item)
			var l Label
			if err == nil {
				err = decodeYAML(raw, &l)
			}
			if err != nil {
				errs = append(errs, &LabelError{where, plain(err)})
				continue
			}
			errs = append(errs, ls.Add(&l, where))
		}
	}
}

func decodeYAML(raw []byte, l *Label) error {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(l); err != nil {
		return errors.New(plain(err))
	}
	return nil
}

// plain is a decoder's complaint on one line.
func plain(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		where := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		if errors.Is(semantic.Err, json.ErrUnknownName) {
			return "unknown key " + where
		}
		if where != "" {
			return fmt.Sprintf("%s: cannot be a %s", where, semantic.JSONKind)
		}
		return fmt.Sprintf("expected an object, found %s", semantic.JSONKind)
	}
	return strings.Join(strings.Fields(strings.NewReplacer("yaml: ", "", "json: ", "").Replace(err.Error())), " ")
}
