package render

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"groundhog/formats/record"
	"groundhog/replay/retry"
	retryreport "groundhog/report/retry"
)

// Retries writes one JSON object a line for every episode and policy, with
// every attempt and what the policy does about it.
type Retries struct {
	w   io.Writer
	buf []byte
}

// NewRetries writes to w.
func NewRetries(w io.Writer) *Retries { return &Retries{w: w} }

// Add writes what some policies make of one episode.
func (r *Retries) Add(e *retryreport.Episode) error {
	r.buf = r.buf[:0]
	for i := range e.Outcomes {
		start := len(r.buf)
		r.line(e, i)
		if clean := CleanJSON(r.buf[start:]); len(clean) != len(r.buf)-start {
			r.buf = append(r.buf[:start], clean...)
		}
	}
	_, err := r.w.Write(r.buf)
	return err
}

func (r *Retries) line(e *retryreport.Episode, policy int) {
	ep, o := e.Episode, e.Outcomes[policy]
	r.str(`{"session":`, e.Session)
	r.str(`,"policy":`, e.Policies[policy])
	r.printf(`,"episode":%d,"run":%d,"step":%d,"line":%d`, e.Number, ep.Pos.Run, ep.Pos.Step, ep.Pos.Line)
	if ep.Lane != "" {
		r.str(`,"lane":`, ep.Lane)
	}
	request, stream := ep.Segments()
	r.str(`,"failure":`, string(ep.Kind))
	r.printf(`,"failures":%d,"request_failures":%d,"stream_failures":%d,"recorded":"%s"`, len(ep.Failures), request,
		stream, recorded(ep))
	r.printf(`,"recorded_ms":%s,"clock":"%s"`, known(ep.EndKnown, ep.End), clock(ep))
	r.buf = append(r.buf, `,"attempts":[`...)
	for i := range o.Steps {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.attempt(i+1, &o.Steps[i], e.Shown[policy][i])
	}
	r.printf(`],"requests":%d,"wait_min_ms":%s,"wait_expected_ms":%s,"wait_max_ms":%s`, o.Requests, millis(o.Total.Least),
		millis(o.Total.Expect), millis(o.Total.Most))
	r.str(`,"stop":`, o.Stop)
	r.str(`,"stop_min":`, o.AtEnds[0])
	r.str(`,"stop_max":`, o.AtEnds[1])
	r.str(`,"budget":`, o.Budget)
	r.printf(`,"by_attempt":"%s","by_time":"%s","firm":%t`, o.ByAttempt, o.ByTime, o.Firm())
	r.printf(`,"hint_violations":%d,"terminal_retries":%d,"unsafe_retries":%d`, o.Hints, o.Terminal, o.Unsafe)
	worst := strconv.Itoa(o.Worst)
	if o.Endless {
		worst = "null"
	}
	r.printf(`,"worst_requests":%s,"endless":%t}`+"\n", worst, o.Endless)
}

// attempt is one failure and the policy's answer. A wait is null where there is
// none because the policy stops.
func (r *Retries) attempt(n int, s *retry.Step, shown int) {
	// What the failure was is said where it arose; budget, wait and stop are those
	// of the loop that decides.
	d := &s.Decision
	if len(s.Inner) > 0 {
		d = &s.Inner[0].Decision
	}
	r.printf(`{"n":%d`, n)
	r.str(`,"kind":`, d.Kind)
	r.str(`,"budget":`, s.Budget)
	r.printf(`,"retryable":%t`, d.Retry)
	goes := s.Stop == ""
	r.printf(`,"wait_min_ms":%s,"wait_expected_ms":%s,"wait_max_ms":%s`, known(goes, s.Wait.Least),
		known(goes, s.Wait.Expect), known(goes, s.Wait.Most))
	r.str(`,"stop":`, string(s.Stop))
	r.str(`,"layer":`, s.Layer)
	r.printf(`,"retry":%d,"max_retries":%s`, s.Retry, count(s.Most))
	r.str(`,"phase":`, d.Phase)
	r.str(`,"scope":`, d.Scope)
	r.str(`,"message":`, d.Message)
	r.printf(`,"retry_after_ms":%s`, known(d.Hint >= 0, d.Hint))
	if d.Status > 0 {
		r.printf(`,"status":%d`, d.Status)
	}
	if d.Notice != "" {
		r.str(`,"notice":`, d.Notice)
	}
	if shown > 0 {
		r.printf(`,"shown":%d`, shown)
	}
	if s.Silent {
		r.buf = append(r.buf, `,"silent":true`...)
	}
	if s.Fallback {
		r.buf = append(r.buf, `,"fallback":true`...)
	}
	if len(s.Inner) > 0 {
		r.buf = append(r.buf, `,"gave_up":[`...)
		for i, a := range s.Inner {
			if i > 0 {
				r.buf = append(r.buf, ',')
			}
			r.str(`{"layer":`, a.Layer)
			r.str(`,"budget":`, a.Budget)
			r.str(`,"stop":`, string(a.Stop))
			r.buf = append(r.buf, '}')
		}
		r.buf = append(r.buf, ']')
	}
	r.buf = append(r.buf, '}')
}

func (r *Retries) str(key, s string) {
	r.buf = record.AppendQuote(append(r.buf, key...), s)
}

func (r *Retries) printf(format string, args ...any) { r.buf = fmt.Appendf(r.buf, format, args...) }

// count is null for any number.
func count(n int) string {
	if n < 0 {
		return "null"
	}
	return strconv.Itoa(n)
}

func known(ok bool, d time.Duration) string {
	if !ok {
		return "null"
	}
	return millis(d)
}

// millis is a duration in milliseconds, with the fraction that it has.
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)
}

func recorded(e *retry.Episode) string {
	if e.Recovered {
		return "recovered"
	}
	return "gave_up"
}

// clock says what times rest on.
func clock(e *retry.Episode) string {
	switch {
	case e.Clock:
		return "recorded"
	case e.EndKnown:
		return "summed_waits"
	}
	return "none"
}
