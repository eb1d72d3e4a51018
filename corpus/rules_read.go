package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay/transcript"
)

// maxRules bounds a file of rules, in bytes: YAML is decoded whole.
const maxRules = 4 << 20

// DemoRules is the name of the rules that come with the embedded corpus.
const DemoRules = "kocoro.rules.yaml"

// ReadRules reads a file of rules. Names of sessions in it are relative to its folder.
func ReadRules(file string) (*Rules, error) {
	return readRules(file, func(name string) ([]byte, error) {
		if name == file {
			return limited(file)
		}
		return limited(filepath.Join(filepath.Dir(file), filepath.FromSlash(name)))
	})
}

// ReadDemoRules reads the embedded file.
func ReadDemoRules() (*Rules, error) {
	return readRules(DemoRules, func(name string) ([]byte, error) { return demo.ReadFile(path.Join("data", name)) })
}

// limited reads a file, unless it is too large.
func limited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxRules+1))
	if err == nil && len(src) > maxRules {
		err = fmt.Errorf("%s: larger than %d bytes: split it", name, maxRules)
	}
	return src, err
}

// A rulesFile is the file as it is written.
type rulesFile struct {
	Preset string            `yaml:"preset"`
	Set    map[string]string `yaml:"set"`
	Rules  []ruleEntry       `yaml:"rules"`
}

// A ruleEntry is a rule as it is written.
type ruleEntry struct {
	line        int
	Detector    string      `yaml:"detector"`
	Level       string      `yaml:"level"`
	View        string      `yaml:"view"`
	MustFire    []yaml.Node `yaml:"must_fire"`
	MustNotFire []yaml.Node `yaml:"must_not_fire"`
	KnownMiss   []yaml.Node `yaml:"known_miss"`
	KnownFalse  []yaml.Node `yaml:"known_false"`
}

func readRules(file string, read func(string) ([]byte, error)) (*Rules, error) {
	src, err := read(file)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	dec.KnownFields(true)
	var f rulesFile
	if err := dec.Decode(&f); err == io.EOF {
		return nil, fmt.Errorf("%s: expected rules, found nothing; groundhog help rules", file)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s; groundhog help rules", file, oneLine(err))
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, fmt.Errorf("%s: a second document: one file holds the rules of one preset", file)
	}
	lines := ruleLines(src)
	rs := &Rules{From: file, Preset: f.Preset, Set: f.Set}
	for i, e := range f.Rules {
		if i < len(lines) {
			e.line = lines[i]
		}
		r, err := e.rule(file, read)
		if err != nil {
			return nil, err
		}
		rs.List = append(rs.List, r)
	}
	if len(rs.List) == 0 {
		return nil, fmt.Errorf("%s: no rules; groundhog help rules", file)
	}
	return rs, nil
}

// ruleLines are the lines in which the rules begin.
func ruleLines(src []byte) (lines []int) {
	var doc struct {
		Rules []yaml.Node `yaml:"rules"`
	}
	if yaml.Unmarshal(src, &doc) == nil {
		for i := range doc.Rules {
			lines = append(lines, doc.Rules[i].Line)
		}
	}
	return lines
}

// rule is the rule of an entry, with its sessions.
func (e *ruleEntry) rule(file string, read func(string) ([]byte, error)) (Rule, error) {
	r := Rule{Line: e.line, Detector: e.Detector, Level: detectors.Nudge}
	fail := func(format string, args ...any) (Rule, error) {
		return r, fmt.Errorf("%s:%d: %s", file, e.line, fmt.Sprintf(format, args...))
	}
	if e.Level != "" {
		var err error
		if r.Level, err = detectors.ParseVerdict(e.Level); err != nil || r.Level == detectors.Continue {
			return fail("level %q: expected annotate, nudge, block or force_stop", e.Level)
		}
	}
	switch e.View {
	case "", "production":
	case "standalone":
		if r.Alone = true; e.Detector == "" {
			return fail("view standalone is that of one path: name a detector")
		}
	default:
		return fail("view %q: expected production or standalone", e.View)
	}
	for i, items := range [][]yaml.Node{e.MustFire, e.MustNotFire, e.KnownMiss, e.KnownFalse} {
		for j := range items {
			list, err := examples(&items[j], read)
			if err != nil {
				return r, fmt.Errorf("%s:%d: %w", file, items[j].Line, err)
			}
			for _, x := range list {
				x.Cell = Cells[i]
				r.Examples = append(r.Examples, x)
			}
		}
	}
	if len(r.Examples) == 0 {
		return fail("a rule without sessions: fill one of %s, %s, %s, %s", Cells[0], Cells[1], Cells[2], Cells[3])
	}
	return r, nil
}

// examples reads one item: the text of a session, the name of a file of sessions, or a
// mapping with one of them and a name.
func examples(n *yaml.Node, read func(string) ([]byte, error)) ([]Example, error) {
	var item item
	switch n.Kind {
	case yaml.ScalarNode:
		if item.session = n.Value; isFile(n.Value) {
			item.session, item.file = "", n.Value
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			if value.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("%s: expected a text", key)
			}
			switch key {
			case "name":
				item.name = value.Value
			case "session":
				item.session = value.Value
			case "file":
				item.file = value.Value
			default:
				return nil, fmt.Errorf("unknown key %s: expected name, session or file", key)
			}
		}
	default:
		return nil, errors.New("expected a session, the name of a .session file, " +
			"or a mapping with name and session or file")
	}
	if (item.session == "") == (item.file == "") {
		return nil, errors.New("expected a session or a file, and not both")
	}
	src := []byte(item.session)
	if item.file != "" {
		var err error
		if src, err = read(item.file); err != nil {
			return nil, err
		}
	}
	return item.sessions(src, n.Line)
}

// An item is one entry of a cell: a session or a file, perhaps with a name.
type item struct{ name, session, file string }

// sessions reads the sessions of an item.
func (it *item) sessions(src []byte, line int) (list []Example, err error) {
	file := it.file
	if file == "" {
		file = fmt.Sprintf("the session in line %d", line)
	}
	for u, err := range script.Format.Find(memory(file, src), formats.Options{}) {
		if err != nil {
			return nil, err
		}
		u.Session.Origin = transcript.Origin{File: file, Format: script.Format.Name}
		x := Example{Name: it.name, Line: line, unit: u}
		switch {
		case x.Name == "" && it.file != "":
			x.Name = u.Session.ID
		case x.Name == "":
			x.Name = fmt.Sprintf("line %d", line)
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no session", file)
	}
	return list, nil
}

// isFile reports whether a text is the name of a file of sessions, not a session.
func isFile(s string) bool {
	return strings.HasSuffix(s, ".session") && !strings.ContainsAny(s, " \t\n")
}
