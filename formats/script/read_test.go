package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

func TestGolden(t *testing.T) { formattest.Golden(t, Format, "testdata/golden.txt") }

// A response has the model that it names, else that of the head; a delta has the
// time that it names.
func TestModelsAndTimes(t *testing.T) {
	p := single(t, `model gpt-5
user a
say b
step
  text c
  model "other one"
step
  delta at=250ms text d
  delta at=1m1s text e
  delta text f
lane sub
call t`)
	var got []string
	for _, s := range p.steps {
		got = append(got, s.Model)
	}
	if want := []string{"", "gpt-5", "other one", "gpt-5", "gpt-5"}; !slices.Equal(got, want) {
		t.Errorf("models %q, want %q", got, want)
	}
	want := []transcript.Cut{{End: 1, At: 250 * time.Millisecond}, {End: 2, At: 61 * time.Second}, {End: 3, At: -1}}
	if cuts := p.steps[3].Parts[0].Cuts; !slices.Equal(cuts, want) {
		t.Errorf("cuts %v, want %v", cuts, want)
	}
}

// TestMistakes gives each mistake a line of its own between two good ones.
func TestMistakes(t *testing.T) {
	inside := "think, text, delta, call, attempt, finish, usage, id, model, synthetic"
	top := "session, label, agent, model, time, user, inject, system, compact, lane, call, say, step, end"
	results := "ok, error, denied, cancelled, missing or a text in quotes after ->"
	for _, test := range []struct{ in, want string }{
		{`foo bar`, `unknown statement "foo": expected one of ` + top},
		{`text x`, `text is a part of a step: indent it below a step line`},
		{`label {}`, `label belongs to the head of a session, before anything else`},
		{`user`, `expected a text ("" for an empty one)`},
		{`user # want nudge x`, `expected a text ("" for an empty one)`},
		{`user "a`, `expected a text that begins with a quote to be a JSON string: the line ends inside it`},
		{`user "a" b`, `expected the end of the line, found "b"`},
		{`user "a"b`, `expected a blank after a text that begins with a quote to be a JSON string, found "b"`},
		{`user "\q"`, "expected a text that begins with a quote to be a JSON string: invalid escape sequence `\\q` in string, at \"\\\\q\\\"\""},
		{`lane`, `expected the name of a sub-agent, or main`},
		{`lane a b`, `expected the end of the line, found "b"`},
		{`end`, `expected one of completed, error, limit, aborted, truncated`},
		{`end well`, `expected one of completed, error, limit, aborted, truncated, found "well"`},
		{`call`, `expected the name of a tool`},
		{`call -> ok`, `expected the name of a tool before ->`},
		{`call a {`, `expected the arguments, as JSON or raw"…": the line ends inside it`},
		{`call a {"b":1]`, `expected the arguments, as JSON or raw"…": invalid character ']' after object value (expecting ',' or '}'), at "]"`},
		{`call a what -> ok`, `expected the arguments, as JSON or raw"…": invalid character 'w' at start of value, at "what"`},
		{`call a {}-> ok`, `expected a blank after the arguments, as JSON or raw"…", found "->"`},
		{`call a {} {}`, `expected -> RESULT or xN, found "{}"`},
		{`call a raw"x`, `expected a JSON string after raw: the line ends inside it`},
		{`call a {} ->`, `expected ` + results},
		{`call a {} -> okay`, `expected ` + results + `, found "okay"`},
		{`call a -> ok out`, `expected a text in quotes, exit=N, took=DURATION, signals={…} or xN, found "out"`},
		{`call a -> "x" "y"`, `expected exit=N, took=DURATION, signals={…} or xN, found "\"y\""`},
		{`call a -> missing "y"`, `expected exit=N, took=DURATION, signals={…} or xN, found "\"y\""`},
		{`call a -> ok exit=x`, `expected a number after exit=, found "x"`},
		{`call a -> ok took=5`, `expected a duration such as 1.5s after took=, found "5"`},
		{`call a -> ok took=-5s`, `expected a duration such as 1.5s after took=, found "-5s"`},
		{`call a -> ok tok=5s`, `unknown option tok=: expected exit, took or signals`},
		{`call a -> ok signals={"x":1}`, `expected an object with result_sig, outcome_sig, read_only, trusts_progress, non_actionable after signals=, found "{\"x\":1}"`},
		{`call a -> ok signals=null`, `expected an object with result_sig, outcome_sig, read_only, trusts_progress, non_actionable after signals=, found "null"`},
		{`call a x0`, `expected x1 to x100000000, found "x0"`},
		{`call a x1000000000`, `expected x1 to x100000000, found "x1000000000"`},
		{`call a x2 y`, `expected the end of the line, found "y"`},
		{`call a {"b":{{n}}}`, `expected the arguments, as JSON or raw"…": invalid character '{' at start of string (expecting '"'), at "{n}}}"`},
		{`step x0`, `expected x1 to x100000000, found "x0"`},
		{`step up`, `expected the end of the line, found "up"`},
		{` text x`, `an indented line belongs to the step above it, and there is none`},
		{"step\n foo", `unknown statement "foo": expected one of ` + inside},
		{"step\n user x", `user is no part of a step: it must not be indented`},
		{"step\n delta foo x", `expected think, text or args after delta, found "foo"`},
		{"step\n delta text", `expected a text ("" for an empty one)`},
		{"step\n delta args x", `expected a call after delta args`},
		{"step\n delta at=soon text x", `expected a duration such as 1.5s after at=, found "soon"`},
		{"step\n delta at=-1s text x", `expected a duration such as 1.5s after at=, found "-1s"`},
		{"step\n delta after=1s text x", `expected at=DURATION, think, text or args after delta, found "after=1s"`},
		{"step\n delta at=1s", `expected think, text or args after delta, found nothing`},
		{"step\n call a x10001", `x10001 makes more than 10000 calls in one step`},
		{"step\n attempt", `expected an HTTP status, or 0 for none`},
		{"step\n attempt 5290", `expected an HTTP status, or 0 for none, found "5290"`},
		{"step\n attempt 529 a b", `expected a text in quotes, wait=DURATION, retry-after=DURATION, code=NAME, scope=NAME or phase=PHASE, found "b"`},
		{"step\n attempt 0 phase=later", `expected request, stream or after-call after phase=, found "later"`},
		{"step\n attempt 529 wait=x", `expected a duration such as 1.5s after wait=, found "x"`},
		{"step\n finish", `expected one of stop, tool_calls, length, content_filter, refusal, error, aborted, pause, unknown`},
		{"step\n finish end", `expected one of stop, tool_calls, length, content_filter, refusal, error, aborted, pause, unknown, found "end"`},
		{"step\n usage", `expected in=N, out=N, reasoning=N, cache-read=N or cache-write=N`},
		{"step\n usage in=1 cached=2", `expected in=N, out=N, reasoning=N, cache-read=N or cache-write=N, found "cached=2"`},
		{"step\n usage in=-1", `expected a number of tokens, found "-1"`},
		{"step\n id", `expected a message id`},
		{"step\n model", `expected the name of a model`},
		{"step\n model a b", `expected the end of the line, found "b"`},
		{"step\n model a\n model b", `the step has its model already`},
		{"step\n synthetic x", `expected the end of the line, found "x"`},
	} {
		src := "session s\nuser before\n" + test.in + "\nuser after"
		list, _ := read(t, src, 100)
		line := 3 + strings.Count(test.in, "\n")
		want := fmt.Sprintf("f:%d: %s", line, test.want)
		p := list[0]
		if len(p.errs) != 1 || p.errs[0] != want {
			t.Errorf("%s\n got %q\nwant %q", test.in, p.errs, want)
		}
		first, last := p.steps[0], p.steps[len(p.steps)-1]
		if first.Line != 2 || last.Line != line+1 {
			t.Errorf("%s: read lines %d to %d, want 2 to %d", test.in, first.Line, last.Line, line+1)
		}
	}
}

