package claudecode

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// A tape is a file that is never whole: record i is made when it is read.
type tape struct {
	record  func(i int) string
	records int
	read    int // records handed out so far
}

const tapeRecord = 512

func (t *tape) Close() error { return nil }

func (t *tape) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		i := int(off) / tapeRecord
		if i >= t.records {
			return n, io.EOF
		}
		t.read = max(t.read, i+1)
		rec := t.record(i)
		rec += strings.Repeat(" ", tapeRecord-1-len(rec)) + "\n"
		c := copy(p[n:], rec[off%tapeRecord:])
		n += c
		off += int64(c)
	}
	return n, nil
}

// TestHoldsLittle reads long recordings in which something never ends, and
// compares what has been read with what has been given out.
func TestHoldsLittle(t *testing.T) {
	const buffer = 64 << 10 / tapeRecord // what Lines reads ahead
	id := func(i int) string { return fmt.Sprint("i", i) }
	tests := []struct {
		name    string
		perStep int
		bound   int
		record  func(i int) string
	}{
		{"calls with results", 2, keptOpen + 1, func(i int) string {
			if i%2 == 0 {
				return said(id(i), id(i), call(id(i)))
			}
			return user(id(i), result(id(i-1), `"x"`))
		}},
		{"calls without results", 1, maxWaiting + 1, func(i int) string {
			return said(id(i), id(i), call(id(i)))
		}},
		{"injections behind a call", 1, maxInjections + 2, func(i int) string {
			if i == 0 {
				return said(id(i), id(i), call(id(i)))
			}
			return user(id(i), `"x"`, `"isMeta":true`)
		}},
		{"sub-agents", 1, maxLanes*keptOpen + 1, func(i int) string {
			return said(id(i), id(i), call(id(i)), `"isSidechain":true,"agentId":"`+id(i/2)+`"`)
		}},
		{"an answered call in front of unanswered ones", 1, maxWaiting + 1, func(i int) string {
			return said(id(i), id(i), call("same"))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tp := &tape{record: test.record, records: 100_000}
			f := &formats.File{Name: "tape", Size: int64(tp.records) * tapeRecord,
				Open: func() (formats.ReadAtCloser, error) { return tp, nil }}
			for u, err := range Format.Find(f, formats.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				tp.read = 0
				steps, most := 0, 0
				for _, err := range u.Steps() {
					if err != nil {
						t.Fatal(err)
					}
					// At the end everything leaves, one step after the other.
					if steps++; tp.read < tp.records {
						most = max(most, tp.read/test.perStep-steps)
					}
				}
				if most > test.bound+buffer || steps != tp.records/test.perStep {
					t.Errorf("%d steps, at most %d of them held; want %d and %d",
						steps, most, tp.records/test.perStep, test.bound+buffer)
				}
			}
		})
	}
}

func TestStops(t *testing.T) {
	u := unit(t, lines(user("u1", `"a"`)+user("u2", `"b"`), `broken`, user("u3", `"c"`)))
	for n := 1; n <= 4; n++ {
		got := 0
		for range u.Steps() {
			if got++; got == n {
				break
			}
		}
		if got != n {
			t.Errorf("asked for %d, got %d", n, got)
		}
	}
}

type faulty struct{ data string }

func (faulty) Close() error { return nil }

func (f faulty) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(f.data)) {
		return 0, errors.New("disk on fire")
	}
	return copy(p, f.data[off:]), nil
}

func TestReadError(t *testing.T) {
	data := lines(user("u1", `"a"`), said("a1", "m1", text("b")))
	for _, data := range []string{data, "[" + data} {
		f := formattest.File(data)
		var found []*formats.Unit
		for u, err := range Format.Find(f, formats.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, u)
		}
		f.Open = func() (formats.ReadAtCloser, error) { return faulty{data[:len(data)-20]}, nil }
		var last error
		for s, err := range found[0].Steps() {
			if last != nil {
				t.Errorf("%v, %v after an error", s, err)
			}
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "disk on fire") {
			t.Errorf("Steps ends with %v", last)
		}
		for _, last = range Format.Find(f, formats.Options{}) {
		}
		if last == nil || !strings.Contains(last.Error(), "disk on fire") {
			t.Errorf("Find ends with %v", last)
		}
	}
}

// FuzzSteps checks what holds for any file.
func FuzzSteps(f *testing.F) {
	const agent = `"isSidechain":true,"agentId":"ag"`
	conversation := lines(user("u1", `"go"`), said("a1", "m1", call("c")), user("r1", result("c", `"x","is_error":true`)),
		said("a2", "m2", text("b"), agent), rec("system", "e", `"subtype":"api_error","error":{"headers":{"a":["b"]},"error":{"error":{}}}`),
		rec("progress", "p", `"data":{"type":"agent_progress","message":`+said("n", "m3", call("d"))+`}`),
		rec("system", "k", `"subtype":"compact_boundary"`))
	f.Add([]byte(conversation))
	f.Add([]byte("[" + strings.ReplaceAll(strings.TrimSpace(conversation), "\n", ",") + "]"))
	f.Add([]byte(strings.ReplaceAll(conversation, ",", ",\r\n")))
	f.Add([]byte(conversation[:len(conversation)/2] + "\n" + conversation[200:] + "\xff\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := formats.Options{MaxRecord: 1 << 10}
		formattest.Check(t, Format, string(data), o)
		for u, err := range Format.Find(formattest.File(string(data)), o) {
			if err == nil {
				invariants(t, string(data), u)
			}
		}
	})
}

func invariants(t *testing.T, data string, u *formats.Unit) {
	t.Helper()
	last := make(map[string]int) // line of the last response of each lane
	results, broken := 0, 0
	for s, err := range u.Steps() {
		if err != nil {
			broken++
			continue
		}
		if s.Kind == transcript.Response && !s.Has(transcript.Synthetic) {
			if s.Line < last[s.Lane] {
				t.Errorf("line %d after line %d in lane %q", s.Line, last[s.Lane], s.Lane)
			}
			last[s.Lane] = s.Line
		}
		next := 0
		for _, p := range s.Parts {
			if p.Kind == transcript.ToolInput {
				if p.Call != next || p.Text != s.Calls[p.Call].Args {
					t.Errorf("part for call %d, want %d", p.Call, next)
				}
				next++
			}
		}
		if next != len(s.Calls) {
			t.Errorf("parts for %d of %d calls", next, len(s.Calls))
		}
		for _, c := range s.Calls {
			if (c.Result.Status == transcript.ResultMissing) != (c.Result.Line == 0) {
				t.Errorf("result %+v", c.Result)
			}
			if c.Result.Line > 0 {
				results++
			}
		}
	}
	if !strings.Contains(data, `\`) && results > strings.Count(data, "tool_result") {
		t.Errorf("%d results from %d records", results, strings.Count(data, "tool_result"))
	}
	if broken > u.Records {
		t.Errorf("%d broken records of %d", broken, u.Records)
	}
}
