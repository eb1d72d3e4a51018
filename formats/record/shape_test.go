package record_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats/record"
)

// A sample wants something of every sort.
type sample struct {
	Text, Word string
	Flag       bool
	Maybe      *bool
	Number     float64
	Count      int64
	Int        int
	Wait       time.Duration
	At         time.Time
	Raw, Bare  record.Value
	There      bool
	Object     *inner
	In         string
	Again      *sample
	Each       []inner
	List       []inner
	Strings    []string
	Seen       []string // by Func, Visit and Rest
}

type inner struct {
	Bare, A string
	Whole   record.Value
}

var innerShape = record.NewShape(
	record.String(record.Itself, func(i *inner) *string { return &i.Bare }),
	record.Raw(record.Itself, func(i *inner) *record.Value { return &i.Whole }).Only('{', '"'),
	record.String("a", func(i *inner) *string { return &i.A }),
)

var sampleShape = record.NewShape(
	record.String("text", func(s *sample) *string { return &s.Text }).Or("txt"),
	record.Word("word", func(s *sample) *string { return &s.Word }),
	record.Bool("flag", func(s *sample) *bool { return &s.Flag }),
	record.Maybe("maybe", func(s *sample) **bool { return &s.Maybe }),
	record.Number("number", func(s *sample) *float64 { return &s.Number }),
	record.Count("count", func(s *sample) *int64 { return &s.Count }),
	record.Int("int", func(s *sample) *int { return &s.Int }),
	record.Millis("wait", func(s *sample) *time.Duration { return &s.Wait }),
	record.Time("at", func(s *sample) *time.Time { return &s.At }),
	record.Raw("raw", func(s *sample) *record.Value { return &s.Raw }),
	record.Text("bare", func(s *sample) *record.Value { return &s.Bare }),
	record.Has("there", func(s *sample) *bool { return &s.There }),
	record.Object("object", innerShape, func(s *sample) *inner { s.Object = &inner{}; return s.Object }),
	record.In("in", record.In("deep", record.String("a", func(s *sample) *string { return &s.In }))),
	record.Same("again", func(s *sample) *sample { s.Again = &sample{}; return s.Again }),
	record.Each("each", innerShape, func(s *sample) *[]inner { return &s.Each }),
	record.List("list", innerShape, func(s *sample) *[]inner { return &s.List }),
	record.Strings("strings", func(s *sample) *[]string { return &s.Strings }),
	record.Func("func", func(s *sample, v record.Value) { s.Seen = append(s.Seen, "func "+string(v)) }).Only('[', '0'),
	record.Visit("visit", func(s *sample, r *record.Reader) error {
		for name := range r.Members() {
			if v, err := r.Value(); name != "left" && err == nil {
				s.Seen = append(s.Seen, name+" "+string(v))
			}
		}
		return r.Err()
	}),
	record.Rest(func(s *sample, name string, v record.Value) { s.Seen = append(s.Seen, name+"="+string(v)) }),
).From(sample{Wait: -1})

