package stream_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// counts are what a reader and a plain look at the JSON must agree on. Deltas
// are those with a text in them.
type counts struct {
	responses, deltas, failed    int
	text, thinking, input, calls int // bytes, and calls
	finished                     int
	out                          int64
}

type event struct {
	Type    string
	Choices []struct {
		Index        int
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content          string
			ReasoningContent string `json:"reasoning_content"`
			ToolCalls        []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	Usage   map[string]any
	Message struct{ ID string }
	Block   struct {
		Type  string
		Input any
	} `json:"content_block"`
	Delta    json.RawMessage
	Response struct {
		Status string
		Usage  map[string]any
	}
	Item struct {
		Type      string
		Arguments string
		Operation json.RawMessage
		Output    *string
	}
}

// lookStream counts what a stream holds, event by event.
func lookStream(t *testing.T, body string) (c counts) {
	t.Helper()
	number := func(m map[string]any, name string) int64 { f, _ := m[name].(float64); return int64(f) }
	bare := 0 // calls without a delta
	started := map[string]bool{}
	open := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data: "))
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		add := func(to *int, s string) {
			if *to += len(s); s != "" {
				c.deltas++
			}
		}
		var delta struct {
			Text, Thinking string
			PartialJSON    string `json:"partial_json"`
			StopReason     string `json:"stop_reason"`
		}
		plain := ""
		if json.Unmarshal(e.Delta, &delta) != nil {
			json.Unmarshal(e.Delta, &plain)
		}
		switch e.Type {
		case "message_start":
			if !started[e.Message.ID] {
				c.responses++
			}
			started[e.Message.ID] = true
		case "content_block_start":
			if strings.HasSuffix(e.Block.Type, "tool_use") {
				c.calls++
				bare++
			}
		case "content_block_delta":
			add(&c.text, delta.Text)
			add(&c.thinking, delta.Thinking)
			if add(&c.input, delta.PartialJSON); delta.PartialJSON != "" && bare > 0 {
				bare--
			}
		case "content_block_stop":
			c.input += 2 * bare // {}
			bare = 0
		case "message_delta":
			if delta.StopReason != "" {
				c.finished++
			}
			c.out += number(e.Usage, "output_tokens")
		case "response.created":
			c.responses++
		case "response.output_text.delta":
			add(&c.text, plain)
		case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
			add(&c.thinking, plain)
		case "response.function_call_arguments.delta":
			c.deltas++ // their text is in the item
		case "response.output_item.done":
			switch e.Item.Type {
			case "message", "reasoning", "mcp_list_tools":
			default:
				c.calls++
				c.input += len(e.Item.Arguments) + len(e.Item.Operation)
			}
		case "response.completed":
			c.finished++
			c.out += number(e.Response.Usage, "output_tokens")
		}
		if len(e.Choices) > 0 && !open {
			c.responses++
			open = true
		}
		for _, ch := range e.Choices {
			add(&c.text, ch.Delta.Content)
			add(&c.thinking, ch.Delta.ReasoningContent)
			for _, call := range ch.Delta.ToolCalls {
				if call.Function.Name != "" {
					c.calls++
				}
				add(&c.input, call.Function.Arguments)
			}
			if ch.FinishReason != "" {
				c.finished++
			}
		}
		c.out += number(e.Usage, "completion_tokens")
	}
	return c
}

// lookCassette counts what the exchanges of a cassette hold.
func lookCassette(t *testing.T, data []byte) (c counts) {
	t.Helper()
	type body struct{ String string }
	var vcr struct {
		Interactions []struct {
			Response struct {
				Body   body
				Status struct{ Code int }
			}
		}
	}
	var nock []struct {
		Status   int
		Response string
	}
	var bodies []string
	if json.Unmarshal(data, &nock) == nil {
		for _, n := range nock {
			bodies = append(bodies, n.Response)
		}
	} else if err := yaml.Unmarshal(data, &vcr); err != nil {
		t.Fatal(err)
	}
	for _, i := range vcr.Interactions {
		if i.Response.Status.Code >= 400 {
			c.failed++
			continue
		}
		bodies = append(bodies, i.Response.Body.String)
	}
	for _, b := range bodies {
		if strings.HasPrefix(b, "\x1f\x8b") {
			r, err := gzip.NewReader(strings.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			plain, _ := io.ReadAll(r)
			b = string(plain)
		}
		if strings.Contains(b, `"response_id"`) {
			continue // an API that is not read
		}
		n := lookStream(t, b)
		c.responses += n.responses
		c.deltas += n.deltas
		c.text += n.text
		c.thinking += n.thinking
		c.input += n.input
		c.calls += n.calls
		c.finished += n.finished
		c.out += n.out
	}
	return c
}

func TestSamples(t *testing.T) {
	for _, folder := range []string{"sse_anthropic", "sse_openai", "sse_responses", "vcr_sse", "vcr_err"} {
		paths := formattest.Samples(t, folder)
		files := formats.Files{Paths: paths, Formats: all}
		found, err := files.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		if n := len(found.Units) + len(found.Copies); n != len(paths) || len(found.Skipped) > 0 {
			t.Errorf("%s: %d of %d files, %v", folder, n, len(paths), found.Skipped)
		}
		for _, u := range found.Units {
			path := u.Session.Origin.File
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := counts{}
			if u.Session.Origin.Format == "http-cassette" {
				want = lookCassette(t, data)
			} else {
				want = lookStream(t, string(data))
			}
			if got := count(t, u); got != want {
				t.Errorf("%s: %+v, want %+v", filepath.Base(path), got, want)
			}
		}
	}
}

func count(t *testing.T, u *formats.Unit) (c counts) {
	t.Helper()
	for s, err := range u.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		checkStep(t, s)
		for _, a := range s.Attempts {
			if a.Status >= 400 {
				c.failed++
			}
		}
		if s.Kind != transcript.Response || s.Has(transcript.Synthetic) || s.Has(transcript.Context) {
			continue
		}
		c.responses++
		c.calls += len(s.Calls)
		c.out += s.Usage.Output
		if s.Finish != "" {
			c.finished++
		}
		for _, p := range s.Parts {
			c.deltas += len(p.Cuts)
			switch p.Kind {
			case transcript.Text:
				c.text += len(p.Text)
			case transcript.Thinking:
				c.thinking += len(p.Text)
			case transcript.ToolInput:
				c.input += len(p.Text)
			}
		}
	}
	return c
}
