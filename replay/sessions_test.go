package replay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// written reads sessions from a script.
func written(t testing.TB, src string) (list []*formats.Unit) {
	t.Helper()
	f := &formats.File{Name: "x.session", Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{strings.NewReader(src), io.NopCloser(nil)}, nil
	}}
	for u, err := range script.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// demo is the demo corpus, found anew: reading a session completes its header.
func demo(t testing.TB) []*formats.Unit {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	return found.Units
}

// made is a session of given steps. A nil step is a record that cannot be read.
func made(id string, steps ...*transcript.Step) *formats.Unit {
	return &formats.Unit{
		Session: &transcript.Session{ID: id},
		Size:    int64(100 * len(steps)),
		Records: len(steps),
		Steps: func() iter.Seq2[*transcript.Step, error] {
			return func(yield func(*transcript.Step, error) bool) {
				for i, s := range steps {
					var err error
					if s == nil {
						err = &formats.SyntaxError{File: id, Line: i + 1, Msg: "no step"}
					}
					if !yield(s, err) {
						return
					}
				}
			}
		},
	}
}

// random makes a session in which every path finds something now and then.
func random(seed uint64) *formats.Unit {
	r := rand.New(rand.NewPCG(seed, 1))
	var steps []*transcript.Step
	lanes := []string{"", "", "", "sub"}
	var last transcript.Call
	for range 5 + r.IntN(60) {
		s := &transcript.Step{Lane: lanes[r.IntN(len(lanes))], Line: len(steps) + 1}
		switch r.IntN(25) {
		case 0:
			s.Kind = transcript.Prompt
		case 1:
			s.Kind = transcript.Injection
		case 2:
			s.Flags = transcript.Synthetic
		case 3:
			s.Flags = transcript.Context
		}
		if s.Kind == transcript.Response {
			if r.IntN(3) > 0 {
				s.Usage = transcript.Usage{Known: true, Input: int64(r.IntN(1000)), Output: int64(r.IntN(100)), CacheRead: int64(r.IntN(9))}
			}
			for range []int{0, 1, 1, 1, 1, 2, 4}[r.IntN(7)] {
				if r.IntN(5) < 2 || last.Tool == "" {
					last = call(r)
				}
				last.Line = s.Line
				s.Calls = append(s.Calls, last)
			}
		}
		steps = append(steps, s)
	}
	return made(fmt.Sprintf("random-%03d", seed), steps...)
}

var tools = []string{"bash", "file_read", "Grep", "grep", "web_search", "web_fetch", "screenshot", "applescript", "browser_click", "think", "use_skill", "http"}

func call(r *rand.Rand) transcript.Call {
	c := transcript.Call{Tool: tools[r.IntN(len(tools))], Result: transcript.Result{Status: transcript.ResultOK, Text: "done"}}
	c.Args = []string{`{"command":"make"}`, `{"command":"sleep 5"}`, `{"query":"latest news"}`, `{"url":"https://site.example/1"}`, `{}`, `{"n":1.0}`}[r.IntN(6)]
	switch r.IntN(6) {
	case 0:
		c.Result = transcript.Result{Status: transcript.ResultError, Text: "[validation error] no command"}
	case 1:
		c.Result = transcript.Result{Status: transcript.ResultUnflagged, Text: "no matches found"}
	case 2:
		c.Result = transcript.Result{}
	case 3:
		c.Result.Text = "see https://site.example/1"
	}
	return c
}

// many is the demo corpus and some random sessions.
func many(t testing.TB, n int) []*formats.Unit {
	list := demo(t)
	for seed := range n {
		list = append(list, random(uint64(seed)))
	}
	return list
}

// yielding lets other goroutines go first, more or less often.
func yielding(u *formats.Unit, seed uint64) *formats.Unit {
	steps := u.Steps
	out := *u
	out.Steps = func() iter.Seq2[*transcript.Step, error] {
		r := rand.New(rand.NewPCG(seed, 2))
		return func(yield func(*transcript.Step, error) bool) {
			for s, err := range steps() {
				for range r.IntN(8) {
					runtime.Gosched()
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	return &out
}

// newPlan is NewPlan for a question that is right.
func newPlan(t testing.TB, q replay.Question) *replay.Plan {
	t.Helper()
	p, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run replays units and gives their outcomes in the order they came. Of the
// session nothing is kept but the id: reading it again would note things twice.
func run(t testing.TB, e *replay.Engine, units []*formats.Unit) (list []*replay.Outcome) {
	t.Helper()
	err := e.Run(context.Background(), units, func(o *replay.Outcome) error {
		o.Session = &transcript.Session{ID: o.Session.ID}
		list = append(list, o)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// replayOne replays one session.
func replayOne(t testing.TB, q replay.Question, u *formats.Unit) *replay.Outcome {
	t.Helper()
	o := run(t, &replay.Engine{Plan: newPlan(t, q)}, []*formats.Unit{u})[0]
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	return o
}

// alike compares outcomes by what they say: sessions by id, errors by text.
var alike = cmp.Options{
	cmp.Comparer(func(a, b *transcript.Session) bool { return a.ID == b.ID }),
	cmp.Comparer(func(a, b error) bool {
		return (a == nil) == (b == nil) && (a == nil || errors.Is(a, b) || a.Error() == b.Error())
	}),
	cmpopts.EquateEmpty(),
}

// diff is what two outcomes, or lists or parts of them, say differently. To look
// closer takes long, so it is done only where it is needed.
func diff[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, alike)
}
