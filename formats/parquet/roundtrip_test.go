package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/claudecode"
	"groundhog/formats/formattest"
	"groundhog/formats/native"
	"groundhog/formats/parquet"
	"groundhog/replay/transcript"
)

// A recording is a decoded session.
type recording struct {
	Session *transcript.Session
	Steps   []*transcript.Step
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func decode(t fataler, units []*formats.Unit) (list []recording) {
	t.Helper()
	for _, u := range units {
		r := recording{Session: u.Session}
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatalf("session %s: %v", u.Session.ID, err)
			}
			r.Steps = append(r.Steps, s)
		}
		list = append(list, r)
	}
	return list
}

// write writes recordings into a folder.
func write(t fataler, dir string, list []recording) {
	t.Helper()
	var files []*os.File
	for _, name := range []string{parquet.SessionsFile, parquet.EventsFile} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	w := parquet.NewWriter(files[0], files[1])
	for _, r := range list {
		if err := w.Begin(r.Session); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Steps {
			if err := w.Step(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(r.Session); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// find reads what is at a path as the command does.
func find(t testing.TB, path string, list ...*formats.Format) *formats.Found {
	t.Helper()
	files := &formats.Files{Paths: []string{path}, Formats: list}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(found.Close)
	return found
}

func reread(t testing.TB, list []recording) []*formats.Unit {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, list)
	found := find(t, dir, parquet.Format)
	if len(found.Skipped) > 0 {
		t.Fatalf("skipped: %+v", found.Skipped)
	}
	return found.Units
}

// sameSession ignores where a session and its records lie.
var sameSession = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" || p.Last().String() == ".Origin" }, cmp.Ignore()),
	cmp.Comparer(func(a, b transcript.Note) bool { return a.Text == b.Text && a.N == b.N }),
}

func compare(t fataler, want []recording, units []*formats.Unit) {
	t.Helper()
	got := decode(t, units)
	if len(got) != len(want) {
		t.Fatalf("%d sessions, want %d", len(got), len(want))
	}
	for i := range want {
		if diff := cmp.Diff(want[i], got[i], sameSession); diff != "" {
			t.Fatalf("session %s (-written +read):\n%s", want[i].Session.ID, diff)
		}
	}
}

// text draws what recordings hold: also half a character, and what is no text.
var text = rapid.OneOf(
	rapid.SampledFrom([]string{"", "a", "line\nline", "日本語", "\xed\xa0\x80", "\xed\xb0\x80\xed\xa0\x80", "\xff\xfe", "NUL \x00 inside", `{"a":1}`, "\"quoted\\"}),
	rapid.String(),
)

func id(prefix string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "absent") {
			return ""
		}
		return fmt.Sprint(prefix, rapid.IntRange(0, 99).Draw(t, "id"))
	})
}

var moment = rapid.Custom(func(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "absent") {
		return time.Time{}
	}
	return time.Unix(rapid.Int64Range(-1e9, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
})

var duration = rapid.OneOf(rapid.Just(time.Duration(-1)), rapid.Custom(func(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "ns"))
}))

var attempt = rapid.Custom(func(t *rapid.T) transcript.Attempt {
	a := transcript.Attempt{
		N: rapid.IntRange(0, 3).Draw(t, "n"), Max: rapid.IntRange(0, 10).Draw(t, "max"), Status: rapid.SampledFrom([]int{0, 429, 529}).Draw(t, "status"),
		Type: text.Draw(t, "type"), Message: text.Draw(t, "message"), Name: text.Draw(t, "name"), Code: id("E").Draw(t, "code"), Cause: text.Draw(t, "cause"),
		Body: text.Draw(t, "body"), RequestID: id("req").Draw(t, "request"), Provider: id("p").Draw(t, "provider"), Scope: id("s").Draw(t, "scope"),
		Delay: duration.Draw(t, "delay"), RetryAfter: duration.Draw(t, "after"), Outcome: rapid.SampledFrom([]string{"", "retry", "failed", "ok"}).Draw(t, "outcome"),
		Phase: rapid.SampledFrom([]string{"", "request", "stream"}).Draw(t, "phase"), AfterCall: rapid.Bool().Draw(t, "called"), Time: moment.Draw(t, "time"),
	}
	a.Adapter, a.Error = id("a").Draw(t, "adapter"), text.Draw(t, "error")
	if rapid.Bool().Draw(t, "flagged") {
		yes := rapid.Bool().Draw(t, "retryable")
		a.Retryable = &yes
	}
	if rapid.Bool().Draw(t, "no headers at all") {
		a.Headers = []transcript.Header{}
	}
	for range rapid.IntRange(0, 3).Draw(t, "headers") {
		a.Headers = append(a.Headers, transcript.Header{Name: rapid.SampledFrom([]string{"retry-after", "x", "X"}).Draw(t, "name"), Value: text.Draw(t, "value")})
	}
	return a
})

