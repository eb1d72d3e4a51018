package native

import (
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The words of the canonical form, which its Parquet tables share.

var kindWords = map[string]transcript.StepKind{
	"assistant": transcript.Response, "user": transcript.Prompt, "system": transcript.System,
	"compaction": transcript.Compaction, "note": transcript.System,
}

var flagWords = []struct {
	word string
	flag transcript.Flags
}{
	{"synthetic", transcript.Synthetic},
	{"sidechain", transcript.Sidechain},
	{"compacted_away", transcript.CompactedAway},
	{"error_message", transcript.ErrorMessage},
	{"ignored", transcript.Ignored},
	{"error_inferred", transcript.ErrorInferred},
}

// FlagsOf are the flags that are named. Unknown words are passed over.
func FlagsOf(words []string) (flags transcript.Flags) {
	for _, word := range words {
		for _, f := range flagWords {
			if f.word == word {
				flags |= f.flag
			}
		}
	}
	return flags
}

// WriteFlags adds the member flags, if there is one.
func WriteFlags(b *record.Builder, flags transcript.Flags) {
	first := true
	for _, f := range flagWords {
		if flags&f.flag == 0 {
			continue
		}
		if first {
			b.Key("flags")
			b.Open('[')
			first = false
		}
		b.Quote(f.word)
	}
	if !first {
		b.Close(']')
	}
}

var channels = [...]string{transcript.Text: "text", transcript.Thinking: "reasoning", transcript.ToolInput: "args"}

// Channel is the word for a kind of part.
func Channel(kind transcript.PartKind) string { return channels[kind] }

// KindOf is the kind of part that a word stands for.
func KindOf(channel string) (kind transcript.PartKind, ok bool) {
	for i, word := range channels {
		if word == channel {
			return transcript.PartKind(i), true
		}
	}
	return 0, false
}

// WriteSignals adds the member signals, if an agent was instrumented.
func WriteSignals(b *record.Builder, s *transcript.Signals) {
	if s == nil {
		return
	}
	b.Key("signals")
	b.Open('{')
	b.Str("result_sig", s.ResultSig)
	b.Str("outcome_sig", s.OutcomeSig)
	b.True("read_only", s.ReadOnly)
	b.True("trusts_progress", s.TrustsProgress)
	b.True("non_actionable", s.NonActionable)
	b.Close('}')
}

// WriteHeaders adds the member headers, if they were recorded.
func WriteHeaders(b *record.Builder, list []transcript.Header) {
	if list == nil {
		return
	}
	b.Key("headers")
	b.Open('{')
	for _, h := range list {
		b.Text(h.Name, h.Value)
	}
	b.Close('}')
}

// Headers keeps names as they stand, and their order. It is nil where none were
// recorded, and empty where there were none.
func Headers(v record.Value) []transcript.Header {
	if v.Kind() != '{' {
		return nil
	}
	list := []transcript.Header{}
	for name, v := range v.Members() {
		h := transcript.Header{Name: name, Value: string(v)}
		if v.Kind() == '"' {
			h.Value = v.Text()
		}
		list = append(list, h)
	}
	return list
}
