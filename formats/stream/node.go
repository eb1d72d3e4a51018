package stream

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"groundhog/formats/record"
)

// A node is a value of a YAML or JSON document. One tree for both was chosen
// over reading JSON as YAML, which it nearly is: tabs and lone surrogates are
// not.
type node struct {
	kind  byte   // 'm' a map, 'l' a list, 's' a scalar, 0 null or nothing
	text  string // of a scalar
	bare  bool   // the scalar is a number, true or false
	raw   []byte // the JSON it came from
	names []string
	items []*node
	line  int
}

// at follows names into maps. It never gives nil.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		var next *node
		if n.kind == 'm' {
			for i := range n.names {
				if strings.EqualFold(n.names[i], name) {
					next = n.items[i]
				}
			}
		}
		if next == nil {
			return &node{}
		}
		n = next
	}
	return n
}

// first is the first of some fields that is there.
func (n *node) first(names ...string) *node {
	for _, name := range names {
		if v := n.at(name); v.kind != 0 {
			return v
		}
	}
	return &node{}
}

// fromYAML converts a document. Anchors are shared and not copied, so that a
// document of aliases cannot grow.
func fromYAML(data []byte) (*node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	made := make(map[*yaml.Node]*node)
	var convert func(y *yaml.Node) *node
	convert = func(y *yaml.Node) *node {
		if n := made[y]; n != nil {
			return n
		}
		n := &node{line: y.Line}
		made[y] = n
		switch y.Kind {
		case yaml.DocumentNode:
			if len(y.Content) > 0 {
				return convert(y.Content[0])
			}
		case yaml.AliasNode:
			if y.Alias != nil {
				return convert(y.Alias)
			}
		case yaml.MappingNode:
			n.kind = 'm'
			for i := 0; i+1 < len(y.Content); i += 2 {
				n.names = append(n.names, y.Content[i].Value)
				n.items = append(n.items, convert(y.Content[i+1]))
			}
		case yaml.SequenceNode:
			n.kind = 'l'
			for _, c := range y.Content {
				n.items = append(n.items, convert(c))
			}
		case yaml.ScalarNode:
			if y.Tag != "!!null" {
				n.kind, n.text = 's', y.Value
				quoted := y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
				n.bare = !quoted && y.Tag != "!!str" && record.Valid(y.Value)
			}
			if y.Tag == "!!binary" {
				n.text, _ = unbase64(y.Value)
			}
		}
		return n
	}
	return convert(&doc), nil
}

// maxDepth is how deep exchanges lie in a document, at most: a header's value
// in a HAR file. What is below is a body.
const maxDepth = 8

// fromJSON converts a valid JSON value that begins on a line.
func fromJSON(raw record.Value, line, depth int) *node {
	n := &node{line: line, raw: raw}
	switch raw.Kind() {
	case '{':
		n.kind = 'm'
		if depth >= maxDepth {
			break
		}
		for name, v := range raw.Members() {
			n.names = append(n.names, name)
			n.items = append(n.items, fromJSON(v, line, depth+1))
		}
	case '[':
		n.kind = 'l'
		if depth >= maxDepth {
			break
		}
		at := 0
		for v := range raw.Elements() {
			// An element is a piece of the array's own text.
			i := bytes.Index(raw[at:], v)
			line += bytes.Count(raw[at:at+i], []byte("\n"))
			n.items = append(n.items, fromJSON(v, line, depth+1))
			line += bytes.Count(v, []byte("\n"))
			at += i + len(v)
		}
	case '"':
		n.kind, n.text = 's', raw.Text()
	case 'n', 0:
	default:
		n.kind, n.text, n.bare = 's', string(raw), true
	}
	return n
}

// json is a value as JSON. Recorders put a body there that they have parsed. A
// document of aliases may stand for more than there is room for, or for itself.
func (n *node) json(out []byte, depth int, limit int64) []byte {
	if n.raw != nil {
		return append(out, n.raw...)
	}
	if int64(len(out)) > limit || depth > 100 {
		return append(out, "null"...)
	}
	switch n.kind {
	case 'm':
		out = append(out, '{')
		for i := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(record.AppendQuote(out, n.names[i]), ':')
			out = n.items[i].json(out, depth+1, limit)
		}
		return append(out, '}')
	case 'l':
		out = append(out, '[')
		for i := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = n.items[i].json(out, depth+1, limit)
		}
		return append(out, ']')
	case 's':
		if n.bare {
			return append(out, n.text...)
		}
		return record.AppendQuote(out, n.text)
	}
	return append(out, "null"...)
}

func unbase64(s string) (string, bool) {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if b, err := enc.DecodeString(s); err == nil {
			return string(b), true
		}
	}
	return "", false
}

var errNoExchanges = errors.New("expected recorded exchanges: " +
	"interactions, log.entries, or an array of requests with their responses")
