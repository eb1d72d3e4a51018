package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
)

// units finds the sessions of a file.
func units(t testing.TB, data string, o formats.Options) []*formats.Unit {
	t.Helper()
	return formattest.Units(t, Format, data, o)
}

func unit(t testing.TB, data string) *formats.Unit {
	t.Helper()
	return formattest.Unit(t, Format, data)
}

// rec writes a record. The head of each is always the same; extra is more of
// its members, and may override them.
func rec(kind, uuid, extra string) string {
	head := `{"type":"` + kind + `","sessionId":"s1","parentUuid":null`
	if uuid != "" {
		head += `,"uuid":"` + uuid + `"`
	}
	if extra != "" {
		head += "," + extra
	}
	return head + "}"
}

func user(uuid, content string, extra ...string) string {
	return rec("user", uuid, strings.Join(append(extra, `"message":{"role":"user","content":`+content+`}`), ","))
}

func said(uuid, id, content string, extra ...string) string {
	return rec("assistant", uuid, strings.Join(append(extra,
		`"message":{"id":"`+id+`","model":"claude-x","role":"assistant","content":[`+content+`]}`), ","))
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }
func call(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"c":"` + id + `"}}`
}
func result(id, content string) string {
	return `[{"type":"tool_result","tool_use_id":"` + id + `","content":` + content + `}]`
}

func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

func check(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimPrefix(want, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSniff(t *testing.T) {
	tests := []struct {
		name, data string
		want       formats.Confidence
	}{
		{"conversation", lines(user("u1", `"hi"`), said("a1", "m1", text("hello"))), formats.Certain},
		{"array", "[" + user("u1", `"hi"`) + "," + said("a1", "m1", text("hello")) + "]", formats.Certain},
		{"head only", lines(`{"type":"summary","summary":"x","leafUuid":"l"}`,
			`{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`), formats.Likely},
		{"snapshot", lines(`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`), formats.Likely},
		{"system", lines(rec("system", "x", `"isSidechain":false,"subtype":"informational"`)), formats.Likely},
		{"qwen parts", lines(rec("user", "u", `"message":{"role":"user","parts":[{"text":"hi"}]}`)), formats.No},
		{"qwen model", lines(rec("assistant", "u", `"message":{"role":"model","content":[]}`)), formats.No},
		{"stream-json", lines(`{"type":"system","subtype":"init","session_id":"s","model":"m"}`), formats.No},
		{"messages", `{"messages":[{"role":"user","content":"x"}]}`, formats.No},
		{"other", "hello\n", formats.No},
	}
	for _, test := range tests {
		if got := Format.Sniff(formattest.Head(test.data)); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestFind(t *testing.T) {
	data := lines(
		`{"type":"file-history-snapshot","messageId":"x","snapshot":{"timestamp":"2020-01-01T00:00:00Z"}}`,
		`{"type":"relocated","sessionId":"elsewhere"}`,
		user("u1", `"one"`, `"timestamp":"bad"`),
		said("a1", "m1", text("x"), `"timestamp":"2026-01-02T03:04:05.6Z","version":"2.1.0"`),
		said("a2", "m1", text("y")),
		strings.Replace(user("v1", `"two"`), `"s1"`, `"s2"`, 1),
		`{"type":"last-prompt","sessionId":"s2"}`,
		`{"type":`,
		strings.Replace(said("b1", "m2", text("z")), `"s1"`, `"s2"`, 1),
		rec("progress", "p1", `"data":{"type":"agent_progress","message":{"type":"assistant","message":{"id":"m3"}}}`),
	)
	list := units(t, data, formats.Options{})
	if len(list) != 2 {
		t.Fatalf("found %d sessions, want 2", len(list))
	}
	one, two := list[0], list[1]
	if s := one.Session; s.ID != "s1" || s.Model != "claude-x" || s.Agent != "claude-code" || s.AgentVersion != "2.1.0" ||
		s.Started.Format("15:04:05.0") != "03:04:05.6" || s.Parent != "" {
		t.Errorf("header %+v", s)
	}
	if got, want := fmt.Sprint(one.Messages), fmt.Sprint([]uint64{formats.MessageKey("m1"), formats.MessageKey("m3")}); got != want {
		t.Errorf("messages %s, want %s", got, want)
	}
	if one.Records != 6 || two.Records != 4 || one.Size+two.Size != int64(len(data)) {
		t.Errorf("records %d and %d, sizes %d and %d of %d", one.Records, two.Records, one.Size, two.Size, len(data))
	}
	check(t, formattest.DumpUnit(one), `
3 prompt "one"
4 response id=m1 model=claude-x "x" "y"
10 response @sidechain id=m3 +sidechain
`)
	check(t, formattest.DumpUnit(two), `
6 prompt "two"
! f:8: expected a record of Claude Code: the JSON value is cut off
9 response id=m2 model=claude-x "z"
`)
}

func TestNames(t *testing.T) {
	agent := `"isSidechain":true,"agentId":"a9"`
	u := unit(t, lines(user("u1", `"do it"`, agent), said("a1", "m1", text("done"), agent)))
	if u.Session.ID != "s1/a9" || u.Session.Parent != "s1" {
		t.Errorf("sub-agent file: id %q, parent %q", u.Session.ID, u.Session.Parent)
	}
	check(t, formattest.DumpUnit(u), `
1 prompt +sidechain "do it"
2 response id=m1 +sidechain model=claude-x "done"
`)
	u = unit(t, `{"type":"user","uuid":"u","message":{"content":"x"}}`)
	if !strings.HasPrefix(u.Session.ID, "claude-code:") || len(u.Session.ID) != len("claude-code:")+16 {
		t.Errorf("no session id: %q", u.Session.ID)
	}
	check(t, formattest.DumpUnit(u), "1 prompt \"x\"\n")
	u = unit(t, `{"type":"summary","leafUuid":"l"}`+"\n"+`{"type":"mode","sessionId":"m"}`)
	if u.Session.ID != "m" {
		t.Errorf("bookkeeping only: %q", u.Session.ID)
	}
	for _, err := range Format.Find(formattest.File(""), formats.Options{}) {
		if err == nil {
			t.Error("an empty file holds a session")
		}
	}
}
