package streamjson_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/streamjson"
)

func TestSniff(t *testing.T) {
	for _, test := range []struct {
		text string
		want bool
	}{
		{`{"type":"system","subtype":"init","session_id":"s","tools":[]}`, true},
		{"$ claude -p hello\n" + `{"type":"system","subtype":"init","session_id":"s"}`, true},
		{`{"type":"result","subtype":"success","num_turns":3}`, true},
		{`{"type":"system","message":{"subtype":"init"}}`, true},
		{`[{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{}}]`, true},
		{`{"type":"assistant","sessionId":"s","session_id":"s","parent_tool_use_id":null}`, false},
		{`{"type":"system","subtype":"init"}`, false},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		files := formats.Files{Paths: []string{path}, Formats: []*formats.Format{streamjson.Format}}
		found, err := files.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(found.Units) == 1; got != test.want {
			t.Errorf("%s: %v", test.text, got)
		}
	}
}

// A record over the limit is reported and left out; its neighbours are not.
func TestLongRecords(t *testing.T) {
	text := `{"type":"assistant","session_id":"s","message":{"id":"a","content":"x"}}` + "\n" +
		`{"type":"user","session_id":"s","message":{"content":"` + strings.Repeat("x", 200) + `"}}` + "\n" +
		`{"type":"assistant","session_id":"s","message":{"id":"b","content":["y"]}}`
	got := dump(text, formats.Options{MaxRecord: 100})
	want := `session s model= version= exit= end= records=3 messages=2
! f:2: record of 258 bytes is over the limit of 100; raise it with --max-record
1 response id=a
  text whole "x"
3 response id=b
  text whole "y"
note 2: records over the size limit were skipped x1
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Steps that wait for results that never come are given up in time.
func TestWaitingIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"type":"assistant","session_id":"s","message":{"id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"f","input":{}}]}}`+"\n", i, i)
	}
	n, steps := 0, 0
	text := b.String()
	for u := range streamjson.Format.Find(file(text), formats.Options{}) {
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			if steps++; s.ID != fmt.Sprintf("m%d", steps-1) {
				t.Fatalf("step %d is %s", steps, s.ID)
			}
		}
		n = u.Session.Notes[0].N
	}
	if steps != 1000 || n != 1000 {
		t.Errorf("%d steps, %d missing results", steps, n)
	}
}

// Without a session id the bytes name the session.
func TestSessionID(t *testing.T) {
	u := units(t, `{"type":"result","num_turns":1}`, formats.Options{})[0]
	if id := u.Session.ID; !strings.HasPrefix(id, "claude-stream-json:") || len(id) != len("claude-stream-json:")+16 {
		t.Errorf("id %s", id)
	}
	var syntax *formats.SyntaxError
	for _, err := range streamjson.Format.Find(file("noise\n"), formats.Options{}) {
		if !errors.As(err, &syntax) {
			t.Errorf("noise alone: %v", err)
		}
	}
}

// FuzzSteps feeds bytes to both passes. Whatever they are: nothing panics, every
// error is one of syntax, steps hold together, and a second reading gives what
// the first gave.
func FuzzSteps(f *testing.F) {
	data, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(data), "=== ")[1:] {
		_, rest, _ := strings.Cut(c, "\n")
		input, _, _ := strings.Cut(rest, "---\n")
		f.Add([]byte(input), uint16(0))
		f.Add([]byte(input[:len(input)*2/3]), uint16(300))
	}
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		text, o := string(data), formats.Options{MaxRecord: int64(limit)}
		syntax := func(err error) {
			if s := (*formats.SyntaxError)(nil); !errors.As(err, &s) {
				t.Errorf("not a syntax error: %v", err)
			} else if s.Line < 0 || s.Line > strings.Count(text, "\n")+1 {
				t.Errorf("line %d: %v", s.Line, err)
			}
		}
		for u, err := range streamjson.Format.Find(file(text), o) {
			if err != nil {
				syntax(err)
				continue
			}
			if u.Session.ID == "" || u.Records <= 0 || u.Size <= 0 {
				t.Errorf("session %q of %d records, %d bytes", u.Session.ID, u.Records, u.Size)
			}
			for s, err := range u.Steps() {
				if err != nil {
					syntax(err)
					continue
				}
				checkStep(t, s)
			}
			for range u.Steps() {
				break
			}
		}
		if dump(text, o) != dump(text, o) {
			t.Error("two readings differ")
		}
	})
}