func TestMistakesInHead(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"session", "1: expected an id after session"},
		{"session a b", `1: expected the end of the line, found "b"`},
		{"label", "1: expected a label on the same line"},
		{"label {}\nlabel {}", "2: the session has its label already"},
		{"agent", "1: expected the name of an agent"},
		{"agent a 1 2", `1: expected the end of the line, found "2"`},
		{"agent a\nagent b", "2: the session has its agent already"},
		{"model", "1: expected the name of a model"},
		{"model a\nmodel a", "2: the session has its model already"},
		{"time", "1: expected a time such as 2026-05-01T08:00:00Z"},
		{"time 10:00", `1: expected a time such as 2026-05-01T08:00:00Z, found "10:00"`},
		{"end limit\nsay x", "2: the session ended in line 1: expected a session statement"},
	} {
		list, _ := read(t, test.in, 100)
		if got := list[0].errs; len(got) != 1 || got[0] != "f:"+test.want {
			t.Errorf("%s\n got %q\nwant %q", test.in, got, test.want)
		}
	}
}

// TestMistakeInRepeatedStep: a mistake is one mistake, however often it is played.
func TestMistakeInRepeatedStep(t *testing.T) {
	list, _ := read(t, "step x5\n foo\n delta args x\n text {{n}}", 100)
	if p := list[0]; len(p.errs) != 2 || len(p.steps) != 5 {
		t.Errorf("%d steps, errors %q; want 5 steps and 2 errors", len(p.steps), p.errs)
	}
}

