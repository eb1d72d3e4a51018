package compare

import (
	"testing"

	"groundhog/report/board"
	"groundhog/report/board/boardtest"
)

// A against A has no flips, and B against A is A against B the other way.
func TestComparisonsMirror(t *testing.T) {
	b := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(3), boardtest.NudgeAt(5), boardtest.NudgeAt(5)), nil)
	for _, level := range board.Levels {
		if list := b.Flips(1, 2, level); len(list) != 0 {
			t.Errorf("A against A: %s", board.FlipText(list))
		}
		there, back := b.Flips(0, 1, level), b.Flips(1, 0, level)
		if len(there) == 0 || len(there) != len(back) {
			t.Fatalf("%d flips there, %d back", len(there), len(back))
		}
		for i := range there {
			if there[i].From != back[i].To || there[i].To != back[i].From || there[i].Gained() != back[i].Lost() || there[i].Lost() != back[i].Gained() {
				t.Errorf("%+v does not mirror %+v", there[i], back[i])
			}
		}
		w1, g1 := b.Paired(there, board.IsLoop)
		w2, g2 := b.Paired(back, board.IsLoop)
		if w1 != g2 || g1 != w2 {
			t.Errorf("pairs %d, %d there and %d, %d back", w1, g1, w2, g2)
		}
	}
}
