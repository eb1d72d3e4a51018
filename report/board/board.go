package board

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report/stat"
)

// A Board holds what every point of a plan did to every session, judged at both
// levels. Sweeps, comparisons and dossiers read it. It keeps numbers and names;
// sessions are told apart by id, and their order does not depend on that of files.
type Board struct {
	Plan      *replay.Plan
	Splitter  string           // how text without recorded deltas was cut
	Cuts      []string         // the ways of cutting it of which the worst counts; none: the chosen one alone
	Selection corpus.Selection // how the sessions were chosen
	Seed      uint64           // of draws and folds

	labels  *corpus.Labels
	Cluster string // what makes sessions one cluster
	Points  []int  // those that are judged
	Edges   bool   // also judge with onsets moved
	Rows    []*Row
	Class   []int // by point: points with the same class had the same fires in every session
	Classes int
	left    int // sessions that were left out
	deltas  replay.DeltaCount
	numbers []string // detectors, as fingerprints number them

	ClusterNames []string // of the clusters, sorted; by settle
	Clustered    bool     // some cluster holds more than one session
}

// Levels are the two at which everything is judged.
var Levels = [...]detectors.Verdict{detectors.Nudge, detectors.ForceStop}

// LevelIndex is the index of a level in Levels.
func LevelIndex(level detectors.Verdict) int {
	if level >= detectors.ForceStop {
		return 1
	}
	return 0
}

// A Row is one session.
type Row struct {
	ID, Cluster string
	File        string        // as the user gave it
	Context     int           // steps that belong to another session
	ClusterAt   int           // of the cluster
	Label       *corpus.Label // nil if there is none
	calls       int
	Started     time.Time
	Reminders   int                              // by a live detector, as the record shows them
	Reproduced  []int                            // of those, by group
	Group       []uint32                         // by point: its group
	judged      [len(Levels)][]*corpus.Judgement // by group
	marks       [len(Levels)][]Mark              // the same in short
	Edges       [len(Levels)][][]corpus.Result   // by shift of the onsets, by group; empty unless asked for
}

// New returns an empty board for some points of a plan; without any, for all
// of them. cluster is one of corpus's cluster keys.
func New(plan *replay.Plan, labels *corpus.Labels, cluster string, points ...int) *Board {
	if len(points) == 0 {
		for i := range plan.Points {
			points = append(points, i)
		}
	}
	return &Board{Plan: plan, Seed: Seed, labels: labels, Cluster: cluster, Points: points,
		Class: make([]int, len(plan.Points)), Classes: 1}
}

// Add judges one session under every point, where text was cut in several ways
// under the worst of them. Points that behaved alike are judged once.
func (b *Board) Add(o *replay.Outcome) {
	if o.Err != nil {
		b.left++
		return
	}
	b.deltas.Recorded += o.Deltas.Recorded
	b.deltas.Reconstructed += o.Deltas.Reconstructed
	r := &Row{
		ID: o.Session.ID, File: o.Session.Origin.File, Started: o.Session.Started,
		Context: o.Context, Reminders: len(o.Recorded), Label: b.labels.Of(o.Session.ID),
		calls: o.Calls, Group: make([]uint32, len(o.Points)),
	}
	r.Cluster = corpus.ClusterOf(o.Session, r.Label, b.Cluster)
	groups := make(map[*replay.PointOutcome]uint32)
	var prints []uint64
	for _, i := range b.Points {
		p := o.Points[i]
		g, known := groups[p]
		if !known {
			g = uint32(len(groups))
			groups[p] = g
			prints = append(prints, b.fingerprint(p))
			hits, _ := Reproduced(o, p)
			r.Reproduced = append(r.Reproduced, hits)
			for k, level := range Levels {
				j := corpus.JudgeWorst(r.Label, o, p, level)
				r.judged[k] = append(r.judged[k], j)
				r.marks[k] = append(r.marks[k], MarkOf(j))
			}
		}
		r.Group[i] = g
	}
	if b.Edges {
		r.move(o, b.Points)
	}
	b.refine(r, prints)
	b.Rows = append(b.Rows, r)
}

// move judges the session once more for every shift of its onsets.
func (r *Row) move(o *replay.Outcome, points []int) {
	for k, level := range Levels {
		r.Edges[k] = make([][]corpus.Result, 2*MovedBy+1)
		for shift := range r.Edges[k] {
			r.Edges[k][shift] = make([]corpus.Result, len(r.judged[k]))
			label := r.Label.Moved(shift - MovedBy)
			for _, i := range points {
				if at := &r.Edges[k][shift][r.Group[i]]; *at == "" {
					*at = corpus.Worst(label, o, i, level)
				}
			}
		}
	}
}

// refine tells points apart that fired differently in this session.
func (b *Board) refine(r *Row, prints []uint64) {
	if b.Classes == len(b.Points) {
		return
	}
	type key struct {
		class int
		print uint64
	}
	next := make(map[key]int)
	for _, i := range b.Points {
		k := key{b.Class[i], prints[r.Group[i]]}
		c, ok := next[k]
		if !ok {
			c = len(next)
			next[k] = c
		}
		b.Class[i] = c
	}
	b.Classes = len(next)
}

