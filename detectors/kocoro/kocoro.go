// Package kocoro holds the loop detector of the Kocoro agent: nine paths, the
// validation short-cut before them, the retired sleep path, and the nudge
// window of its agent loop, at three revisions.
//
// The original is one chain of rules in which the first match returns. Here
// each path is a detector, the chain is the order of a Preset, and the two
// flags that firing clears are episodes (detectors.Rule). The calls that the
// rules look at are normalised once, by Window.
//
// The package was written from a description of behaviour and from the verdicts
// of the original on some 1,600 call sequences a revision, never from its source.
package kocoro

import "groundhog/detectors"

// Detectors lists the family in the order of its rules.
var Detectors = []*detectors.Detector{
	EmptyThink,
	ToolModeSwitch,
	SuccessAfterError,
	ValidationError,
	BeforeStableReadOnly,
	BeforePingPong,
	BeforeStableWeb,
	ConsecutiveDuplicate,
	PingPong,
	ExactDuplicate,
	SameToolError,
	FamilyNoProgress,
	SearchEscalation,
	NoProgress,
	Sleep,
}

// source is where the behaviour of every path was described from.
const source = "Kocoro 4ec6772 (2026-07-27), agent loop detector"

// A tail is a meter over nothing but the window.
type tail struct{ calls *window }

func newTail(in *detectors.Inputs) *tail { return &tail{calls: Window.From(in)} }
