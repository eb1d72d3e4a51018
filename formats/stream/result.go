package stream

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// Result reads a block that holds the outcome of a call: Anthropic's
// tool_result, and what a provider's own tools answer.
func Result(o Object) (r transcript.Result) {
	v := o.Get("content")
	r.Text, r.Media = content(v)
	r.Status = transcript.ResultOK // without the flag, the API's default
	if o.Get("is_error").Kind() == 't' || errorObject(Parse(v)) {
		r.Status = transcript.ResultError
	}
	return r
}

// errorObject recognises what a provider puts in place of a result that its
// tool could not give.
func errorObject(o Object) bool {
	return o.Str("error_code") != "" && strings.HasSuffix(o.Str("type"), "_error")
}

// content reads a text, or a list of pieces. Texts are joined by line feeds and
// binaries taken out. What is neither stays in the text as JSON: two results
// that differ only there must not look alike.
func content(v jsontext.Value) (text string, media []transcript.Media) {
	switch v.Kind() {
	case '"':
		return str(v), nil
	case '[':
	case 'n', 0:
		return "", nil
	default:
		return string(v), nil
	}
	var texts []string
	for v := range Elems(v) {
		o := Parse(v)
		switch {
		case v.Kind() == '"':
			texts = append(texts, str(v))
		case strings.HasSuffix(o.Str("type"), "text") && o.Get("text").Kind() == '"':
			texts = append(texts, o.Str("text"))
		default:
			if m, ok := binary(o); ok {
				media = append(media, m)
			} else {
				texts = append(texts, string(v))
			}
		}
	}
	return strings.Join(texts, "\n"), media
}

// binary recognises a piece whose content is in the file itself.
func binary(o Object) (m transcript.Media, ok bool) {
	mime, data := "", ""
	switch src := o.Obj("source"); {
	case src.Str("type") == "base64":
		mime, data, ok = src.Str("media_type"), src.Str("data"), true
	default:
		url := o.Str("image_url")
		if url == "" {
			url = o.Obj("image_url").Str("url")
		}
		var rest string
		if rest, ok = strings.CutPrefix(url, "data:"); !ok {
			return m, false
		}
		mime, data, _ = strings.Cut(rest, ",")
		mime, ok = strings.CutSuffix(mime, ";base64")
	}
	if !ok {
		return m, false
	}
	// Broken base64 is described as far as it can be decoded.
	sum := sha256.New()
	n, _ := io.Copy(sum, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return transcript.Media{MIME: mime, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, true
}
