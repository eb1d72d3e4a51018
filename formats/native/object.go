package native

import (
	"strconv"
	"time"

	"groundhog/formats"
)

// An object is a line in the making.
type object struct{ buf []byte }

// sep puts a comma between members.
func (o *object) sep() {
	switch o.buf[len(o.buf)-1] {
	case '{', '[', ':', ',':
	default:
		o.buf = append(o.buf, ',')
	}
}

func (o *object) key(name string) {
	o.sep()
	o.buf = append(formats.AppendQuote(o.buf, name), ':')
}

func (o *object) open(c byte)   { o.sep(); o.buf = append(o.buf, c) }
func (o *object) close(c byte)  { o.buf = append(o.buf, c) }
func (o *object) raw(s string)  { o.buf = append(o.buf, s...) }
func (o *object) item(s string) { o.sep(); o.buf = formats.AppendQuote(o.buf, s) }

func (o *object) text(name, s string) { o.key(name); o.buf = formats.AppendQuote(o.buf, s) }

// str writes a text that is left out when empty.
func (o *object) str(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *object) int(name string, n int64) { o.key(name); o.buf = strconv.AppendInt(o.buf, n, 10) }

func (o *object) float(name string, f float64) {
	o.key(name)
	o.buf = strconv.AppendFloat(o.buf, f, 'g', -1, 64)
}

func (o *object) bool(name string, b bool) { o.key(name); o.buf = strconv.AppendBool(o.buf, b) }

func (o *object) time(name string, t time.Time) {
	if !t.IsZero() {
		o.text(name, t.UTC().Format(time.RFC3339Nano))
	}
}

// millis writes a duration that was recorded.
func (o *object) millis(name string, d time.Duration) {
	if d >= 0 {
		o.key(name)
		o.buf = strconv.AppendFloat(o.buf, float64(d)/float64(time.Millisecond), 'f', -1, 64)
	}
}
