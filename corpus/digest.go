package corpus

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/formats/native"
	"groundhog/replay/transcript"
)

// A Content is the digest of what one session holds, taken while it is replayed:
// that of its canonical JSONL without the place it was read from. A session that
// is moved, renamed or compressed stays the same session; one whose steps change
// does not.
//
// The digest is complete after the session has been read to its end, and belongs
// to the goroutine that reads until then.
type Content struct {
	sum     string
	foreign int
}

// Watch takes the digest of a unit whenever its steps are read.
func Watch(u *formats.Unit) *Content {
	c := &Content{}
	steps := u.Steps
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			c.sum = ""
			sum := sha256.New()
			w := native.Format.Write(sum)
			head := *u.Session
			head.Origin, head.Label, head.Notes = transcript.Origin{}, nil, nil
			whole := w.Begin(&head) == nil
			for s, err := range steps() {
				if err != nil {
					fmt.Fprintf(sum, "unreadable: %v\n", err)
				} else {
					whole = w.Step(s) == nil && whole
				}
				if !yield(s, err) {
					return
				}
			}
			tail := *u.Session
			tail.Notes = nil
			if w.End(&tail) == nil && whole {
				c.sum = hexOf(sum)
			}
		}
	}
	return c
}

// Digest is that of the session. Steps that belong to another session count
// less than its own, so how many there are is part of it. It is empty while the
// session has not been read.
func (c *Content) Digest(context int) string {
	if c.sum == "" || context == 0 {
		return c.sum
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d\n", c.sum, context)
	return hexOf(sum)
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// Digest is that of a label: of everything in it, notes included. It is empty
// for no label.
func (l *Label) Digest() string {
	if l == nil {
		return ""
	}
	raw, err := json.Marshal(l, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a Label holds nothing that JSON has no form for
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// A Digest is that of one session, for DigestOf.
type Digest struct{ ID, Sum string }

// DigestOf is the digest of many sessions (E1): of their ids and digests, in
// order of id.
func DigestOf(list []Digest) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Digest) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Sum, b.Sum)) })
	sum := sha256.New()
	for _, d := range list {
		fmt.Fprintf(sum, "%d:%s %s\n", len(d.ID), d.ID, d.Sum)
	}
	return hexOf(sum)
}
