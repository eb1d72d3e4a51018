package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// A text is what results and messages are cut from: code, logs and prose, in lines.
// Cutting costs nothing, so that a benchmark does not measure how sessions are
// generated. Two pieces seldom begin alike.
type text struct{ code, talk string }

// Sizes of the two, in bytes. hugeResult is cut from the first.
const (
	codeSize = 2 * hugeResult
	talkSize = 256 << 10
)

var (
	nouns = strings.Fields(`account agent archive batch block bucket buffer cache call channel client cluster config
		cursor decoder digest engine entry event field filter folder frame graph handler header index invoice item job
		ladder layer ledger limit lock log mapper message meter monitor node object order packet panel parser patch
		pipeline policy pool queue reader record region report request retry route rule sample schema section server
		session shard signal slot source stage stream table target task timer token tracker unit upload user vector
		window worker writer`)
	verbs = strings.Fields(`add apply build check clean close collect compare copy count decode drop encode fetch find
		flush keep load merge move open parse print push read remove render replace reset run scan send set skip sort
		split start stop store trim update wait walk write`)
	hosts = strings.Fields(`docs.example.com api.example.org www.example.net blog.example.com wiki.example.org`)
)

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// newText makes the text of a seed.
func newText(seed uint64) text {
	r := rand.New(rand.NewPCG(seed, 0x7e87))
	var t text
	var out strings.Builder
	for out.Len() < codeSize {
		t.line(r, &out)
	}
	t.code = out.String()
	out.Reset()
	for out.Len() < talkSize {
		t.sentence(r, &out)
	}
	t.talk = out.String()
	return t
}

// line writes one line of a program, of a log or of a tool's output.
func (t text) line(r *rand.Rand, out *strings.Builder) {
	a, b, do := pick(r, nouns), pick(r, nouns), pick(r, verbs)
	switch n := r.IntN(300); {
	case n < 60:
		fmt.Fprintf(out, "\tif err := %s.%s(ctx, %d); err != nil {\n", a, upper(do), r.IntN(100))
	case n < 100:
		fmt.Fprintf(out, "\t\treturn nil, fmt.Errorf(\"%s %%q: %%w\", %s, err)\n\t}\n", do, a)
	case n < 130:
		fmt.Fprintf(out, "%s:%d:\t%s := new%s(%q)\n", t.path(r), r.IntN(900), a, b, do)
	case n < 160:
		fmt.Fprintf(out, "2026-01-%02dT%02d:%02d:%02dZ\tINFO\t%s done\tpath=/v1/%s\tstatus=%d took=%dms\n",
			1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), do, a, 200+r.IntN(4), r.IntN(900))
	case n < 190:
		fmt.Fprintf(out, "ok  \texample/%s/%s\t%d.%03ds\n", a, b, r.IntN(9), r.IntN(1000))
	case n < 210:
		fmt.Fprintf(out, "--- FAIL: Test%s (0.%02ds)\n    %s_test.go:%d: got %d, want %d\n",
			upper(a), r.IntN(99), b, r.IntN(400), r.IntN(50), r.IntN(50))
	case n < 240:
		fmt.Fprintf(out, "// %s %ss the %s of a %s.\n", upper(do), do, a, b)
	case n < 270:
		fmt.Fprintf(out, "  {\"%s\": %d, \"%s\": \"%s\\n\"},\n", a, r.IntN(1e6), b, do)
	case n < 285:
		out.WriteString("\t}\n\n")
	case n < 295:
		fmt.Fprintf(out, "- %s — “%s”, naïve façade of %s → %s ✓\n", do, a, b, "日本語")
	default:
		fmt.Fprintf(out, "see %s for %s\n", t.url(r), a)
	}
}

// upper is a word with a capital.
func upper(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// sentence writes one sentence of prose.
func (t text) sentence(r *rand.Rand, out *strings.Builder) {
	fmt.Fprintf(out, "%s the %s of the %s, then %s each %s",
		pick(r, verbs), pick(r, nouns), pick(r, nouns), pick(r, verbs), pick(r, nouns))
	switch r.IntN(4) {
	case 0:
		fmt.Fprintf(out, " in `%s`", t.path(r))
	case 1:
		fmt.Fprintf(out, "; it’s why \"%s\" fails", pick(r, nouns))
	}
	out.WriteString(".\n")
}

func (t text) path(r *rand.Rand) string {
	return "/repo/internal/" + pick(r, nouns) + "/" + pick(r, nouns) + "_" + pick(r, nouns) + ".go"
}

func (t text) url(r *rand.Rand) string {
	return fmt.Sprintf("https://%s/%s/%s-%d?ref=%s",
		pick(r, hosts), pick(r, nouns), pick(r, verbs), r.IntN(500), pick(r, nouns))
}

// lines cuts n bytes of code, or up to three less, from the beginning of a line.
func (t text) lines(r *rand.Rand, n int) string { return piece(t.code, r, n) }

// prose cuts n bytes of sentences.
func (t text) prose(r *rand.Rand, n int) string { return piece(t.talk, r, n) }

// piece cuts n bytes, or up to three less, so that it ends at the end of a character.
func piece(s string, r *rand.Rand, n int) string {
	n = min(n, len(s)/2)
	from := r.IntN(len(s) - n)
	if i := strings.IndexByte(s[from:len(s)-n], '\n'); i >= 0 {
		from += i + 1
	} else {
		from = 0
	}
	to := from + n
	for to > from && to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	return s[from:to]
}
