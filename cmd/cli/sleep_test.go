package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The worked example ends with the dossier as the command prints it, and says
// above what the dossier shows.
func TestWorkedExample(t *testing.T) {
	path := filepath.Join("..", "..", "corpus", "sleep.md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const line = "\n---\n\n"
	prose, printed, ok := strings.Cut(string(src), line)
	if !ok {
		t.Fatalf("%s has no line before the dossier", path)
	}
	command := []string{"justify", "sleep", "--preset", "kocoro-pre-sleep-removal", "--demo", "--format"}
	if !strings.Contains(prose, "groundhog "+strings.Join(command, " ")+" markdown\n") {
		t.Errorf("the command is not named above the line")
	}
	got := output(t, append(slices.Clone(command), "markdown"))
	if *update {
		if err := os.WriteFile(path, []byte(prose+line+got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got != printed {
		t.Errorf("the dossier in %s is not what the command prints; go test ./cmd/cli -run Worked -update", path)
	}
	var report struct {
		Sections []struct {
			Key  string
			Rows []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(output(t, append(slices.Clone(command), "json"))), &report); err != nil {
		t.Fatal(err)
	}
	// rows are the values of a column, of the rows that have a value in another.
	rows := func(key, column, where, value string) (list []string) {
		for _, s := range report.Sections {
			for _, row := range s.Rows {
				if s.Key == key && (where == "" || row[where] == value) {
					list = append(list, row[column].(string))
				}
			}
		}
		return list
	}
	for _, test := range []struct {
		part      string
		got, want []string
	}{
		{"work that is no longer stopped", rows("stop_false", "session", "what", "removed"),
			[]string{"canary-with-pauses", "sleep-between-retries", "sleep-chain-to-cool-down", "three-parallel-sleeps"}},
		{"work that is stopped by another path", rows("stop_false", "without", "session", "sleep-poll-ci-passes"), []string{"consecutive_duplicate@5"}},
		{"the unique catch", rows("stop_unique", "session", "", ""), []string{"sleep-chain-for-nothing"}},
		{"equal arguments, with", rows("exposure", "with", "shape", "sleep_poll"),
			[]string{"STOP consecutive_duplicate@5", "nudge consecutive_duplicate@5, STOP consecutive_duplicate@6"}},
		{"equal arguments, without", rows("exposure", "without", "shape", "sleep_poll"),
			[]string{"STOP consecutive_duplicate@5", "nudge consecutive_duplicate@5, STOP consecutive_duplicate@6"}},
		{"changing arguments", rows("exposure", "session", "shape", "distinct_sleep_poll"), []string{"sleep-poll-renamed-log", "sleep-with-new-arguments"}},
		{"changing arguments, without", rows("exposure", "without", "shape", "distinct_sleep_poll"), []string{"nothing", "nothing"}},
		{"a chain, without", rows("exposure", "without", "shape", "sleep_chain"), []string{"nothing"}},
		{"the verdict", rows("verdict", "verdict", "", ""), []string{"NOT-ENOUGH-EVIDENCE · HARMFUL", "NOT-ENOUGH-EVIDENCE · HARMFUL"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %q, want %q", test.part, test.got, test.want)
		}
	}
	for _, session := range append(rows("stop_false", "session", "", ""), rows("exposure", "session", "", "")...) {
		if !strings.Contains(prose, session) {
			t.Errorf("the example does not mention %s", session)
		}
	}
	// Both sides catch the hang that is started again, by the same path.
	for _, flags := range [][]string{{"-p", "kocoro-pre-sleep-removal"}, {"-p", "kocoro-4ec6772"}} {
		out := output(t, append([]string{"replay", "--demo", "--session", "watchdog-ends-the-same-hang"}, flags...))
		if !strings.Contains(out, "consecutive_duplicate@") {
			t.Errorf("%v: nothing catches the hang that is started again", flags)
		}
	}
}
