package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"groundhog/formats"
	"groundhog/replay"
)

// drain reads a ledger and replays it. A mistake in the file is an error; a panic
// of a detector would come out as an internal error.
func drain(t testing.TB, data []byte, plan *replay.Plan) (errs []error) {
	t.Helper()
	var units []*formats.Unit
	for u, err := range format.Find(memory(data), formats.Options{}) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if u.Past != nil {
			units = append(units, u)
		}
	}
	err := (&replay.Engine{Plan: plan, Workers: 1}).Run(context.Background(), units, func(o *replay.Outcome) error {
		if o.Err != nil {
			errs = append(errs, o.Err)
		}
		return nil
	})
	var internal *replay.InternalError
	if errors.As(err, &internal) {
		t.Fatal(err)
	}
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

func few(t testing.TB) ([]byte, *replay.Plan) {
	t.Helper()
	q := replay.Question{Configs: []replay.Config{config(t, "kocoro-4ec6772"), config(t, "mimo-2026-09")}}
	return made(t, q, []*formats.Unit{random(1), random(2)}, 1), newPlan(t, q)
}

// Bytes that change on the way, and ends that are cut off, are errors or change
// numbers; nothing panics, hangs or takes memory that is not there.
func TestDamage(t *testing.T) {
	data, plan := few(t)
	if errs := drain(t, data, plan); errs != nil {
		t.Fatalf("undamaged: %v", errs)
	}
	r := rand.New(rand.NewPCG(1, 2))
	seen := 0
	for i := 0; i < len(data); i += 1 + r.IntN(150) {
		harmed := bytes.Clone(data)
		harmed[i] ^= byte(1 << r.IntN(8))
		if len(drain(t, harmed, plan)) > 0 {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no damage was seen")
	}
	for n := 0; n < len(data); n += 1 + r.IntN(2000) {
		errs := drain(t, data[:n], plan)
		if len(errs) == 0 {
			t.Errorf("%d of %d bytes are read without a complaint", n, len(data))
		}
	}
}

func FuzzLedger(f *testing.F) {
	q := replay.Question{Configs: []replay.Config{config(f, "mimo-2026-09")}}
	data, plan := made(f, q, []*formats.Unit{random(4)}, 1), newPlan(f, q)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) { drain(t, data, plan) })
}

// rewritten is a ledger with other rows or metadata, as another program might
// leave it.
func rewritten(t testing.TB, data []byte, change func(rows []pq.Row) []pq.Row, meta map[string]string) []byte {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var rows []pq.Row
	for _, g := range f.RowGroups() {
		in := g.Rows()
		for buf := make([]pq.Row, 64); ; {
			n, err := in.ReadRows(buf)
			for _, row := range buf[:n] {
				rows = append(rows, row.Clone())
			}
			if err != nil {
				break
			}
		}
		in.Close()
	}
	if change != nil {
		rows = change(rows)
	}
	var out bytes.Buffer
	options := []pq.WriterOption{f.Schema()}
	for _, kv := range f.Metadata().KeyValueMetadata {
		v, ok := meta[kv.Key]
		if !ok {
			v = kv.Value
		}
		if v != "" {
			options = append(options, pq.KeyValueMetadata(kv.Key, v))
		}
	}
	w := pq.NewGenericWriter[any](&out, options...)
	if _, err := w.WriteRows(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// set changes one column of every row of a kind.
func set(data []byte, kind, column string, v pq.Value) func([]pq.Row) []pq.Row {
	f, _ := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	at := f.Root().Column(column).Index()
	row := f.Root().Column("row").Index()
	level := 1
	if v.IsNull() {
		level = 0
	}
	return func(rows []pq.Row) []pq.Row {
		for _, r := range rows {
			if r[row].String() == kind && (column != "m_calls" || !r[at].IsNull()) {
				r[at] = v.Level(0, level, at)
			}
		}
		return rows
	}
}

// What is no ledger of ours, or one that somebody edited, is refused in words.
func TestForeign(t *testing.T) {
	data, plan := few(t)
	for _, test := range []struct {
		name   string
		change func([]pq.Row) []pq.Row
		meta   map[string]string
		want   string
	}{
		{"as it is", nil, nil, ""},
		{"another schema", nil, map[string]string{"ledger.schema": "2"}, `x.parquet: the ledger cannot be read: ledger.schema is "2": this build reads 1`},
		{"no header", nil, map[string]string{"ledger.header": ""}, "ledger.header is missing"},
		{"a header that is no JSON", nil, map[string]string{"ledger.header": "{"}, "ledger.header: "},
		{"an empty header", nil, map[string]string{"ledger.header": "{}"}, `measured by version "" of the detectors`},
		{"a header of another ledger", nil, map[string]string{"ledger.header": `{"tool":"1","meters":[{"detector":"x/y","measures":["no_such"]}]}`}, "column m_no_such is missing: ledger.schema 1 has it"},
		{"a session is missing", func(rows []pq.Row) []pq.Row { return rows[:len(rows)/2] }, nil, "parts of it are missing or from elsewhere"},
		{"sorted anew", func(rows []pq.Row) []pq.Row { return append(rows[1:], rows[0]) }, nil, "expected its session row first"},
		{"twice", func(rows []pq.Row) []pq.Row { return append(rows, rows...) }, nil, "session random-001 stands there twice"},
		{"no digest", set(data, "session", "content_sha256", pq.ByteArrayValue([]byte("ab"))), nil, "is no SHA-256"},
		{"negative errors", set(data, "session", "errors", pq.Int64Value(-1)), nil, "errors is -1: expected a number from 0 to 2147483647"},
		{"a step before the first", set(data, "step", "step", pq.Int64Value(-5)), nil, "step is -5"},
		{"too many calls", set(data, "step", "calls", pq.Int64Value(1<<40)), nil, "calls is 1099511627776"},
		{"another kind of row", set(data, "step", "row", pq.ByteArrayValue([]byte("leap"))), nil, `row of kind "leap"`},
		{"no step", set(data, "step", "row", pq.ByteArrayValue([]byte("run"))), nil, "a measurement outside a step"},
		{"no such meter", set(data, "measure", "meter", pq.Int64Value(1000)), nil, "meter 1000: the header has"},
		{"no such phase", set(data, "measure", "phase", pq.ByteArrayValue([]byte("later"))), nil, `phase "later"`},
		{"no number", set(data, "measure", "m_calls", pq.NullValue()), nil, "lacks m_calls"},
		{"a huge number", set(data, "measure", "m_calls", pq.Int64Value(1<<62)), nil, ""}, // it fits, and is judged
	} {
		errs := drain(t, rewritten(t, data, test.change, test.meta), plan)
		switch {
		case test.want == "" && len(errs) > 0:
			t.Errorf("%s: %v", test.name, errs)
		case test.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, errs, test.want)
		}
	}
}
