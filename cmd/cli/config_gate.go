package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"groundhog/report/gate"
)

// A gateRule is one rule of the gate and what follows where it is broken.
type gateRule struct {
	name  string
	bound string  // max or min, for rules with a limit; else ""
	limit float64 // of a rule that is not off
	level string  // error, warning, notice, off
	from  string
	doc   string
}

// defaultRules are the rules without a configuration.
func defaultRules() (list []gateRule) {
	for _, r := range gate.DefaultRules() {
		list = append(list, gateRule{name: r.Name, bound: r.Bound, limit: r.Limit, level: r.Level, doc: r.Doc})
	}
	return list
}

var gateLevels = gate.RuleLevels

// A gateException is a flip that somebody answers for. Nothing in it may be left out.
type gateException struct {
	session, detector, level, reason, owner, expires string
	from                                             string
}

// rules changes the rules that the file names.
func (f *configFile) rules(n *yaml.Node, rules []gateRule) {
	f.each(n, "gate.rules.", func(name string, v *yaml.Node) bool {
		i := slices.IndexFunc(rules, func(r gateRule) bool { return r.name == name })
		if i < 0 {
			return false
		}
		f.rule(v, &rules[i])
		return true
	})
}

// rule takes a level, or a limit with a level.
func (f *configFile) rule(n *yaml.Node, r *gateRule) {
	key := "gate.rules." + r.name
	off := r.level == "off" // until it is set
	r.from = f.at(n)
	if n.Kind == yaml.ScalarNode {
		if off && n.Value != "off" {
			f.fail(n, "%s: give a limit, {%s: NUMBER, level: error}", key, r.bound)
			return
		}
		f.level(n, key, r)
		return
	}
	limited := false
	if off {
		r.level = "error"
	}
	f.each(n, key+".", func(name string, v *yaml.Node) bool {
		switch {
		case name == "level":
			f.level(v, key+".level", r)
		case name == r.bound:
			w, _ := f.word(v, key+"."+name)
			x, err := strconv.ParseFloat(w, 64)
			if err != nil || !(x >= 0 && x < 1e9) {
				f.fail(v, "%s.%s: expected a number 0 or above, got %q", key, name, w)
			}
			r.limit, limited = x, true
		default:
			return false
		}
		return true
	})
	if off && !limited && r.level != "off" {
		f.fail(n, "%s: give a limit, {%s: NUMBER, level: error}", key, r.bound)
	}
	if strings.HasSuffix(r.name, "95") && limited && r.limit > 1 {
		f.fail(n, "%s: a rate is at most 1, got %v", key, r.limit)
	}
}

func (f *configFile) level(n *yaml.Node, key string, r *gateRule) {
	w, _ := f.word(n, key)
	if !slices.Contains(gateLevels, w) {
		f.fail(n, "%s: expected %s, got %q", key, strings.Join(gateLevels, ", "), w)
		return
	}
	r.level = w
}

// allow reads the exceptions.
func (f *configFile) allow(n *yaml.Node) []gateException {
	var list []gateException
	for _, item := range f.items(n, "gate.allow") {
		e := gateException{from: f.at(item)}
		fields := []struct {
			name string
			to   *string
		}{{"session", &e.session}, {"detector", &e.detector}, {"level", &e.level}, {"reason", &e.reason}, {"owner",
			&e.owner}, {"expires", &e.expires}}
		before := len(f.errs)
		f.each(item, "gate.allow.", func(key string, v *yaml.Node) bool {
			for _, field := range fields {
				if field.name == key {
					*field.to, _ = f.word(v, "gate.allow."+key)
					return true
				}
			}
			return false
		})
		var missing []string
		for _, field := range fields {
			if strings.TrimSpace(*field.to) == "" {
				missing = append(missing, field.name)
			}
		}
		_, err := time.Parse(time.DateOnly, e.expires)
		switch {
		case len(f.errs) > before:
		case len(missing) > 0:
			f.fail(item, "gate.allow: %s missing; an exception names session, detector, level, reason, owner and expires",
				strings.Join(missing, ", "))
		case strings.ContainsAny(e.session+e.detector, "*?"):
			f.fail(item, "gate.allow: an exception names one session and one detector, without wildcards")
		case e.level != "nudge" && e.level != "stop":
			f.fail(item, "gate.allow.level: expected nudge or stop, got %q", e.level)
		case err != nil:
			f.fail(item, "gate.allow.expires: expected a date like 2027-03-01, got %q", e.expires)
		case slices.ContainsFunc(list, func(have gateException) bool {
			return have.session == e.session && have.detector == e.detector && have.level == e.level
		}):
			f.fail(item, "gate.allow: the same exception stands twice")
		default:
			list = append(list, e)
		}
	}
	return list
}

// String is a rule as it is written in the file.
func (r *gateRule) String() string {
	if r.bound == "" || r.level == "off" {
		return r.level
	}
	return fmt.Sprintf("{%s: %s, level: %s}", r.bound, strconv.FormatFloat(r.limit, 'g', -1, 64), r.level)
}
