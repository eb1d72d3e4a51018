package taubench

import (
	"bytes"
	"sort"

	"groundhog/formats"
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

// nans are the numbers that Python writes and JSON does not have. They become
// null, or where that is too long an empty text, which is read alike.
var nans = []struct{ word, text string }{
	{"NaN", `"" `},
	{"Infinity", "null    "},
	{"-Infinity", "null     "},
}

// addNaN adds a patch if such a number is next.
func addNaN(list []patch, s *scanner) []patch {
	if len(list) >= maxPatches {
		return list
	}
	for _, n := range nans {
		if !bytes.HasPrefix(s.ahead(len(n.word)), []byte(n.word)) {
			continue
		}
		// The second half of -Infinity has been seen with the first.
		if k := len(list); k > 0 && list[k-1].off == s.pos()-1 {
			return list
		}
		return append(list, patch{s.pos(), n.text})
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
