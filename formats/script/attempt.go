package script

import (
	"fmt"
	"strconv"
	"strings"

	"groundhog/replay/transcript"
)

// maxStatus is the largest HTTP status. A slip such as 5290 is found.
const maxStatus = 999

// attempt reads STATUS [TYPE] [TEXT] [wait=DURATION] [retry-after=DURATION].
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
			return a, fmt.Errorf("expected wait= or retry-after= after the text")
		}
		a.Type, quoted = quoted[0], quoted[1:]
	}
	a.Message = strings.Join(quoted, "")
	for st.more() {
		found := st.rest
		switch key := st.key(); key {
		case "wait":
			a.Delay, err = st.duration(key)
		case "retry-after":
			a.RetryAfter, err = st.duration(key)
		default:
			err = fmt.Errorf("expected a text in quotes, wait=DURATION or retry-after=DURATION, found %s", excerpt(found))
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// atOption reports whether KEY= comes next. Nothing is taken.
func (c *scanner) atOption() bool {
	ahead := *c
	return ahead.key() != ""
}
