package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sarif210 "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"groundhog/detectors"
	"groundhog/report/gate"
)

// hostile is text as a transcript may have it.
const hostile = "a\x1b[31m::error::\u202e<x>&\"|`\r\n%0A"

// gateSample is a result with everything in it, and n further findings.
func gateSample(n int) *gate.Result {
	fire := func(call int) *gate.Place {
		return &gate.Place{Run: 1, Call: call, Line: call + 10, Phase: detectors.AfterCall, Detector: "kocoro/exact_duplicate", Verdict: detectors.ForceStop}
	}
	rule := func(name, level string, status gate.Status, list ...gate.Finding) gate.Ruling {
		for i := range list {
			list[i].Rule, list[i].Severity = name, level
		}
		return gate.Ruling{Rule: gate.Rule{Name: name, Level: level}, Status: status, What: "counts", Findings: list, Cases: []string{"build-poll-03", "quiet"}}
	}
	finding := func(session, file string, base, now *gate.Place) gate.Finding {
		return gate.Finding{Session: session, File: file, Level: "stop", Detector: "kocoro/exact_duplicate", Change: "TN→FP", Base: base, Now: now, Text: "is stopped wrongly", Why: "nudge 3 → 2"}
	}
	allowed := finding("allowed", "traces/a.jsonl", nil, fire(3))
	allowed.Allowed = &gate.Exception{Session: "allowed", Detector: "kocoro/exact_duplicate", Level: "stop", Reason: "stress", Owner: "team", Expires: "2027-03-01", From: "groundhog.yaml:9"}
	open := finding("cut", "traces/cut.jsonl", fire(5), nil)
	open.Open = true
	stops := rule("new_false_stops", "error", gate.Broken, finding("build-poll-03", "traces/with space, comma.jsonl", nil, fire(4)), finding(hostile, "/abs/"+hostile, nil, fire(6)), allowed)
	for i := range n {
		f := finding(fmt.Sprintf("more-%05d", i), "traces/more.jsonl", nil, fire(i))
		f.Rule, f.Severity = "new_false_stops", "error"
		stops.Findings = append(stops.Findings, f)
	}
	r := &gate.Result{Verdict: gate.Fail, Inconclusive: "warn", Labelled: true, Compared: 7, Notes: []string{"a note"},
		Rulings: []gate.Ruling{
			stops,
			rule("lost_catches", "error", gate.CannotSay, open, finding("lost", "", fire(7), nil)),
			rule("later_by", "warning", gate.Broken, finding("81aa", "traces/b.jsonl", fire(7), fire(8))),
			{Rule: gate.Rule{Name: "fpr_upper95", Bound: "max", Limit: 0.01, Level: "error"}, Status: gate.CannotSay, What: "0 of 120"},
			{Rule: gate.Rule{Name: "waste", Level: "warning"}, Status: gate.Broken, What: "more", Findings: []gate.Finding{{Rule: "waste", Severity: "warning", Level: "stop", Text: "more waste"}}},
			{Rule: gate.Rule{Name: "recall_lower95", Level: "off"}, Status: gate.NotAsked},
		},
		Known: []gate.Finding{{Rule: "known_false_stop", Severity: "notice", Session: "known", File: "traces/k.jsonl", Level: "stop", Detector: "kocoro/no_progress", Base: fire(2), Now: fire(2), Text: "as before"}},
		Flips: []gate.Flip{{Session: "81aa", Level: "stop", What: "later", From: "TP", To: "TP", Base: fire(7), Now: fire(8)}},
	}
	return r
}

func gated(t testing.TB, r *gate.Result, format string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Gate(&out, r, format, Style{}); err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexAny(out.Bytes(), "\x1b\u202e"); i >= 0 {
		t.Errorf("%s: a control character came through at %d", format, i)
	}
	return out.Bytes()
}

// shippedSchema is the schema of SARIF 2.1.0 that go-sarif ships. Its Validate looks at
// its own types, which write members that a document does not have, so the document
// itself is held against the schema.
func shippedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[sarif210.Report]().PkgPath()).Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec := f.Scope.Objects["schema"].Decl.(*ast.ValueSpec)
	text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A SARIF document is valid, and has no member that the standard does not know: reading
