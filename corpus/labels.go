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
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// Labels are the labels of many sessions, by session id. The zero value is ready to use.
// It is not safe for concurrent use, not even Of, which notes the ids that it was asked
// for.
type Labels struct {
	by    map[string]*entry
	asked map[string]bool // labelled sessions that Of was asked for
}

// A LabelError is about a label that cannot be used, because it cannot be read or
// contradicts itself or its session. Where is a file, with the line if it is known.
type LabelError struct{ Where, Msg string }

func (e *LabelError) Error() string { return e.Where + ": " + e.Msg }

// Of is the label that counts for a session, or nil.
func (ls *Labels) Of(session string) *Label {
	e := ls.by[session]
	if e == nil {
		return nil
	}
	if ls.asked == nil {
		ls.asked = make(map[string]bool)
	}
	ls.asked[session] = true
	return e.counts
}

// Len is the number of labelled sessions.
func (ls *Labels) Len() int { return len(ls.by) }

// Unmatched are the labelled sessions that Of was never asked for, sorted: after all
// sessions of a corpus have been judged, the labels that match none.
func (ls *Labels) Unmatched() []string {
	return slices.DeleteFunc(ls.Sessions(), func(session string) bool { return ls.asked[session] })
}

// Where is where the label of a session is; "" if there is none.
func (ls *Labels) Where(session string) string {
	if e := ls.by[session]; e != nil {
		return e.readings[0].From
	}
	return ""
}

// Add adds a label, unless it contradicts itself or another label of its session by the
// same reader. from says where it is, for errors.
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

// AddCarried adds the label that a session carries in its own file.
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

// Read adds the labels of a file, or of every label file in a folder: YAML (documents, or
// one list), JSON (an object or an array), JSONL or CSV. It goes on after a bad label and
// reports all of them.
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

// IsLabelFile reports whether a file seems to hold labels: its name has one of their
// endings, and its beginning names a session and says something about it.
func IsLabelFile(path string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json", ".jsonl", ".csv"}, filepath.Ext(path)) {
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

// textOf is the text of a file, unless it is too large to be decoded whole.
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

// parse adds the labels of a file's text. The ending of the name gives the format.
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
			return &LabelError{path, oneLine(err)}
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

// readLines reads JSONL, or one JSON object.
func (ls *Labels) readLines(path string, src []byte) error {
	first, _, _ := bytes.Cut(bytes.TrimSpace(src), []byte("\n"))
	if !jsontext.Value(first).IsValid() { // one object on several lines
		var whole Label
		if err := json.Unmarshal(src, &whole, json.RejectUnknownMembers(true)); err != nil {
			return &LabelError{path, oneLine(err)}
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
			errs = append(errs, &LabelError{where, oneLine(err)})
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
			return errors.Join(append(errs, &LabelError{path, oneLine(err)})...)
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
				errs = append(errs, &LabelError{where, oneLine(err)})
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
		return errors.New(oneLine(err))
	}
	return nil
}

// oneLine is the error of a decoder on one line.
func oneLine(err error) string {
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
