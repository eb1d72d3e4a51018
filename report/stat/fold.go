package stat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Fold is the fold of k that a cluster belongs to, by the hash of its id: a
// corpus that grows moves no old session (E12.2). It is 0 for k < 1.
func Fold(seed uint64, cluster string, k int) int {
	if k < 1 {
		return 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, cluster))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(k))
}
