package corpus

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kocoro's acceptance corpus speaks of traces. Each has a class, productive, loop or
// known_gap, with which its name begins (loop_identical_polling), and the signals that
// are expected of the detector: the calls of the first nudge and of the first stop, as
// N/M with 0 for none. 3-5/8 allows the nudge from call 3 to call 5.
//
// It does not say where a loop begins. It says that the earliest expected signal is
// right, and when the trace should be over. So the span of the label begins with that
// signal, its ideal stop is the expected stop, and it ends with the last call, cut by
// the end of the record. A fire before it is tolerated, since the corpus says neither
// that it is right nor that it is wrong.

// A Trace is what the acceptance corpus says about one session.
type Trace struct {
	Name  string // the session
	Class Class
	Nudge int // first call at which the first nudge is expected; 0 for none
	Stop  int // call at which the first stop is expected; 0 for none
	Calls int // of the trace
}

// beforeSignal is the reason for which calls before the first expected signal are
// tolerated.
const beforeSignal = "the acceptance corpus does not say where the loop begins"

// Label is what a trace says as a Label.
func (t *Trace) Label() (*Label, error) {
	l := &Label{Session: t.Name, Class: t.Class, Reviewed: "full", Source: "synthetic"}
	if t.Class == Productive {
		if t.Nudge > 0 || t.Stop > 0 {
			return nil, fmt.Errorf("trace %s is productive, and signals are expected: %d/%d", t.Name, t.Nudge, t.Stop)
		}
		return l, nil
	}
	first := cmp.Or(t.Nudge, t.Stop)
	switch {
	case t.Class != Loop && t.Class != KnownGap:
		return nil, fmt.Errorf("trace %s: class %q is not productive, loop or known_gap, "+
			"and no such word begins the name", t.Name, t.Class)
	case first == 0:
		return nil, fmt.Errorf("trace %s: a %s without expected signals has no place: "+
			"give expected as NUDGE/STOP, 0 for none", t.Name, t.Class)
	case t.Calls < max(t.Nudge, t.Stop):
		return nil, fmt.Errorf("trace %s: signals are expected up to call %d of %d calls: "+
			"give calls, the length of the trace", t.Name, max(t.Nudge, t.Stop), t.Calls)
	case t.Stop > 0 && t.Stop < t.Nudge:
		return nil, fmt.Errorf("trace %s: the stop is expected at call %d, before the nudge at call %d",
			t.Name, t.Stop, t.Nudge)
	}
	span := Span{Onset: first, End: t.Calls, Censored: true, KnownGap: t.Class == KnownGap}
	if t.Stop > 0 {
		span.IdealStop = &t.Stop
	}
	l.Spans = []Span{span}
	if first > 1 {
		l.Tolerate = []Stretch{{From: 1, To: first - 1, Why: beforeSignal}}
	}
	return l, nil
}

// traceOf is the inverse of Label. kept is false if the label says more than a trace can.
func traceOf(l *Label) (t Trace, kept bool) {
	t = Trace{Name: l.Session, Class: l.Class}
	if l.Reviewed != "full" || l.Class == Unlabelled || len(l.Spans) > 1 || len(l.Positions) > 0 || l.DoneAt != nil {
		return t, false
	}
	for _, s := range l.Tolerate {
		if s.Why != beforeSignal {
			return t, false
		}
	}
	for i := range l.Spans {
		s := &l.Spans[i]
		if s.Run != 0 {
			return t, false
		}
		t.Nudge, t.Calls = s.Onset, s.End
		if s.IdealStop != nil && *s.IdealStop >= s.Onset {
			t.Stop = *s.IdealStop
		}
	}
	return t, true
}

// ReadAcceptance adds the labels of a file of traces: CSV with the columns trace, class,
// expected and calls, or JSONL with these keys. In JSONL, id and name may stand for
// trace, calls may be a list of the calls themselves, and other keys are ignored, so
// that the files of Kocoro's own corpus can be read.
func (ls *Labels) ReadAcceptance(path string) error {
	src, err := textOf(path)
	if err != nil {
		return err
	}
	return ls.parseAcceptance(path, bytes.TrimPrefix(src, []byte("\ufeff")))
}

