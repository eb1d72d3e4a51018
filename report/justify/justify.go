package justify

import (
	"fmt"
	"slices"
	"strings"

	"groundhog/corpus"
	"groundhog/detectors"
	"groundhog/replay"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// The two sides, as indexes.
const (
	with = iota
	without
	sides
)

// A Dossier gathers what its tables need, over a board.
type Dossier struct {
	*board.Board
	Proposal   *Proposal
	Levels     []detectors.Verdict
	Prevalence []float64
	Losses     *Losses // what is lost costs; nil if nobody said
	MaxUnique  float64 // share of loops that only the path may catch

	side  [sides]int                   // points
	alone [sides][]int                 // points: by path of that side
	own   int                          // point: the paths in question by themselves
	paths [sides][]*detectors.Detector // of that side
	named map[string]bool              // sessions that are named in some table
	seen  map[*board.Row]*seen         // what is kept of each session beyond its judgements
}

// Losses are what mistakes cost, in one unit.
type Losses struct{ FalseStop, MissedLoop, Nudge float64 }

// MaxUnique is the share of loops that only a path may catch, unless another is
// asked for.
const MaxUnique = 0.05

// New returns an empty dossier. The plan is that of the proposal's question.
func New(p *Proposal, plan *replay.Plan, labels *corpus.Labels, cluster string) *Dossier {
	d := &Dossier{Proposal: p, Levels: board.Levels[:], Prevalence: board.Prevalences, MaxUnique: MaxUnique,
		named: make(map[string]bool), seen: make(map[*board.Row]*seen)}
	var judged []int
	for i := range plan.Points {
		pt := &plan.Points[i]
		switch view := pt.View(); {
		case view == replay.Production && pt.Config == 2:
			d.own = i
		case view == replay.Production:
			d.side[pt.Config] = i
			d.paths[pt.Config] = plan.Configs[pt.Config].Preset.Detectors
		case view == replay.Standalone && pt.Config < sides:
			d.alone[pt.Config] = append(d.alone[pt.Config], i)
		default:
			continue
		}
		judged = append(judged, i)
	}
	d.Board = board.New(plan, labels, cluster, judged...)
	return d
}

// seen is what a dossier keeps of a session beyond its judgements.
type seen struct {
	lacks  []bool // by path of the side with: the recording does not hold what it looks at
	paths  [sides][]pathSeen
	moved  [2*board.MovedBy + 1][len(board.Levels)][sides]*corpus.Judgement // by shift of the onsets
	inSpan [sides][][len(board.Levels)]*corpus.Hit                          // by span of the label: the first fire inside
	// recorded reminders by the agent whose preset this is
	live    int
	matched int // of them, those that the replay delivers after the same step
	extra   int // deliveries in such a session that the record does not show
}

// pathSeen is what one path did in production, by level.
type pathSeen struct {
	fires, episodes [len(board.Levels)]int
	wanted          [len(board.Levels)]int   // decision points at which it asked for as much
	masked          [len(board.Levels)][]int // of them, those that another path won, by that path
}

// Add takes one outcome.
func (d *Dossier) Add(o *replay.Outcome) {
	n := len(d.Rows)
	d.Board.Add(o)
	if len(d.Rows) == n {
		return // left out
	}
	r := d.Rows[n]
	d.seen[r] = &seen{}
	for _, det := range d.paths[with] {
		d.seen[r].lacks = append(d.seen[r].lacks, o.Lacks(det))
	}
	for side := range sides {
		d.seen[r].paths[side] = pathsSeen(o, d.side[side], d.paths[side])
		d.seen[r].inSpan[side] = firesIn(r.Label, o, o.Points[d.side[side]])
	}
	for shift := range d.seen[r].moved {
		for k, level := range board.Levels {
			for side := range sides {
				j := r.Under(d.side[side], level)
				if by := shift - board.MovedBy; by != 0 && r.Label != nil && len(r.Label.Spans) > 0 {
					j = corpus.JudgeWorst(r.Label.Moved(by), o, o.Points[d.side[side]], level)
				}
				d.seen[r].moved[shift][k][side] = j
			}
		}
	}
	d.compareRecord(r, o)
}

// pathsSeen counts the fires of every path up to the first stop of each run.
func pathsSeen(o *replay.Outcome, point int, paths []*detectors.Detector) []pathSeen {
	index := make(map[string]int)
	list := make([]pathSeen, len(paths))
	for i, det := range paths {
		index[det.Name] = i
		for k := range board.Levels {
			list[i].masked[k] = make([]int, len(paths))
		}
	}
	type chain struct {
		run  int32
		path int
		k    int
	}
	last := make(map[chain]int) // call of the last fire
	p := o.Points[point]
	for _, f := range p.Fires {
		if f.After {
			continue
		}
		winner := index[f.Detector]
		for k, level := range board.Levels {
			stopped := level == detectors.ForceStop && !firstOf(p, f)
			if f.Verdict >= level && !stopped {
				list[winner].fires[k]++
				at, call := chain{f.Pos.Run, winner, k}, board.CallOf(o, f)
				if before, ok := last[at]; !ok || call-before > 1 {
					list[winner].episodes[k]++
				}
				last[at] = call
			}
			for i := range f.Wanted {
				if w := &f.Wanted[i]; w.Verdict >= level {
					asked := index[w.Detector]
					list[asked].wanted[k]++
					if asked != winner {
						list[asked].masked[k][winner]++
					}
				}
			}
		}
	}
	return list
}

// firstOf reports whether a fire is the stop that ends its run.
func firstOf(p *replay.PointOutcome, f *replay.Fire) bool {
	for i := range p.Runs {
		if p.Runs[i].FirstStop == f {
			return true
		}
	}
	return false
}

// firesIn finds the first fire inside each span of a label, at either level.
func firesIn(l *corpus.Label, o *replay.Outcome, p *replay.PointOutcome) [][len(board.Levels)]*corpus.Hit {
	if l == nil {
		return nil
	}
	list := make([][len(board.Levels)]*corpus.Hit, len(l.Spans))
	for i := range l.Spans {
		s := &l.Spans[i]
		for _, f := range p.Fires {
			call := board.CallOf(o, f)
			if f.After || int(f.Pos.Run) != s.Run || call < s.Onset || call > s.End {
				continue
			}
			for k, level := range board.Levels {
				if list[i][k] == nil && f.Verdict >= level {
					list[i][k] = &corpus.Hit{Run: s.Run, Step: int(f.Pos.Step), Call: call, Phase: f.Phase, Detector: f.Detector,
						Verdict: f.Verdict, Tier: f.Tier}
				}
			}
		}
	}
	return list
}

// compareRecord counts what the record says the live detector delivered. A
// record does not name the path, nor the revision: reminders in sessions of the
// preset's own agent are taken for those of this preset, and all of them count.
// A session that somebody wrote (synthetic) records nothing.
func (d *Dossier) compareRecord(r *board.Row, o *replay.Outcome) {
	family, _, _ := strings.Cut(d.Proposal.Preset.Name, "-")
	if len(o.Recorded) == 0 ||
		!strings.HasPrefix(strings.ToLower(o.Session.Agent), family) || r.Label != nil && r.Label.Source == "synthetic" {
		return
	}
	delivered := make(map[[2]int]bool)
	today := d.side[with]
	if d.Proposal.Kind == Addition {
		today = d.side[without]
	}
	for _, f := range o.Points[today].Fires {
		if f.Delivered >= detectors.Nudge && !f.Open {
			delivered[[2]int{int(f.Pos.Run), int(f.Pos.Step)}] = true
		}
	}
	d.seen[r].live = len(o.Recorded)
	for _, v := range o.Recorded {
		if at := [2]int{v.Run, v.Step}; delivered[at] {
			d.seen[r].matched++
			delete(delivered, at)
		}
	}
	d.seen[r].extra = len(delivered)
}

// inQuestion reports whether a path of the side with is one that the dossier is about.
func (d *Dossier) inQuestion(name string) bool {
	return slices.ContainsFunc(d.Proposal.Paths, func(x *detectors.Detector) bool { return x.Name == name })
}

// applies reports whether some path in question can be judged on a session.
func (d *Dossier) applies(r *board.Row) bool {
	for i, det := range d.paths[with] {
		if d.inQuestion(det.Name) && !d.seen[r].lacks[i] {
			return true
		}
	}
	return false
}

// targets are the shapes of loops that the paths in question are for.
func (d *Dossier) targets() (list []string) {
	list = append(list, d.Proposal.Targets...)
	for _, det := range d.Proposal.Paths {
		for _, shape := range det.Targets {
			if !slices.Contains(list, shape) {
				list = append(list, shape)
			}
		}
	}
	return list
}

// ownSample is what the paths in question do by themselves, in the sessions that hold
// what they look at.
func (d *Dossier) ownSample(level detectors.Verdict) *board.Sample {
	return d.drawing(d.Sample(d.own, level, d.applies), "own")
}

// drawing gives the intervals of a sample draws of their own.
func (d *Dossier) drawing(s *board.Sample, name string) *board.Sample {
	s.Draw = func(metric string) *stat.Rand { return d.Rand(name + " " + metric) }
	return s
}

// loopOverOverall is L/O, which no level changes.
var loopOverOverall = &board.Pick(board.Catalogue(detectors.ForceStop, nil), "loop_over_overall")[0]

// loopOverall is L/O of the paths in question.
func (d *Dossier) loopOverall(level detectors.Verdict) (float64, bool) {
	if !d.rated() {
		return 0, false
	}
	return loopOverOverall.Value(d.ownSample(level))
}

// rated reports whether rates of loops and of work mean something, as the
// sessions were chosen.
func (d *Dossier) rated() bool { return d.Unchosen() == "" }

// subject is what is asked about, in words.
func (d *Dossier) subject() string {
	var names []string
	for _, det := range d.Proposal.Paths {
		names = append(names, report.PathName(det.Name))
	}
	list := strings.Join(names, ", ")
	switch d.Proposal.Kind {
	case Change:
		var moves []string
		for _, s := range d.Proposal.Settings {
			moves = append(moves, fmt.Sprintf("%s %s→%s", s.ID, s.From, s.To))
		}
		return strings.Join(moves, ", ")
	case Addition:
		return "adding " + list
	}
	return "deleting " + list
}

// sideNames are the sides in words.
func (d *Dossier) sideNames() (string, string) {
	if d.Proposal.Kind == Change {
		return "now", "changed"
	}
	return "with", "without"
}

// list joins sessions, of which those shown are to be exported.
func (d *Dossier) list(ids []string) string {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids[:min(len(ids), report.MaxNames)] {
		d.named[id] = true
	}
	return report.Names(ids)
}

// Named lists the sessions that the report names, in order.
func (d *Dossier) Named() (list []string) {
	for _, r := range d.Rows {
		if d.named[r.ID] {
			list = append(list, r.ID)
		}
	}
	return list
}
