package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// LabelFormats are the formats in which labels are written.
var LabelFormats = []string{"yaml", "json", "jsonl", "csv"}

// Write is the text of a file of labels: sorted by session, reader and version, with keys
// in one order and without those that a label leaves out. The same labels give the same
// bytes, and reading them gives the same labels.
func Write(format string, labels []*Label) ([]byte, error) {
	labels = slices.Clone(labels)
	slices.SortStableFunc(labels, func(a, b *Label) int {
		return cmp.Or(
			cmp.Compare(a.Session, b.Session),
			cmp.Compare(slices.Index(sources, a.Source), slices.Index(sources, b.Source)),
			cmp.Compare(a.Reader(), b.Reader()),
			cmp.Compare(a.Version, b.Version),
		)
	})
	switch format {
	case "yaml":
		return writeYAML(labels)
	case "json":
		lines, err := jsonLines(labels)
		return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n"), err
	case "jsonl":
		lines, err := jsonLines(labels)
		return []byte(strings.Join(append(lines, ""), "\n")), err
	case "csv":
		return writeCSV(labels)
	}
	return nil, fmt.Errorf("label format %q: expected one of %s", format, strings.Join(LabelFormats, ", "))
}

// A pair is a key with its value: a string, an int, a float64, a bool, a list of strings,
// pairs, or a list of pairs.
type pair struct {
	key   string
	value any
}

// pairs are what a label says, in the order in which it is written.
func (l *Label) pairs() []pair {
	list := []pair{
		{"session", l.Session}, {"class", string(l.Class)}, {"reviewed", l.Reviewed}, {"source", l.Source},
	}
	add := func(key string, value any, said bool) {
		if said {
			list = append(list, pair{key, value})
		}
	}
	add("labels_version", l.Version, l.Version != 0)
	add("annotators", l.Annotators, len(l.Annotators) > 0)
	add("cluster", l.Cluster, l.Cluster != "")
	var spans, stretches, positions [][]pair
	for _, s := range l.Spans {
		spans = append(spans, s.pairs())
	}
	for _, t := range l.Tolerate {
		p := []pair{{"run", t.Run}, {"from", t.From}, {"to", t.To}}
		stretches = append(stretches, withSaid(p, pair{"why", t.Why}))
	}
	for _, q := range l.Positions {
		p := []pair{{"run", q.Run}, {"call", q.Call}}
		positions = append(positions, withSaid(p,
			pair{"nudge_ok", string(q.NudgeOK)}, pair{"stop_ok", string(q.StopOK)}, pair{"by", q.By}))
	}
	add("spans", spans, len(spans) > 0)
	add("tolerate", stretches, len(stretches) > 0)
	add("positions", positions, len(positions) > 0)
	if l.DoneAt != nil {
		add("done_at", []pair{{"run", l.DoneAt.Run}, {"call", l.DoneAt.Call}}, true)
	}
	add("note", l.Note, l.Note != "")
	add("confidence", l.Confidence, l.Confidence != 0)
	return list
}

func (s *Span) pairs() []pair {
	var list []pair
	list = withSaid(list, pair{"id", s.ID})
	list = append(list, pair{"run", s.Run}, pair{"onset", s.Onset})
	if s.IdealStop != nil {
		list = append(list, pair{"ideal_stop_after", *s.IdealStop})
	}
	list = append(list, pair{"end", s.End})
	return withSaid(list, pair{"censored", s.Censored}, pair{"escaped", s.Escaped}, pair{"known_gap", s.KnownGap},
		pair{"shape", s.Shape}, pair{"incident", s.Incident}, pair{"why", s.Why})
}

// withSaid is a list with those of the other pairs that are neither empty nor false.
func withSaid(list []pair, more ...pair) []pair {
	for _, p := range more {
		if p.value != "" && p.value != false {
			list = append(list, p)
		}
	}
	return list
}

func jsonLines(labels []*Label) ([]string, error) {
	var lines []string
	for _, l := range labels {
		raw, err := json.Marshal(object(l.pairs()), jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true))
		if err != nil {
			return nil, fmt.Errorf("label of %s: %w", l.Session, err)
		}
		lines = append(lines, string(raw))
	}
	return lines, nil
}

// An object is written as a JSON object that keeps its order.
type object []pair

// MarshalJSONTo writes the object.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, p := range o {
		if err := enc.WriteToken(jsontext.String(p.key)); err != nil {
			return err
		}
		value := p.value
		switch v := value.(type) {
		case []pair:
			value = object(v)
		case [][]pair:
			list := make([]object, len(v))
			for i := range v {
				list[i] = v[i]
			}
			value = list
		}
		if err := json.MarshalEncode(enc, value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// writeYAML writes a document for each label.
func writeYAML(labels []*Label) ([]byte, error) {
	var out bytes.Buffer
	if len(labels) == 0 {
		return nil, nil // the encoder cannot close what it has not begun
	}
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	for _, l := range labels {
		if err := enc.Encode(mapping(l.pairs(), 0)); err != nil {
			return nil, fmt.Errorf("label of %s: %w", l.Session, err)
		}
	}
	err := enc.Close()
	return out.Bytes(), err
}

// mapping is a YAML mapping; spans, stretches and positions are a line each.
func mapping(list []pair, style yaml.Style) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Style: style}
	for _, p := range list {
		node.Content = append(node.Content, scalar(p.key))
		var value *yaml.Node
		switch v := p.value.(type) {
		case []pair:
			value = mapping(v, yaml.FlowStyle)
		case [][]pair:
			value = &yaml.Node{Kind: yaml.SequenceNode}
			for _, item := range v {
				value.Content = append(value.Content, mapping(item, yaml.FlowStyle))
			}
		case []string:
			value = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, item := range v {
				value.Content = append(value.Content, scalar(item))
			}
		default:
			value = scalar(v)
		}
		node.Content = append(node.Content, value)
	}
	return node
}

// scalar is a value that is read back as what it is.
func scalar(v any) *yaml.Node {
	node := &yaml.Node{}
	if err := node.Encode(v); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)}
	}
	if s, ok := v.(string); ok && strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}