func TestShape(t *testing.T) {
	yes := true
	for _, test := range []struct {
		in   string
		want sample
	}{
		{`{"text":"a","word":"b","flag":true,"number":1.5,"count":7,"int":-3,"wait":20,"there":null,"bare":"\u00e9","raw":{"x": 1}}`,
			sample{Text: "a", Word: "b", Flag: true, Number: 1.5, Count: 7, Int: -3, Wait: 20 * time.Millisecond, There: true,
				Bare: record.Value(`"\u00e9"`), Raw: record.Value(`{"x": 1}`)}},
		// Of another kind, and null, are absent.
		{`{"text":1,"word":null,"flag":"true","number":[],"count":-1,"int":1.5,"wait":-4,"at":"noon","bare":2,"each":{},"object":"x","in":[],"again":5,"strings":"a"}`,
			sample{Wait: -1, Object: &inner{Bare: "x", Whole: record.Value(`"x"`)}}},
		// The last of a wanted kind counts.
		{`{"text":"a","text":"b","text":3,"txt":"c","txt":null,"maybe":false,"maybe":true}`, sample{Text: "c", Maybe: &yes, Wait: -1}},
		{`{"each":[{"a":"1"}],"each":[{"a":"2"},{"a":"3"}]}`, sample{Wait: -1, Each: []inner{
			{A: "2", Whole: record.Value(`{"a":"2"}`)}, {A: "3", Whole: record.Value(`{"a":"3"}`)}}}},
		// Numbers in quotes, times in all their forms.
		{`{"number":"2.5","count":"4","wait":"1.5","at":"2026-05-01 08:00:00"}`,
			sample{Number: 2.5, Count: 4, Wait: 1500 * time.Microsecond, At: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}},
		{`{"count":12345678901234567890,"number":1e999}`, sample{Wait: -1}},
		// Names may be escaped, and are no part of other names.
		{`{"te\u0078t":"a","tex":"b","texts":"c","":"d"}`,
			sample{Text: "a", Wait: -1, Seen: []string{`tex="b"`, `texts="c"`, `="d"`}}},
		// Lists, and what stands alone in their place.
		{`{"list":"x","each":"x"}`, sample{Wait: -1, List: []inner{{Bare: "x", Whole: record.Value(`"x"`)}}}},
		{`{"list":{"a":"y"},"each":[1,"x",null,{"a":"z"},[]]}`, sample{Wait: -1,
			List: []inner{{A: "y", Whole: record.Value(`{"a":"y"}`)}},
			Each: []inner{{Bare: "x", Whole: record.Value(`"x"`)}, {A: "z", Whole: record.Value(`{"a":"z"}`)}}}},
		{`{"list":[],"each":[]}`, sample{Wait: -1, List: []inner{}, Each: []inner{}}},
		{`{"strings":["a",1,"b"],"in":{"deep":{"a":"c"},"x":1}}`, sample{Wait: -1, Strings: []string{"a", "b"}, In: "c"}},
		{`{"again":{"text":"a","again":{"text":"b"}}}`, sample{Wait: -1,
			Again: &sample{Text: "a", Wait: -1, Again: &sample{Text: "b", Wait: -1}}}},
		{`{"func":[1],"func":"no","func":2,"visit":{"a":1,"left":{},"b":"c"},"visit":3,"other":[4]}`,
			sample{Wait: -1, Seen: []string{"func [1]", "func 2", "a 1", `b "c"`, "other=[4]"}}},
	} {
		var r record.Reader
		r.Reset([]byte(test.in))
		got := sample{Text: "what was there before is lost"}
		if !r.Next() || sampleShape.Read(&r, &got) != nil || r.Next() || r.Err() != nil {
			t.Errorf("%s: %v", test.in, r.Err())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.in, diff)
		}
	}
}

func TestStrict(t *testing.T) {
	type sub struct{ text record.Value }
	type strict struct {
		name string
		n    int8
		flag bool
		list []int64
		sub  sub
	}
	small := func(s *strict) *int64 { return new(int64) }
	shape := record.NewShape(
		record.String("name", func(s *strict) *string { return &s.name }),
		record.Count("n", small),
		record.Bool("flag", func(s *strict) *bool { return &s.flag }),
		record.Each("list", record.NewShape(record.Int(record.Itself, func(n *int64) *int64 { return n })),
			func(s *strict) *[]int64 { return &s.list }),
		record.Object("sub", record.NewShape(record.Text("text", func(s *sub) *record.Value { return &s.text })),
			func(s *strict) *sub { return &s.sub }),
	).Strict()
	for _, test := range []struct{ in, want string }{
		{`{"name":"a","n":1,"flag":true,"list":[1],"sub":{"text":"b"}}`, ""},
		{`{"name":null,"n":null,"flag":null,"list":null,"sub":null,"other":{}}`, ""},
		{`{"name":1}`, "field name: expected a string, found number"},
		{`{"n":"1"}`, "field n: expected a number that fits, found string"},
		{`{"n":-1}`, "field n: expected a number that fits, found number"},
		{`{"flag":"yes"}`, "field flag: expected true or false, found string"},
		{`{"list":{}}`, "field list: expected an array, found {"},
		{`{"list":[1,"2"]}`, "field list.1: expected a number that fits, found string"},
		{`{"sub":[]}`, "field sub: expected an object, found ["},
		{`{"sub":{"text":true}}`, "field sub.text: expected a string, found true"},
		{`[]`, "expected an object, found ["},
		{`{"name":1,"flag":2}`, "field name: expected a string, found number"}, // the first of them
		{`{"name":1,"flag":}`, "not valid JSON at byte 18: invalid character '}' at start of value"},
		{`{"name":1,"sub":"`, "the JSON value is cut off"},
	} {
		var r record.Reader
		r.Reset([]byte(test.in + " {}"))
		r.Next()
		var s strict
		err := shape.Read(&r, &s)
		if message(err) != test.want {
			t.Errorf("%s: %q, want %q", test.in, message(err), test.want)
		}
		if kind := (*record.KindError)(nil); errors.As(err, &kind) && (r.Err() != nil || !r.Next()) {
			t.Errorf("%s: the value was not passed: %v", test.in, r.Err())
		}
	}
}

