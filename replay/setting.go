package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundhog/detectors"
)

// This file and axis.go hold the one grammar of what users type about parameters,
// of presets and of retry policies alike:
//
//	ID=VALUE               a setting
//	ID=VALUES              an axis (ParseAxis)
//	30000, 30s, 1m30s      a time, where the id ends in _ms
//
// An ID may leave out the family where that is unambiguous. A value is checked
// where it is bound (detectors.Params), so that the error can name its range.

// ErrNoParam says that no parameter has the id that was typed. The error around it
// names the id; which ones are near is for the caller to say, who knows where the
// parameters come from.
var ErrNoParam = errors.New("no such parameter")

// FindParam finds the parameter of an id among params, in which one id may stand
// several times. A full id wins over a short one, which lacks the family
// ("exact_duplicate.nudge"). The error is ErrNoParam if there is none, and names
// two ids if the short one means both.
func FindParam(params []detectors.Param, id string) (*detectors.Param, error) {
	var short *detectors.Param
	var other string // another parameter that the short id means
	for i := range params {
		q := &params[i]
		if q.ID == id {
			return q, nil
		}
		if _, rest, ok := strings.Cut(q.ID, "/"); !ok || rest != id {
			continue
		}
		if short == nil {
			short = q
		} else if q.ID != short.ID && other == "" {
			other = q.ID
		}
	}
	switch {
	case other != "":
		return nil, fmt.Errorf("%q is ambiguous: %s or %s", id, short.ID, other)
	case short == nil:
		return nil, fmt.Errorf("%q: %w", id, ErrNoParam)
	}
	return short, nil
}

// A Setting is a parameter and the value that it is given.
type Setting struct {
	Param detectors.Param
	Value string // as detectors.Settings hold it: a time in whole milliseconds
}

// ParseSetting reads ID=VALUE, where the parameter is one of params.
func ParseSetting(params []detectors.Param, spec string) (Setting, error) {
	id, value, err := SplitSetting(spec)
	if err != nil {
		return Setting{}, err
	}
	q, err := FindParam(params, id)
	if err != nil {
		return Setting{}, err
	}
	return Setting{*q, canonical(q, value)}, nil
}

// SplitSetting cuts ID=VALUE in two and looks nothing up. The value may be empty:
// an empty set of names is one.
func SplitSetting(spec string) (id, value string, err error) {
	id, value, ok := strings.Cut(spec, "=")
	if !ok || id == "" {
		return "", "", fmt.Errorf("%q: expected ID=VALUE, such as exact_duplicate.nudge=5", spec)
	}
	return id, value, nil
}

// canonical is a value as it is stored and compared, so that 5, 05 and +5 are one
// value, and so are 30000, 30s and 0.5m. What cannot be read is left as it is, for
// whoever binds it to refuse: a count may be "none".
func canonical(q *detectors.Param, value string) string {
	if q.Kind != detectors.Int {
		return value
	}
	if n, ok := number(q, value); ok {
		return strconv.Itoa(n)
	}
	return value
}

// number reads the value of an Int parameter: a whole number from 0, or a time if
// the parameter is one.
func number(q *detectors.Param, word string) (n int, ok bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return n, n >= 0
	}
	if !strings.HasSuffix(q.ID, "_ms") {
		return 0, false
	}
	return milliseconds(word)
}

// milliseconds reads a time with its unit, such as 30s or 1m30s, which must come
// to whole milliseconds.
func milliseconds(word string) (n int, ok bool) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 || d%time.Millisecond != 0 {
		return 0, false
	}
	return int(d / time.Millisecond), true
}

// distinct leaves out every value that stands before.
func distinct(list []string) []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(v string) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}
