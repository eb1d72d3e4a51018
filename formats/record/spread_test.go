package record_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats/record"
)

// However values are put down, Spread and Scanner cut the same ones out.
func TestSpreadEqualsScanner(t *testing.T) {
	object := rapid.SampledFrom([]string{`{}`, `{"a":1}`, "{\n \"b\": [1,\r\n {}]\n}", `{"]}":"\"{[,"}`, `[{"c":"d\\"}]`, `{"é":"\ud83d"}`})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(object, 0, 6).Draw(t, "values")
		sep := rapid.SampledFrom([]string{"\n", " ", ",", ",\n", "\r\n\r\n", ""}).Draw(t, "separator")
		text := strings.Join(list, sep)
		if rapid.Bool().Draw(t, "array") {
			text = "[" + text + "]\n"
		}
		if rapid.Bool().Draw(t, "mark") {
			text = record.Mark + text
		}
		file, size := strings.NewReader(text), int64(len(text))

		var spread, scanned []string
		places := make(map[record.Place]int)
		for v, err := range record.Spread(file, record.Range{End: size, Line: 1}, 1<<20) {
			if err != nil || v.Long {
				t.Fatalf("%q: %v", text, err)
			}
			spread = append(spread, string(v.Data))
			places[record.Place{Off: v.Off, Line: v.Num}]++
		}
		s := record.NewScanner(file, size, "{")
		for v, ok := s.Next(); ok; v, ok = s.Next() {
			if v.Open {
				t.Errorf("%q: %+v has no end", text, v)
			}
			scanned = append(scanned, text[v.Off:v.End])
			places[record.Place{Off: v.Off, Line: v.Line}]++
		}
		// The brackets of an array go away, and with them those of a lone array in it.
		var want []string
		for _, v := range list {
			want = append(want, strings.Trim(v, "[]"))
		}
		if !cmp.Equal(spread, want) {
			t.Errorf("%q was spread to %q, want %q", text, spread, want)
		}
		if strings.Contains(text, "[{") {
			return // where an array is a value depends on what is around it
		}
		if !cmp.Equal(scanned, list) && len(list) > 0 {
			t.Errorf("%q was scanned as %q, want %q", text, scanned, list)
		}
		for at, n := range places {
			if n != 2 {
				t.Errorf("%q: only one of them begins a value at %v", text, at)
			}
		}
	})
}

// A record that is over the limit is counted and not held.
func TestSpreadLimit(t *testing.T) {
	text := `[{"a":1}, {"b":"` + strings.Repeat("x", 100) + `"}, {"c":2}]`
	var got []string
	for v, err := range record.Spread(strings.NewReader(text), record.Range{End: int64(len(text)), Line: 1}, 20) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Long {
			got = append(got, "long")
			continue
		}
		got = append(got, string(v.Data))
	}
	if want := []string{`{"a":1}`, "long", `{"c":2}`}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