// Views live as long as the line; copies outlive it.
func TestViewsAndCopies(t *testing.T) {
	line := []byte(`{"text":"abc","word":"def","raw":[1]}`)
	var r record.Reader
	r.Reset(line)
	r.Next()
	var s sample
	if err := sampleShape.Read(&r, &s); err != nil {
		t.Fatal(err)
	}
	clear(line)
	if s.Text != "abc" || s.Word != "def" {
		t.Errorf("copies became %q and %q", s.Text, s.Word)
	}
	if string(s.Raw) != "\x00\x00\x00" {
		t.Errorf("Raw is a copy: %q", s.Raw)
	}
}

// What nobody wants costs nothing, and neither does the reader.
func TestSkippingDoesNotAllocate(t *testing.T) {
	type pair struct {
		kind string
		args record.Value
	}
	shape := record.NewShape(
		record.Word("type", func(p *pair) *string { return &p.kind }),
		record.In("payload", record.Raw("arguments", func(p *pair) *record.Value { return &p.args })),
	)
	other := strings.Repeat(`"o\u0074her":{"a":[1,2,{"b":"c\n"}],"text":"x"},`, 50)
	line := []byte(`{` + other + `"type":"call",` + other + `"payload":{` + other + `"arguments":{"x":[]}}}`)
	var r record.Reader
	var p pair
	n := testing.AllocsPerRun(100, func() {
		for r.Reset(line); r.Next(); {
			shape.Read(&r, &p)
		}
	})
	if n > 0 || p.kind != "call" || string(p.args) != `{"x":[]}` {
		t.Errorf("%v allocations for a line, read %q and %s", n, p.kind, p.args)
	}
}

// anyJSON draws lines that have much to do with a sample, whole or broken.
func anyJSON(t *rapid.T) string {
	names := rapid.SampledFrom([]string{"text", "txt", "word", "flag", "maybe", "number", "count", "int", "wait", "at", "raw", "bare",
		"there", "object", "in", "deep", "again", "each", "list", "strings", "func", "visit", "a", "other", "", `te\u0078t`, `\ud83d`})
	scalars := rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "1.5", "1e3", `"x"`, `"2"`, `""`, `"\n\ud83d"`, "\"\xff\"",
		`"2026-05-01T08:00:00Z"`, "1777622401", "[]", "{}"})
	var value func(depth int) string
	value = func(depth int) string {
		form := rapid.IntRange(0, 3).Draw(t, "form")
		if depth == 0 || form < 2 {
			return scalars.Draw(t, "scalar")
		}
		var list []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			v := value(depth - 1)
			if form == 2 {
				v = `"` + names.Draw(t, "name") + `": ` + v
			}
			list = append(list, v)
		}
		if form == 2 {
			return "{" + strings.Join(list, ", ") + "}"
		}
		return "[" + strings.Join(list, ",\n") + "]"
	}
	text := value(4)
	if rapid.IntRange(0, 3).Draw(t, "broken") == 0 {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		text = text[:at] + rapid.SampledFrom([]string{"", "}", "]", `"`, ",", ":", "x", "\\"}).Draw(t, "break") + text[at:]
		text = text[:rapid.IntRange(0, len(text)).Draw(t, "end")]
	}
	return text
}

