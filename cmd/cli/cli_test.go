package cli_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"groundhog/cmd/cli"
)

var update = flag.Bool("update", false, "rewrite the README's outputs")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"groundhog": func() { os.Exit(cli.Main(cli.Options{})) },
	})
}

// TestScripts runs the whole program; each script is named for what it pins.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Cmds: map[string]func(*testscript.TestScript, bool, []string){"truncate": halve, "textless": textless}})
}

// halve cuts a file in the middle.
func halve(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()/2))
}

// needText is what only a text can say of a fire.
var needText = regexp.MustCompile(`,"jitter":\{.*?\}\}|,"saved":\{[^}]*\}`)

// textless copies lines of fires without what a ledger cannot know.
func textless(ts *testscript.TestScript, _ bool, args []string) {
	var kept []string
	for _, line := range strings.SplitAfter(ts.ReadFile(args[0]), "\n") {
		if !strings.Contains(line, `"view":"other_split"`) {
			kept = append(kept, needText.ReplaceAllString(line, ""))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(kept, "")), 0o666))
}

// TestREADME runs the commands of the README's console blocks and compares
// what they print. A line of … stands for lines left out.
func TestREADME(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(src), "```")
	ran := 0
	for i := 1; i < len(parts); i += 2 {
		block, ok := strings.CutPrefix(parts[i], "console\n$ groundhog ")
		if !ok {
			continue
		}
		command, want, _ := strings.Cut(block, "\n")
		got := output(t, strings.Fields(command))
		ran++
		if *update {
			parts[i] = "console\n$ groundhog " + command + "\n" + shortened(got, want)
			continue
		}
		if !like(got, want) {
			t.Errorf("groundhog %s prints\n%s\nand the README says\n%s", command, got, want)
		}
	}
	if ran == 0 {
		t.Error("the README has no console block with a command")
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(parts, "```")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func output(t *testing.T, args []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	o := cli.Options{}
	o.Stdin, o.Stdout, o.Stderr = strings.NewReader(""), &out, &errs
	o.Args = args
	if code := cli.Main(o); code != 0 {
		t.Errorf("groundhog %s: exit %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// like compares outputs; a line of … in want skips to the line after it.
func like(got, want string) bool {
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	skip := false
	for _, w := range strings.Split(strings.TrimSuffix(want, "\n"), "\n") {
		if w == "…" {
			skip = true
			continue
		}
		i := 0
		if skip {
			for i < len(lines) && lines[i] != w {
				i++
			}
		}
		if i >= len(lines) || lines[i] != w {
			return false
		}
		lines, skip = lines[i+1:], false
	}
	return skip || len(lines) == 0
}

// shortened is the new output, cut where the README cut the old one at its end.
func shortened(got, want string) string {
	n := strings.Count(want, "\n")
	lines := strings.SplitAfter(got, "\n")
	if !strings.HasSuffix(want, "…\n") || n-1 >= len(lines) {
		return got
	}
	return strings.Join(lines[:n-1], "") + "…\n"
}
