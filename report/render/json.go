package render

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/report"
	"groundhog/report/stat"
)

// JSON writes a report for a machine: rows are objects with the columns' keys,
// a share carries its counts, interval, method and level.
func JSON(w io.Writer, r *report.Report) error {
	out := reportJSON{Title: r.Title, Notes: r.Notes, Sections: []sectionJSON{}}
	for i := range r.Sections {
		out.Sections = append(out.Sections, sectionOf(&r.Sections[i]))
	}
	if r.Partial != nil {
		out.Partial, out.Done, out.Sessions = true, r.Partial.Done, r.Partial.Of
	}
	raw, err := json.Marshal(out, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(CleanJSON(raw), '\n'))
	return err
}

type reportJSON struct {
	Title    string        `json:"title"`
	Notes    []string      `json:"notes"`
	Sections []sectionJSON `json:"sections"`

	Partial  bool `json:"partial,omitzero"` // the run was interrupted
	Done     int  `json:"sessions_done,omitzero"`
	Sessions int  `json:"sessions_found,omitzero"`
}

type sectionJSON struct {
	Key   string           `json:"key"`
	Title string           `json:"title"`
	Doc   string           `json:"doc,omitempty"`
	Rows  []map[string]any `json:"rows"`
	Lines []string         `json:"lines,omitempty"`
}

func sectionOf(s *report.Section) sectionJSON {
	out := sectionJSON{Key: s.Key, Title: s.Title, Doc: s.Doc, Lines: s.Lines, Rows: []map[string]any{}}
	for _, row := range s.Rows {
		m := make(map[string]any, len(row))
		for i, c := range row {
			m[s.Columns[i].Key] = valueOf(c)
		}
		out.Rows = append(out.Rows, m)
	}
	return out
}

type shareJSON struct {
	N      int64    `json:"n"`
	D      int64    `json:"d"`
	Rate   *float64 `json:"rate"` // null if d is 0
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	Method string   `json:"method,omitempty"`
	Level  float64  `json:"level,omitempty"`
	Flag   string   `json:"flag,omitempty"`
	Tier   string   `json:"tier,omitempty"`
}

// computedJSON is a value that is no count of sessions.
type computedJSON struct {
	Value  float64  `json:"value"`
	N      *int64   `json:"n,omitempty"`
	D      *int64   `json:"d,omitempty"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
	Method string   `json:"method,omitempty"`
	Level  float64  `json:"level,omitempty"`
	Flag   string   `json:"flag,omitempty"`
	Least  bool     `json:"at_least,omitempty"`
	Same   bool     `json:"may_be_noise,omitempty"`
	Tier   string   `json:"tier,omitempty"`
}

func computedOf(c report.Cell) computedJSON {
	out := computedJSON{Value: c.P, Least: c.Least, Same: c.Same, Tier: c.Tier}
	if c.Kind == report.KindMean {
		n, d := c.N, c.D
		out.N, out.D, out.Value = &n, &d, float64(n)/float64(d)
	}
	if r := c.Range; r != nil {
		out.Lo, out.Hi, out.Method, out.Flag, out.Level = &r.Lo, &r.Hi, r.Method, r.Flag, stat.Level
	}
	return out
}

func valueOf(c report.Cell) any {
	switch c.Kind {
	case report.KindCount:
		if c.Tier == "C" || c.Tier == "H" {
			return map[string]any{"n": c.N, "tier": c.Tier}
		}
		return c.N
	case report.KindShare:
		s := shareJSON{N: c.N, D: c.D, Tier: c.Tier}
		if c.D == 0 {
			return s
		}
		rate := float64(c.N) / float64(c.D)
		lo, hi := c.Interval()
		s.Rate, s.Lo, s.Hi, s.Method, s.Level = &rate, &lo, &hi, "wilson", stat.Level
		switch {
		case c.Range != nil:
			s.Method, s.Flag = c.Range.Method, c.Range.Flag
		case c.N == 0:
			s.Method = "clopper-pearson one-sided"
		}
		return s
	case report.KindMean, report.KindPortion, report.KindNumber:
		return computedOf(c)
	case report.KindPerK:
		s := shareJSON{N: c.N, D: c.D, Tier: c.Tier}
		if c.D > 0 {
			rate := 1000 * float64(c.N) / float64(c.D)
			s.Rate = &rate
			if c.N == 0 {
				bound := c.Bound()
				s.Hi, s.Method, s.Level = &bound, "garwood one-sided, calls taken as independent", stat.Level
			}
		}
		return s
	case report.KindCounts:
		m := make(map[string]int64, len(c.List))
		for _, n := range c.List {
			m[n.Name] = n.N
		}
		return m
	case report.KindNull:
		return nil
	case report.KindWait:
		return c.N
	}
	return c.Text
}
