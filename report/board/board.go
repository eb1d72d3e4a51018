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
	"groundhog/replay/transcript"
	"groundhog/report"
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
	Cluster string // what makes sessions one cluster (evaluation.md E1)
	Points  []int  // those that are judged
	Edges   bool   // also judge with onsets moved (E8.4)
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
	recorded    transcript.Recorded
	Reminders   int                              // by a live detector, as the record shows them
	Reproduced  []int                            // of those, by group
	Group       []uint32                         // by point: its group
	judged      [len(Levels)][]*corpus.Judgement // by group
	marks       [len(Levels)][]mark              // the same in short
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
	return &Board{Plan: plan, Seed: Seed, labels: labels, Cluster: cluster, Points: points, Class: make([]int, len(plan.Points)), Classes: 1}
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
	r := &Row{
		ID: o.Session.ID, File: o.Session.Origin.File, Context: o.Context, Reminders: len(o.Recorded), Label: b.labels.Of(o.Session.ID), calls: o.Calls, Started: o.Session.Started, recorded: o.Session.Recorded,
		Group: make([]uint32, len(o.Points)),
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
				r.marks[k] = append(r.marks[k], markOf(j))
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

// Totals sums the sessions that keep lets through; nil lets all through.
func (b *Board) Totals(point int, level detectors.Verdict, keep func(*Row) bool) *corpus.Totals {
	t := &corpus.Totals{Tally: corpus.Tally{}}
	for _, r := range b.Rows {
		if keep == nil || keep(r) {
			t.Add(r.Under(point, level))
		}
	}
	return t
}

// ClassCounts counts the sessions by class, and the labels no person has made.
func (b *Board) ClassCounts() (classes map[corpus.Class]int, weak int) {
	classes = make(map[corpus.Class]int)
	for _, r := range b.Rows {
		class := corpus.Unlabelled
		if r.Label != nil {
			class = r.Label.Class
			if r.Label.Source == "weak" && class != corpus.Unlabelled {
				weak++
			}
		}
		classes[class]++
	}
	return classes, weak
}

// HasLabels reports whether some session has a label that says something.
func (b *Board) HasLabels() bool {
	classes, _ := b.ClassCounts()
	return classes[corpus.Loop]+classes[corpus.Productive]+classes[corpus.KnownGap] > 0
}

// A share of sessions with what its interval needs.
type Rate struct {
	N, D     int
	Clusters []stat.Share // by cluster that has such sessions; nil if each session is one
}

// Rate counts the sessions that in takes, and of those the ones that hit takes.
func (b *Board) Rate(point int, level detectors.Verdict, in, hit func(corpus.Result) bool, keep func(*Row) bool) Rate {
	var out Rate
	by := make([]stat.Share, len(b.ClusterNames))
	for _, r := range b.Rows {
		if keep != nil && !keep(r) {
			continue
		}
		res := r.Under(point, level).Result
		if !in(res) {
			continue
		}
		out.D++
		by[r.ClusterAt].D++
		if hit(res) {
			out.N++
			by[r.ClusterAt].N++
		}
	}
	if b.Clustered {
		for _, s := range by {
			if s.D > 0 {
				out.Clusters = append(out.Clusters, s)
			}
		}
	}
	return out
}

// Which results are in the denominator and the numerator of each rate (E5).
func IsLoop(r corpus.Result) bool {
	return r == corpus.TruePositive || r == corpus.FalseNegative || r == corpus.Premature || r == corpus.Late
}
func IsWork(r corpus.Result) bool     { return r == corpus.FalsePositive || r == corpus.TrueNegative }
func IsCaught(r corpus.Result) bool   { return r == corpus.TruePositive }
func IsFalse(r corpus.Result) bool    { return r == corpus.FalsePositive }
func IsJudged(r corpus.Result) bool   { return IsLoop(r) || IsWork(r) }
func IsFalseHit(r corpus.Result) bool { return IsFalse(r) || r == corpus.Premature || r == corpus.Late }

// minEvents is how many clusters with an event the bootstrap of a proportion
// needs (E9.2).
const minEvents = 5

// Cell is the rate with its interval: Wilson's, or where sessions come in
// clusters that of the bootstrap, as far as there are enough (E9.2).
func (b *Board) Cell(r Rate, metric string) report.Cell {
	return r.Cell(func() *stat.Rand { return b.Rand(metric) })
}

func (r Rate) Cell(draw func() *stat.Rand) report.Cell {
	c := report.Share(r.N, r.D)
	if r.Clusters == nil || r.D == 0 {
		return c
	}
	events := 0
	var parts []stat.Part
	for _, s := range r.Clusters {
		parts = append(parts, stat.Part{N: float64(s.N), D: float64(s.D)})
		events += report.Bit(s.N > 0)
	}
	if len(parts) >= stat.FewClusters && events >= minEvents {
		if boot := stat.BootstrapRatio(parts, stat.Level, draw()); boot.OK {
			c.Range = &report.Range{Lo: boot.Lo, Hi: boot.Hi, Method: "cluster bootstrap"}
			return c
		}
	}
	lo, hi := c.Interval()
	c.Range = &report.Range{Lo: lo, Hi: hi, Method: "wilson", Flag: fmt.Sprintf("few clusters: %d", len(r.Clusters))}
	return c
}

// Upper is the one-sided bound that gates and objectives use, on clusters where
// sessions come in clusters: one is an event if any of its sessions is (E9.2).
func (r Rate) Upper() float64 {
	if r.Clusters == nil {
		return stat.Upper(r.N, r.D, stat.Level)
	}
	s := stat.AnyEvent(r.Clusters)
	return stat.Upper(s.N, s.D, stat.Level)
}

// Lower is the same for a rate that should be high: a cluster counts if all of
// its sessions do.
func (r Rate) Lower() float64 {
	if r.Clusters == nil {
		return stat.Lower(r.N, r.D, stat.Level)
	}
	s := stat.AllEvents(r.Clusters)
	return stat.Lower(s.N, s.D, stat.Level)
}

// Share is the rate as the statistics take it.
func (r Rate) Share() stat.Share { return stat.Share{N: r.N, D: r.D} }

// Seed is that of draws unless users set another; the corpus and the metric go in as well.
const Seed = 1

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

// Ratio is a ratio of sums over clusters with its bootstrap interval (E9.3).
func (b *Board) Ratio(part func(*Row) (n, d float64), metric string) stat.Bootstrapped {
	parts := make([]stat.Part, len(b.ClusterNames))
	for _, r := range b.Rows {
		n, d := part(r)
		parts[r.ClusterAt].N += n
		parts[r.ClusterAt].D += d
	}
	return stat.BootstrapRatio(parts, stat.Level, b.Rand(metric))
}

// Ranged is a bootstrapped ratio of sums as an interval, or nothing.
func Ranged(c report.Cell, boot stat.Bootstrapped, scale float64) report.Cell {
	if !boot.OK {
		return c
	}
	r := &report.Range{Lo: scale * boot.Lo, Hi: scale * boot.Hi, Method: "cluster bootstrap"}
	if boot.Few {
		r.Flag = "few clusters"
	} else if boot.Thin() {
		r.Flag = "many draws undefined"
	}
	c.Range = r
	return c
}

// Join puts two boards of one point each side by side: the sessions that both
// have, by id and number of calls. What only one of them has is counted.
func Join(a, b *Board) (joined *Board, onlyA, onlyB, changed []string) {
	joined = &Board{Plan: a.Plan, labels: a.labels, Cluster: a.Cluster, Selection: a.Selection, Seed: a.Seed, Points: []int{0, 1}, Class: []int{0, 1}, Classes: 2}
	rest := make(map[string]*Row, len(b.Rows))
	for _, r := range b.Rows {
		rest[r.ID] = r
	}
	for _, r := range a.Rows {
		other := rest[r.ID]
		delete(rest, r.ID)
		switch {
		case other == nil:
			onlyA = append(onlyA, r.ID)
			continue
		case other.calls != r.calls:
			changed = append(changed, r.ID)
			continue
		}
		both := *r
		both.Group = []uint32{0, 1}
		for k := range Levels {
			both.judged[k] = []*corpus.Judgement{r.judged[k][r.Group[0]], other.judged[k][other.Group[0]]}
			both.marks[k] = []mark{r.marks[k][r.Group[0]], other.marks[k][other.Group[0]]}
		}
		joined.Rows = append(joined.Rows, &both)
	}
	for id := range rest {
		onlyB = append(onlyB, id)
	}
	for _, ids := range [][]string{onlyA, onlyB, changed} {
		slices.Sort(ids)
	}
	return joined, onlyA, onlyB, changed
}

// Cautions are what has to be said beside every rate that uses the labels: a
// model's labels and how often a person agreed with them (E15.4), readers who
// hardly agree (E3.4), and sessions that are not settled.
func Cautions(labels *corpus.Labels) []string {
	var notes []string
	var weak, checked, same int
	for _, session := range labels.Sessions() {
		readings := labels.Readings(session)
		last := readings[len(readings)-1].Label // a model's, if there is one: weak is the last source
		counts := labels.Of(session)
		switch {
		case last.Source != "weak":
		case counts.Source == "weak":
			weak++
		case counts.Source != "synthetic" && counts.Class != corpus.Unlabelled:
			checked++
			same += report.Bit(counts.Class == last.Class)
		}
	}
	for _, p := range labels.Pairs() {
		if k, ok := KappaOf(&p); ok && k < stat.Caution {
			notes = append(notes, fmt.Sprintf("caution: %s and %s agree with kappa %.2f on the class of %d sessions (below %v): every rate from these labels is that uncertain too", p.A, p.B, k, len(p.Classes), stat.Caution))
		}
	}
	switch {
	case checked > 0:
		lo, hi := stat.Wilson(same, checked)
		notes = append(notes, fmt.Sprintf("of a model's labels people read %d again and gave %d the same class: %.0f%% [%.0f, %.0f]; %d sessions have a model's label alone", checked, same,
			100*float64(same)/float64(checked), 100*lo, 100*hi, weak))
	case weak > 0:
		notes = append(notes, fmt.Sprintf("%d sessions have a model's label alone (source: weak), and no person has checked them", weak))
	}
	if n := len(labels.Unsettled()); n > 0 {
		notes = append(notes, fmt.Sprintf("readers differ on the class of %d sessions, which count as unlabelled", n))
	}
	return notes
}

// Mixed reports whether some sessions have a model's label alone and others a
// person's: then rates are given for all, and for those of people (E15.4).
func (b *Board) Mixed() bool {
	weak, people := false, false
	for _, r := range b.Rows {
		if r.Label != nil && r.Label.Class != corpus.Unlabelled {
			weak = weak || !ByPeople(r)
			people = people || ByPeople(r)
		}
	}
	return weak && people
}

func ByPeople(r *Row) bool { return r.Label != nil && r.Label.Source != "weak" }

// Units is how many independent loops a rate rests on.
func (r *Rate) Units() int {
	if r.Clusters != nil {
		return len(r.Clusters)
	}
	return r.D
}

func KappaOf(p *corpus.Pair) (float64, bool) {
	var a, b []string
	for _, c := range p.Classes {
		a, b = append(a, string(c[0])), append(b, string(c[1]))
	}
	return stat.Kappa(a, b)
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

// MovedBy is how far label edges are moved, in calls (E8.4).
const MovedBy = 2
