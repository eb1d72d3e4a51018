package render_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/corpus"
	"groundhog/detectors/catalog"
	"groundhog/detectors/kocoro"
	"groundhog/formats"
	"groundhog/formats/script"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/transcript"
	"groundhog/report/render"
	"groundhog/report/review"
)

// rewrite is -update, which is declared in the package itself.
func rewrite() bool { return flag.Lookup("update").Value.String() == "true" }

var widths = []int{80, 120, 200}

// find is one session of the demo corpus or of a detector's own file.
func find(t testing.TB, id string) *formats.Unit {
	t.Helper()
	found, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	units := found.Units
	paths, err := filepath.Glob("../../detectors/*/testdata/*.session")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, written(t, filepath.Base(path), string(src))...)
	}
	for _, u := range units {
		if u.Session.ID == id {
			return u
		}
	}
	t.Fatalf("no session %s", id)
	return nil
}

func written(t testing.TB, name, src string) (units []*formats.Unit) {
	t.Helper()
	f := &formats.File{Name: name, Size: int64(len(src)), Open: func() (formats.ReadAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{strings.NewReader(src), io.NopCloser(nil)}, nil
	}}
	for u, err := range script.Format.Find(f, formats.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		u.Session.Origin.File, u.Session.Origin.Format = name, script.Format.Name
		units = append(units, u)
	}
	return units
}

func reviewOf(t testing.TB, u *formats.Unit, o review.Options, presets ...string) *review.Review {
	t.Helper()
	q := replay.Question{Alone: true, Calls: replay.Calls{Changes: kocoro.Changes(nil), Empty: contract.Empty(kocoro.Name(nil), kocoro.Required)}}
	for _, name := range presets {
		q.Configs = append(q.Configs, replay.Config{Preset: catalog.Find(name, catalog.Presets)})
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := (&replay.Engine{Plan: plan, Split: transcript.Words}).Trace(context.Background(), u)
	if err != nil || tr.Outcome.Err != nil {
		t.Fatal(err, tr.Outcome.Err)
	}
	var labels corpus.Labels
	if u.Session.Label != nil {
		if err := labels.AddCarried(u.Session.Label, u.Session.ID, u.Session.Origin.File); err != nil {
			t.Fatal(err)
		}
	}
	o.Splitter = "word"
	r, err := review.New(tr, labels.Of(u.Session.ID), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func printed(t testing.TB, r *review.Review, width int) string {
	t.Helper()
	var out bytes.Buffer
	if err := render.Review(&out, r, render.Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The screens of the incidents that everybody asks about, as they look.
func TestReviewScreens(t *testing.T) {
	for _, s := range []struct {
		id      string
		presets []string
	}{
		{"zero-byte-write", []string{"kocoro-4ec6772", "mimo-2026-09"}},
		{"three-tool-cycle", []string{"kocoro-4ec6772", "kocoro-head"}},
		{"sleep-with-new-arguments", []string{"kocoro-pre-sleep-removal", "kocoro-4ec6772"}},
		{"three-parallel-sleeps", []string{"kocoro-pre-sleep-removal", "kocoro-4ec6772"}},
		{"text-ngram-repeat-fires", []string{"mimo-2026-09"}},
	} {
		r := reviewOf(t, find(t, s.id), review.Options{}, s.presets...)
		for _, width := range widths {
			got := printed(t, r, width)
			path := filepath.Join("testdata", "review", fmt.Sprintf("%s-%d.txt", s.id, width))
			if rewrite() {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}

// Whatever a transcript holds, no line is wider than the screen, and nothing in it
// moves the cursor, rings or turns the text around.
func TestReviewIsSafeToShow(t *testing.T) {
	nasty := "session nasty\nuser \"a\\u202eb \\u001b[31mred\\u2066\"\n" +
		"step\n  think \"\\u2067\\u200f\\u0007\"\n  call \"bash\" {\"command\":\"echo \\u202e\\u2066\\u2069 \\u001b[2J\\t漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\"} -> ok \"x\\u001b]0;title\\u0007 \\u2069\\u009b\"\n" +
		"call bash {\"command\":\"" + strings.Repeat("x", 5000) + "\"} -> error \"" + strings.Repeat("長", 3000) + "\" x9\nsay \"\\u202d done\"\n"
	units := written(t, "nasty.session", nasty)
	for _, id := range []string{"text-ngram-repeat-fires", "loop-in-sub-agent", "chinese-translation-batch", "reasoning-chant"} {
		units = append(units, find(t, id))
	}
	for _, u := range units {
		for _, o := range []review.Options{{}, {Full: true}, {Call: &corpus.Place{Call: 2}}, {Suggest: true}} {
			if u.Session.ID == "text-ngram-repeat-fires" && o.Call != nil {
				continue // it has no call
			}
			r := reviewOf(t, u, o, "kocoro-2026-03", "kocoro-4ec6772", "kocoro-head", "mimo-2026-09")
			for _, width := range append([]int{60}, widths...) {
				for line := range strings.Lines(printed(t, r, width)) {
					line = strings.TrimSuffix(line, "\n")
					if n := twwidth.Width(line); n > width && !o.Suggest {
						t.Errorf("%s: a line of %d columns on a screen of %d: %s", u.Session.ID, n, width, line)
					}
					for _, c := range line {
						if unicode.IsControl(c) || c >= 0x200e && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
							t.Errorf("%s: %U in %q", u.Session.ID, c, line)
						}
					}
				}
			}
			var out bytes.Buffer
			if err := render.ReviewJSON(&out, r); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(out.String(), func(c rune) bool {
				return c != '\n' && unicode.IsControl(c) || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
			}) {
				t.Errorf("%s: JSON holds characters that are not safe to show", u.Session.ID)
			}
		}
	}
}
