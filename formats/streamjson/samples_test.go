package streamjson_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundhog/formats/formattest"
	"groundhog/formats/streamjson"
	"groundhog/replay/transcript"
)

// counts are what the reader and a plain look at the JSON must agree on.
type counts struct {
	responses, calls, results, failed int
	text, args, answers               int // bytes
	output                            int64
	session, model                    string
	first                             time.Time
}

// look counts without the reader, line by line.
func look(t *testing.T, data string) (c counts) {
	t.Helper()
	output := map[string]int64{}
	for line := range strings.Lines(data) {
		var rec struct {
			Type      string
			Timestamp time.Time
			Message   struct {
				ID        string
				SessionID string `json:"session_id"`
				Model     string
				Content   []struct {
					Type    string
					Text    string
					Input   json.RawMessage
					IsError bool `json:"is_error"`
					Content json.RawMessage
				}
				Usage struct {
					OutputTokens int64 `json:"output_tokens"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		m := &rec.Message
		if m.SessionID != "" {
			c.session, c.model = m.SessionID, m.Model
		}
		if c.first.IsZero() {
			c.first = rec.Timestamp.UTC()
		}
		if rec.Type == "assistant" {
			output[m.ID] = max(output[m.ID], m.Usage.OutputTokens)
		}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				c.text += len(b.Text)
			case "tool_use":
				c.calls++
				c.args += len(b.Input)
			case "tool_result":
				c.results++
				if b.IsError {
					c.failed++
				}
				var text string
				if json.Unmarshal(b.Content, &text) != nil {
					var parts []struct{ Text string }
					if err := json.Unmarshal(b.Content, &parts); err != nil {
						t.Fatal(err)
					}
					var all []string
					for _, p := range parts {
						all = append(all, p.Text)
					}
					text = strings.Join(all, "\n")
				}
				c.answers += len(text)
			}
		}
	}
	c.responses = len(output)
	for _, n := range output {
		c.output += n
	}
	return c
}

func TestSamples(t *testing.T) {
	for _, path := range formattest.Samples(t, "claude_stream_json") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The writer of these files left blank lines at the end.
		want := look(t, strings.TrimSpace(string(data)))
		u := formattest.Unit(t, streamjson.Format, string(data))
		got := counts{session: u.Session.ID, model: u.Session.Model, first: u.Session.Started}
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			formattest.CheckStep(t, s)
			if s.Kind == transcript.Response {
				got.responses++
			}
			got.text += len(s.Text(transcript.Text))
			got.output += s.Usage.Output
			for i := range s.Calls {
				c := &s.Calls[i]
				got.calls++
				got.args += len(c.Args)
				got.answers += len(c.Result.Text)
				switch c.Result.Status {
				case transcript.ResultMissing:
				case transcript.ResultError, transcript.ResultDenied:
					got.failed++
					fallthrough
				default:
					got.results++
				}
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", filepath.Base(path), got, want)
		}
		if len(u.Messages) != want.responses {
			t.Errorf("%s: %d messages, want %d", filepath.Base(path), len(u.Messages), want.responses)
		}
		for _, n := range u.Session.Notes {
			t.Logf("%s: %s x%d", filepath.Base(path), n.Text, n.N)
		}
	}
}
