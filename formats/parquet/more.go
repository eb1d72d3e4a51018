package parquet

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
)

// The column more is one JSON object with what the columns lack, under the names
// of the canonical JSONL where it has one. It is null where nothing is lacking.

// An object is JSON in the making. It is put together by hand, as in the
// canonical JSONL: a JSON encoder would replace what is not UTF-8.
type object struct{ buf []byte }

func (o *object) sep() {
	if n := len(o.buf); n > 0 && o.buf[n-1] != '{' && o.buf[n-1] != '[' && o.buf[n-1] != ':' {
		o.buf = append(o.buf, ',')
	}
}

func (o *object) key(name string) {
	o.sep()
	o.buf = append(formats.AppendQuote(o.buf, name), ':')
}

func (o *object) open(name string, c byte) {
	if name != "" {
		o.key(name)
	}
	o.sep()
	o.buf = append(o.buf, c)
}

func (o *object) close(c byte)          { o.buf = append(o.buf, c) }
func (o *object) item(s string)         { o.sep(); o.buf = formats.AppendQuote(o.buf, s) }
func (o *object) text(name, s string)   { o.key(name); o.buf = formats.AppendQuote(o.buf, s) }
func (o *object) raw(name, json string) { o.key(name); o.buf = append(o.buf, json...) }

func (o *object) number(n int64) { o.sep(); o.buf = strconv.AppendInt(o.buf, n, 10) }

// str, int and bool leave out what is empty.
func (o *object) str(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *object) int(name string, n int64) {
	if n != 0 {
		o.raw(name, strconv.FormatInt(n, 10))
	}
}

func (o *object) bool(name string, b bool) {
	if b {
		o.raw(name, "true")
	}
}

// lenient decodes as writers in the field write.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// A remainder is the column more, decoded. Any row may have the first group.
type remainder struct {
	Raw map[string][]byte `json:"raw"` // texts that are not UTF-8, by column, as they were
	Num map[string]int64  `json:"num"` // numbers that do not fit the column of the name
	Ns  map[string]int64  `json:"ns"`  // nanoseconds to add to the column of the name

	// Of a step.
	Model     formats.Text `json:"model"`
	Flags     []string     `json:"flags"`
	Role      formats.Text `json:"role"`
	FinishRaw formats.Text `json:"finish_raw"`
	Parts     []partMore   `json:"parts"`
	Deltas    [][][2]int64 `json:"deltas"` // of each part: where it ends in bytes, when in nanoseconds

	// Of a call.
	ArgsInvalid bool         `json:"args_invalid"`
	Unflagged   bool         `json:"unflagged"` // is_error was inferred by the writer of the file
	Executed    bool         `json:"provider_executed"`
	State       formats.Text `json:"state"`
	Denied      bool         `json:"denied"`
	Interrupted bool         `json:"interrupted"`
	Truncated   bool         `json:"truncated"`
	Signals     *signalsMore `json:"signals"`
	Media       []mediaMore  `json:"media"`

	// Of an attempt.
	Max       int            `json:"max"`
	Name      formats.Text   `json:"name"`
	Code      formats.Text   `json:"code"`
	Cause     formats.Text   `json:"cause"`
	Headers   jsontext.Value `json:"headers"`
	Body      formats.Text   `json:"body"`
	RequestID formats.Text   `json:"request_id"`
	Provider  formats.Text   `json:"provider"`
	Adapter   formats.Text   `json:"adapter"`
	Retryable *bool          `json:"is_retryable"`
	Error     formats.Text   `json:"error"`
	Scope     formats.Text   `json:"scope"`
	Phase     formats.Text   `json:"phase"`
	AfterCall bool           `json:"after_call"`

	// Of a session.
	Trial      formats.Text `json:"trial"`
	ExitStatus formats.Text `json:"exit_status"`
	Label      []byte       `json:"label"`
}

// A partMore is a part of a step. Text and reasoning are cut from the columns;
// the input of a call is its arguments, unless it has a text of its own.
type partMore struct {
	Ch   formats.Text  `json:"ch"`
	N    int           `json:"n"`
	Call int           `json:"call"`
	Text *formats.Text `json:"text"`
}

type signalsMore struct {
	ResultSig      formats.Text `json:"result_sig"`
	OutcomeSig     formats.Text `json:"outcome_sig"`
	ReadOnly       bool         `json:"read_only"`
	TrustsProgress bool         `json:"trusts_progress"`
	NonActionable  bool         `json:"non_actionable"`
}

type mediaMore struct {
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// readMore decodes the column. Null and empty are an empty remainder.
func readMore(s string) (*remainder, error) {
	m := &remainder{}
	if s == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(s), m, lenient); err != nil {
		return nil, err
	}
	if whole, ok := m.Raw["more"]; ok {
		m = &remainder{}
		if err := json.Unmarshal(whole, m, lenient); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// A cell fills the columns of one row and puts into more what does not fit.
type cell struct {
	object
	raw, num, ns []kept
}

type kept struct {
	column string
	text   string
	n      int64
}

func (c *cell) reset() {
	c.buf = append(c.buf[:0], '{')
	c.raw, c.num, c.ns = c.raw[:0], c.num[:0], c.ns[:0]
}

// word is a text for a column. Parquet says that a string is UTF-8, and an engine
// that finds one that is not gives up on the whole column: what is not UTF-8 is
// U+FFFD there, and as it was in more.
func (c *cell) word(column, s string) string {
	if utf8.ValidString(s) {
		return s
	}
	c.raw = append(c.raw, kept{column: column, text: s})
	return strings.ToValidUTF8(s, "\uFFFD")
}

// opt is a text that is null when empty.
func (c *cell) opt(column, s string) *string {
	if s == "" {
		return nil
	}
	s = c.word(column, s)
	return &s
}

// small is a number for a column of 32 bits.
func (c *cell) small(column string, n int64) *int32 {
	if n < math.MinInt32 || n > math.MaxInt32 {
		c.num = append(c.num, kept{column: column, n: n})
		return nil
	}
	m := int32(n)
	return &m
}

// positive is a number that is null when 0.
func (c *cell) positive(column string, n int64) *int32 {
	if n == 0 {
		return nil
	}
	return c.small(column, n)
}

// time is null when zero.
func (c *cell) time(column string, t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := t.UnixMicro()
	if rest := t.Nanosecond() % 1000; rest != 0 {
		c.ns = append(c.ns, kept{column: column, n: int64(rest)})
	}
	return &n
}

// millis is null for a duration that was not recorded.
func (c *cell) millis(column string, d time.Duration) *int64 {
	if d < 0 {
		return nil
	}
	n := d.Milliseconds()
	if rest := d % time.Millisecond; rest != 0 {
		c.ns = append(c.ns, kept{column: column, n: int64(rest)})
	}
	return &n
}

// more is the column of that name.
func (c *cell) more() *string {
	c.keep("num", c.num)
	c.keep("ns", c.ns)
	if len(c.raw) > 0 {
		c.open("raw", '{')
		for _, k := range c.raw {
			c.text(k.column, base64.StdEncoding.EncodeToString([]byte(k.text)))
		}
		c.close('}')
	}
	if len(c.buf) == 1 {
		return nil
	}
	s := string(append(c.buf, '}'))
	if !utf8.ValidString(s) {
		s = `{"raw":{"more":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}}`
	}
	return &s
}

func (c *cell) keep(name string, list []kept) {
	if len(list) == 0 {
		return
	}
	c.open(name, '{')
	for _, k := range list {
		c.int(k.column, k.n)
	}
	c.close('}')
}
