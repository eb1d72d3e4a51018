package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/report/gate"
)

// The part of SARIF 2.1.0 that a gate has something to say in. A rule is a
// detector, by its id, so that a result keeps its identity when files move; what
// no detector answers for has the id of the gate's rule.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
	Properties  map[string]any    `json:"properties"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"semanticVersion"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	State        string             `json:"baselineState"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   map[string]any     `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitzero"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// maxResults is how many results GitHub takes of one run.
const maxResults = 5000

func sarif(w io.Writer, r *gate.Result) error {
	all := r.Findings()
	for i := range r.Known {
		all = append(all, &r.Known[i])
	}
	shown := all[:min(len(all), maxResults)]
	ids := make([]string, 0, len(shown))
	for _, f := range shown {
		ids = append(ids, ruleID(f))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "groundhog", Version: gate.Version, Rules: []sarifRule{}}},
		Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
		Properties: map[string]any{"verdict": string(r.Verdict), "preset": r.Now.Preset,
			"configurationDigest": r.Now.SetDigest, "corpusDigest": r.Now.Corpus, "labelDigest": r.Now.Labels}}
	for _, id := range ids {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id, sarifText{ruleDoc(id)}})
	}
	for _, f := range shown {
		i, _ := slices.BinarySearch(ids, ruleID(f))
		run.Results = append(run.Results, resultOf(f, i))
	}
	notes := []sarifNotification{{"note", sarifText{Clean(r.Headline())}}}
	if len(shown) < len(all) {
		notes = append(notes, sarifNotification{"warning",
			sarifText{fmt.Sprintf("%d results are left out: %d at most are taken of a run; --format json has all",
				len(all)-len(shown), maxResults)}})
	}
	run.Invocations = []sarifInvocation{{true, notes}}
	raw, err := json.Marshal(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}, jsontext.WithIndent("  "),
		json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(CleanJSON(raw), '\n'))
	return err
}

// ruleID is the detector that fires, or fired; else the gate's own rule.
func ruleID(f *gate.Finding) string {
	if f.Detector != "" && f.At() != nil {
		return f.Detector
	}
	return "gate/" + f.Rule
}

func ruleDoc(id string) string {
	if rule, ok := strings.CutPrefix(id, "gate/"); ok {
		for _, r := range gate.DefaultRules() {
			if r.Name == rule {
				return r.Doc
			}
		}
	}
	return "where loop detector " + Clean(id) + " fires, or no longer does, against a baseline"
}

func resultOf(f *gate.Finding, rule int) sarifResult {
	out := sarifResult{RuleID: ruleID(f), RuleIndex: rule, Level: sarifLevel(f), Message: sarifText{findingText(f)},
		State:      sarifState(f),
		Properties: map[string]any{"gateRule": f.Rule, "session": f.Session, "result": f.Mark()}}
	key := f.Session + "\x00" + f.Rule + "\x00" + f.Level
	at := f.At()
	if at != nil {
		key = fmt.Sprintf("%s\x00%d\x00%d\x00%s", f.Session, at.Run, at.Call, f.Detector)
		out.Properties["run"], out.Properties["call"] = at.Run, at.Call
	}
	sum := sha256.Sum256([]byte(key))
	out.Fingerprints = map[string]string{"groundhogFire/v1": hex.EncodeToString(sum[:16])}
	if f.Level != "" {
		out.Properties["level"] = f.Level
	}
	if f.Change != "" {
		out.Properties["change"] = f.Change
	}
	if f.File != "" && f.File != "-" {
		l := sarifLocation{sarifPhysical{Artifact: sarifArtifact{fileURI(f.File)}}}
		if at != nil && at.Line > 0 {
			l.Physical.Region = &sarifRegion{at.Line}
		}
		out.Locations = []sarifLocation{l}
	}
	if e := f.Allowed; e != nil {
		out.Suppressions = []sarifSuppression{{"external", Clean(fmt.Sprintf("%s (%s, until %s)", e.Reason, e.Owner,
			e.Expires))}}
	}
	return out
}

func sarifLevel(f *gate.Finding) string {
	switch f.Severity {
	case "error", "warning":
		return f.Severity
	}
	return "note"
}

// sarifState is how the result differs from the baseline: a fire that is
// gone is absent, one that moved is updated.
func sarifState(f *gate.Finding) string {
	switch {
	case f.Rule == "known_false_stop":
		return "unchanged"
	case f.Gone():
		return "absent"
	case f.Base != nil && f.Now != nil:
		return "updated"
	}
	return "new"
}

// fileURI is a file name as a URI: relative if the name is, and never made
// absolute here.
func fileURI(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	u := url.URL{Path: name}
	if path.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
