package corpus_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/corpus"
)

// reread writes labels, reads them, and gives what was read and what was written.
func reread(t testing.TB, format string, labels []*corpus.Label) ([]*corpus.Label, string) {
	t.Helper()
	text, err := corpus.Write(format, labels)
	if err != nil {
		t.Fatal(err)
	}
	var ls corpus.Labels
	if err := ls.Parse("l."+format, text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return ls.All(), string(text)
}

// words are texts that are hard to write: they look like something else.
var words = []string{"a", "two words", "yes", "1", "- x", "a: b", "#", "'", `"`, "line\nline", "\ttab", "a,b", "ü", "\u2028", "null", "~", "{", " edge ", "---", "\x1b[1m", "!x", "&a", "*a", "\ufeffx"}

// A label is read as it was written, in every format, and the same labels give
// the same bytes.
func TestWriteIsReadAsItWas(t *testing.T) {
	word := rapid.SampledFrom(words)
	maybe := rapid.SampledFrom(append([]string{""}, words...))
	rapid.Check(t, func(rt *rapid.T) {
		var ls corpus.Labels
		for range rapid.IntRange(1, 4).Draw(rt, "labels") {
			l := &corpus.Label{Session: word.Draw(rt, "session"), Source: rapid.SampledFrom([]string{"human", "weak", "adjudicated", "synthetic"}).Draw(rt, "source"),
				Reviewed: rapid.SampledFrom([]string{"full", "partial", "none"}).Draw(rt, "reviewed"), Version: rapid.IntRange(0, 3).Draw(rt, "version"),
				Cluster: maybe.Draw(rt, "cluster"), Note: maybe.Draw(rt, "note"), Confidence: rapid.SampledFrom([]float64{0, 0.1, 0.93, 1}).Draw(rt, "confidence"),
				Annotators: rapid.SliceOfN(word, 0, 2).Draw(rt, "annotators")}
			for i := range rapid.IntRange(0, 2).Draw(rt, "spans") {
				s := corpus.Span{ID: maybe.Draw(rt, "id"), Run: i, Onset: rapid.IntRange(1, 9).Draw(rt, "onset"), Shape: maybe.Draw(rt, "shape"), Incident: maybe.Draw(rt, "incident"),
					Why: maybe.Draw(rt, "why"), Censored: rapid.Bool().Draw(rt, "censored"), Escaped: rapid.Bool().Draw(rt, "escaped"), KnownGap: rapid.Bool().Draw(rt, "gap")}
				s.End = s.Onset + rapid.IntRange(0, 5).Draw(rt, "length")
				if rapid.Bool().Draw(rt, "ideal") {
					ideal := s.Onset - 1
					s.IdealStop = &ideal
				}
				l.Spans = append(l.Spans, s)
			}
			for range rapid.IntRange(0, 1).Draw(rt, "stretches") {
				l.Tolerate = append(l.Tolerate, corpus.Stretch{Run: 1, From: 2, To: 3, Why: maybe.Draw(rt, "why")})
				l.Positions = append(l.Positions, corpus.Position{Call: 7, StopOK: corpus.No, By: maybe.Draw(rt, "by")})
				l.DoneAt = &corpus.Place{Run: 0, Call: 12}
			}
			ls.Add(l, "here") // of labels that contradict each other the first is taken
		}
		want := ls.All()
		for _, format := range corpus.LabelFormats {
			got, text := reread(t, format, want)
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Errorf("%s: %s\n%s", format, diff, text)
			}
			if _, again := reread(t, format, got); again != text {
				rt.Errorf("%s: written again:\n%s\nnot\n%s", format, again, text)
			}
		}
	})
}

