package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
	"groundhog/replay"
)

// shadowed finds what a path can say alone and never gets to say in its preset:
// wherever it wants to, an earlier path speaks, or has stopped the run before.
func shadowed(ctx context.Context, s *Subject) ([]Finding, error) {
	if s.Preset.Every {
		return nil, nil // nobody masks anybody
	}
	trials, err := s.try(ctx)
	if err != nil {
		return nil, err
	}
	var list []Finding
	for i := range s.Paths {
		p := &s.Paths[i]
		for _, k := range p.Keys {
			c := s.count(p.Detector, k, trials)
			if c.wins > 0 || c.wants == 0 && !s.withholds() {
				continue
			}
			f := s.found("shadowed", p.Detector.Name)
			f.What = fmt.Sprintf("%s is never the one that speaks", k)
			why := fmt.Sprintf("it asked %s, and %s", plural(c.wants, "time"), c.by())
			if c.wants == 0 {
				why = fmt.Sprintf("it never asked, though alone it does from %s on: the calls of vetoed steps are kept from it", plural(k.Size, p.Detector.Unit()))
			}
			f.Rests = fmt.Sprintf("%s, %s, no proof: %s", extent(trials), plural(c.calls, "call"), why)
			f.Do = "take it out, move it forward, or say that it is meant for when the earlier path is off"
			list = append(list, f)
		}
	}
	return list, nil
}

// withholds reports whether the calls of a vetoed step are kept from the paths.
func (s *Subject) withholds() bool {
	return s.Preset.Withhold != "" && s.Set[s.Preset.Withhold] == "true"
}

// String is a key in words.
func (k Key) String() string {
	text := k.Verdict.String()
	if k.Reason != "" {
		text += " (" + k.Reason + ")"
	}
	if k.Case != (detectors.Case{}) {
		text += ", " + caseName(k.Case) + ","
	}
	return text
}

// extent says how many sessions there were.
func extent(trials []trial) string {
	extreme := 0
	for _, t := range trials {
		if t.extreme {
			extreme++
		}
	}
	return fmt.Sprintf("%s and %d generated ones", pluralOf(extreme, "extreme history", "extreme histories"), len(trials)-extreme)
}

// plain is a name without its family.
func plain(name string) string {
	_, name, _ = strings.Cut(name, "/")
	return name
}

// A tug is how often a path wanted to say something, and who was heard instead.
type tug struct {
	calls, wants, wins int
	masked, after      []named
}

type named struct {
	name string
	n    int
}

func add(list []named, name string) []named {
	for i := range list {
		if list[i].name == name {
			list[i].n++
			return list
		}
	}
	return append(list, named{name, 1})
}

func (s *Subject) count(d *detectors.Detector, k Key, trials []trial) (c tug) {
	for i := range trials {
		t := &trials[i]
		c.calls += t.calls
		point := t.out.Points[0]
		for _, f := range point.Fires {
			at := slices.IndexFunc(f.Wanted, func(w detectors.Fire) bool {
				return w.Detector == d.Name && k.same(Key{w.Case, w.Verdict, w.Reason, 0})
			})
			switch {
			case at < 0:
				continue
			case f.After:
				c.after = add(c.after, plain(stopper(point)))
			case at > 0:
				c.masked = add(c.masked, plain(f.Detector))
			default:
				c.wins++
			}
			c.wants++
		}
	}
	return c
}

// stopper is who stopped the session's one run.
func stopper(p *replay.PointOutcome) string {
	for i := range p.Runs {
		if f := p.Runs[i].FirstStop; f != nil {
			return f.Detector
		}
	}
	return ""
}

// by says who was heard instead, most often first.
func (c *tug) by() string {
	var parts []string
	for _, group := range []struct {
		list []named
		verb string
	}{{c.masked, "answered first"}, {c.after, "had stopped the run"}} {
		slices.SortFunc(group.list, func(a, b named) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
		for _, n := range group.list {
			parts = append(parts, fmt.Sprintf("%s %s %s", n.name, group.verb, plural(n.n, "time")))
		}
	}
	return list(parts, "and")
}
