package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxConfig bounds groundhog.yaml: YAML is decoded whole.
const maxConfig = 1 << 20

// A configFile is groundhog.yaml while it is read. Every mistake is named with
// its line, so that one run shows all of them.
type configFile struct {
	name    string
	lenient bool // unknown keys are named and left out
	ignored []string
	errs    []error
}

// parse takes what the file says. ignored are unknown keys that were left out.
func (c *config) parse(src []byte, lenient bool) (ignored []string, err error) {
	f := &configFile{name: c.file, lenient: lenient}
	if len(src) > maxConfig {
		return nil, fmt.Errorf("%s: over %d KiB", c.file, maxConfig>>10)
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(src))
	switch err := dec.Decode(&doc); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %s", c.file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, fmt.Errorf("%s: expected one document", c.file)
	}
	f.each(doc.Content[0], "", func(key string, v *yaml.Node) bool { return c.section(f, key, v) })
	return f.ignored, errors.Join(f.errs...)
}

// section takes one key of the top level; false if there is no such key.
func (c *config) section(f *configFile, key string, v *yaml.Node) bool {
	switch key {
	case "presets":
		c.presets, c.presetsFrom = f.presets(v), f.at(v)
		return true
	case "gate":
		f.each(v, "gate.", func(key string, v *yaml.Node) bool {
			switch key {
			case "rules":
				f.rules(v, c.rules)
				return true
			case "allow":
				c.allow = f.allow(v)
				return true
			}
			return c.take(f, "gate."+key, v)
		})
		return true
	}
	if slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.key, key+".") }) {
		f.each(v, key+".", func(sub string, v *yaml.Node) bool { return c.take(f, key+"."+sub, v) })
		return true
	}
	return c.take(f, key, v)
}

// take gives a setting its words; false if there is no such setting.
func (c *config) take(f *configFile, key string, v *yaml.Node) bool {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return false
	}
	s := &settings[i]
	words, ok := f.words(v, key, s.list)
	if !ok || words == nil {
		return true
	}
	for j, w := range words {
		if s.check != nil {
			if err := s.check(w); err != nil {
				f.fail(v, "%s: %v", key, err)
				return true
			}
		}
		if s.path && !filepath.IsAbs(w) {
			words[j] = filepath.ToSlash(filepath.Join(filepath.Dir(f.name), w))
		}
	}
	c.values[i] = value{words, f.at(v)}
	return true
}

// presets are names, or names with settings.
func (f *configFile) presets(list *yaml.Node) []presetUse {
	var uses []presetUse
	for _, item := range f.items(list, "presets") {
		use := presetUse{from: f.at(item)}
		if item.Kind == yaml.ScalarNode {
			use.name = item.Value
		} else {
			f.each(item, "presets.", func(key string, v *yaml.Node) bool {
				switch key {
				case "use":
					use.name, _ = f.word(v, "presets.use")
				case "set":
					f.each(v, "", func(id string, v *yaml.Node) bool {
						words, ok := f.words(v, id, true) // lists are written with commas in between
						if ok {
							use.set = append(use.set, id+"="+strings.Join(words, ","))
						}
						return true
					})
				default:
					return false
				}
				return true
			})
		}
		if use.name == "" {
			f.fail(item, "presets: expected a name, or use: NAME and set: {ID: VALUE}")
			continue
		}
		if slices.ContainsFunc(uses, func(have presetUse) bool { return have.name == use.name }) {
			f.fail(item, "presets: %s stands twice", use.name)
			continue
		}
		uses = append(uses, use)
	}
	return uses
}

// at is the place of a node.
func (f *configFile) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.name, n.Line) }

func (f *configFile) fail(n *yaml.Node, format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf("%s: %s", f.at(n), fmt.Sprintf(format, args...)))
}

// each goes through a mapping. do returns false for a key that it does not know.
func (f *configFile) each(n *yaml.Node, prefix string, do func(key string, v *yaml.Node) bool) {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		if !empty(n) {
			f.fail(n, "%sexpected keys with values", strings.TrimSuffix(prefix, ".")+strings.Repeat(": ", min(len(prefix), 1)))
		}
		return
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], target(n.Content[i+1])
		switch {
		case slices.Contains(seen, k.Value):
			f.fail(k, "%s%s stands twice", prefix, k.Value)
		case do(k.Value, v):
		case f.lenient:
			f.ignored = append(f.ignored, fmt.Sprintf("%s: unknown key %s%s is left out", f.at(k), prefix, k.Value))
		default:
			f.fail(k, "unknown key %s%s; --ignore-unknown leaves such keys out", prefix, k.Value)
		}
		seen = append(seen, k.Value)
	}
}

// items are those of a list.
func (f *configFile) items(n *yaml.Node, key string) []*yaml.Node {
	n = target(n)
	if n.Kind != yaml.SequenceNode {
		if !empty(n) {
			f.fail(n, "%s: expected a list", key)
		}
		return nil
	}
	var list []*yaml.Node
	for _, item := range n.Content {
		list = append(list, target(item))
	}
	return list
}

// word is a value that is one word.
func (f *configFile) word(n *yaml.Node, key string) (string, bool) {
	if n = target(n); n.Kind != yaml.ScalarNode {
		f.fail(n, "%s: expected one value", key)
		return "", false
	}
	return n.Value, true
}

// words are one word, or a list of them where a list is allowed; nil if there is no value.
func (f *configFile) words(n *yaml.Node, key string, list bool) ([]string, bool) {
	n = target(n)
	if empty(n) {
		return nil, true
	}
	if !list || n.Kind == yaml.ScalarNode {
		w, ok := f.word(n, key)
		return []string{w}, ok
	}
	words := []string{}
	for _, item := range f.items(n, key) {
		w, ok := f.word(item, key)
		if !ok {
			return nil, false
		}
		words = append(words, w)
	}
	return words, n.Kind == yaml.SequenceNode
}

// target is what an alias stands for. An alias cannot contain itself: the
// decoder refuses that.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// empty reports whether a key has no value.
func empty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
