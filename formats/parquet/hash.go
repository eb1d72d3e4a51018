package parquet

import (
	"github.com/zeebo/xxh3"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The hash columns hold the bits of XXH3, 64 bits, seed 0, as a signed integer:
//
//	args_hash         of the arguments as canonical JSON: members sorted by name, no
//	                  white space, strings with the fewest escapes, numbers as they
//	                  were written. Of the bytes, if they are no JSON value, name a
//	                  member twice or are not UTF-8.
//	result_hash       of the bytes of the result; where media were taken out of it,
//	                  of those and a zero byte and the SHA-256 of each.
//	result_norm_hash  the same of the result after normalise.
//	text_hash         of the bytes of the text.
//
// They are part of the format: another function would be transcript.schema 2.

func hash(b string) int64 { return int64(xxh3.HashString(b)) }

// A hasher keeps its buffers.
type hasher struct {
	buf  []byte
	norm []byte
}

func (h *hasher) args(args string) int64 {
	h.buf = append(h.buf[:0], args...)
	v, ok := record.Canonicalize(h.buf)
	if !ok {
		return hash(args)
	}
	return int64(xxh3.Hash(v))
}

func (h *hasher) result(r *transcript.Result) (raw, norm int64) {
	if len(r.Media) == 0 {
		raw = hash(r.Text)
	} else {
		h.buf = addMedia(append(h.buf[:0], r.Text...), r)
		raw = int64(xxh3.Hash(h.buf))
	}
	h.norm = addMedia(normalise(h.norm[:0], r.Text), r)
	return raw, int64(xxh3.Hash(h.norm))
}

func addMedia(buf []byte, r *transcript.Result) []byte {
	for _, m := range r.Media {
		buf = append(append(buf, 0), m.SHA256...)
	}
	return buf
}

// normalise appends text without what changes from one run of a command to the
// next: a run of white space is one blank, and none stands at either end; a
// UUID, and a run of eight or more letters and digits that is hexadecimal and
// has both, is "#"; any other run of digits is "0".
func normalise(out []byte, text string) []byte {
	start, blank := len(out), false
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' || c >= '\t' && c <= '\r' {
			blank = true
			i++
			continue
		}
		if blank && len(out) > start {
			out = append(out, ' ')
		}
		blank = false
		if !alnum(c) {
			out = append(out, c)
			i++
			continue
		}
		if isUUID(text[i:]) {
			out = append(out, '#')
			i += uuidLen
			continue
		}
		n, hex, digits := 0, true, 0
		for n < len(text)-i && alnum(text[i+n]) {
			hex = hex && isHex(text[i+n])
			if isDigit(text[i+n]) {
				digits++
			}
			n++
		}
		word := text[i : i+n]
		i += n
		if hex && n >= 8 && digits > 0 && digits < n {
			out = append(out, '#')
			continue
		}
		for j := 0; j < n; j++ {
			if !isDigit(word[j]) {
				out = append(out, word[j])
			} else if j == 0 || !isDigit(word[j-1]) {
				out = append(out, '0')
			}
		}
	}
	return out
}

const uuidLen = 36

func isUUID(s string) bool {
	if len(s) < uuidLen || len(s) > uuidLen && alnum(s[uuidLen]) {
		return false
	}
	for i := range uuidLen {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func alnum(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
