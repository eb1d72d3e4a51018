package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/corpus"
)

// labelled reads YAML from a file.
func labelled(t testing.TB, yaml string) *corpus.Labels {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	var ls corpus.Labels
	if err := ls.Read(path); err != nil {
		t.Fatal(err)
	}
	return &ls
}

func TestWhichReaderCounts(t *testing.T) {
	const (
		weakLoop   = `- {session: s, source: weak, annotators: [m], reviewed: full, spans: [{onset: 2, end: 9}]}`
		humanWork  = `- {session: s, source: human, annotators: [ann], reviewed: full}`
		humanLoop  = `- {session: s, source: human, annotators: [bob], reviewed: full, spans: [{onset: 4, end: 9}]}`
		humanLoop2 = `- {session: s, source: human, annotators: [ann], reviewed: full, spans: [{onset: 3, end: 9}]}`
		both       = `- {session: s, source: adjudicated, annotators: [ann, bob], reviewed: full, spans: [{onset: 5, end: 9}]}`
		corrected  = `- {session: s, source: human, annotators: [ann], labels_version: 2, reviewed: full, spans: [{onset: 6, end: 9}]}`
		humanOpen  = `- {session: s, source: human, annotators: [cy], reviewed: none, positions: [{call: 3, stop_ok: no}]}`
		synthetic  = `- {session: s, source: synthetic, reviewed: full}`
	)
	for _, test := range []struct {
		name    string
		list    []string
		summary string
	}{
		{"a model alone", []string{weakLoop}, "loop: run 0, calls 2 to 9"},
		{"a person before a model", []string{weakLoop, humanWork}, "productive"},
		{"what was made up before a model", []string{weakLoop, synthetic}, "productive"},
		{"a person before what was made up", []string{humanLoop, synthetic}, "loop: run 0, calls 4 to 9"},
		{"people who differ", []string{humanWork, humanLoop}, "unlabelled"},
		{"people who differ, and a model", []string{humanWork, humanLoop, weakLoop}, "unlabelled"},
		{"people who agree, by name", []string{humanLoop, humanLoop2}, "loop: run 0, calls 3 to 9"},
		{"settled", []string{humanWork, both, humanLoop}, "loop: run 0, calls 5 to 9"},
		{"corrected", []string{humanWork, corrected}, "loop: run 0, calls 6 to 9"},
		{"one who leaves it open", []string{humanOpen, humanLoop, weakLoop}, "loop: run 0, calls 4 to 9"},
		{"one who leaves it open, and a model", []string{humanOpen, weakLoop}, "loop: run 0, calls 2 to 9"},
		{"twice the same", []string{humanWork, humanWork}, "productive"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // in either order
				ls := labelled(t, strings.Join(test.list, "\n"))
				if got := ls.Of("s").Summary(); got != test.summary {
					t.Errorf("%s, want %s", got, test.summary)
				}
				if answers := len(ls.Of("s").Positions) == 1; answers != slices.Contains(test.list, humanOpen) {
					t.Errorf("answers %v", ls.Of("s").Positions)
				}
				if got := len(ls.Unsettled()) == 1; got != (test.summary == "unlabelled") {
					t.Errorf("unsettled: %v", ls.Unsettled())
				}
				slices.Reverse(test.list)
			}
		})
	}
}

