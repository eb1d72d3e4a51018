package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// What only a fire in the stream has is the same in fires.parquet as in jsonl.
func TestParquetOfFiresInTheStream(t *testing.T) {
	dir := t.TempDir()
	sessions, rows := filepath.Join(dir, "loops.session"), filepath.Join(dir, "fires.parquet")
	block := "go on and repeat "
	src := fmt.Sprintf("session clear\nsay %q\nsession edge\nsay %q\nsession moves\nstep\n  text %q\n  usage in=1 out=400\nsession timed\nstep\n%s",
		strings.Repeat(block, 30), strings.Repeat(block, 19)+"go on and repeatedly", strings.Repeat(block, 19)+"go on and repeatedly "+strings.Repeat(block, 25),
		strings.Repeat(fmt.Sprintf("  delta text %q\n", block+block), 15))
	if err := os.WriteFile(sessions, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	printed := output(t, []string{"replay", sessions, "-p", "mimo-2026-09", "--format", "jsonl", "--out", "parquet=" + rows})
	type row struct {
		Session     string  `parquet:"session"`
		View        string  `parquet:"view"`
		Detector    string  `parquet:"detector"`
		Offset      *int64  `parquet:"offset,optional"`
		Earliest    *int64  `parquet:"jitter_earliest,optional"`
		Latest      *int64  `parquet:"jitter_latest,optional"`
		Sensitive   *bool   `parquet:"chunk_sensitive,optional"`
		Token       *int64  `parquet:"jitter_token,optional"`
		Word        *int64  `parquet:"jitter_word,optional"`
		Char        *int64  `parquet:"jitter_char,optional"`
		SavedChars  *int64  `parquet:"saved_chars,optional"`
		SavedTokens *int64  `parquet:"saved_tokens,optional"`
		SavedBy     *string `parquet:"saved_tokens_by,optional"`
		SavedMillis *int64  `parquet:"saved_ms,optional"`
	}
	got, err := parquet.ReadFile[row](rows)
	if err != nil {
		t.Fatal(err)
	}
	var want []row
	for l := range strings.Lines(printed) {
		var f struct {
			Session, View, Detector string
			Offset                  *int64
			Jitter                  *struct {
				Earliest, Latest *int64
				Sensitive        *bool `json:"chunk_sensitive"`
				Splitters        map[string]*int64
			}
			Saved *struct {
				Chars, Tokens *int64
				By            *string `json:"tokens_by"`
				Time          *int64  `json:"time_ms"`
			}
		}
		if err := json.Unmarshal([]byte(l), &f); err != nil {
			t.Fatal(err)
		}
		r := row{Session: f.Session, View: f.View, Detector: f.Detector, Offset: f.Offset}
		if j := f.Jitter; j != nil {
			r.Earliest, r.Latest, r.Sensitive, r.Token, r.Word, r.Char = j.Earliest, j.Latest, j.Sensitive, j.Splitters["token"], j.Splitters["word"], j.Splitters["char"]
		}
		if s := f.Saved; s != nil {
			r.SavedChars, r.SavedTokens, r.SavedBy, r.SavedMillis = s.Chars, s.Tokens, s.By, s.Time
		}
		want = append(want, r)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 4 {
		t.Errorf("%d rows (-jsonl +parquet):\n%s", len(got), diff)
	}
}
