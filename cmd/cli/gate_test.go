package cli_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.yaml.in/yaml/v3"

	"groundhog/cmd/cli"
	"groundhog/formats"
	"groundhog/replay/transcript"
)

// exits runs the program and gives its status and what it says on stderr.
func exits(o cli.Options, args ...string) (int, string) {
	var out, errs bytes.Buffer
	o.Stdin, o.Stdout, o.Stderr = strings.NewReader(""), &out, &errs
	o.Args = args
	return cli.Main(o), errs.String()
}

func TestGateExitCodes(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "b.json")
	if code, errs := exits(cli.Options{}, "gate", "init", "--demo", "--preset", "kocoro", "--baseline", base); code != 0 {
		t.Fatalf("init: %d %s", code, errs)
	}
	raw, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(dir, "edited.json")
	if err := os.WriteFile(edited, bytes.Replace(raw, []byte(`"id":"add-an-endpoint"`), []byte(`"id":"add-a-nendpoint"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.json")
	if err := os.WriteFile(cut, raw[:len(raw)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		code int
		says string
		args []string
	}{
		{0, "", []string{"gate", "--demo", "--baseline", base}},
		{0, "", []string{"gate", "self-test", "--baseline", base}},
		{1, "new false stops", []string{"gate", "--demo", "--baseline", base, "--set", "exact_duplicate.nudge=3"}},
		{1, "does not fail where it should", []string{"gate", "self-test", "--baseline", base, "--rule", "new_false_stops=notice"}},
		{2, "make one with groundhog gate init", []string{"gate", "--demo", "--baseline", filepath.Join(dir, "none.json")}},
		{2, "unknown flag", []string{"gate", "--demo", "--nothing"}},
		{3, "corpus_digest", []string{"gate", "--demo", "--baseline", edited}},
		{3, "no baseline", []string{"gate", "--demo", "--baseline", cut}},
		{3, "no such file", []string{"gate", filepath.Join(dir, "nowhere"), "--baseline", base}},
		{4, "INCONCLUSIVE", []string{"gate", "--demo", "--baseline", base, "--rule", "fpr_upper95=0.15", "--inconclusive=fail"}},
	} {
		code, errs := exits(cli.Options{}, test.args...)
		ok := test.says == ""
		for _, word := range strings.Split(test.says, "|") {
			ok = ok || strings.Contains(errs, word)
		}
		if code != test.code || !ok {
			t.Errorf("groundhog %s: exit %d, want %d: %s", strings.ReplaceAll(strings.Join(test.args, " "), dir, ""), code, test.code, errs)
		}
	}
}

// A reader that gives something else every time is found by --verify.
func TestGateVerifyFindsWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.fickle")
	if err := os.WriteFile(file, []byte("fickle"), 0o600); err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int64
	o := cli.Options{}
	o.Formats = append([]*formats.Format{{
		Name:  "fickle",
		Sniff: func(h *formats.Head) formats.Confidence { return formats.No },
		Find: func(*formats.File, formats.Options) iter.Seq2[*formats.Unit, error] {
			return func(yield func(*formats.Unit, error) bool) {
				u := &formats.Unit{Session: &transcript.Session{ID: "fickle"}, Size: 1, Records: 1}
				u.Steps = func() iter.Seq2[*transcript.Step, error] {
					return func(yield func(*transcript.Step, error) bool) {
						yield(&transcript.Step{Kind: transcript.Prompt, Parts: []transcript.Part{{Text: fmt.Sprint(reads.Add(1))}}}, nil)
					}
				}
				yield(u, nil)
			}
		},
	}}, o.Formats...)
	base := filepath.Join(dir, "b.json")
	if code, errs := exits(o, "gate", "init", file, "--input-format", "fickle", "--preset", "kocoro", "--baseline", base); code != 0 {
		t.Fatalf("init: %d %s", code, errs)
	}
	code, errs := exits(o, "gate", file, "--input-format", "fickle", "--baseline", base, "--verify")
	if code != 5 || !strings.Contains(errs, "two replays of the same sessions differ") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, errs := exits(cli.Options{}, "gate", "--demo", "--baseline", base, "--verify"); code == 5 {
		t.Errorf("the demo corpus differs from itself: %s", errs)
	}
	if code, errs := exits(o, "gate", "-", "--baseline", base, "--verify"); code != 2 && code != 3 {
		t.Errorf("standard input twice: exit %d: %s", code, errs)
	}
}

// The order in which files are named changes nothing.
func TestGateOrderOfFiles(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i := range 6 {
		name := filepath.Join(dir, fmt.Sprintf("s%d.session", i))
		src := fmt.Sprintf("session s%d\nuser \"go\"\ncall bash {\"command\":\"x\"} -> ok \"same\" x%d\n", i, 3+2*i)
		if err := os.WriteFile(name, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	var want []byte
	for i := range files {
		base := filepath.Join(dir, fmt.Sprintf("b%d.json", i))
		args := append([]string{"gate", "init", "--preset", "kocoro", "--baseline", base, "-j", fmt.Sprint(1 + i)}, files[i:]...)
		if code, errs := exits(cli.Options{}, append(args, files[:i]...)...); code != 0 {
			t.Fatalf("init: %d %s", code, errs)
		}
		got, err := os.ReadFile(base)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("order %d gives another baseline", i)
		}
		if bytes.Contains(got, []byte(dir)) {
			t.Error("the baseline names a folder")
		}
	}
}

// The README's workflow and shell step are what they say: YAML, and commands that
// the program knows.
func TestREADMEGateSteps(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(src), "```")
	var lines []string
	for i := 1; i < len(parts); i += 2 {
		if body, ok := strings.CutPrefix(parts[i], "yaml\n"); ok {
			var w struct {
				Jobs map[string]struct{ Steps []struct{ Run, Uses string } }
			}
			if err := yaml.Unmarshal([]byte(body), &w); err != nil {
				t.Errorf("the workflow is no YAML: %v", err)
			}
			for _, step := range w.Jobs["gate"].Steps {
				if (step.Run == "") == (step.Uses == "") {
					t.Errorf("a step runs a command or uses an action: %+v", step)
				}
				lines = append(lines, strings.Split(step.Run, "\n")...)
			}
		}
		if body, ok := strings.CutPrefix(parts[i], "sh\n"); ok {
			lines = append(lines, strings.Split(body, "\n")...)
		}
	}
	ran := 0
	for _, l := range lines {
		if args, ok := strings.CutPrefix(l, "groundhog "); ok {
			ran++
			if code, errs := exits(cli.Options{}, append(strings.Fields(args), "--help")...); code != 0 {
				t.Errorf("%s: exit %d: %s", l, code, errs)
			}
		}
	}
	if ran < 4 {
		t.Errorf("%d commands were found in the README's steps", ran)
	}
}
