package stream_test

import (
	"os"
	"strings"
	"testing"

	"groundhog/formats"
)

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// FuzzSteps feeds bytes to a format. Whatever they are: nothing panics, every
// error is one of syntax, steps hold together, and a second reading gives what
// the first gave.
func FuzzSteps(f *testing.F) {
	for i, format := range all {
		data, err := os.ReadFile("testdata/" + format.Name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(data), "=== ")[1:] {
			_, rest, _ := strings.Cut(c, "\n")
			input, _, _ := strings.Cut(rest, "---\n")
			f.Add([]byte(input), uint8(i), uint16(0))
			f.Add([]byte(input[:len(input)*2/3]), uint8(i), uint16(300))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, limit uint16) {
		format, text, o := all[int(which)%len(all)], string(data), formats.Options{MaxRecord: int64(limit)}
		check(t, format, text, o)
		if dump(format, text, o) != dump(format, text, o) {
			t.Error("two readings differ")
		}
		for range format.Find(file(text), o) {
			break
		}
	})
}
