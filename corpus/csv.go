package corpus

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A CSV of labels has a flat row for each span, tolerated stretch and answer for
// a place; item says which. A label without any of them is one row without an
// item. What is said of the session is repeated in each of its rows, and rows
// of one label stand together.

// Columns of every row, and those of an item. from and to are a span's onset
// and end, and call is where an answer stands.
var (
	labelColumns = []string{"session", "class", "reviewed", "source", "labels_version", "annotators", "cluster", "done_run", "done_call", "note", "confidence"}
	itemColumns  = []string{"item", "id", "run", "from", "ideal_stop_after", "to", "censored", "escaped", "known_gap", "shape", "incident", "why", "call", "nudge_ok", "stop_ok", "by"}
)

// between separates annotators.
const between = ";"

// isCSV reports whether a file begins with columns of labels.
func isCSV(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	columns := strings.Split(strings.TrimSpace(string(first)), ",")
	return slices.Contains(columns, "session") && slices.ContainsFunc(columns, func(c string) bool { return one(c, "class", "reviewed", "item") })
}

func writeCSV(labels []*Label) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write(append(slices.Clone(labelColumns), itemColumns...))
	for _, l := range labels {
		head := l.cells()
		if i := slices.IndexFunc(l.Annotators, func(name string) bool { return strings.Contains(name, between) }); i >= 0 {
			return nil, fmt.Errorf("label of %s: annotator %q: a name with %s cannot stand in CSV", l.Session, l.Annotators[i], between)
		}
		rows := l.items()
		if len(rows) == 0 {
			rows = [][]string{make([]string, len(itemColumns))}
		}
		for _, item := range rows {
			row := append(slices.Clone(head), item...)
			if slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, "\r") }) {
				return nil, fmt.Errorf("label of %s: a text with a carriage return cannot stand in CSV", l.Session)
			}
			w.Write(row)
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// cells are what is said of the whole session, as labelColumns.
func (l *Label) cells() []string {
	doneRun, doneCall, confidence := "", "", ""
	if l.DoneAt != nil {
		doneRun, doneCall = strconv.Itoa(l.DoneAt.Run), strconv.Itoa(l.DoneAt.Call)
	}
	if l.Confidence != 0 {
		confidence = strconv.FormatFloat(l.Confidence, 'g', -1, 64)
	}
	return []string{l.Session, string(l.Class), l.Reviewed, l.Source, number(l.Version), strings.Join(l.Annotators, between), l.Cluster, doneRun, doneCall, l.Note, confidence}
}

