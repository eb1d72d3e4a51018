package cli

import (
	"fmt"
	"strconv"
	"strings"

	"groundhog/corpus"
	"groundhog/report/render"
)

func clean(format string, args ...any) string { return render.Clean(fmt.Sprintf(format, args...)) }

// spanHelp is how a loop is written on the command line and in an answer.
const spanHelp = "onset=CALL end=CALL, and as needed run=N ideal=CALL shape=WORD incident=NAME id=NAME gap=true " +
	"escaped=true censored=true"

// setSpan takes KEY=VALUE as a part of a span.
func setSpan(s *corpus.Span, part string) error {
	key, v, ok := strings.Cut(part, "=")
	if !ok {
		return fmt.Errorf("%q: expected %s", part, spanHelp)
	}
	var number *int
	var truth *bool
	switch key {
	case "onset":
		number = &s.Onset
	case "end":
		number = &s.End
	case "run":
		number = &s.Run
	case "ideal":
		s.IdealStop = new(int)
		number = s.IdealStop
	case "gap":
		truth = &s.KnownGap
	case "escaped":
		truth = &s.Escaped
	case "censored":
		truth = &s.Censored
	case "shape":
		s.Shape = v
	case "incident":
		s.Incident = v
	case "id":
		s.ID = v
	default:
		return fmt.Errorf("unknown key %q: expected %s", key, spanHelp)
	}
	var err error
	if number != nil {
		if *number, err = strconv.Atoi(v); err != nil {
			return fmt.Errorf("%s=%s: expected a number of a call or run", key, v)
		}
	}
	if truth != nil {
		if *truth, err = strconv.ParseBool(v); err != nil {
			return fmt.Errorf("%s=%s: expected true or false", key, v)
		}
	}
	return nil
}

// parsePlace reads CALL, or RUN:CALL.
func parsePlace(s string) (p corpus.Place, err error) {
	run, call, two := strings.Cut(s, ":")
	if !two {
		run, call = "0", s
	}
	var err1, err2 error
	p.Run, err1 = strconv.Atoi(run)
	p.Call, err2 = strconv.Atoi(call)
	if err1 != nil || err2 != nil {
		return p, fmt.Errorf("%q: expected CALL or RUN:CALL", s)
	}
	return p, nil
}

// parseStretch reads FROM-TO, or RUN:FROM-TO.
func parseStretch(s string) (t corpus.Stretch, err error) {
	from, to, ok := strings.Cut(s, "-")
	p, err := parsePlace(from)
	if err == nil && ok {
		t = corpus.Stretch{Run: p.Run, From: p.Call}
		if t.To, err = strconv.Atoi(to); err == nil {
			return t, nil
		}
	}
	return t, fmt.Errorf("%q: expected FROM-TO or RUN:FROM-TO, in calls", s)
}

// An answer is what a reviewer typed about a session.
type answer uint8

const (
	answered answer = iota
	skipped
	quit
)

// answerHelp is shown where an answer is asked for.
const answerHelp = `answers, one line:
  productive                     all of it is work
  loop onset=5 end=41 ideal=7    a loop from call to call; more loops follow each other
  gap onset=5 end=41             a loop that nobody is meant to catch
  tolerate 1-4                   after the above: calls where a fire is neither right nor wrong
  done 106                       the call after which the work is complete
  note TEXT                      to the end of the line
  skip, quit`

// parseAnswer reads a line into a label.
func parseAnswer(line string, l *corpus.Label) (answer, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return skipped, nil
	}
	said, work := false, false
	for i := 0; i < len(words); i++ {
		next := func(what string) (string, error) {
			if i++; i == len(words) {
				return "", fmt.Errorf("%s: expected more: %s", words[i-1], what)
			}
			return words[i], nil
		}
		switch w := words[i]; w {
		case "skip", "s":
			return skipped, nil
		case "quit", "q":
			return quit, nil
		case "productive", "p":
			said, work = true, true
		case "loop", "gap":
			s := corpus.Span{KnownGap: w == "gap"}
			for i+1 < len(words) && strings.Contains(words[i+1], "=") {
				i++
				if err := setSpan(&s, words[i]); err != nil {
					return answered, err
				}
			}
			l.Spans = append(l.Spans, s)
			said = true
		case "tolerate":
			s, err := next("FROM-TO")
			if err != nil {
				return answered, err
			}
			t, err := parseStretch(s)
			if err != nil {
				return answered, err
			}
			l.Tolerate = append(l.Tolerate, t)
		case "done":
			s, err := next("CALL")
			if err != nil {
				return answered, err
			}
			p, err := parsePlace(s)
			if err != nil {
				return answered, err
			}
			l.DoneAt = &p
		case "note":
			l.Note = strings.Join(words[i+1:], " ")
			i = len(words)
		default:
			return answered, fmt.Errorf("%q: expected productive, loop, gap, tolerate, done, note, skip or quit", w)
		}
	}
	if !said {
		return answered, fmt.Errorf("say productive, loop or gap too")
	}
	if work && len(l.Spans) > 0 {
		return answered, fmt.Errorf("a productive session has no loop in it")
	}
	return answered, nil
}
