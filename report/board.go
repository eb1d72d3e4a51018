package report

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/replay/transcript"
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
	cluster string // what makes sessions one cluster (evaluation.md E1)
	points  []int  // those that are judged
	edges   bool   // also judge with onsets moved (E8.4)
	rows    []*row
	class   []int // by point: points with the same class had the same fires in every session
	classes int
	left    int // sessions that were left out
	deltas  replay.DeltaCount
	numbers []string // detectors, as fingerprints number them

	names     []string // of the clusters, sorted; by settle
	clustered bool     // some cluster holds more than one session
}

// Levels are the two at which everything is judged.
var Levels = [...]detectors.Verdict{detectors.Nudge, detectors.ForceStop}

func levelIndex(level detectors.Verdict) int {
	if level >= detectors.ForceStop {
		return 1
	}
	return 0
}

// A row is one session.
type row struct {
	id, cluster string
	file        string        // as the user gave it
	context     int           // steps that belong to another session
	at          int           // of the cluster
	label       *corpus.Label // nil if there is none
	calls       int
	started     time.Time
	recorded    transcript.Recorded
	reminders   int                              // by a live detector, as the record shows them
	reproduced  []int                            // of those, by group
	of          []uint32                         // by point: its group
	judged      [len(Levels)][]*corpus.Judgement // by group
	marks       [len(Levels)][]mark              // the same in short
	edges       [len(Levels)][][]corpus.Result   // by shift of the onsets, by group; empty unless asked for
	seen        *seen                            // what a dossier keeps besides; nil on other boards
}

// NewBoard returns an empty board for some points of a plan; without any, for all
// of them. cluster is one of corpus's cluster keys.
func NewBoard(plan *replay.Plan, labels *corpus.Labels, cluster string, points ...int) *Board {
	if len(points) == 0 {
		for i := range plan.Points {
			points = append(points, i)
		}
	}
	return &Board{Plan: plan, Seed: Seed, labels: labels, cluster: cluster, points: points, class: make([]int, len(plan.Points)), classes: 1}
}

// Add judges one session under every point, where text was cut in several ways
// under the worst of them (E8.5). Points that behaved alike are judged once.
func (b *Board) Add(o *replay.Outcome) {
	if o.Err != nil {
		b.left++
		return
	}
	b.deltas.Recorded += o.Deltas.Recorded
	b.deltas.Reconstructed += o.Deltas.Reconstructed
	r := &row{
		id: o.Session.ID, file: o.Session.Origin.File, context: o.Context, reminders: len(o.Recorded), label: b.labels.Of(o.Session.ID), calls: o.Calls, started: o.Session.Started, recorded: o.Session.Recorded,
		of: make([]uint32, len(o.Points)),
	}
	r.cluster = corpus.ClusterOf(o.Session, r.label, b.cluster)
	groups := make(map[*replay.PointOutcome]uint32)
	var prints []uint64
	for _, i := range b.points {
		p := o.Points[i]
		g, known := groups[p]
		if !known {
			g = uint32(len(groups))
			groups[p] = g
			prints = append(prints, b.fingerprint(p))
			hits, _ := reproduced(o, p)
			r.reproduced = append(r.reproduced, hits)
			for k, level := range Levels {
				j := corpus.JudgeWorst(r.label, o, p, level)
				r.judged[k] = append(r.judged[k], j)
				r.marks[k] = append(r.marks[k], markOf(j))
			}
		}
		r.of[i] = g
	}
	if b.edges {
		r.move(o, b.points)
	}
	b.refine(r, prints)
	b.rows = append(b.rows, r)
}

// move judges the session once more for every shift of its onsets.
func (r *row) move(o *replay.Outcome, points []int) {
	for k, level := range Levels {
		r.edges[k] = make([][]corpus.Result, 2*MovedBy+1)
		for shift := range r.edges[k] {
			r.edges[k][shift] = make([]corpus.Result, len(r.judged[k]))
			label := r.label.Moved(shift - MovedBy)
			for _, i := range points {
				if at := &r.edges[k][shift][r.of[i]]; *at == "" {
					*at = corpus.Worst(label, o, i, level)
				}
			}
		}
	}
}

