//go:build !slim

package cut

import (
	"iter"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"groundhog/replay/transcript"
)

// o200k loads the vocabulary when it is first needed, once.
var o200k = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

func tokens() []Named {
	return []Named{{"token", "tokens of the o200k vocabulary", Tokens}}
}

// Tokens splits text at the tokens of o200k. A token may end inside a character, as a
// recorded delta may. Text that the vocabulary does not give back byte for byte is
// split into words.
func Tokens(text string) iter.Seq[string] {
	codec, err := o200k()
	if err != nil {
		return transcript.Words(text)
	}
	_, pieces, err := codec.Encode(text)
	if err != nil || strings.Join(pieces, "") != text {
		return transcript.Words(text)
	}
	return func(yield func(string) bool) {
		for _, p := range pieces {
			if p != "" && !yield(p) {
				return
			}
		}
	}
}

// Count counts the tokens of o200k, or estimates them where the vocabulary does not give
// the text back. by says which: "bpe" or "estimate".
func Count(text string) (tokens int64, by string) {
	codec, err := o200k()
	if err == nil {
		ids, pieces, err := codec.Encode(text)
		if err == nil && strings.Join(pieces, "") == text {
			return int64(len(ids)), "bpe"
		}
	}
	return Estimate(text), "estimate"
}
