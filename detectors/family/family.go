// Package family says what one agent brings to the program: its detectors and
// presets, its retry policies, and what is known of its tools and its settings.
//
// A Family is a value. A build with one of its own passes it to the command line
// with those of package catalog, and nothing else has to know of it:
//
//	cli.Main(os.Args[1:], cli.Options{Families: append(catalog.All(), mine.Family), …})
//
// Only Name, Title and what the agent has are needed. A nil list or a nil pointer
// says that it has none, and the command that would show it leaves it out.
package family

import (
	"groundhog/detectors"
	"groundhog/detectors/policy"
)

// A Family is one agent, or a group of programs that belong together. It is not
// changed once it is made, and may be used by several goroutines.
type Family struct {
	// Name is how commands name the family, and what the ids of its own detectors and
	// parameters begin with: "kocoro".
	Name string
	// Title is how text names it: "Kocoro".
	Title string

	Detectors []*detectors.Detector // as they are listed, retired ones included
	Presets   []*detectors.Preset   // oldest first
	Policies  []*policy.Policy      // retry policies, oldest first
	Cases     []policy.Case         // where a stop of theirs is not what it seems
	Removed   []Tombstone           // detectors that the agent no longer has, by date

	// Default and DefaultPolicies name what of this family is asked where the command
	// line names nothing; Demo names the presets that the demo compares with one
	// another, in a table for each family.
	Default, DefaultPolicies, Demo []string

	Tools  *Tools  // nil: its presets do not look at the names of tools
	Config *Config // nil: it has no settings file that is read
	Compat *Compat // nil: it has no summary of its own
}

// A Compat is the summary that an agent's own tests of its detectors print. It is
// shown for comparison on request, and no gate uses it.
type Compat struct {
	Title   string // "Kocoro's own three numbers"
	Doc     string // what its numbers count
	Numbers []Number
}

// A Number is one that a report can compute for a Compat, by the key under which
// machines read it.
type Number string

const (
	// FalseSignals is the number of productive sessions with any nudge.
	FalseSignals Number = "false_signals"
	// MissedLoops is the number of loop sessions without a stop.
	MissedLoops Number = "missed_loops"
	// WastedCalls is the number of calls from the ideal stop to the first stop, over
	// caught loops alone.
	WastedCalls Number = "total_wasted_calls"
)
