package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	bareZero  = regexp.MustCompile(`(^|[^0-9])0/[1-9][0-9]* 0%( [^(]|$|[^ ])`)
	precision = regexp.MustCompile(`(?i)precision`)
	rightness = regexp.MustCompile(`(?i)false.?(positive|stop|alarm|on work)|\bFPR\b|\brecall\b|precision`)
)

// What is printed keeps the promises about numbers: a zero has its bound, precision
// the share of loops it holds for, and without labels no fire is called false.
func TestNumbersAreHonest(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "plain.session")
	session := "session plain\nuser \"go\"\ncall bash {\"command\":\"x\"} -> ok \"same\" x9\ncall edit {\"path\":\"a\"} -> ok\n"
	if err := os.WriteFile(file, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args     []string
		labelled bool
	}{
		{[]string{"demo"}, true},
		{[]string{"replay", "--demo"}, true},
		{[]string{"sweep", "--demo", "exact_duplicate.nudge=2..12"}, true},
		{[]string{"sweep", "--demo", "exact_duplicate.nudge=4..6", "no_progress.nudge=10..12"}, true},
		{[]string{"compare", "--demo", "kocoro", "kocoro-head"}, true},
		{[]string{"replay", file}, false},
		{[]string{"sweep", file, "exact_duplicate.nudge=2..8"}, false},
		{[]string{"sweep", file, "exact_duplicate.nudge=2..8", "consecutive_duplicate.nudge=2..9"}, false},
		{[]string{"compare", "kocoro", "kocoro-2026-03", file}, false},
	} {
		name := strings.Join(test.args, " ")
		for i, line := range strings.Split(output(t, test.args), "\n") {
			where := strings.ReplaceAll(name, dir, "")
			if bareZero.MatchString(line) {
				t.Errorf("%s, line %d: a zero without its bound: %s", where, i+1, line)
			}
			if precision.MatchString(line) && !strings.Contains(line, " % loops") && !strings.Contains(line, "precision holds") {
				t.Errorf("%s, line %d: precision without its prevalence: %s", where, i+1, line)
			}
			if !test.labelled && rightness.MatchString(line) {
				t.Errorf("%s, line %d: nothing is labelled, and yet: %s", where, i+1, line)
			}
		}
	}
}
