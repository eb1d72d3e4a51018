package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/record"
)

// buffer is the size of the buffer that Lines reads through.
const buffer = 64 << 10

// lines reads data as Lines does, with copies of what is valid only for a while.
func lines(t interface {
	Helper()
	Fatal(...any)
}, data string, limit int64, ranges ...record.Range) (list []record.Line) {
	t.Helper()
	for l, err := range formattest.File(data).Lines(limit, ranges...) {
		if err != nil {
			t.Fatal(err)
		}
		l.Data = bytes.Clone(l.Data)
		list = append(list, l)
	}
	return list
}

// literal is what Lines should give, the slow way.
func literal(data string, limit int64) (list []record.Line) {
	num, off := 0, int64(0)
	for _, piece := range strings.SplitAfter(data, "\n") {
		num++
		l := record.Line{Num: num, Off: off, End: off + int64(len(piece)), Cut: !strings.HasSuffix(piece, "\n")}
		off = l.End
		l.Last = l.End == int64(len(data))
		body := strings.TrimSuffix(strings.TrimSuffix(piece, "\n"), "\r")
		switch {
		case int64(len(body)) > limit:
			l.Long = true
		case strings.TrimSpace(body) == "":
			continue
		default:
			l.Data = []byte(body)
		}
		list = append(list, l)
	}
	return list
}

func show(list []record.Line) string {
	var out strings.Builder
	for _, l := range list {
		fmt.Fprintf(&out, "%d [%d,%d) %.20q", l.Num, l.Off, l.End, l.Data) // its length shows in the offsets
		if l.Cut {
			out.WriteString(" cut")
		}
		if l.Long {
			out.WriteString(" long")
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"one", "a\n", `1 [0,2) "a"`},
		{"no line end", "a\nbc", `1 [0,2) "a"` + "\n" + `2 [2,4) "bc" cut`},
		{"windows", "a\r\nb\r\n", `1 [0,3) "a"` + "\n" + `2 [3,6) "b"`},
		{"a carriage return inside", "a\rb\n", `1 [0,4) "a\rb"`},
		{"one carriage return is the line's end, two are not", "a\r\r\n", `1 [0,4) "a\r"`},
		{"byte order mark", "\xef\xbb\xbfa\n", `1 [0,5) "\ufeffa"`},
		{"blank lines keep their numbers", "\n \t\r\n\na\n\n", `4 [6,8) "a"`},
		{"at the limit", "12345678\n", `1 [0,9) "12345678"`},
		{"at the limit, windows", "12345678\r\n", `1 [0,10) "12345678"`},
		{"at the limit, no line end", "12345678", `1 [0,8) "12345678" cut`},
		{"over the limit, no line end", "123456789", `1 [0,9) "" cut long`},
		{"over the limit in the middle", "a\n123456789\nb\n", `1 [0,2) "a"` + "\n" + `2 [2,12) "" long` + "\n" + `3 [12,14) "b"`},
		{"over the limit at the end", "a\n123456789\n", `1 [0,2) "a"` + "\n" + `2 [2,12) "" long`},
		{"blanks over the limit are not blank", "         \n", `1 [0,10) "" long`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.TrimSuffix(show(lines(t, test.in, 8)), "\n")
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// text draws files with lines of every length that is near a boundary.
func text(t *rapid.T) string {
	lengths := rapid.SampledFrom([]int{0, 1, 2, 7, 8, 9, buffer - 2, buffer - 1, buffer, buffer + 1, 2*buffer - 1, 2 * buffer, 2*buffer + 1})
	ends := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r\r\n", "\r", " \n"})
	var out strings.Builder
	for i := range rapid.IntRange(0, 6).Draw(t, "lines") {
		out.WriteString(strings.Repeat(string(rune('a'+i)), lengths.Draw(t, "length")))
		out.WriteString(ends.Draw(t, "end"))
	}
	if rapid.Bool().Draw(t, "cut") {
		out.WriteString(strings.Repeat("z", lengths.Draw(t, "length")))
	}
	return out.String()
}

var limits = rapid.SampledFrom([]int64{1, 8, buffer - 1, buffer, buffer + 1, 2 * buffer, 2*buffer + 1, math.MaxInt32})

func TestLinesEqualLiteralReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, limit := text(t), limits.Draw(t, "limit")
		if got, want := lines(t, data, limit), literal(data, limit); !reflect.DeepEqual(got, want) {
			t.Errorf("limit %d: got\n%swant\n%s", limit, show(got), show(want))
		}
	})
}

// Reading some lines by their ranges gives what reading everything gives there.
func TestRangesEqualTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, limit := text(t), limits.Draw(t, "limit")
		all := lines(t, data, limit)
		var ranges []record.Range
		var want []record.Line
		for i := 0; i < len(all); {
			n := rapid.IntRange(1, len(all)-i).Draw(t, "lines of the range")
			part := all[i : i+n]
			i += n
			if rapid.Bool().Draw(t, "left out") {
				continue
			}
			ranges = append(ranges, record.Range{Off: part[0].Off, End: part[n-1].End, Line: part[0].Num})
			want = append(want, part...)
		}
		if len(ranges) == 0 {
			return // no range means the whole file
		}
		if got := lines(t, data, limit, ranges...); !reflect.DeepEqual(got, want) {
			t.Errorf("ranges %v: got\n%swant\n%s", ranges, show(got), show(want))
		}
	})
}

// brokenAt reads as far as a byte and then fails.
type brokenAt struct {
	strings.Reader
	end int64
}

var errDisk = errors.New("the disk is gone")

func (b *brokenAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= b.end {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p[:min(int64(len(p)), b.end-off)], off)
}

func (b *brokenAt) Close() error { return nil }

func TestLinesYieldAReadErrorLast(t *testing.T) {
	const data = "a\nb\nc\n"
	f := &formats.File{Name: "x", Size: int64(len(data)), Open: func() (formats.ReadAtCloser, error) {
		return &brokenAt{*strings.NewReader(data), 4}, nil
	}}
	var got []string
	for l, err := range f.Lines(100) {
		if err != nil {
			got = append(got, err.Error())
			if !errors.Is(err, errDisk) {
				t.Errorf("%v does not wrap its cause", err)
			}
			continue
		}
		got = append(got, string(l.Data))
	}
	if want := []string{"a", "b", "x: the disk is gone"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	f.Open = func() (formats.ReadAtCloser, error) { return nil, errDisk }
	for _, err := range f.Lines(100) {
		if !errors.Is(err, errDisk) {
			t.Errorf("opening: %v", err)
		}
	}
}

func TestLinesMayBeLeftEarly(t *testing.T) {
	closed := 0
	f := formattest.File("a\nb\n")
	open := f.Open
	f.Open = func() (formats.ReadAtCloser, error) {
		r, err := open()
		return struct {
			io.ReaderAt
			io.Closer
		}{r, closer(func() { closed++ })}, err
	}
	for range f.Lines(100) {
		break
	}
	for range f.Lines(100) {
	}
	if closed != 2 {
		t.Errorf("the file was closed %d times, want 2", closed)
	}
}

type closer func()

func (c closer) Close() error { c(); return nil }