// A stream gives what text that is held gives, however it comes, and a value
// that is read by itself gives what it gives in its place.
func TestStreamsEqualHeldText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyJSON(t) + " " + anyJSON(t)
		read := func(r *record.Reader) (list []sample, places []record.Place) {
			for r.Next() {
				var s sample
				places = append(places, r.Place())
				if sampleShape.Read(r, &s) == nil {
					list = append(list, s)
				}
			}
			return list, places
		}
		var held record.Reader
		held.ResetAt([]byte(text), record.Place{Off: 7, Line: 3})
		want, wantPlaces := read(&held)
		for name, src := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text))} {
			stream := record.Open(src, record.Place{Off: 7, Line: 3}, 1<<20)
			got, places := read(stream)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s: (-held +stream)\n%s", name, text, diff)
			}
			if diff := cmp.Diff(wantPlaces, places); diff != "" {
				t.Errorf("%s of %s: places (-held +stream)\n%s", name, text, diff)
			}
			if (held.Err() == nil) != (stream.Err() == nil) {
				t.Errorf("%s of %s: held %v, stream %v", name, text, held.Err(), stream.Err())
			}
		}
		var parsed sample
		if len(want) > 0 && sampleShape.Parse(record.Value(text), &parsed) == nil {
			if diff := cmp.Diff(want[0], parsed); diff != "" {
				t.Errorf("%s: (-read +parsed)\n%s", text, diff)
			}
		}
	})
}

// Every line that is refused is refused for the same reason, whatever is wanted.
func TestReasonsDoNotDependOnTheShape(t *testing.T) {
	nothing := record.NewShape[sample]()
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(anyJSON(t))
		errs := make(map[string]string)
		for name, read := range map[string]func(*record.Reader){
			"much":    func(r *record.Reader) { sampleShape.Read(r, new(sample)) },
			"nothing": func(r *record.Reader) { nothing.Read(r, new(sample)) },
			"value":   func(r *record.Reader) { r.Value() },
		} {
			var r record.Reader
			for r.Reset(text); r.Next(); {
				read(&r)
			}
			errs[name] = message(r.Err())
		}
		if errs["much"] != errs["value"] || errs["nothing"] != errs["value"] {
			t.Errorf("%s: %q", text, errs)
		}
	})
}

// A value over the limit is refused and passed; so is one that just does not fit.
func TestStreamLimit(t *testing.T) {
	const limit = 1000
	long, far := strings.Repeat("x", limit+1), strings.Repeat(`"y",`, 200_000)
	src := fmt.Sprintf(`["a", %q, [%s 1], "b", {"c":%q}]`, long, far, long)
	r := record.Open(strings.NewReader(src), record.Place{Line: 1}, limit)
	var got []string
	for r.Next() {
		for range r.Elements() {
			v, err := r.Value()
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, string(v))
		}
	}
	const over = "over the size limit"
	if want := []string{`"a"`, over, over, `"b"`, over}; !cmp.Equal(got, want) || r.Err() != nil {
		t.Errorf("got %q and %v, want %q", got, r.Err(), want)
	}
	r = record.Open(strings.NewReader(`"`+strings.Repeat("x", 1<<20)+`" 1`), record.Place{}, limit)
	if v, err := r.Value(); err != record.ErrLong || r.Next() || r.Err() != record.ErrLong {
		t.Errorf("a string that cannot be passed: %.20s, %v and %v", v, err, r.Err())
	}
}

// What a function says ends the reading, however deep it is.
func TestErrorsOfFunctionsComeOut(t *testing.T) {
	stop := errors.New("stop")
	leaf := record.NewShape(record.Visit("a", func(*inner, *record.Reader) error { return stop }))
	shape := record.NewShape(record.In("in", record.Each("each", leaf, func(s *sample) *[]inner { return &s.Each })))
	var r record.Reader
	r.Reset([]byte(`{"in":{"each":[{"b":1},{"a":2},{"c":3}]}}`))
	var s sample
	if err := shape.Read(&r, &s); err != stop || len(s.Each) != 2 {
		t.Errorf("got %v and %d elements, want %v and the second", err, len(s.Each), stop)
	}
}
