package steps

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// pick draws one of list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// someParts draws the parts of a step from few enough that steps repeat.
func someParts(r *rand.Rand) []Part {
	var parts []Part
	if r.IntN(3) > 0 {
		parts = append(parts, Part{Kind: Reasoning, Text: pick(r, "think", "Let me think", "other", " ")})
	}
	if r.IntN(3) > 0 {
		parts = append(parts, Part{Kind: Text, Text: pick(r, "Run it", "run  it", "Done", ""), Synthetic: r.IntN(8) == 0, Ignored: r.IntN(8) == 0})
	}
	for range r.IntN(3) {
		parts = append(parts, Part{
			Kind: Tool, Tool: pick(r, "bash", "bash", "read"), Input: pick(r, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"a":2}`, ""),
			State: State(r.IntN(4)), Provider: r.IntN(8) == 0,
		})
	}
	return parts
}

// A turn is a message of a random session.
type turn struct {
	user, finished, cropped bool
	parts                   []Part
}

// someSession draws a session in which steps tend to come again.
func someSession(r *rand.Rand) []turn {
	list := []turn{{user: true, parts: []Part{{Kind: Text, Text: "go"}}}}
	last := someParts(r)
	loyal := r.IntN(9)
	for range r.IntN(60) {
		if r.IntN(10) == 0 {
			list = append(list, turn{user: true, parts: []Part{{Kind: Text, Text: "more"}}})
			continue
		}
		if r.IntN(10) > loyal {
			last = someParts(r)
		}
		list = append(list, turn{finished: r.IntN(10) > 0, cropped: r.IntN(10) == 0, parts: last})
	}
	return list
}

// sessions runs a check on random sessions.
func sessions(t *testing.T, n int, check func(t *testing.T, r *rand.Rand, list []turn)) {
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 0))
		check(t, r, someSession(r))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// One open meter answers what a closed run says, at every trigger, with every
// number of recoveries, whether or not reminders empty the list.
func TestTextLoopOpenIsClosed(t *testing.T) {
	said := make(map[TextAction]int)
	sessions(t, 600, func(t *testing.T, r *rand.Rand, list []turn) {
		for trigger := 2; trigger <= 6; trigger++ {
			recoveries, clears := r.IntN(6), r.IntN(2) == 0
			run := TextLoopRun{Limit: 200, Buffer: trigger + r.IntN(3), Trigger: trigger, MaxRecovery: recoveries, ClearOnRecovery: clears}
			open := openTextLoop{TextLoop: TextLoop{Limit: 200}, trigger: trigger, recoveries: recoveries, clears: clears}
			for i, s := range list {
				if s.user {
					run.Reset()
					open.reset()
					continue
				}
				want := run.Step(s.parts, s.cropped)
				said[want]++
				if got := open.step(s.parts, s.cropped); got != want {
					t.Errorf("trigger %d, %d recoveries, clears %v: step %d: open %d, closed %d", trigger, recoveries, clears, i, got, want)
				}
			}
		}
	})
	if len(said) < 6 {
		t.Errorf("sessions are too tame: %v", said)
	}
}

// A list that is shorter than the trigger never fires.
func TestTextLoopShortList(t *testing.T) {
	run := TextLoopRun{Limit: 200, Buffer: 5, Trigger: 6, MaxRecovery: 2}
	for range 20 {
		if got := run.Step([]Part{{Text: "again"}}, false); got != TextNone {
			t.Errorf("got %d", got)
		}
	}
}

func TestTextKeyWithoutInput(t *testing.T) {
	for _, test := range []struct {
		part Part
		want string
	}{
		{Part{Kind: Tool, Tool: "n"}, "x\x00n:\"\""},
		{Part{Kind: Tool, Tool: "n", Undefined: true}, "x\x00n:undefined"},
		{Part{Kind: Tool, Tool: "n", Input: `{"cmd": "ls`}, "x\x00n:\"{\\\"cmd\\\": \\\"ls\""},
	} {
		key, _ := TextKey([]Part{{Text: "x"}, test.part}, 200)
		if key != test.want {
			t.Errorf("got %q, want %q", key, test.want)
		}
	}
}

// The streak of the meter is what walking back finds, for every threshold.
func TestActionIsLiteral(t *testing.T) {
	fired := 0
	sessions(t, 600, func(t *testing.T, r *rand.Rand, list []turn) {
		threshold := 2 + r.IntN(7)
		each := ActionRun{Threshold: threshold}
		once := ActionRun{Threshold: threshold, Once: true}
		var messages []message
		marked := false
		for i, s := range list {
			if s.user {
				each.User()
				once.User()
				marked = false
			} else {
				each.Step(s.finished, s.parts)
				once.Step(s.finished, s.parts)
			}
			messages = append(messages, message{at: i, user: s.user, finished: s.finished, parts: s.parts})
			want := repeats(messages, threshold)
			if got := each.Request(); got != want {
				t.Errorf("threshold %d, after %d: %v, want %v", threshold, i, got, want)
			}
			if got := once.Request(); got != (want && !marked) {
				t.Errorf("threshold %d, after %d: %v, want %v and %v", threshold, i, got, want, !marked)
			}
			if want {
				marked = true
				fired++
			}
		}
	})
	if fired < 500 {
		t.Errorf("sessions are too tame: %d", fired)
	}
}

// The state machine is the text of the specification over whole lists.
func TestStreakIsLiteral(t *testing.T) {
	var made, truncated, again, continued int
	sessions(t, 800, func(t *testing.T, r *rand.Rand, list []turn) {
		trigger, maxSpan := 1+r.IntN(5), 1+r.IntN(6)
		if r.IntN(2) == 0 {
			maxSpan = 64
		}
		machine := ThinkingStreak{Trigger: trigger, MaxSpan: maxSpan}
		literal := literalStreak{trigger: trigger, maxSpan: maxSpan}
		keys := make(map[string]bool)
		for i, s := range list {
			if s.user {
				machine.User(s.parts)
				literal.user(s.parts)
				continue
			}
			// A request may have brought nothing, or not be on record.
			for range r.IntN(3) {
				got, want := machine.Request(), literal.request()
				if got != want {
					t.Errorf("trigger %d, span %d, before %d: %+v, want %+v", trigger, maxSpan, i, got, want)
				}
				if got.Made {
					made++
					key, _ := StreakKey(list[got.To].parts)
					keys[key] = true
				}
				if got.Truncated {
					truncated++
				}
				if got.Continue {
					continued++
				}
			}
			_, seen := machine.Step(s.finished, s.parts)
			literal.step(s.finished, s.parts)
			if key, _ := StreakKey(s.parts); seen != keys[key] {
				t.Errorf("step %d has a cropped key: %v, want %v", i, seen, keys[key])
			}
			if seen {
				again++
			}
		}
		if _, omitted := replay(literal.all); len(omitted) != len(machine.Omitted()) {
			t.Errorf("%d omitted, want %d", len(machine.Omitted()), len(omitted))
		}
	})
	if made < 500 || truncated < 50 || again < 500 || continued < 300 {
		t.Errorf("sessions are too tame: %d crops, %d truncated, %d again, %d continued", made, truncated, again, continued)
	}
}

// The reasoning of two parts is one text, also where a character lies across them.
func TestStreakKeyJoinsHalves(t *testing.T) {
	apart, _ := StreakKey([]Part{{Kind: Reasoning, Text: "x" + high}, {Kind: Reasoning, Text: low}})
	whole, _ := StreakKey([]Part{{Kind: Reasoning, Text: "x😀"}})
	if apart != whole {
		t.Errorf("%s, want %s", apart, whole)
	}
	lone, _ := StreakKey([]Part{{Kind: Reasoning, Text: "x" + high}})
	replaced, _ := StreakKey([]Part{{Kind: Reasoning, Text: "x\ufffd"}})
	if lone != replaced {
		t.Errorf("%s, want %s", lone, replaced)
	}
}

// The length of a run answers every threshold.
func TestDoomIsLiteral(t *testing.T) {
	fired := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var meter Doom
		literals := make([]literalDoom, 9) // by threshold
		var pending []string
		for i := range r.IntN(30) {
			switch n := r.IntN(10); {
			case n == 0:
				meter.Break()
				for j := range literals {
					literals[j].add(literalPart{})
				}
			case n < 5 || len(pending) == 0:
				id := fmt.Sprint("c", i)
				meter.Start(id)
				for j := range literals {
					literals[j].add(literalPart{id: id, tool: true})
				}
				pending = append(pending, id)
			default:
				at := pick(r, 0, len(pending)-1)
				id := pending[at]
				pending = append(pending[:at:at], pending[at+1:]...)
				call := Part{Tool: pick(r, "bash", "bash", "bash", "read"), Input: pick(r, "{}", "{ }", "{}", `{"a":1}`)}
				run := meter.Call(id, &call)
				for threshold := 2; threshold < len(literals); threshold++ {
					want := literals[threshold].call(id, call, threshold)
					if (run >= threshold) != want {
						t.Fatalf("seed %d, %s: a run of %d, threshold %d: want %v", seed, id, run, threshold, want)
					}
					if want {
						fired++
					}
				}
			}
		}
	}
	if fired < 500 {
		t.Errorf("messages are too tame: %d", fired)
	}
}

func TestDoomRuns(t *testing.T) {
	call := Part{Kind: Tool, Tool: "bash", Input: "{}", State: Completed}
	pending := call
	pending.State = Pending
	got := DoomRuns([]Part{{Kind: Other}, call, call, call, {Kind: Text}, call, {Kind: Tool, Tool: "read", Input: "{}", State: Failed}, pending, call})
	if want := []int{0, 1, 2, 3, 0, 1, 1, 0, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Of calls that arrive whole, the filter forwards those with a number up to its limit.
func TestCallCountIsFlood(t *testing.T) {
	for limit := range 12 {
		f := Flood{Limit: limit}
		var count CallCount
		for i := range 15 {
			id := fmt.Sprint("c", i)
			n := count.Add(id)
			if got := len(f.Event(FloodEvent{FloodCall, id})) > 0; got != (n <= limit) {
				t.Errorf("limit %d, call %d: forwarded %v", limit, n, got)
			}
		}
		f.End()
		if !f.Flooded() {
			t.Errorf("limit %d: no flood", limit)
		}
	}
	var count CallCount
	var got []int
	for _, id := range strings.Split("a,b,a,,,c,b", ",") {
		got = append(got, count.Add(id))
	}
	if want := []int{1, 2, 1, 3, 4, 5, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// An error lets a stream end without a verdict; an end with a call still open does not.
func TestFloodEnds(t *testing.T) {
	for _, test := range []struct {
		last FloodKind
		want bool
	}{{FloodError, false}, {FloodOther, true}} {
		f := Flood{Limit: 1}
		f.Event(FloodEvent{FloodStart, "a"})
		f.Event(FloodEvent{FloodStart, "b"})
		f.Event(FloodEvent{Kind: test.last})
		f.End()
		if f.Flooded() != test.want {
			t.Errorf("after %d: %v", test.last, f.Flooded())
		}
	}
}

// The last open call that completes ends an overflowing stream at once.
func TestFloodSettles(t *testing.T) {
	f := Flood{Limit: 1}
	f.Event(FloodEvent{FloodStart, "a"})
	f.Event(FloodEvent{FloodStart, "b"})
	if got := f.Event(FloodEvent{FloodDelta, "a"}); len(got) != 1 || f.Flooded() {
		t.Errorf("forwarded %v, flooded %v", got, f.Flooded())
	}
	if got := f.Event(FloodEvent{FloodCall, "a"}); len(got) != 1 || !f.Flooded() {
		t.Errorf("forwarded %v, flooded %v", got, f.Flooded())
	}
	if got := f.Event(FloodEvent{Kind: FloodOther}); got != nil {
		t.Errorf("forwarded %v after the flood", got)
	}
}

func TestAutoResume(t *testing.T) {
	goes := Halt{Retryable: true, Finish: "other", States: []State{Failed, Completed}}
	if !AutoResume(&goes) {
		t.Errorf("%+v: no", goes)
	}
	for _, change := range []func(*Halt){
		func(h *Halt) { h.ReplaySafe = true },
		func(h *Halt) { h.Aborted = true },
		func(h *Halt) { h.Retryable = false },
		func(h *Halt) { h.Finish = "error" },
		func(h *Halt) { h.Finish = "content-filter" },
		func(h *Halt) { h.FinalText = true },
		func(h *Halt) { h.States = []State{Completed, Pending} },
		func(h *Halt) { h.States = []State{Running, Completed} },
		func(h *Halt) { h.States = []State{Failed} },
	} {
		h := goes
		change(&h)
		if AutoResume(&h) {
			t.Errorf("%+v: yes", h)
		}
	}
}

func TestEmptyInput(t *testing.T) {
	for raw, want := range map[string]bool{
		"": true, "null": true, "{}": true, " { } ": true, "[]": true, `""`: true, `" \u3000"`: true,
		`{"a":null,"b":" ","c":[ ],"d":{ }}`: true, `["",null]`: true, `{"a":1,"a":""}`: true,
		`{"a":0}`: false, `{"a":false}`: false, `{"a":[null]}`: false, `{"a":{"b":""}}`: false,
		`"x"`: false, "0": false, "false": false, `{"a":`: false, "[": false, "x": false,
	} {
		if got := emptyInput(raw); got != want {
			t.Errorf("emptyInput(%s) = %v, want %v", raw, got, want)
		}
	}
}
