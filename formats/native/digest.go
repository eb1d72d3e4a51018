package native

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A Digest is what a session is told by, whatever file it came from: the SHA-256
// of its canonical JSONL as this package writes it, without format, format
// version and path. So neither compression nor a new name changes it, and a
// conversion only does where it loses something. Labels and notes are not in it,
// and no step is marked as another session's, because that depends on what else
// is read.
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
func (d *Digest) Sum(s *transcript.Session) [sha256.Size]byte {
	d.w.End(bare(s))
	return [sha256.Size]byte(d.sum.Sum(nil))
}

// bare is the header without where it was read from.
func bare(s *transcript.Session) *transcript.Session {
	out := *s
	out.Origin, out.Label = transcript.Origin{}, nil
	return &out
}

// A Sum names a session and its digest.
type Sum struct {
	Session string
	Content [sha256.Size]byte
}

// CorpusDigest tells a corpus by its sessions (evaluation.md E1): the SHA-256,
// in hexadecimal, of a line for each session in order of id: the id, a zero byte
// and the digest of its content in hexadecimal.
func CorpusDigest(list []Sum) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Sum) int { return cmp.Compare(a.Session, b.Session) })
	h := sha256.New()
	for _, s := range list {
		io.WriteString(h, s.Session+"\x00"+hex.EncodeToString(s.Content[:])+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}
