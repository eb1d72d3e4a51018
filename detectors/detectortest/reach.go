package detectortest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// Reach fails the test if a session that a detector lists as leading to a
// measurement leads elsewhere: replayed alone, its last event must say exactly
// what the measurement is judged to be, and its size must be what is claimed.
func Reach(t *testing.T, d *detectors.Detector, set detectors.Settings) {
	t.Helper()
	list, _, err := d.Reach(set)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if every := 1 + len(list)/300; i%every != 0 {
			continue // a sample of a long list
		}
		steps := r.Session()
		var last detectors.Fire
		said := Drive(t, []*detectors.Detector{d}, set, steps)
		if n := len(said); n > 0 && said[n-1].last {
			last = said[n-1].Fire
		}
		got, want := say1(last), say1(r.Fire)
		if got != want {
			t.Errorf("%s under %v: history %d, of %d %ss, ends in\n%s\nand is listed as\n%s", d.Name, set, i, r.Size,
				d.Unit(), got, want)
			return
		}
		if n := size(d.Unit(), steps); n > 0 && n != r.Size {
			t.Errorf("%s: history %d has %d %ss and is listed with %d", d.Name, i, n, d.Unit(), r.Size)
		}
	}
}

// size is how long a session is; 0 if the unit is none of a session's own.
func size(unit string, steps []*transcript.Step) (n int) {
	for _, s := range steps {
		switch unit {
		case "call":
			n += len(s.Calls)
		case "step":
			n++
		case "token":
			for _, p := range s.Parts {
				n += len(strings.Fields(p.Text))
			}
		}
	}
	return n
}

func say1(f detectors.Fire) string {
	if f.Verdict == detectors.Continue {
		return "continue"
	}
	return fmt.Sprintf("%v %q %v %q %v", f.Verdict, f.Reason, f.Case, f.Text, f.Evidence)
}

// A Said is a verdict above Continue at one event of a driven session.
type Said struct {
	detectors.Fire
	last bool // at the last call, or the last event of its kind
}

// Drive replays steps and lists what each detector says at each event, as if it
// were alone and had never been heard.
func Drive(t *testing.T, list []*detectors.Detector, set detectors.Settings, steps []*transcript.Step) (said []Said) {
	t.Helper()
	end := NewDriver(t, list, set).Run(steps, func(f detectors.Fire) { said = append(said, Said{Fire: f}) })
	for i := range said {
		p := said[i].Pos
		said[i].last = p.Step == end.Step && (p.Call == 0 || p.Call == end.Call)
	}
	return said
}

// A Driver replays one session after the other over one panel. Sessions begin
// with a run of their own, so it is for detectors that a run makes forget.
type Driver struct {
	panel *detectors.Panel
}

// NewDriver returns a driver of detectors under one set of limits each.
func NewDriver(t *testing.T, list []*detectors.Detector, set detectors.Settings) *Driver {
	t.Helper()
	variants := make([][]detectors.Settings, len(list))
	for i := range variants {
		variants[i] = []detectors.Settings{set}
	}
	panel, err := detectors.NewPanel(list, set, variants)
	if err != nil {
		t.Fatal(err)
	}
	return &Driver{panel: panel}
}

// Run replays a session and gives its last position.
func (d *Driver) Run(steps []*transcript.Step, say func(detectors.Fire)) (end transcript.Pos) {
	var cur transcript.Cursor
	for _, step := range steps {
		for ev := range cur.Events(step) {
			end = transcript.Pos{Run: ev.Pos.Run, Step: ev.Pos.Step, Call: max(end.Call, ev.Pos.Call)}
			frame := d.panel.Observe(ev)
			if frame == nil {
				continue
			}
			for _, row := range frame.Rows {
				if row != nil && row.Verdicts[0] > detectors.Continue {
					say(row.Fire(0))
				}
			}
		}
	}
	return end
}

// A Claim is one thing that a detector can say.
type Claim struct {
	Detector string
	Case     detectors.Case
	Verdict  detectors.Verdict
	Reason   string
}

// Claims is the least size of each thing that detectors list as possible.
func Claims(t *testing.T, list []*detectors.Detector, set detectors.Settings) map[Claim]int {
	t.Helper()
	out := make(map[Claim]int)
	for _, d := range list {
		reached, _, err := d.Reach(set)
		if err != nil {
			t.Fatal(err)
		}
		for i := range reached {
			r := &reached[i]
			c := Claim{d.Name, r.Case, r.Verdict, r.Reason}
			if have, ok := out[c]; r.Verdict > detectors.Continue && (!ok || r.Size < have) {
				out[c] = r.Size
			}
		}
	}
	return out
}

// ClaimOf is the claim that a verdict is an instance of.
func ClaimOf(f detectors.Fire) Claim { return Claim{f.Detector, f.Case, f.Verdict, f.Reason} }

// Sorted lists claims in an order that does not change.
func Sorted(claims map[Claim]int) (list []Claim) {
	for c := range claims {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Claim) int {
		return cmp.Or(
			cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Case.Name, b.Case.Name), cmp.Compare(a.Case.N, b.Case.N),
			cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}
