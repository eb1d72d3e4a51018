package anthropic

import (
	"strings"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A piece is one block inside a result.
type piece struct {
	whole        record.Value // as it stands
	kind         string
	text         record.Value
	source, mime string // where a binary comes from
	data         record.Value
	url          record.Value
}

var pieceShape = record.NewShape(
	record.Raw(record.Itself, func(p *piece) *record.Value { return &p.whole }),
	record.Word("type", func(p *piece) *string { return &p.kind }),
	record.Text("text", func(p *piece) *record.Value { return &p.text }),
	record.In("source",
		record.Word("type", func(p *piece) *string { return &p.source }),
		record.Word("media_type", func(p *piece) *string { return &p.mime }),
		record.Text("data", func(p *piece) *record.Value { return &p.data })),
	record.Text("image_url", func(p *piece) *record.Value { return &p.url }),
	record.In("image_url", record.Text("url", func(p *piece) *record.Value { return &p.url })),
)

// media is the binary that the file itself has, if the piece is one.
func (p *piece) media() (m transcript.Media, ok bool) {
	if p.source == "base64" {
		return record.Media(p.mime, p.data.Text()), true
	}
	return record.DataURL(p.url.Text())
}

// Result is the outcome of a call that a block has. Without a flag it is good,
// which is the API's default.
func (b *Block) Result() (r transcript.Result) {
	r.Status = transcript.ResultOK
	if b.pieces != nil {
		r.Text, r.Media = join(b.pieces)
	} else if r.Text = b.result.Argument(); isErrorObject(b.result) {
		r.Status = transcript.ResultError
	}
	if b.failed {
		r.Status = failure(r.Text)
	}
	return r
}

// notRun are the texts that a client gives in place of the result of a call that it never
// ran. They follow the tag of an error, if there is one.
var notRun = []struct {
	text   string
	status transcript.ResultStatus
}{
	{"The user doesn't want to proceed", transcript.ResultDenied},
	{"The user doesn't want to take this action", transcript.ResultDenied},
	{"The tool use was rejected", transcript.ResultDenied},
	{"Sibling tool call errored", transcript.ResultCancelled},
	{"Cancelled: parallel tool call", transcript.ResultCancelled},
}

// failure is the status of a call whose result has the flag of an error.
func failure(text string) transcript.ResultStatus {
	text = strings.TrimPrefix(text, "<tool_use_error>")
	for _, n := range notRun {
		if strings.HasPrefix(text, n.text) {
			return n.status
		}
	}
	return transcript.ResultError
}

// Content reads a text, or a list of pieces, where a result may be either.
func Content(v record.Value) (text string, media []transcript.Media) {
	if v.Kind() != '[' {
		return v.Argument(), nil
	}
	var pieces []piece
	contentShape.Parse(v, &pieces)
	return join(pieces)
}

// join joins texts by line feeds and takes binaries out. What is neither stays
// in the text as JSON: two results that differ only there must not look alike.
func join(pieces []piece) (text string, media []transcript.Media) {
	if len(pieces) == 1 && pieces[0].isText() {
		return pieces[0].words(), nil
	}
	var texts []string
	for i := range pieces {
		p := &pieces[i]
		if p.isText() {
			texts = append(texts, p.words())
		} else if m, ok := p.media(); ok {
			media = append(media, m)
		} else {
			texts = append(texts, string(p.whole))
		}
	}
	return strings.Join(texts, "\n"), media
}

func (p *piece) isText() bool {
	return p.whole.Kind() == '"' || strings.HasSuffix(p.kind, "text") && p.text != nil
}

func (p *piece) words() string {
	if p.whole.Kind() == '"' {
		return p.whole.Text()
	}
	return p.text.Text()
}

// isErrorObject recognises what a provider puts in place of a result that its
// tool could not give.
func isErrorObject(v record.Value) bool {
	var e errorObject
	if v.Kind() != '{' || errorShape.Parse(v, &e) != nil {
		return false
	}
	return e.code != "" && strings.HasSuffix(e.kind, "_error")
}

type errorObject struct{ kind, code string }

var errorShape = record.NewShape(
	record.Word("type", func(f *errorObject) *string { return &f.kind }),
	record.String("error_code", func(f *errorObject) *string { return &f.code }),
)

var contentShape = record.NewShape(
	record.Each(record.Itself, pieceShape, func(list *[]piece) *[]piece { return list }),
)
