package stat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// A Rand is the random generator of one metric: PCG-64 in the DXSM variant of
// math/rand/v2. Bounded draws are our own (Below), because those of a library may
// change and the intervals in reports rest on them; a test pins the stream.
//
// A Rand belongs to one metric and one goroutine, so that an interval depends neither
// on how many metrics there are nor on their order.
type Rand struct{ pcg *rand.PCG }

// NewRand is the generator of a metric on a corpus. Its seed is the first 16 bytes,
// big-endian, of the SHA-256 of "seed|corpus|metric", where seed is the user's in
// decimal and corpus is the digest of the corpus.
func NewRand(seed uint64, corpus, metric string) *Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d|%s|%s", seed, corpus, metric))
	return &Rand{rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))}
}

// Below is a number from 0 to n-1, all equally likely, by Lemire's method of 2019:
// the high half of a 64 by 64 bit product, drawn again in the few cases that would
// favour some numbers. It is 0 for n < 1.
func (r *Rand) Below(n int) int {
	if n < 1 {
		return 0
	}
	bound := uint64(n)
	high, low := bits.Mul64(r.pcg.Uint64(), bound)
	if low < bound {
		for reject := -bound % bound; low < reject; {
			high, low = bits.Mul64(r.pcg.Uint64(), bound)
		}
	}
	return int(high)
}