func TestWriteLooksLikeThis(t *testing.T) {
	ideal := 7
	labels := []*corpus.Label{
		{Session: "work", Class: "productive", Reviewed: "full", Source: "human", Annotators: []string{"ann"}, Note: "polls: slowly"},
		{Session: "7f3a", Class: "loop", Reviewed: "full", Source: "human", Spans: []corpus.Span{{ID: "s1", Onset: 5, IdealStop: &ideal, End: 41, Shape: "exact_dup"}},
			Tolerate: []corpus.Stretch{{From: 1, To: 2}}, Positions: []corpus.Position{{Call: 6, NudgeOK: corpus.Yes}}},
	}
	for format, want := range map[string]string{
		"yaml": `session: 7f3a
class: loop
reviewed: full
source: human
spans:
  - {id: s1, run: 0, onset: 5, ideal_stop_after: 7, end: 41, shape: exact_dup}
tolerate:
  - {run: 0, from: 1, to: 2}
positions:
  - {run: 0, call: 6, nudge_ok: "yes"}
---
session: work
class: productive
reviewed: full
source: human
annotators: [ann]
note: 'polls: slowly'
`,
		"jsonl": `{"session": "7f3a", "class": "loop", "reviewed": "full", "source": "human", "spans": [{"id": "s1", "run": 0, "onset": 5, "ideal_stop_after": 7, "end": 41, "shape": "exact_dup"}], "tolerate": [{"run": 0, "from": 1, "to": 2}], "positions": [{"run": 0, "call": 6, "nudge_ok": "yes"}]}
{"session": "work", "class": "productive", "reviewed": "full", "source": "human", "annotators": ["ann"], "note": "polls: slowly"}
`,
		"csv": `session,class,reviewed,source,labels_version,annotators,cluster,done_run,done_call,note,confidence,item,id,run,from,ideal_stop_after,to,censored,escaped,known_gap,shape,incident,why,call,nudge_ok,stop_ok,by
7f3a,loop,full,human,,,,,,,,span,s1,0,5,7,41,,,,exact_dup,,,,,,
7f3a,loop,full,human,,,,,,,,tolerate,,0,1,,2,,,,,,,,,,
7f3a,loop,full,human,,,,,,,,position,,0,,,,,,,,,,6,yes,,
work,productive,full,human,,ann,,,,polls: slowly,,,,,,,,,,,,,,,,,
`,
	} {
		if _, got := reread(t, format, labels); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
	if _, err := corpus.Write("xml", labels); message(err) != `label format "xml": expected one of yaml, json, jsonl, csv` {
		t.Error(err)
	}
	for _, l := range []*corpus.Label{{Session: "a", Annotators: []string{"x;y"}}, {Session: "a", Note: "x\r\ny"}} {
		if text, err := corpus.Write("csv", []*corpus.Label{l}); err == nil {
			t.Errorf("%+v was written, and would not be read so:\n%s", l, text)
		}
	}
}

func TestReadCSV(t *testing.T) {
	for _, test := range []struct{ name, src, found, errs string }{
		{"columns in another order", "class,session,item,from,to\nloop,a,span,2,4\n", "a loop: run 0, calls 2 to 4", ""},
		{"no session", "class,item\nloop,\n", "", "l.csv:1: no column session"},
		{"few columns", "session,reviewed,item,from,to\na,full,span,2,4\nb,full,,,\n", "a loop: run 0, calls 2 to 4\nb productive", ""},
		{"a byte order mark", "\ufeffsession,reviewed\nb,full\n", "b productive", ""},
		{"two spans", "session,item,run,from,to\na,span,0,2,4\na,span,1,3,5\n", "a loop: run 0, calls 2 to 4; run 1, calls 3 to 5", ""},
		{"an unknown column", "session,clas\na,loop\n", "", `l.csv:1: unknown column "clas": expected some of session,`},
		{"a column twice", "session,class,class\na,loop,loop\n", "", `l.csv:1: column "class" stands twice`},
		{"no number", "session,reviewed,item,from,to\na,full,span,two,4\na,full,span,6,7\nb,full,,,\n", "b productive", `l.csv:2: from: "two" is no whole number`},
		{"no truth", "session,item,from,to,escaped\na,span,2,4,maybe\n", "", `l.csv:2: escaped: "maybe" is not true or false`},
		{"no item", "session,reviewed,item\na,full,loop\n", "", `l.csv:2: item: "loop" is not span, tolerate or position`},
		{"a place without an item", "session,reviewed,from\na,full,3\n", "", `l.csv:2: from: "3" belongs to an item: expected span, tolerate or position in the column item`},
		{"too few cells", "session,reviewed\na\nb,full\n", "", "l.csv: record on line 2: wrong number of fields"},
		{"a contradiction", "session,class,reviewed\na,loop,full\nb,,full\n", "b productive", "l.csv:2: label of a: class loop contradicts"},
		{"not UTF-8", "session,reviewed\na\xff,full\n", "", "l.csv: not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, errs := read(t, "l.csv", test.src, "a", "b")
			if found != test.found || !strings.HasPrefix(errs, test.errs) || test.errs == "" && errs != "" {
				t.Errorf("found\n%s\nerrors\n%s", found, errs)
			}
		})
	}
}

// What is read is written, and then read as the same.
func fuzzReader(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, src []byte) {
		var ls corpus.Labels
		ls.Parse(name, src) // what can be read, is
		labels := ls.All()
		if len(labels) == 0 {
			return
		}
		for _, format := range corpus.LabelFormats {
			if _, err := corpus.Write(format, labels); err != nil {
				continue // says why: CSV cannot hold it
			}
			got, text := reread(t, format, labels)
			if again, err := corpus.Write(format, got); err != nil || !bytes.Equal(again, []byte(text)) {
				t.Errorf("%s, written again: %v\n%s\nnot\n%s", format, err, again, text)
			}
		}
	})
}

func FuzzLabelCSV(f *testing.F) {
	f.Add([]byte("session,class,reviewed,source,item,run,from,to,known_gap,call,stop_ok\na,loop,full,human,span,0,2,4,,,\na,loop,full,human,position,0,,,,3,no\nb,,full,,,,,,,,\n"))
	f.Add([]byte("session,note\n\"a\nb\",\"say \"\"no\"\"\"\n"))
	fuzzReader(f, "l.csv")
}

func FuzzLabelYAML(f *testing.F) {
	f.Add([]byte("# hand\nsession: a\nspans: [{onset: 2, end: 4}]\n---\nsession: b\nreviewed: full\nannotators: [x, y]\n"))
	f.Add([]byte("- {session: a, reviewed: full, note: \"x\\ny\", confidence: .5}\n- &b {session: b}\n"))
	f.Add([]byte("{\"session\": \"a\", \"positions\": [{\"call\": 2, \"nudge_ok\": \"no\"}]}\n"))
	fuzzReader(f, "l.yaml")
}

func FuzzLabelLines(f *testing.F) {
	f.Add([]byte("{\"session\":\"a\",\"done_at\":{\"run\":0,\"call\":2}}\n\n{\"session\":\"b\",\"reviewed\":\"full\",\"source\":\"weak\"}\n"))
	f.Add([]byte("[{\"session\":\"a\"}]"))
	fuzzReader(f, "l.json")
}
