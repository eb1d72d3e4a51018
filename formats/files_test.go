package formats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/script"
)

// tree writes files into a new folder. Names end in / for folders.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder == path {
			continue
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// session is a script with one call.
func session(id string) string {
	return fmt.Sprintf("session %s\ncall bash {\"command\":\"make %s\"} -> ok\n", id, id)
}

// find looks for scripts. Paths are below dir, except "-".
func find(t testing.TB, dir string, files formats.Files, paths ...string) *formats.Found {
	t.Helper()
	for _, p := range paths {
		if p != "-" {
			p = filepath.Join(dir, filepath.FromSlash(p))
		}
		files.Paths = append(files.Paths, p)
	}
	files.Formats = []*formats.Format{script.Format}
	found, err := files.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(found.Close)
	return found
}

// listing is a line for each session, with the tool calls that can be decoded,
// and for each file that was left out. dir is taken off all names.
func listing(dir string, found *formats.Found) string {
	var out strings.Builder
	for _, u := range found.Units {
		fmt.Fprintf(&out, "%s %s:", u.Session.ID, u.Session.Origin.File)
		for s, err := range u.Read() {
			if err != nil {
				fmt.Fprintf(&out, " %v", err)
				continue
			}
			for _, c := range s.Calls {
				fmt.Fprintf(&out, " %s", c.Args)
			}
		}
		out.WriteString("\n")
	}
	for _, s := range found.Skipped {
		fmt.Fprintf(&out, "skipped %s: %s", s.Path, s.Why)
		if s.Asked {
			out.WriteString(" (asked)")
		}
		out.WriteString("\n")
	}
	for _, c := range found.Copies {
		fmt.Fprintf(&out, "%s kept %s, dropped %s\n", c.Session, c.Kept, strings.Join(c.Dropped, " "))
	}
	return strings.ReplaceAll(out.String(), filepath.ToSlash(dir)+"/", "")
}

func line(id, file string) string {
	return fmt.Sprintf("%s %s: {\"command\":\"make %s\"}\n", id, file, id)
}

const emptyFile, binaryFile = "the file is empty", "a binary file; expected recorded sessions (groundhog list formats)"

func TestFind(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.session":          session("a"),
		"two.session":        session("t1") + session("t2"),
		"in/b.session":       session("b"),
		"in/deep/er/c.txt":   session("c"),
		"in/.hidden.session": session("hidden"),
		"in/.git/d.session":  session("git"),
		".config/e.session":  session("e"),
		"odd/[x].session":    session("x"),
		"odd/empty.session":  "",
		"odd/noise.bin":      "\x7fELF\x00\x01",
		"odd/prose.md":       "Read this first.\n",
		"bare/":              "",
	})
	for _, test := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"a file", []string{"a.session"}, line("a", "a.session")},
		{"two sessions in a file", []string{"two.session"}, line("t1", "two.session") + line("t2", "two.session")},
		{"a folder, without what is hidden", []string{"in"}, line("b", "in/b.session") + line("c", "in/deep/er/c.txt")},
		{"hidden, but named", []string{".config", "in/.hidden.session"}, line("e", ".config/e.session") + line("hidden", "in/.hidden.session")},
		{"an empty folder", []string{"bare"}, ""},
		{"glob", []string{"*.session"}, line("a", "a.session") + line("t1", "two.session") + line("t2", "two.session")},
		{"glob over folders", []string{"in/**/*.txt"}, line("c", "in/deep/er/c.txt")},
		{"glob with a choice", []string{"{a,two}.session"}, line("a", "a.session") + line("t1", "two.session") + line("t2", "two.session")},
		{"glob that matches a folder", []string{"i?"}, line("b", "in/b.session") + line("c", "in/deep/er/c.txt")},
		{"glob that matches nothing", []string{"*.jsonl"}, "skipped *.jsonl: no file matches (asked)\n"},
		{"malformed glob", []string{"[a.session"}, "skipped [a.session: syntax error in pattern (asked)\n"},
		{"a name with the letters of a glob", []string{"odd/[x].session"}, line("x", "odd/[x].session")},
		{"missing", []string{"none", "a.session"}, line("a", "a.session") + "skipped none: no such file or directory (asked)\n"},
		{"met in a folder", []string{"odd"}, line("x", "odd/[x].session") +
			"skipped odd/empty.session: " + emptyFile + "\nskipped odd/noise.bin: " + binaryFile +
			"\nskipped odd/prose.md: no known format: expected JSON, JSONL or a .session script (groundhog list formats)\n"},
		{"named and met", []string{"odd/empty.session", "odd"}, line("x", "odd/[x].session") +
			"skipped odd/empty.session: " + emptyFile + " (asked)\nskipped odd/noise.bin: " + binaryFile +
			"\nskipped odd/prose.md: no known format: expected JSON, JSONL or a .session script (groundhog list formats)\n"},
		{"named twice", []string{"a.session", "./in/../a.session", "a.*"}, line("a", "a.session")},
		{"the folder and a file of it", []string{"in/b.session", "in"}, line("b", "in/b.session") + line("c", "in/deep/er/c.txt")},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, paths := range [][]string{test.paths, reversed(test.paths)} {
				if diff := cmp.Diff(test.want, listing(dir, find(t, dir, formats.Files{}, paths...))); diff != "" {
					t.Errorf("%q (-want +got):\n%s", paths, diff)
				}
			}
		})
	}
}

func reversed(list []string) (out []string) {
	for _, s := range list {
		out = append([]string{s}, out...)
	}
	return out
}

