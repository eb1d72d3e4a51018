package stream_test

import (
	"testing"

	"groundhog/formats"
	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/stream"
)

var all = []*formats.Format{stream.OpenAI, stream.Anthropic, stream.Responses, stream.Cassette}

func golden(f *formats.Format) string { return "testdata/" + f.Name + ".txt" }

func TestGolden(t *testing.T) {
	for _, f := range all {
		t.Run(f.Name, func(t *testing.T) { formattest.Golden(t, f, golden(f)) })
	}
}

// samples are a file of each format.
var samples = map[*formats.Format]string{
	stream.OpenAI: `data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","model":"m","choices":[{"delta":{"role":"assistant","content":"Hel"}}]}

data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","choices":[{"delta":{"content":"lo"}}]}

data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","choices":[{"delta":{},"finish_reason":"stop"}]}

data: [DONE]
`,
	stream.Anthropic: `event: message_start
data: {"type":"message_start","message":{"id":"msg_0123456789abcd","model":"m","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

event: message_stop
data: {"type":"message_stop"}
`,
	stream.Responses: `{"type":"response.created","response":{"id":"resp_0123456789","model":"m"}}
{"type":"response.output_text.delta","output_index":0,"delta":"Hello","sequence_number":1}
{"type":"response.completed","response":{"id":"resp_0123456789","status":"completed","output":[]}}
`,
	stream.Cassette: `interactions:
- request:
    method: POST
    uri: https://api.example/v1/chat/completions
    body: '{"messages":[{"role":"user","content":"hi"}]}'
  response:
    status: {code: 200, message: OK}
    body: {string: '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'}
`,
}

func TestFound(t *testing.T) {
	for f, text := range samples {
		t.Run(f.Name, func(t *testing.T) { formattest.Found(t, catalog.All, f, text) })
	}
}

func TestBroken(t *testing.T) {
	for f, text := range samples {
		t.Run(f.Name, func(t *testing.T) { formattest.Broken(t, f, text) })
	}
}

func FuzzChat(f *testing.F) {
	formattest.Fuzz(f, stream.OpenAI, formattest.Inputs(f, golden(stream.OpenAI))...)
}

func FuzzMessages(f *testing.F) {
	formattest.Fuzz(f, stream.Anthropic, formattest.Inputs(f, golden(stream.Anthropic))...)
}

func FuzzResponses(f *testing.F) {
	formattest.Fuzz(f, stream.Responses, formattest.Inputs(f, golden(stream.Responses))...)
}

func FuzzCassette(f *testing.F) {
	formattest.Fuzz(f, stream.Cassette, formattest.Inputs(f, golden(stream.Cassette))...)
}
