package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/detectors"
)

// Plural is a number with the noun that it counts: 1 call, 2 calls.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasPrefix(what, "file or ") {
		return fmt.Sprintf("%d files or sessions", n)
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// PathName is a detector without its family.
func PathName(detector string) string {
	_, name, _ := strings.Cut(detector, "/")
	return name
}

// OrDash is a text, or a dash for none.
func OrDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// OrNone is a text, or the word none.
func OrNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// Counts is a map as named counts, largest first.
func Counts(m map[string]int) Cell {
	if len(m) == 0 {
		return Null
	}
	var list []Named
	for name, n := range m {
		list = append(list, Named{name, int64(n)})
	}
	slices.SortFunc(list, func(a, b Named) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return Cell{Kind: KindCounts, List: list}
}

// Dated is a preset's name with its date, if it has one.
func Dated(p *detectors.Preset) string {
	if p.Date == "" {
		return p.Name
	}
	return fmt.Sprintf("%s (%s)", p.Name, p.Date)
}

// FromTo is a range, or one value where both ends are the same.
func FromTo(from, to string) string {
	if from == to {
		return from
	}
	return from + "–" + to
}

// Names joins at most so many names.
func Names(ids []string) string {
	if len(ids) > MaxNames {
		return strings.Join(ids[:MaxNames], ", ") + fmt.Sprintf(" and %d more", len(ids)-MaxNames)
	}
	return strings.Join(ids, ", ")
}

// MaxNames is how many sessions stand behind a number by name.
const MaxNames = 20

// Percent is a level or a bound in words.
func Percent(p float64) string {
	s := fmt.Sprintf("%.1f", 100*p)
	return strings.TrimSuffix(s, ".0") + " %"
}

// FinePercent has two decimals where one would hide the value.
func FinePercent(p float64) string {
	if p > 0 && p < 0.01 {
		return fmt.Sprintf("%.2f %%", 100*p)
	}
	return Percent(p)
}

// Bit is 1 for true, so that conditions can be counted.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
