package formattest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/record"
)

var update = flag.Bool("update", false, "rewrite golden files with what readers make of their inputs")

// A Case is one input of a golden file and what a reader must make of it.
type Case struct{ Title, Input, Want string }

// Cases reads a golden file. A case is a line "=== title", the input, a line
// "---" and what Dump must give.
func Cases(t testing.TB, path string) (list []Case) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split("\n"+string(data), "\n=== ")[1:] {
		title, rest, _ := strings.Cut(strings.TrimSuffix(c, "\n")+"\n", "\n")
		input, want, _ := strings.Cut(rest, "---\n")
		list = append(list, Case{title, input, want})
	}
	return list
}

// Inputs are the inputs of a golden file.
func Inputs(t testing.TB, path string) (list []string) {
	t.Helper()
	for _, c := range Cases(t, path) {
		list = append(list, c.Input)
	}
	return list
}

// Golden runs the cases of a golden file. With -update it rewrites what they
// must give. A byte order mark, line ends of Windows and a missing last one change
// nothing, except in cases whose titles say that the input is cut.
func Golden(t *testing.T, f *formats.Format, path string) {
	t.Helper()
	var out strings.Builder
	for _, c := range Cases(t, path) {
		got := Dump(f, c.Input, formats.Options{})
		out.WriteString("=== " + c.Title + "\n" + c.Input + "---\n" + got)
		if got != c.Want && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", c.Title, got, c.Want)
		}
		windows := record.Mark + strings.TrimSuffix(strings.ReplaceAll(c.Input, "\n", "\r\n"), "\r\n")
		if again := Dump(f, windows, formats.Options{}); again != got && !strings.Contains(c.Title, "cut") {
			t.Errorf("%s: with a byte order mark and line ends of Windows\n%s\nwithout\n%s", c.Title, again, got)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
