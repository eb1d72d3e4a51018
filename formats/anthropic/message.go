// Package anthropic reads what recordings of Anthropic's Messages API share:
// messages, their blocks, results and usage. It is no format by itself; the
// session files of Claude Code, its stream-json and captures of the API have
// them in the same shape, with different things around them.
package anthropic

import (
	"strings"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A Message is an answer of the model, or what a client says in its place.
type Message struct {
	ID, Model string
	Stop      string // stop_reason
	Usage     transcript.Usage
	Blocks    []Block // of a content that is a list; one for a bare text
}

// MessageShape reads a Message.
var MessageShape = record.NewShape(
	record.String("id", func(m *Message) *string { return &m.ID }),
	record.Word("model", func(m *Message) *string { return &m.Model }),
	record.Word("stop_reason", func(m *Message) *string { return &m.Stop }),
	record.Object("usage", UsageShape, func(m *Message) *transcript.Usage { return &m.Usage }),
	record.List("content", BlockShape, func(m *Message) *[]Block { return &m.Blocks }),
)

// A Block is one piece of a message's content.
type Block struct {
	Kind     string
	ID, Name string // of a call
	Call     string // tool_use_id of a result
	Text     string
	Thinking string
	Input    record.Value // the arguments of a call, byte for byte: a view
	failed   bool
	result   record.Value // content that is no list
	pieces   []piece      // content that is one
}

// BlockShape reads a Block. A bare string is a text.
var BlockShape = record.NewShape(
	record.Func(record.Itself, func(b *Block, v record.Value) { b.Kind, b.Text = "text", v.Text() }).Only('"'),
	record.Word("type", func(b *Block) *string { return &b.Kind }),
	record.String("id", func(b *Block) *string { return &b.ID }),
	record.Word("name", func(b *Block) *string { return &b.Name }),
	record.String("tool_use_id", func(b *Block) *string { return &b.Call }),
	record.String("text", func(b *Block) *string { return &b.Text }),
	record.String("thinking", func(b *Block) *string { return &b.Thinking }),
	record.Raw("input", func(b *Block) *record.Value { return &b.Input }),
	record.Bool("is_error", func(b *Block) *bool { return &b.failed }),
	record.Raw("content", func(b *Block) *record.Value { return &b.result }).Only('"', '{', '0', 't', 'f'),
	record.Each("content", pieceShape, func(b *Block) *[]piece { return &b.pieces }),
)

// IsCall reports whether the block asks for a tool that the client runs, or the
// model's provider.
func (b *Block) IsCall() bool { return b.Kind == "tool_use" || b.IsProviderCall() }

// IsProviderCall reports whether the provider runs the tool.
func (b *Block) IsProviderCall() bool { return b.Kind == "server_tool_use" || b.Kind == "mcp_tool_use" }

// IsResult also covers what a provider's tool answers: web_search_tool_result
// and its kin.
func (b *Block) IsResult() bool {
	return b.Kind == "tool_result" || strings.HasSuffix(b.Kind, "_tool_result")
}

// Finish is the canonical word for a stop_reason.
func Finish(raw string) transcript.Finish {
	switch raw {
	case "end_turn", "stop_sequence":
		return transcript.FinishStop
	case "tool_use":
		return transcript.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return transcript.FinishLength
	case "refusal":
		return transcript.FinishRefusal
	case "pause_turn":
		return transcript.FinishPause
	}
	return transcript.FinishUnknown
}

// UsageShape reads the counts of a message. input_tokens excludes the cache.
var UsageShape = record.NewShape(
	record.Tokens("input_tokens", func(u *transcript.Usage) *int64 { return &u.Input }),
	record.Tokens("output_tokens", func(u *transcript.Usage) *int64 { return &u.Output }),
	record.Tokens("cache_read_input_tokens", func(u *transcript.Usage) *int64 { return &u.CacheRead }),
	record.Tokens("cache_creation_input_tokens", func(u *transcript.Usage) *int64 { return &u.CacheWrite }),
	record.In("output_tokens_details",
		record.Tokens("thinking_tokens", func(u *transcript.Usage) *int64 { return &u.Reasoning })),
)
