package render_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/detectors/catalog"
	"groundhog/formats"
	read "groundhog/formats/catalog"
	"groundhog/replay"
	"groundhog/replay/transcript"
	"groundhog/report/review"
)

// A real session with 286 equal calls in a row fits on a screen, which says of
// every preset where it first stops.
func TestReviewOf286EqualCalls(t *testing.T) {
	shared := os.Getenv("GROUNDHOG_SHARED")
	if shared == "" {
		t.Skip("no GROUNDHOG_SHARED: the recordings are not part of the repository")
	}
	files := formats.Files{Paths: []string{filepath.Join(shared, "samples", "claude_stream_json")}, Formats: read.All}
	found, err := files.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var names []string
	for _, p := range catalog.Presets {
		names = append(names, p.Name)
	}
	long := 0
	for _, u := range found.Units {
		r := reviewOf(t, u, review.Options{}, names...)
		text := printed(t, r, 200)
		table, _, _ := strings.Cut(text, "\nwhat each preset")
		if n := strings.Count(table, "\n"); n > 50 {
			t.Errorf("%s: %d lines before the verdicts", u.Session.ID, n)
		}
		for _, row := range r.Rows {
			if row.Fold != nil && row.Fold.Equal && row.Fold.Calls > 270 {
				long++
			}
		}
		stops := make(map[string]int)
		e := &replay.Engine{Plan: planOf(t, names), Split: transcript.Words}
		err := e.Run(context.Background(), []*formats.Unit{u}, func(o *replay.Outcome) error {
			for i, name := range names {
				for _, run := range o.Points[i].Runs {
					if run.FirstStop != nil && stops[name] == 0 {
						stops[name] = int(run.FirstStop.Pos.Call)
						if p := r.Presets[i]; p.After == nil || p.After.Calls != run.CallsLeft {
							t.Errorf("%s: %s: %+v calls after the first stop, a replay says %d", u.Session.ID, name, p.After, run.CallsLeft)
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range r.Presets {
			got := 0
			if p.Stop != nil {
				got = p.Stop.Place.Call
			}
			if got != stops[names[i]] {
				t.Errorf("%s: %s first stops at call %d, a replay says %d", u.Session.ID, p.Name, got, stops[names[i]])
			}
		}
	}
	if long != 1 {
		t.Errorf("%d sessions with more than 270 folded equal calls, want 1", long)
	}
}

func planOf(t *testing.T, names []string) *replay.Plan {
	t.Helper()
	var q replay.Question
	for _, name := range names {
		q.Configs = append(q.Configs, replay.Config{Preset: catalog.Find(name, catalog.Presets)})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
