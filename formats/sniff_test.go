package formats_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/formats"
)

// headOf is what a format gets to see of a file.
func headOf(t testing.TB, data string) *formats.Head {
	t.Helper()
	var head *formats.Head
	files := &formats.Files{
		Paths:   []string{"-"},
		Stdin:   strings.NewReader(data),
		Formats: []*formats.Format{{Name: "spy", Sniff: func(h *formats.Head) formats.Confidence { head = h; return formats.No }}},
	}
	found, err := files.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found.Close()
	if head == nil {
		t.Fatal("no format was asked")
	}
	return head
}

func TestHeadShape(t *testing.T) {
	names := map[formats.Shape]string{formats.Other: "other", formats.JSON: "json", formats.Array: "array", formats.JSONL: "jsonl"}
	for _, test := range []struct {
		name, in, shape string
		records         int
	}{
		{"empty", "", "other", 0},
		{"text", "hello\nworld\n", "other", 0},
		{"one object", `{"a":1}`, "json", 1},
		{"one object over lines", "{\n \"a\": 1\n}\n", "json", 1},
		{"two objects", "{\"a\":1}\n{\"b\":2}\n", "jsonl", 2},
		{"glued objects", `{"a":1}{"b":2}`, "jsonl", 2},
		{"array", `[{"a":1},{"b":2}, 3, "x", [4]]`, "array", 3},
		{"empty array", `[]`, "array", 0},
		{"byte order mark", "\xef\xbb\xbf{\"a\":1}", "json", 1},
		{"white space first", "\r\n\t {\"a\":1}", "json", 1},
		{"noise first", "Warning: no config\n> run\n{\"a\":1}\n{\"b\":2}\n", "jsonl", 2},
		{"noise with a brace inside a line", "x {\"a\":1}\n", "other", 0},
		{"one cut object", `{"a":1,"b":[1,2`, "json", 1},
		{"second object cut", "{\"a\":1}\n{\"b\":", "jsonl", 2},
		{"cut array", `[{"a":1},{"b":`, "array", 2},
		{"many objects", strings.Repeat("{}\n", 500), "jsonl", 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := headOf(t, test.in)
			if names[h.Shape] != test.shape || len(h.Records) != test.records {
				t.Errorf("%s with %d records, want %s with %d", names[h.Shape], len(h.Records), test.shape, test.records)
			}
			if !h.Whole {
				t.Error("a short file is not whole")
			}
		})
	}
}

// The head ends inside a record that is larger than it.
func TestHeadOfALargeFile(t *testing.T) {
	in := `{"id":"x","messages":[{"role":"user","text":"` + strings.Repeat("a", formats.HeadSize) + `"}]}`
	h := headOf(t, in)
	if h.Whole || len(h.Data) != formats.HeadSize || h.Shape != formats.JSON {
		t.Errorf("whole %v, %d bytes, shape %v", h.Whole, len(h.Data), h.Shape)
	}
	r := h.Records[0]
	if r.Str("id") != "x" || r.Cut != "messages" {
		t.Errorf("id %q, cut in %q", r.Str("id"), r.Cut)
	}
	if m := r.Elems("messages", 1); len(m) != 1 || m[0].Str("role") != "user" || m[0].Cut != "text" {
		t.Errorf("first message %v", m)
	}
}

// sure is a format that is always as sure.
func sure(name string, c formats.Confidence) *formats.Format {
	return &formats.Format{Name: name, Sniff: func(*formats.Head) formats.Confidence { return c }}
}

func TestDetect(t *testing.T) {
	no, maybe, likely, certain := sure("no", formats.No), sure("maybe", formats.Maybe), sure("likely", formats.Likely), sure("certain", formats.Certain)
	likely2, certain2 := sure("likely2", formats.Likely), sure("certain2", formats.Certain)
	text, object, empty, binary := headOf(t, "hello"), headOf(t, "{}"), headOf(t, " \n"), headOf(t, "a\x00b")
	for _, test := range []struct {
		head *formats.Head
		list []*formats.Format
		want string
	}{
		{text, []*formats.Format{no, maybe}, "maybe"},
		{text, []*formats.Format{certain, likely, maybe}, "certain"},
		{text, []*formats.Format{maybe, likely, likely2, certain}, "certain"},
		{text, []*formats.Format{likely, maybe, likely2}, "looks like likely and likely2 alike; settle it with --input-format"},
		{text, []*formats.Format{certain, certain2, likely}, "looks like certain and certain2 alike; settle it with --input-format"},
		{text, []*formats.Format{no}, "no known format: expected JSON, JSONL or a .session script (groundhog list formats)"},
		{object, nil, "JSON of no known format (groundhog list formats; --input-format NAME to insist)"},
		{empty, []*formats.Format{no}, "the file is empty"},
		{binary, []*formats.Format{no}, "a binary file; expected recorded sessions (groundhog list formats)"},
	} {
		f, err := formats.Detect(test.head, test.list)
		got := ""
		if err != nil {
			if unknown := (*formats.UnknownError)(nil); !errors.As(err, &unknown) {
				t.Errorf("%v is not an UnknownError", err)
			}
			got = err.Error()
		} else {
			got = f.Name
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestFormatIsInsistedOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	never := &formats.Format{
		Name: "never",
		Sniff: func(*formats.Head) formats.Confidence {
			t.Error("sniffed although a format was named")
			return formats.No
		},
		Find: func(*formats.File, formats.Options) iter.Seq2[*formats.Unit, error] { return oneUnit },
	}
	files := &formats.Files{Paths: []string{path}, Formats: []*formats.Format{never}, Format: "never"}
	found, err := files.Find(context.Background())
	if err != nil || len(found.Units) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	files.Format = "nevr"
	want := `unknown input format "nevr": expected one of never`
	if _, err := files.Find(context.Background()); fmt.Sprint(err) != want {
		t.Errorf("got %q, want %q", fmt.Sprint(err), want)
	}
}

func TestSyntaxError(t *testing.T) {
	got := []string{
		(&formats.SyntaxError{File: "a", Line: 3, Msg: "no"}).Error(),
		(&formats.SyntaxError{File: "a", Msg: "no"}).Error(),
	}
	if want := []string{"a:3: no", "a: no"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if cap := (formats.Options{}).Cap(); cap != formats.DefaultMaxRecord {
		t.Errorf("the default cap is %d", cap)
	}
	if cap := (formats.Options{MaxRecord: 7}).Cap(); cap != 7 {
		t.Errorf("the cap is %d, want 7", cap)
	}
}

func oneUnit(yield func(*formats.Unit, error) bool) { yield(unit("only", 1), nil) }
