package render

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/report/gate"
)

// GateFormats are the forms in which a gate's result can be written.
var GateFormats = []string{"text", "json", "junit", "sarif", "github", "markdown"}

// Gate writes the result of a gate in one of GateFormats. All say the same.
func Gate(w io.Writer, r *gate.Result, format string, style Style) error {
	switch format {
	case "text":
		return Text(w, r.Report(), style)
	case "json":
		return gateJSON(w, r)
	case "junit":
		return junit(w, r)
	case "sarif":
		return sarif(w, r)
	case "github":
		return github(w, r)
	case "markdown":
		return Markdown(w, r.Report())
	}
	return fmt.Errorf("no form %q", format)
}

type gatePlaceJSON struct {
	Run      int    `json:"run"`
	Call     int    `json:"call"`
	Line     int    `json:"line,omitzero"`
	Phase    string `json:"phase"`
	Detector string `json:"detector"`
	Verdict  string `json:"verdict"`
}

type gateAllowedJSON struct {
	Owner   string `json:"owner"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
	From    string `json:"from"`
}

type gateFindingJSON struct {
	Result       string           `json:"result"` // FAIL, warning, notice, allowed, ?
	Session      string           `json:"session"`
	File         string           `json:"file"`
	Level        string           `json:"level"`
	Detector     string           `json:"detector"`
	Change       string           `json:"change"`
	Base         *gatePlaceJSON   `json:"base"`
	Now          *gatePlaceJSON   `json:"now"`
	Text         string           `json:"text"`
	Why          string           `json:"why"`
	Allowed      *gateAllowedJSON `json:"allowed,omitzero"`
	Inconclusive bool             `json:"inconclusive,omitzero"`
}

type gateRuleJSON struct {
	Rule     string            `json:"rule"`
	Level    string            `json:"level"`
	Bound    string            `json:"bound,omitzero"`
	Limit    *float64          `json:"limit,omitzero"`
	Status   string            `json:"status"`
	What     string            `json:"what"`
	Sessions int               `json:"sessions"` // looked at
	Findings []gateFindingJSON `json:"findings"`
}

type gateFlipJSON struct {
	Session string         `json:"session"`
	Level   string         `json:"level"`
	What    string         `json:"what"`
	From    string         `json:"from"`
	To      string         `json:"to"`
	Base    *gatePlaceJSON `json:"base"`
	Now     *gatePlaceJSON `json:"now"`
}

type gateSideJSON struct {
	Tool          string `json:"tool"`
	Preset        string `json:"preset"`
	PresetDigest  string `json:"preset_digest"`
	Configuration string `json:"configuration_digest"`
	Corpus        string `json:"corpus_digest"`
	Labels        string `json:"label_digest"`
	Sessions      int    `json:"sessions"`
}

type gateResultJSON struct {
	Verdict      string              `json:"verdict"`
	Headline     string              `json:"headline"`
	Inconclusive string              `json:"inconclusive"`
	Notes        []string            `json:"notes"`
	Compared     int                 `json:"compared"`
	Rules        []gateRuleJSON      `json:"rules"`
	Flips        []gateFlipJSON      `json:"flips"`
	Known        []gateFindingJSON   `json:"known_false_stops"`
	Added        []string            `json:"added"`
	Removed      []string            `json:"removed"`
	Changed      []string            `json:"changed"`
	Relabelled   []string            `json:"relabelled"`
	Settings     []map[string]string `json:"settings"`
	Numbers      []map[string]any    `json:"numbers"`
	Base         gateSideJSON        `json:"base"`
	Now          gateSideJSON        `json:"now"`
}

// gateJSON is complete: it has no caps.
func gateJSON(w io.Writer, r *gate.Result) error {
	out := gateResultJSON{Verdict: string(r.Verdict), Headline: r.Headline(), Inconclusive: r.Inconclusive, Notes: r.Notes,
		Compared: r.Compared,
		Added:    some(r.Added), Removed: some(r.Removed), Changed: some(r.Changed), Relabelled: some(r.Relabelled),
		Rules: []gateRuleJSON{}, Flips: []gateFlipJSON{}, Known: []gateFindingJSON{}, Settings: []map[string]string{},
		Numbers: []map[string]any{},
		Base:    gateSideOf(&r.Base), Now: gateSideOf(&r.Now)}
	for i := range r.Rulings {
		ru := &r.Rulings[i]
		x := gateRuleJSON{Rule: ru.Name, Level: ru.Level, Status: string(ru.Status), What: ru.What, Sessions: len(ru.Cases),
			Findings: []gateFindingJSON{}}
		if ru.Bound != "" && ru.Level != "off" {
			x.Bound, x.Limit = ru.Bound, &ru.Limit
		}
		for j := range ru.Findings {
			x.Findings = append(x.Findings, gateFindingOf(&ru.Findings[j]))
		}
		out.Rules = append(out.Rules, x)
	}
	for i := range r.Flips {
		f := &r.Flips[i]
		out.Flips = append(out.Flips, gateFlipJSON{f.Session, f.Level, f.What, string(f.From), string(f.To),
			gatePlaceOf(f.Base), gatePlaceOf(f.Now)})
	}
	for i := range r.Known {
		out.Known = append(out.Known, gateFindingOf(&r.Known[i]))
	}
	for _, s := range r.Settings {
		out.Settings = append(out.Settings, map[string]string{"id": s.ID, "base": s.Base, "now": s.Now})
	}
	for i := range r.Numbers {
		m := &r.Numbers[i]
		out.Numbers = append(out.Numbers, map[string]any{"metric": m.Name(), "base": valueOf(m.Base), "now": valueOf(m.Cell)})
	}
	raw, err := json.Marshal(out, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(CleanJSON(raw), '\n'))
	return err
}

func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func gateSideOf(s *gate.Side) gateSideJSON {
	return gateSideJSON{s.Tool, s.Preset, s.PresetDigest, s.SetDigest, s.Corpus, s.Labels, s.Sessions}
}

func gatePlaceOf(p *gate.Place) *gatePlaceJSON {
	if p == nil {
		return nil
	}
	return &gatePlaceJSON{p.Run, p.Call, p.Line, string(p.Phase), p.Detector, p.Verdict.String()}
}

func gateFindingOf(f *gate.Finding) gateFindingJSON {
	out := gateFindingJSON{Result: f.Mark(), Session: f.Session, File: f.File, Level: f.Level, Detector: f.Detector,
		Change: f.Change,
		Base:   gatePlaceOf(f.Base), Now: gatePlaceOf(f.Now), Text: f.Text, Why: f.Why, Inconclusive: f.Open}
	if e := f.Allowed; e != nil {
		out.Allowed = &gateAllowedJSON{e.Owner, e.Reason, e.Expires, e.From}
	}
	return out
}
