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

// A CSV of labels has a row for each span, tolerated stretch and answered position;
// column item says which. A label without any of them has one row without an item. What
// is said of the session as a whole is repeated in each of its rows, and the rows of a
// label stand together.

// labelColumns belong to the session as a whole, itemColumns to an item. from and to are
// a span's onset and end or the ends of a stretch, and call is that of a position.
var (
	labelColumns = []string{
		"session", "class", "reviewed", "source", "labels_version", "annotators", "cluster", "done_run", "done_call",
		"note", "confidence",
	}
	itemColumns = []string{
		"item", "id", "run", "from", "ideal_stop_after", "to", "censored", "escaped", "known_gap", "shape", "incident",
		"why", "call", "nudge_ok", "stop_ok", "by",
	}
)

// annotatorSep separates annotators.
const annotatorSep = ";"

// isCSV reports whether a file begins with columns of labels.
func isCSV(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	columns := strings.Split(strings.TrimSpace(string(first)), ",")
	has := func(name string) bool { return slices.Contains(columns, name) }
	return has("session") && (has("class") || has("reviewed") || has("item"))
}

// writeCSV writes labels in the order given.
func writeCSV(labels []*Label) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write(append(slices.Clone(labelColumns), itemColumns...))
	for _, l := range labels {
		head := l.cells()
		for _, name := range l.Annotators {
			if strings.Contains(name, annotatorSep) {
				return nil, fmt.Errorf("label of %s: annotator %q: a name with %s cannot stand in CSV",
					l.Session, name, annotatorSep)
			}
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

// cells are what is said of the session as a whole, as labelColumns.
func (l *Label) cells() []string {
	doneRun, doneCall, confidence := "", "", ""
	if l.DoneAt != nil {
		doneRun, doneCall = strconv.Itoa(l.DoneAt.Run), strconv.Itoa(l.DoneAt.Call)
	}
	if l.Confidence != 0 {
		confidence = strconv.FormatFloat(l.Confidence, 'g', -1, 64)
	}
	return []string{
		l.Session, string(l.Class), l.Reviewed, l.Source, unlessZero(l.Version),
		strings.Join(l.Annotators, annotatorSep), l.Cluster, doneRun, doneCall, l.Note, confidence,
	}
}

// items are the spans, stretches and positions, as itemColumns.
func (l *Label) items() [][]string {
	var rows [][]string
	for _, s := range l.Spans {
		ideal := ""
		if s.IdealStop != nil {
			ideal = strconv.Itoa(*s.IdealStop)
		}
		rows = append(rows, []string{
			"span", s.ID, strconv.Itoa(s.Run), strconv.Itoa(s.Onset), ideal, strconv.Itoa(s.End),
			ifTrue(s.Censored), ifTrue(s.Escaped), ifTrue(s.KnownGap), s.Shape, s.Incident, s.Why, "", "", "", "",
		})
	}
	for _, t := range l.Tolerate {
		rows = append(rows, []string{
			"tolerate", "", strconv.Itoa(t.Run), strconv.Itoa(t.From), "", strconv.Itoa(t.To),
			"", "", "", "", "", t.Why, "", "", "", "",
		})
	}
	for _, p := range l.Positions {
		rows = append(rows, []string{
			"position", "", strconv.Itoa(p.Run), "", "", "", "", "", "", "", "", "",
			strconv.Itoa(p.Call), string(p.NudgeOK), string(p.StopOK), p.By,
		})
	}
	return rows
}

// unlessZero is a number, or "" for 0.
func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ifTrue is "true", or "" for false.
func ifTrue(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// readCSV reads labels. Columns may be in any order, and all but session may be left out.
func (ls *Labels) readCSV(path string, src []byte) error {
	if !utf8.Valid(src) {
		return &LabelError{path, "not UTF-8"}
	}
	r := csv.NewReader(bytes.NewReader(src))
	header, err := r.Read()
	if err != nil {
		return &LabelError{path, csvError(err)}
	}
	header = slices.Clone(header)
	if err := checkHeader(header); err != nil {
		return &LabelError{path + ":1", err.Error()}
	}
	var errs []error
	var open *Label // the label whose rows are being read
	var head *Label // what each of them says of the session as a whole
	broken := false // some row of it makes no sense
	from := ""      // where it begins
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
			return errors.Join(append(errs, &LabelError{path, csvError(err)})...)
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

// checkHeader reports the first column that is wrong.
func checkHeader(header []string) error {
	all := slices.Concat(labelColumns, itemColumns)
	for i, name := range header {
		if !slices.Contains(all, name) {
			return fmt.Errorf("unknown column %q: expected some of %s", name, strings.Join(all, ", "))
		}
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("column %q stands twice", name)
		}
	}
	if !slices.Contains(header, "session") {
		return errors.New("no column session")
	}
	return nil
}

// csvError is a complaint of the CSV reader, which begins with the line.
func csvError(err error) string { return strings.TrimPrefix(err.Error(), "parse error on ") }

// A csvRow is a row under its header. err is about the first cell that makes no sense.
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

// label is what a row says of the session as a whole.
func (r *csvRow) label() *Label {
	l := &Label{
		Session: r.text("session"), Class: Class(r.text("class")),
		Reviewed: r.text("reviewed"), Source: r.text("source"), Version: r.int("labels_version"),
		Cluster: r.text("cluster"), Note: r.text("note"),
	}
	if s := r.text("annotators"); s != "" {
		l.Annotators = strings.Split(s, annotatorSep)
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

// item adds the span, stretch or position of a row.
func (r *csvRow) item(l *Label) {
	switch item := r.text("item"); item {
	case "":
		for _, column := range itemColumns {
			if r.text(column) != "" {
				r.fail("%s: %q belongs to an item: expected span, tolerate or position in the column item",
					column, r.text(column))
			}
		}
	case "span":
		s := Span{
			ID: r.text("id"), Run: r.int("run"), Onset: r.int("from"), End: r.int("to"),
			Censored: r.bool("censored"), Escaped: r.bool("escaped"), KnownGap: r.bool("known_gap"),
			Shape: r.text("shape"), Incident: r.text("incident"), Why: r.text("why"),
		}
		if r.text("ideal_stop_after") != "" {
			ideal := r.int("ideal_stop_after")
			s.IdealStop = &ideal
		}
		l.Spans = append(l.Spans, s)
	case "tolerate":
		l.Tolerate = append(l.Tolerate, Stretch{
			Run: r.int("run"), From: r.int("from"), To: r.int("to"), Why: r.text("why"),
		})
	case "position":
		l.Positions = append(l.Positions, Position{
			Run: r.int("run"), Call: r.int("call"),
			NudgeOK: Answer(r.text("nudge_ok")), StopOK: Answer(r.text("stop_ok")), By: r.text("by"),
		})
	default:
		r.fail("item: %q is not span, tolerate or position", item)
	}
}
