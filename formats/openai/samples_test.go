package openai_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/openai"
	"groundhog/replay/transcript"
)

// counts are what a reader and a plain look at the JSON must agree on.
type counts struct{ sessions, prompts, responses, calls, results, args int }

// look counts without the reader: the messages of every line or file.
func look(t *testing.T, data []byte) (c counts) {
	t.Helper()
	type message struct {
		Role      string
		ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var record struct {
			Messages []message
			Response struct {
				Choices []struct{ Message message }
			}
		}
		if err := dec.Decode(&record); err != nil {
			t.Fatal(err)
		}
		c.sessions++
		for _, choice := range record.Response.Choices {
			record.Messages = append(record.Messages, choice.Message)
		}
		for _, m := range record.Messages {
			switch m.Role {
			case "user":
				c.prompts++
			case "assistant":
				c.responses++
			case "tool":
				c.results++
			}
			c.calls += len(m.ToolCalls)
			for _, call := range m.ToolCalls {
				c.args += len(call.Function.Arguments)
			}
		}
	}
	return c
}

func TestSamples(t *testing.T) {
	for _, folder := range []string{"openai_messages", "litellm_completions"} {
		for _, path := range formattest.Samples(t, folder) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got counts
			for u, err := range openai.Format.Find(formattest.File(string(data)), formats.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				got.sessions++
				for s, err := range u.Steps() {
					if err != nil {
						t.Fatal(err)
					}
					switch s.Kind {
					case transcript.Prompt:
						got.prompts++
					case transcript.Response:
						got.responses++
					}
					got.calls += len(s.Calls)
					for i := range s.Calls {
						got.args += len(s.Calls[i].Args)
						if s.Calls[i].Result.Status != transcript.ResultMissing {
							got.results++
						}
					}
				}
				for _, n := range u.Session.Notes {
					t.Logf("%s: %s x%d", filepath.Base(path), n.Text, n.N)
				}
			}
			if want := look(t, data); got != want {
				t.Errorf("%s: %+v, want %+v", filepath.Base(path), got, want)
			}
		}
	}
}
