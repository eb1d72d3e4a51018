package detectors

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Param is one documented setting of a detector, a feature or a ladder.
type Param struct {
	ID      string // "kocoro/consecutive_duplicate.nudge"
	Doc     string
	Kind    ParamKind
	Default string
	Lo, Hi  int      // for Int: the range that makes sense; a value outside it is legal
	Options []string // for Choice
	Shape   bool     // changes what is measured, so a sweep needs a panel of its own
}

// ParamKind is the type of a Param's value.
type ParamKind uint8

const (
	Int ParamKind = iota
	Bool
	Choice
	Names // a set of names, written a,b,c
	Table // names for names, written a=b,c=d
)

// Settings are parameter values by id, in the form users type them.
type Settings map[string]string

// With returns the settings with those of over on top.
func (s Settings) With(over Settings) Settings {
	out := make(Settings, len(s)+len(over))
	maps.Copy(out, s)
	maps.Copy(out, over)
	return out
}

// maxInt bounds every integer parameter: a window of a billion calls is a typo.
const maxInt = 1_000_000

// Params binds parameters to fields in the manner of flag.FlagSet. A Shape or
// Limits function is called once to learn what exists and again for each
// assignment. The first error is kept and reported by whoever binds.
type Params struct {
	prefix string // "kocoro/consecutive_duplicate."
	shape  bool
	set    Settings
	learnt []Param
	err    error
}

// bind fills dst from settings and reports the parameters it met.
func Bind[T any](dst *T, f func(*T, *Params), prefix string, shape bool, set Settings) ([]Param, error) {
	if f == nil {
		return nil, nil
	}
	p := &Params{prefix: prefix, shape: shape, set: set}
	f(dst, p)
	return p.learnt, p.err
}

func (p *Params) learn(q Param) (value string) {
	q.ID, q.Shape = p.prefix+q.ID, p.shape
	if p.set == nil { // without settings the question may be what there is
		p.learnt = append(p.learnt, q)
	}
	if v, ok := p.set[q.ID]; ok {
		return v
	}
	return q.Default
}

func (p *Params) fail(name, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s%s: %s", p.prefix, name, fmt.Sprintf(format, args...))
	}
}

// Refuse reports a value that cannot be replayed: an answer for another value
// would be a wrong one. A value that is merely unusual is bound.
func (p *Params) Refuse(name, why string) { p.fail(name, "%s", why) }

// Int binds a whole number, at least 0.
func (p *Params) Int(dst *int, name string, def, lo, hi int, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Int, Default: strconv.Itoa(def), Lo: lo, Hi: hi})
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxInt {
		p.fail(name, "%q is not a whole number from 0 to %d", v, maxInt)
		return
	}
	*dst = n
}

// Bool binds true or false.
func (p *Params) Bool(dst *bool, name string, def bool, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Bool, Default: strconv.FormatBool(def)})
	switch v {
	case "true":
		*dst = true
	case "false":
		*dst = false
	default:
		p.fail(name, "%q is neither true nor false", v)
	}
}

// Choice binds one of several words.
func (p *Params) Choice(dst *string, name, def string, options []string, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Choice, Default: def, Options: options})
	if !slices.Contains(options, v) {
		p.fail(name, "%q is not one of %s", v, strings.Join(options, ", "))
		return
	}
	*dst = v
}

// Names binds a set of names. The empty value is the empty set.
func (p *Params) Names(dst *map[string]bool, name string, def []string, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Names, Default: strings.Join(def, ",")})
	set := make(map[string]bool)
	for _, word := range strings.Split(v, ",") {
		if word = strings.TrimSpace(word); word != "" {
			set[word] = true
		}
	}
	*dst = set
}

// Table binds a mapping of names to names. The empty value is the empty table.
func (p *Params) Table(dst *map[string]string, name, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Table})
	table := make(map[string]string)
	for _, pair := range strings.Split(v, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		from, to, ok := strings.Cut(pair, "=")
		if from, to = strings.TrimSpace(from), strings.TrimSpace(to); !ok || from == "" || to == "" {
			p.fail(name, "%q: expected FROM=TO", pair)
			return
		}
		table[from] = to
	}
	*dst = table
}

// Given reports whether the settings name a parameter, and do not leave it at
// its default.
func (p *Params) Given(name string) bool {
	_, ok := p.set[p.prefix+name]
	return ok
}

// maxMillis bounds times in settings: what a timer can wait.
const maxMillis = math.MaxInt32

// Millis binds a time in whole milliseconds, from lo up.
func (p *Params) Millis(dst *time.Duration, name string, def time.Duration, lo, hi int, doc string) {
	v := p.learn(Param{ID: name, Doc: doc, Kind: Int, Default: strconv.FormatInt(int64(def/time.Millisecond), 10),
		Lo: lo, Hi: hi})
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < int64(min(lo, 1)) || n > maxMillis {
		p.fail(name, "%q is not a whole number of milliseconds from %d to %d", v, min(lo, 1), int64(maxMillis))
		return
	}
	*dst = time.Duration(n) * time.Millisecond
}

// Count binds a number of retries; "none" means that no count applies.
func (p *Params) Count(dst *int, name string, def, hi int, doc string) {
	text := func(n int) string {
		if n < 0 {
			return "none"
		}
		return strconv.Itoa(n)
	}
	v := p.learn(Param{ID: name, Doc: doc, Kind: Int, Default: text(def), Lo: 0, Hi: hi})
	if v == "none" {
		*dst = -1
		return
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxInt {
		p.fail(name, "%q is not a whole number from 0 to %d, or none", v, maxInt)
		return
	}
	*dst = n
}
