package openai_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/openai"
	"groundhog/replay/transcript"
)

// TestShapes: how a file is put together does not change what is in it.
func TestShapes(t *testing.T) {
	const a, b = `{"id":"a","messages":[{"role":"user","content":"1"}]}`, `{"id":"b","messages":[{"role":"user","content":"2"}]}`
	want := func(line int) string {
		return fmt.Sprintf("session a records=1\n  1 prompt \"1\"\nsession b records=1\n  %d prompt \"2\"\n", line)
	}
	tests := []struct{ name, text, want string }{
		{"lines", a + "\n" + b + "\n", want(2)},
		{"no final newline", a + "\n" + b, want(2)},
		{"CRLF", a + "\r\n" + b + "\r\n", want(2)},
		{"blank lines", a + "\n\n \t\n" + b + "\n\n", want(4)},
		{"byte order mark", "\xef\xbb\xbf" + a + "\n" + b, want(2)},
		{"array", "[" + a + ",\n" + b + "]", want(2)},
		{"array on one line", "[" + a + "," + b + "]", want(1)},
		{"array after a byte order mark", "\xef\xbb\xbf[" + a + ",\r\n" + b + "]", want(2)},
		{"glued", a + b, want(1)},
		{"blank lines first", "\n\n" + a + "\n", "session a records=1\n  3 prompt \"1\"\n"},
	}
	for _, tt := range tests {
		if got := formattest.Dump(openai.Format, tt.text, formats.Options{}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestCut: a file that ends inside a session gives what there is of it.
func TestCut(t *testing.T) {
	const a, b = `{"id":"a","messages":[{"role":"user","content":"1"}]}`, `{"id":"b","messages":[{"role":"user","content":"2"},{"role":"assis`
	const cut = "session b records=1\n  %d prompt \"2\"\n  end truncated\n  note 0: the last line is cut off x1\n"
	first := "session a records=1\n  1 prompt \"1\"\n"
	tests := []struct{ name, text, want string }{
		{"line", a + "\n" + b, first + fmt.Sprintf(cut, 2)},
		{"alone", b, fmt.Sprintf(cut, 1)},
		{"array of sessions", "[" + a + ",\n" + b, first + fmt.Sprintf(cut, 2)},
		{"line without a message", a + "\n" + `{"id":"b","messages":[{"ro`, first + "! f:2: the last line is cut off\n"},
		{"line in a string", a + "\n" + `{"i`, first + "! f:2: the last line is cut off\n"},
		{"not the last line", b + "\n" + a, "! f:1: the JSON value is cut off\nsession a records=1\n  2 prompt \"1\"\n"},
		{"between messages", `{"id":"b","messages":[{"role":"user","content":"2"},`, fmt.Sprintf(cut, 1)},
		{"after the messages", `{"id":"b","messages":[{"role":"user","content":"2"}],"to`, fmt.Sprintf(cut, 1)},
		{"array of messages", `[{"role":"user","content":"2"},{"role":`,
			"session openai:# records=1\n  1 prompt \"2\"\n  end truncated\n  note 0: the last line is cut off x1\n"},
	}
	for _, tt := range tests {
		if got := formattest.Dump(openai.Format, tt.text, formats.Options{}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestLimit: what is over the limit is reported with the limit and the flag,
// and what follows is read.
func TestLimit(t *testing.T) {
	long := strings.Repeat("x", 300)
	huge := strings.Repeat("x", 200<<10)
	message := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	session := func(id, text string) string {
		return `{"id":"` + id + `","messages":[` + message("1") + "," + message(text) + `,{"role":"user","content":"3"}]}`
	}
	const over = "a message or text of more than 200 bytes; raise the limit with --max-record\n"
	o := formats.Options{MaxRecord: 200}

	got := formattest.Dump(openai.Format, session("a", "2")+"\n"+session("b", long)+"\n"+session("c", "2"), o)
	want := "session a records=3\n  1 prompt \"1\"\n  1 prompt \"2\"\n  1 prompt \"3\"\n! f:2: " + over +
		"session c records=3\n  3 prompt \"1\"\n  3 prompt \"2\"\n  3 prompt \"3\"\n"
	if got != want {
		t.Errorf("a long line: got\n%swant\n%s", got, want)
	}

	got = formattest.Dump(openai.Format, session("a", long), o)
	want = "session a records=3\n  1 prompt \"1\"\n  ! f:1: " + over + "  1 prompt \"3\"\n  note 1: records over the size limit were skipped x1\n"
	if got != want {
		t.Errorf("a long message: got\n%swant\n%s", got, want)
	}

	// So many parts that the message is never whole in the buffer.
	parts := `{"role":"user","content":[` + strings.Repeat(`"yyyy",`, 30<<10) + `"z"]}`
	got = formattest.Dump(openai.Format, "["+message("1")+",\n"+parts+",\n"+message("3")+"]", o)
	want = "session openai:# records=3\n  1 prompt \"1\"\n  ! f:2: " + over + "  3 prompt \"3\"\n  note 2: records over the size limit were skipped x1\n"
	if got != want {
		t.Errorf("a message far over the limit: got\n%swant\n%s", got, want)
	}

	// A single string that long cannot be skipped without holding it.
	if got := formattest.Dump(openai.Format, "["+message("1")+","+message(huge)+"]", o); got != "! f:1: "+over {
		t.Errorf("a text far over the limit: got\n%s", got)
	}

	two := strings.Repeat("z", 2<<20)
	if got := formattest.Dump(openai.Format, session("a", two)+"\n"+session("b", "2"), formats.Options{}); strings.Count(got, "prompt") != 6 || strings.Contains(got, "!") {
		t.Errorf("a line of 2 MiB: %.300s", got)
	}
}

// TestPrefix: three logs of one session, each with the history of the one
// before. Every step counts once, where it was first seen.
func TestPrefix(t *testing.T) {
	dir := t.TempDir()
	user, one := `{"role":"user","content":"go"}`, `{"role":"assistant","content":"one","tool_calls":[{"id":"c","type":"function","index":0,"function":{"name":"f","arguments":"{}"}}],"reasoning_content":"hm"}`
	again := `{"content":[{"type":"text","text":"one"}],"role":"assistant","tool_calls":[{"id":"c","function":{"arguments":"{}","name":"f"}}]}`
	result := `{"role":"tool","tool_call_id":"c","content":"r"}`
	two, three := `{"role":"assistant","content":"two"}`, `{"role":"assistant","content":"three"}`
	log := func(name, history, answer string, at int) {
		text := fmt.Sprintf(`{"messages":[%s],"response":{"choices":[{"message":%s}]},"timestamp":%d.5}`, history, answer, at)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log("z-first", user, one, 1700000000)
	log("y-second", user+","+again+","+result, two, 1700000010)
	log("x-third", user+","+again+","+result+","+two, three, 1700000020)
	log("w-other", `{"role":"user","content":"stop"}`, two, 1700000030)

	files := formats.Files{Paths: []string{dir}, Formats: []*formats.Format{openai.Format}}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	own := map[string]string{}
	for _, u := range found.Units {
		n := 0
		for s, err := range u.Read() {
			if err != nil {
				t.Error(err)
			}
			if s.Kind == transcript.Response {
				if s.ID == "" {
					t.Errorf("step %d has no id", n)
				}
				n++
				own[filepath.Base(u.Session.Origin.File)] += s.Text(transcript.Text)
			}
		}
	}
	// The longest log holds the shorter ones, which are copies of its beginning.
	if got := fmt.Sprint(own); got != "map[w-other:two x-third:onetwothree]" {
		t.Errorf("read %s", got)
	}
	if len(found.Copies) != 1 || len(found.Copies[0].Dropped) != 2 {
		t.Errorf("copies: %+v", found.Copies)
	}
}

// TestID: the id of a session is that of its bytes, wherever they lie.
func TestID(t *testing.T) {
	id := func(text string) string {
		t.Helper()
		for u, err := range openai.Format.Find(formattest.File(text), formats.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			return u.Session.ID
		}
		t.Fatal("no session")
		return ""
	}
	const text = `{"messages":[{"role":"user","content":"1"}]}`
	sum := sha256.Sum256([]byte(text))
	want := "openai:" + hex.EncodeToString(sum[:8])
	for _, s := range []string{text, text + "\n", "\xef\xbb\xbf" + text, text + "\r\n" + text, "[" + text + "]"} {
		if got := id(s); got != want {
			t.Errorf("%q has id %s, want %s", s, got, want)
		}
	}
	if id(`{"messages":[{"role":"user","content":"2"}]}`) == want {
		t.Error("another session has the same id")
	}
}

// an endless file is one array of messages on one line, made as it is read.
type endless struct{ n int64 }

const unit = `{"role":"assistant","content":"0123456789012345678901234567890123456789012345678901234567890123456789"},`

func (e endless) size() int64 { return 1 + e.n*int64(len(unit)) }

func (e endless) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < e.size() {
		switch at := (off - 1) % int64(len(unit)); {
		case off == 0:
			p[n] = '['
		case off == e.size()-1:
			p[n] = ']'
		default:
			m := copy(p[n:], unit[at:])
			if rest := e.size() - 1 - off; int64(m) > rest {
				m = int(rest)
			}
			n, off = n+m, off+int64(m)
			continue
		}
		n, off = n+1, off+1
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (endless) Close() error { return nil }

// TestMemory: a file far larger than the heap is read without holding it.
func TestMemory(t *testing.T) {
	e := endless{n: 150_000}
	f := &formats.File{Name: "f", Size: e.size(), Open: func() (formats.ReadAtCloser, error) { return e, nil }}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	steps := 0
	for u, err := range openai.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			if steps += 1; steps%70_000 == 0 && s != nil {
				runtime.GC()
				runtime.ReadMemStats(&now)
				if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
					t.Errorf("after %d steps the heap has grown by %d bytes", steps, grown)
				}
			}
		}
	}
	if steps != int(e.n) {
		t.Errorf("%d steps, want %d", steps, e.n)
	}
}
