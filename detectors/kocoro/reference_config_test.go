package kocoro_test

import "fmt"

// The revisions this package ports.
const (
	March2026       = "kocoro-2026-03"
	PreSleepRemoval = "kocoro-pre-sleep-removal"
	July2026        = "kocoro-4ec6772"
	Head            = "kocoro-head"
)

// Config is one setting of the detector: the revision, which decides the rules and the names they know,
// and the numbers in them. A field that has no meaning in its revision is never read.
type Config struct {
	Preset string // March2026, PreSleepRemoval, July2026 or Head
	Window int    // records kept

	EmptyThinkForce      int
	ValidationErrorForce int

	ConsecutiveDuplicateNudge       int
	ConsecutiveDuplicateForceOver   int // the stop is this far above the nudge
	ConsecutiveDuplicateErrorFactor int
	ConsecutiveDuplicateRONudge     int // of a read that brings the same: at this count and no other
	ConsecutiveDuplicateROForce     int

	PingPongNudge int // at this count and no other
	PingPongForce int

	ExactDuplicateNudge       int
	ExactDuplicateForceFactor int
	ExactDuplicateErrorFactor int

	SameToolErrorNudge       int
	SameToolErrorForceFactor int

	FamilyNoProgressNudge           int
	FamilyNoProgressNudge2          int
	FamilyNoProgressForce           int
	FamilyNoProgressRepeatableForce int
	FamilyNoProgressFallbackNudge   int
	FamilyNoProgressFallbackForce   int
	FamilyNoProgressStableWebForce  int

	SearchEscalationNudge int
	SearchEscalationForce int

	NoProgressNudge         int
	NoProgressBashNudge     int
	NoProgressForceFactor   int
	NoProgressUniquePercent int

	SleepNudge int
	SleepForce int

	// Of CheckBefore.
	BeforeStableReadOnlyForce int
	BeforePingPongForce       int
	BeforeStableWebForce      int
}

// Preset returns the setting with which the named revision shipped.
func Preset(name string) Config {
	later := Config{
		Preset:                          name,
		Window:                          20,
		EmptyThinkForce:                 2,
		ValidationErrorForce:            3,
		ConsecutiveDuplicateNudge:       3,
		ConsecutiveDuplicateForceOver:   1,
		ConsecutiveDuplicateErrorFactor: 2,
		ExactDuplicateNudge:             5,
		ExactDuplicateForceFactor:       2,
		ExactDuplicateErrorFactor:       2,
		SameToolErrorNudge:              6,
		SameToolErrorForceFactor:        2,
		FamilyNoProgressNudge:           5,
		FamilyNoProgressNudge2:          8,
		FamilyNoProgressForce:           12,
		FamilyNoProgressRepeatableForce: 15,
		FamilyNoProgressFallbackNudge:   8,
		FamilyNoProgressFallbackForce:   12,
		SearchEscalationNudge:           7,
		SearchEscalationForce:           12,
		NoProgressNudge:                 12,
		NoProgressBashNudge:             16,
		NoProgressForceFactor:           2,
		NoProgressUniquePercent:         50,
		SleepNudge:                      2,
		SleepForce:                      4,
	}
	switch name {
	case Head:
		later.ConsecutiveDuplicateRONudge = 3
		later.ConsecutiveDuplicateROForce = 6
		later.PingPongNudge = 6
		later.PingPongForce = 10
		later.FamilyNoProgressStableWebForce = 8
		later.BeforeStableReadOnlyForce = 5
		later.BeforePingPongForce = 8
		later.BeforeStableWebForce = 7
		return later
	case July2026, PreSleepRemoval:
		return later
	case March2026:
		return Config{
			Preset:                          name,
			Window:                          20,
			ConsecutiveDuplicateNudge:       2,
			ConsecutiveDuplicateForceOver:   1,
			ConsecutiveDuplicateErrorFactor: 1,
			ExactDuplicateNudge:             3,
			ExactDuplicateForceFactor:       2,
			ExactDuplicateErrorFactor:       1,
			SameToolErrorNudge:              4,
			SameToolErrorForceFactor:        2,
			FamilyNoProgressNudge:           3,
			FamilyNoProgressNudge2:          5,
			FamilyNoProgressForce:           7,
			FamilyNoProgressFallbackNudge:   5,
			FamilyNoProgressFallbackForce:   7,
			SearchEscalationNudge:           3,
			SearchEscalationForce:           5,
			NoProgressNudge:                 8,
			NoProgressForceFactor:           2,
			SleepNudge:                      2,
			SleepForce:                      4,
		}
	}
	panic(fmt.Sprintf("reference: no preset %q", name))
}
