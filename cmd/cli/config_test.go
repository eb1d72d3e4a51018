package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"groundhog/detectors/catalog"
)

// parsed reads a configuration, and gives its mistakes.
func parsed(src string) (*config, error) {
	c := &config{file: "groundhog.yaml", rules: defaultRules()}
	for _, s := range settings {
		c.values = append(c.values, value{s.def, "default"})
	}
	_, err := c.parse([]byte(src), false)
	return c, err
}

// schema compiles what list config --schema prints.
func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(configSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("groundhog.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("groundhog.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid reports whether a schema takes YAML, by way of JSON. A date is a string there.
func valid(t testing.TB, s *jsonschema.Schema, src string) error {
	t.Helper()
	var node any
	if err := yaml.Unmarshal([]byte(regexp.MustCompile(`expires: ([0-9-]+)`).ReplaceAllString(src, `expires: "$1"`)), &node); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(node)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// example is the one of groundhog help config, as a file.
func example(t testing.TB) string {
	t.Helper()
	var lines []string
	topic, err := helpTexts.ReadFile("help/config.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(topic)) {
		switch {
		case strings.HasPrefix(line, "  version:") || len(lines) > 0 && strings.HasPrefix(line, "  "):
			lines = append(lines, line[2:])
		case len(lines) > 0:
			return strings.Join(lines, "")
		}
	}
	t.Fatal("no example in the help topic")
	return ""
}

func TestTheExampleIsTaken(t *testing.T) {
	src := example(t)
	if err := valid(t, schema(t), src); err != nil {
		t.Errorf("by the schema: %v\n%s", err, src)
	}
	c, err := parsed(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	var rules []string
	for i := range c.rules {
		if r := &c.rules[i]; r.from != "" {
			rules = append(rules, r.name+" "+r.String())
		}
	}
	want := []string{"new_false_stops error", "later_by {max: 2, level: warning}", "fpr_upper95 {max: 0.02, level: error}"}
	if !slices.Equal(rules, want) {
		t.Errorf("rules %q", rules)
	}
	if len(c.presets) != 2 || c.presets[1].name != "kocoro-4ec6772" || !slices.Equal(c.presets[1].set, []string{"kocoro/exact_duplicate.nudge=5"}) {
		t.Errorf("presets %+v", c.presets)
	}
	if _, err := (&choice{uses: c.presets}).configs(&app{presets: catalog.Presets}); err != nil {
		t.Error(err)
	}
	if c.selection().Kind != "all" || c.cluster() != "task" || len(c.allow) != 1 || c.allow[0].expires != "2027-03-01" {
		t.Errorf("selection %s, cluster %s, allow %+v", c.selection(), c.cluster(), c.allow)
	}
	if x, ok := c.number("costs.wasted_call"); x != 0.2 || !ok {
		t.Errorf("wasted call %v %v", x, ok)
	}
}

// The example of the specification is taken too.
func TestTheSpecifiedExampleIsTaken(t *testing.T) {
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is not set")
	}
	text, err := os.ReadFile(filepath.Join(shared, "spec", "ux.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## 4. Config file")
	_, after, _ = strings.Cut(after, "```yaml\n")
	src, _, _ := strings.Cut(after, "```")
	if err := valid(t, schema(t), src); err != nil {
		t.Errorf("by the schema: %v\n%s", err, src)
	}
	if c, err := parsed(src); err != nil || c.cluster() != "task" || len(c.rules) == 0 || len(c.allow) != 1 {
		t.Errorf("%v\n%s", err, src)
	}
}

// The schema and the reader agree on what is right and what is wrong.
func TestTheSchemaSaysWhatTheReaderDoes(t *testing.T) {
	s := schema(t)
	for _, test := range []struct {
		src  string
		fine bool
	}{
		{"", true},
		{"version: 1\n", true},
		{"version: 2\n", false},
		{"colour: red\n", false},
		{"corpus: {paths: traces, selection: triggered(kocoro/sleep)}\n", true},
		{"corpus: {selection: some}\n", false},
		{"corpus: {cluster: task_id}\n", true},
		{"corpus: {cluster: colour}\n", false},
		{"corpus: {sort: x}\n", false},
		{"labels: [a, b]\n", true},
		{"labels: {a: b}\n", false},
		{"presets: [kocoro, {use: mimo-2026-09, set: {mimo/x.y: 3, mimo/x.z: [a, b]}}]\n", true},
		{"presets: [{set: {a: 1}}]\n", false},
		{"presets: [{use: kocoro, sets: {a: 1}}]\n", false},
		{"presets: kocoro\n", false},
		{"views: all\n", true},
		{"views: [sideways]\n", false},
		{"report: {confidence: 0.9, prevalence: 0.5, seed: 3}\n", true},
		{"report: {seed: -3}\n", false},
		{"report: {confidence: 95}\n", false},
		{"report: {prevalence: [0]}\n", false},
		{"report: {seed: 1.5}\n", false},
		{"costs: {nudge: 0}\n", true},
		{"costs: {nudge: -1}\n", false},
		{"costs: {nudges: 1}\n", false},
		{"gate: {rules: {waste: off, later_by: {max: 4}, fidelity: {level: error}}}\n", true},
		{"gate: {rules: {waste: loud}}\n", false},
		{"gate: {rules: {waste: {min: 1}}}\n", false},
		{"gate: {rules: {fidelity: {max: 1}}}\n", false},
		{"gate: {rules: {fpr_upper95: {max: 2}}}\n", false},
		{"gate: {rules: {nothing: error}}\n", false},
		{"gate: {rules: {fpr_upper95: error}}\n", false},
		{"gate: {rules: {fpr_upper95: off, recall_lower95: {min: 0.8}}}\n", true},
		{"gate: {inconclusive: fail, baseline: b.json}\n", true},
		{"gate: {inconclusive: perhaps}\n", false},
		{"gate: {allow: [{session: a, detector: d, level: stop, reason: r, owner: o, expires: 2027-03-01}]}\n", true},
		{"gate: {allow: [{session: a, detector: d, level: stop, reason: r, owner: o}]}\n", false},
		{"gate: {allow: [{session: a, detector: d*, level: stop, reason: r, owner: o, expires: 2027-03-01}]}\n", false},
		{"gate: {allow: [{session: a, detector: d, level: block, reason: r, owner: o, expires: 2027-03-01}]}\n", false},
		{"gate: {allow: [{session: a, detector: d, level: stop, reason: r, owner: o, expires: soon}]}\n", false},
		{"- a\n", false},
	} {
		if err := valid(t, s, test.src); (err == nil) != test.fine {
			t.Errorf("%q by the schema: %v", test.src, err)
		}
		if _, err := parsed(test.src); (err == nil) != test.fine {
			t.Errorf("%q by the reader: %v", test.src, err)
		}
	}
}

// Every key that is read is in the schema, with its words: editors show them.
func TestTheSchemaHasEveryKey(t *testing.T) {
	type object struct {
		Properties map[string]object `json:"properties"`
	}
	var root object
	if err := json.Unmarshal([]byte(configSchema), &root); err != nil {
		t.Fatal(err)
	}
	keys := []string{"presets", "gate.allow"}
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	for _, r := range defaultRules() {
		keys = append(keys, "gate.rules."+r.name)
	}
	count := func(o object) int {
		n := 0
		for _, p := range o.Properties {
			n += max(1, len(p.Properties))
		}
		return n
	}
	for _, key := range keys {
		o, ok := root, true
		for part := range strings.SplitSeq(key, ".") {
			o, ok = o.Properties[part]
			if !ok {
				t.Errorf("%s is not in the schema", key)
				break
			}
		}
	}
	// gate.rules is one key of gate, and its own keys are counted apart.
	if got, want := count(root)-1+len(root.Properties["gate"].Properties["rules"].Properties), len(keys); got != want {
		t.Errorf("the schema has %d keys, and %d are read", got, want)
	}
}

// No configuration makes the reader panic, and what it takes it takes again.
func FuzzConfig(f *testing.F) {
	f.Add([]byte("version: 1\ncorpus: {paths: [a, b], selection: random(0.2)}\npresets: [kocoro, {use: x, set: {a: [1, 2]}}]\n"))
	f.Add([]byte("gate: {rules: {later_by: {max: 2}}, allow: [{session: a}]}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("labels: &l [x]\ncorpus: {paths: *l}\n? [a]\n: b\n"))
	if src, err := os.ReadFile("testdata/config.txt"); err == nil {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := parsed(string(src))
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("a mistake without a word")
		}
		if err == nil {
			for i, s := range settings {
				for _, w := range c.values[i].words {
					if s.check != nil && s.check(w) != nil {
						t.Errorf("%s: took %q", s.key, w)
					}
				}
			}
		}
	})
}
