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

// shadowed finds what a path says alone and never says in its preset, because wherever it
// would, an earlier path fires or has stopped the run.
func shadowed(ctx context.Context, s *Subject) ([]Finding, error) {
	if s.Preset.Every {
		return nil, nil // no path masks another
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
			f := s.finding("shadowed", p.Detector.Name)
			f.What = fmt.Sprintf("%s is never the one that speaks", k)
			why := fmt.Sprintf("it asked %s, and %s", plural(c.wants, "time"), c.by())
			if c.wants == 0 {
				why = fmt.Sprintf("it never asked, though alone it does from %s on: "+
					"the calls of vetoed steps are kept from it", plural(k.Size, p.Detector.Unit()))
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
	return fmt.Sprintf("%s and %d generated ones",
		pluralOf(extreme, "extreme history", "extreme histories"), len(trials)-extreme)
}

// shortName is a name without its family.
func shortName(name string) string {
	_, name, _ = strings.Cut(name, "/")
	return name
}

// A contest is how often a path asked for something, and which paths won instead.
type contest struct {
	calls  int     // in all sessions
	wants  int     // how often it asked
	wins   int     // how often it won
	masked []rival // of these, whichever fired instead
	after  []rival // of these, whichever had stopped the run
}

// A rival is a path with how often it won.
type rival struct {
	name string
	n    int
}

func count(list []rival, name string) []rival {
	for i := range list {
		if list[i].name == name {
			list[i].n++
			return list
		}
	}
	return append(list, rival{name, 1})
}

// count counts how often a detector asked for a thing in the trials.
func (s *Subject) count(d *detectors.Detector, k Key, trials []trial) (c contest) {
	for i := range trials {
		t := &trials[i]
		c.calls += t.calls
		point := t.out.Points[0]
		for _, f := range point.Fires {
			i := slices.IndexFunc(f.Wanted, func(w detectors.Fire) bool {
				return w.Detector == d.Name && k.same(Key{w.Case, w.Verdict, w.Reason, 0})
			})
			switch {
			case i < 0:
				continue
			case f.After:
				c.after = count(c.after, shortName(stopper(point)))
			case i > 0:
				c.masked = count(c.masked, shortName(f.Detector))
			default:
				c.wins++
			}
			c.wants++
		}
	}
	return c
}

// stopper is the detector that stopped the session's one run.
func stopper(p *replay.PointOutcome) string {
	for i := range p.Runs {
		if f := p.Runs[i].FirstStop; f != nil {
			return f.Detector
		}
	}
	return ""
}

// by says which paths won instead, the most frequent first.
func (c *contest) by() string {
	var parts []string
	for _, group := range []struct {
		list []rival
		verb string
	}{{c.masked, "answered first"}, {c.after, "had stopped the run"}} {
		slices.SortFunc(group.list, func(a, b rival) int {
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name))
		})
		for _, n := range group.list {
			parts = append(parts, fmt.Sprintf("%s %s %s", n.name, group.verb, plural(n.n, "time")))
		}
	}
	return joined(parts, "and")
}
