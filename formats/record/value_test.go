package record_test

import (
	"testing"
	"time"

	"groundhog/formats/record"
)

func TestTime(t *testing.T) {
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		`"2026-05-01T08:00:00Z"`:        at,
		`"2026-05-01T10:00:00+02:00"`:   at,
		`"2026-05-01 08:00:00Z"`:        at,
		`"2026-05-01T08:00:00"`:         at,
		`"2026-05-01T08:00:00.5"`:       at.Add(500 * time.Millisecond),
		`"2026-05-01\u005408:00:00Z"`:   at,
		`"2026-05-01T08:00:00.000001Z"`: at.Add(time.Microsecond),
		`1777622400`:                    at,
		`1777622400000`:                 at,
		`1777622400.25`:                 at.Add(250 * time.Millisecond),
		`"yesterday"`:                   {},
		`""`:                            {},
		`0`:                             {},
		`-5`:                            {},
		`1e300`:                         {},
		`null`:                          {},
		`{}`:                            {},
	} {
		if got := record.Value(in).Time(); !got.Equal(want) || !got.IsZero() && got.Location() != time.UTC {
			t.Errorf("%s is %v, want %v", in, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		in      string
		number  float64
		count   int64
		isCount bool
	}{
		{"0", 0, 0, true},
		{"12", 12, 12, true},
		{"1.9", 1.9, 1, true},
		{"1e3", 1000, 1000, true},
		{`"12"`, 12, 12, true},
		{"-1", -1, 0, false},
		{"9007199254740992", 1 << 53, 0, false},
		{"9007199254740991", 1<<53 - 1, 1<<53 - 1, true},
	} {
		v := record.Value(test.in)
		n, ok := v.Number()
		c, isCount := v.Count()
		if !ok || n != test.number || c != test.count || isCount != test.isCount {
			t.Errorf("%s is the number %v (%v) and the count %v (%v)", test.in, n, ok, c, isCount)
		}
	}
	for _, in := range []string{"", "null", "true", `"x"`, `"NaN"`, `"Infinity"`, "1e999", "[]"} {
		if n, ok := record.Value(in).Number(); ok {
			t.Errorf("%s is the number %v", in, n)
		}
	}
}
