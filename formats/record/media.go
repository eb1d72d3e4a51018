package record

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"groundhog/replay/transcript"
)

// Media describes a binary that a recording holds as base64: two results with
// different images are not the same result. It is not held itself. Broken base64
// is described as far as it can be decoded.
func Media(mime, data string) transcript.Media {
	sum := sha256.New()
	n, _ := io.Copy(sum, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return transcript.Media{MIME: mime, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}
}

// DataURL is Media for data:MIME;base64,DATA. Other URLs are not ok.
func DataURL(url string) (m transcript.Media, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	kind, data, found := strings.Cut(rest, ",")
	mime, coded := strings.CutSuffix(kind, ";base64")
	if !ok || !found || !coded {
		return transcript.Media{}, false
	}
	return Media(mime, data), true
}
