package unread_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/unread"
)

// detect gives the name of a text's format, or why there is none.
func detect(t *testing.T, text string) string {
	t.Helper()
	// The name says nothing: recognising is by content.
	path := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files := formats.Files{Paths: []string{path}, Formats: list()}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for _, u := range found.Units {
		return u.Session.Origin.Format
	}
	for _, s := range found.Skipped {
		return cmp.Or(s.Format, s.Why)
	}
	return ""
}

func TestSniff(t *testing.T) {
	tests := []struct{ text, want string }{
		{"PK\x03\x04\x14\x00\x00\x00header.json", "inspect-eval"},
		{"PK\x03\x04\x14\x00\x00\x00word/document.xml", "zip"},
		{"SQLite format 3\x00\x10\x00", "sqlite"},

		{`{"type":"system","subtype":"init","session_id":"s","tools":[]}`, "claude-stream-json"},
		{"$ claude -p hello\n" + `{"type":"system","subtype":"init","session_id":"s"}`, "claude-stream-json"},
		{`{"type":"result","subtype":"success","num_turns":3}`, "claude-stream-json"},
		{`{"timestamp":"t","type":"session_meta","payload":{}}`, "codex"},
		{`{"id":"a","timestamp":"t","instructions":null}` + "\n" + `{"type":"function_call","call_id":"c","name":"shell","arguments":"{}"}`, "codex"},
		{`{"record_type":"state"}`, "codex"},
		{`{"type":"thread.started","thread_id":"t"}`, "codex-exec"},
		{`{"type":"session","id":"i","timestamp":"t","cwd":"/"}`, "pi"},
		{`{"type":"session.start","data":{},"id":"e","parentId":null}`, "copilot-cli"},
		{`{"requesterUsername":"a","responderUsername":"b","requests":[]}`, "vscode-chat"},
		{`{"sessionId":"s","projectHash":"p","messages":[{"type":"user","content":"x"}]}`, "gemini-cli"},
		{`{"sessionId":"s","projectHash":"p"}` + "\n" + `{"$set":{}}`, "gemini-cli"},
		{`{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[]}}`, "qwen"},
		{`{"info":{"id":"ses_1"},"messages":[{"info":{"role":"user"},"parts":[]}]}`, "opencode-export"},
		{`{"type":"step_start","sessionID":"ses_1","part":{}}`, "opencode-run"},
		{`[{"role":"user","content":[{"type":"text","text":"<task>do</task>"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}]`, "cline"},
		{`{"task":"x","llm_interactions":[],"agent_steps":[]}`, "trae"},
		{`{"metadata":{"instance_id":"i"},"nodes":[]}`, "moatless"},
		{`{"role":"agent","kind":"event","time":1,"raw":{"type":"agent.tool_use"}}`, "managed-agents"},

		{`{"schema_version":"ATIF-v1.7","steps":[]}`, "atif"},
		{`[{"schema_version":"ATIF-v1.4"}]`, "atif"},
		{`{"trajectory":[{"action":"ls","observation":"","response":"ls"}],"info":{"exit_status":"submitted"}}`, "swe-agent"},
		{`{"info":{"exit_status":"Submitted"},"messages":[{"role":"user","content":"x"}]}`, "mini-swe-agent"},
		{`{"messages":[{"role":"user","content":"x"}],"trajectory_format":"mini-swe-agent-1"}`, "mini-swe-agent"},
		{`[{"task_id":0,"reward":1,"info":{},"traj":[{"role":"user","content":"x"}],"trial":0}]`, "tau-bench"},
		{`{"info":{"agent_info":{}},"simulations":[{"messages":[]}]}`, "tau2"},
		{`{"instance_id":"i","test_result":{},"history":[]}`, "openhands-output"},
		{`[{"id":0,"timestamp":"t","source":"agent","action":"run","args":{}}]`, "openhands-events"},
		{`{"kind":"MessageEvent","id":"i","source":"user"}`, "openhands-sdk"},
		{`{"version":2,"eval":{"run_id":"r"},"samples":[{"messages":[]}]}`, "inspect-json"},

		{`{"resourceSpans":[]}`, "otlp"},
		{`{"span_id":"s","attributes":{"gen_ai.system":"x"}}`, "spans"},
		{`{"spanId":"s","attributes":[{"key":"llm.input_messages.0","value":{}}]}`, "spans"},
		{`{"trace":{},"observations":[]}`, "langfuse"},
		{`{"run_type":"llm","trace_id":"t"}`, "langsmith"},

		{`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t"}]}]}`, "anthropic"},
		{`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]`, "anthropic"},
		{`{"custom_id":"1","result":{"type":"errored"}}`, "anthropic"},
		{`[{"type":"function_call_output","call_id":"c","output":"x"}]`, "responses"},
		{`{"object":"response","output":[]}`, "responses"},
		{`{"conversations":[{"from":"human","value":"x"}]}`, "sharegpt"},
		{`{"id":"c","object":"chat.completion.chunk","choices":[]}`, "openai-stream"},
		{"data: {\"object\":\"chat.completion.chunk\"}\n\ndata: [DONE]\n", "openai-stream"},
		{`{"type":"message_start","message":{}}`, "anthropic-stream"},
		{"event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "anthropic-stream"},
		{`{"type":"response.created","response":{}}`, "responses-stream"},
		{": ping\n\ndata: {\"candidates\":[]}\n\n", "sse"},
		{"interactions:\n- request:\n    body: ''\n", "http-cassette"},
		{"---\nversion: 2\ninteractions:\n  - id: 0\n", "http-cassette"},
		{`{"log":{"entries":[{"request":{},"response":{}}]}}`, "http-cassette"},
		{"\n# aider chat started at 2026-01-01 10:00:00\n", "aider"},
		{"<!-- Generated by SpecStory, Markdown v2 -->\n", "specstory"},
		{`{"version":2,"width":80,"height":24}` + "\n" + `[0.1,"o","x"]`, "asciicast"},

		{`{"messages":[{"role":"user","content":"x"}]}`, "openai"},
		{`{"messages":[{"role":"user","content":"x"}]}` + "\n" + `{"messages":[]}`, "openai"},
		{`[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[]}]`, "openai"},
		{`[{"role":"user","content":"x"}]` + "\n" + `[{"role":"user","content":"y"}]`, "openai"},
		{`[{"task_id":1,"messages":[{"role":"user","content":"x"}]}]`, "openai"},
		{`{"messages":[{"role":"user","content":"x"}],"response":{"choices":[]}}`, "openai"},
	}
	for _, tt := range tests {
		if got := detect(t, tt.text); got != tt.want {
			t.Errorf("%s\n\tis %s, want %s", tt.text, got, tt.want)
		}
	}

	// What is nobody's stays nobody's: the readers of other packages own the
	// first two.
	for _, text := range []string{
		`{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x"}}`,
		`{"t":"session","v":1,"sid":"a"}`,
		`{"a":1}`, `[1,2]`, `"text"`, "some text\n", "", "\x00\x01",
		`{"messages":[]}`, `{"messages":[{"text":"x"}]}`,
		`{"messages":[{"role":"user","parts":[{"text":"x"}]}]}`,
	} {
		got := detect(t, text)
		if strings.Contains(got, " alike") || !strings.Contains(got, " ") {
			t.Errorf("%s\n\tis %s, want no format", text, got)
		}
	}
}

// TestList: a format says its name and what it is in one line, and is not read.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range unread.List {
		if f.Name == "" || f.Doc == "" || strings.Contains(f.Doc, "\n") || f.Sniff == nil || f.Find != nil || seen[f.Name] {
			t.Errorf("bad entry %q %q", f.Name, f.Doc)
		}
		seen[f.Name] = true
	}
}
