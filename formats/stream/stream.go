// Package stream reads what came over the wire: the events of one or several
// responses of a model, as server-sent events or as JSON, and recorded HTTP
// exchanges. No other source has token-level deltas, response headers and the
// bodies of failed requests.
//
// All formats share one core. Records (records.go) cuts a capture into events,
// an Assembler (assemble.go) puts events together to responses, whatever API
// they are of, and what remains differs little: a capture is a list of
// responses (capture.go), a cassette also has the requests (cassette.go).
//
// A format for each API and a decoder that knows only this one was considered.
// Proxies answer in one dialect and log in another, and a cassette holds them
// all; the format is a name for the user, and the events speak for themselves.
package stream

import (
	"bytes"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
)

// OpenAI is a capture of chat completion chunks.
var OpenAI = capture("openai-stream", "OpenAI chat completion chunks (SSE, JSONL)\n\n"+
	"One response or several, as data: lines or one JSON event a line. The first choice is\n"+
	"the answer; others are left out.", sniffChat)

// Anthropic is a capture of the events of Anthropic's messages.
var Anthropic = capture("anthropic-stream", "Anthropic Messages events (SSE, JSONL)\n\n"+
	"One message or several, as server-sent events or one JSON event a line. An error in\n"+
	"mid-stream is an attempt.", sniffMessages)

// Responses is a capture of the events of OpenAI's Responses API.
var Responses = capture("responses-stream", "OpenAI Responses events (SSE, JSONL)\n\n"+
	"One response or several, as server-sent events or one JSON event a line.", sniffResponses)

// Cassette is a recording of HTTP exchanges.
var Cassette = &formats.Format{
	Name: "http-cassette",
	Doc: "recorded HTTP exchanges (VCR, nock, HAR)\n\n" +
		"Cassettes of vcrpy, go-vcr and VCR for Ruby (YAML or JSON), nock recordings and HAR files.\n" +
		"Requests give prompts and tool results, responses give steps, and those that failed give\n" +
		"attempts with headers and body.",
	Sniff: sniffCassette,
	Find:  findCassette,
}

func capture(name, doc string, sniff func(*formats.Head) formats.Confidence) *formats.Format {
	return &formats.Format{Name: name, Doc: doc, Sniff: sniff,
		Find: func(f *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
			return findCapture(name, f, o)
		}}
}

// sniff is certain if one record is an event of the API, or server-sent events
// name one: unknown records never disqualify.
func sniff(h *formats.Head, word string, event func(record.Outline) bool) formats.Confidence {
	for _, r := range h.Records {
		if event(r) {
			return formats.Certain
		}
	}
	if isSSE(h.Data) && bytes.Contains(h.Data, []byte(word)) {
		return formats.Certain
	}
	return formats.No
}

func sniffChat(h *formats.Head) formats.Confidence {
	return sniff(h, "chat.completion.chunk", func(r record.Outline) bool {
		return r.Str("object") == "chat.completion.chunk"
	})
}

func sniffMessages(h *formats.Head) formats.Confidence {
	return sniff(h, "message_start", func(r record.Outline) bool {
		switch r.Str("type") {
		case "message_start":
			return r.Has("message")
		case "content_block_start":
			return r.Has("index", "content_block")
		case "content_block_delta":
			return r.Has("index", "delta")
		}
		return false
	})
}

func sniffResponses(h *formats.Head) formats.Confidence {
	return sniff(h, "response.created", func(r record.Outline) bool {
		return bytes.HasPrefix([]byte(r.Str("type")), []byte("response.")) &&
			(r.Has("sequence_number") || r.Has("response") || r.Has("item") || r.Has("item_id"))
	})
}

func isSSE(data []byte) bool {
	b := bytes.TrimLeft(data, " \t\r\n")
	_, ok := sseField(b[:min(len(b), 16)])
	return ok && bytes.Contains(b, []byte("data:"))
}

// sniffCassette knows a cassette by how it begins, or by the shape of its JSON.
func sniffCassette(h *formats.Head) formats.Confidence {
	b := bytes.TrimLeft(h.Data, " \t\r\n")
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("---")), " \t\r\n")
	begin := b[:min(len(b), 256)] // any of the fields beside the list may precede it
	if h.Shape == formats.Other || h.Shape == formats.JSONL {
		for _, list := range [...]string{"interactions:", "http_interactions:"} {
			if bytes.HasPrefix(begin, []byte(list)) ||
				bytes.HasPrefix(begin, []byte("version:")) && bytes.Contains(begin, []byte("\n"+list)) {
				return formats.Certain
			}
		}
	}
	pair := func(list []record.Outline) bool {
		for _, r := range list {
			if r.Has("request", "response") {
				return true
			}
		}
		return false
	}
	for _, r := range h.Records {
		if r.Has("scope", "method", "path", "response") || pair(r.Elems("interactions", 2)) ||
			pair(r.Elems("http_interactions", 2)) || pair(r.Obj("log").Elems("entries", 2)) {
			return formats.Certain
		}
	}
	return formats.No
}
