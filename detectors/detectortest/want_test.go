package detectortest

import (
	"fmt"
	"strings"
	"testing"
)

func TestWants(t *testing.T) {
	src := "\xef\xbb\xbfsession s # nothing\r\n" + `# want nothing: a line of its own is plain text
call bash {"c":"# want x"} -> ok "# want y"   # want nudge consecutive_duplicate "3 .* row"
call bash {"c":{{n}}} x5 # want @3 nudge a; @5 force_stop kocoro/b "\\d;";block c
call bash -> ok # recovered: silence
say bare "text # with a hash # want annotate d
say "quoted" #want block e
step x2 # want @2 block f
  text "# want g"
  call x x3 # want @6 block h
user x
say wanted # wanting`
	wants, err := readWants([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range wants {
		line := fmt.Sprintf("%d@%d %s %s", w.line, w.repeat, w.verdict, w.detector)
		if w.pattern != nil {
			line += " " + w.pattern.String()
		}
		got = append(got, line)
	}
	want := []string{
		"3@1 nudge consecutive_duplicate 3 .* row",
		"4@3 nudge a", `4@5 force_stop kocoro/b \d;`, "4@1 block c",
		"6@1 annotate d",
		"7@1 block e",
		"8@2 block f",
		"10@6 block h",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWantMistakes(t *testing.T) {
	const line = "a want stands at the end of a call, say or step line"
	verdicts := "expected one of annotate, nudge, block, force_stop after want, found "
	for _, test := range []struct{ in, want string }{
		{`call a # want`, verdicts + `""`},
		{`call a # want stop b`, verdicts + `"stop"`},
		{`call a # want nudge`, `expected the name of a detector after nudge`},
		{`call a # want nudge "x"`, `expected the name of a detector after nudge`},
		{`call a # want nudge b c`, `expected a semicolon or the end of the line after a want, found "c"`},
		{`call a # want nudge b;`, verdicts + `""`},
		{`call a # want nudge b "x`, `expected a regular expression as a JSON string: the JSON value is cut off`},
		{`call a # want nudge b "("`, "error parsing regexp: missing closing ): `(`"},
		{`call a # want @0 nudge b`, `expected @1 or more, found "@0"`},
		{`user "a" # want nudge b`, line},
		{"step\n finish stop # want nudge b", line},
		{"step\n delta text x # want nudge b", line},
		{`lane a # want nudge b`, line},
	} {
		_, err := readWants([]byte(test.in))
		want := fmt.Sprintf(":%d: %s", 1+strings.Count(test.in, "\n"), test.want)
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", test.in, err, want)
		}
	}
}
