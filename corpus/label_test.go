package corpus_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// carried takes a label as a session would carry it, and gives it back.
func carried(t testing.TB, yaml string) *corpus.Label {
	t.Helper()
	var ls corpus.Labels
	if err := ls.AddCarried([]byte(yaml), "s", "s.session"); err != nil {
		t.Fatalf("%s: %v", yaml, err)
	}
	return ls.Of("s")
}

func TestLabelContradictions(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{`{class: lop}`, `class: "lop" is not productive, loop, known_gap or unlabelled`},
		{`{reviewed: all}`, `reviewed: "all" is not full, partial or none`},
		{`{source: me}`, `source: "me" is not human, adjudicated, synthetic or weak`},
		{`{class: productive, reviewed: full, spans: [{onset: 2, end: 3}]}`, "class productive contradicts the rest, which says loop: 1 spans, 0 of them known gaps, reviewed: full"},
		{`{class: loop, reviewed: full}`, "class loop contradicts the rest, which says productive: 0 spans, 0 of them known gaps, reviewed: full"},
		{`{class: loop, spans: [{onset: 2, end: 3, known_gap: true}]}`, "class loop contradicts the rest, which says known_gap: 1 spans, 1 of them known gaps, reviewed: none"},
		{`{class: known_gap, spans: [{onset: 2, end: 3, known_gap: true}, {onset: 5, end: 9}]}`, "class known_gap contradicts the rest, which says loop: 2 spans, 1 of them known gaps, reviewed: none"},
		{`{class: productive, reviewed: partial}`, "class productive contradicts the rest, which says unlabelled: 0 spans, 0 of them known gaps, reviewed: partial"},
		{`{class: unlabelled, reviewed: full}`, "class unlabelled contradicts the rest, which says productive: 0 spans, 0 of them known gaps, reviewed: full"},
		{`{spans: [{onset: 2, end: 3}, {run: -1, onset: 2, end: 3}]}`, "span 2: runs count from 0 and calls from 1, got run -1 onset 2"},
		{`{spans: [{onset: 0, end: 3}]}`, "span 1: runs count from 0 and calls from 1, got run 0 onset 0"},
		{`{spans: [{end: 3}]}`, "span 1: runs count from 0 and calls from 1, got run 0 onset 0"},
		{`{spans: [{onset: 4, end: 3}]}`, "span 1: ends at call 3, before its onset 4"},
		{`{spans: [{onset: 4}]}`, "span 1: ends at call 0, before its onset 4"},
		{`{spans: [{onset: 4, ideal_stop_after: 2, end: 9}]}`, "span 1: ideal_stop_after 2 lies outside onset-1 to end, 3 to 9"},
		{`{spans: [{onset: 4, ideal_stop_after: 10, end: 9}]}`, "span 1: ideal_stop_after 10 lies outside onset-1 to end, 3 to 9"},
		{`{tolerate: [{from: 1, to: 2}, {from: 0, to: 2}]}`, "tolerate 2: calls 0 to 2 of run 0 are no stretch"},
		{`{tolerate: [{run: 1, from: 3, to: 2}]}`, "tolerate 1: calls 3 to 2 of run 1 are no stretch"},
		{`{positions: [{call: 3, stop_ok: maybe}]}`, `position 1: stop_ok: "maybe" is not yes, no or unsure`},
		{`{positions: [{call: 3, nudge_ok: "?"}]}`, `position 1: nudge_ok: "?" is not yes, no or unsure`},
		{`{positions: [{call: 3}]}`, "position 1: says neither nudge_ok nor stop_ok"},
		{`{positions: [{run: -1, call: 3, stop_ok: no}]}`, "position 1: runs and calls do not go below 0, got run -1 call 3"},
		{`{positions: [{call: 3, stop_ok: no}, {call: 3, nudge_ok: yes}]}`, "position 2: run 0 call 3 is answered twice"},
		{`{tolerate: [{run: -1, from: 3, to: 4}]}`, "tolerate 1: calls 3 to 4 of run -1 are no stretch"},
	} {
		var ls corpus.Labels
		err := ls.AddCarried([]byte(test.yaml), "s", "s.session")
		if want := "s.session: label of s: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", test.yaml, err, want)
		}
		if bad := (*corpus.LabelError)(nil); !errors.As(err, &bad) {
			t.Errorf("%s: %T is not a LabelError", test.yaml, err)
		}
		if ls.Len() != 0 {
			t.Errorf("%s: was taken all the same", test.yaml)
		}
	}
}

