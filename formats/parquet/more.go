package parquet

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"groundhog/formats/native"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// The column more is one JSON object with what the columns lack, under the names
// of the canonical JSONL where it has one. It is null where nothing is lacking.

// A remainder is the column more, decoded. Any row may have the first group.
type remainder struct {
	Raw map[string]string // texts that are not UTF-8, by column, as they were
	Num map[string]int64  // numbers that do not fit the column of the name
	Ns  map[string]int64  // nanoseconds to add to the column of the name

	// Of a step.
	Model     string
	Flags     []string
	Role      string
	FinishRaw string
	Parts     []partMore
	Deltas    [][][]int64 // of each part: where it ends in bytes, when in nanoseconds

	// Of a call.
	ArgsInvalid bool
	Unflagged   bool // is_error was inferred by the writer of the file
	Executed    bool
	State       string
	Denied      bool
	Cancelled   bool
	Interrupted bool
	Truncated   bool
	Signals     *transcript.Signals
	Media       []transcript.Media

	// Of an attempt.
	Max       int
	Name      string
	Code      string
	Cause     string
	Headers   record.Value
	Body      string
	RequestID string
	Provider  string
	Adapter   string
	Retryable *bool
	Error     string
	Scope     string
	Phase     string
	AfterCall bool

	// Of a session.
	Trial      string
	ExitStatus string
	Label      []byte
}

// A partMore is a part of a step. Text and reasoning are cut from the columns;
// the input of a call is its arguments, unless it has a text of its own.
type partMore struct {
	channel string
	n, call int
	text    record.Value
}

var moreShape = record.NewShape(
	record.Visit("raw", func(m *remainder, r *record.Reader) (err error) {
		m.Raw, err = columns(r, func(v record.Value) (string, error) {
			b, err := base64.StdEncoding.DecodeString(v.Text())
			return string(b), err
		})
		return err
	}).Only('{'),
	record.Visit("num", func(m *remainder, r *record.Reader) (err error) {
		m.Num, err = columns(r, wholeNumber)
		return err
	}).Only('{'),
	record.Visit("ns", func(m *remainder, r *record.Reader) (err error) {
		m.Ns, err = columns(r, wholeNumber)
		return err
	}).Only('{'),

	record.Word("model", func(m *remainder) *string { return &m.Model }),
	record.Strings("flags", func(m *remainder) *[]string { return &m.Flags }),
	record.Word("role", func(m *remainder) *string { return &m.Role }),
	record.Word("finish_raw", func(m *remainder) *string { return &m.FinishRaw }),
	record.Each("parts", partShape, func(m *remainder) *[]partMore { return &m.Parts }),
	record.Each("deltas", deltasShape, func(m *remainder) *[][][]int64 { return &m.Deltas }),

	record.Bool("args_invalid", func(m *remainder) *bool { return &m.ArgsInvalid }),
	record.Bool("unflagged", func(m *remainder) *bool { return &m.Unflagged }),
	record.Bool("provider_executed", func(m *remainder) *bool { return &m.Executed }),
	record.Word("state", func(m *remainder) *string { return &m.State }),
	record.Bool("denied", func(m *remainder) *bool { return &m.Denied }),
	record.Bool("cancelled", func(m *remainder) *bool { return &m.Cancelled }),
	record.Bool("interrupted", func(m *remainder) *bool { return &m.Interrupted }),
	record.Bool("truncated", func(m *remainder) *bool { return &m.Truncated }),
	record.Object("signals", native.SignalsShape, func(m *remainder) *transcript.Signals {
		m.Signals = &transcript.Signals{}
		return m.Signals
	}),
	record.Each("media", native.MediaShape, func(m *remainder) *[]transcript.Media { return &m.Media }),

	record.Int("max", func(m *remainder) *int { return &m.Max }),
	record.Word("name", func(m *remainder) *string { return &m.Name }),
	record.Word("code", func(m *remainder) *string { return &m.Code }),
	record.String("cause", func(m *remainder) *string { return &m.Cause }),
	record.Raw("headers", func(m *remainder) *record.Value { return &m.Headers }),
	record.String("body", func(m *remainder) *string { return &m.Body }),
	record.String("request_id", func(m *remainder) *string { return &m.RequestID }),
	record.Word("provider", func(m *remainder) *string { return &m.Provider }),
	record.Word("adapter", func(m *remainder) *string { return &m.Adapter }),
	record.Maybe("is_retryable", func(m *remainder) **bool { return &m.Retryable }),
	record.String("error", func(m *remainder) *string { return &m.Error }),
	record.Word("scope", func(m *remainder) *string { return &m.Scope }),
	record.Word("phase", func(m *remainder) *string { return &m.Phase }),
	record.Bool("after_call", func(m *remainder) *bool { return &m.AfterCall }),

	record.String("trial", func(m *remainder) *string { return &m.Trial }),
	record.String("exit_status", func(m *remainder) *string { return &m.ExitStatus }),
	record.Visit("label", func(m *remainder, r *record.Reader) error {
		v, err := r.View()
		if err == nil {
			m.Label, err = base64.StdEncoding.DecodeString(v.Text())
		}
		return err
	}).Only('"'),
).Strict()

