package script

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// A Want is what a test expects of a line: that a detector fires there.
type Want struct {
	Line     int            // 1-based
	Repeat   int            // the how-manieth call or step that the line makes, from 1
	Verdict  string         // annotate, nudge, block, force_stop
	Detector string         // as written: with or without its family
	Pattern  *regexp.Regexp // matches the explanation; nil if any will do
}

var verdicts = []string{"annotate", "nudge", "block", "force_stop"}

// Wants gives the expectations in the comments of a file, in order. Statements
// with mistakes are left to the reader. The error is the first want that is not
// understood, a *formats.SyntaxError without a file name.
func Wants(src []byte) ([]Want, error) {
	var wants []Want
	var first error
	line, around := 0, 1
	for data := range bytes.Lines(bytes.TrimPrefix(src, bom)) {
		line++
		st, ok := open(bytes.TrimRight(data, "\r\n"), line)
		if !ok {
			continue
		}
		text, times := expectation(st)
		if st.word == "step" && !st.indented {
			around = max(times, 1)
		}
		if text == "" {
			continue
		}
		limit := max(times, 1)
		if st.indented {
			limit *= around
		}
		list, err := readWants(text, line, limit)
		switch st.word {
		case "call", "say", "step":
		default:
			err = errors.New("a want stands at the end of a call, say or step line")
		}
		if err != nil && first == nil {
			first = &formats.SyntaxError{Line: line, Msg: err.Error()}
		}
		if err == nil {
			wants = append(wants, list...)
		}
	}
	return wants, first
}

// expectation is what follows "# want" at the end of a statement, and how often
// the statement is repeated.
func expectation(st *statement) (text string, times int) {
	switch st.word {
	case "call":
		var call transcript.Call
		first, _ := open(append([]byte("call "), substitute(st.rest, 1)...), st.line)
		times, _ = first.call(&call)
		st.scanner = first.scanner
	case "step":
		times, _ = st.times()
		st.more()
	case "delta":
		st.take()
		_, _ = st.text()
	case "user", "inject", "system", "compact", "say", "think", "text":
		_, _ = st.text()
	case "label":
	default:
		for st.more() {
			st.take()
		}
	}
	text = strings.TrimLeft(strings.TrimPrefix(string(st.comment), "#"), blanks)
	text, ok := strings.CutPrefix(text, "want")
	if !ok || text != "" && !strings.Contains(blanks, text[:1]) {
		return "", times
	}
	return text + " ", times
}

// readWants reads expectations that are separated by semicolons.
func readWants(text string, line, limit int) (list []Want, err error) {
	for {
		w := Want{Line: line, Repeat: 1}
		if text, err = w.read(text, limit); err != nil {
			return nil, err
		}
		list = append(list, w)
		if text == "" {
			return list, nil
		}
		if text[0] != ';' {
			return nil, fmt.Errorf("expected a semicolon or the end of the line after a want, found %s", excerpt([]byte(text)))
		}
		text = text[1:]
	}
}

// read reads one expectation and gives what follows it.
func (w *Want) read(text string, limit int) (string, error) {
	word, text := wantWord(text)
	if at, ok := strings.CutPrefix(word, "@"); ok {
		n, err := strconv.Atoi(at)
		if err != nil || n < 1 || n > limit {
			return "", fmt.Errorf("expected @1 to @%d, as often as the line is repeated, found %s", limit, excerpt([]byte(word)))
		}
		w.Repeat = n
		word, text = wantWord(text)
	}
	if !slices.Contains(verdicts, word) {
		return "", fmt.Errorf("expected one of %s after want, found %s", words(verdicts), excerpt([]byte(word)))
	}
	w.Verdict = word
	if w.Detector, text = wantWord(text); w.Detector == "" || w.Detector[0] == '"' {
		return "", fmt.Errorf("expected the name of a detector after %s", w.Verdict)
	}
	if text == "" || text[0] != '"' {
		return text, nil
	}
	raw, n, err := valueOf([]byte(text))
	if err != nil {
		return "", fmt.Errorf("expected a regular expression as a JSON string: %w", err)
	}
	if w.Pattern, err = regexp.Compile(formats.Unquote(raw)); err != nil {
		return "", err
	}
	return strings.TrimLeft(text[n:], blanks), nil
}

// wantWord splits off the first word of an expectation.
func wantWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, blanks)
	n := strings.IndexAny(text, ";"+blanks)
	if n < 0 {
		n = len(text)
	}
	return text[:n], strings.TrimLeft(text[n:], blanks)
}