// refine tells points apart that fired differently in this session.
func (b *Board) refine(r *row, prints []uint64) {
	if b.classes == len(b.points) {
		return
	}
	type key struct {
		class int
		print uint64
	}
	next := make(map[key]int)
	for _, i := range b.points {
		k := key{b.class[i], prints[r.of[i]]}
		c, ok := next[k]
		if !ok {
			c = len(next)
			next[k] = c
		}
		b.class[i] = c
	}
	b.classes = len(next)
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

// settle puts the sessions and their clusters in order. It is called before
// anything is read.
func (b *Board) settle() {
	slices.SortStableFunc(b.rows, func(x, y *row) int { return cmp.Compare(x.id, y.id) })
	b.names = b.names[:0]
	for _, r := range b.rows {
		b.names = append(b.names, r.cluster)
	}
	slices.Sort(b.names)
	b.names = slices.Compact(b.names)
	b.clustered = len(b.names) < len(b.rows)
	for _, r := range b.rows {
		r.at, _ = slices.BinarySearch(b.names, r.cluster)
	}
}

// under is the judgement of one session under one point.
func (r *row) under(point int, level detectors.Verdict) *corpus.Judgement {
	return r.judged[levelIndex(level)][r.of[point]]
}

// totals sums the sessions that keep lets through; nil lets all through.
func (b *Board) totals(point int, level detectors.Verdict, keep func(*row) bool) *corpus.Totals {
	t := &corpus.Totals{Tally: corpus.Tally{}}
	for _, r := range b.rows {
		if keep == nil || keep(r) {
			t.Add(r.under(point, level))
		}
	}
	return t
}

// labelled counts the sessions by class, and the labels no person has made.
func (b *Board) labelled() (classes map[corpus.Class]int, weak int) {
	classes = make(map[corpus.Class]int)
	for _, r := range b.rows {
		class := corpus.Unlabelled
		if r.label != nil {
			class = r.label.Class
			if r.label.Source == "weak" && class != corpus.Unlabelled {
				weak++
			}
		}
		classes[class]++
	}
	return classes, weak
}

// judgedAny reports whether some session has a label that says something.
func (b *Board) judgedAny() bool {
	classes, _ := b.labelled()
	return classes[corpus.Loop]+classes[corpus.Productive]+classes[corpus.KnownGap] > 0
}

// A share of sessions with what its interval needs.
type rate struct {
	n, d     int
	clusters []stat.Share // by cluster that has such sessions; nil if each session is one
}

// rate counts the sessions that in takes, and of those the ones that hit takes.
func (b *Board) rate(point int, level detectors.Verdict, in, hit func(corpus.Result) bool, keep func(*row) bool) rate {
	var out rate
	by := make([]stat.Share, len(b.names))
	for _, r := range b.rows {
		if keep != nil && !keep(r) {
			continue
		}
		res := r.under(point, level).Result
		if !in(res) {
			continue
		}
		out.d++
		by[r.at].D++
		if hit(res) {
			out.n++
			by[r.at].N++
		}
	}
	if b.clustered {
		for _, s := range by {
			if s.D > 0 {
				out.clusters = append(out.clusters, s)
			}
		}
	}
	return out
}

// Which results are in the denominator and the numerator of each rate (E5).
func isLoop(r corpus.Result) bool {
	return r == corpus.TruePositive || r == corpus.FalseNegative || r == corpus.Premature || r == corpus.Late
}
func isWork(r corpus.Result) bool     { return r == corpus.FalsePositive || r == corpus.TrueNegative }
func isCaught(r corpus.Result) bool   { return r == corpus.TruePositive }
func isFalse(r corpus.Result) bool    { return r == corpus.FalsePositive }
func isJudged(r corpus.Result) bool   { return isLoop(r) || isWork(r) }
func isFalseHit(r corpus.Result) bool { return isFalse(r) || r == corpus.Premature || r == corpus.Late }

// minEvents is how many clusters with an event the bootstrap of a proportion
// needs (E9.2).
const minEvents = 5

// cell is the rate with its interval: Wilson's, or where sessions come in
// clusters that of the bootstrap, as far as there are enough (E9.2).
func (b *Board) cell(r rate, metric string) Cell {
	return r.cell(func() *stat.Rand { return b.rand(metric) })
}

func (r rate) cell(draw func() *stat.Rand) Cell {
	c := share(r.n, r.d)
	if r.clusters == nil || r.d == 0 {
		return c
	}
	events := 0
	var parts []stat.Part
	for _, s := range r.clusters {
		parts = append(parts, stat.Part{N: float64(s.N), D: float64(s.D)})
		events += one(s.N > 0)
	}
	if len(parts) >= stat.FewClusters && events >= minEvents {
		if boot := stat.BootstrapRatio(parts, stat.Level, draw()); boot.OK {
			c.Range = &Range{Lo: boot.Lo, Hi: boot.Hi, Method: "cluster bootstrap"}
			return c
		}
	}
	lo, hi := c.Interval()
	c.Range = &Range{Lo: lo, Hi: hi, Method: "wilson", Flag: fmt.Sprintf("few clusters: %d", len(r.clusters))}
	return c
}

// upper is the one-sided bound that gates and objectives use, on clusters where
// sessions come in clusters: one is an event if any of its sessions is (E9.2).
func (r rate) upper() float64 {
	if r.clusters == nil {
		return stat.Upper(r.n, r.d, stat.Level)
	}
	s := stat.AnyEvent(r.clusters)
	return stat.Upper(s.N, s.D, stat.Level)
}

// lower is the same for a rate that should be high: a cluster counts if all of
// its sessions do.
func (r rate) lower() float64 {
	if r.clusters == nil {
		return stat.Lower(r.n, r.d, stat.Level)
	}
	s := stat.AllEvents(r.clusters)
	return stat.Lower(s.N, s.D, stat.Level)
}

// share is the rate as the statistics take it.
func (r rate) share() stat.Share { return stat.Share{N: r.n, D: r.d} }

// Seed is that of draws unless users set another; the corpus and the metric go in as well.
const Seed = 1

func (b *Board) rand(metric string) *stat.Rand { return stat.NewRand(b.Seed, b.digestOf(), metric) }

// digestOf is the digest of the sessions that were read and of their labels, as
// far as the board knows them: ids, sizes and classes.
func (b *Board) digestOf() string {
	h := xxh3.New()
	for _, r := range b.rows {
		class := corpus.Unlabelled
		if r.label != nil {
			class = r.label.Class
		}
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", r.id, r.calls, class)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// ratio is a ratio of sums over clusters with its bootstrap interval (E9.3).
func (b *Board) ratio(part func(*row) (n, d float64), metric string) stat.Bootstrapped {
	parts := make([]stat.Part, len(b.names))
	for _, r := range b.rows {
		n, d := part(r)
		parts[r.at].N += n
		parts[r.at].D += d
	}
	return stat.BootstrapRatio(parts, stat.Level, b.rand(metric))
}

// ranged is a bootstrapped ratio of sums as an interval, or nothing.
func ranged(c Cell, boot stat.Bootstrapped, scale float64) Cell {
	if !boot.OK {
		return c
	}
	r := &Range{Lo: scale * boot.Lo, Hi: scale * boot.Hi, Method: "cluster bootstrap"}
	if boot.Few {
		r.Flag = "few clusters"
	} else if boot.Thin() {
		r.Flag = "many draws undefined"
	}
	c.Range = r
	return c
}

// names joins at most so many names.
func nameList(ids []string) string {
	if len(ids) > maxNames {
		return strings.Join(ids[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(ids)-maxNames)
	}
	return strings.Join(ids, ", ")
}

// maxNames is how many sessions stand behind a number by name (E19).
const maxNames = 20
