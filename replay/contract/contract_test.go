package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/detectors/kocoro"
	"groundhog/replay/contract"
	"groundhog/replay/transcript"
)

func TestEmpty(t *testing.T) {
	empty := contract.Empty(kocoro.Name(nil), kocoro.Required)
	for _, c := range []struct{ tool, args, want string }{
		{"file_write", `{"path":"a"}`, "content missing"},
		{"file_write", `{"path":"a","content":""}`, "content empty"},
		{"file_write", `{"path":"a","content":" \n"}`, "content empty"},
		{"file_write", `{"path":"a","content":null}`, "content empty"},
		{"file_write", `{"path":"a","content":"x"}`, ""},
		{"file_write", `{}`, "path missing, content missing"},
		{"Write", `{"file_path":"a","content":"x"}`, ""}, // another agent's name for both
		{"Write", `{"file_path":"","content":"x"}`, "path empty"},
		{"Bash", `{"command":""}`, "command empty"},
		{"Grep", `{"pattern":"x","path":""}`, ""}, // a search may leave its path out
		{"Edit", `{"file_path":"a","old_string":"x","new_string":""}`, ""},
		{"web_search", `{"queries":[ ]}`, "query empty"},
		{"send_mail", `{"body":"","to":"x"}`, "body empty"},
		{"send_mail", `{"to":"x"}`, ""}, // nothing is known of its contract
		{"send_mail", `{"note":""}`, ""},
		{"send_mail", `{"body":"","body":"x"`, ""}, // broken
		{"file_write", `not json`, ""},
		{"file_write", `"a text"`, ""},
		{"file_write", ``, ""},
	} {
		var got []string
		for _, e := range empty(&transcript.Call{Tool: c.tool, Args: c.args}) {
			how := "empty"
			if e.Missing {
				how = "missing"
			}
			got = append(got, fmt.Sprintf("%s %s", e.Argument, how))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, s, c.want)
		}
	}
}

func FuzzEmpty(f *testing.F) {
	for _, s := range []string{`{"content":""}`, `{"content":null,"a":{"b":[]}}`, `{"path":"\ud800"}`, `[`, `{"path":`, "{\"\xff\":\"\"}", ``} {
		f.Add("file_write", s)
		f.Add("other", s)
	}
	empty := contract.Empty(kocoro.Name(nil), kocoro.Required)
	f.Fuzz(func(t *testing.T, tool, args string) {
		for _, e := range empty(&transcript.Call{Tool: tool, Args: args}) {
			if strings.ContainsAny(e.Argument, "\x00\x1b\" ") || len(e.Argument) > 20 {
				t.Errorf("an argument's name is taken from the session: %q", e.Argument)
			}
		}
	})
}
