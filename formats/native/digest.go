package native

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A Content is what a session is told by, whatever file it came from: the SHA-256
// of its canonical JSONL as this package writes it, without format, format
// version and path. So neither compression nor a new name changes it, and a
// conversion only does where it loses something. Labels and notes are not in it,
// and no step is marked as another session's, because that depends on what else
// is read.
//
// It is defined by the canonical form and stands beside it. Package corpus was
// considered; a ledger has digests and knows no corpus.
type Content [sha256.Size]byte

// String is the digest in hexadecimal.
func (c Content) String() string { return hex.EncodeToString(c[:]) }

// ParseContent reads what String gives.
func ParseContent(s string) (c Content, err error) {
	if n, err := hex.Decode(c[:], []byte(s[:min(len(s), 2*len(c))])); err != nil || n != len(c) || len(s) != 2*n {
		return Content{}, fmt.Errorf("%q is no SHA-256 in hexadecimal", s)
	}
	return c, nil
}

// A Digest takes the Content of a session while its steps are read.
type Digest struct {
	sum hash.Hash
	w   formats.Writer
}

// NewDigest begins the digest of a session.
func NewDigest(s *transcript.Session) *Digest {
	d := &Digest{sum: sha256.New()}
	d.w = newWriter(d.sum)
	d.w.Begin(bare(s)) // a hash takes everything
	return d
}

// Step adds the next step.
func (d *Digest) Step(s *transcript.Step) {
	own := *s
	own.Flags &^= transcript.Context
	d.w.Step(&own)
}

// Sum ends the digest, once the header is complete.
func (d *Digest) Sum(s *transcript.Session) Content {
	d.w.End(bare(s))
	return Content(d.sum.Sum(nil))
}

// bare is the header without where it was read from.
func bare(s *transcript.Session) *transcript.Session {
	out := *s
	out.Origin, out.Label = transcript.Origin{}, nil
	return &out
}

// A Sum names a session and its content.
type Sum struct {
	Session string
	Content Content
}

// CorpusDigest tells many sessions at once: the SHA-256, in hexadecimal, of a
// line for each session in order of id: the id, a zero byte and its Content in
// hexadecimal.
func CorpusDigest(list []Sum) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Sum) int { return cmp.Compare(a.Session, b.Session) })
	h := sha256.New()
	for _, s := range list {
		io.WriteString(h, s.Session+"\x00"+s.Content.String()+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}