var call = rapid.Custom(func(t *rapid.T) transcript.Call {
	c := transcript.Call{
		ID: id("call_").Draw(t, "id"), Tool: rapid.SampledFrom([]string{"", "bash", "read", "\xff"}).Draw(t, "tool"), Args: text.Draw(t, "args"),
		ArgsInvalid: rapid.Bool().Draw(t, "invalid"), State: rapid.SampledFrom([]string{"", "completed", "denied"}).Draw(t, "state"),
		Interrupted: rapid.Bool().Draw(t, "interrupted"), Provider: rapid.Bool().Draw(t, "provider"), Time: moment.Draw(t, "time"), Took: duration.Draw(t, "took"),
	}
	if rapid.Bool().Draw(t, "signals") {
		c.Signals = &transcript.Signals{ResultSig: text.Draw(t, "result"), OutcomeSig: text.Draw(t, "outcome"),
			ReadOnly: rapid.Bool().Draw(t, "read"), TrustsProgress: rapid.Bool().Draw(t, "trusts"), NonActionable: rapid.Bool().Draw(t, "non")}
	}
	r := &c.Result
	if r.Status = transcript.ResultStatus(rapid.IntRange(0, 5).Draw(t, "status")); r.Status == transcript.ResultMissing {
		return c
	}
	r.Text, r.ErrorText, r.Truncated, r.Time = text.Draw(t, "text"), text.Draw(t, "error"), rapid.Bool().Draw(t, "truncated"), moment.Draw(t, "time")
	if rapid.IntRange(0, 4).Draw(t, "tagged") == 0 {
		r.Text = "<tool_use_error>" + r.Text
	}
	if rapid.Bool().Draw(t, "exit") {
		code := rapid.SampledFrom([]int{0, 1, -1, 137, 3221225786, -1 << 40}).Draw(t, "code")
		r.ExitCode = &code
	}
	for range rapid.IntRange(0, 2).Draw(t, "media") {
		r.Media = append(r.Media, transcript.Media{MIME: "image/png", Bytes: rapid.Int64Range(0, 1<<40).Draw(t, "bytes"), SHA256: id("sha").Draw(t, "sha")})
	}
	return c
})

var step = rapid.Custom(func(t *rapid.T) *transcript.Step {
	s := &transcript.Step{
		Kind: transcript.StepKind(rapid.IntRange(0, 4).Draw(t, "kind")), Lane: rapid.SampledFrom([]string{"", "", "sub", "\xff"}).Draw(t, "lane"),
		ID: id("msg_").Draw(t, "id"), Model: id("model").Draw(t, "model"), Flags: transcript.Flags(rapid.IntRange(0, 127).Draw(t, "flags")) &^ transcript.Context,
		Finish: rapid.SampledFrom([]transcript.Finish{"", "stop", "tool_calls"}).Draw(t, "finish"), FinishRaw: text.Draw(t, "raw"),
		Time: moment.Draw(t, "time"), Ended: moment.Draw(t, "ended"),
	}
	if rapid.Bool().Draw(t, "usage") {
		n := rapid.SampledFrom([]int64{0, 1, 37652, 1 << 40})
		s.Usage = transcript.Usage{Known: true, Input: n.Draw(t, "in"), Output: n.Draw(t, "out"), Reasoning: n.Draw(t, "rsn"),
			CacheRead: n.Draw(t, "read"), CacheWrite: n.Draw(t, "write"), Cost: rapid.SampledFrom([]float64{0, 0.0116}).Draw(t, "cost")}
	}
	if s.Kind == transcript.Response {
		s.Attempts = rapid.SliceOfN(attempt, 0, 2).Draw(t, "attempts")
		s.Calls = rapid.SliceOfN(call, 0, 3).Draw(t, "calls")
	}
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 5}).Draw(t, "parts") {
		p := transcript.Part{Kind: transcript.PartKind(rapid.IntRange(0, 2).Draw(t, "kind")), Text: text.Draw(t, "text")}
		if p.Kind == transcript.ToolInput {
			if len(s.Calls) == 0 {
				continue
			}
			p.Call = rapid.IntRange(0, len(s.Calls)-1).Draw(t, "call")
			if rapid.Bool().Draw(t, "same") {
				p.Text = s.Calls[p.Call].Args
			}
		}
		if rapid.Bool().Draw(t, "deltas") {
			for end := 0; end < len(p.Text); {
				end += rapid.IntRange(1, len(p.Text)-end).Draw(t, "bytes")
				p.Cuts = append(p.Cuts, transcript.Cut{End: end, At: duration.Draw(t, "at")})
			}
		}
		s.Parts = append(s.Parts, p)
	}
	// Empty and nil are one to a reader.
	if len(s.Attempts) == 0 {
		s.Attempts = nil
	}
	if len(s.Calls) == 0 {
		s.Calls = nil
	}
	return s
})

