package openai

import (
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// UsageShape reads the counts of one response. The prompt's count includes what
// came from a cache, see WithoutCache.
var UsageShape = record.NewShape(append(usageFields(),
	record.In("prompt_tokens_details", usageFields()...),
	record.In("completion_tokens_details", usageFields()...),
)...)

// WithoutCache leaves out of the input what came from a cache, as the model of a
// session has it.
func WithoutCache(u transcript.Usage) transcript.Usage {
	u.Input = max(0, u.Input-u.CacheRead)
	return u
}

func usageFields() []record.Field[transcript.Usage] {
	return []record.Field[transcript.Usage]{
		record.Tokens("prompt_tokens", func(u *transcript.Usage) *int64 { return &u.Input }),
		record.Tokens("completion_tokens", func(u *transcript.Usage) *int64 { return &u.Output }),
		record.Tokens("cached_tokens", func(u *transcript.Usage) *int64 { return &u.CacheRead }).
			Or("prompt_cache_hit_tokens", "cache_read_input_tokens"),
		record.Tokens("cache_creation_input_tokens", func(u *transcript.Usage) *int64 { return &u.CacheWrite }),
		record.Tokens("reasoning_tokens", func(u *transcript.Usage) *int64 { return &u.Reasoning }),
		record.Func("cost", func(u *transcript.Usage, v record.Value) {
			if n, ok := v.Number(); ok && n > 0 {
				u.Cost, u.Known = n, true
			}
		}).Only('0', '"'),
	}
}
