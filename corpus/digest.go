package corpus

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/formats/native"
	"groundhog/replay/transcript"
)

// A Content is the digest of what one session holds (native.Content), taken while
// it is replayed. It is complete after the session has been read to its end, and
// belongs to the goroutine that reads until then.
type Content struct{ sum string }

// Watch takes the digest of a unit whenever its steps are read.
func Watch(u *formats.Unit) *Content {
	c := &Content{}
	steps := u.Steps
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			c.sum = ""
			d := native.NewDigest(u.Session)
			for s, err := range steps() {
				if err == nil {
					d.Step(s)
				}
				if !yield(s, err) {
					return
				}
			}
			c.sum = d.Sum(u.Session).String()
		}
	}
	return c
}

// Sum is the digest in hexadecimal; "" while the session has not been read.
func (c *Content) Sum() string { return c.sum }

// Digest is the digest of everything in a label, notes included, in hexadecimal; "" for
// nil.
func (l *Label) Digest() string {
	if l == nil {
		return ""
	}
	raw, err := json.Marshal(l, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // JSON has a form for everything in a Label
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// A LabelSum names a session and the digest of its label.
type LabelSum struct{ Session, Label string }

// LabelDigest is the digest of many labels: of a line for each session, in order of id.
func LabelDigest(list []LabelSum) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b LabelSum) int { return cmp.Compare(a.Session, b.Session) })
	h := sha256.New()
	for _, s := range list {
		fmt.Fprintf(h, "%s\x00%s\n", s.Session, s.Label)
	}
	return hex.EncodeToString(h.Sum(nil))
}
