package record

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// An input feeds the decoder of a stream, counts lines and keeps the decoder
// from growing without bound: it asks where the last token ended, and gives at
// most the limit from there. What a token or value needs beyond that is ErrLong.
type input struct {
	src   io.Reader
	dec   *jsontext.Decoder
	limit int64
	pos   int64   // bytes given so far
	line  int     // lines that end before the last place asked for
	ends  []int64 // line ends beyond that place
}

// slack is what may lie between two values: a comma and the indentation.
const slack = 64 << 10

func (in *input) Read(p []byte) (int, error) {
	at := in.dec.InputOffset()
	in.lineAt(at) // nobody asks for an earlier place, so its line ends can go
	room := at + in.limit + slack - in.pos
	if room <= 0 {
		return 0, ErrLong
	}
	n, err := in.src.Read(p[:min(int64(len(p)), room)])
	for from := 0; ; {
		i := bytes.IndexByte(p[from:n], '\n')
		if i < 0 {
			break
		}
		from += i + 1
		in.ends = append(in.ends, in.pos+int64(from))
	}
	in.pos += int64(n)
	return n, err
}

// lineAt is how many lines end before a place.
func (in *input) lineAt(off int64) int {
	n := 0
	for n < len(in.ends) && in.ends[n] <= off {
		n++
	}
	in.line += n
	in.ends = append(in.ends[:0], in.ends[n:]...)
	return in.line
}
