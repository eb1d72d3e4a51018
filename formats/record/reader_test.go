package record_test

import (
	"errors"
	"strings"
	"testing"

	stdjson "encoding/json"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats/record"
)

// values are the values of a line as they stand, and the error after them.
func values(line string) (list []string, err error) {
	var r record.Reader
	for r.Reset([]byte(line)); r.Next(); {
		if v, err := r.Value(); err == nil {
			list = append(list, string(v))
		}
	}
	return list, r.Err()
}

func TestValues(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
		err      string
	}{
		{"one", `{"a":1}`, []string{`{"a":1}`}, ""},
		{"none", " ", nil, ""},
		{"glued", `{"a":1}{"b":2} [3]`, []string{`{"a":1}`, `{"b":2}`, `[3]`}, ""},
		{"byte order mark", "\xef\xbb\xbf{}", []string{`{}`}, ""},
		{"names twice", `{"a":1,"a":2}`, []string{`{"a":1,"a":2}`}, ""},
		{"broken characters", "\"a\xff\"", []string{"\"a\xff\""}, ""},
		{"not a number", `{"a":NaN,"b":[-Infinity,Infinity]}`, []string{`{"a":null,"b":[null,null]}`}, ""},
		{"words in strings stay", `{"NaN":"Infinity","b":"\"NaN","c":NaN}`, []string{`{"NaN":"Infinity","b":"\"NaN","c":null}`}, ""},
		{"a backslash before the quote", `["a\\",NaN,"\\\"NaN"]`, []string{`["a\\",null,"\\\"NaN"]`}, ""},
		{"a backslash at the end", `NaN "a\`, []string{`null`}, "the JSON value is cut off"},
		{"cut in a value", `{"a":1}{"b":`, []string{`{"a":1}`}, "the JSON value is cut off"},
		{"cut in a string", `{"a":"b`, nil, "the JSON value is cut off"},
		{"cut in an array", `[1,`, nil, "the JSON value is cut off"},
		{"cut in a word", `tru`, nil, "the JSON value is cut off"},
		{"garbage", `{"a":1}xyz`, []string{`{"a":1}`}, "not valid JSON at byte 8: invalid character 'x' at start of value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := values(test.in)
			if !cmp.Equal(got, test.want) {
				t.Errorf("values %q, want %q", got, test.want)
			}
			if message(err) != test.err {
				t.Errorf("error %q, want %q", message(err), test.err)
			}
			if strings.Contains(test.err, "cut off") && !errors.Is(err, record.ErrCut) {
				t.Errorf("%v is not ErrCut", err)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestValuesLeaveTheLineAlone(t *testing.T) {
	line := []byte(`{"a":NaN}`)
	var r record.Reader
	for r.Reset(line); r.Next(); {
		r.Skip()
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	if string(line) != `{"a":NaN}` {
		t.Errorf("the line became %s", line)
	}
}

// A record of brackets alone must not take the stack with it.
func TestValuesDepth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		_, err := values(strings.Repeat(open, 1_000_000))
		if err == nil || !strings.Contains(err.Error(), "depth") && !errors.Is(err, record.ErrCut) {
			t.Errorf("a million times %s: %v", open, err)
		}
	}
}

// Whatever is valid to another JSON reader comes back as it stands.
func TestValuesEqualTheStandardLibrary(t *testing.T) {
	pieces := rapid.SampledFrom([]string{`{`, `}`, `[`, `]`, `,`, `:`, `"`, `\`, `a`, `NaN`, `Infinity`, `-`, `1`, ` `, `null`, `"b"`, `"c":`})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(pieces, 1, 12).Draw(t, "pieces"), "")
		got, err := values(in)
		if stdjson.Valid([]byte(in)) && !strings.HasPrefix(in, "NaN") {
			if err != nil || len(got) != 1 || got[0] != strings.TrimSpace(in) {
				t.Errorf("%s: %q, %v", in, got, err)
			}
		}
		for _, v := range got {
			if !stdjson.Valid([]byte(v)) {
				t.Errorf("%s: gave %s, which is not JSON", in, v)
			}
		}
	})
}
