package stream

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// An exchange is one recorded request and what came of it.
type exchange struct {
	method, url string
	request     string // the body
	status      int
	reason      string // the words beside the status
	headers     []transcript.Header
	response    string // the body
	broken      string // an error below HTTP
	packed      bool   // a body that could not be unpacked
	at          time.Time
	took        time.Duration
	line        int
}

// A shelf unpacks the bodies of a document. What they come to is bounded, one by
// one and together: a small document can stand for a very large one.
type shelf struct{ limit, room int64 }

// expands is how many times the size limit all bodies may come to.
const expands = 8

func newShelf(limit int64) *shelf { return &shelf{limit, expands * limit} }

// exchanges finds the exchanges of a document, whichever tool has written it.
func (sh *shelf) exchanges(doc *node) (list []*exchange) {
	entries := doc
	for _, path := range [][]string{{"interactions"}, {"http_interactions"}, {"log", "entries"}} {
		if n := doc.at(path...); n.kind == 'l' {
			entries = n
		}
	}
	items := entries.items
	if entries.kind == 'm' {
		items = []*node{entries}
	}
	for _, n := range items {
		if n.kind != 'm' {
			continue
		}
		req, resp := n.at("request"), n.at("response")
		switch {
		case req.kind == 'm':
			list = append(list, sh.vcr(n, req, resp))
		case n.at("scope").kind == 's':
			list = append(list, sh.nock(n))
		}
	}
	return list
}

// vcr reads the shapes of vcrpy, go-vcr, VCR for Ruby and HAR, which differ in
// where the bodies and the status stand.
func (sh *shelf) vcr(n, req, resp *node) *exchange {
	x := &exchange{
		method: req.at("method").text, url: req.first("url", "uri").text, line: n.line,
		headers: headerList(resp.at("headers")), took: -1,
	}
	x.request = sh.body(x, req.first("body", "parsed_body", "postData"), headerList(req.at("headers")))
	x.response = sh.body(x, resp.first("body", "parsed_body", "content"), x.headers)
	status := resp.at("status")
	x.status = number(resp.first("code", "status_code").text)
	x.reason = resp.at("statusText").text
	if status.kind == 'm' {
		x.status, x.reason = number(status.at("code").text), status.first("message", "reason").text
	} else if x.status == 0 {
		code, words, _ := strings.Cut(status.text, " ")
		x.status = number(code)
		if words != "" {
			x.reason = words
		}
	}
	for _, name := range []string{"startedDateTime", "recorded_at"} {
		if t, err := time.Parse(time.RFC3339Nano, n.at(name).text); err == nil {
			x.at = t.UTC()
		}
	}
	if d, err := time.ParseDuration(resp.at("duration").text); err == nil && d > 0 {
		x.took = d
	}
	if ms, err := strconv.ParseFloat(n.at("time").text, 64); err == nil {
		if d, ok := record.Duration(ms, time.Millisecond); ok && d > 0 {
			x.took = d
		}
	}
	x.broken = resp.first("_error", "error").text
	if x.broken == "" {
		x.broken = n.first("error", "exception").text
	}
	if x.broken == "" && x.status == 0 {
		x.broken = "no response"
	}
	return x
}

func (sh *shelf) nock(n *node) *exchange {
	x := &exchange{
		method: n.at("method").text, url: n.at("scope").text + n.at("path").text, line: n.line,
		headers: headerList(n.first("rawHeaders", "headers", "reqheaders")),
		status:  number(n.at("status").text), took: -1,
	}
	parsed := func(n *node) *node {
		if n.kind == 'm' {
			return &node{kind: 's', text: string(n.json(nil, 0, sh.most()))}
		}
		return n
	}
	x.request = sh.body(x, parsed(n.first("requestBody", "body")), nil)
	resp := parsed(n.at("response"))
	if resp.kind == 'l' { // chunks, in hexadecimal
		var packed strings.Builder
		for _, c := range resp.items {
			packed.WriteString(unhex(c.text))
		}
		if packed.Len() > 0 {
			resp = &node{kind: 's', text: packed.String()}
		}
	}
	x.response = sh.body(x, resp, x.headers)
	if n.at("status").kind == 0 {
		x.status = 200
	}
	return x
}

