package claudecode

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func file(data string) *formats.File {
	return &formats.File{Name: "test.jsonl", Size: int64(len(data)), Open: func() (formats.ReadAtCloser, error) {
		return memory{bytes.NewReader([]byte(data))}, nil
	}}
}

func units(t testing.TB, data string, o formats.Options) (list []*formats.Unit) {
	t.Helper()
	for u, err := range Format.Find(file(data), o) {
		if err != nil {
			t.Fatalf("Find: %v", err)
		}
		list = append(list, u)
	}
	return list
}

// unit finds the only session.
func unit(t testing.TB, data string) *formats.Unit {
	t.Helper()
	list := units(t, data, formats.Options{})
	if len(list) != 1 {
		t.Fatalf("found %d sessions, want 1", len(list))
	}
	return list[0]
}

// decode dumps a session: a line for each step and each call, then the notes.
func decode(u *formats.Unit) string {
	var out strings.Builder
	for s, err := range u.Steps() {
		if err != nil {
			fmt.Fprintf(&out, "! %v\n", err)
			continue
		}
		dump(&out, s)
	}
	if u.Session.End != "" {
		fmt.Fprintf(&out, "end %s\n", u.Session.End)
	}
	for _, n := range u.Session.Notes {
		fmt.Fprintf(&out, "note %d: %s x%d\n", n.Line, n.Text, n.N)
	}
	return out.String()
}

var (
	kindNames   = [...]string{"response", "prompt", "injection", "compaction", "system"}
	partNames   = [...]string{"text", "think", "args"}
	statusNames = [...]string{"missing", "unflagged", "ok", "error", "denied"}
	flagNames   = [...]string{"synthetic", "sidechain", "compacted", "errmsg"}
)

func dump(out io.Writer, s *transcript.Step) {
	fmt.Fprintf(out, "%d %s", s.Line, kindNames[s.Kind])
	if s.Lane != "" {
		fmt.Fprintf(out, " @%s", s.Lane)
	}
	if s.ID != "" {
		fmt.Fprintf(out, " %s", s.ID)
	}
	for i, name := range flagNames {
		if s.Has(1 << i) {
			fmt.Fprintf(out, " +%s", name)
		}
	}
	for _, p := range s.Parts {
		if p.Kind != transcript.ToolInput {
			fmt.Fprintf(out, " %s=%q", partNames[p.Kind], p.Text)
		}
	}
	if s.Usage.Known {
		fmt.Fprintf(out, " usage=%d/%d/%d/%d", s.Usage.Input, s.Usage.Output, s.Usage.CacheRead, s.Usage.CacheWrite)
	}
	if s.Finish != "" || s.FinishRaw != "" {
		fmt.Fprintf(out, " finish=%s(%s)", s.Finish, s.FinishRaw)
	}
	fmt.Fprintln(out)
	for _, a := range s.Attempts {
		fmt.Fprintf(out, "  attempt %d/%d %d %s|%s|%s delay=%v after=%v\n",
			a.N, a.Max, a.Status, a.Type, a.Code, a.Message, a.Delay, a.RetryAfter)
	}
	for _, c := range s.Calls {
		fmt.Fprintf(out, "  %d call %s %s %s", c.Line, c.ID, c.Tool, c.Args)
		if c.Provider {
			fmt.Fprint(out, " provider")
		}
		fmt.Fprintf(out, " -> %s", statusNames[c.Result.Status])
		if c.Result.Line > 0 {
			fmt.Fprintf(out, " %q took=%v", c.Result.Text, c.Took)
		}
		if c.Interrupted {
			fmt.Fprint(out, " interrupted")
		}
		for _, m := range c.Result.Media {
			fmt.Fprintf(out, " [%s %d %.8s]", m.MIME, m.Bytes, m.SHA256)
		}
		fmt.Fprintln(out)
	}
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
		files := formats.Files{Paths: []string{"-"}, Stdin: strings.NewReader(test.data), Formats: []*formats.Format{
			{Name: "probe", Sniff: func(h *formats.Head) formats.Confidence {
				if got := Format.Sniff(h); got != test.want {
					t.Errorf("%s: %d, want %d", test.name, got, test.want)
				}
				return formats.No
			}},
		}}
		found, err := files.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found.Close()
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
	check(t, decode(one), `
3 prompt text="one"
4 response m1 text="x" text="y"
10 response @sidechain m3 +sidechain
`)
	check(t, decode(two), `
6 prompt text="two"
! test.jsonl:8: expected a record of Claude Code: the JSON value is cut off
9 response m2 text="z"
`)
}

func TestNames(t *testing.T) {
	agent := `"isSidechain":true,"agentId":"a9"`
	u := unit(t, lines(user("u1", `"do it"`, agent), said("a1", "m1", text("done"), agent)))
	if u.Session.ID != "s1/a9" || u.Session.Parent != "s1" {
		t.Errorf("sub-agent file: id %q, parent %q", u.Session.ID, u.Session.Parent)
	}
	check(t, decode(u), `
1 prompt +sidechain text="do it"
2 response m1 +sidechain text="done"
`)
	u = unit(t, `{"type":"user","uuid":"u","message":{"content":"x"}}`)
	if !strings.HasPrefix(u.Session.ID, "claude-code:") || len(u.Session.ID) != len("claude-code:")+16 {
		t.Errorf("no session id: %q", u.Session.ID)
	}
	check(t, decode(u), "1 prompt text=\"x\"\n")
	u = unit(t, `{"type":"summary","leafUuid":"l"}`+"\n"+`{"type":"mode","sessionId":"m"}`)
	if u.Session.ID != "m" {
		t.Errorf("bookkeeping only: %q", u.Session.ID)
	}
	for _, err := range Format.Find(file(""), formats.Options{}) {
		if err == nil {
			t.Error("an empty file holds a session")
		}
	}
}
