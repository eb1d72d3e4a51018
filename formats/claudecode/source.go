package claudecode

import (
	"bytes"
	"errors"
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
)

// A source is a file and how its records are put down.
type source struct {
	file   *formats.File
	limit  int64
	values bool // an array, or records that span lines
}

// open tells how a file is put together by its first two lines.
func open(f *formats.File, o formats.Options) (*source, error) {
	src := &source{file: f, limit: o.Cap()}
	first := true
	for line, err := range f.Lines(src.limit) {
		if err != nil {
			return nil, err
		}
		data := bytes.TrimLeft(record.Clean(line.Data), " \t\r\n")
		if !first {
			// An unfinished object followed by no new one goes on in this line;
			// otherwise the first record is merely broken.
			src.values = len(data) > 0 && data[0] != '{'
			break
		}
		first = false
		if len(data) > 0 && data[0] == '[' {
			src.values = true
			break
		}
		if _, _, err = record.First(data); line.Long || !errors.Is(err, record.ErrCut) {
			break
		}
	}
	return src, nil
}

// records yields the records of a range as lines.
func (src *source) records(part record.Range) iter.Seq2[record.Line, error] {
	if src.values {
		return src.file.Spread(src.limit, part)
	}
	return src.file.Lines(src.limit, part)
}