func TestFind(t *testing.T) {
	src := "# nothing\n\nuser x\nsession b # two\nlabel {class: loop} # yaml\nagent \"a b\" 1.2\nmodel m-1\n" +
		"time 2026-05-01T10:00:00.5+02:00\nstep\n  id m1\n  call x\nend limit\n\nsession \"c d\"\ncall y -> ok"
	list, _ := read(t, src, 100)
	var got []string
	for _, p := range list {
		s, u := p.session, p.unit
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s %d %d %d %d", s.ID, s.Label, s.Agent, s.AgentVersion, s.Model,
			s.Started.Format("15:04:05.0"), s.End, u.Size, u.Records, len(u.Messages), len(p.errs)))
	}
	want := []string{
		"session:2ae2cca6c11c099b|||||00:00:00.0| 7 1 0 0",
		"b|{class: loop} # yaml|a b|1.2|m-1|08:00:00.5|limit 134 9 1 0",
		`c d|||||00:00:00.0| 26 2 0 0`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if list, _ := read(t, "# only\n\n  # comments\n", 1); len(list) != 0 {
		t.Errorf("%d sessions in a file of comments", len(list))
	}
	if p := list[1]; p.session.Notes[0].Text != formats.NoteMissingResult || p.session.Notes[0].N != 1 || p.session.Notes[0].Line != 11 {
		t.Errorf("notes %+v", p.session.Notes)
	}
	// A second reading gives the same, and counts nothing twice.
	for range list[1].unit.Steps() {
	}
	if n := list[1].session.Notes; len(n) != 1 || n[0].N != 1 {
		t.Errorf("notes after a second reading: %+v", n)
	}
}

func TestLineEnds(t *testing.T) {
	plain := "session s\nuser hi there\nstep\n\n  text \"a\"\n  call b {\"c\":1} -> ok\n  # comment\nsay x"
	want := formattest.Dump(Format, plain, formats.Options{})
	for _, src := range []string{
		strings.ReplaceAll(plain, "\n", "\r\n"),
		"\xef\xbb\xbf" + plain,
		plain + "\n",
		strings.ReplaceAll(plain, "\n", "  \n"),
	} {
		if got := formattest.Dump(Format, src, formats.Options{}); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", src, got, want)
		}
	}
}

func TestLongLine(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	p := single(t, "user "+text+"\ncall a \""+text+"\" -> ok \""+text+"\"\n")
	if p.steps[0].Parts[0].Text != text || p.steps[1].Calls[0].Result.Text != text || len(p.steps[1].Calls[0].Args) != len(text)+2 {
		t.Error("a text of 1 MiB did not arrive")
	}
	for u := range Format.Find(formattest.File("say a\nuser "+text+"\nsay b"), formats.Options{MaxRecord: 1000}) {
		n := 0
		for _, err := range u.Steps() {
			if err != nil {
				t.Error(err)
			}
			n++
		}
		if n != 2 || len(u.Session.Notes) != 1 || u.Session.Notes[0].Text != formats.NoteLongRecord || u.Records != 3 {
			t.Errorf("%d steps of %d records, notes %v", n, u.Records, u.Session.Notes)
		}
	}
}

// TestLazy: a repetition is made as it is asked for.
func TestLazy(t *testing.T) {
	for u := range Format.Find(formattest.File("call a x100000000\nstep x100000000\n text {{n}}"), formats.Options{}) {
		n := 0
		allocs := testing.AllocsPerRun(1, func() {
			for range u.Steps() {
				if n++; n%100 == 0 {
					break
				}
			}
		})
		if allocs > 1000 {
			t.Errorf("%v allocations for 100 steps", allocs)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct {
		in   string
		want formats.Confidence
	}{
		{"# a comment\n\nsession x\nuser hi\n", formats.Certain},
		{"label {class: loop}\ncall a", formats.Certain},
		{"call bash {\"c\":1} -> ok", formats.Certain},
		{"user fix the bug\nsay done", formats.Certain},
		{"user fix the bug\ncall bash {oops\n", formats.Certain},
		{"step\n  text \"x\"\n", formats.Certain},
		{"system prompt\nstep\n  call x\n  foo", formats.No},
		{"", formats.No},
		{"# Title\n\nSome text.\n", formats.No},
		{"user guides are good\nand so on\n", formats.No},
		{"call me\n", formats.No},
		{"call me maybe\ncall me\n", formats.No},
		{"  text x\n  call y\n", formats.No},
		{"session one of two\nuser x\n", formats.No},
		{"label: x\n", formats.No},
		{"{\"user\":1}", formats.No},
		{"- user x\n- call y\n", formats.No},
	} {
		if got := sniff(&formats.Head{Data: []byte(test.in), Whole: true}); got != test.want {
			t.Errorf("sniff(%q) = %d, want %d", test.in, got, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	help := Help()
	for _, want := range []string{"GRAMMAR\n\nA file is", "\n    session ID\n", "\nEXPECTATIONS\n", "\n      finish stop\n"} {
		if !strings.Contains(help, want) {
			t.Errorf("help lacks %q", want)
		}
	}
	if strings.Contains(help, "//") || strings.Contains(help, "package") {
		t.Errorf("help has comment markers:\n%s", help)
	}
}