// it into the standard's types drops nothing.
func TestSARIFIsValid(t *testing.T) {
	schema := shippedSchema(t)
	for _, r := range []*gate.Result{gateSample(0), {Verdict: gate.Pass}} {
		raw := gated(t, r, "sarif")
		if err := schema.Validate(decoded(t, raw)); err != nil {
			t.Error(err)
		}
		doc, err := sarif210.FromBytes(raw)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if lost := missing("", decoded(t, raw), decoded(t, again)); len(lost) > 0 {
			t.Errorf("SARIF does not know %q", lost)
		}
	}
	broken := bytes.Replace(gated(t, gateSample(0), "sarif"), []byte(`"baselineState": "new"`), []byte(`"baselineState": "fresh"`), 1)
	if schema.Validate(decoded(t, broken)) == nil {
		t.Error("the schema takes a state that does not exist: it checks nothing")
	}
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// missing lists the members of a that b lacks or has otherwise.
func missing(path string, a, b any) (list []string) {
	switch a := a.(type) {
	case map[string]any:
		of, _ := b.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(a)) {
			list = append(list, missing(path+"/"+k, a[k], of[k])...)
		}
	case []any:
		of, _ := b.([]any)
		for i, x := range a {
			if i >= len(of) {
				return append(list, path)
			}
			list = append(list, missing(fmt.Sprintf("%s/%d", path, i), x, of[i])...)
		}
	default:
		if a != b {
			list = append(list, path)
		}
	}
	return list
}

// sarifSeen is what a reader of the results looks at.
type sarifSeen struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Invocations []struct {
			Notifications []struct{ Message struct{ Text string } } `json:"toolExecutionNotifications"`
		}
		Results []struct {
			RuleID       string
			RuleIndex    int
			Level        string
			State        string            `json:"baselineState"`
			Prints       map[string]string `json:"partialFingerprints"`
			Suppressions []struct{ Justification string }
			Properties   struct{ Session string }
			Locations    []struct {
				P struct {
					A struct{ URI string }    `json:"artifactLocation"`
					R struct{ StartLine int } `json:"region"`
				} `json:"physicalLocation"`
			}
		}
	}
}

