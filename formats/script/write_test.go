package script

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// write writes sessions and gives the text and what it could not hold.
func write(tb testing.TB, list []play) (string, []formats.Loss) {
	tb.Helper()
	var out bytes.Buffer
	w := Format.Write(&out)
	check := func(err error) {
		if err != nil {
			tb.Fatalf("writing: %v", err)
		}
	}
	for _, p := range list {
		check(w.Begin(p.session))
		for _, s := range p.steps {
			check(w.Step(s))
		}
		check(w.End(p.session))
	}
	check(w.Close())
	return out.String(), w.(formats.Lossy).Losses()
}

// essence is all that a .session file says, without line numbers.
func essence(list []play) string {
	var out strings.Builder
	for _, p := range list {
		s := p.session
		fmt.Fprintf(&out, "%q %q %q %q %q %v %q\n", s.ID, s.Label, s.Agent, s.AgentVersion, s.Model, s.Started, s.End)
		for _, step := range p.steps {
			bare := *step
			bare.Attempts = append([]transcript.Attempt(nil), step.Attempts...)
			bare.Calls = append([]transcript.Call(nil), step.Calls...)
			for i := range bare.Attempts {
				bare.Attempts[i].Line = 0
			}
			for i := range bare.Calls {
				bare.Calls[i].Line, bare.Calls[i].Result.Line = 0, 0
			}
			bare.Line = 0
			out.WriteString(formattest.DumpStep(&bare))
		}
	}
	return out.String()
}

func TestWrite(t *testing.T) {
	const in = `
session "a b"
label {class: loop}
agent x 1.2
model m
time 2026-05-01T10:00:00.5+02:00
user hello
call bash {} -> ok
call bash -> ok ""
call bash {} -> ok x3
call bash {"a":"{{n}}"}
call bash {"a":"{{n}}"}
call bash {"a": {{n}}} x2
lane sub
call bash raw"{" -> "x" exit=1 took=1500ms signals={"read_only":true,"result_sig":"r"}
lane main
say done
step
  finish stop
  text done
step
  call bash
  model m
step
  call bash
  model "n o"
step
  text done
  model {{n}}
step x2
  call a {"n":{{n}}}
  delta at=1500ms think one
  delta at=1m11s think " two"
  delta args {{n}}
  call b
  usage in=1 out=2 cache-write=3
  id m{{n}}
  model m{{n}}
  synthetic
  attempt 529 "odd type" "" wait=1s
  attempt 500 x=y
inject a
compact
compact b
system c
end limit
session two`
	const want = `session "a b"
label {class: loop}
agent x 1.2
model m
time 2026-05-01T08:00:00.5Z
user "hello"
call bash -> ok x5
call bash {"a":"{{n}}"}
call bash {"a":"{{n}}"}
call bash {"a": 1}
call bash {"a": 2}
lane sub
call bash raw"{" -> "x" exit=1 took=1.5s signals={"result_sig":"r","read_only":true}
lane main
say "done"
say "done"
call bash
step
  call bash
  model "n o"
step
  text "done"
  model {{n}}
step
  attempt 529 "odd type" "" wait=1s
  delta at=1.5s think "one"
  delta at=1m11s think " two"
  call a {"n":1}
  delta args "1"
  call b
  usage in=1 out=2 cache-write=3
  id m1
  model m1
  synthetic
step
  attempt 529 "odd type" "" wait=1s
  delta at=1.5s think "one"
  delta at=1m11s think " two"
  call a {"n":2}
  delta args "2"
  call b
  usage in=1 out=2 cache-write=3
  id m2
  model m2
  synthetic
inject "a"
compact
compact "b"
system "c"
end limit

session two
`
	list, _ := read(t, strings.Replace(in, "x=y", `"x=y" ""`, 1), 100)
	got, losses := write(t, list)
	want2 := strings.ReplaceAll(want, "wait=1s\n", "wait=1s\n  attempt 500 \"x=y\" \"\"\n")
	if got != want2 {
		t.Errorf("got\n%s\nwant\n%s", got, want2)
	}
	if len(losses) > 0 {
		t.Errorf("losses %v", losses)
	}
	again, _ := read(t, got, 100)
	if a, b := essence(list), essence(again); a != b {
		t.Errorf("read\n%s\nread again\n%s", a, b)
	}
}

func TestLosses(t *testing.T) {
	reward := 1.0
	s := &transcript.Session{
		Parent: "p", Ended: time.Unix(1, 0), Label: []byte("{\n \"class\": \"loop\"\n}\n"), Model: "m",
		Recorded: transcript.Recorded{Reward: &reward}, End: "strange",
	}
	steps := []*transcript.Step{
		{Kind: transcript.Prompt, ID: "x", Model: "m2", Flags: transcript.Synthetic},
		{
			Model: "other", Time: time.Unix(1, 0), Flags: transcript.ErrorMessage, Finish: "end_turn", FinishRaw: "end_turn",
			Usage: transcript.Usage{Known: true, Cost: 1},
			Attempts: []transcript.Attempt{
				{N: 2, Status: 500, Body: "b", Delay: -1, RetryAfter: -1},
				{N: 1, Status: 9999, Delay: time.Second, RetryAfter: -1},
			},
			Parts: []transcript.Part{
				{Kind: transcript.ToolInput, Text: "{}"},
				{Text: "abc", Cuts: []transcript.Cut{{End: 1, At: 5}, {End: 2, At: 6}}},
				{Text: "d", Cuts: []transcript.Cut{{End: 1, At: -1}}},
				{Kind: transcript.ToolInput, Text: "odd"},
			},
			Calls: []transcript.Call{{
				ID: "c", Tool: "t", Args: "{}", Took: -1, State: "completed",
				Result: transcript.Result{Status: transcript.ResultError, ErrorText: "e", Truncated: true, Media: make([]transcript.Media, 1)},
			}},
		},
	}
	got, losses := write(t, []play{{session: s, steps: steps}})
	const want = `session session
label {"class":"loop"}
model m
inject ""
step
  attempt 0 wait=1s
  attempt 500
  delta at=5ns text "a"
  delta at=6ns text "bc"
  delta text "d"
  call t -> error
  finish unknown
  usage in=0 out=0
  model other
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for what, loss := range losses {
		if what >= lossKinds || loss.What != lossNames[what] || loss.N != 1 && what != lostAttempt {
			t.Errorf("loss %+v, want one %s", loss, lossNames[what])
		}
	}
	if len(losses) != lossKinds {
		t.Errorf("%d kinds of losses, want %d", len(losses), lossKinds)
	}
}
