package report

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors/policy"
	"groundhog/replay/vet"
)

// Vet is the report of `groundhog vet`: for each preset what it rules out by its
// own numbers, and how little it takes to make each path speak.
func Vet(subjects []*vet.Subject, findings []vet.Finding) *Report {
	rep := &Report{Title: "vet", Notes: []string{
		"read from the presets alone: no recording was looked at, and none with an instrumented agent's signals is spoken for",
	}}
	if len(subjects) == 0 {
		rep.Notes = []string{"read from the policies alone: no recording was looked at"}
	}
	for _, s := range subjects {
		own := slices.DeleteFunc(slices.Clone(findings), func(f vet.Finding) bool { return f.Preset != s.Preset.Name })
		rep.Sections = append(rep.Sections, vetFindings(dated(s.Preset), own), vetReach(s))
	}
	return rep
}

// VetPolicy adds what is found about a retry policy.
func (r *Report) VetPolicy(p *policy.Policy, list []vet.Finding) {
	sec := vetFindings(p.Name+", retries", list)
	if len(list) == 0 {
		sec.Lines = []string{"every budget with a deadline lets its first retry begin"}
	}
	r.Sections = append(r.Sections, sec)
}

func vetFindings(name string, list []vet.Finding) Section {
	title := name + ": " + plural(len(list), "finding")
	if meant := len(list) - len(VetUnmeant(list)); meant > 0 {
		title += fmt.Sprintf(", %d of them meant", meant)
	}
	sec := Section{
		Key: "findings", Title: title, Stacked: true,
		Columns: []Column{{"rule", "", true}, {"where", "", true}, {"what", "", true}, {"rests_on", "rests on", false}, {"do", "do", false}, {"meant", "meant", false}, {"preset", "", false}},
	}
	for _, f := range list {
		sec.Rows = append(sec.Rows, []Cell{text(f.Rule), text(f.Where), text(f.What), text(f.Rests), text(f.Do), text(f.Meant), text(f.Preset)})
	}
	if len(list) == 0 {
		sec.Lines = []string{"nothing to remark on"}
	}
	return sec
}

// VetUnmeant are the findings that a preset does not say are meant.
func VetUnmeant(list []vet.Finding) []vet.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f vet.Finding) bool { return f.Meant != "" })
}

// vetReach is the table of the smallest histories.
func vetReach(s *vet.Subject) Section {
	sec := Section{
		Key: "reach", Title: s.Preset.Name + ": the smallest history that makes each path speak, alone",
		Columns: []Column{{"path", "PATH", true}, {"case", "CASE", true}, {"verdict", "VERDICT", true}, {"reason", "REASON", true}, {"smallest", "SMALLEST", true}, {"unit", "", true}},
	}
	var silent, open, off []string
	for i := range s.Paths {
		p := &s.Paths[i]
		switch {
		case p.Detector.Off(s.Set):
			off = append(off, short(p.Detector.Name))
			continue
		case len(p.Keys) > 0:
		case p.Bounded:
			silent = append(silent, short(p.Detector.Name))
		default:
			open = append(open, short(p.Detector.Name))
		}
		for _, k := range vetKeys(p) {
			unit := p.Detector.Unit() + "s"
			if k.Size == 1 {
				unit = p.Detector.Unit()
			}
			sec.Rows = append(sec.Rows, []Cell{text(short(p.Detector.Name)), text(k.Case.Name), text(k.Verdict.String()), text(k.Reason), count(k.Size), text(unit)})
		}
	}
	if len(silent) > 0 {
		sec.Lines = append(sec.Lines, "nothing makes these speak: "+strings.Join(silent, ", "))
	}
	if len(open) > 0 {
		sec.Lines = append(sec.Lines, "not looked at, since nothing bounds what they see or the bound is too wide: "+strings.Join(open, ", "))
	}
	if len(off) > 0 {
		sec.Lines = append(sec.Lines, "switched off: "+strings.Join(off, ", "))
	}
	return sec
}

// vetKeys is what a path can say, with one line for cases that differ in a number.
func vetKeys(p *vet.Path) (list []vet.Key) {
	for _, k := range p.Keys {
		k.Case.N = 0
		at := slices.IndexFunc(list, func(o vet.Key) bool {
			return o.Case == k.Case && o.Verdict == k.Verdict && o.Reason == k.Reason
		})
		if at < 0 {
			list = append(list, k)
			continue
		}
		list[at].Size = min(list[at].Size, k.Size)
	}
	return list
}

// VetSummary says in a line what was found.
func VetSummary(findings []vet.Finding) string {
	if len(findings) == 0 {
		return "no finding"
	}
	var rules []string
	n := make(map[string]int)
	for _, f := range findings {
		if n[f.Rule]++; n[f.Rule] == 1 {
			rules = append(rules, f.Rule)
		}
	}
	for i, r := range rules {
		rules[i] = fmt.Sprintf("%s %d", r, n[r])
	}
	return plural(len(findings), "finding") + ": " + strings.Join(rules, ", ")
}
