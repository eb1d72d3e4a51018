package claudecode

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"groundhog/formats"
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
	for line, err := range formats.Lines(f, src.limit) {
		if err != nil {
			return nil, err
		}
		data := bytes.TrimLeft(bytes.TrimPrefix(line.Data, []byte(bom)), space)
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
		err = decoder(data).SkipValue()
		if line.Long || !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
	}
	return src, nil
}

// records yields the records of a range as lines. A record that spans lines has
// the number of its first one, and neither separators nor brackets around it.
func (src *source) records(part formats.Range) iter.Seq2[formats.Line, error] {
	if !src.values {
		return formats.Lines(src.file, src.limit, part)
	}
	return func(yield func(formats.Line, error) bool) {
		r, err := src.file.Open()
		if err != nil {
			yield(formats.Line{}, err)
			return
		}
		defer r.Close()
		s := scanner{
			in:    bufio.NewReaderSize(io.NewSectionReader(r, part.Off, part.End-part.Off), 64<<10),
			limit: src.limit, off: part.Off, line: part.Line,
		}
		for {
			rec, err := s.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(formats.Line{}, fmt.Errorf("%s: %w", src.file.Name, err))
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// digest names a session that has no id of its own.
func (src *source) digest() (string, error) {
	r, err := src.file.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, src.file.Size)); err != nil {
		return "", fmt.Errorf("%s: %w", src.file.Name, err)
	}
	return "claude-code:" + hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

const (
	space = " \t\r\n"
	bom   = "\xef\xbb\xbf"
	// between is what may stand between two records, the brackets of an array
	// around them included.
	between = space + bom + ",[]"
)
