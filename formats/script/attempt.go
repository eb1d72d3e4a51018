package script

import (
	"fmt"
	"strconv"
	"strings"

	"groundhog/replay/transcript"
)

// maxStatus is the largest HTTP status. A slip such as 5290 is found.
const maxStatus = 999

// attemptOptions are what may follow the text.
const attemptOptions = "wait=DURATION, retry-after=DURATION, code=NAME, scope=NAME or phase=PHASE"

// afterCall is the phase of a stream that broke off behind a complete tool call.
const afterCall = "after-call"

// attempt reads STATUS [TYPE] [TEXT] and options.
func (st *statement) attempt() (a transcript.Attempt, err error) {
	a = transcript.Attempt{Delay: -1, RetryAfter: -1, Line: st.line}
	if !st.more() {
		return a, fmt.Errorf("expected an HTTP status, or 0 for none")
	}
	word := st.take()
	a.Status, err = strconv.Atoi(word)
	if err != nil || a.Status < 0 || a.Status > maxStatus {
		return a, fmt.Errorf("expected an HTTP status, or 0 for none, found %s", excerpt([]byte(word)))
	}
	if st.more() && st.rest[0] != '"' && !st.atOption() {
		if a.Type, err = st.name("a type"); err != nil {
			return a, err
		}
	}
	// A type that is no plain word stands in quotes, and then the text follows it.
	var quoted []string
	for len(quoted) < 2 && st.atQuote() {
		text, err := st.quoted("a JSON string")
		if err != nil {
			return a, err
		}
		quoted = append(quoted, text)
	}
	if len(quoted) == 2 {
		if a.Type != "" {
			return a, fmt.Errorf("expected %s after the text", attemptOptions)
		}
		a.Type, quoted = quoted[0], quoted[1:]
	}
	a.Message = strings.Join(quoted, "")
	for st.more() {
		if err := st.attemptOption(&a); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (st *statement) attemptOption(a *transcript.Attempt) (err error) {
	found := st.rest
	switch key := st.key(); key {
	case "wait":
		a.Delay, err = st.duration(key)
	case "retry-after":
		a.RetryAfter, err = st.duration(key)
	case "code":
		a.Code, err = st.name("a name after code=")
	case "scope":
		a.Scope, err = st.name("a name after scope=")
	case "phase":
		switch word := st.take(); word {
		case "request", "stream":
			a.Phase = word
		case afterCall:
			a.Phase, a.AfterCall = "stream", true
		default:
			err = fmt.Errorf("expected request, stream or after-call after phase=, found %s", excerpt([]byte(word)))
		}
	default:
		err = fmt.Errorf("expected a text in quotes, %s, found %s", attemptOptions, excerpt(found))
	}
	return err
}

// atOption reports whether KEY= comes next. Nothing is taken.
func (c *scanner) atOption() bool {
	ahead := *c
	return ahead.key() != ""
}
