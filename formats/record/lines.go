package record

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// A Line is one line of a file, or one record of it, without its end. Data is
// valid until the next one is asked for.
type Line struct {
	Data []byte
	Num  int   // 1-based in the file
	Off  int64 // of its first byte in the file
	End  int64 // of the first byte after it, line end included
	Cut  bool  // the file ends without a line end
	Last bool  // the file ends with it, so that a crash may have cut it off
	Long bool  // over the size limit; Data is nil
}

// A Range is a stretch of whole lines of a file.
type Range struct {
	Off, End int64
	Line     int // number of its first line
}

// Lines yields the lines of ranges of a file that has size bytes, or of all of
// it if no range is given. Blank lines are passed over. A read error is yielded
// last.
func Lines(file io.ReaderAt, size, limit int64, ranges ...Range) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		if len(ranges) == 0 {
			ranges = []Range{{Off: 0, End: size, Line: 1}}
		}
		buf := bufio.NewReaderSize(nil, 64<<10)
		var held []byte
		for _, part := range ranges {
			buf.Reset(io.NewSectionReader(file, part.Off, part.End-part.Off))
			line := Line{Num: part.Line - 1, End: part.Off}
			for {
				line.Num++
				line.Off, line.Long, line.Cut = line.End, false, false
				var err error
				held, err = readLine(buf, held[:0], limit, &line)
				line.Last = line.End >= size
				if err != nil && err != io.EOF {
					yield(Line{}, err)
					return
				}
				if len(bytes.TrimSpace(line.Data)) > 0 || line.Long {
					if !yield(line, nil) {
						return
					}
				}
				if err == io.EOF {
					break
				}
			}
		}
	}
}

// readLine reads up to and including the next line feed. The result is in
// line.Data, which may point into buf or into held.
func readLine(buf *bufio.Reader, held []byte, limit int64, line *Line) ([]byte, error) {
	for {
		piece, err := buf.ReadSlice('\n')
		line.End += int64(len(piece))
		if err == bufio.ErrBufferFull {
			if !line.Long && int64(len(held)+len(piece)) > limit+1 { // one more: it may be the line's carriage return
				line.Long = true
				held = held[:0]
			}
			if !line.Long {
				held = append(held, piece...)
			}
			continue
		}
		line.Cut = err == io.EOF
		if len(held) > 0 {
			held = append(held, piece...)
			piece = held
		}
		line.Data = bytes.TrimSuffix(bytes.TrimSuffix(piece, lf), cr)
		if line.Long || int64(len(line.Data)) > limit {
			line.Long, line.Data = true, nil
		}
		return held, err
	}
}

var (
	lf = []byte("\n")
	cr = []byte("\r")
)
