package stat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Fold is the fold, from 0 to k-1, that a cluster belongs to. It depends on the id
// alone, so a corpus that grows moves no session to another fold. It is 0 for k < 1.
func Fold(seed uint64, cluster string, k int) int {
	if k < 1 {
		return 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, cluster))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(k))
}
