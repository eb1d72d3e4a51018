package formats_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// day is a time that a session may have begun at; 0 is an unknown one.
func day(n int) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC)
}

// unit is a session with one response for each message id.
func unit(id string, size int64, messages ...string) *formats.Unit {
	u := &formats.Unit{
		Session: &transcript.Session{ID: id, Origin: transcript.Origin{File: id + ".file"}},
		Size:    size,
		Records: len(messages),
	}
	for _, m := range messages {
		u.Messages = append(u.Messages, formats.MessageKey(m))
	}
	u.Steps = func() iter.Seq2[*transcript.Step, error] {
		return func(yield func(*transcript.Step, error) bool) {
			if !yield(&transcript.Step{Kind: transcript.Prompt}, nil) {
				return
			}
			for _, m := range messages {
				if !yield(&transcript.Step{ID: m}, nil) {
					return
				}
			}
		}
	}
	return u
}

func from(u *formats.Unit, file string) *formats.Unit { u.Session.Origin.File = file; return u }
func begun(u *formats.Unit, n int) *formats.Unit      { u.Session.Started = day(n); return u }
func history(u *formats.Unit) *formats.Unit           { u.History = true; return u }

// summary is a line for each session, with the messages that belong to another
// one in brackets, and a line for each copy.
func summary(found *formats.Found) string {
	var out strings.Builder
	for _, u := range found.Units {
		fmt.Fprintf(&out, "%s:", u.Session.ID)
		for s, err := range u.Read() {
			switch {
			case err != nil:
				fmt.Fprintf(&out, " %v", err)
			case s.ID == "":
			case s.Has(transcript.Context):
				fmt.Fprintf(&out, " (%s)", s.ID)
			default:
				fmt.Fprintf(&out, " %s", s.ID)
			}
		}
		out.WriteString("\n")
	}
	for _, c := range found.Copies {
		fmt.Fprintf(&out, "%s kept %s, dropped %s\n", c.Session, c.Kept, strings.Join(c.Dropped, " "))
	}
	return out.String()
}

func TestCopies(t *testing.T) {
	for _, test := range []struct {
		name  string
		units []*formats.Unit
		want  string
	}{
		{"nothing shared", []*formats.Unit{unit("b", 1, "m2"), unit("a", 1, "m1")}, "a: m1\nb: m2\n"},
		{
			"the longest of three copies is kept",
			[]*formats.Unit{from(unit("a", 1, "m1"), "1"), from(unit("a", 3, "m1", "m2", "m3"), "2"), from(unit("a", 2, "m1", "m2"), "3")},
			"a: m1 m2 m3\na kept 2, dropped 3 1\n",
		},
		{
			"of two as long, the first by name is kept",
			[]*formats.Unit{from(unit("a", 1, "m1"), "y"), from(unit("a", 1, "m1"), "x")},
			"a: m1\na kept x, dropped y\n",
		},
		{
			"shared messages belong to the session that began first",
			[]*formats.Unit{begun(unit("a", 3, "m1", "m2", "m3"), 2), begun(unit("b", 3, "m1", "m2", "m4"), 1)},
			"a: (m1) (m2) m3\nb: m1 m2 m4\n",
		},
		{
			"and to the smaller id, if they began together",
			[]*formats.Unit{begun(unit("b", 1, "m1", "m3"), 1), begun(unit("a", 1, "m1", "m2"), 1)},
			"a: m1 m2\nb: (m1) m3\n",
		},
		{
			"and to the smaller id, if nobody knows",
			[]*formats.Unit{unit("b", 1, "m1", "m3"), unit("a", 1, "m1", "m2")},
			"a: m1 m2\nb: (m1) m3\n",
		},
		{
			"and to the one whose beginning is known",
			[]*formats.Unit{unit("a", 1, "m1", "m2"), begun(unit("b", 1, "m1", "m3"), 9)},
			"a: (m1) m2\nb: m1 m3\n",
		},
		{
			"of three that share, only one counts a message",
			[]*formats.Unit{begun(unit("a", 1, "m1", "m2"), 3), begun(unit("b", 1, "m1", "m2"), 2), begun(unit("c", 1, "m2", "m3"), 1)},
			"a: (m1) (m2)\nb: m1 (m2)\nc: m2 m3\n",
		},
		{
			"a copy that is dropped owns nothing",
			[]*formats.Unit{begun(unit("a", 1, "m1"), 1), begun(unit("a", 2, "m2", "m3"), 1), begun(unit("b", 1, "m1"), 2)},
			"a: m2 m3\nb: m1\na kept a.file, dropped a.file\n",
		},
		{
			"a message twice in one session is its own",
			[]*formats.Unit{unit("a", 1, "m1", "m1")},
			"a: m1 m1\n",
		},
		{
			"a log that another one continues is a copy of it",
			[]*formats.Unit{history(unit("a", 1, "m1", "m2")), history(unit("b", 1, "m1", "m2", "m3")), history(unit("c", 1, "m1"))},
			"b: m1 m2 m3\nb kept b.file, dropped a.file c.file\n",
		},
		{
			"of two that continue a log, the longer one",
			[]*formats.Unit{history(unit("a", 1, "m1")), history(unit("b", 1, "m1", "m2")), history(unit("c", 1, "m1", "m3", "m4"))},
			"b: m1 m2\nc: (m1) m3 m4\nc kept c.file, dropped a.file\n",
		},
		{
			"a session is no copy for sharing its last message",
			[]*formats.Unit{unit("a", 1, "m1"), unit("b", 1, "m1", "m2")},
			"a: m1\nb: (m1) m2\n",
		},
		{
			"an empty log is no copy of anything",
			[]*formats.Unit{history(unit("a", 1)), history(unit("b", 1, "m1"))},
			"a:\nb: m1\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := formats.NewFound(test.units)
			if got := summary(found); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			var bytes int64
			for _, u := range found.Units {
				bytes += u.Size
			}
			if found.Bytes != bytes {
				t.Errorf("%d bytes, want those of what was kept, %d", found.Bytes, bytes)
			}
		})
	}
}

