package parquet_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/parquet"
	"groundhog/replay/transcript"
)

// small is a corpus of three sessions in which every kind of row occurs.
func small() (list []recording) {
	for _, name := range []string{"a", "b", "c"} {
		r := recording{Session: &transcript.Session{ID: name, Agent: "agent", Model: "m"}}
		r.Steps = append(r.Steps, &transcript.Step{Kind: transcript.Prompt, Parts: []transcript.Part{{Text: "fix the test of " + name}}})
		for i := range 4 {
			r.Steps = append(r.Steps, &transcript.Step{
				ID: fmt.Sprint(name, i), Model: "m", Attempts: []transcript.Attempt{{N: 1, Status: 529, Type: "overloaded_error", Delay: 500, RetryAfter: -1}},
				Parts: []transcript.Part{{Kind: transcript.Thinking, Text: "hm"}, {Text: "Looking."}},
				Calls: []transcript.Call{
					{ID: "c", Tool: "bash", Args: `{"command":"go test ./..."}`, Took: -1, Result: transcript.Result{Status: transcript.ResultError, Text: strings.Repeat("FAIL ", 30)}},
					{ID: "d", Tool: "read", Args: `{"path":"a.go"}`, Took: -1},
				},
			})
		}
		r.Steps = append(r.Steps, &transcript.Step{Kind: transcript.Compaction})
		list = append(list, r)
	}
	return list
}

// corpusOf writes a corpus and gives its folder.
func corpusOf(t testing.TB, list []recording) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, list)
	return dir
}

