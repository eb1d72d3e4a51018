package steps

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const (
	high = "\xed\xa0\xbd" // U+D83D
	low  = "\xed\xb8\x80" // U+DE00
)

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"Hello, WORLD":         "hello, world",
		"İ":                    "i\u0307",
		"ΑΣ":                   "ας",
		"Σ":                    "σ",
		"ΑΣΒ":                  "ασβ",
		"ΑΣ ΑΣ'":               "ας ας'",
		"ΑΣ'Β":                 "ασ'β",
		"Α'Σ":                  "α'ς",
		"ΣΣΣ":                  "σσς",
		"中Σ":                   "中σ",
		"ΑΣ中":                  "ας中",
		"A\u1d2cΣ":             "a\u1d2cς", // a modifier letter is cased and ignorable: passed over
		"ＡＢ":                   "ａｂ",
		"\U00010400":           "\U00010428",
		"Σ" + high:             "σ" + high,
		"ΑΣ" + high + "Α":      "ας" + high + "α",
		"𝐀Σ":                   "𝐀ς",
		high + low:             "😀",
		"Ä" + low + high + "Ä": "ä" + low + high + "ä",
		"Ä\xff":                "ä\ufffd",
	} {
		if got := Lower(in); got != want {
			t.Errorf("Lower(%+q) = %+q, want %+q", in, got, want)
		}
	}
	// Apart from what the rules above say, it is the library's.
	for r := range unicode.MaxRune + 1 {
		if r == 0x130 || r >= 0xd800 && r < 0xe000 {
			continue
		}
		if got, want := Lower(string(r)), strings.ToLower(string(r)); got != want {
			t.Errorf("Lower(%U) = %+q, want %+q", r, got, want)
		}
	}
}

func TestSpace(t *testing.T) {
	const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	for r := range unicode.MaxRune + 1 {
		if got, want := isSpace(r), strings.ContainsRune(space, r) && r != utf8.RuneError; got != want {
			t.Errorf("isSpace(%U) = %v", r, got)
		}
	}
	if got := Collapse(Trim("\ufeff a\u3000\n" + high + "\u00a0" + low + "\u200b\u0085 ")); got != "a "+high+" "+low+"\u200b\u0085" {
		t.Errorf("got %+q", got)
	}
}

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

// FuzzCut compares cutting with its definition, code units.
func FuzzCut(f *testing.F) {
	f.Add("a😀b", 2)
	f.Add(high+low+high, 2)
	f.Add("é\xff"+low, 1)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		want := units(s)
		want = want[:min(len(want), limit)]
		if got := units(Cut(s, limit)); !reflect.DeepEqual(append([]uint16{}, got...), append([]uint16{}, want...)) {
			t.Errorf("Cut(%+q, %d) is %x, want %x", s, limit, got, want)
		}
		if joined := whole(s); !reflect.DeepEqual(units(joined), units(s)) || whole(joined) != joined {
			t.Errorf("whole(%+q) = %+q", s, joined)
		}
	})
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
