package kocoro

import "fmt"

// failures says how many of n calls failed.
func failures(failed, n int) string {
	switch failed {
	case 0:
		return "none failed"
	case n:
		return "all failed"
	}
	return fmt.Sprintf("%d failed", failed)
}
