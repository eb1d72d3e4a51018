package formats_test

import (
	"testing"

	"groundhog/formats"
)

// Keys of messages are stored, so they may never change: the first value is
// that of XXH3's own test vectors.
func TestMessageKey(t *testing.T) {
	for id, want := range map[string]uint64{"": 0x2d06800538d394c2} {
		if got := formats.MessageKey(id); got != want {
			t.Errorf("MessageKey(%q) = %#x, want %#x", id, got, want)
		}
	}
	if formats.MessageKey("msg_1") == formats.MessageKey("msg_2") {
		t.Error("two ids have one key")
	}
}