// fingerprint is a hash of all fires: place, path, verdict, delivery. It tells
// points apart within one session and never leaves memory.
func (b *Board) fingerprint(p *replay.PointOutcome) uint64 {
	h := uint64(len(p.Fires))
	put := func(f *replay.Fire) {
		h = mix(h, uint64(f.Pos.Run)<<32|uint64(uint32(f.Pos.Step)))
		h = mix(h, uint64(f.Pos.Call)<<32|uint64(uint32(f.Pos.Delta)))
		h = mix(h, b.number(f.Detector)<<16|uint64(f.Verdict)<<8|uint64(f.Delivered))
	}
	for _, f := range p.Fires {
		put(f)
	}
	for i := range p.Under {
		h = mix(h, uint64(i+1))
		for _, f := range p.Under[i].Fires {
			put(f)
		}
	}
	for i := range p.Runs { // standalone points of a brief plan keep no more than these
		for _, f := range []*replay.Fire{p.Runs[i].FirstNudge, p.Runs[i].FirstStop, p.Runs[i].LadderStop} {
			if f != nil {
				put(f)
			}
		}
	}
	return h
}

// mix is one round of xxHash64.
func mix(h, v uint64) uint64 {
	const prime1, prime2 = 11400714785074694791, 14029467366897019727
	return bits.RotateLeft64(h+v*prime2, 31) * prime1
}

// number is a small number for a detector. There are few: looking through them is
// faster than a map.
func (b *Board) number(detector string) uint64 {
	for i, d := range b.numbers {
		if d == detector {
			return uint64(i + 1)
		}
	}
	b.numbers = append(b.numbers, detector)
	return uint64(len(b.numbers))
}

// Settle puts the sessions and their clusters in order. It is called before
// anything is read.
func (b *Board) Settle() {
	slices.SortStableFunc(b.Rows, func(x, y *Row) int { return cmp.Compare(x.ID, y.ID) })
	b.ClusterNames = b.ClusterNames[:0]
	for _, r := range b.Rows {
		b.ClusterNames = append(b.ClusterNames, r.Cluster)
	}
	slices.Sort(b.ClusterNames)
	b.ClusterNames = slices.Compact(b.ClusterNames)
	b.Clustered = len(b.ClusterNames) < len(b.Rows)
	for _, r := range b.Rows {
		r.ClusterAt, _ = slices.BinarySearch(b.ClusterNames, r.Cluster)
	}
}

// Under is the judgement of one session under one point.
func (r *Row) Under(point int, level detectors.Verdict) *corpus.Judgement {
	return r.judged[LevelIndex(level)][r.Group[point]]
}

// IsLoop reports whether a result is that of a loop session that was judged.
func IsLoop(r corpus.Result) bool {
	return r == corpus.TruePositive || r == corpus.FalseNegative || r == corpus.Premature || r == corpus.Late
}

// IsWork reports whether a result is that of a productive session that was judged.
func IsWork(r corpus.Result) bool { return r == corpus.FalsePositive || r == corpus.TrueNegative }

// IsFalseHit reports whether a session was hit wrongly: work, or a loop too early or
// too late.
func IsFalseHit(r corpus.Result) bool {
	return r == corpus.FalsePositive || r == corpus.Premature || r == corpus.Late
}

// Seed is that of draws unless users set another; the corpus and the metric go in as well.
const Seed = 1

// Rand gives the draws for a metric: the same in every run over the same sessions.
func (b *Board) Rand(metric string) *stat.Rand { return stat.NewRand(b.Seed, b.digestOf(), metric) }

// digestOf is the digest of the sessions that were read and of their labels, as
// far as the board knows them: ids, sizes and classes.
func (b *Board) digestOf() string {
	h := xxh3.New()
	for _, r := range b.Rows {
		class := corpus.Unlabelled
		if r.Label != nil {
			class = r.Label.Class
		}
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", r.ID, r.calls, class)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Reproduced counts the recorded interventions that a point delivers after the
// same step, and its deliveries that the record does not show.
func Reproduced(o *replay.Outcome, p *replay.PointOutcome) (hits, extra int) {
	if len(o.Recorded) == 0 {
		return 0, 0
	}
	delivered := make(map[[2]int]bool)
	for _, f := range p.Fires {
		if f.Delivered >= detectors.Nudge && !f.Open {
			delivered[[2]int{int(f.Pos.Run), int(f.Pos.Step)}] = true
		}
	}
	for _, v := range o.Recorded {
		if at := [2]int{v.Run, v.Step}; delivered[at] {
			hits++
			delete(delivered, at)
		}
	}
	return hits, len(delivered)
}

// MaxPaths is how many paths of a preset the bit sets hold.
const MaxPaths = 64

// MovedBy is how far label edges are moved, in calls.
const MovedBy = 2

// Mark is the judgement of the session under one point in small numbers.
func (r *Row) Mark(point int, level detectors.Verdict) *Mark {
	return &r.marks[LevelIndex(level)][r.Group[point]]
}