func TestPairs(t *testing.T) {
	ls := labelled(t, `
- {session: a, annotators: [ann], reviewed: full, spans: [{onset: 2, end: 9}]}
- {session: a, annotators: [bob], reviewed: full, spans: [{onset: 5, end: 9}]}
- {session: b, annotators: [bob], reviewed: full}
- {session: b, annotators: [ann], reviewed: full}
- {session: c, annotators: [ann], reviewed: full, spans: [{onset: 2, end: 9, known_gap: true}]}
- {session: c, annotators: [bob], reviewed: full, spans: [{onset: 2, end: 9}, {run: 1, onset: 4, end: 5}]}
- {session: d, annotators: [ann], reviewed: full}
- {session: d, annotators: [bob], reviewed: none}
- {session: a, source: weak, reviewed: full, spans: [{onset: 3, end: 9}]}
`)
	got := ls.Pairs()
	want := []corpus.Pair{
		{A: "human ann", B: "human bob", Differ: []string{"c"}, Onsets: []int{3},
			Classes: [][2]corpus.Class{{corpus.Loop, corpus.Loop}, {corpus.Productive, corpus.Productive}, {corpus.KnownGap, corpus.Loop}}},
		{A: "human ann", B: "weak", Classes: [][2]corpus.Class{{corpus.Loop, corpus.Loop}}, Onsets: []int{1}},
		{A: "human bob", B: "weak", Classes: [][2]corpus.Class{{corpus.Loop, corpus.Loop}}, Onsets: []int{2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got[0].Same() != 2 {
		t.Errorf("the same of %d", got[0].Same())
	}
}

const table = `trace,class,expected,calls
productive_multi_source_research,,,7
productive_browser_multistep,,0/0,10
productive_distinct_http_batch,,0/0,12
productive_same_args_polling_with_progress,productive,0/0,5
productive_alternating_observations_with_progress,,0/0,8
loop_same_args_polling_without_progress,,3/6,6
loop_identical_polling,,3/4,4
loop_ping_pong_without_progress,,6/9,9
loop_repeated_validation_error,,0/3,3
loop_varied_world_news_queries,loop,3-5/8,12
known_gap_three_tool_cycle,,13/0,18
known_gap_noisy_outcome_same_args,known-gap,12/0,16
loop_misclassified_get_token_side_effect,,3/4,7
`

// The acceptance corpus has 5 productive traces, 6 loops and 2 known gaps.
func TestReadAcceptance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acceptance.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	var ls corpus.Labels
	if err := ls.ReadAcceptance(path); err != nil {
		t.Fatal(err)
	}
	classes := make(map[corpus.Class]int)
	for _, l := range ls.All() {
		classes[l.Class]++
		if l.Reviewed != "full" || l.Source != "synthetic" {
			t.Errorf("%s: reviewed %s, source %s", l.Session, l.Reviewed, l.Source)
		}
	}
	if classes[corpus.Productive] != 5 || classes[corpus.Loop] != 6 || classes[corpus.KnownGap] != 2 {
		t.Errorf("classes %v", classes)
	}
	ideal := 8
	news := &corpus.Label{Session: "loop_varied_world_news_queries", Class: corpus.Loop, Reviewed: "full", Source: "synthetic",
		Spans:    []corpus.Span{{Onset: 3, IdealStop: &ideal, End: 12, Censored: true}},
		Tolerate: []corpus.Stretch{{From: 1, To: 2, Why: "the acceptance corpus does not say where the loop begins"}}}
	if diff := cmp.Diff(news, ls.Of("loop_varied_world_news_queries")); diff != "" {
		t.Error(diff)
	}
	out, left, err := corpus.WriteAcceptance(ls.All())
	if err != nil || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
	for _, line := range []string{"loop_identical_polling,loop,3/4,4", "loop_varied_world_news_queries,loop,3/8,12", "known_gap_three_tool_cycle,known_gap,13/0,18", "productive_browser_multistep,productive,0/0,"} {
		if !strings.Contains(string(out), "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, out)
		}
	}
}

func TestAcceptanceLines(t *testing.T) {
	for _, test := range []struct{ line, found, err string }{
		{`{"id":"acceptance/productive_x/production","preset":"p","kind":"acceptance","calls":[{"name":"a"}],"verdicts":[]}`, "productive", ""},
		{`{"id":"acceptance/loop_x","calls":[{},{},{},{}],"expected":"2/4"}`, "loop: run 0, calls 2 to 4", ""},
		{`{"trace":"x","class":"loop","calls":6,"expected":"0/3"}`, "loop: run 0, calls 3 to 6", ""},
		{`{"id":"acceptance/loop_x","calls":[{},{}]}`, "", "trace acceptance/loop_x: a loop without expected signals has no place: give expected as NUDGE/STOP, 0 for none"},
		{`{"id":"poll-3","calls":[{}]}`, "", `trace poll-3: class "" is not productive, loop or known_gap, and no such word begins the name`},
		{`{"id":"loop_x","expected":"2/4"}`, "", "trace loop_x: signals are expected up to call 4 of 0 calls: give calls, the length of the trace"},
		{`{"id":"loop_x","calls":9,"expected":"5/4"}`, "", "trace loop_x: the stop is expected at call 4, before the nudge at call 5"},
		{`{"id":"loop_x","calls":9,"expected":"soon"}`, "", `expected signals "soon": write the calls of the first nudge and the first stop as 3/6, 0 for none`},
		{`{"id":"productive_x","calls":9,"expected":"5/0"}`, "", "trace productive_x is productive, and signals are expected: 5/0"},
		{`{"calls":9,"class":"productive"}`, "", "no session: a label names the session it is about"},
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(test.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var ls corpus.Labels
		err := message(ls.ReadAcceptance(path))
		found := ""
		for _, l := range ls.All() {
			found = l.Summary()
		}
		want := test.err
		if want != "" {
			want = path + ":1: " + want
		}
		if found != test.found || err != want {
			t.Errorf("%s: %q, %q", test.line, found, err)
		}
	}
}

// The project's own records name their class and their calls.
func TestAcceptanceOfTheGoldenData(t *testing.T) {
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("GROUNDHOG_SHARED is not set")
	}
	src, err := os.ReadFile(filepath.Join(shared, "golden", "kocoro-head.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	expected := make(map[string]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		expected[cells[0]] = cells[2]
	}
	var lines []string
	for line := range strings.Lines(string(src)) {
		name, ok := strings.CutPrefix(line, `{"id":"acceptance/`)
		if !ok {
			continue
		}
		name = name[:strings.IndexAny(name, `/"`)]
		if e := expected[name]; e != "" {
			line = `{"expected":"` + e + `",` + line[1:]
		}
		lines = append(lines, line)
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	var ls corpus.Labels
	if err := ls.ReadAcceptance(path); err != nil {
		t.Error(err)
	}
	if ls.Len() != len(lines) || ls.Len() == 0 {
		t.Errorf("%d labels of %d traces", ls.Len(), len(lines))
	}
	for _, l := range ls.All() {
		if !strings.Contains(l.Session, "/"+string(l.Class)+"_") {
			t.Errorf("%s is %s", l.Session, l.Class)
		}
	}
}

func TestAppend(t *testing.T) {
	add := &corpus.Label{Session: "b", Reviewed: "full"}
	const said = "session: b\nclass: productive\nreviewed: full\nsource: human\n"
	const json = `{"session": "b", "class": "productive", "reviewed": "full", "source": "human"}`
	for _, test := range []struct{ name, file, before, after, err string }{
		{"a new file", "l.yaml", "", said, ""},
		{"documents by hand", "l.yaml", "# mine\nsession: z\nreviewed: full # really\n", "# mine\nsession: z\nreviewed: full # really\n---\n" + said, ""},
		{"no newline at the end", "l.yaml", "session: z", "session: z\n---\n" + said, ""},
		{"a list by hand", "l.yml", "# mine\n- session: z # odd\n", "# mine\n- session: z # odd\n- session: b\n  class: productive\n  reviewed: full\n  source: human\n", ""},
		{"a list in brackets", "l.yaml", "[{session: z}]\n", "[{session: z}]\n---\n" + said, ""},
		{"a list further in", "l.yaml", "  - session: z\n", "  - session: z\n---\n" + said, ""},
		{"an end of document", "l.yaml", "session: z\n...\n", "session: z\n...\n---\n" + said, ""},
		{"sorted", "l.yaml", "session: c\nclass: productive\nreviewed: full\nsource: human\n", said + "---\nsession: c\nclass: productive\nreviewed: full\nsource: human\n", ""},
		{"lines by hand", "l.jsonl", `{"session":"z"}`, `{"session":"z"}` + "\n" + json + "\n", ""},
		{"an array", "l.json", `[{"session":"z"}]`, "[\n" + json + ",\n" + `{"session": "z", "class": "unlabelled", "reviewed": "none", "source": "human"}` + "\n]\n", ""},
		{"the same again", "l.yaml", said, said, ""},
		{"a contradiction", "l.yaml", "session: b\n", "", "session b is labelled differently in "},
		{"a file that is wrong already", "l.yaml", "session: z\nclass: lop\n", "", "mend the file first"},
		{"no format", "l.txt", "", "", "labels are written to files that end in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, test.file)
			if test.before != "" {
				if err := os.WriteFile(path, []byte(test.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			one := *add
			err := corpus.Append(path, []*corpus.Label{&one})
			if test.err != "" {
				if !strings.Contains(message(err), test.err) {
					t.Errorf("error %v, want %s", err, test.err)
				}
				test.after = test.before
			} else if err != nil {
				t.Error(err)
			}
			if got, _ := os.ReadFile(path); string(got) != test.after {
				t.Errorf("got\n%s\nwant\n%s", got, test.after)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAppendReplacesTheOlderVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	for _, l := range []*corpus.Label{{Session: "a"}, {Session: "a", Version: 1, Reviewed: "full"}} {
		if err := corpus.Append(path, []*corpus.Label{l}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if want := `{"session": "a", "class": "productive", "reviewed": "full", "source": "human", "labels_version": 1}` + "\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
