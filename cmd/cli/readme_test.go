package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README's detector is a whole program that runs, and the detector in it is the one
// that package detectors tests.
func TestREADMEDetector(t *testing.T) {
	main := readmeBlock(t, "## Your own detector", "go")
	tested, err := os.ReadFile(filepath.Join("..", "..", "detectors", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut(string(tested), ")\n\n")
	own, _, _ = strings.Cut(own, "// A live agent asks")
	if !strings.Contains(main, own) {
		t.Error("the README's detector is not that of detectors/example_test.go")
	}
	out := runProgram(t, main, "replay", "--demo", "--preset", "mine-1", "--session", "three-tool-cycle", "--format", "jsonl")
	if !strings.Contains(out, `"detector":"mine/cycle","verdict":"nudge"`) {
		t.Errorf("no nudge of the README's detector in\n%s", out)
	}
}

// The README's format is a whole program that runs. A record that is not JSON costs
// itself.
func TestREADMEFormat(t *testing.T) {
	log := filepath.Join(t.TempDir(), "my-agent.log")
	call := `{"tool":"deploy","args":{"to":"test"},"result":"done","failed":false}` + "\n"
	text := `{"ask":"build it"}` + "\n" + strings.Repeat(call, 2) + "{oops\n" + strings.Repeat(call, 3)
	if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := runProgram(t, readmeBlock(t, "## A new format", "go"), "replay", log, "--preset", "kocoro", "--format", "jsonl")
	for _, want := range []string{`"detector":"kocoro/consecutive_duplicate","verdict":"nudge"`, "my-agent.log:4:", "exit status 3"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q in\n%s", want, out)
		}
	}
}

// readmeBlock is the first block of a language in a section of the README.
func readmeBlock(t *testing.T, section, language string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(src), "\n"+section+"\n")
	if !ok {
		t.Fatalf("the README has no section %q", section)
	}
	_, text, ok = strings.Cut(text, "```"+language+"\n")
	if !ok {
		t.Fatalf("section %q has no %s block", section, language)
	}
	block, _, _ := strings.Cut(text, "```\n")
	return block
}

// runProgram runs a main package of this module that stands in no file of it. It need
// not succeed: what it prints is looked at.
func runProgram(t *testing.T, main string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "cmd", "mine", "main.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"run", "-overlay", filepath.Join(dir, "overlay.json"), "./cmd/mine"}, args...)...)
	cmd.Dir = root
	out, _ := cmd.CombinedOutput()
	return string(out)
}
