package script

import (
	"strings"
	"testing"
)

// fuzzSteps bounds the repetitions that a fuzzer finds interesting.
const fuzzSteps = 300

var seeds = []string{
	"session \"a b\"\nlabel {a: 1}\nagent x 1\nmodel m\ntime 2026-05-01T10:00:00Z\nuser hi\nend limit\nsession b\n",
	"call bash {\"a\": {{n}}} -> ok \"x\" exit=1 took=1.5s signals={\"result_sig\":\"r\",\"read_only\":true} x3 # want @2 nudge a \"x\"; block b\n",
	"call a raw\"{\\ud83d\" -> denied\r\ncall b -> \"\"\ncall c -> missing took=0s\ncall c null x2",
	"step x2\n  think a\n  text \"b\"\n  delta args \"{\"\n  delta args \"}\"\n  call a {} -> error \"e\"\n  delta at=1.5s text b\n  delta at=2s text c\n  call b x2\n  model m\n",
	"step\n  attempt 529 \"a b\" \"\" wait=1s retry-after=2s\n  attempt 0 x code=ECONNRESET scope=max-candidate phase=after-call\n  finish unknown\n  usage in=1 out=2 reasoning=3\n  id x\n  synthetic\n",
	"lane \"main\"\nuser \"\"\nlane main\ninject x # want nudge y\nsystem \xff\ncompact\ncompact a\nsay b # c\n",
	"\xef\xbb\xbfuser x\n text\nfoo\nstep up\n  call a {{n}} x2\n",
}

func FuzzSteps(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		read(t, src, fuzzSteps)
	})
}

func FuzzRoundTrip(f *testing.F) {
	for _, seed := range append(seeds, "say \"\xed\xa0\xbd\xed\xb8\x80\"") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		list, whole := read(t, src, fuzzSteps)
		if !whole {
			t.Skip("many repetitions")
		}
		text, losses := write(t, list)
		if len(losses) > 0 {
			t.Fatalf("losses %v in\n%s", losses, text)
		}
		again, _ := read(t, text, fuzzSteps)
		for _, p := range again {
			if len(p.errs) > 0 {
				t.Fatalf("%s\nin\n%s", strings.Join(p.errs, "\n"), text)
			}
		}
		if want, got := essence(list), essence(again); want != got {
			t.Fatalf("read\n%s\nwritten\n%s\nread again\n%s", want, text, got)
		}
		if twice, _ := write(t, again); twice != text {
			t.Fatalf("written\n%s\nwritten again\n%s", text, twice)
		}
	})
}
