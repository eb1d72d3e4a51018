package board_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/report/board"
	"groundhog/report/board/boardtest"
)

// A cell of a sweep equals a run with that setting.
func TestACellEqualsARun(t *testing.T) {
	var sets []detectors.Settings
	for n := 2; n <= 8; n++ {
		sets = append(sets, boardtest.NudgeAt(n))
	}
	sweep := boardtest.Demo(t, boardtest.KocoroAt(sets...), nil)
	for i, set := range sets {
		alone := boardtest.Demo(t, boardtest.KocoroAt(set), nil)
		if got, want := boardtest.Judgements(sweep, i), boardtest.Judgements(alone, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: the sweep's cell differs from a run", set)
		}
	}
}

// Two points are of one class exactly where no session tells them apart.
func TestClassesAreThoseWithTheSameFires(t *testing.T) {
	sets := []detectors.Settings{boardtest.NudgeAt(5), boardtest.NudgeAt(6), boardtest.NudgeAt(5), {"kocoro/search_escalation.force": "19"}, {"kocoro/search_escalation.force": "18"}}
	b := boardtest.Demo(t, boardtest.KocoroAt(sets...), nil)
	if b.Class[0] != b.Class[2] || b.Class[0] == b.Class[1] {
		t.Errorf("classes %v: 5 and 5 are the same, 5 and 6 are not", b.Class)
	}
	if b.Class[3] != b.Class[4] {
		t.Errorf("classes %v: no session of the demo searches 18 times", b.Class)
	}
}

// Outcomes partition the sessions.
func TestOutcomesPartition(t *testing.T) {
	b := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(3), boardtest.NudgeAt(5)), nil)
	classes, _ := b.ClassCounts()
	for p := range 2 {
		for _, level := range board.Levels {
			n := b.Sample(p, level, nil).Detail().Tally
			loops := n.Loops() + n[corpus.Censored]
			unknown := n[corpus.UnknownFire]
			if d := classes[corpus.Loop] + classes[corpus.Productive] - loops - n.Work() - unknown; d != 0 {
				t.Errorf("point %d, %s level: %d sessions are in no outcome", p, board.LevelName(level), d)
			}
			if n[corpus.GapHit]+n[corpus.GapMiss] != classes[corpus.KnownGap] {
				t.Errorf("known gaps: %d and %d of %d", n[corpus.GapHit], n[corpus.GapMiss], classes[corpus.KnownGap])
			}
		}
	}
}

// Clusters are what counts where sessions come in clusters.
func TestClustersCount(t *testing.T) {
	b := boardtest.Demo(t, boardtest.KocoroAt(boardtest.NudgeAt(5)), nil)
	single := b.Sample(0, detectors.ForceStop, nil).FalseRate()
	if single.Clusters != nil {
		t.Fatal("sessions are clusters of their own")
	}
	for i, r := range b.Rows {
		r.Cluster = fmt.Sprintf("label:%02d", i/2)
	}
	b.Settle()
	paired := b.Sample(0, detectors.ForceStop, nil).FalseRate()
	if paired.N != single.N || paired.D != single.D || len(paired.Clusters) == 0 || len(paired.Clusters) > single.D {
		t.Errorf("%+v, alone %+v", paired, single)
	}
	if paired.Upper() < single.Upper() {
		t.Errorf("a bound over %d clusters, %.3f, is below the one over %d sessions, %.3f", len(paired.Clusters), paired.Upper(), single.D, single.Upper())
	}
	if notes := strings.Join(b.Notes(), "\n"); !strings.Contains(notes, "clusters") {
		t.Errorf("the notes do not say so: %s", notes)
	}
}