func (ls *Labels) parseAcceptance(path string, src []byte) error {
	var errs []error
	add := func(line int, t *Trace, err error) {
		where := fmt.Sprintf("%s:%d", path, line)
		var l *Label
		if err == nil {
			t.Class = cmp.Or(t.Class, classOfName(t.Name))
			l, err = t.Label()
		}
		if err != nil {
			errs = append(errs, &LabelError{where, err.Error()})
			return
		}
		errs = append(errs, ls.Add(l, where))
	}
	if filepath.Ext(path) == ".csv" {
		errs = append(errs, traceRows(path, src, add))
		return errors.Join(errs...)
	}
	n := 0
	for line := range bytes.Lines(src) {
		n++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			t, err := traceLine(line)
			add(n, &t, err)
		}
	}
	return errors.Join(errs...)
}

// classOfName is the class with which a part of a name begins. Names have parts because
// a trace may be replayed in several ways.
func classOfName(name string) Class {
	for part := range strings.SplitSeq(name, "/") {
		for _, class := range []Class{Productive, Loop, KnownGap} {
			if strings.HasPrefix(part, string(class)+"_") {
				return class
			}
		}
	}
	return ""
}

// traceLine reads a trace from a line of JSON.
func traceLine(line []byte) (t Trace, err error) {
	var o struct {
		Trace, ID, Name string
		Class           Class
		Expected        string
		Calls           jsontext.Value
	}
	if err := json.Unmarshal(line, &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		return t, errors.New(oneLine(err))
	}
	t.Name, t.Class = cmp.Or(o.Trace, o.ID, o.Name), o.Class
	if t.Class == "known-gap" {
		t.Class = KnownGap
	}
	switch o.Calls.Kind() {
	case '[':
		var calls []jsontext.Value
		if err := json.Unmarshal(o.Calls, &calls); err != nil {
			return t, errors.New(oneLine(err))
		}
		t.Calls = len(calls)
	case '0':
		if err := json.Unmarshal(o.Calls, &t.Calls); err != nil {
			return t, errors.New(oneLine(err))
		}
	}
	t.Nudge, t.Stop, err = signals(o.Expected)
	return t, err
}

// signals reads NUDGE/STOP. If the nudge is a range of calls its first counts.
func signals(s string) (nudge, stop int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	first, second, ok := strings.Cut(s, "/")
	first, _, _ = strings.Cut(first, "-")
	nudge, err1 := strconv.Atoi(strings.TrimSpace(first))
	stop, err2 := strconv.Atoi(strings.TrimSpace(second))
	if !ok || err1 != nil || err2 != nil || nudge < 0 || stop < 0 {
		return 0, 0, fmt.Errorf("expected signals %q: write the calls of the first nudge and the first stop as 3/6, "+
			"0 for none", s)
	}
	return nudge, stop, nil
}

// traceRows reads traces from CSV and gives each to add, with its line.
func traceRows(path string, src []byte, add func(int, *Trace, error)) error {
	r := csv.NewReader(bytes.NewReader(src))
	header, err := r.Read()
	if err != nil {
		return &LabelError{path, csvError(err)}
	}
	for _, name := range header {
		if columns := []string{"trace", "class", "expected", "calls"}; !slices.Contains(columns, name) {
			msg := fmt.Sprintf("unknown column %q: expected %s", name, strings.Join(columns, ", "))
			return &LabelError{path + ":1", msg}
		}
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &LabelError{path, csvError(err)}
		}
		line, _ := r.FieldPos(0)
		row := csvRow{cells: cells, header: header}
		t := Trace{Name: row.text("trace"), Class: Class(row.text("class")), Calls: row.int("calls")}
		if t.Class == "known-gap" {
			t.Class = KnownGap
		}
		if row.err == nil {
			t.Nudge, t.Stop, row.err = signals(row.text("expected"))
		}
		add(line, &t, row.err)
	}
}

// WriteAcceptance writes labels as traces, in CSV. left are the sessions whose label says
// more than a trace can; they are not written.
func WriteAcceptance(labels []*Label) (out []byte, left []string, err error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	w.Write([]string{"trace", "class", "expected", "calls"})
	for _, l := range labels {
		t, kept := traceOf(l)
		if !kept {
			left = append(left, l.Session)
			continue
		}
		w.Write([]string{t.Name, string(t.Class), fmt.Sprintf("%d/%d", t.Nudge, t.Stop), unlessZero(t.Calls)})
	}
	w.Flush()
	return buf.Bytes(), left, w.Error()
}
