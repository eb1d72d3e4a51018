package taubench

import (
	"sort"

	"groundhog/formats"
	"groundhog/formats/record"
)

// A patch is what is read in a place of a file instead of what stands there.
// It is as long, so that every other place stays where it is.
type patch struct {
	off  int64
	text string
}

// maxPatches is how many a session may have. What needs more is no result of
// the benchmark, and its memory must not grow with the file.
const maxPatches = 10_000

// nulls are what stands in for the numbers that Python writes and JSON does not
// have: null, or where that is too long an empty text, which is read alike.
var nulls = map[string]string{
	"NaN":       `"" `,
	"Infinity":  "null    ",
	"-Infinity": "null     ",
}

func patchNaN(words []record.Literal) (list []patch) {
	for _, w := range words {
		list = append(list, patch{w.Off, nulls[w.Text]})
	}
	return list
}

// patched is a file in which patches, sorted by place, have been made.
func patched(f *formats.File, list []patch) *formats.File {
	if len(list) == 0 {
		return f
	}
	p := *f
	p.Open = func() (formats.ReadAtCloser, error) {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		return &overlay{r, list}, nil
	}
	return &p
}

type overlay struct {
	formats.ReadAtCloser
	list []patch
}

func (o *overlay) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = o.ReadAtCloser.ReadAt(p, off)
	end := off + int64(n)
	first := sort.Search(len(o.list), func(i int) bool {
		return o.list[i].off+int64(len(o.list[i].text)) > off
	})
	for _, c := range o.list[first:] {
		if c.off >= end {
			break
		}
		text := c.text[max(0, off-c.off):]
		copy(p[max(0, c.off-off):n], text)
	}
	return n, err
}