func TestFindStandardInput(t *testing.T) {
	dir := tree(t, map[string]string{"a.session": session("a")})
	found := find(t, dir, formats.Files{Stdin: strings.NewReader(session("in"))}, "a.session", "-", "-")
	if diff := cmp.Diff(line("a", "a.session")+line("in", "-"), listing(dir, found)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	found = find(t, dir, formats.Files{Stdin: strings.NewReader("")}, "-")
	if diff := cmp.Diff("skipped -: "+emptyFile+" (asked)\n", listing(dir, found)); diff != "" {
		t.Errorf("nothing comes in (-want +got):\n%s", diff)
	}
}

// What is packed is told by the content and not by the name.
func TestFindPacked(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	whole := formattest.Gzip(t, session("cut"))
	dir := tree(t, map[string]string{
		"a.session":    formattest.Gzip(t, session("gz")),
		"b":            formattest.Zstd(t, session("zst")),
		"c.gz":         session("plain"),
		"d.gz":         whole[:len(whole)-6],
		"e.zst":        formattest.Zstd(t, session("bad"))[:12],
		"f.gz":         formattest.Gzip(t, ""),
		"g.session.gz": formattest.Gzip(t, session("two")) + formattest.Gzip(t, session("members")),
		"h":            "\x1f\x8b",
	})
	found := find(t, dir, formats.Files{Stdin: strings.NewReader(formattest.Gzip(t, session("stdin")))}, ".", "-")
	want := line("gz", "a.session") + line("members", "g.session.gz") + line("plain", "c.gz") + line("stdin", "-") +
		line("two", "g.session.gz") + line("zst", "b") +
		"skipped d.gz: unwrapping: unexpected EOF (asked)\n" +
		"skipped e.zst: unwrapping: unexpected EOF (asked)\n" +
		"skipped f.gz: " + emptyFile + "\n" +
		"skipped h: unexpected EOF (asked)\n"
	if diff := cmp.Diff(want, listing(dir, found)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, u := range found.Units {
		if want := int64(len(session(u.Session.ID))); u.Size != want {
			t.Errorf("%s has %d bytes, want the unwrapped %d", u.Session.ID, u.Size, want)
		}
	}
	found.Close()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestFindUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read every folder")
	}
	dir := tree(t, map[string]string{"open/a.session": session("a"), "shut/b.session": session("b")})
	if err := os.Chmod(filepath.Join(dir, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "shut"), 0o755) })
	want := line("a", "open/a.session") + "skipped shut: permission denied (asked)\n"
	if diff := cmp.Diff(want, listing(dir, find(t, dir, formats.Files{}, "."))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindFollowsLinksToFiles(t *testing.T) {
	dir := tree(t, map[string]string{"real/a.session": session("a"), "links/": ""})
	for link, to := range map[string]string{"links/a": "../real/a.session", "links/folder": "../real", "links/broken": "../none"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if diff := cmp.Diff(line("a", "links/a"), listing(dir, find(t, dir, formats.Files{}, "links"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Formats that are only recognised, files that turn out broken while they are
// read, and the cancelled search.
func TestFindReports(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x", "b": "x"})
	known := &formats.Format{Name: "known", Sniff: func(*formats.Head) formats.Confidence { return formats.Certain }}
	files := &formats.Files{Paths: []string{dir}, Formats: []*formats.Format{known}}
	found, err := files.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := (formats.Skip{Path: filepath.ToSlash(dir) + "/a", Why: "recognised as known, which is not read yet", Format: "known"}); len(found.Skipped) != 2 || found.Skipped[0] != want {
		t.Errorf("skipped %v, want %v first", found.Skipped, want)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := files.Find(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

// The order in which files are named changes nothing, and neither does a second
// copy of one of them.
func TestFindOrderAndDuplicates(t *testing.T) {
	dir := tree(t, map[string]string{
		"1.session": "session a\nuser x\nstep\n  id m1\n",
		"2.session": "session a\nuser x\nstep\n  id m1\nstep\n  id m2\n",
		"3.session": "session b\ntime 2026-05-01T08:00:00Z\nuser x\nstep\n  id m1\nstep\n  id m3\n",
		"4.session": "session c\ntime 2026-05-02T08:00:00Z\nstep\n  id m3\n" + session("d"),
		"5.session": session("d"),
		"6":         "nothing to see\n",
	})
	names := []string{"1.session", "2.session", "3.session", "4.session", "5.session", "6"}
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".copy"), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := func(found *formats.Found) string { return listing(dir, found) + summary(found) }
	want := find(t, dir, formats.Files{}, names...)
	kept := summary(want)[:strings.Index(summary(want), "a kept")]
	if wantKept := "a: (m1) m2\nb: m1 m3\nc: (m3)\nd:\n"; kept != wantKept {
		t.Errorf("sessions\n%swant\n%s", kept, wantKept)
	}
	rapid.Check(t, func(rt *rapid.T) {
		order := rapid.Permutation(names).Draw(rt, "order")
		if diff := cmp.Diff(all(want), all(find(t, dir, formats.Files{}, order...))); diff != "" {
			rt.Errorf("(-want +got):\n%s", diff)
		}
		again := rapid.SampledFrom(names[:5]).Draw(rt, "again") + ".copy"
		if got := summary(find(t, dir, formats.Files{}, append(order, again)...)); !strings.HasPrefix(got, kept) {
			rt.Errorf("with %s:\n%swant\n%s", again, got, kept)
		}
	})
}