func TestLabelFillsIn(t *testing.T) {
	for _, test := range []struct {
		yaml             string
		class            corpus.Class
		reviewed, source string
	}{
		{`{}`, corpus.Unlabelled, "none", "human"},
		{`{reviewed: partial, source: weak}`, corpus.Unlabelled, "partial", "weak"},
		{`{reviewed: full}`, corpus.Productive, "full", "human"},
		{`{reviewed: full, source: synthetic, spans: []}`, corpus.Productive, "full", "synthetic"},
		{`{spans: [{onset: 1, end: 1}]}`, corpus.Loop, "none", "human"},
		{`{spans: [{onset: 1, ideal_stop_after: 0, end: 1}]}`, corpus.Loop, "none", "human"},
		{`{spans: [{onset: 1, ideal_stop_after: 1, end: 1}]}`, corpus.Loop, "none", "human"},
		{`{reviewed: full, spans: [{onset: 2, end: 5, known_gap: true}]}`, corpus.KnownGap, "full", "human"},
		{`{class: known-gap, spans: [{onset: 2, end: 5, known_gap: true}]}`, corpus.KnownGap, "none", "human"},
	} {
		l := carried(t, test.yaml)
		if l.Class != test.class || l.Reviewed != test.reviewed || l.Source != test.source || l.Session != "s" {
			t.Errorf("%s: %s %s %s of %s", test.yaml, l.Class, l.Reviewed, l.Source, l.Session)
		}
	}
}

func TestTruth(t *testing.T) {
	l := carried(t, `{reviewed: full, tolerate: [{run: 0, from: 6, to: 7}], spans: [{onset: 5, end: 9}, {onset: 12, end: 14, known_gap: true}, {onset: 14, end: 15}, {run: 2, onset: 1, end: 3}]}`)
	for _, test := range []struct {
		run, call int
		want      corpus.Truth
	}{
		{0, 0, corpus.Wrong}, {0, 4, corpus.Wrong}, {0, 5, corpus.Right}, {0, 6, corpus.Unknown}, {0, 7, corpus.Unknown}, {0, 8, corpus.Right},
		{0, 9, corpus.Right}, {0, 10, corpus.Wrong}, {0, 12, corpus.InGap}, {0, 14, corpus.Right}, {0, 15, corpus.Right}, {0, 16, corpus.Wrong},
		{1, 5, corpus.Wrong}, {1, 6, corpus.Wrong}, {2, 1, corpus.Right}, {2, 4, corpus.Wrong},
	} {
		if got := l.Truth(detectors.Nudge, test.run, test.call); got != test.want {
			t.Errorf("run %d call %d: %v, want %v", test.run, test.call, got, test.want)
		}
	}
	partial := carried(t, `{reviewed: partial, spans: [{onset: 5, end: 9}]}`)
	if got := partial.Truth(detectors.Nudge, 0, 4); got != corpus.Unknown {
		t.Errorf("outside a span of a label in part: %v", got)
	}
	if got := partial.Truth(detectors.Nudge, 0, 5); got != corpus.Right {
		t.Errorf("inside a span of a label in part: %v", got)
	}
}

func TestSummary(t *testing.T) {
	for yaml, want := range map[string]string{
		`{reviewed: full}`: "productive",
		`{spans: [{onset: 5, end: 9, shape: exact_dup}, {run: 1, onset: 2, end: 3}]}`: "loop: exact_dup run 0, calls 5 to 9; run 1, calls 2 to 3",
	} {
		if got := carried(t, yaml).Summary(); got != want {
			t.Errorf("%s: %q, want %q", yaml, got, want)
		}
	}
}

