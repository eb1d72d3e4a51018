package claudecode

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A block is one piece of a message's content.
type block struct {
	kind     string
	id, name string // of a call
	call     string // tool_use_id of a result
	text     string
	thinking string
	input    string // the JSON of a call's arguments, byte for byte; "" if it has none
	result   string
	media    []transcript.Media
	failed   bool // is_error, or an error object in place of a result
}

// A call asks for a tool that the client runs, or the model's provider.
func (b *block) isCall() bool {
	return b.kind == "tool_use" || b.isProviderCall()
}

func (b *block) isProviderCall() bool {
	return b.kind == "server_tool_use" || b.kind == "mcp_tool_use"
}

// isResult also covers what a provider's tool answers: web_search_tool_result
// and its kin.
func (b *block) isResult() bool {
	return b.kind == "tool_result" || strings.HasSuffix(b.kind, "_tool_result")
}

// readContent reads the content of a message: a string, or a list of blocks.
func readContent(dec *jsontext.Decoder) ([]block, error) {
	switch dec.PeekKind() {
	case '"', '{':
		b, err := readBlock(dec)
		return []block{b}, err
	case '[':
	default:
		return nil, dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var blocks []block
	for {
		switch dec.PeekKind() {
		case '"', '{':
			b, err := readBlock(dec)
			if err != nil {
				return blocks, err
			}
			blocks = append(blocks, b)
		case ']':
			_, err := dec.ReadToken()
			return blocks, err
		default:
			if err := dec.SkipValue(); err != nil {
				return blocks, err
			}
		}
	}
}

// readBlock reads one block. A bare string is a text.
func readBlock(dec *jsontext.Decoder) (b block, err error) {
	if dec.PeekKind() == '"' {
		b.kind = "text"
		return b, str(dec, &b.text)
	}
	err = object(dec, func(name []byte) error {
		switch string(name) {
		case "type":
			return str(dec, &b.kind)
		case "text":
			return str(dec, &b.text)
		case "thinking":
			return str(dec, &b.thinking)
		case "id":
			return str(dec, &b.id)
		case "tool_use_id":
			return str(dec, &b.call)
		case "name":
			return str(dec, &b.name)
		case "input":
			raw, err := dec.ReadValue()
			b.input = string(raw)
			return err
		case "is_error":
			return boolean(dec, &b.failed)
		case "content":
			return b.readResult(dec)
		}
		return dec.SkipValue()
	})
	return b, err
}

// readResult reads the content of a result. Texts are joined by line feeds and
// binaries taken out. What is neither stays in the text as JSON: two results
// that differ only there must not look alike.
func (b *block) readResult(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		b.result = formats.Unquote(raw)
	case '{':
		b.result = string(raw)
		b.failed = b.failed || isErrorObject(raw)
	case '[':
		return b.readPieces(decoder(raw))
	}
	return nil
}

func (b *block) readPieces(dec *jsontext.Decoder) error {
	var texts []string
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if raw.Kind() == '"' {
			texts = append(texts, formats.Unquote(raw))
			continue
		}
		p, err := readPiece(decoder(raw))
		if err != nil {
			return err
		}
		switch {
		case p.media != nil:
			b.media = append(b.media, *p.media)
		case p.kind == "text":
			texts = append(texts, p.text)
		default:
			texts = append(texts, string(raw))
		}
	}
	b.result = strings.Join(texts, "\n")
	return nil
}

// A piece is one block inside a result.
type piece struct {
	kind, text string
	media      *transcript.Media
}

func readPiece(dec *jsontext.Decoder) (p piece, err error) {
	err = object(dec, func(name []byte) error {
		switch string(name) {
		case "type":
			return str(dec, &p.kind)
		case "text":
			return str(dec, &p.text)
		case "source":
			return p.readSource(dec)
		}
		return dec.SkipValue()
	})
	return p, err
}

// readSource reads where an image or document comes from; only what is in the
// file itself is media.
func (p *piece) readSource(dec *jsontext.Decoder) error {
	var kind, mime, data string
	err := object(dec, func(name []byte) error {
		switch string(name) {
		case "type":
			return str(dec, &kind)
		case "media_type":
			return str(dec, &mime)
		case "data":
			return str(dec, &data)
		}
		return dec.SkipValue()
	})
	if kind == "base64" {
		p.media = digest(mime, data)
	}
	return err
}

// digest describes base64 without holding what it stands for. Broken base64 is
// described as far as it can be decoded.
func digest(mime, data string) *transcript.Media {
	sum := sha256.New()
	n, _ := io.Copy(sum, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return &transcript.Media{MIME: mime, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}
}

// isErrorObject recognises what a provider puts in place of a result that its
// tool could not give.
func isErrorObject(raw []byte) bool {
	var kind, code string
	dec := decoder(raw)
	err := object(dec, func(name []byte) error {
		switch string(name) {
		case "type":
			return str(dec, &kind)
		case "error_code":
			return str(dec, &code)
		}
		return dec.SkipValue()
	})
	return err == nil && code != "" && strings.HasSuffix(kind, "_error")
}
