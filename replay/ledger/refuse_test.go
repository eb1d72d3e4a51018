package ledger_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay"
)

func config(t testing.TB, name string, set ...string) replay.Config {
	t.Helper()
	p := catalog.Find(name, catalog.Presets)
	if p == nil {
		t.Fatalf("no preset %s", name)
	}
	c := replay.Config{Preset: p, Set: detectors.Settings{}}
	for _, s := range set {
		id, v, _ := strings.Cut(s, "=")
		c.Set[id] = v
	}
	return c
}

// asked replays a ledger and gives the error.
func asked(t testing.TB, data []byte, q replay.Question) error {
	t.Helper()
	e := &replay.Engine{Plan: newPlan(t, q)}
	return e.Run(context.Background(), opened(t, data), func(o *replay.Outcome) error { return o.Err })
}

// What was not measured is refused, and the setting in the way is named.
func TestRefusals(t *testing.T) {
	made := map[string][]byte{
		"plain":     made(t, replay.Question{Configs: []replay.Config{config(t, "kocoro-4ec6772"), config(t, "mimo-2026-09")}}, sessions(t, 3), 1),
		"low":       made(t, replay.Question{Configs: []replay.Config{config(t, "mimo-2026-09", "mimo/text_ngram_repeat.n=3", "mimo/text_ngram_repeat.threshold=8")}}, sessions(t, 3), 1),
		"admission": made(t, replay.Question{Configs: []replay.Config{config(t, "kocoro-head", "kocoro.admission=true")}, Alone: true}, sessions(t, 3), 1),
		"both": made(t, replay.Question{Configs: []replay.Config{config(t, "kocoro-head", "kocoro.admission=true"),
			config(t, "kocoro-head"), config(t, "kocoro-4ec6772", "kocoro.window=30"), config(t, "kocoro-4ec6772")}}, sessions(t, 3), 1),
	}
	for _, test := range []struct {
		ledger  string
		configs []replay.Config
		alone   bool
		want    string // "" if it is answered
	}{
		{"plain", []replay.Config{config(t, "kocoro-4ec6772", "kocoro/exact_duplicate.nudge=3", "kocoro/nudge_window.count=5")}, true, ""},
		{"plain", []replay.Config{config(t, "mimo-2026-09", "mimo/text_ngram_repeat.n=6", "mimo/text_ngram_repeat.threshold=30")}, true, ""},
		{"plain", []replay.Config{config(t, "mimo-2026-09", "mimo/text_ngram_repeat.threshold=19")}, true,
			"x.parquet: mimo/text_ngram_repeat was measured for n=4 table_exempt=false threshold=20 and not for n=4 table_exempt=false threshold=19, which needs more: " +
				"replay the transcripts with the lowest limits that will be asked about (--set …)"},
		{"plain", []replay.Config{config(t, "mimo-2026-09", "mimo/text_ngram_repeat.window=400")}, true,
			"mimo/text_ngram_repeat was measured with mimo/text_ngram_repeat.window=500, and mimo/text_ngram_repeat.window=400 changes what is measured: " +
				"replay the transcripts with --set mimo/text_ngram_repeat.window=400"},
		{"plain", []replay.Config{config(t, "kocoro-4ec6772"), config(t, "kocoro-4ec6772", "kocoro.window=30")}, false, "with kocoro.window=20, and kocoro.window=30"},
		{"plain", []replay.Config{config(t, "kocoro-2026-03")}, false, "changes what is measured"},
		{"plain", []replay.Config{config(t, "kocoro-head")}, false,
			"x.parquet: kocoro/before_stable_read_only was not measured: the ledger was made of kocoro-4ec6772, mimo-2026-09; replay the transcripts with a preset that has it"},
		{"low", []replay.Config{config(t, "mimo-2026-09")}, true, ""},
		{"low", []replay.Config{config(t, "mimo-2026-09", "mimo/thinking_streak.enabled=true")}, true, "mimo/thinking_streak.enabled=true changes what is measured"},
		{"low", []replay.Config{config(t, "mimo-2026-09", "mimo/text_ngram_repeat.n=2")}, true, "n=3 table_exempt=false threshold=8 and not for n=2"},
		{"admission", []replay.Config{config(t, "kocoro-head", "kocoro.admission=true")}, true, ""},
		{"admission", []replay.Config{config(t, "kocoro-head", "kocoro.admission=true", "kocoro/before_ping_pong.force=6")}, false,
			"sees depends on vetoes, so a ledger answers only for the settings it was made under"},
		{"admission", []replay.Config{config(t, "kocoro-head")}, false, "kocoro.admission=true, and kocoro.admission=false changes"},
		{"both", []replay.Config{config(t, "kocoro-head", "kocoro.admission=true"), config(t, "kocoro-4ec6772", "kocoro.window=30")}, false, ""},
		{"both", []replay.Config{config(t, "kocoro-head", "kocoro.admission=true")}, true, "depends on vetoes"},
		{"both", []replay.Config{config(t, "kocoro-4ec6772", "kocoro/exact_duplicate.nudge=2"), config(t, "kocoro-head")}, true, ""},
	} {
		err := asked(t, made[test.ledger], replay.Question{Configs: test.configs, Alone: test.alone})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s, %s %v: %v", test.ledger, test.configs[0].Preset.Name, test.configs[0].Set, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s, %s %v: %v, want %q", test.ledger, test.configs[0].Preset.Name, test.configs[0].Set, err, test.want)
		}
	}
}

