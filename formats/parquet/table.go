package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"groundhog/formats"
)

// A source is a file that is open while somebody reads it. Its footer is parsed
// once; sessions come and go, and none of them knows when it is the last.
type source struct {
	file *formats.File

	mu    sync.Mutex
	r     formats.ReadAtCloser
	users int
}

// use opens the file if nobody else has. Whoever has used it calls done.
func (s *source) use() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		r, err := s.file.Open()
		if err != nil {
			return err
		}
		s.r = r
	}
	s.users++
	return nil
}

// done reports whether nobody is left.
func (s *source) done() (idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return false
	}
	s.r.Close()
	s.r = nil
	return true
}

// ReadAt reads the file. The caller must be using it.
func (s *source) ReadAt(p []byte, off int64) (int, error) { return s.r.ReadAt(p, off) }

// A table is a Parquet file whose footer makes sense.
type table struct {
	*source
	name   string // as shown to the user
	pq     *parquet.File
	groups []*group
	rows   int64
}

// A group is a row group.
type group struct {
	first int64 // number of its first row in the file
	rows  int64
	pq    parquet.RowGroup
}

// open reads the footer. It refuses what the library would misread.
func open(f *formats.File) (t *table, err error) {
	t = &table{source: &source{file: f}, name: f.Name}
	if err := t.use(); err != nil {
		return nil, err
	}
	defer t.done()
	defer guard(&err)
	if err := checkFooter(t.source, f.Size); err != nil {
		return nil, err
	}
	pq, err := parquet.OpenFile(t.source, f.Size, &parquet.FileConfig{
		SkipPageIndex: true, SkipBloomFilters: true, ReadBufferSize: 64 << 10,
	})
	if err != nil {
		return nil, damaged("the footer cannot be read: %w", err)
	}
	t.pq = pq
	for _, e := range pq.Metadata().Schema {
		if e.RepetitionType.Valid && (e.RepetitionType.V < format.Required || e.RepetitionType.V > format.Repeated) {
			return nil, damaged("column %s is neither required nor optional nor repeated", e.Name)
		}
	}
	if err := t.checkChunks(); err != nil {
		return nil, err
	}
	for i, rg := range pq.RowGroups() {
		if rg.NumRows() < 0 {
			return nil, damaged("row group %d has %d rows", i, rg.NumRows())
		}
		t.groups = append(t.groups, &group{first: t.rows, rows: rg.NumRows(), pq: rg})
		t.rows += rg.NumRows()
	}
	if t.rows != pq.NumRows() {
		return nil, damaged("the footer counts %d rows, its row groups %d", pq.NumRows(), t.rows)
	}
	return t, nil
}

// codecs are those that are read. LZ4_RAW is missing on purpose: parquet-go
// v0.32.0 gives old memory for pages that compress to less than a third, with no
// error (its issue 608). TODO: take it in when the fix (609) is released.
var codecs = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd}

// checkChunks looks at every column of the footer before a page is read.
func (t *table) checkChunks() error {
	for i, rg := range t.pq.Metadata().RowGroups {
		if i != int(rg.Ordinal) && rg.Ordinal != 0 {
			return damaged("row group %d calls itself %d", i, rg.Ordinal)
		}
		for j := range rg.Columns {
			meta := &rg.Columns[j].MetaData
			name := strings.Join(meta.PathInSchema, ".")
			if !slices.Contains(codecs, meta.Codec) {
				const wrong = "column %s is compressed with %v, which is not read: write the file with zstd or snappy"
				return fmt.Errorf(wrong, name, meta.Codec)
			}
			if err := checkPlaces(&rg.Columns[j], t.file.Size); err != nil {
				return fmt.Errorf("column %s, row group %d: %w", name, i, err)
			}
		}
	}
	return nil
}

// checkPages looks at the pages of one column before they are read.
func (t *table) checkPages(group, leaf int) error {
	return checkPages(t.source, &t.pq.Metadata().RowGroups[group].Columns[leaf].MetaData)
}

// has reports whether a column stands at the top of the schema.
func (t *table) has(names ...string) bool {
	for _, name := range names {
		if t.pq.Root().Column(name) == nil {
			return false
		}
	}
	return true
}

// checkFlat compares what the footer says about a column with its row groups:
// in a flat table each row has one value, null or not.
func (t *table) checkFlat(list []leaf) error {
	for i, g := range t.groups {
		for _, l := range list {
			if l.index < 0 {
				continue
			}
			meta := &t.pq.Metadata().RowGroups[i].Columns[l.index].MetaData
			name, nulls, kind := l.col.name, meta.Statistics.NullCount, parquet.Kind(meta.Type)
			if meta.NumValues != g.rows {
				return damaged("column %s has %d values in row group %d of %d rows", name, meta.NumValues, i, g.rows)
			}
			if l.levels == 0 && nulls > 0 {
				return damaged("column %s has %d nulls in row group %d, and no levels for them", name, nulls, i)
			}
			if want := g.pq.ColumnChunks()[l.index].Type().Kind(); kind != want {
				return damaged("column %s holds %v in row group %d, and %v in the schema", name, kind, i, want)
			}
		}
	}
	return nil
}

// checkVersion refuses a newer schema. A file without the mark passes: other
// engines drop it when they rewrite a file.
func (t *table) checkVersion() error {
	if v, ok := t.pq.Lookup(versionKey); ok && v != version {
		return fmt.Errorf("%s is %q: this build reads %s", versionKey, v, version)
	}
	return nil
}

// errDamaged is in every error that says that a file is not what its writer
// meant it to be.
var errDamaged = errors.New("damaged Parquet")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errDamaged}, args...)...)
}

// guard turns a panic of the library into an error. It is deferred around calls
// of the library, and never around a caller's code.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = damaged("%v", r)
	}
}

// ended says what the end of a column is that still owes rows.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
