package ledger

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	pq "github.com/parquet-go/parquet-go"

	"groundhog/formats/native"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// rowsPerGroup and pageSize bound what is held while writing and reading.
const (
	rowsPerGroup = 100_000
	pageSize     = 1 << 20
)

// A Writer writes a ledger while a plan is replayed:
//
//	w, err := ledger.NewWriter(file, plan, splitter)
//	engine.Keeper = w.Keeper
//	… for each outcome, in order: w.Add(outcome)
//	w.Close()
//
// Keepers may be used from several goroutines, the rest from one.
type Writer struct {
	head   header
	meters [][]int // as in tape
	out    *pq.GenericWriter[any]
	places [][]int // by meter: columns of its values
	names  []string
	rows   []pq.Row
	sums   []native.Sum
}

// NewWriter begins a ledger of everything that a plan measures. splitter is the name
// of the splitter of text without recorded deltas.
func NewWriter(w io.Writer, plan *replay.Plan, splitter string) (*Writer, error) {
	l := &Writer{head: header{Tool: tool, Splitter: splitter}}
	for _, c := range plan.Configs {
		l.head.Presets = append(l.head.Presets, preset{c.Preset.Name, maps.Clone(c.Set)})
	}
	for _, m := range plan.Meters() {
		for len(l.meters) <= m.Panel {
			l.meters = append(l.meters, nil)
		}
		l.meters[m.Panel] = append(l.meters[m.Panel], l.add(m))
	}
	var measures []string
	measures, l.places = measureColumns(l.head.Meters)
	for _, c := range columns {
		l.names = append(l.names, c.Name)
	}
	l.names = append(l.names, measures...)
	l.out = pq.NewGenericWriter[any](w,
		schemaOf(measures),
		pq.MaxRowsPerRowGroup(rowsPerGroup),
		pq.PageBufferSize(pageSize),
		pq.DataPageVersion(1), // which compresses its levels too, so that damage to them is found
		pq.KeyValueMetadata(schemaKey, schema),
		pq.CreatedBy("groundhog", tool, ""),
	)
	return l, nil
}

// add adds the meter of a plan, unless another one measures the same; then it returns
// a number below 0.
func (l *Writer) add(m replay.Meter) int {
	own := meter{Detector: m.Detector.Name, Measures: m.Detector.Measures, Shape: m.Shape, Closed: m.Closed}
	if m.Detector.HasFloor() {
		own.Limits = m.Limits
	}
	for i, have := range l.head.Meters {
		if reflect.DeepEqual(have, own) {
			return -1 - i
		}
	}
	l.head.Meters = append(l.head.Meters, own)
	return len(l.head.Meters) - 1
}

// schemaOf is the schema of the fixed columns and one for each measure.
func schemaOf(measures []string) *pq.Schema {
	var fields []reflect.StructField
	add := func(name string, t reflect.Type, tag string) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("C", len(fields)), Type: t,
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional,%s,zstd"`, name, tag))})
	}
	for _, c := range columns {
		switch c.Class {
		case parquet.Words:
			add(c.Name, reflect.TypeFor[*string](), "dict")
		case parquet.Whole:
			add(c.Name, reflect.TypeFor[*int64](), "plain")
		case parquet.Number:
			add(c.Name, reflect.TypeFor[*float64](), "plain")
		case parquet.Truth:
			add(c.Name, reflect.TypeFor[*bool](), "plain")
		case parquet.Moment:
			add(c.Name, reflect.TypeFor[*int64](), "timestamp(nanosecond),plain")
		}
	}
	for _, name := range measures {
		add(name, reflect.TypeFor[*int64](), "plain")
	}
	return pq.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

// Keeper makes the Keeper of a session, for replay.Engine.
func (l *Writer) Keeper(s *transcript.Session) replay.Keeper {
	return &tape{meters: l.meters, digest: native.NewDigest(s)}
}

// Add writes what was kept of the next session. A session that was left out of the
// replay is only counted.
func (l *Writer) Add(o *replay.Outcome) (err error) {
	if o.Err != nil {
		l.head.LeftOut++
		return nil
	}
	t, ok := o.Keeper.(*tape)
	if !ok {
		return fmt.Errorf("session %s was not measured anew: a ledger is made of transcripts", o.Session.ID)
	}
	sum := native.Sum{Session: o.Session.ID, Content: t.digest.Sum(o.Session)}
	l.sums = append(l.sums, sum)
	l.head.Sessions++
	l.session(o, sum, t.rows)
	p := playback{buf: t.buf}
	for k, ok := p.next(); ok; k, ok = p.next() {
		l.step(o.Session.ID, k)
		if len(l.rows) >= 1024 {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	o.Keeper = nil
	return l.flush()
}

// Close completes the ledger. It does not close the file.
func (l *Writer) Close() (err error) {
	defer guard(&err)
	l.head.Corpus = native.CorpusDigest(l.sums)
	head, err := json.Marshal(l.head, json.Deterministic(true))
	if err != nil {
		return err
	}
	l.out.SetKeyValueMetadata(headerKey, string(head))
	return l.out.Close()
}

// guard turns a panic of the Parquet library into an error.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("writing the ledger: %v", r)
	}
}

