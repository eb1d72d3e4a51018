package detectortest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"groundhog/formats/record"
)

// A want is what a comment expects of its line: that a detector fires there.
//
//	call bash {"cmd":"make"} x3   # want @3 nudge exact_duplicate "3 times"; block other
type want struct {
	line     int            // from 1
	repeat   int            // index, from 1, of the call or step that the line makes
	verdict  string         // annotate, nudge, block, force_stop
	detector string         // as written: with or without its family
	pattern  *regexp.Regexp // matches the explanation; nil if any will do
}

var verdicts = []string{"annotate", "nudge", "block", "force_stop"}

// readWants gives the expectations in the comments of a .session file, in order.
// The error is the first that is not understood, with its line.
func readWants(src []byte) (list []want, err error) {
	num := 0
	for line := range bytes.Lines(record.Clean(src)) {
		num++
		word, text := expectation(strings.Trim(string(line), " \t\r\n"))
		if text == "" {
			continue
		}
		if !slices.Contains([]string{"call", "say", "step"}, word) {
			return list, fmt.Errorf(":%d: a want stands at the end of a call, say or step line", num)
		}
		for {
			w := want{line: num, repeat: 1}
			if text, err = w.read(text); err != nil {
				return list, fmt.Errorf(":%d: %w", num, err)
			}
			list = append(list, w)
			if text == "" {
				break
			}
			if text[0] != ';' {
				return list, fmt.Errorf(":%d: expected a semicolon or the end of the line after a want, found %q", num, strings.TrimSpace(text))
			}
			text = text[1:]
		}
	}
	return list, nil
}

// expectation is the statement that a line is and what follows "# want" behind
// it. A # inside a text in quotes begins no comment, and in bare text only
// "# want" does.
func expectation(line string) (word, text string) {
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	word, rest, _ := strings.Cut(line, " ")
	for at := 0; at < len(rest); at++ {
		switch {
		case rest[at] == '"':
			if _, n, err := record.First([]byte(rest[at:])); err == nil {
				at += n - 1
			}
		case rest[at] == '#' && (at == 0 || rest[at-1] == ' ' || rest[at-1] == '\t'):
			text, ok := strings.CutPrefix(strings.TrimLeft(rest[at+1:], " \t"), "want")
			if ok && (text == "" || text[0] == ' ' || text[0] == '\t') {
				return word, text + " "
			}
		}
	}
	return word, ""
}

// read reads one expectation and gives what follows it.
func (w *want) read(text string) (rest string, err error) {
	first, text := cutWord(text)
	if index, ok := strings.CutPrefix(first, "@"); ok {
		if w.repeat, err = strconv.Atoi(index); err != nil || w.repeat < 1 {
			return "", fmt.Errorf("expected @1 or more, found %q", first)
		}
		first, text = cutWord(text)
	}
	if !slices.Contains(verdicts, first) {
		return "", fmt.Errorf("expected one of %s after want, found %q", strings.Join(verdicts, ", "), first)
	}
	w.verdict = first
	if w.detector, text = cutWord(text); w.detector == "" || w.detector[0] == '"' {
		return "", errors.New("expected the name of a detector after " + w.verdict)
	}
	if text == "" || text[0] != '"' {
		return text, nil
	}
	v, n, err := record.First([]byte(text))
	if err != nil {
		return "", fmt.Errorf("expected a regular expression as a JSON string: %w", err)
	}
	w.pattern, err = regexp.Compile(v.Text())
	return strings.TrimLeft(text[n:], " \t"), err
}

// cutWord splits off the first word of an expectation.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	n := strings.IndexAny(text, "; \t")
	if n < 0 {
		n = len(text)
	}
	return text[:n], strings.TrimLeft(text[n:], " \t")
}