func TestReadMayBeLeftEarly(t *testing.T) {
	found := formats.NewFound([]*formats.Unit{unit("a", 1, "m1", "m2"), unit("b", 1, "m1", "m2")})
	for _, u := range found.Units {
		for range u.Read() {
			break
		}
	}
}

// A plan describes a unit, so that equal ones can be made again.
type plan struct {
	id, file string
	begun    int
	size     int64
	messages []string
	history  bool
}

func (p plan) unit() *formats.Unit {
	u := begun(from(unit(p.id, p.size, p.messages...), p.file), p.begun)
	u.History = p.history
	return u
}

func units(plans []plan) *formats.Found {
	var list []*formats.Unit
	for _, p := range plans {
		list = append(list, p.unit())
	}
	return formats.NewFound(list)
}

// plans draws sessions that share ids and messages. Sizes follow the number of
// messages, as they do in files.
func plans(t *rapid.T) []plan {
	message := rapid.SampledFrom([]string{"m1", "m2", "m3", "m4", "m5", "m6"})
	var list []plan
	for i := range rapid.IntRange(1, 7).Draw(t, "sessions") {
		p := plan{
			id:       rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "id"),
			file:     fmt.Sprint("f", i),
			begun:    rapid.IntRange(0, 3).Draw(t, "begun"),
			messages: rapid.SliceOfN(message, 0, 5).Draw(t, "messages"),
		}
		p.size = int64(1 + len(p.messages))
		list = append(list, p)
	}
	return list
}

func TestOrderOfFilesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := plans(t)
		want := summary(units(list))
		got := summary(units(rapid.Permutation(list).Draw(t, "permuted")))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("permuted (-want +got):\n%s", diff)
		}
	})
}

func TestADuplicateChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := plans(t)
		want := units(list)
		again := rapid.SampledFrom(list).Draw(t, "again")
		again.file += "copy"
		got := units(append(slices.Clone(list), again))
		want.Copies, got.Copies = nil, nil
		if diff := cmp.Diff(summary(want), summary(got)); diff != "" {
			t.Errorf("with a duplicate of %v (-want +got):\n%s", again, diff)
		}
	})
}

// Whatever is shared, each message is counted in exactly one session, and every
// file is either kept or named as dropped.
func TestEveryMessageHasOneOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := plans(t)
		found := units(list)
		owners := make(map[string]map[string]bool)
		files := 0
		for _, u := range found.Units {
			files++
			for s := range u.Read() {
				if s.ID != "" {
					if owners[s.ID] == nil {
						owners[s.ID] = make(map[string]bool)
					}
					if !s.Has(transcript.Context) {
						owners[s.ID][u.Session.ID] = true
					}
				}
			}
		}
		for m, of := range owners {
			if len(of) != 1 {
				t.Errorf("%s belongs to %d sessions", m, len(of))
			}
		}
		for _, c := range found.Copies {
			files += len(c.Dropped)
		}
		if files != len(list) {
			t.Errorf("%d files are accounted for, of %d", files, len(list))
		}
	})
}

// Logs of a branching conversation: each is a path from the root. Those that
// end where another one goes on are left out; all that are left out are named.
func TestLogsOfABranchingConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := []int{-1}
		for i := 1; i < 8; i++ {
			parents = append(parents, rapid.IntRange(0, i-1).Draw(t, "parent"))
		}
		path := func(n int) (list []string) {
			for ; n >= 0; n = parents[n] {
				list = append(list, fmt.Sprint("m", n))
			}
			slices.Reverse(list)
			return list
		}
		ends := rapid.SliceOfN(rapid.IntRange(0, 7), 1, 6).Draw(t, "ends")
		var list []plan
		goesOn := make(map[string]bool)
		for i, n := range ends {
			p := plan{id: fmt.Sprint("s", i), file: fmt.Sprint("f", i), messages: path(n), history: true}
			p.size = int64(len(p.messages))
			list = append(list, p)
			for _, m := range p.messages[:len(p.messages)-1] {
				goesOn[m] = true
			}
		}
		var want []string
		for i, n := range ends {
			if !goesOn[fmt.Sprint("m", n)] {
				want = append(want, fmt.Sprint("s", i))
			}
		}
		found := units(rapid.Permutation(list).Draw(t, "permuted"))
		kept := make(map[string]bool)
		var got []string
		for _, u := range found.Units {
			got = append(got, u.Session.ID)
			kept[u.Session.Origin.File] = true
		}
		if !cmp.Equal(got, want) {
			t.Errorf("kept %v, want %v", got, want)
		}
		dropped := 0
		for _, c := range found.Copies {
			dropped += len(c.Dropped)
			if !kept[c.Kept] {
				t.Errorf("%s is said to be kept", c.Kept)
			}
		}
		if len(got)+dropped != len(list) {
			t.Errorf("%d kept and %d dropped, of %d", len(got), dropped, len(list))
		}
	})
}