// items are the rest, as itemColumns.
func (l *Label) items() [][]string {
	var rows [][]string
	for _, s := range l.Spans {
		ideal := ""
		if s.IdealStop != nil {
			ideal = strconv.Itoa(*s.IdealStop)
		}
		rows = append(rows, []string{"span", s.ID, strconv.Itoa(s.Run), strconv.Itoa(s.Onset), ideal, strconv.Itoa(s.End),
			flag(s.Censored), flag(s.Escaped), flag(s.KnownGap), s.Shape, s.Incident, s.Why, "", "", "", ""})
	}
	for _, t := range l.Tolerate {
		rows = append(rows, []string{"tolerate", "", strconv.Itoa(t.Run), strconv.Itoa(t.From), "", strconv.Itoa(t.To),
			"", "", "", "", "", t.Why, "", "", "", ""})
	}
	for _, p := range l.Positions {
		rows = append(rows, []string{"position", "", strconv.Itoa(p.Run), "", "", "", "", "", "", "", "", "",
			strconv.Itoa(p.Call), string(p.NudgeOK), string(p.StopOK), p.By})
	}
	return rows
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func flag(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// readCSV reads labels. Columns may stand in any order, and those that nobody
// needs may be left out.
func (ls *Labels) readCSV(path string, src []byte) error {
	if !utf8.Valid(src) {
		return &LabelError{path, "not UTF-8"}
	}
	r := csv.NewReader(bytes.NewReader(src))
	header, err := r.Read()
	if err != nil {
		return &LabelError{path, strings.TrimPrefix(err.Error(), "parse error on ")}
	}
	header = slices.Clone(header)
	for i, name := range header {
		if !one(name, labelColumns...) && !one(name, itemColumns...) {
			return &LabelError{path + ":1", fmt.Sprintf("unknown column %q: expected some of %s, %s", name, strings.Join(labelColumns, ", "), strings.Join(itemColumns, ", "))}
		}
		if slices.Contains(header[:i], name) {
			return &LabelError{path + ":1", fmt.Sprintf("column %q stands twice", name)}
		}
	}
	if !slices.Contains(header, "session") {
		return &LabelError{path + ":1", "no column session"}
	}
	var errs []error
	var open, head *Label // the label whose rows are being read, and what each of them says of the session
	broken := false       // some row of it made no sense
	from := ""
	flush := func() {
		if open != nil && !broken {
			errs = append(errs, ls.Add(open, from))
		}
		open = nil
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			flush()
			return errors.Join(errs...)
		}
		if err != nil {
			flush()
			return errors.Join(append(errs, &LabelError{path, strings.TrimPrefix(err.Error(), "parse error on ")})...)
		}
		line, _ := r.FieldPos(0)
		row := csvRow{cells: cells, header: header}
		l := row.label()
		if open == nil || !reflect.DeepEqual(head, l) {
			flush()
			first := *l
			open, head, broken, from = l, &first, false, fmt.Sprintf("%s:%d", path, line)
		}
		row.item(open)
		if row.err != nil {
			errs = append(errs, &LabelError{fmt.Sprintf("%s:%d", path, line), row.err.Error()})
			broken = true
		}
	}
}

// csvRow is a row under its header; err is the first cell that makes no sense.
type csvRow struct {
	cells, header []string
	err           error
}

func (r *csvRow) text(column string) string {
	if i := slices.Index(r.header, column); i >= 0 {
		return r.cells[i]
	}
	return ""
}

func (r *csvRow) int(column string) int {
	s := r.text(column)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		r.fail("%s: %q is no whole number", column, s)
	}
	return n
}

func (r *csvRow) bool(column string) bool {
	switch s := r.text(column); s {
	case "true", "1", "yes":
		return true
	case "", "false", "0", "no":
	default:
		r.fail("%s: %q is not true or false", column, s)
	}
	return false
}

func (r *csvRow) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// label is what a row says of the whole session.
func (r *csvRow) label() *Label {
	l := &Label{Session: r.text("session"), Class: Class(r.text("class")), Reviewed: r.text("reviewed"), Source: r.text("source"),
		Version: r.int("labels_version"), Cluster: r.text("cluster"), Note: r.text("note")}
	if s := r.text("annotators"); s != "" {
		l.Annotators = strings.Split(s, between)
	}
	if r.text("done_run") != "" || r.text("done_call") != "" {
		l.DoneAt = &Place{Run: r.int("done_run"), Call: r.int("done_call")}
	}
	if s := r.text("confidence"); s != "" {
		c, err := strconv.ParseFloat(s, 64)
		if err != nil {
			r.fail("confidence: %q is no number", s)
		}
		l.Confidence = c
	}
	return l
}

// item adds what a row says of a part of the session.
func (r *csvRow) item(l *Label) {
	switch item := r.text("item"); item {
	case "":
		for _, column := range itemColumns {
			if r.text(column) != "" {
				r.fail("%s: %q belongs to an item: expected span, tolerate or position in the column item", column, r.text(column))
			}
		}
	case "span":
		s := Span{ID: r.text("id"), Run: r.int("run"), Onset: r.int("from"), End: r.int("to"), Censored: r.bool("censored"), Escaped: r.bool("escaped"),
			KnownGap: r.bool("known_gap"), Shape: r.text("shape"), Incident: r.text("incident"), Why: r.text("why")}
		if r.text("ideal_stop_after") != "" {
			ideal := r.int("ideal_stop_after")
			s.IdealStop = &ideal
		}
		l.Spans = append(l.Spans, s)
	case "tolerate":
		l.Tolerate = append(l.Tolerate, Stretch{Run: r.int("run"), From: r.int("from"), To: r.int("to"), Why: r.text("why")})
	case "position":
		l.Positions = append(l.Positions, Position{Run: r.int("run"), Call: r.int("call"), NudgeOK: Answer(r.text("nudge_ok")), StopOK: Answer(r.text("stop_ok")), By: r.text("by")})
	default:
		r.fail("item: %q is not span, tolerate or position", item)
	}
}