func seen(t *testing.T, raw []byte) sarifSeen {
	t.Helper()
	var s sarifSeen
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSARIFResults(t *testing.T) {
	run := seen(t, gated(t, gateSample(0), "sarif")).Runs[0]
	states, prints := map[string]string{}, map[string]bool{}
	for _, x := range run.Results {
		states[x.Properties.Session] = x.State
		if run.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID {
			t.Errorf("result of %s points at rule %s", x.RuleID, run.Tool.Driver.Rules[x.RuleIndex].ID)
		}
		if p := x.Prints["groundhogFire/v1"]; p == "" || prints[p] {
			t.Errorf("%s: fingerprint %q is empty or there twice", x.Properties.Session, p)
		} else {
			prints[p] = true
		}
		switch x.Properties.Session {
		case "build-poll-03":
			l := x.Locations[0].P
			if x.RuleID != "kocoro/exact_duplicate" || l.A.URI != "traces/with%20space,%20comma.jsonl" || l.R.StartLine != 14 {
				t.Errorf("%s at %s:%d", x.RuleID, l.A.URI, l.R.StartLine)
			}
		case "allowed":
			if len(x.Suppressions) != 1 || !strings.Contains(x.Suppressions[0].Justification, "team") {
				t.Errorf("an allowed finding has suppressions %v", x.Suppressions)
			}
		case "":
			if x.RuleID != "gate/waste" || len(x.Locations) != 0 {
				t.Errorf("a finding about numbers is %s at %v", x.RuleID, x.Locations)
			}
		}
	}
	for session, want := range map[string]string{"build-poll-03": "new", "lost": "absent", "81aa": "updated", "known": "unchanged"} {
		if states[session] != want {
			t.Errorf("%s is %q, want %q", session, states[session], want)
		}
	}
	// A file that moves leaves the fingerprint as it is.
	moved := gateSample(0)
	moved.Rulings[0].Findings[0].File = "elsewhere.jsonl"
	if a, b := run.Results[0].Prints, seen(t, gated(t, moved, "sarif")).Runs[0].Results[0].Prints; a["groundhogFire/v1"] != b["groundhogFire/v1"] {
		t.Errorf("fingerprints %v and %v", a, b)
	}
}

func TestSARIFSaysWhatItLeavesOut(t *testing.T) {
	run := seen(t, gated(t, gateSample(maxResults), "sarif")).Runs[0]
	if len(run.Results) != maxResults {
		t.Errorf("%d results", len(run.Results))
	}
	said := false
	for _, n := range run.Invocations[0].Notifications {
		said = said || strings.Contains(n.Message.Text, "8 results are left out")
	}
	if !said {
		t.Errorf("what is left out is not said: %+v", run.Invocations[0].Notifications)
	}
}

func TestJUnit(t *testing.T) {
	raw := gated(t, gateSample(0), "junit")
	dec := xml.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
	}
	var suites junitSuites
	if err := xml.Unmarshal(raw, &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures, skipped := 0, 0, 0
	for _, s := range suites.Suites {
		failed := 0
		for _, c := range s.Cases {
			failed += oneIf(c.Failure != nil && c.Failure.Text != "")
			skipped += oneIf(c.Skipped != nil)
		}
		if len(s.Cases) != s.Tests || failed != s.Failures {
			t.Errorf("%s: %d cases and %d failures, it says %d and %d", s.Name, len(s.Cases), failed, s.Tests, s.Failures)
		}
		tests, failures = tests+s.Tests, failures+s.Failures
	}
	if suites.Tests != tests || suites.Failures != failures || suites.Skipped != skipped || failures != 3 || len(suites.Suites) != 5 {
		t.Errorf("totals %d %d %d, counted %d %d %d in %d suites", suites.Tests, suites.Failures, suites.Skipped, tests, failures, skipped, len(suites.Suites))
	}
	if f := suites.Suites[0].Cases[0].Failure; f == nil || !strings.Contains(f.Text, "build-poll-03: TN→FP: is stopped wrongly (nudge 3 → 2)") {
		t.Errorf("first failure: %+v", f)
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestJUnitSaysWhatItLeavesOut(t *testing.T) {
	r := gateSample(0)
	r.Rulings[0].Cases = make([]string, maxCases+3)
	for i := range r.Rulings[0].Cases {
		r.Rulings[0].Cases[i] = fmt.Sprintf("case-%05d", i)
	}
	if raw := gated(t, r, "junit"); !bytes.Contains(raw, []byte("3 cases without a finding are left out")) {
		t.Error("what is left out is not said")
	}
}

var command = regexp.MustCompile(`^::(error|warning|notice) ([^:]*)::([^\r\n]*)$`)

func TestGitHubAnnotations(t *testing.T) {
	for _, n := range []int{0, 8, 9, 30} {
		count := map[string]int{}
		raw := strings.TrimSuffix(string(gated(t, gateSample(n), "github")), "\n")
		for _, line := range strings.Split(raw, "\n") {
			m := command.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("no workflow command: %q", line)
			}
			count[m[1]]++
		}
		for kind, k := range count {
			if k > maxAnnotations {
				t.Errorf("%d findings more: %d of level %s", n, k, kind)
			}
		}
		if n == 30 && !strings.Contains(raw, "24 more of level error") {
			t.Errorf("what is left out is not said:\n%s", raw)
		}
		if n == 0 && (!strings.Contains(raw, "file=traces/with space%2C comma.jsonl,line=14,title=groundhog new_false_stops::build-poll-03") || strings.Contains(raw, " more of level")) {
			t.Errorf("annotations:\n%s", raw)
		}
	}
}

// Every output names the same findings, and none has a finding of its own.
func TestOutputsAgree(t *testing.T) {
	r := gateSample(0)
	for _, format := range GateFormats {
		raw := string(gated(t, r, format))
		for _, f := range r.Findings() {
			if f.Session == "" || f.Session == hostile {
				continue
			}
			if !strings.Contains(raw, f.Session) {
				t.Errorf("%s does not name %s", format, f.Session)
			}
		}
		if !strings.Contains(raw, "FAIL") && format != "junit" {
			t.Errorf("%s does not say FAIL", format)
		}
	}
	var doc struct {
		Rules []struct{ Findings []struct{ Session string } }
	}
	if err := json.Unmarshal(gated(t, gateSample(6000), "json"), &doc); err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Rules[0].Findings); n != 6003 {
		t.Errorf("JSON is to be complete, and has %d findings", n)
	}
}

func FuzzGateText(f *testing.F) {
	f.Add(hostile, "traces/a b.jsonl")
	f.Fuzz(func(t *testing.T, session, file string) {
		r := gateSample(0)
		r.Rulings[0].Findings[0].Session, r.Rulings[0].Findings[0].File = session, file
		for _, format := range GateFormats {
			raw := gated(t, r, format)
			switch format {
			case "json", "sarif":
				if !json.Valid(raw) {
					t.Errorf("%s: not JSON: %s", format, raw)
				}
			case "junit":
				var s junitSuites
				if err := xml.Unmarshal(raw, &s); err != nil {
					t.Errorf("junit: %v", err)
				}
			case "github":
				for _, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
					if !command.MatchString(line) {
						t.Errorf("no workflow command: %q", line)
					}
				}
			}
		}
	})
}
