package family

import (
	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Tools is what a family knows of tools: which of its own a tool of another agent
// stands for, and what its own do and need. It is also what single calls are
// looked at by, whatever presets are asked: the first family of a build that has
// Tools lends them.
type Tools struct {
	// Title and Doc head the table of `groundhog list tools`; Mappings are its rows,
	// in order, and Notes the rules that are no table.
	Title, Doc string
	Mappings   []Mapping
	Notes      []string
	// Setting is the id of the parameter that adds to the mappings; "" if nothing does.
	Setting string

	// Name gives the family's name for the tool of a call, under settings: the
	// recorded name where nothing maps it. The function it returns may be called from
	// several goroutines.
	Name func(detectors.Settings) func(*transcript.Call) string

	// Changes tells calls that may change something from those that only read, and
	// gives the former an identity. The function it returns may be called from
	// several goroutines. Nil: nothing is known to change anything.
	Changes func(detectors.Settings) func(*transcript.Call) (id uint64, ok bool)

	// Required says which arguments must not be empty.
	Required Required
}

// A Mapping says which of a family's own tools another agent's tool stands for.
type Mapping struct{ Foreign, Own string }

// An Argument is an argument of a tool under all the names that it goes by, the
// usual one first.
type Argument []string

// Required is the contract of tools: the arguments that a call must have.
type Required struct {
	Tools map[string][]Argument // by the family's name for the tool
	// Others are further names of arguments. A tool that is not listed is remarked on
	// only where one of all these names stands in its call and is empty.
	Others []string
}
