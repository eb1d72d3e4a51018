package duckdb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"groundhog/corpus"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/native"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// open starts DuckDB in a folder: the queries name files as a user would.
func open(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	run(t, db, "set file_search_path='"+dir+"'")
	return db
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// rows are the rows of a result, a line each.
func rows(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	r, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer r.Close()
	names, err := r.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		values, to := make([]any, len(names)), make([]any, len(names))
		for i := range to {
			to[i] = &values[i]
		}
		if err := r.Scan(to...); err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimSpace(fmt.Sprintln(values...)))
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// A recording is a decoded session.
type recording struct {
	Session *transcript.Session
	Steps   []*transcript.Step
}

func decode(t *testing.T, units []*formats.Unit) (list []recording) {
	t.Helper()
	for _, u := range units {
		r := recording{Session: u.Session}
		for s, err := range u.Steps() {
			if err != nil {
				t.Fatalf("session %s: %v", u.Session.ID, err)
			}
			r.Steps = append(r.Steps, s)
		}
		list = append(list, r)
	}
	return list
}

// write writes sessions as Parquet into a new folder.
func write(t *testing.T, list []recording) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var files []*os.File
	for _, name := range []string{parquet.SessionsFile, parquet.EventsFile} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	w := parquet.NewWriter(files[0], files[1])
	for _, r := range list {
		if err := w.Begin(r.Session); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Steps {
			if err := w.Step(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(r.Session); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func find(t *testing.T, path string, format *formats.Format) []*formats.Unit {
	t.Helper()
	files := &formats.Files{Paths: []string{path}, Formats: []*formats.Format{format}}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(found.Close)
	if len(found.Skipped) > 0 {
		t.Fatalf("skipped: %+v", found.Skipped)
	}
	return found.Units
}

func demo(t *testing.T) []*formats.Unit {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	return found.Units
}

var sameSession = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" || p.Last().String() == ".Origin" }, cmp.Ignore()),
}

// counted are sessions, calls and errors as the program counts them.
func counted(t *testing.T, units []*formats.Unit) (sessions, calls, errors int) {
	t.Helper()
	plan, err := replay.NewPlan(replay.Question{Configs: []replay.Config{{Preset: catalog.Presets[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	e := &replay.Engine{Plan: plan}
	err = e.Run(t.Context(), units, func(o *replay.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		sessions, calls, errors = sessions+1, calls+o.Calls, errors+o.Errors
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sessions, calls, errors
}

// repeats counts, by recorded outcome, the sessions with three identical calls
// in a row and the same result each time: the query threeInARow in Go,
// from the recording itself. equal compares results.
func repeats(list []recording, equal func(a, b string) bool) []string {
	count := make(map[string]int)
	for _, r := range list {
		lanes := make(map[string][]*transcript.Call)
		found := false
		for _, s := range r.Steps {
			for i := range s.Calls {
				lane := append(lanes[s.Lane], &s.Calls[i])
				lanes[s.Lane] = lane
				if n := len(lane); n >= 3 && same(lane[n-3], lane[n-2], equal) && same(lane[n-2], lane[n-1], equal) {
					found = true
				}
			}
		}
		if found {
			outcome := "<nil>"
			if r.Session.Recorded.Success != nil {
				outcome = fmt.Sprint(*r.Session.Recorded.Success)
			}
			count[outcome]++
		}
	}
	var out []string
	for outcome, n := range count {
		out = append(out, fmt.Sprint(outcome, " ", n))
	}
	slices.Sort(out)
	return out
}

func same(a, b *transcript.Call, equal func(a, b string) bool) bool {
	return a.Tool == b.Tool && a.Args == b.Args && a.Result.Status != transcript.ResultMissing && b.Result.Status != transcript.ResultMissing &&
		equal(a.Result.Text, b.Result.Text)
}

func exactly(a, b string) bool { return a == b }

// roughly compares texts after what hash.go of formats/parquet says, in other
// words: regular expressions.
func roughly(a, b string) bool { return normal(a) == normal(b) }

var (
	words   = regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b|[0-9A-Za-z]+`)
	id      = regexp.MustCompile(`^(?:[0-9A-Fa-f]{8,}|.*-.*)$`)
	digits  = regexp.MustCompile(`[0-9]+`)
	letters = regexp.MustCompile(`[A-Za-z]`)
	blanks  = regexp.MustCompile(`[ \t-\r]+`)
)

func normal(s string) string {
	return words.ReplaceAllStringFunc(strings.Trim(blanks.ReplaceAllString(s, " "), " "), func(w string) string {
		if id.MatchString(w) && digits.MatchString(w) && letters.MatchString(w) || strings.Contains(w, "-") {
			return "#"
		}
		return digits.ReplaceAllString(w, "0")
	})
}

// Queries that users of the Parquet tables can start from.
const (
	threeInARow = `with c as (select *, lag(args_hash,1) over w a1, lag(args_hash,2) over w a2, lag(result_norm_hash,1) over w r1, lag(result_norm_hash,2) over w r2,
                  lag(tool,1) over w t1, lag(tool,2) over w t2
           from 'events.parquet' where kind='call' window w as (partition by session_id, lane order by seq))
select s.success, count(distinct c.session_id) from c join 'sessions.parquet' s on s.transcript_id=c.session_id
where args_hash=a1 and a1=a2 and tool=t1 and t1=t2 and result_norm_hash=r1 and r1=r2 group by 1`
	retryChains = `select session_id, step, max(attempt), list(http_status order by attempt), sum(delay_ms) from 'events.parquet' where kind='attempt' group by 1,2`
)

// DuckDB sees in our files what we see in the recordings.
func TestDuckDBReads(t *testing.T) {
	test := func(t *testing.T, units []*formats.Unit) {
		list := decode(t, units)
		db := open(t, write(t, list))
		sessions, calls, errors := counted(t, units)
		want := []string{fmt.Sprint(sessions, " ", calls, " ", errors)}
		for _, query := range []string{
			`select count(*), sum(calls), sum(errors) from 'sessions.parquet'`,
			`select count(distinct session_id), count(*) filter (kind='call'), count(*) filter (is_error) from 'events.parquet'`,
		} {
			if got := rows(t, db, strings.Replace(query, "sum(calls), sum(errors)", "sum(calls)::int, sum(errors)::int", 1)); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		// Every column of every row can be read, and seq has no hole.
		rows(t, db, `select sum(hash(columns(*))) from 'events.parquet'`)
		rows(t, db, `select sum(hash(columns(*))) from 'sessions.parquet'`)
		if got := rows(t, db, `select session_id from 'events.parquet' group by 1 having count(*) <> max(seq)+1 or count(distinct seq) <> count(*)`); len(got) > 0 {
			t.Errorf("seq is not 0, 1, 2 … in %v", got)
		}
		for _, q := range []struct {
			query string
			equal func(a, b string) bool
		}{{threeInARow, roughly}, {strings.ReplaceAll(threeInARow, "result_norm_hash", "result_hash"), exactly}} {
			got, want := rows(t, db, q.query), repeats(list, q.equal)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
				t.Errorf("three identical calls in a row (-Go +DuckDB):\n%s", diff)
			}
			t.Logf("three identical calls in a row, by outcome: %v", got)
		}
		rows(t, db, retryChains)
	}
	t.Run("demo", func(t *testing.T) { test(t, demo(t)) })
	t.Run("labelled", func(t *testing.T) {
		root := os.Getenv("GROUNDHOG_SHARED")
		if root == "" {
			t.Skip("GROUNDHOG_SHARED is not set: no real sessions to read")
		}
		test(t, find(t, filepath.Join(root, "labelled", "sessions.jsonl.gz"), native.Format))
	})
}

// odd is a session with what other engines are strict about.
func odd() []recording {
	code := 3221225786
	return []recording{{
		Session: &transcript.Session{ID: "odd", Agent: "a\xff"},
		Steps: []*transcript.Step{{
			ID: "m", Lane: "\xed\xa0\x80", Parts: []transcript.Part{{Text: "half \xed\xa0\x80"}, {Text: "\xff"}},
			Attempts: []transcript.Attempt{{N: 1, Status: 529, Delay: 500e6, RetryAfter: -1, Body: "\xfe"}, {N: 2, Status: 429, Delay: 1000e6, RetryAfter: -1}},
			Calls:    []transcript.Call{{Tool: "\xff", Args: "\xed\xb0\x80", Took: -1, Result: transcript.Result{Status: transcript.ResultOK, Text: "nul \x00 \xff", ExitCode: &code}}},
		}},
	}}
}

// Texts that are not UTF-8 do not make a column unreadable, and retry chains are
// what the second query says.
func TestOddTexts(t *testing.T) {
	list := odd()
	dir := write(t, list)
	db := open(t, dir)
	rows(t, db, `select sum(hash(columns(*))) from 'events.parquet'`)
	rows(t, db, `select sum(hash(columns(*))) from 'sessions.parquet'`)
	if got, want := rows(t, db, retryChains), []string{"odd 0 2 [529 429] 1500"}; !slices.Equal(got, want) {
		t.Errorf("retry chains %v, want %v", got, want)
	}
	if diff := cmp.Diff(list, decode(t, find(t, dir, parquet.Format)), sameSession); diff != "" {
		t.Error(diff)
	}
}

// We read what DuckDB writes, with the codecs, encodings and page versions it has.
func TestDuckDBWrites(t *testing.T) {
	want := append(decode(t, demo(t)), odd()...)
	slices.SortFunc(want, func(a, b recording) int { return strings.Compare(a.Session.ID, b.Session.ID) })
	from := write(t, want)
	db := open(t, from)
	for _, options := range []string{
		"codec zstd", "codec snappy", "codec gzip", "codec uncompressed", "codec brotli",
		"codec zstd, row_group_size 2048", "codec zstd, parquet_version v2", "codec snappy, dictionary_size_limit 1",
	} {
		t.Run(options, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{parquet.EventsFile, parquet.SessionsFile} {
				order := "session_id, seq"
				if name == parquet.SessionsFile {
					order = "transcript_id"
				}
				run(t, db, fmt.Sprintf("copy (select * from '%s/%s' order by %s) to '%s/%s' (format parquet, %s)", from, name, order, dir, name, options))
			}
			if diff := cmp.Diff(want, decode(t, find(t, dir, parquet.Format)), sameSession); diff != "" {
				t.Errorf("(-written by us +copied by DuckDB):\n%s", diff)
			}
		})
	}
	t.Run("codec lz4_raw", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), parquet.EventsFile)
		run(t, db, fmt.Sprintf("copy (select * from '%s/events.parquet') to '%s' (format parquet, codec lz4_raw)", from, name))
		files := &formats.Files{Paths: []string{name}, Formats: []*formats.Format{parquet.Format}}
		found, err := files.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Units) > 0 || len(found.Skipped) != 1 || !strings.Contains(found.Skipped[0].Why, "LZ4_RAW, which is not read") {
			t.Errorf("%d sessions, skipped %+v", len(found.Units), found.Skipped)
		}
	})
}

// A nested table of messages, as data sets are published.
func TestNestedMessages(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	const n = 5000
	run(t, db, `create table conversations as select 't' || i as trajectory_id, 'task-' || (i % 7) as instance_id, i % 2 = 0 as resolved,
		[{role: 'system', content: 'You fix code.', tool_calls: null, tool_call_id: null, name: null},
		 {role: 'user', content: 'fix it', tool_calls: null, tool_call_id: null, name: null}] ||
		flatten(list_transform(range(i % 9), j -> [
		 {role: 'assistant', content: null, tool_calls: [{id: 'c' || j, type: 'function', "function": {name: 'bash', arguments: '{"n":' || j || '}'}}], tool_call_id: null, name: null},
		 {role: 'tool', content: repeat('FAIL ', (10 * j)::int), tool_calls: null, tool_call_id: 'c' || j, name: 'bash'}])) as messages
		from range(`+fmt.Sprint(n)+`) r(i)`)
	for _, options := range []string{"codec zstd", "codec snappy, row_group_size 2048", "codec zstd, parquet_version v2"} {
		t.Run(options, func(t *testing.T) {
			name := filepath.Join(dir, "train.parquet")
			run(t, db, fmt.Sprintf("copy conversations to '%s' (format parquet, %s)", name, options))
			units := find(t, name, parquet.Format)
			if len(units) != n {
				t.Fatalf("%d sessions, want %d", len(units), n)
			}
			for _, r := range decode(t, units) {
				var i int
				fmt.Sscanf(r.Session.ID, "t%d", &i)
				if len(r.Steps) != 2+i%9 || r.Session.Recorded.Task != fmt.Sprint("task-", i%7) || *r.Session.Recorded.Success != (i%2 == 0) {
					t.Fatalf("session %s: %d steps, %+v", r.Session.ID, len(r.Steps), r.Session.Recorded)
				}
				for j, s := range r.Steps[2:] {
					c := &s.Calls[0]
					if c.Tool != "bash" || c.Args != fmt.Sprintf(`{"n":%d}`, j) || c.Result.Text != strings.Repeat("FAIL ", 10*j) || c.Result.Status != transcript.ResultUnflagged {
						t.Fatalf("session %s step %d: %+v", r.Session.ID, j, c)
					}
				}
			}
		})
	}
}