func TestAddCarried(t *testing.T) {
	var ls corpus.Labels
	for _, test := range []struct{ yaml, session, want string }{
		{`{reviewed: full}`, "a", ""},
		{`{"session": "a", "reviewed": "full"}`, "a", ""}, // the same again, as JSON
		{`{session: b, reviewed: full}`, "a", "x: label of a says it is about b"},
		{`{reviewed: partial}`, "a", "x: session a is labelled differently in x by the same reader (human): a correction has a higher labels_version, a second opinion other annotators"},
		{`{reviewd: full}`, "b", "x: label of b: unmarshal errors: line 1: field reviewd not found in type corpus.Label"},
		{`{spans: [{onzet: 1}]}`, "b", "x: label of b: unmarshal errors: line 1: field onzet not found in type corpus.Span"},
		{`{spans: {}}`, "b", "x: label of b: unmarshal errors: line 1: cannot unmarshal !!map into []corpus.Span"},
		{`{reviewed: full`, "b", "x: label of b: line 1: did not find expected ',' or '}'"},
	} {
		err := ls.AddCarried([]byte(test.yaml), test.session, "x")
		if got := message(err); got != test.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", test.yaml, test.session, got, test.want)
		}
	}
	if ls.Len() != 1 || ls.Where("a") != "x" || ls.Where("b") != "" {
		t.Errorf("%d labels, of a in %q, of b in %q", ls.Len(), ls.Where("a"), ls.Where("b"))
	}
	if got := ls.Unmatched(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("Unmatched() = %q before any session was judged, want a", got)
	}
	if ls.Of("a") == nil || ls.Of("b") != nil {
		t.Error("the label of a is not found, or one of b is")
	}
	if got := ls.Unmatched(); len(got) > 0 {
		t.Errorf("Unmatched() = %q after a was judged", got)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// read reads one file and lists what it found, and the errors without the folder.
func read(t testing.TB, name, src string, sessions ...string) (found, errs string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	var ls corpus.Labels
	err := ls.Read(path)
	var list []string
	for _, s := range sessions {
		if l := ls.Of(s); l != nil {
			list = append(list, s+" "+l.Summary())
		}
	}
	return strings.Join(list, "\n"), strings.ReplaceAll(message(err), dir+string(filepath.Separator), "")
}

const bom = "\ufeff"

func TestReadLabels(t *testing.T) {
	const both = "a loop: run 0, calls 2 to 4\nb productive"
	const second = "b productive"
	object := `{"session":"a","spans":[{"onset":2,"end":4}]}`
	for _, test := range []struct{ name, file, src, found, errs string }{
		{"one document", "l.yaml", "session: b\nreviewed: full\n", second, ""},
		{"documents", "l.yaml", "# by hand\nsession: a\nspans:\n  - onset: 2\n    end: 4\n---\nsession: b\nreviewed: full\n", both, ""},
		{"a list", "l.yml", "- session: a\n  spans: [{onset: 2, end: 4}]\n- {session: b, reviewed: full}\n", both, ""},
		{"YAML in the form of JSON", "l.yaml", object + "\n", "a loop: run 0, calls 2 to 4", ""},
		{"YAML with a byte order mark", "l.yaml", bom + "session: b\nreviewed: full\n", second, ""},
		{"an object", "l.json", object, "a loop: run 0, calls 2 to 4", ""},
		{"an object over lines", "l.json", "{\n  \"session\": \"b\",\n  \"reviewed\": \"full\"\n}\n", second, ""},
		{"an array", "l.json", "[" + object + `, {"session":"b","reviewed":"full"}]`, both, ""},
		{"lines", "l.jsonl", object + "\n\n" + `{"session":"b","reviewed":"full"}`, both, ""},
		{"lines, windows", "l.jsonl", object + "\r\n" + `{"session":"b","reviewed":"full"}` + "\r\n", both, ""},
		{"lines with a byte order mark", "l.jsonl", bom + object + "\n" + `{"session":"b","reviewed":"full"}`, both, ""},
		{"an object with a byte order mark", "l.json", bom + object, "a loop: run 0, calls 2 to 4", ""},
		{"an array with a byte order mark", "l.json", bom + "[" + object + "]", "a loop: run 0, calls 2 to 4", ""},
		{"empty", "l.yaml", " \n", "", "l.yaml: no labels: the file is empty"},
		{"unknown key, YAML", "l.yaml", "session: a\nreviewd: full\n---\nsession: b\nreviewed: full\n", second, "l.yaml:1: unmarshal errors: line 2: field reviewd not found in type corpus.Label"},
		{"unknown key, list", "l.yaml", "- {session: a, spans: [{onzet: 2, end: 4}]}\n- {session: b, reviewed: full}\n", second, "l.yaml:1: unmarshal errors: line 1: field onzet not found in type corpus.Span"},
		{"unknown key, object", "l.json", "{\n \"session\": \"a\",\n \"reviewd\": \"full\"\n}", "", "l.json: unknown key reviewd"},
		{"unknown key, array", "l.json", `[{"session":"a","reviewd":"full"}]`, "", "l.json: unknown key 0.reviewd"},
		{"unknown key, lines", "l.jsonl", "{\"session\":\"a\",\"reviewd\":\"full\"}\n{\"session\":\"b\",\"reviewed\":\"full\"}\n", second, "l.jsonl:1: unknown key reviewd"},
		{"wrong type, lines", "l.jsonl", "{\"session\":\"b\",\"reviewed\":\"full\"}\n{\"session\":\"a\",\"spans\":[{\"onset\":\"two\"}]}\n", second, "l.jsonl:2: spans.0.onset: cannot be a string"},
		{"a contradiction is named, and the rest is read", "l.jsonl", "{\"session\":\"a\",\"class\":\"loop\"}\n{\"reviewed\":\"full\"}\n{\"session\":\"b\",\"reviewed\":\"full\"}\n", second,
			"l.jsonl:1: label of a: class loop contradicts the rest, which says unlabelled: 0 spans, 0 of them known gaps, reviewed: none\nl.jsonl:2: no session: a label names the session it is about"},
		{"twice and differently", "l.jsonl", "{\"session\":\"b\",\"reviewed\":\"full\"}\n{\"session\":\"b\"}\n", second, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "twice and differently" {
				_, errs := read(t, test.file, test.src)
				if !strings.Contains(errs, "l.jsonl:2: session b is labelled differently in ") {
					t.Errorf("error %q", errs)
				}
				return
			}
			found, errs := read(t, test.file, test.src, "a", "b")
			if found != test.found {
				t.Errorf("found\n%s\nwant\n%s", found, test.found)
			}
			if errs != test.errs {
				t.Errorf("errors\n%s\nwant\n%s", errs, test.errs)
			}
		})
	}
}

