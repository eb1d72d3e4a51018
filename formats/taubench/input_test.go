package taubench_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/record"
	"groundhog/formats/taubench"
)

// task is a small result, as it is written on one line, and what it gives.
func task(id int) string {
	return fmt.Sprintf(`{"task_id":%d,"traj":[{"role":"user","content":"%d"}],"reward":1}`, id, id)
}

func gives(task, line int) string {
	return fmt.Sprintf("session tau-bench:%d:# task=%d reward=1 success=true\n  %d prompt \"%d\"\n", task, task, line, task)
}

// TestShapes: how a file is put together does not change what is in it.
func TestShapes(t *testing.T) {
	const pretty = "{\n  \"task_id\": 1,\n  \"traj\": [\n    {\n      \"role\": \"user\",\n      \"content\": \"1\"\n    }\n  ],\n  \"reward\": 1\n}"
	tests := []struct{ name, text, want string }{
		{"array on one line", "[" + task(1) + ", " + task(2) + "]", gives(1, 1) + gives(2, 1)},
		{"array, a result a line", "[\n" + task(1) + ",\n" + task(2) + "\n]\n", gives(1, 2) + gives(2, 3)},
		{"pretty", "[\n" + pretty + ",\n" + pretty + "\n]", gives(1, 5) + gives(1, 15)},
		{"pretty, CRLF", strings.ReplaceAll("[\n"+pretty+",\n"+pretty+"\n]\n", "\n", "\r\n"), gives(1, 5) + gives(1, 15)},
		{"byte order mark", "\xef\xbb\xbf[" + task(1) + "]", gives(1, 1)},
		{"lines", task(1) + "\n" + task(2) + "\n", gives(1, 1) + gives(2, 2)},
		{"lines, CRLF, byte order mark, blank lines, no final newline", "\xef\xbb\xbf\r\n" + task(1) + "\r\n\r\n" + task(2), gives(1, 2) + gives(2, 4)},
		{"glued", task(1) + task(2), gives(1, 1) + gives(2, 1)},
		{"arrays one after the other", "[" + task(1) + "]\n[" + task(2) + "]\n", gives(1, 1) + gives(2, 2)},
		{"one object", pretty, gives(1, 4)},
		{"an empty array", "[]", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		if got := dump(tt.text, formats.Options{}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestBad: a bad result is named with its line and what was expected, and the
// next one is read.
func TestBad(t *testing.T) {
	const expected = `expected a result: {"task_id", "reward", "info", "traj", "trial"}`
	tests := []struct{ name, bad, fault string }{
		{"a number", "7", expected + ", found number"},
		{"a word", "oops", expected + ", found text that is not JSON"},
		{"an array", "[[1],{}]", expected + ", found ["},
		{"no messages", `{"task_id":1}`, expected + ", found no traj that is an array"},
		{"messages of another type", `{"task_id":1,"traj":{}}`, expected + ", found no traj that is an array"},
		{"a bad literal", `{"task_id":1,"traj":[{"role":tru}]}`, "not valid JSON: invalid character '}' in literal true (expecting 'e'); " + expected},
		{"a wrong bracket", `{"task_id":1,"traj":[{"role":"user"],"trial":0}`, "not valid JSON: invalid character ']' after object value (expecting ',' or '}'); " + expected},
		{"a bracket too many", `}`, expected + ", found text that is not JSON"},
		{"a quote is missing", `{"task_id":1,"traj":[{"role":"user}],"trial":0}`, "not valid JSON: invalid character 't' after object value"},
		{"a bracket is missing", `{"task_id":1,"traj":[{"role":"user"},`, ""},
		{"two brackets are missing", `{"task_id":1,"traj":[{"role":"user"}`, "the JSON value is cut off; " + expected},
		{"deep", `{"task_id":` + strings.Repeat("[", 20_000), "not valid JSON: exceeded max depth; " + expected},
	}
	for _, tt := range tests {
		for _, shape := range []struct{ name, begin, between, end string }{
			{"array", "[\n", ",\n", "\n]"},
			{"lines", "\n", "\n", "\n"},
			{"one line", "[\n", ",", "]"},
		} {
			if tt.name == "an array" && shape.name == "lines" {
				continue // which is a file of its own
			}
			got := dump(shape.begin+task(2)+shape.between+tt.bad+shape.between+task(3)+shape.end, formats.Options{})
			line, first := 3, 2
			if shape.name == "one line" {
				line = 2
			}
			rest, ok := strings.CutPrefix(got, gives(2, first))
			fault, ok2 := strings.CutSuffix(rest, gives(3, line+strings.Count(shape.between, "\n")))
			if !ok || !ok2 {
				t.Errorf("%s, %s: a good result is not read:\n%s", tt.name, shape.name, got)
				continue
			}
			if want := fmt.Sprintf("! f:%d: %s", line, tt.fault); !strings.HasPrefix(fault, want) || strings.Count(fault, "\n") != 1 {
				t.Errorf("%s, %s: %s\twant %s", tt.name, shape.name, fault, want)
			}
		}
	}
}

// TestCut: a file that ends early gives what is whole.
func TestCut(t *testing.T) {
	const note = "  end truncated\n  note 0: the last line is cut off x1\n"
	const open = `{"task_id":2,"reward":1,"traj":[{"role":"user","content":"2"}`
	cut := func(line int) string {
		return fmt.Sprintf("session tau-bench:2:# task=2 reward=1 success=true\n  %d prompt \"2\"\n", line) + note
	}
	tests := []struct{ name, text, want string }{
		{"in a message", "[" + task(1) + ",\n" + open + `,{"role":"ass`, gives(1, 1) + cut(2)},
		{"between messages", "[" + task(1) + ",\n" + open + `,`, gives(1, 1) + cut(2)},
		{"after a message", task(1) + "\n" + open, gives(1, 1) + cut(2)},
		{"after the messages", task(1) + "\n" + open + `],"tri`, gives(1, 1) + cut(2)},
		{"at the last bracket", "[" + open + `],"trial":0`, strings.ReplaceAll(cut(1), "2:# task=2", "2/0:# task=2 trial=0")},
		{"before the first message", "[" + task(1) + ",\n" + `{"task_id":2,"traj":[{"role":"us`, gives(1, 1) + "! f:2: the file ends inside a result, before the end of its first message\n"},
		{"before the messages", "[" + task(1) + ",\n" + `{"task_id":2,"info":{"a`, gives(1, 1) + "! f:2: the file ends inside a result, before the end of its first message\n"},
		{"between results", "[" + task(1) + ",\n", gives(1, 1) + "! f:2: the file ends inside the array: expected another result or ]\n"},
		{"after a call", `[{"task_id":2,"reward":1,"traj":[{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},{"role":"too`,
			"session tau-bench:2:# task=2 reward=1 success=true\n  1 response \"x\"\n    1 call 1 a {} -> missing\n" + note + "  note 1: calls without a recorded result x1\n"},
	}
	for _, tt := range tests {
		if got := dump(tt.text, formats.Options{}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestManyBad: a file of beginnings alone is given up, and in good time.
func TestManyBad(t *testing.T) {
	for _, begin := range []string{`{"task_id":{`, `{"task_id"]`, `{"task_id":"`} {
		got := dump("["+strings.Repeat(begin, 10_000)+task(1)+"]", formats.Options{})
		if !strings.HasSuffix(got, "more than 100 bad results one after the other; the rest was not read\n") || strings.Count(got, "!") != 102 {
			t.Errorf("%s: %.300s", begin, got)
		}
	}
}

// TestLimit: what is over the limit is named with the flag that raises it, and
// what follows is read.
func TestLimit(t *testing.T) {
	o := formats.Options{MaxRecord: 200}
	message := func(n int) string { return `{"role":"user","content":"` + strings.Repeat("x", n) + `"}` }
	const over = "a message or text of more than 200 bytes; raise the limit with --max-record\n"
	head := "session tau-bench:7/0:# task=7 trial=0 reward=0 success=false\n"

	got := dump(result(message(1)+","+message(300)+","+message(2))+"\n"+task(2), o)
	want := head + "  1 prompt \"x\"\n  ! f:1: " + over + "  1 prompt \"xx\"\n  note 1: records over the size limit were skipped x1\n" + gives(2, 2)
	if got != want {
		t.Errorf("a long message: got\n%swant\n%s", got, want)
	}
	got = dump("["+result(message(200<<10))+",\n"+task(2)+"]", o)
	want = "! f:1: a text of more than 200 bytes; raise the limit with --max-record\n" + gives(2, 2)
	if got != want {
		t.Errorf("a text far over the limit: got\n%.300s", got)
	}
	// A session over the limit is no long record: its messages are read one by one.
	got = dump(result(strings.Repeat(message(100)+",", 999)+message(1)), o)
	if strings.Count(got, "prompt") != 1000 || strings.Contains(got, "!") {
		t.Errorf("a long session: %.300s", got)
	}
}

// TestID: the id has task, trial and the bytes of the result, wherever they lie.
func TestID(t *testing.T) {
	text := result(`{"role":"user","content":"NaN"}, {"n":NaN}`)
	sum := sha256.Sum256([]byte(text))
	want := "tau-bench:7/0:" + hex.EncodeToString(sum[:])[:12]
	for _, s := range []string{text, text + "\n", "\xef\xbb\xbf" + text, "[" + task(1) + ",\r\n" + text + "]"} {
		got := ""
		for u, err := range taubench.Format.Find(formattest.File(s), formats.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = u.Session.ID
		}
		if got != want {
			t.Errorf("%q has id %s, want %s", s, got, want)
		}
	}
}

// TestSniff: three fields tell a result, whatever stands beside them.
func TestSniff(t *testing.T) {
	for fields, want := range map[string]formats.Confidence{
		"task_id reward traj":            formats.Certain,
		"task_id reward traj info trial": formats.Certain,
		"task_id reward":                 formats.No,
		"task_id traj":                   formats.No,
		"reward traj":                    formats.No,
		"task_id reward_info messages":   formats.No,
		"":                               formats.No,
	} {
		var object record.Builder
		object.Open('{')
		for _, name := range strings.Fields(fields) {
			object.Int(name, 0)
		}
		object.Close('}')
		h := formattest.Head(fmt.Sprintf("[{},%s]", object.Buf))
		if got := taubench.Format.Sniff(h); got != want {
			t.Errorf("%q: %v, want %v", fields, got, want)
		}
	}
}

// endless is an array of results on one line, made as it is read. A result has
// so many messages that it does not fit into the heap the test allows.
type endless struct{ unit string }

const (
	results  = 40
	messages = 20_000
)

func (e endless) size() int64 { return int64(1 + results*len(e.unit)) }

func (e endless) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < e.size() {
		if off == 0 {
			p[n] = '['
			n, off = n+1, off+1
			continue
		}
		m := copy(p[n:], e.unit[(off-1)%int64(len(e.unit)):])
		n, off = n+m, off+int64(m)
	}
	if off >= e.size() {
		n -= int(off - e.size())
		p[n-1] = ']' // in place of the last comma
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (endless) Close() error { return nil }

// TestMemory: neither a long file nor a long session is held.
func TestMemory(t *testing.T) {
	e := endless{result(strings.Repeat(`{"role":"assistant","content":"0123456789012345678901234567890123456789"},`, messages-1)+`{"role":"user","content":"x"}`) + ","}
	f := &formats.File{Name: "f", Size: e.size(), Open: func() (formats.ReadAtCloser, error) { return e, nil }}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	units, steps := 0, 0
	for u, err := range taubench.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if units++; units%10 != 1 {
			continue
		}
		for _, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			if steps++; steps%15_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
					t.Errorf("after %d steps the heap has grown by %d bytes", steps, grown)
				}
			}
		}
	}
	if units != results || steps != results/10*messages {
		t.Errorf("%d sessions, %d steps", units, steps)
	}
}