var partShape = record.NewShape(
	record.Word("ch", func(p *partMore) *string { return &p.channel }),
	record.Int("n", func(p *partMore) *int { return &p.n }),
	record.Int("call", func(p *partMore) *int { return &p.call }),
	record.Text("text", func(p *partMore) *record.Value { return &p.text }),
)

// deltasShape reads the deltas of one part, each two numbers.
var deltasShape = record.NewShape(
	record.Each(record.Itself, deltaShape, func(list *[][]int64) *[][]int64 { return list }),
)

var deltaShape = record.NewShape(
	record.Each(record.Itself, numberShape, func(list *[]int64) *[]int64 { return list }),
)

var numberShape = record.NewShape(record.Int(record.Itself, func(n *int64) *int64 { return n }))

// columns reads an object with a member for each of some columns.
func columns[V any](r *record.Reader, read func(record.Value) (V, error)) (map[string]V, error) {
	m := make(map[string]V)
	for name := range r.Members() {
		v, err := r.View()
		if err != nil {
			return nil, err
		}
		if m[name], err = read(v); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, r.Err()
}

func wholeNumber(v record.Value) (int64, error) { return strconv.ParseInt(string(v), 10, 64) }

// readMore decodes the column. Null and empty are an empty remainder.
func readMore(s string) (*remainder, error) {
	m := &remainder{}
	if s == "" {
		return m, nil
	}
	if err := moreShape.Parse(record.Value(s), m); err != nil {
		return nil, err
	}
	if text, ok := m.Raw["more"]; ok {
		if err := moreShape.Parse(record.Value(text), m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// A cell fills the columns of one row and puts into more what does not fit.
type cell struct {
	record.Builder
	raw, num, ns []kept
}

type kept struct {
	column string
	text   string
	n      int64
}

func (c *cell) reset() {
	c.Buf = append(c.Buf[:0], '{')
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
		c.Key("raw")
		c.Open('{')
		for _, k := range c.raw {
			c.base64(k.column, []byte(k.text))
		}
		c.Close('}')
	}
	if len(c.Buf) == 1 {
		return nil
	}
	s := string(append(c.Buf, '}'))
	if !utf8.ValidString(s) {
		s = `{"raw":{"more":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}}`
	}
	return &s
}

func (c *cell) keep(name string, list []kept) {
	if len(list) == 0 {
		return
	}
	c.Key(name)
	c.Open('{')
	for _, k := range list {
		c.Some(k.column, k.n)
	}
	c.Close('}')
}

// base64 writes bytes that may not be text.
func (c *cell) base64(name string, b []byte) { c.Text(name, base64.StdEncoding.EncodeToString(b)) }
