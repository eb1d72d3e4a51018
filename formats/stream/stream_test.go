package stream_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/stream"
	"groundhog/replay/transcript"
)

// An event over the limit is reported and left out; its neighbours are not.
func TestLongEvents(t *testing.T) {
	long := strings.Repeat("x", 500)
	text := `data: {"id":"m","choices":[{"delta":{"content":"a"}}]}` + "\n\n" +
		`data: {"id":"m","choices":[{"delta":{"content":"` + long + `"}}]}` + "\n\n" +
		"data: {\"id\":\"m\",\ndata: \"x\":\"" + long[:150] + "\",\ndata: \"y\":\"" + long[:150] + "\"}\n\n" +
		`data: {"id":"m","choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}` + "\n"
	got := formattest.Dump(stream.OpenAI, text, formats.Options{MaxRecord: 200})
	want := `session openai-stream:# records=4
  ! f:3: event of 554 bytes is over the limit of 200; raise it with --max-record
  ! f:5: event of 325 bytes is over the limit of 200; raise it with --max-record
  1 response id=m "a" "b" finish=stop
  note 3: records over the size limit were skipped x2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = formattest.Dump(stream.OpenAI, `[{"choices":[{"delta":{"content":"a"}}]}, {"choices":"`+strings.Repeat("x", 100_000)+`"}]`, formats.Options{MaxRecord: 200})
	if !strings.Contains(got, "over the limit of 200 bytes") || !strings.Contains(got, `response "a"`) {
		t.Errorf("array: %s", got)
	}
	got = formattest.Dump(stream.Cassette, "interactions:\n- request:\n", formats.Options{MaxRecord: 10})
	if !strings.Contains(got, "a cassette of 25 bytes is over the limit of 10") {
		t.Errorf("cassette: %s", got)
	}
}

// The id is of the bytes, so that labels survive a move.
func TestSessionID(t *testing.T) {
	text := `{"id":"chatcmpl-0123456789","object":"chat.completion.chunk","choices":[]}`
	u := formattest.Units(t, stream.OpenAI, text, formats.Options{})[0]
	if id := u.Session.ID; id != "openai-stream:7dedbf204369ddf2" {
		t.Errorf("id %s", id)
	}
	if len(u.Messages) != 1 || u.Messages[0] != formats.MessageKey("chatcmpl-0123456789") {
		t.Errorf("messages %v", u.Messages)
	}
}

// A document of aliases stands for more than there is room for.
func TestAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("interactions:\n- request:\n    method: POST\n    parsed_body:\n      messages: &a0 [{role: user, content: hi}]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "      a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	b.WriteString("      self: &s [*s]\n  response: {status: {code: 500}, body: {string: x}}\n")
	got := formattest.Dump(stream.Cassette, b.String(), formats.Options{MaxRecord: 1 << 16})
	if !strings.Contains(got, "attempt 1/0 500") {
		t.Errorf("got %.300s", got)
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"id":"c","object":"chat.completion.chunk","choices":[]}`, "openai-stream"},
		{"data: {\"object\":\"chat.completion.chunk\"}\n\ndata: [DONE]\n", "openai-stream"},
		{`{"type":"message_start","message":{}}`, "anthropic-stream"},
		{"event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "anthropic-stream"},
		{`{"type":"response.created","response":{}}`, "responses-stream"},
		{`[{"type":"response.created","response":{}}]`, "responses-stream"},
		{"interactions:\n- request:\n    body: ''\n", "http-cassette"},
		{"---\nversion: 2\ninteractions:\n  - id: 0\n", "http-cassette"},
		{"---\nhttp_interactions:\n- request:\n", "http-cassette"},
		{`{"log":{"entries":[{"request":{},"response":{}}]}}`, "http-cassette"},
		{`[{"scope":"s","method":"POST","path":"/","response":""}]`, "http-cassette"},
		{": ping\n\ndata: {\"candidates\":[]}\n\n", "no known format"},
		{"interactive: yes\n", "no known format"},
		{"{\"type\":\"message\"}", "no known format"},
	} {
		dir := t.TempDir() + "/x"
		if err := os.WriteFile(dir, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		files := formats.Files{Paths: []string{dir}, Formats: all}
		found, err := files.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, u := range found.Units {
			got = u.Session.Origin.Format
		}
		for _, s := range found.Skipped {
			if got = s.Why; strings.Contains(got, "of no known format") {
				got = "no known format"
			}
			if strings.Contains(got, "recorded") && strings.Contains(got, "exchanges") {
				got = "http-cassette" // with nothing in it
			}
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s\n\tis %s, want %s", test.text, got, test.want)
		}
	}
}

// checkStep: a call has one input among the parts, which is its arguments, and
// attempts are numbered.
func checkStep(t *testing.T, s *transcript.Step) {
	t.Helper()
	formattest.CheckStep(t, s)
	inputs := 0
	for i := range s.Parts {
		if p := &s.Parts[i]; p.Kind == transcript.ToolInput {
			inputs++
			if p.Text != s.Calls[p.Call].Args {
				t.Errorf("input %q of a call with %q", p.Text, s.Calls[p.Call].Args)
			}
		}
	}
	if inputs != len(s.Calls) {
		t.Errorf("%d inputs of %d calls", inputs, len(s.Calls))
	}
	for i := range s.Attempts {
		if s.Attempts[i].N != i+1 || s.Attempts[i].Outcome == "" {
			t.Errorf("attempt %+v", s.Attempts[i])
		}
	}
}