func number(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return n
}

func unhex(s string) string {
	var out []byte
	for i := 0; i+1 < len(s); i += 2 {
		n, err := strconv.ParseUint(s[i:i+2], 16, 8)
		if err != nil {
			return s
		}
		out = append(out, byte(n))
	}
	return string(out)
}

// headerList reads a map of values or of lists of values, a list of {name,
// value}, or a flat list of names and values.
func headerList(n *node) (list []transcript.Header) {
	add := func(name string, v *node) {
		if v.kind == 's' {
			list = append(list, transcript.Header{Name: strings.ToLower(name), Value: v.text})
		}
		for _, v := range v.items {
			if v.kind == 's' {
				list = append(list, transcript.Header{Name: strings.ToLower(name), Value: v.text})
			}
		}
	}
	switch n.kind {
	case 'm':
		for i, name := range n.names {
			add(name, n.items[i])
		}
	case 'l':
		for i := 0; i < len(n.items); i++ {
			switch v := n.items[i]; {
			case v.kind == 'm':
				add(v.at("name").text, v.at("value"))
			case v.kind == 's' && i+1 < len(n.items):
				i++
				add(v.text, n.items[i])
			}
		}
	}
	return list
}

func (sh *shelf) most() int64 { return min(sh.limit, sh.room) }

// body is a body as text: out of what stands around it, out of base64, and
// unpacked.
func (sh *shelf) body(x *exchange, n *node, headers []transcript.Header) (body string) {
	defer func() { sh.room -= int64(len(body)) }()
	text := n.text
	switch in := n.first("string", "base64_string", "base64", "text"); {
	case n.kind == 'm' && (in.kind == 's' || n.at("mimeType").kind != 0):
		text = in.text
		coded := n.at("base64_string").kind != 0 && n.at("string").kind == 0 || n.at("base64").kind != 0 ||
			n.at("encoding").text == "base64"
		if b, ok := unbase64(text); coded && ok {
			text = b
		}
	case len(n.names) == 1 && n.names[0] == "string":
		return "" // no body
	case n.kind == 'm' || n.kind == 'l':
		return string(n.json(nil, 0, sh.most()))
	}
	coding := strings.ToLower(record.Header(headers, "content-encoding"))
	if coding == "gzip" && !strings.HasPrefix(text, gzipMagic) {
		// Some writers put what is not text into base64 without a word.
		if b, ok := unbase64(text); ok && strings.HasPrefix(b, gzipMagic) {
			text = b
		}
	}
	plain, ok := unpack(text, coding, sh.most())
	x.packed = x.packed || !ok
	return plain
}

const gzipMagic = "\x1f\x8b"

// unpack undoes a content encoding, which many recorders already have done.
func unpack(text, coding string, limit int64) (string, bool) {
	var r io.Reader
	var err error
	in := strings.NewReader(text)
	switch {
	case strings.HasPrefix(text, gzipMagic):
		r, err = gzip.NewReader(in)
	case strings.HasPrefix(text, "\x28\xb5\x2f\xfd"):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20)); err == nil {
			defer z.Close()
			r = z
		}
	case coding == "deflate" && !looksPlain(text):
		if r, err = zlib.NewReader(in); err != nil {
			r, err = flate.NewReader(strings.NewReader(text)), nil
		}
	default:
		return text, coding != "br" || looksPlain(text)
	}
	if err != nil {
		return text, false
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, limit+1))
	if err != nil && n == 0 || n > limit {
		return "", false
	}
	return out.String(), true
}

// looksPlain reports whether a body begins as JSON or as a stream does.
func looksPlain(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return s == "" || s[0] == '{' || s[0] == '[' || isSSE([]byte(s))
}
