package streamjson_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
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
	got := formattest.Dump(streamjson.Format, text, formats.Options{MaxRecord: 100})
	want := `session s agent=claude-code records=3 messages=2
  ! f:2: record of 258 bytes is over the limit of 100; raise it with --max-record
  1 response id=a "x"
  3 response id=b "y"
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
	for u := range streamjson.Format.Find(formattest.File(text), formats.Options{}) {
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
	u := formattest.Units(t, streamjson.Format, `{"type":"result","num_turns":1}`, formats.Options{})[0]
	if id := u.Session.ID; !strings.HasPrefix(id, "claude-stream-json:") || len(id) != len("claude-stream-json:")+16 {
		t.Errorf("id %s", id)
	}
	var syntax *formats.SyntaxError
	for _, err := range streamjson.Format.Find(formattest.File("noise\n"), formats.Options{}) {
		if !errors.As(err, &syntax) {
			t.Errorf("noise alone: %v", err)
		}
	}
}