func session(name string) *rapid.Generator[recording] {
	return rapid.Custom(func(t *rapid.T) recording {
		s := &transcript.Session{
			ID: name, Parent: id("parent").Draw(t, "parent"), Agent: text.Draw(t, "agent"), AgentVersion: id("v").Draw(t, "version"), Model: id("m").Draw(t, "model"),
			Started: moment.Draw(t, "started"), Ended: moment.Draw(t, "ended"),
			Recorded: transcript.Recorded{Task: id("task").Draw(t, "task"), TaskSet: id("set").Draw(t, "set"),
				Trial: rapid.SampledFrom([]string{"", "0", "7", "07", "a"}).Draw(t, "trial"), ExitStatus: id("exit").Draw(t, "exit")},
			End: rapid.SampledFrom([]transcript.End{"", "completed", "error", "limit"}).Draw(t, "end"),
		}
		if rapid.Bool().Draw(t, "outcome") {
			reward, success := rapid.Float64Range(-1, 1).Draw(t, "reward"), rapid.Bool().Draw(t, "success")
			s.Recorded.Reward, s.Recorded.Success = &reward, &success
		}
		if rapid.Bool().Draw(t, "label") {
			s.Label = []byte("class: loop\n")
		}
		r := recording{Session: s, Steps: rapid.SliceOfN(step, 0, 12).Draw(t, "steps")}
		if rapid.Bool().Draw(t, "noted") {
			s.Note(3, formats.NoteCutLine)
		}
		missing := 0
		for _, step := range r.Steps {
			for _, c := range step.Calls {
				if c.Result.Status == transcript.ResultMissing {
					missing++
				}
			}
		}
		if missing > 0 {
			s.Notes = append(s.Notes, transcript.Note{Text: formats.NoteMissingResult, N: missing})
		}
		if len(r.Steps) == 0 {
			r.Steps = nil
		}
		return r
	})
}

// Whatever a session holds comes back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []recording
		for i := range rapid.IntRange(1, 4).Draw(rt, "sessions") {
			list = append(list, session(fmt.Sprintf("s%02d", i)).Draw(rt, "session"))
		}
		compare(rt, list, reread(t, list))
	})
}

func TestRoundTripOfTheDemoCorpus(t *testing.T) {
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	list := decode(t, demo.Units)
	compare(t, list, reread(t, list))
}

func TestRoundTripOfRealSessions(t *testing.T) {
	for _, test := range []struct {
		path   []string
		format *formats.Format
	}{
		{[]string{"labelled", "sessions.jsonl.gz"}, native.Format},
		{[]string{"samples", "claude_code"}, claudecode.Format},
	} {
		t.Run(strings.Join(test.path, "/"), func(t *testing.T) {
			var list []recording
			for _, u := range find(t, formattest.Shared(t, test.path...), test.format).Units {
				r := recording{Session: u.Session}
				for s, err := range u.Steps() {
					if err == nil { // what could not be read is not there to be written
						r.Steps = append(r.Steps, s)
					}
				}
				list = append(list, r)
			}
			compare(t, list, reread(t, list))
		})
	}
}
