package steps

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	high = "\xed\xa0\xbd" // U+D83D
	low  = "\xed\xb8\x80" // U+DE00
)

func TestNormalize(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{
		{" Let me  check ", 200, "check"},
		{"Let me", 200, "let me"},
		{"I'll I'll go", 200, "i'll go"},
		{"I’ll go", 200, "i’ll go"}, // not the ASCII apostrophe
		{"İxyz", 3, "i\u0307x"},
		{"a😀b", 2, "a" + high},
		{"a😀b", 3, "a😀"},
		{"a😀b", 0, ""},
		{"ab" + low, 3, "ab" + low},
		{"abc   d", 4, "abc "},
	} {
		if got := Normalize(test.in, test.limit); got != test.want {
			t.Errorf("Normalize(%q, %d) = %+q, want %+q", test.in, test.limit, got, test.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, test := range []struct{ in, js, stable string }{
		{`{}`, `{}`, ""},
		{`{"😀":1,"\ude00":2,"\ud83e":3,"\ud83dz":4}`, `{"😀":1,"\ude00":2,"\ud83e":3,"\ud83dz":4}`, `{"\ud83dz":4,"😀":1,"\ud83e":3,"\ude00":2}`},
		{` [ ] `, `[]`, ""},
		{`{"b": 1, "a": [true, false, null]}`, `{"b":1,"a":[true,false,null]}`, `{"a":[true,false,null],"b":1}`},
		{`{"b":1,"10":2,"9":3,"01":4,"-1":5,"4294967294":6,"4294967295":7,"0":8}`,
			`{"0":8,"9":3,"10":2,"4294967294":6,"b":1,"01":4,"-1":5,"4294967295":7}`,
			`{"-1":5,"0":8,"01":4,"10":2,"4294967294":6,"4294967295":7,"9":3,"b":1}`},
		{`{"a":1,"b":2,"a":{"y":1,"x":2}}`, `{"a":{"y":1,"x":2},"b":2}`, `{"a":{"x":2,"y":1},"b":2}`},
		{`{"\u0061":1,"a":2,"2":0,"2":1}`, `{"2":1,"a":2}`, ""},
		{`{"\uff00":1,"😀":2,"\ud83d":3}`, `{"＀":1,"😀":2,"\ud83d":3}`, `{"\ud83d":3,"😀":2,"＀":1}`},
		{`[1.0, -0, 1e21, 0.0000001, 1e-6, 123456789012345678901, 1E2, 1e999, -1e999, 5e-324, 1.5e300, 1e-400]`,
			`[1,0,1e+21,1e-7,0.000001,123456789012345680000,100,null,null,5e-324,1.5e+300,0]`, ""},
		{`"\u0001\u001f\b\t\n\f\r\"\\\/<>&\u2028\u007f"`, `"\u0001\u001f\b\t\n\f\r\"\\/<>&` + "\u2028\u007f\"", ""},
		{`"\ud83d\ude00\ude00\uD83D"`, `"😀\ude00\ud83d"`, ""},
		{`"` + high + `\ude00"`, `"😀"`, ""},
		{`"` + high + `"`, `"\ud83d"`, ""},
		{"\"a\xffb\"", `"a` + "\ufffd" + `b"`, ""},
	} {
		if test.stable == "" {
			test.stable = test.js
		}
		if got, ok := JSJSON(test.in); !ok || got != test.js {
			t.Errorf("JSJSON(%s) = %s, %v, want %s", test.in, got, ok, test.js)
		}
		if got, ok := StableJSON(test.in); !ok || got != test.stable {
			t.Errorf("StableJSON(%s) = %s, %v, want %s", test.in, got, ok, test.stable)
		}
	}
	for _, in := range []string{"", " ", "{", "[1,]", `{"a":1,}`, `{"a"}`, "01", "1.", "-", "1e", "+1", "tru", `"`, `"\`, `"\u12"`, `"\x"`, "\"\n\"", "1 2", "nullx", "undefined", strings.Repeat("[", 1e6)} {
		if got, ok := JSJSON(in); ok {
			t.Errorf("JSJSON(%.20q) = %s, want no value", in, got)
		}
	}
}

// FuzzJSON: what is JSON is what the library takes for it, means the same
// afterwards, and is not changed a second time.
func FuzzJSON(f *testing.F) {
	f.Add(`{"b":[1.50,{"10":1,"9":null}],"a":"\u00e9\ud83d","b":2}`)
	f.Add(`[1e21,-0.0,123456789012345678,0.000001,1e-7,true]`)
	f.Add("{\"\\ud83d\":\"\xed\xb8\x80\"}")
	f.Fuzz(func(t *testing.T, raw string) {
		js, ok := JSJSON(raw)
		if ok != json.Valid([]byte(raw)) {
			t.Fatalf("JSJSON(%q) is %v", raw, ok)
		}
		if !ok {
			return
		}
		stable, _ := StableJSON(raw)
		if again, ok := JSJSON(js); !ok || again != js {
			t.Errorf("%s becomes %s", js, again)
		}
		if again, ok := StableJSON(js); !ok || again != stable {
			t.Errorf("%s becomes %s, directly %s", js, again, stable)
		}
		if !utf8.ValidString(js) {
			t.Errorf("not UTF-8: %q", js)
		}
		if !utf8.ValidString(raw) || strings.Contains(strings.ToLower(raw), `\ud`) {
			return // the library maps different keys to one
		}
		var want, got, sorted any
		if json.Unmarshal([]byte(raw), &want) != nil {
			return // a number out of range
		}
		if err := json.Unmarshal([]byte(js), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s means something else than %s: %v", js, raw, err)
		}
		if err := json.Unmarshal([]byte(stable), &sorted); err != nil || !reflect.DeepEqual(sorted, want) {
			t.Errorf("%s means something else than %s: %v", stable, raw, err)
		}
	})
}
