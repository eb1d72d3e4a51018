package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"groundhog/corpus"
	"groundhog/replay"
)

// A setting is a key of groundhog.yaml with a word or words for a value. What
// has a shape of its own, presets and the gate's rules, is beside the table.
type setting struct {
	key   string
	list  bool
	path  bool // relative to the file
	def   []string
	doc   string
	check func(string) error // of each word; nil takes all
}

// settings are in the order in which they are listed.
var settings = []setting{
	{key: "version", def: []string{"1"}, doc: "of this file's form", check: oneOf("1")},
	{key: "corpus.paths", list: true, path: true, doc: "sessions: files, folders, globs", check: noStdin},
	{key: "corpus.selection",
		doc: "how sessions were chosen: all, random(P), triggered(DETECTOR), incident_only, benchmark",
		check: func(s string) error {
			_, err := corpus.ParseSelection(s)
			return err
		}},
	{key: "corpus.cluster", def: []string{"session"},
		doc: "what sessions are taken together by: session, task, incident, label", check: func(s string) error {
			_, err := corpus.ParseClusterKey(s)
			return err
		}},
	{key: "labels", list: true, path: true, doc: "files or folders of labels", check: noStdin},
	{key: "views", list: true, def: []string{string(replay.Production)}, doc: "views whose fires are listed",
		check: oneOf("production", "shadow", "standalone", "all")},
	{key: "report.confidence", def: []string{"0.95"},
		doc:   "level of the intervals of label suggest; those of other reports are at 0.95",
		check: between("above 0.5 and below 1", func(x float64) bool { return x > 0.5 && x < 1 })},
	{key: "report.prevalence", list: true, def: []string{"0.01", "0.05"},
		doc: "shares of loops for which precision is given", check: between("above 0 and below 1",
			func(x float64) bool { return x > 0 && x < 1 })},
	{key: "report.seed", def: []string{"1"}, doc: "of everything that is drawn", check: whole},
	{key: "costs.false_stop", doc: "of a false stop", check: cost},
	{key: "costs.missed_loop", doc: "of a missed loop", check: cost},
	{key: "costs.wasted_call", doc: "of a call after the ideal stop", check: cost},
	{key: "costs.nudge", doc: "of a nudge", check: cost},
	{key: "gate.baseline", path: true, def: []string{".groundhog/baseline.json"}, doc: "what the gate compares with"},
	{key: "gate.inconclusive", def: []string{"warn"},
		doc: "what the gate does where the data cannot decide: warn, fail, pass", check: oneOf("warn", "fail", "pass")},
}

var cost = between("0 or above", func(x float64) bool { return x >= 0 && x < 1e300 })

func oneOf(words ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("expected %s, got %q", strings.Join(words, " or "), s)
		}
		return nil
	}
}

func between(what string, ok func(float64) bool) func(string) error {
	return func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !ok(x) {
			return fmt.Errorf("expected a number %s, got %q", what, s)
		}
		return nil
	}
}

func whole(s string) error {
	if _, err := strconv.ParseUint(s, 10, 64); err != nil {
		return fmt.Errorf("expected a whole number 0 or above, got %q", s)
	}
	return nil
}

func noStdin(s string) error {
	if s == "-" || s == "" {
		return fmt.Errorf("%q is no file or folder: standard input is for the command line", s)
	}
	return nil
}
