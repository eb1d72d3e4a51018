package native

import (
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

// digest is that of the one session of a text.
func digest(t *testing.T, src string, change func(*transcript.Session, *transcript.Step)) string {
	t.Helper()
	for u, err := range find(formattest.File(src), formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		u.Session.Origin.File, u.Session.Origin.Format = "somewhere", Format.Name
		var d *Digest
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				change(u.Session, s)
			}
			if d == nil {
				d = NewDigest(u.Session)
			}
			d.Step(s)
		}
		return d.Sum(u.Session).String()
	}
	t.Fatal("no session")
	return ""
}

func TestDigest(t *testing.T) {
	const src = `{"t":"session","v":1,"sid":"a","agent":"x"}
{"t":"step","sid":"a","i":0,"turn":1,"kind":"user","text":"fix the test"}
{"t":"step","sid":"a","i":1,"turn":1,"kind":"assistant","mid":"m","text":"Looking.","calls":[{"id":"c","name":"Bash","args":{"b":1},"result":"ok","is_error":false}]}
`
	want := digest(t, src, nil)
	for name, test := range map[string]struct {
		src    string
		change func(*transcript.Session, *transcript.Step)
		same   bool
	}{
		"white space between members": {strings.ReplaceAll(src, `,"turn"`, ` , "turn"`), nil, true},
		"another place": {src, func(s *transcript.Session, _ *transcript.Step) {
			s.Origin = transcript.Origin{File: "b", Format: "c", FormatVersion: "d"}
		}, true},
		"a label":                      {src, func(s *transcript.Session, _ *transcript.Step) { s.Label = []byte("class: loop") }, true},
		"another session's step":       {src, func(_ *transcript.Session, s *transcript.Step) { s.Flags |= transcript.Context }, true},
		"other lines of the same file": {"\n\n" + src, nil, true},
		"another argument":             {strings.Replace(src, `{"b":1}`, `{"b":2}`, 1), nil, false},
		"another result":               {strings.Replace(src, `"ok"`, `"no"`, 1), nil, false},
		"another id":                   {strings.ReplaceAll(src, `"sid":"a"`, `"sid":"b"`), nil, false},
		"another agent":                {strings.Replace(src, `"agent":"x"`, `"agent":"y"`, 1), nil, false},
		"a step less":                  {src[:strings.Index(src, `{"t":"step","sid":"a","i":1`)], nil, false},
	} {
		if got := digest(t, test.src, test.change); (got == want) != test.same {
			t.Errorf("%s: digest %s, that of the original is %s", name, got, want)
		}
	}
}

// The digest of a corpus does not depend on the order of its sessions, and does
// on their ids and contents.
func TestCorpusDigest(t *testing.T) {
	a, b := Sum{Session: "a", Content: [32]byte{1}}, Sum{Session: "b", Content: [32]byte{2}}
	list := []Sum{b, a}
	want := CorpusDigest([]Sum{a, b})
	if got := CorpusDigest(list); got != want || list[0] != b {
		t.Errorf("in another order %s, want %s; the list is %v", got, want, list)
	}
	// As sha256sum says it of two lines put together in a shell.
	if want != "dd48ed57ba8de5d2321e28e284c8bc0979eff90993b0542d6735425616427be9" {
		t.Errorf("digest %s", want)
	}
	for _, other := range [][]Sum{{a}, {a, a}, {{"a", b.Content}, {"b", a.Content}}, nil} {
		if CorpusDigest(other) == want {
			t.Errorf("%v has the same digest", other)
		}
	}
}

func TestParseContent(t *testing.T) {
	want := Content{1, 2, 0xfe}
	if got, err := ParseContent(want.String()); err != nil || got != want {
		t.Errorf("ParseContent(%s) = %v, %v", want, got, err)
	}
	for _, s := range []string{"", "ab", want.String()[1:], want.String() + "00", strings.Replace(want.String(), "0", "x", 1)} {
		if got, err := ParseContent(s); err == nil {
			t.Errorf("ParseContent(%q) = %v", s, got)
		}
	}
}