// Where vetoes change what is seen, the very same question is answered as by the
// transcripts.
func TestClosedEqualsTranscripts(t *testing.T) {
	q := replay.Question{Configs: []replay.Config{config(t, "kocoro-head", "kocoro.admission=true", "kocoro/before_ping_pong.force=4", "kocoro/before_stable_web.force=3")}, Alone: true, DropOne: true}
	read := func() []*formats.Unit { return append(sessions(t, 15), vetoed(t)...) }
	data := made(t, q, read(), 0)
	want := run(t, &replay.Engine{Plan: newPlan(t, q)}, read())
	if d := diff(want, run(t, &replay.Engine{Plan: newPlan(t, q)}, opened(t, data))); d != "" {
		t.Errorf("(-transcripts +ledger) %s", d)
	}
	vetoes := 0
	for _, o := range want {
		for _, f := range o.Points[0].Fires {
			if f.Verdict == detectors.Block {
				vetoes++
			}
		}
	}
	if vetoes == 0 {
		t.Error("nothing is vetoed")
	}
}

// vetoed are the sessions of the detectors that veto.
func vetoed(t testing.TB) (list []*formats.Unit) {
	t.Helper()
	files := formats.Files{Paths: []string{"../../detectors/kocoro/testdata"}, Formats: []*formats.Format{script.Format}, Format: script.Format.Name}
	found, err := files.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(found.Close)
	for _, u := range found.Units {
		if strings.Contains(u.Session.Origin.File, "/before_") {
			list = append(list, u)
		}
	}
	return list
}

// A ledger that nothing can be read of any more says so and gives no transcript.
func TestNoTranscript(t *testing.T) {
	data := made(t, replay.Question{Configs: []replay.Config{config(t, "kocoro-4ec6772")}}, sessions(t, 1), 1)
	for _, err := range opened(t, data)[0].Read() {
		if err == nil || !strings.Contains(err.Error(), "x.parquet: a ledger holds what was measured and no transcript") {
			t.Errorf("steps: %v", err)
		}
	}
}

// No text of a session is in its ledger.
func TestNoText(t *testing.T) {
	var units []*formats.Unit
	for seed := range uint64(20) {
		units = append(units, random(seed))
	}
	data := made(t, replay.Question{Configs: []replay.Config{config(t, "kocoro-4ec6772"), config(t, "mimo-2026-09")}}, units, 1)
	words := map[string]bool{"agent": true, "m": true, "t": true, "done": true, "made": true, "completed": true,
		"session": true, "run": true, "step": true, "measure": true, "reminder": true,
		"request": true, "stream": true, "response": true, "pre": true, "post": true, "step_end": true}
	for _, d := range catalog.Detectors {
		words[d.Name] = true
	}
	for _, u := range units {
		words[u.Session.ID] = true
	}
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		defer rows.Close()
		for buf := make([]pq.Row, 100); ; {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				for _, v := range row {
					if v.Kind() != pq.ByteArray || v.IsNull() {
						continue
					}
					if seen++; !words[v.String()] && len(v.String()) != 64 { // a digest
						t.Errorf("the ledger holds %q", v.String())
					}
				}
			}
			if err != nil {
				break
			}
		}
	}
	if seen == 0 {
		t.Error("no words were looked at")
	}
}
