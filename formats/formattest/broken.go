package formattest

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/formats"
)

// Broken damages a file in the ways that files are damaged and checks the reader
// on each. What is lost must be said: where there are fewer steps and calls than
// before, there are more errors or notes, or a session that ends as truncated.
func Broken(t *testing.T, f *formats.Format, text string) {
	t.Helper()
	whole := weigh(Dump(f, text, formats.Options{}))
	for _, d := range damages(text) {
		t.Run(d.name, func(t *testing.T) {
			Check(t, f, d.text, formats.Options{})
			dump := Dump(f, d.text, formats.Options{})
			if got := weigh(dump); got.held < whole.held && got.said <= whole.said && !d.silent {
				t.Errorf("%d steps and calls of %d are left, and nothing is said of the rest:\n%s",
					got.held, whole.held, dump)
			}
		})
	}
}

// A damage is a file after something has happened to it.
type damage struct {
	name, text string
	silent     bool // whole records are gone, so nobody can know
}

func damages(text string) (list []damage) {
	lines := strings.SplitAfter(text, "\n")
	add := func(silent bool, name, text string) { list = append(list, damage{name, text, silent}) }
	add(true, "empty", "")
	add(true, "only blanks", " \r\n\t\n")
	for i := 1; i < 8; i++ {
		at := len(text) * i / 8
		atEnd := at == 0 || text[at-1] == '\n' || text[at] == '\n'
		add(atEnd, fmt.Sprintf("cut after %d of %d bytes", at, len(text)), text[:at])
	}
	add(true, "the last byte is gone", text[:len(text)-1])
	middle := len(lines) / 2
	insert := func(what string) string {
		return strings.Join(lines[:middle], "") + what + strings.Join(lines[middle:], "")
	}
	add(true, "a line is gone", strings.Join(lines[:middle], "")+strings.Join(lines[min(middle+1, len(lines)):], ""))
	add(true, "a line stands twice", insert(lines[middle]))
	add(true, "a line of noise", insert("Killed: 9\n"))
	add(true, "a line of zero bytes", insert(strings.Repeat("\x00", 512)+"\n"))
	add(true, "a line of brackets", insert(strings.Repeat(`{"a":[`, 20_000)+"\n"))
	add(true, "an object that says nothing", insert("{}\n"))
	add(true, "line ends of Windows", strings.ReplaceAll(text, "\n", "\r\n"))
	add(true, "no line ends", strings.ReplaceAll(text, "\n", ""))
	add(true, "not UTF-8", strings.ReplaceAll(text, "e", "\xff"))
	add(true, "quotes are gone", strings.ReplaceAll(text, `"`, ""))
	add(true, "from its middle on", text[len(text)/2:])
	return list
}

// A weight is how much a dump holds, and how much it complains.
type weight struct{ held, said int }

func weigh(dump string) (w weight) {
	for line := range strings.Lines(dump) {
		word := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(word, "!"), strings.HasPrefix(word, "note "), strings.HasPrefix(word, "end truncated"):
			w.said++
		case strings.HasPrefix(line, " "):
			w.held++
		}
	}
	return w
}