// rewrite writes events.parquet anew, with other fields and other rows. Fields
// are copied by the name of the column, as far as types agree.
func rewrite(t testing.TB, fields func([]reflect.StructField) []reflect.StructField, rows func([]parquet.EventRow) []parquet.EventRow, options ...pq.WriterOption) string {
	t.Helper()
	dir := corpusOf(t, small())
	name := filepath.Join(dir, parquet.EventsFile)
	list, err := pq.ReadFile[parquet.EventRow](name)
	if err != nil {
		t.Fatal(err)
	}
	if rows != nil {
		list = rows(list)
	}
	shape := reflect.VisibleFields(reflect.TypeFor[parquet.EventRow]())
	if fields != nil {
		shape = fields(shape)
	}
	for i := range shape {
		shape[i].Index, shape[i].Offset = nil, 0
	}
	row := reflect.StructOf(shape)
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := pq.NewWriter(f, append(options, pq.SchemaOf(reflect.New(row).Interface()))...)
	for i := range list {
		from, to := reflect.ValueOf(&list[i]).Elem(), reflect.New(row)
		for j := range row.NumField() {
			if v := from.FieldByName(row.Field(j).Name); v.IsValid() && v.Type().AssignableTo(row.Field(j).Type) {
				to.Elem().Field(j).Set(v)
			}
		}
		if err := w.Write(to.Interface()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func without(name string) func([]reflect.StructField) []reflect.StructField {
	return func(list []reflect.StructField) []reflect.StructField {
		return slices.DeleteFunc(list, func(f reflect.StructField) bool { return strings.HasPrefix(f.Tag.Get("parquet"), name+",") })
	}
}

// as gives a column another type.
func as[T any](name string) func([]reflect.StructField) []reflect.StructField {
	return func(list []reflect.StructField) []reflect.StructField {
		for i := range list {
			if strings.HasPrefix(list[i].Tag.Get("parquet"), name+",") {
				list[i].Type = reflect.TypeFor[T]()
				list[i].Tag = reflect.StructTag(`parquet:"` + name + `"`)
			}
		}
		return list
	}
}

// codec compresses all columns with another codec.
func codec(name string) func([]reflect.StructField) []reflect.StructField {
	return func(list []reflect.StructField) []reflect.StructField {
		for i := range list {
			list[i].Tag = reflect.StructTag(strings.Replace(string(list[i].Tag), "zstd", name, 1))
		}
		return list
	}
}

// nullable lets every column be null.
func nullable(list []reflect.StructField) []reflect.StructField {
	for i := range list {
		if list[i].Type.Kind() != reflect.Pointer {
			list[i].Type = reflect.PointerTo(list[i].Type)
		}
	}
	return list
}

// outcome is what reading a folder leads to: sessions with their number of
// steps, and every error.
func outcome(t testing.TB, dir string) string {
	t.Helper()
	found := find(t, dir, parquet.Format)
	var out []string
	for _, u := range found.Units {
		steps := 0
		for _, err := range u.Steps() {
			if err != nil {
				out = append(out, u.Session.ID+": "+err.Error())
				continue
			}
			steps++
		}
		out = append(out, fmt.Sprintf("%s: %d steps", u.Session.ID, steps))
	}
	for _, s := range found.Skipped {
		out = append(out, s.Why)
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), filepath.ToSlash(dir)+"/", "")
}

const whole = "a: 6 steps\nb: 6 steps\nc: 6 steps"

func TestDamage(t *testing.T) {
	events := func(change func([]byte) []byte) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := corpusOf(t, small())
			name := filepath.Join(dir, parquet.EventsFile)
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, change(data), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	table := func(fields func([]reflect.StructField) []reflect.StructField, rows func([]parquet.EventRow) []parquet.EventRow, options ...pq.WriterOption) func(t *testing.T) string {
		return func(t *testing.T) string { return rewrite(t, fields, rows, options...) }
	}
	edit := func(change func(i int, r *parquet.EventRow)) func([]parquet.EventRow) []parquet.EventRow {
		return func(list []parquet.EventRow) []parquet.EventRow {
			for i := range list {
				change(i, &list[i])
			}
			return list
		}
	}
	page := func(column string, last bool) func(t *testing.T) string {
		return events(func(data []byte) []byte {
			f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				panic(err)
			}
			leaf := f.Root().Column(column).Index()
			meta := f.Metadata().RowGroups[0].Columns[leaf].MetaData
			start := meta.DataPageOffset
			if dict := meta.DictionaryPageOffset; dict > 0 && !last {
				start = dict - meta.TotalCompressedSize + meta.DataPageOffset - dict // the last bytes of the dictionary
			} else if dict > 0 {
				start = dict
			}
			data[start+meta.TotalCompressedSize-2] ^= 0x55
			return data
		})
	}
	for _, test := range []struct {
		name string
		dir  func(t *testing.T) string
		want string // all of it, or the parts around "…"
	}{
		{"nothing", events(func(b []byte) []byte { return b }), whole},
		{"cut in the middle", events(func(b []byte) []byte { return b[:len(b)/2] }), "damaged Parquet: the file does not end in a footer: it may be cut off"},
		{"cut in the footer", events(func(b []byte) []byte { return b[:len(b)-100] }), "damaged Parquet: the file does not end in a footer: it may be cut off"},
		{"only the magic", events(func(b []byte) []byte { return b[:4] }), "damaged Parquet: …"},
		{"a byte of the footer", events(func(b []byte) []byte { b[len(b)-300] ^= 0xff; return b }), "damaged Parquet: …"},
		{"a footer longer than the file", events(func(b []byte) []byte { copy(b[len(b)-8:], "\xff\xff\xff\x0f"); return b }), "damaged Parquet: the footer cannot be read: …"},
		{"a page that finding reads", page("seq", true), "damaged Parquet: column seq, row group 0: crc32 checksum mismatch…"},
		{"a page that only steps read", page("result", true), "a: events.parquet: damaged Parquet: column result, row group 0: crc32 checksum mismatch…a: 0 steps…c: 0 steps"},
		{"a dictionary", page("tool", false), "a: events.parquet: damaged Parquet: column tool, row group 0: …"},
		{"a page of a dictionary", page("tool", true), "a: events.parquet: damaged Parquet: column tool, row group 0: crc32 checksum mismatch…"},
		{"another table", func(t *testing.T) string {
			return filepath.Dir(writeRows(t, []struct {
				SessionID string `parquet:"session_id"`
				Seq       int32  `parquet:"seq"`
			}{{"a", 1}}))
		}, "column step is missing: events.parquet of transcript.schema 1 has it"},
		{"LZ4_RAW", table(codec("lz4"), nil), "column session_id is compressed with LZ4_RAW, which is not read: write the file with zstd or snappy"},
		{"another codec", table(codec("gzip"), nil), whole},
		{"a column is missing", table(without("tool"), nil), "column tool is missing: events.parquet of transcript.schema 1 has it"},
		{"a column that is not read is missing", table(without("args_hash"), nil), "column args_hash is missing: events.parquet of transcript.schema 1 has it"},
		{"a number for a string", table(as[int64]("tool"), nil), "column tool holds INT(64,true): expected a string"},
		{"a string for a number", table(as[string]("seq"), nil), "column seq holds STRING: expected an integer"},
		{"a string for a boolean", table(as[*string]("is_error"), nil), "column is_error holds STRING: expected a boolean"},
		{"a number for a timestamp", table(as[*int64]("ts"), nil), "column ts holds INT(64,true): expected a timestamp"},
		{"a list", table(as[[]string]("args"), nil), "column args is nested: expected a string"},
		{"wider numbers", table(as[int64]("step"), edit(func(int, *parquet.EventRow) {})), "a: …"},
		{"no kinds", table(as[*string]("kind"), nil), "a: events.parquet:1: kind is null…"},
		{"nulls everywhere", table(nullable, nil), "row 1: session_id is null"},
		{"a kind nobody knows", table(nil, edit(func(i int, r *parquet.EventRow) {
			if i == 2 {
				r.Kind = "robot"
			}
		})), `a: events.parquet:3: row of kind "robot": expected user, assistant, call, attempt, compaction or note…a: …`},
		{"more that is no JSON", table(nil, edit(func(i int, r *parquet.EventRow) {
			if i == 0 {
				r.More = ref("{")
			}
		})), "a: events.parquet:1: more: …"},
		{"parts that are not there", table(nil, edit(func(i int, r *parquet.EventRow) {
			if i == 0 {
				r.More = ref(`{"parts":[{"ch":"text","n":999}]}`)
			}
		})), "a: events.parquet:1: more: parts go beyond the text…"},
		{"sessions in another order", table(nil, func(l []parquet.EventRow) []parquet.EventRow {
			slices.SortStableFunc(l, func(a, b parquet.EventRow) int { return strings.Compare(b.SessionID, a.SessionID) })
			return l
		}), whole},
		{"sessions row by row in turn", table(nil, func(l []parquet.EventRow) []parquet.EventRow {
			slices.SortStableFunc(l, func(a, b parquet.EventRow) int { return int(a.Seq - b.Seq) })
			return l
		}, pq.MaxRowsPerRowGroup(7)), whole},
		{"rows of a session in another order", table(nil, func(l []parquet.EventRow) []parquet.EventRow { slices.Reverse(l); return l }, pq.MaxRowsPerRowGroup(20)),
			"events.parquet:2: session c: seq 16 after 17: the rows of a session must be in order of seq (ORDER BY session_id, seq)…session b…session a…"},
		{"a seq twice", table(nil, edit(func(i int, r *parquet.EventRow) {
			if i == 4 {
				r.Seq--
			}
		})), "b: 6 steps\nc: 6 steps\nevents.parquet:5: session a: seq 3 after 3: …"},
		{"a newer schema", table(nil, nil, pq.KeyValueMetadata("transcript.schema", "2")), `transcript.schema is "2": this build reads 1`},
		{"no rows", table(nil, func([]parquet.EventRow) []parquet.EventRow { return nil }), "a: 0 steps\nb: 0 steps\nc: 0 steps"},
		{"no events", func(t *testing.T) string {
			dir := corpusOf(t, small())
			os.Remove(filepath.Join(dir, parquet.EventsFile))
			return dir
		}, "sessions without their events: expected events.parquet in the same folder"},
		{"no sessions", func(t *testing.T) string {
			dir := corpusOf(t, small())
			os.Remove(filepath.Join(dir, parquet.SessionsFile))
			return dir
		}, whole},
		{"damaged sessions", func(t *testing.T) string {
			dir := corpusOf(t, small())
			os.WriteFile(filepath.Join(dir, parquet.SessionsFile), []byte("PAR1 and no more"), 0o644)
			return dir
		}, "sessions.parquet beside it: damaged Parquet: the file does not end in a footer: it may be cut off\ndamaged Parquet: …"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := outcome(t, test.dir(t))
			rest, ok := got, true
			for i, part := range strings.Split(test.want, "…") {
				at := strings.Index(rest, part)
				if at < 0 || i == 0 && at > 0 {
					ok = false
					break
				}
				rest = rest[at+len(part):]
			}
			if !ok || rest != "" && !strings.HasSuffix(test.want, "…") {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// No byte of a file can change unseen: reading gives an error, or all that was
// written. (Statistics and the like may be wrong; they are not read.)
func TestFlippedBytes(t *testing.T) {
	var sessions, events bytes.Buffer
	w := parquet.NewWriter(&sessions, &events)
	want := small()[:1]
	for _, r := range want {
		w.Begin(r.Session)
		for _, s := range r.Steps[:3] {
			w.Step(s)
		}
		w.End(r.Session)
	}
	w.Close()
	const stride = 23 // 1 takes half a minute, and passed on 2026-11-30
	read := func(data []byte) (out string, failed bool) {
		for u, err := range parquet.Format.Find(formattest.File(string(data)), formats.Options{}) {
			if err != nil {
				return "", true
			}
			out += u.Session.ID
			for s, err := range u.Steps() {
				if err != nil {
					return "", true
				}
				out += fmt.Sprintf("%+v", *s)
				for i := range s.Calls {
					out += fmt.Sprintf("%+v", s.Calls[i])
				}
			}
		}
		return out, false
	}
	good, _ := read(events.Bytes())
	for i := 0; i < events.Len(); i += stride {
		data := bytes.Clone(events.Bytes())
		data[i] ^= 0x11
		if got, failed := read(data); !failed && got != good {
			t.Errorf("byte %d of %d changed, and what is read:\n%s\nwas\n%s", i, len(data), got, good)
		}
	}
}

// seeds are small files of each kind.
func seeds() (list [][]byte) {
	var sessions, events, nested bytes.Buffer
	w := parquet.NewWriter(&sessions, &events)
	for _, r := range small()[:1] {
		w.Begin(r.Session)
		for _, s := range r.Steps[:2] {
			w.Step(s)
		}
		w.End(r.Session)
	}
	w.Close()
	rows, _ := trajectories(3)
	n := pq.NewGenericWriter[trajectory](&nested)
	n.Write(rows)
	n.Close()
	return [][]byte{events.Bytes(), sessions.Bytes(), nested.Bytes()}
}

// drain reads all that a file has.
func drain(t *testing.T, data []byte) {
	t.Helper()
	for u, err := range parquet.Format.Find(formattest.File(string(data)), formats.Options{MaxRecord: 1 << 20}) {
		if (u == nil) == (err == nil) {
			t.Fatalf("unit %v, error %v", u, err)
		}
		if u == nil {
			continue
		}
		for s, err := range u.Steps() {
			if (s == nil) == (err == nil) {
				t.Fatalf("step %v, error %v", s, err)
			}
		}
	}
}

// A damaged file cannot ask for memory that has no relation to its size.
func TestMutantsAreCheap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := seeds()
	for range 1000 { // 40,000 were tried
		data := bytes.Clone(list[r.IntN(len(list))])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data))
			if r.IntN(2) == 0 {
				at = len(data) - 1 - r.IntN(min(3000, len(data))) // the footer
			}
			data[at] = [...]byte{byte(r.IntN(256)), data[at] ^ 1<<r.IntN(8), 0x7f, 0xff}[r.IntN(4)]
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		drain(t, data)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("a file of %d bytes took %d MiB", len(data), n>>20)
		}
	}
}

// Whatever is wrong with a file, reading it ends, with sessions or with errors.
func FuzzFind(f *testing.F) {
	for _, data := range seeds() {
		f.Add(data)
	}
	f.Fuzz(drain)
}