func TestReadAFolderOfLabels(t *testing.T) {
	dir := t.TempDir()
	for name, src := range map[string]string{
		"a.yaml":        "session: a\nreviewed: full\n",
		"deep/b.json":   `{"session":"b","reviewed":"full"}`,
		"c.jsonl":       `{"session":"c","reviewed":"fully"}`,
		"README.md":     "session: d\nreviewed: full\n",
		"settings.yaml": "presets: [kocoro]\n",
		"e.csv":         "class,session,reviewed\n,e,full\n",
		"people.csv":    "name,session\nann,3\n",
		"trace.jsonl":   `{"t":"session","sid":"x"}` + "\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var ls corpus.Labels
	err := ls.Read(dir)
	want := filepath.Join(dir, "c.jsonl") + `:1: label of c: reviewed: "fully" is not full, partial or none`
	if message(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if ls.Len() != 3 || ls.Of("a") == nil || ls.Of("b") == nil || ls.Of("e") == nil {
		t.Errorf("%d labels", ls.Len())
	}
	if err := ls.Read(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestFits(t *testing.T) {
	outcome := func() *replay.Outcome {
		return &replay.Outcome{
			Session: &transcript.Session{ID: "s"},
			Runs:    []replay.Run{{Number: 0, Calls: 5}, {Number: 2, Lane: "sub", Calls: 9}},
		}
	}
	for _, test := range []struct{ yaml, want string }{
		{`{reviewed: full}`, ""},
		{`{spans: [{onset: 2, end: 5}, {run: 2, onset: 2, end: 9}]}`, ""},
		{`{spans: [{onset: 2, end: 6}]}`, "f: label of s: a span ends at call 6, but run 0 has 5 calls"},
		{`{spans: [{run: 1, onset: 2, end: 3}]}`, "f: label of s: a span ends in run 1, but the session has 2 runs"},
		{`{tolerate: [{run: 2, from: 9, to: 10}]}`, "f: label of s: a tolerated stretch ends at call 10, but run 2 has 9 calls"},
		{`{tolerate: [{run: 3, from: 1, to: 1}]}`, "f: label of s: a tolerated stretch ends in run 3, but the session has 2 runs"},
	} {
		var ls corpus.Labels
		if err := ls.AddCarried([]byte(test.yaml), "s", "f"); err != nil {
			t.Fatal(err)
		}
		if got := message(ls.Fits(outcome())); got != test.want {
			t.Errorf("%s: %q, want %q", test.yaml, got, test.want)
		}
		left := outcome()
		left.Err = errors.New("left out")
		resumed := outcome()
		resumed.Context = 1
		for _, o := range []*replay.Outcome{left, resumed, {Session: &transcript.Session{ID: "other"}}} {
			if err := ls.Fits(o); err != nil {
				t.Errorf("%s: %v, although nobody can tell", test.yaml, err)
			}
		}
	}
}

func TestAdjudicatedPositionsComeFirst(t *testing.T) {
	l := carried(t, `{reviewed: full, tolerate: [{from: 1, to: 2}], spans: [{onset: 5, end: 9}], positions: [{call: 2, stop_ok: yes}, {call: 6, nudge_ok: unsure, stop_ok: no}]}`)
	for _, test := range []struct {
		level detectors.Verdict
		call  int
		want  corpus.Truth
	}{
		{detectors.Nudge, 2, corpus.Unknown}, // not asked at this level: tolerated
		{detectors.ForceStop, 2, corpus.Right},
		{detectors.Nudge, 6, corpus.Unknown},
		{detectors.ForceStop, 6, corpus.Wrong},
		{detectors.ForceStop, 7, corpus.Right}, // an answer overrides its own place alone
	} {
		if got := l.Truth(test.level, 0, test.call); got != test.want {
			t.Errorf("Truth(%v, 0, %d) = %v, want %v", test.level, test.call, got, test.want)
		}
	}
}

func TestWindowsMergeWhatOverlaps(t *testing.T) {
	l := carried(t, `{reviewed: full, spans: [{onset: 8, end: 12, shape: b}, {onset: 5, ideal_stop_after: 7, end: 9}, {onset: 20, end: 21}, {onset: 9, end: 30, known_gap: true}, {run: 1, onset: 1, end: 2}]}`)
	got := l.Windows(0, false)
	if len(got) != 2 || got[0].Onset != 5 || got[0].Ideal() != 7 || got[0].End != 12 || got[0].Shape != "b" || got[1].Onset != 20 || got[1].Ideal() != 20 {
		t.Errorf("ordinary windows %+v", got)
	}
	if gaps := l.Windows(0, true); len(gaps) != 1 || gaps[0].End != 30 {
		t.Errorf("known gaps %+v", gaps)
	}
	if l.Spans[0].IdealStop != nil {
		t.Error("the label itself was changed")
	}
}
