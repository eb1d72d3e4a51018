package family_test

import (
	"slices"
	"strings"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/detectors/policy"
	"groundhog/replay/transcript"
)

type (
	state  struct{}
	limits struct{}
	seen   struct{ Calls int }
)

// detector is one that fires at every call.
func detector(name string) *detectors.Detector {
	return detectors.Define(detectors.Rule[state, limits, seen]{
		Name: name, Doc: "a call", Origin: detectors.Origin{Source: "this test"},
		New:     func(*detectors.Inputs) *state { return &state{} },
		OnCall:  func(*state, *transcript.Call) (seen, bool) { return seen{1}, true },
		Count:   func(m seen) detectors.Count { return detectors.Count{N: m.Calls, Of: "calls"} },
		Against: func(limits, string) detectors.Limits { return detectors.Limits{Nudge: 1} },
		Text:    func(seen) string { return "a call" },
	})
}

func retries(name string) *policy.Policy {
	return &policy.Policy{Name: name, Doc: name, Prefix: name + "/retry.", Build: func(p *detectors.Params) []policy.Layer {
		n := 0
		p.Int(&n, "max_retries", 2, 0, 9, "retries")
		return []policy.Layer{{Name: "request"}}
	}}
}

// good is a family with something of everything.
func good() family.Family {
	d := detector("mine/any_call")
	return family.Family{
		Name: "mine", Title: "Mine",
		Detectors: []*detectors.Detector{d},
		Presets: []*detectors.Preset{
			{Name: "mine-1", Detectors: []*detectors.Detector{d}},
			{Name: "mine-2", Aliases: []string{"mine"}, Detectors: []*detectors.Detector{d}},
		},
		Policies:        []*policy.Policy{retries("mine-2")},
		Removed:         []family.Tombstone{{Name: "mine/old", Date: "2026-01-02", Why: "it was wrong", Covered: "nothing", Preset: "mine-1"}},
		Default:         []string{"mine"},
		DefaultPolicies: []string{"mine-2"},
		Demo:            []string{"mine-1", "mine-2"},
		Config:          &family.Config{Flag: "mine-config", Preset: "mine-2"},
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*family.Family)
		want  string
	}{
		{"nothing wrong", func(*family.Family) {}, ""},
		{"no name", func(f *family.Family) { f.Name = "" }, `family "Mine": Name and Title are required`},
		{"a malformed detector", func(f *family.Family) { f.Detectors[0] = detector("Mine") }, "family mine: detector Mine: its Name must be FAMILY/OWN_NAME"},
		{"no detector", func(f *family.Family) { f.Detectors[0] = nil }, "family mine: a detector is nil"},
		{"two detectors of a name", func(f *family.Family) {
			f.Detectors = append(f.Detectors, detector("mine/any_call"))
		}, "family mine: two of them are called detector mine/any_call"},
		{"a preset with a malformed detector", func(f *family.Family) {
			f.Presets[0].Detectors = []*detectors.Detector{detector("mine/Other")}
		}, "family mine: preset mine-1: detector mine/Other: its Name"},
		{"a preset without a name", func(f *family.Family) { f.Presets[0].Name = "" }, "a preset has no Name"},
		{"an alias that is taken", func(f *family.Family) { f.Presets[0].Aliases = []string{"mine-2"} }, "two of them are called preset mine-2"},
		{"a policy without Build", func(f *family.Family) { f.Policies[0].Build = nil }, `policy "mine-2": Name and Build are required`},
		{"a policy with an illegal default", func(f *family.Family) {
			f.Policies[0].Build = func(p *detectors.Params) []policy.Layer {
				n := 0
				p.Int(&n, "max_retries", -1, 0, 9, "retries")
				return nil
			}
		}, `policy mine-2: mine-2/retry.max_retries: "-1" is not a whole number`},
		{"an unknown default", func(f *family.Family) { f.Default = []string{"mine-3"} }, "it names the preset mine-3"},
		{"an unknown preset in the demo", func(f *family.Family) { f.Demo = []string{"mine-3"} }, "it names the preset mine-3"},
		{"an unknown default policy", func(f *family.Family) { f.DefaultPolicies = []string{"mine-1"} }, "it names the policy mine-1"},
		{"a tombstone of no preset", func(f *family.Family) { f.Removed[0].Preset = "x" }, "it names the preset x"},
	} {
		f := good()
		test.spoil(&f)
		err := family.Check([]family.Family{f})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	for spoilt, want := range map[string]func(*family.Family){
		"family mine: two of them are called family mine":      func(*family.Family) {},
		"family other: two of them are called detector mine/":  func(f *family.Family) { f.Name = "other" },
		"family other: two of them are called preset mine-1":   func(f *family.Family) { f.Name, f.Detectors = "other", nil },
		"family other: two of them are called flag mine-confi": func(f *family.Family) { *f = family.Family{Name: "other", Title: "Other", Config: f.Config} },
	} {
		second := good()
		want(&second)
		if err := family.Check([]family.Family{good(), second}); err == nil || !strings.Contains(err.Error(), spoilt) {
			t.Errorf("two families: %v, want %q", err, spoilt)
		}
	}
}

// What stands in two families is one thing, and no clash.
func TestFamiliesShare(t *testing.T) {
	a, b := good(), family.Family{Name: "other", Title: "Other"}
	b.Detectors, b.Policies = a.Detectors, a.Policies
	both := []family.Family{a, b}
	if err := family.Check(both); err != nil {
		t.Error(err)
	}
	if n := len(family.Detectors(both)); n != 2 {
		t.Errorf("%d detectors listed, want those of both", n)
	}
	if got := family.Find("other", both); got == nil || got.Title != "Other" {
		t.Errorf("other is %v", got)
	}
	if got := family.FindPreset("mine", family.Presets(both)); got == nil || got.Name != "mine-2" {
		t.Errorf("the alias mine is %v", got)
	}
	var names []string
	for _, p := range family.Policies(both) {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"mine-2", "mine-2"}) {
		t.Errorf("policies %v", names)
	}
}

func TestRemoved(t *testing.T) {
	list := family.Removed([]family.Family{good()})
	for _, name := range []string{"mine/old", "old"} {
		dead := family.FindRemoved(name, list)
		if dead == nil {
			t.Fatalf("%s is not found", name)
		}
		const want = "mine/old was removed on 2026-01-02 (it was wrong), covered by nothing; mine-1 still has it; groundhog list removed"
		if got := dead.String(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := family.FindRemoved("mine", list); got != nil {
		t.Errorf("mine is %v", got)
	}
}
