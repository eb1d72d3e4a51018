package retry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundhog/detectors"
	"groundhog/detectors/policy"
	"groundhog/formats"
	"groundhog/replay"
	"groundhog/replay/retry"
	"groundhog/replay/transcript"
	"groundhog/report"
	"groundhog/report/stat"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 437 * time.Millisecond: "437 ms", 9949 * time.Millisecond: "9.9 s", 59 * time.Second: "59 s", time.Minute: "1 m",
		90 * time.Second: "1 m 30 s", 3*time.Hour + 20*time.Minute + 5*time.Second: "3 h 20 m", 50 * time.Hour: "2 d 2 h", -time.Second: "-1.0 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

var noon = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// The busiest span is half open: what comes a minute later is in the next one.
func TestBusiest(t *testing.T) {
	at := func(seconds ...int) (list []time.Time) {
		for _, s := range seconds {
			list = append(list, noon.Add(time.Duration(s)*time.Second))
		}
		return list
	}
	if n := busiest(at(0, 30, 60, 70, 89, 500), minute); n != 4 {
		t.Errorf("%d in the busiest minute", n)
	}
	if n, wanted := peakMinute(at(0, 50, 400), at(55, 70, 100, 110, 130, 459, 460)); n != 3 || wanted != 1 {
		t.Errorf("%d retries, %d wanted in the peak minute", n, wanted)
	}
	if n := busiest(nil, minute); n != 0 {
		t.Errorf("%d of nothing", n)
	}
	if n := between(at(0, 1, 2, 3), noon.Add(time.Second), noon.Add(3*time.Second)); n != 2 {
		t.Errorf("%d between", n)
	}
}

// episodes makes one session for each outage: it fails every ten seconds and
// works when it ends; a negative length is a give-up.
func episodes(t *testing.T, policies []*policy.Retrier, outages ...int) *Retry {
	t.Helper()
	r := New(policies, formats.NewFound(nil))
	for i, length := range outages {
		start := noon.Add(time.Duration(i) * time.Second)
		e := retry.Episode{Kind: policy.ServerFailed, Recovered: length > 0, EndKnown: true, Clock: true, Start: start}
		length = max(length, -length)
		for at := 0; at < length; at += 10 {
			e.Failures = append(e.Failures, retry.Failed{Attempt: &transcript.Attempt{Status: 503, Message: "down", RetryAfter: -1, Delay: 10 * time.Second, Time: start.Add(time.Duration(at) * time.Second)},
				Kind: policy.ServerFailed, At: time.Duration(at) * time.Second, Asked: -1, Segment: "request"})
		}
		e.End = time.Duration(length) * time.Second
		o := &replay.Outcome{Session: &transcript.Session{ID: fmt.Sprintf("s%d", i)}, Requests: &retry.Requests{Logical: 2, Begun: []time.Time{start, start.Add(time.Hour)}, Episodes: []retry.Episode{e}}}
		if err := r.Add(o, func(*Episode) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// patient retries so often, with waits of ten seconds.
func patient(t *testing.T, name string, retries int) *policy.Retrier {
	t.Helper()
	p := &policy.Policy{Name: name, Build: func(*detectors.Params) []policy.Layer {
		return []policy.Layer{{
			Name: name,
			Decide: func(*transcript.Attempt) policy.Decision {
				return policy.Decision{Retry: true, Kind: "k", Hint: -1}
			},
			Budget: func(policy.Decision, *transcript.Attempt) policy.Budget {
				return policy.Budget{Name: "b", Retries: retries, Initial: 10 * time.Second, Limit: 10 * time.Second}
			},
		}}
	}}
	r, err := p.At(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func section(t *testing.T, r *report.Report, key string) *report.Section {
	t.Helper()
	i := slices.IndexFunc(r.Sections, func(s report.Section) bool { return s.Key == key })
	if i < 0 {
		t.Fatalf("no section %s", key)
	}
	return &r.Sections[i]
}

func rowText(s *report.Section, i int) string {
	var list []string
	for _, c := range s.Rows[i] {
		switch c.Kind {
		case report.KindCount, report.KindWait:
			list = append(list, fmt.Sprint(c.N))
		case report.KindShare:
			list = append(list, fmt.Sprintf("%d/%d", c.N, c.D))
		case report.KindCounts:
			list = append(list, fmt.Sprint(c.List))
		case report.KindNull:
			list = append(list, "-")
		default:
			list = append(list, c.Text)
		}
	}
	return strings.Join(list, " | ")
}

func TestRetryReport(t *testing.T) {
	r := episodes(t, []*policy.Retrier{patient(t, "two", 2), patient(t, "nine", 9)}, 10, 20, 40, -30, 60)
	rep := r.Report()
	for _, test := range []struct {
		key  string
		row  int
		want string
	}{
		// 10 s and 20 s are within two retries of ten seconds; the give-up after
		// three failures is where that policy stops as well.
		{"policies", 0, "two | 2/4 | 2 | 2 | 0 | 0 | [{recovered 2} {count 3}]"},
		{"policies", 1, "nine | 4/4 | 4 | 0 | 0 | 1 | [{recovered 4} {open 1}]"},
		{"cost", 0, "two | 20000 | 20000 | 1 m 30 s | 14 | 3 | - | 0 | 0"},
		{"kinds", 0, "server | 5 | 4 | 1 | 0 | 40000 | 20% [0, 55] | 100% [23, 100] | 100% [23, 100]"},
		// Of what lasted longer than the give-up's 20 s, all is over by 60 s.
		{"expected", 0, "two | 2.0 | 5 | 0"},
		{"expected", 1, "nine | 5.0 | 5 | 0"},
		{"fleet", 0, "two | 19 / 10 = 1.90× | 9 retries, 1 wanted: 10.00× | 1/9"},
	} {
		if got := rowText(section(t, rep, test.key), test.row); got != test.want {
			t.Errorf("%s row %d:\n got %s\nwant %s", test.key, test.row, got, test.want)
		}
	}
}

// A policy against itself flips nothing, and the other way round is the mirror.
func TestComparePoliciesMirrors(t *testing.T) {
	outages := []int{10, 20, 40, -30, 60, 10, 30, 20, 50, 10, 80, 20}
	both := []*policy.Retrier{patient(t, "two", 2), patient(t, "nine", 9)}
	change := func(a, b int) []string {
		r := episodes(t, both, outages...)
		r.Compare = &Pair{a, b}
		s := section(t, r.Report(), "compare")
		var list []string
		for i := range s.Rows {
			list = append(list, s.Rows[i][3].Text)
		}
		return append(list, s.Lines...)
	}
	if same := change(0, 0); same[0] != "none flipped" || len(same) != 5 {
		t.Errorf("against itself: %q", same)
	}
	there, back := change(0, 1), change(1, 0)
	if there[0] != fmt.Sprintf("+5, −0 (p = %.2g)", stat.McNemar(0, 5)) && there[0] != "~ "+fmt.Sprintf("+5, −0 (p = %.2g)", stat.McNemar(0, 5)) {
		t.Errorf("flips: %q", there[0])
	}
	if !strings.HasPrefix(there[5], "gained: ") || !strings.HasPrefix(back[5], "lost: ") || strings.TrimPrefix(there[5], "gained: ") != strings.TrimPrefix(back[5], "lost: ") {
		t.Errorf("%q and %q", there, back)
	}
	if !strings.HasPrefix(there[1], "+") || !strings.HasPrefix(back[1], "-") {
		t.Errorf("waits: %q and %q", there[1], back[1])
	}
}
