package taubench_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/taubench"
	"groundhog/replay/transcript"
)

// counts are what a reader and a plain look at the JSON must agree on.
type counts struct {
	sessions, systems, prompts, responses, calls, results, errors, solved int
	args, text                                                            int // bytes
	reward                                                                float64
}

// look counts without the reader.
func look(t *testing.T, data []byte) (c counts) {
	t.Helper()
	var list []struct {
		Reward float64
		Traj   []struct {
			Role, Content string
			ToolCalls     []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		c.sessions++
		c.reward += e.Reward
		if e.Reward == 1 {
			c.solved++
		}
		for _, m := range e.Traj {
			c.text += len(m.Content)
			switch m.Role {
			case "system":
				c.systems++
			case "user":
				c.prompts++
			case "assistant":
				c.responses++
			case "tool":
				c.results++
				if strings.HasPrefix(m.Content, "Error: ") {
					c.errors++
				}
			}
			c.calls += len(m.ToolCalls)
			for _, call := range m.ToolCalls {
				c.args += len(call.Function.Arguments)
			}
		}
	}
	return c
}

// read counts with the reader.
func read(t *testing.T, data []byte) (c counts) {
	t.Helper()
	ids := map[string]bool{}
	for _, u := range formattest.Units(t, taubench.Format, string(data), formats.Options{}) {
		c.sessions++
		if ids[u.Session.ID] {
			t.Errorf("%s comes twice", u.Session.ID)
		}
		ids[u.Session.ID] = true
		c.reward += *u.Session.Recorded.Reward
		if *u.Session.Recorded.Success {
			c.solved++
		}
		for _, s := range formattest.Steps(t, u) {
			switch s.Kind {
			case transcript.System:
				c.systems++
			case transcript.Prompt:
				c.prompts++
			case transcript.Response:
				c.responses++
			}
			c.text += len(s.Text(transcript.Text))
			c.calls += len(s.Calls)
			for i := range s.Calls {
				call := &s.Calls[i]
				c.args += len(call.Args)
				c.text += len(call.Result.Text)
				if call.Result.Status != transcript.ResultMissing {
					c.results++
				}
				if failed, _ := call.Result.Failed(); failed {
					c.errors++
				}
			}
		}
		if len(u.Session.Notes) > 0 || u.Session.End != transcript.EndCompleted {
			t.Logf("%s: end %q, notes %v", u.Session.ID, u.Session.End, u.Session.Notes)
		}
	}
	return c
}

func TestSamples(t *testing.T) {
	for _, path := range formattest.Samples(t, "tau_bench") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := look(t, data)
		if got := read(t, data); got != want {
			t.Errorf("%s: %+v, want %+v", filepath.Base(path), got, want)
		}
		t.Logf("%s: %+v", filepath.Base(path), want)

		// However the file is put together, the same is in it.
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		for _, e := range list {
			lines.Write(e)
			lines.WriteString("\r\n")
		}
		pretty, err := json.MarshalIndent(list, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"lines":  lines.String(),
			"pretty": string(pretty),
			"BOM":    "\xef\xbb\xbf" + string(data),
		} {
			if got := read(t, []byte(text)); got != want {
				t.Errorf("%s, %s: %+v, want %+v", filepath.Base(path), name, got, want)
			}
		}
	}
}
