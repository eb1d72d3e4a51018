package parquet_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/parquet"
	"groundhog/replay/transcript"
)

// required are the columns of the schema, in order.
const required = `session_id seq step turn call_index kind lane ts ts_end tool args_hash result_hash result_norm_hash text_hash
	args_bytes result_bytes text_bytes reasoning_bytes is_error error_inferred exit_code duration_ms result_missing finish
	tok_in tok_out tok_reasoning tok_cache_read tok_cache_write cost_usd attempt http_status delay_ms retry_after_ms error_type outcome
	call_id message_id args result text reasoning error_text more`

const requiredOfSessions = `transcript_id source_type source_id source_uri date task_set task_id task_repeat agent agent_args model model_options
	score success message_count total_time total_tokens error limit
	parent_session_id agent_version provider format format_version started_at ended_at end steps calls errors missing_results attempts bytes warnings more`

// The files are laid out as the schema says.
func TestLayout(t *testing.T) {
	dir := corpusOf(t, small())
	for name, want := range map[string]string{parquet.EventsFile: required, parquet.SessionsFile: requiredOfSessions} {
		f := openFile(t, filepath.Join(dir, name))
		if v, _ := f.Lookup("transcript.schema"); v != "1" {
			t.Errorf("%s: transcript.schema is %q", name, v)
		}
		var names []string
		for _, c := range f.Root().Columns() {
			names = append(names, c.Name())
			meta := f.Metadata().RowGroups[0].Columns[c.Index()].MetaData
			if meta.Codec != format.Zstd {
				t.Errorf("%s: %s is compressed with %v", name, c.Name(), meta.Codec)
			}
			for _, e := range meta.Encoding {
				if e != format.Plain && e != format.RLE && e != format.RLEDictionary {
					t.Errorf("%s: %s is encoded with %v", name, c.Name(), e)
				}
			}
			dict := meta.DictionaryPageOffset > 0
			if want := strings.Contains(" session_id kind lane tool finish error_type outcome ", " "+c.Name()+" "); name == parquet.EventsFile && dict != want {
				t.Errorf("%s: %s has a dictionary: %v", name, c.Name(), dict)
			}
			if s := meta.Statistics; strings.Contains(" session_id tool is_error ", " "+c.Name()+" ") && (s.MinValue == nil || s.MaxValue == nil) {
				t.Errorf("%s: %s has no bounds", name, c.Name())
			}
		}
		if diff := cmp.Diff(strings.Fields(want), names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if ts := openFile(t, filepath.Join(dir, parquet.EventsFile)).Root().Column("ts").Type().String(); ts != "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)" {
		t.Errorf("ts is %s", ts)
	}
}

func openFile(t *testing.T, name string) *pq.File {
	t.Helper()
	data := readFile(t, name)
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// many is a corpus of n sessions with calls calls each, whose results have size
// bytes. It is made as it is asked for.
func many(n, calls, size int, yield func(*transcript.Session, []*transcript.Step)) {
	for i := range n {
		s := &transcript.Session{ID: fmt.Sprintf("s%06d", i)}
		var steps []*transcript.Step
		for j := range calls {
			steps = append(steps, &transcript.Step{ID: fmt.Sprintf("%d-%d", i, j), Calls: []transcript.Call{{
				Tool: "bash", Args: fmt.Sprintf(`{"n":%d}`, j), Took: -1,
				Result: transcript.Result{Status: transcript.ResultOK, Text: strings.Repeat(string(rune('a'+(i+j)%26)), size)},
			}}})
		}
		yield(s, steps)
	}
}

func writeMany(t *testing.T, n, calls, size int) *formats.File {
	t.Helper()
	var events bytes.Buffer
	w := parquet.NewWriter(io.Discard, &events)
	many(n, calls, size, func(s *transcript.Session, steps []*transcript.Step) {
		w.Begin(s)
		for _, step := range steps {
			if err := w.Step(step); err != nil {
				t.Fatal(err)
			}
		}
		w.End(s)
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return formattest.File(events.String())
}

func units(t *testing.T, f *formats.File) (list []*formats.Unit) {
	t.Helper()
	for u, err := range parquet.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// Row groups are bounded by rows, and by bytes where rows are large. Sessions
// that lie in two of them are read whole, by many readers at a time.
func TestRowGroups(t *testing.T) {
	for _, test := range []struct{ sessions, calls, size int }{{2, 26_000, 1}, {20, 5, 1 << 20}} {
		t.Run(fmt.Sprintf("%d bytes a result", test.size), func(t *testing.T) {
			f := writeMany(t, test.sessions, test.calls, test.size)
			r, _ := f.Open()
			file, err := pq.OpenFile(r, f.Size)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(file.RowGroups()); n < 2 {
				t.Errorf("%d row groups", n)
			}
			for i, g := range file.Metadata().RowGroups {
				if g.NumRows > 100_000 || g.TotalByteSize > 64<<20 {
					t.Errorf("row group %d has %d rows, %d bytes", i, g.NumRows, g.TotalByteSize)
				}
			}
			list := units(t, f)
			if len(list) != test.sessions {
				t.Fatalf("%d sessions", len(list))
			}
			var wg sync.WaitGroup
			for i, u := range list {
				wg.Go(func() {
					j := 0
					for s, err := range u.Steps() {
						if err != nil {
							t.Error(err)
							return
						}
						want := strings.Repeat(string(rune('a'+(i+j)%26)), test.size)
						if s.ID != fmt.Sprintf("%d-%d", i, j) || len(s.Calls) != 1 || s.Calls[0].Result.Text != want {
							t.Errorf("session %d step %d: %s", i, j, s.ID)
							return
						}
						j++
					}
					if j != test.calls {
						t.Errorf("session %d: %d steps", i, j)
					}
				})
			}
			wg.Wait()
		})
	}
}

// Memory follows the pages in use and not the file.
func TestMemory(t *testing.T) {
	f := writeMany(t, 80, 10, 256<<10) // 200 MiB of results
	var peak uint64
	var m runtime.MemStats
	for range 3 { // pools let go of their memory at the second
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	for _, u := range units(t, f) {
		n := 0
		for _, err := range u.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 10 {
			t.Fatalf("%d steps", n)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}
	if n := int64(peak) - int64(base); n > 48<<20 {
		t.Errorf("%d MiB in use", n>>20)
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d MiB in use, %d MiB after the last session", (int64(peak)-int64(base))>>20, (int64(m.HeapAlloc)-int64(base))>>20)
}
