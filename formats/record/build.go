package record

import (
	"strconv"
	"time"
)

// A Builder is JSON in the making. It is put together by hand, because texts
// must come back byte for byte: a JSON encoder would replace what is not UTF-8.
// Commas come by themselves.
type Builder struct{ Buf []byte }

// sep puts a comma between members and elements.
func (b *Builder) sep() {
	if n := len(b.Buf); n > 0 {
		switch b.Buf[n-1] {
		case '{', '[', ':', ',':
		default:
			b.Buf = append(b.Buf, ',')
		}
	}
}

// Key begins a member; its value is what is added next.
func (b *Builder) Key(name string) {
	b.sep()
	b.Buf = append(AppendQuote(b.Buf, name), ':')
}

// Open begins an object or an array, with its bracket.
func (b *Builder) Open(bracket byte) {
	b.sep()
	b.Buf = append(b.Buf, bracket)
}

// Close ends it.
func (b *Builder) Close(bracket byte) { b.Buf = append(b.Buf, bracket) }

// JSON adds a value as it stands.
func (b *Builder) JSON(value string) {
	b.sep()
	b.Buf = append(b.Buf, value...)
}

// Quote adds a text.
func (b *Builder) Quote(s string) {
	b.sep()
	b.Buf = AppendQuote(b.Buf, s)
}

// Number adds a whole number.
func (b *Builder) Number(n int64) {
	b.sep()
	b.Buf = strconv.AppendInt(b.Buf, n, 10)
}

// Text adds a member that is a text, an empty one too.
func (b *Builder) Text(name, s string) {
	b.Key(name)
	b.Quote(s)
}

// Str adds a member that is a text and is left out when empty.
func (b *Builder) Str(name, s string) {
	if s != "" {
		b.Text(name, s)
	}
}

// Int adds a member that is a whole number, zero too.
func (b *Builder) Int(name string, n int64) {
	b.Key(name)
	b.Number(n)
}

// Some adds a member that is a whole number and is left out when zero.
func (b *Builder) Some(name string, n int64) {
	if n != 0 {
		b.Int(name, n)
	}
}

// Float adds a member that is a number.
func (b *Builder) Float(name string, f float64) {
	b.Key(name)
	b.Buf = strconv.AppendFloat(b.Buf, f, 'g', -1, 64)
}

// Bool adds a member that is true or false.
func (b *Builder) Bool(name string, is bool) {
	b.Key(name)
	b.Buf = strconv.AppendBool(b.Buf, is)
}

// True adds a member that is true and is left out when false.
func (b *Builder) True(name string, is bool) {
	if is {
		b.Bool(name, true)
	}
}

// Time adds a member that is a moment in RFC 3339, if it is known.
func (b *Builder) Time(name string, t time.Time) {
	if !t.IsZero() {
		b.Text(name, t.UTC().Format(time.RFC3339Nano))
	}
}

// Millis adds a member that is a duration in milliseconds. A negative one was
// not recorded and is left out.
func (b *Builder) Millis(name string, d time.Duration) {
	if d >= 0 {
		b.Key(name)
		b.Buf = strconv.AppendFloat(b.Buf, float64(d)/float64(time.Millisecond), 'f', -1, 64)
	}
}
