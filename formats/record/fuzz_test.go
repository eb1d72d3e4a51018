package record_test

import (
	"bytes"
	"testing"

	"groundhog/formats/record"
)

// FuzzRead feeds bytes to everything that reads. Whatever they are: nothing
// panics, no place lies outside the text, and reading ends.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a\ud83d","each":[{"a":1},null,"x"],"again":{"in":{"deep":{"a":"\n"}}}} [NaN]`,
		"\xef\xbb\xbf[{\"list\":[]},\n{\"list\":", `{"raw":-Infinity,"count":"1e400","at":1e13}` + "\n\r\n" + `"}{"`,
		`{"visit":{"left":[[[[`, `{"te\u0078t":"\u00`, "\"\xff", `{"a"{"b":1}}`,
	} {
		f.Add([]byte(seed), uint16(0))
		f.Add([]byte(seed), uint16(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, limit uint16) {
		file, size, most := bytes.NewReader(text), int64(len(text)), int64(limit)
		var held record.Reader
		held.Reset(text)
		for _, r := range []*record.Reader{&held, record.Open(bytes.NewReader(text), record.Place{}, most)} {
			for r.Next() {
				var s sample
				sampleShape.Read(r, &s)
				if at := r.End(); r.Err() == nil && (at.Off < 0 || at.Line < 0) {
					t.Errorf("%q: the reader stands at %v", text, at)
				}
			}
		}
		for line := range record.Lines(file, size, most) {
			if line.Off < 0 || line.End > size || int64(len(line.Data)) > most {
				t.Errorf("%q: line %+v", text, line)
			}
		}
		for v := range record.Spread(file, record.Range{End: size, Line: 1}, most) {
			if v.Off < 0 || v.End > size {
				t.Errorf("%q: value %+v", text, v)
			}
		}
		s := record.NewScanner(file, size, `{"text"`)
		for v, ok := s.Next(); ok; v, ok = s.Next() {
			if v.End <= v.Off || v.End > size {
				t.Errorf("%q: span %+v", text, v)
			}
		}
		for _, o := range record.Outlines(text, 9) {
			o.Obj("again").Elems("each", 4)
		}
	})
}
