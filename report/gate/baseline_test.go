package gate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// encoded is the file of the demo corpus.
func encoded(t testing.TB) []byte {
	t.Helper()
	raw, err := baselineOf(t, nil).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestBaselineFile(t *testing.T) {
	raw := encoded(t)
	b, err := DecodeBaseline(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Encode()
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("written, read and written it is another file (%v)", err)
	}
	lines := strings.Split(string(raw), "\n")
	for i := range b.Sessions {
		n := 0
		for _, l := range lines {
			if strings.Contains(l, `"id":"`+b.Sessions[i].ID+`"`) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("session %s is on %d lines", b.Sessions[i].ID, n)
		}
	}
	if m := regexp.MustCompile(`(?i)20\d\d-\d\d-\d\dT|localhost|"/|[A-Z]:\\`).Find(raw); m != nil {
		t.Errorf("the file has a time, host or absolute path: %s", m)
	}
	sorted(t, json.NewDecoder(bytes.NewReader(raw)))
}

// sorted checks that the keys of every object are in order.
func sorted(t *testing.T, dec *json.Decoder) {
	t.Helper()
	tok, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch tok {
	case json.Delim('{'):
		var keys []string
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key.(string))
			sorted(t, dec)
		}
		if !slices.IsSorted(keys) {
			t.Errorf("keys out of order: %v", keys)
		}
		dec.Token()
	case json.Delim('['):
		for dec.More() {
			sorted(t, dec)
		}
		dec.Token()
	}
}

func TestBaselineFileThatIsNone(t *testing.T) {
	raw := string(encoded(t))
	for _, test := range []struct{ name, src, says string }{
		{"empty", "", "no baseline"},
		{"no JSON", "hello", "no baseline"},
		{"another schema", strings.Replace(raw, `"schema": 1`, `"schema": 2`, 1), "schema 2: this program reads 1"},
		{"a member more", strings.Replace(raw, `"schema": 1`, `"schema": 1, "zebra": 1`, 1), "zebra"},
		{"sessions taken out", regexp.MustCompile(`(?m)^    \{"class".*\n`).ReplaceAllString(raw, ""), "corpus_digest"},
		{"a session edited", strings.Replace(raw, `"id":"add-an-endpoint"`, `"id":"add-a-nendpoint"`, 1), "corpus_digest"},
		{"a setting edited", strings.Replace(raw, `"kocoro/exact_duplicate.nudge":"5"`, `"kocoro/exact_duplicate.nudge":"3"`, 1), "configuration digest"},
		{"an outcome that is none", strings.Replace(raw, `"outcome":"TN"`, `"outcome":"FINE"`, 1), `outcome "FINE" is none`},
		{"a content that is no digest", strings.Replace(raw, `"content":"`, `"content":"x`, 1), "is no SHA-256"},
		{"a count below zero", strings.Replace(raw, `"false_episodes":0`, `"false_episodes":-1`, 1), "below 0"},
		{"an exception without an owner", strings.Replace(raw, `"exceptions": []`, `"exceptions": [{"session":"a","detector":"b","level":"stop","reason":"r","expires":"2027-01-01","owner":""}]`, 1), "owner missing"},
	} {
		_, err := DecodeBaseline([]byte(test.src))
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", test.name, err, test.says)
		}
	}
}

func FuzzDecodeBaseline(f *testing.F) {
	f.Add(encoded(f))
	small, err := typed(f, map[string]string{"w1": "FP@3", "l1": "TP@4"}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add([]byte(`{"schema":1,"confidence":0.95,"sessions":[{"id":"x"}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, err := DecodeBaseline(src)
		if err != nil {
			return
		}
		raw, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeBaseline(raw)
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if second, _ := again.Encode(); !bytes.Equal(raw, second) {
			t.Errorf("not canonical:\n%s\n%s", raw, second)
		}
		gateOf(b, again).Judge().Report()
	})
}
