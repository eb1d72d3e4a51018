package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/replay/transcript"
)

func TestFailed(t *testing.T) {
	zero, one := 0, 1
	for _, test := range []struct {
		name             string
		in               transcript.Result
		failed, inferred bool
	}{
		{"missing", transcript.Result{}, false, false},
		{"missing, with an exit status", transcript.Result{ExitCode: &one}, false, false},
		{"ok", transcript.Result{Status: transcript.ResultOK, Text: "[validation error] quoted"}, false, false},
		{"ok, whatever the exit status", transcript.Result{Status: transcript.ResultOK, ExitCode: &one}, false, false},
		{"error", transcript.Result{Status: transcript.ResultError}, true, false},
		{"denied", transcript.Result{Status: transcript.ResultDenied}, true, false},
		{"cancelled", transcript.Result{Status: transcript.ResultCancelled, Text: "<tool_use_error>"}, false, false},
		{"no flag", transcript.Result{Status: transcript.ResultUnflagged, Text: "error: no"}, false, false},
		{"exit status 0", transcript.Result{Status: transcript.ResultUnflagged, ExitCode: &zero, Text: "[validation error] x"}, false, true},
		{"exit status 1", transcript.Result{Status: transcript.ResultUnflagged, ExitCode: &one}, true, true},
		{"marker", transcript.Result{Status: transcript.ResultUnflagged, Text: "[transient error] timed out"}, true, true},
		{"tag", transcript.Result{Status: transcript.ResultUnflagged, Text: "<tool_use_error>no such tool</tool_use_error>"}, true, true},
		{"marker inside", transcript.Result{Status: transcript.ResultUnflagged, Text: " [transient error]"}, false, false},
	} {
		if failed, inferred := test.in.Failed(); failed != test.failed || inferred != test.inferred {
			t.Errorf("%s: failed %v inferred %v, want %v and %v", test.name, failed, inferred, test.failed, test.inferred)
		}
	}
}

func TestStepText(t *testing.T) {
	s := &transcript.Step{Parts: []transcript.Part{
		{Kind: transcript.Text, Text: ""},
		{Kind: transcript.Text, Text: "a"},
		{Kind: transcript.Thinking, Text: "t"},
		{Kind: transcript.Text, Text: "b"},
		{Kind: transcript.Text, Text: ""},
		{Kind: transcript.Text, Text: "c"},
	}}
	got := []string{s.Text(transcript.Text), s.Text(transcript.Thinking), s.Text(transcript.ToolInput)}
	if want := []string{"abc", "t", ""}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNotesOfOneTextAreCounted(t *testing.T) {
	var s transcript.Session
	s.Note(3, "a")
	s.Note(5, "b")
	s.Note(7, "a")
	want := []transcript.Note{{Text: "a", Line: 3, N: 2}, {Text: "b", Line: 5, N: 1}}
	if !cmp.Equal(s.Notes, want) {
		t.Errorf("got %v, want %v", s.Notes, want)
	}
}

// Records of one message repeat or grow its usage, so the order in which they
// are read must not matter, and a record read twice must change nothing.
func TestUsageMax(t *testing.T) {
	count := rapid.Int64Range(0, 9)
	usage := rapid.Custom(func(t *rapid.T) transcript.Usage {
		return transcript.Usage{
			Known: rapid.Bool().Draw(t, "known"), Input: count.Draw(t, "in"), Output: count.Draw(t, "out"), Reasoning: count.Draw(t, "reasoning"),
			CacheRead: count.Draw(t, "read"), CacheWrite: count.Draw(t, "write"), Cost: float64(count.Draw(t, "cost")),
		}
	})
	sum := func(list []transcript.Usage) (u transcript.Usage) {
		for _, v := range list {
			u.Max(v)
		}
		return u
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(usage, 1, 4).Draw(t, "records")
		want := sum(list)
		if got := sum(rapid.Permutation(list).Draw(t, "permuted")); got != want {
			t.Errorf("in another order: %+v, want %+v", got, want)
		}
		if got := sum(append(list, list...)); got != want {
			t.Errorf("twice: %+v, want %+v", got, want)
		}
	})
}
