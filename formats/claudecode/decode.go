package claudecode

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
)

// The functions below read exactly one value. A value of another type than
// wanted is skipped and leaves its target alone; an error means that the JSON
// itself is broken.

// object calls field for each member. field must read the value of the member
// it knows and may only look at name before it does.
func object(dec *jsontext.Decoder, field func(name []byte) error) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		name := []byte(raw[1 : len(raw)-1])
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(formats.Unquote(raw))
		}
		if err := field(name); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func str(dec *jsontext.Decoder, to *string) error {
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	raw, err := dec.ReadValue()
	if err == nil {
		*to = formats.Unquote(raw)
	}
	return err
}

func boolean(dec *jsontext.Decoder, to *bool) error {
	k := dec.PeekKind()
	if k != 't' && k != 'f' {
		return dec.SkipValue()
	}
	*to = k == 't'
	return dec.SkipValue()
}

// number also accepts a number in a string, as some exports write them.
func number(dec *jsontext.Decoder, to *float64) error {
	k := dec.PeekKind()
	if k != '0' && k != '"' {
		return dec.SkipValue()
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if v, ok := parseNumber(string(bytes.Trim(raw, `"`))); ok {
		*to = v
	}
	return nil
}

func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

func count(dec *jsontext.Decoder, to *int64) error {
	v := math.NaN()
	err := number(dec, &v)
	if v >= 0 && v < 1<<53 {
		*to = int64(v)
	}
	return err
}

// millis reads a duration; negative and absurd ones count as not recorded.
func millis(dec *jsontext.Decoder, to *time.Duration) error {
	v := math.NaN()
	err := number(dec, &v)
	if d, ok := duration(v, time.Millisecond); ok {
		*to = d
	}
	return err
}

func duration(v float64, unit time.Duration) (time.Duration, bool) {
	v *= float64(unit)
	return time.Duration(v), v >= 0 && v < math.MaxInt64
}

func timestamp(dec *jsontext.Decoder, to *time.Time) error {
	var s string
	err := str(dec, &s)
	if t, bad := time.Parse(time.RFC3339Nano, s); bad == nil {
		*to = t.UTC()
	}
	return err
}

// decoder reads JSON that has already been cut out of a record.
func decoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
