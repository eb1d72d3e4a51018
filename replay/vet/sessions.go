package vet

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// This file makes the sessions that findings rest on, and replays them.

// A trial is a replayed session.
type trial struct {
	steps   []*transcript.Step
	extreme bool // listed by a detector, not generated
	calls   int
	out     *replay.Outcome
}

// edges are the indices in p.Reached of the smallest and of the longest session after
// which the path says a thing.
func (p *Path) edges(k Key) (smallest, longest int) {
	smallest, longest = -1, -1
	for i := range p.Reached {
		r := &p.Reached[i]
		if !k.same(Key{r.Case, r.Verdict, r.Reason, 0}) {
			continue
		}
		if smallest < 0 || r.Size < p.Reached[smallest].Size {
			smallest = i
		}
		if longest < 0 || r.Size > p.Reached[longest].Size {
			longest = i
		}
	}
	return smallest, longest
}

// witnesses are the smallest and the longest sessions of each thing that each path can
// say. The longest contain most of those between.
func (s *Subject) witnesses() (smallest, longest [][]*transcript.Step) {
	for i := range s.Paths {
		p := &s.Paths[i]
		for _, k := range p.Keys {
			lo, hi := p.edges(k)
			smallest = append(smallest, p.Reached[lo].Session())
			longest = append(longest, p.Reached[hi].Session())
		}
	}
	return smallest, longest
}

// shortSession is the size up to which every extreme session is replayed. With a window
// of a thousand calls there would be half a million.
const shortSession = 40

// extremes are the sessions after which some path says a thing; of long ones, the
// smallest and the longest for each thing.
func (s *Subject) extremes() (list [][]*transcript.Step) {
	for i := range s.Paths {
		p := &s.Paths[i]
		for j := range p.Reached {
			r := &p.Reached[j]
			if r.Verdict == detectors.Continue {
				continue
			}
			if r.Size > shortSession {
				lo, hi := p.edges(Key{r.Case, r.Verdict, r.Reason, 0})
				if j != lo && j != hi {
					continue
				}
			}
			list = append(list, r.Session())
		}
	}
	return list
}

const (
	generatedSessions = 400
	generatedSteps    = 60 // in each
)

// generate makes sessions of stretches of the witnesses' steps: one to three of any steps
// in turn, some of one witness in turn, a piece of one witness. Equal witnesses and seeds
// give equal sessions on every machine.
func generate(witnesses [][]*transcript.Step, seed uint64) (list [][]*transcript.Step) {
	if len(witnesses) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0x766574))
	pick := func() []*transcript.Step { return witnesses[r.IntN(len(witnesses))] }
	step := func() *transcript.Step {
		w := pick()
		return w[r.IntN(len(w))]
	}
	for range generatedSessions {
		var session []*transcript.Step
		for len(session) < generatedSteps {
			var cycle []*transcript.Step
			switch r.IntN(3) {
			case 0:
				for range 1 + r.IntN(3) {
					cycle = append(cycle, step())
				}
			case 1: // steps of one witness, in any order
				w := pick()
				for range 1 + r.IntN(4) {
					cycle = append(cycle, w[r.IntN(len(w))])
				}
			default:
				w := pick()
				from := r.IntN(len(w))
				cycle = w[from : from+1+r.IntN(len(w)-from)]
			}
			for range 1 + r.IntN(12/len(cycle)+1) {
				session = append(session, cycle...)
			}
		}
		list = append(list, session[:generatedSteps])
	}
	return list
}

// try replays the extreme and the generated sessions, once.
func (s *Subject) try(ctx context.Context) ([]trial, error) {
	if s.trials != nil {
		return s.trials, nil
	}
	extreme := s.extremes()
	smallest, _ := s.witnesses()
	sessions := append(extreme, generate(smallest, 1)...)
	outs, err := replayed(ctx, sessions, s.config)
	if err != nil {
		return nil, err
	}
	for i, out := range outs {
		s.trials = append(s.trials, trial{sessions[i], i < len(extreme), out.Calls, out})
	}
	return s.trials, nil
}

// replayed are the outcomes of sessions under some configurations, which are the Points
// of each outcome.
func replayed(ctx context.Context, sessions [][]*transcript.Step, configs ...replay.Config) ([]*replay.Outcome, error) {
	plan, err := replay.NewPlan(replay.Question{Configs: configs})
	if err != nil {
		return nil, err
	}
	units := make([]*formats.Unit, len(sessions))
	for i, session := range sessions {
		units[i] = &formats.Unit{
			Session: &transcript.Session{ID: fmt.Sprintf("history-%d", i+1)},
			Size:    int64(len(session)),
			Steps: func() iter.Seq2[*transcript.Step, error] {
				return func(yield func(*transcript.Step, error) bool) {
					for _, step := range session {
						if !yield(step, nil) {
							return
						}
					}
				}
			},
		}
	}
	var outs []*replay.Outcome
	e := &replay.Engine{Plan: plan}
	err = e.Run(ctx, units, func(o *replay.Outcome) error {
		outs = append(outs, o)
		return o.Err
	})
	return outs, err
}
