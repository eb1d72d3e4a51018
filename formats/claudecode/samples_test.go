package claudecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// tally is what can be counted in a session without joining anything.
type tally struct{ responses, calls, failed int }

// TestSamples compares real sessions with an independent count of their records.
func TestSamples(t *testing.T) {
	files := formats.Files{Paths: formattest.Samples(t, "claude_code"), Formats: []*formats.Format{Format}}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if len(found.Skipped) > 0 || len(found.Copies) > 0 {
		t.Errorf("skipped %v, copies %v", found.Skipped, found.Copies)
	}
	for _, u := range found.Units {
		want := recount(t, u.Session.Origin.File, u.Session.ID)
		var got tally
		for s, err := range u.Steps() {
			if err != nil {
				t.Errorf("%s: %v", u.Session.ID, err)
				continue
			}
			if s.Kind == transcript.Response && !s.Has(transcript.Synthetic) {
				got.responses++
			}
			for i := range s.Calls {
				got.calls++
				if failed, _ := s.Calls[i].Result.Failed(); failed {
					got.failed++
				}
			}
		}
		if got != want {
			t.Errorf("%s of %s: %+v, counted %+v", u.Session.ID, filepath.Base(u.Session.Origin.File), got, want)
		}
		t.Logf("%s of %s: %+v, %q, %v", u.Session.ID, filepath.Base(u.Session.Origin.File), got, u.Session.End, u.Session.Notes)
	}
}

type plain struct {
	Type, UUID, SessionID, AgentID string
	Message                        json.RawMessage
	Data                           struct {
		Type, AgentID string
		Message       json.RawMessage
	}
}

// recount counts the distinct messages, calls and failed results of one session,
// each record once. Messages and calls without an id count for themselves.
func recount(t *testing.T, name, session string) tally {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	seen := make(map[string]bool)
	open := make(map[string]int) // calls without a result
	fresh := func(kind, id string) bool {
		defer func() { seen[kind+id] = true }()
		return id == "" || !seen[kind+id]
	}
	var add func(p *plain)
	add = func(p *plain) {
		if !fresh("record", p.UUID) {
			return
		}
		if p.Type == "progress" && p.Data.Type == "agent_progress" {
			inner := &plain{}
			json.Unmarshal(p.Data.Message, inner)
			add(inner)
			return
		}
		var m struct {
			ID, Model string
			Content   []struct {
				Type, ID  string
				ToolUseID string `json:"tool_use_id"`
				IsError   bool   `json:"is_error"`
			}
		}
		json.Unmarshal(p.Message, &m) // a content that is a string has no blocks
		if p.Type == "assistant" && m.Model != "<synthetic>" && fresh("message", m.ID) {
			n.responses++
		}
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_use" && fresh("call", b.ID):
				n.calls++
				open[b.ID]++
			case b.Type == "tool_result" && open[b.ToolUseID] > 0:
				open[b.ToolUseID]--
				if b.IsError {
					n.failed++
				}
			}
		}
	}
	current := ""
	for line := range strings.Lines(string(data)) {
		p := &plain{}
		if err := json.Unmarshal([]byte(line), p); err != nil && p.Type == "" {
			t.Errorf("%s: %v", name, err)
		}
		switch p.Type {
		case "user", "assistant", "system", "progress", "attachment":
			if p.SessionID != "" {
				current = p.SessionID
			}
		}
		if current == "" || current == session {
			add(p)
		}
	}
	return n
}
