package retry

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"groundhog/detectors/policy"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// Requests are the requests that a session made of its models. The zero value is
// ready for the first step.
type Requests struct {
	Logical  int         // responses, and requests that were given up, however often each was sent
	Begun    []time.Time // when each was first sent, where that is recorded
	Episodes []Episode
}

// An Episode is all attempts of one logical request from the first failure on, to the
// attempt that worked or to where the recording gave up. Failures before and after the
// answer began are two segments of one episode.
type Episode struct {
	Pos      transcript.Pos
	Lane     string
	Kind     policy.Failure // of the first failure
	Failures []Failed
	// Recovered says that the attempt after the last failure worked. Otherwise the
	// recording gave up, and what would have come after is unknown.
	Recovered bool
	// End is when the attempt that worked was sent, or else when the last one failed,
	// since the first failure. EndKnown is false where the recording has neither times
	// nor waits.
	End      time.Duration
	EndKnown bool
	Clock    bool      // times are recorded ones; otherwise they are sums of waits
	Start    time.Time // of the first failure; zero unless Clock is set
}

// A Failed is one failure of an episode.
type Failed struct {
	*transcript.Attempt
	Kind    policy.Failure
	At      time.Duration // since the first failure
	Took    time.Duration // from sending the attempt to its failure; 0 if unknown
	Asked   time.Duration // the wait that the server asked for; negative if none
	Segment string        // request or stream
}

// Segments counts the failures before and after the answer began.
func (e *Episode) Segments() (request, stream int) {
	for i := range e.Failures {
		if e.Failures[i].Segment == "stream" {
			stream++
		} else {
			request++
		}
	}
	return request, stream
}

// Undescribed reports whether the recording does not say how some attempt failed.
func (e *Episode) Undescribed() bool {
	return slices.ContainsFunc(e.Failures, func(f Failed) bool { return f.Kind == policy.Undescribed })
}

// Terminal reports whether the recording gave up on an error of a kind that waiting
// does not cure.
func (e *Episode) Terminal() bool {
	return !e.Recovered && e.Failures[len(e.Failures)-1].Kind.Terminal()
}

// Add takes the next step of the session, whose position is pos.
func (r *Requests) Add(s *transcript.Step, pos transcript.Pos) {
	if s.Kind != transcript.Response || s.Has(transcript.Context) {
		return
	}
	failed := make([]*transcript.Attempt, 0, len(s.Attempts))
	for i := range s.Attempts {
		if s.Attempts[i].Outcome != "ok" {
			failed = append(failed, &s.Attempts[i])
		}
	}
	worked := !s.Has(transcript.Synthetic) && s.Finish != transcript.FinishError
	if s.Has(transcript.ErrorMessage) {
		failed, worked = append(failed, lastFailure(s)), false
	}
	if len(failed) == 0 {
		if worked {
			r.begun(s.Time)
		}
		return
	}
	for from := 0; from < len(failed); {
		to := from + 1
		for to < len(failed) && !restarts(failed[to-1], failed[to]) {
			to++
		}
		e := newEpisode(failed[from:to], s, worked && to == len(failed))
		e.Pos = pos
		e.Pos.Line = failed[from].Line
		r.Episodes = append(r.Episodes, e)
		r.begun(e.Start)
		from = to
	}
}

// begun counts a logical request, first sent at a time that is zero if unknown.
func (r *Requests) begun(sent time.Time) {
	r.Logical++
	if !sent.IsZero() {
		r.Begun = append(r.Begun, sent)
	}
}

// restarts reports whether b belongs to another request than a, which it does if the
// agent counts its attempts from the beginning again in the same segment.
func restarts(a, b *transcript.Attempt) bool {
	return a.N > 0 && b.N > 0 && b.N <= a.N && policy.SegmentOf(a) == policy.SegmentOf(b)
}

// newEpisode is the episode of the failed attempts of one request. worked says that the
// step's own attempt came after them and worked.
func newEpisode(failed []*transcript.Attempt, s *transcript.Step, worked bool) Episode {
	first, last := failed[0], failed[len(failed)-1]
	e := Episode{
		Lane: s.Lane, Kind: policy.FailureOf(first), Recovered: worked,
		Clock: true, EndKnown: true, Start: first.Time,
	}
	var at time.Duration
	summed := true // all waits so far are recorded
	for i, a := range failed {
		f := Failed{Attempt: a, Kind: policy.FailureOf(a), Asked: askedWait(a), Segment: policy.SegmentOf(a)}
		e.Clock = e.Clock && !a.Time.IsZero()
		if i > 0 {
			before := failed[i-1]
			wait := max(before.Delay, 0)
			summed = summed && before.Delay >= 0
			switch {
			case !a.Time.IsZero() && !before.Time.IsZero():
				gap := max(a.Time.Sub(before.Time), 0)
				if before.Delay >= 0 {
					f.Took = max(gap-wait, 0)
				}
				at += gap
			default:
				at += wait
			}
		}
		f.At = at
		e.Failures = append(e.Failures, f)
	}
	e.End = at
	if worked {
		switch {
		case last.Delay >= 0:
			e.End += last.Delay
		case !last.Time.IsZero() && s.Time.After(last.Time):
			e.End += s.Time.Sub(last.Time)
		default:
			summed, e.Clock = false, false
		}
	}
	e.EndKnown = e.Clock || summed && (len(failed) > 1 || worked)
	if !e.Clock {
		e.Start = time.Time{}
	}
	return e
}

// askedWait is the wait that the server asked for, in a field of the recording or in a
// header; negative if none.
func askedWait(a *transcript.Attempt) time.Duration {
	if a.RetryAfter >= 0 {
		return a.RetryAfter
	}
	return record.RetryAfter(a.Headers, a.Time)
}

// lastFailure is the failure that a client reports in place of an answer, such as
// "API Error: 529 {…}". Clients record the retries before it as attempts, and this one
// only as text.
func lastFailure(s *transcript.Step) *transcript.Attempt {
	var text strings.Builder
	for i := range s.Parts {
		if s.Parts[i].Kind == transcript.Text {
			text.WriteString(s.Parts[i].Text)
		}
	}
	a := &transcript.Attempt{
		Message: text.String(), Outcome: "failed", Delay: -1, RetryAfter: -1, Time: s.Time, Line: s.Line,
	}
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].N > 0 {
		a.N, a.Max = s.Attempts[n-1].N+1, s.Attempts[n-1].Max
	}
	rest, ok := strings.CutPrefix(a.Message, "API Error")
	if !ok {
		return a
	}
	rest = strings.TrimLeft(rest, ":( ")
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		digits++
	}
	if n, err := strconv.Atoi(rest[:digits]); err == nil && n >= 400 && n < 600 {
		a.Status = n
		rest = strings.TrimLeft(rest[digits:], ") :·")
	}
	if brace := strings.IndexByte(rest, '{'); brace >= 0 {
		a.Body = rest[brace:]
		rest = strings.TrimSpace(rest[:brace])
	}
	a.Message = rest
	return a
}