func (l *Writer) flush() (err error) {
	defer guard(&err)
	_, err = l.out.WriteRows(l.rows)
	l.rows = l.rows[:0]
	return err
}

// A line is a row that is being filled in.
type line pq.Row

// row begins a row. The memory of rows is used again.
func (l *Writer) row(session, kind string) line {
	n := len(l.rows)
	l.rows = slices.Grow(l.rows, 1)[:n+1]
	if cap(l.rows[n]) < len(l.names) {
		l.rows[n] = make(pq.Row, len(l.names))
	}
	r := line(l.rows[n][:len(l.names)])
	l.rows[n] = pq.Row(r)
	for i := range r {
		r[i] = pq.NullValue().Level(0, 0, i)
	}
	r.word(cSession, session)
	r.word(cRow, kind)
	return r
}

func (r line) word(col int, s string) { r[col] = pq.ByteArrayValue([]byte(s)).Level(0, 1, col) }
func (r line) int(col int, n int64)   { r[col] = pq.Int64Value(n).Level(0, 1, col) }
func (r line) bool(col int, b bool)   { r[col] = pq.BooleanValue(b).Level(0, 1, col) }
func (r line) float(col int, f float64) {
	r[col] = pq.DoubleValue(f).Level(0, 1, col)
}

// known writes a word unless it is empty.
func (r line) known(col int, s string) {
	if s != "" {
		r.word(col, s)
	}
}

func (r line) time(col int, t time.Time) {
	if n, ok := nanos(t); ok {
		r.int(col, n)
	}
}

// session writes the row of a session, which rows others follow.
func (l *Writer) session(o *replay.Outcome, sum native.Sum, rows int64) {
	s := o.Session
	r := l.row(s.ID, rowSession)
	r.word(cContent, hex.EncodeToString(sum.Content[:]))
	r.int(cRows, rows)
	for _, w := range [...]struct {
		col  int
		text string
	}{
		{cFormat, s.Origin.Format}, {cFormatVersion, s.Origin.FormatVersion},
		{cAgent, s.Agent}, {cAgentVersion, s.AgentVersion}, {cModel, s.Model}, {cParent, s.Parent},
		{cTaskSet, s.Recorded.TaskSet}, {cTask, s.Recorded.Task}, {cTrial, s.Recorded.Trial},
		{cExitStatus, s.Recorded.ExitStatus}, {cEnd, string(s.End)},
	} {
		r.known(w.col, w.text)
	}
	if s.Recorded.Reward != nil {
		r.float(cReward, *s.Recorded.Reward)
	}
	if s.Recorded.Success != nil {
		r.bool(cSuccess, *s.Recorded.Success)
	}
	r.time(cStarted, s.Started)
	r.time(cEnded, s.Ended)
	for _, n := range numbers(o) {
		r.int(n.col, int64(*n.value))
	}
	r.int(cInputs, int64(o.Inputs))
}

// A number is a number of an outcome that does not follow from what is kept of its
// steps, with the column it is in.
type number struct {
	col   int
	value *int
}

func numbers(o *replay.Outcome) []number {
	return []number{
		{cErrors, &o.Errors},
		{cInferred, &o.Inferred},
		{cMissing, &o.Missing},
		{cNotRun, &o.NotRun},
		{cAttempts, &o.Attempts},
		{cDeltasRecorded, &o.Deltas.Recorded},
		{cDeltasMade, &o.Deltas.Reconstructed},
		{cContextSteps, &o.Context},
		{cBadRecords, &o.BadRecords},
	}
}

// step writes the rows of a step, whose measurements have their meter in Panel.
func (l *Writer) step(session string, k *replay.Kept) {
	begin := func(kind string, p transcript.Pos) line {
		r := l.row(session, kind)
		r.int(cLane, int64(k.Lane))
		r.bool(cContext, k.Context)
		r.int(cRun, int64(p.Run))
		r.int(cStep, int64(p.Step))
		r.int(cCall, int64(p.Call))
		r.int(cLine, int64(p.Line))
		return r
	}
	if k.Begins {
		begin(rowRun, k.Begin)
	}
	if k.Reminded {
		begin(rowReminder, k.Reminder)
	}
	if !k.Ends {
		return
	}
	r := begin(rowStep, k.End)
	r.int(cCalls, int64(k.Calls))
	if u := k.Usage; u.Known {
		r.int(cTokIn, u.Input)
		r.int(cTokOut, u.Output)
		r.int(cTokReasoning, u.Reasoning)
		r.int(cTokCacheRead, u.CacheRead)
		r.int(cTokCacheWrite, u.CacheWrite)
		r.float(cCost, u.Cost)
	}
	r.time(cTS, k.Time)
	for i := range k.Measured {
		m := &k.Measured[i]
		r := begin(rowMeasure, m.Pos)
		r.int(cMeter, int64(m.Panel))
		r.word(cDetector, l.head.Meters[m.Panel].Detector)
		r.word(cPhase, phaseWord(m.Kind))
		if m.Kind == transcript.Streamed {
			r.int(cDelta, int64(m.Pos.Delta))
			r.int(cPart, int64(m.Part))
			r.int(cOffset, int64(m.Offset))
			r.bool(cRecorded, m.Recorded)
		}
		for j, n := range m.Values {
			r.int(l.places[m.Panel][j], n)
		}
	}
}
