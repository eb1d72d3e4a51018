package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors/catalog"
	"groundhog/replay"
	"groundhog/replay/ledger"
	"groundhog/replay/transcript"
)

// DuckDB opens a ledger, and a threshold can be moved in SQL: sessions in which
// some call repeats often enough are those that the detector alone nudges or
// stops.
func TestDuckDBReadsLedgers(t *testing.T) {
	p := catalog.Find("kocoro-4ec6772", catalog.Presets)
	mimo := catalog.Find("mimo-2026-09", catalog.Presets)
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: p}, {Preset: mimo}}, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "demo.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ledger.NewWriter(f, plan, "word")
	if err != nil {
		t.Fatal(err)
	}
	sessions, steps, calls := 0, 0, 0
	alone := slices.IndexFunc(plan.Points, func(pt replay.Point) bool { return pt.Detector == "kocoro/exact_duplicate" })
	var fired []string
	e := &replay.Engine{Plan: plan, Split: transcript.Words, Keeper: w.Keeper}
	if err := e.Run(t.Context(), demo(t), func(o *replay.Outcome) error {
		sessions, steps, calls = sessions+1, steps+o.Steps, calls+o.Calls
		if len(o.Points[alone].Fires) > 0 {
			fired = append(fired, o.Session.ID)
		}
		return w.Add(o)
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	db := open(t, dir)
	rows(t, db, `select sum(hash(columns(*))) from 'demo.parquet'`)
	got := rows(t, db, `select count(*) filter (row='session'), count(*) filter (row='step'), sum(calls)::int from 'demo.parquet'`)
	if want := []string{fmt.Sprint(sessions, " ", steps, " ", calls)}; !slices.Equal(got, want) {
		t.Errorf("sessions, steps, calls: %v, want %v", got, want)
	}
	got = rows(t, db, `select distinct session from 'demo.parquet' where detector='kocoro/exact_duplicate'
		and m_calls >= case when m_failed=m_calls then 10 else 5 end order by 1`)
	if slices.Sort(fired); !slices.Equal(got, fired) || len(got) == 0 {
		t.Errorf("sessions with a fire: %v in SQL, %v in a replay", got, fired)
	}
	got = rows(t, db, `select decode(value) from parquet_kv_metadata('demo.parquet') where decode(key)='ledger.header'`)
	if len(got) != 1 || !strings.Contains(got[0], `"splitter":"word"`) || !strings.Contains(got[0], `"corpus_sha256":"`) {
		t.Errorf("header %v", got)
	}
}
