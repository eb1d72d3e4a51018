package formattest

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// Dump reads a file to its end and writes what is in it, a line for each session,
// step, attempt, call, note and error:
//
//	session ID model=M started=T … records=N messages=N
//	  LINE response @LANE id=ID +FLAG think "…" "…" finish=stop(end_turn) usage=IN/OUT/REASONING/READ/WRITE
//	    LINE attempt N/MAX STATUS TYPE|CODE|"MESSAGE" delay=D after=D
//	    LINE call ID TOOL ARGS -> ok "…" @LINE took=D
//	  end completed
//	  note LINE: … xN
//	  ! error of a record
//	! error of the file
//
// What is empty or unknown is left out. A text that came in deltas is a quoted
// piece for each, with the time since the step began where it is known; input "…"
// are the deltas of a call's arguments. A hash that names a session is "#".
func Dump(f *formats.Format, text string, o formats.Options) string {
	var b strings.Builder
	for u, err := range f.Find(File(text), o) {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			continue
		}
		steps := DumpUnit(u) // completes the session
		dumpSession(&b, u)
		for line := range strings.Lines(steps) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// DumpUnit reads a session and writes what Dump writes below its line.
func DumpUnit(u *formats.Unit) string {
	var b strings.Builder
	for s, err := range u.Steps() {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			continue
		}
		b.WriteString(DumpStep(s))
	}
	if u.Session.End != "" {
		fmt.Fprintf(&b, "end %s\n", u.Session.End)
	}
	for _, n := range u.Session.Notes {
		fmt.Fprintf(&b, "note %d: %s x%d\n", n.Line, n.Text, n.N)
	}
	return b.String()
}

// hash is the end of an id that was made of a session's bytes.
var hash = regexp.MustCompile(`:[0-9a-f]{12,16}$`)

// A line puts words together with blanks between them.
type line struct{ strings.Builder }

func (l *line) add(format string, args ...any) {
	if l.Len() > 0 {
		l.WriteByte(' ')
	}
	fmt.Fprintf(l, format, args...)
}

// pair adds a word that is left out when empty.
func (l *line) pair(name, value string) {
	if value != "" {
		l.add("%s=%s", name, value)
	}
}

func (l *line) time(name string, t time.Time) {
	if !t.IsZero() {
		l.pair(name, t.UTC().Format(time.RFC3339Nano))
	}
}

func dumpSession(b *strings.Builder, u *formats.Unit) {
	s, r := u.Session, &u.Session.Recorded
	var l line
	l.add("session %s", hash.ReplaceAllString(s.ID, ":#"))
	l.pair("parent", s.Parent)
	l.pair("agent", s.Agent)
	l.pair("version", s.AgentVersion)
	l.pair("model", s.Model)
	l.time("started", s.Started)
	l.pair("task", r.Task)
	l.pair("set", r.TaskSet)
	l.pair("trial", r.Trial)
	if r.Reward != nil {
		l.add("reward=%v", *r.Reward)
	}
	if r.Success != nil {
		l.add("success=%v", *r.Success)
	}
	l.pair("exit", r.ExitStatus)
	l.add("records=%d", u.Records)
	if len(u.Messages) > 0 {
		l.add("messages=%d", len(u.Messages))
	}
	fmt.Fprintf(b, "%s\n", l.String())
}

var (
	kinds    = [...]string{"response", "prompt", "injection", "compaction", "system"}
	statuses = [...]string{"missing", "unflagged", "ok", "error", "denied", "cancelled"}
	flags    = [...]string{"synthetic", "sidechain", "compacted", "errmsg", "ignored", "context", "inferred"}
)

// DumpStep writes a step and what belongs to it.
func DumpStep(s *transcript.Step) string {
	var l line
	l.add("%d %s", s.Line, kinds[s.Kind])
	if s.Lane != "" {
		l.add("@%s", s.Lane)
	}
	l.pair("id", hash.ReplaceAllString(s.ID, ":#"))
	for i, name := range flags {
		if s.Has(1 << i) {
			l.add("+%s", name)
		}
	}
	l.pair("model", s.Model)
	for i := range s.Parts {
		dumpPart(&l, &s.Parts[i])
	}
	if s.Finish != "" || s.FinishRaw != "" {
		l.add("finish=%s", s.Finish)
		if s.FinishRaw != "" {
			fmt.Fprintf(&l, "(%s)", s.FinishRaw)
		}
	}
	if u := s.Usage; u.Known {
		l.add("usage=%d/%d/%d/%d/%d", u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite)
		if u.Cost != 0 {
			l.add("cost=%v", u.Cost)
		}
	}
	l.WriteByte('\n')
	for i := range s.Attempts {
		fmt.Fprintf(&l, "  %s\n", dumpAttempt(&s.Attempts[i]))
	}
	for i := range s.Calls {
		fmt.Fprintf(&l, "  %s\n", dumpCall(&s.Calls[i]))
	}
	return l.String()
}

func dumpPart(l *line, p *transcript.Part) {
	switch {
	case p.Kind == transcript.Thinking:
		l.add("think")
	case p.Kind == transcript.ToolInput && p.Cuts == nil:
		return // the call has it
	case p.Kind == transcript.ToolInput:
		l.add("input")
	}
	from := 0
	for _, c := range p.Cuts {
		l.add("%q", p.Text[from:c.End])
		if c.At >= 0 {
			fmt.Fprintf(l, "@%v", c.At)
		}
		from = c.End
	}
	if from < len(p.Text) || p.Cuts == nil {
		l.add("%q", p.Text[from:])
	}
}

func dumpAttempt(a *transcript.Attempt) string {
	var l line
	l.add("%d attempt %d/%d %d", a.Line, a.N, a.Max, a.Status)
	if a.Type != "" || a.Code != "" || a.Message != "" {
		l.add("%s|%s|%q", a.Type, a.Code, a.Message)
	}
	l.pair("name", a.Name)
	if a.Cause != "" {
		l.add("cause=%q", a.Cause)
	}
	if a.Delay >= 0 {
		l.add("delay=%v", a.Delay)
	}
	if a.RetryAfter >= 0 {
		l.add("after=%v", a.RetryAfter)
	}
	l.pair("phase", a.Phase)
	l.pair("outcome", a.Outcome)
	l.pair("request", a.RequestID)
	if len(a.Headers) > 0 {
		l.add("headers=%d", len(a.Headers))
	}
	if a.AfterCall {
		l.add("after-call")
	}
	return l.String()
}

func dumpCall(c *transcript.Call) string {
	var l line
	l.add("%d call", c.Line)
	for _, word := range []string{c.ID, c.Tool, c.Args} {
		if word != "" {
			l.add("%s", word)
		}
	}
	for _, f := range []struct {
		is   bool
		word string
	}{{c.ArgsInvalid, "invalid"}, {c.Provider, "provider"}, {c.Interrupted, "interrupted"}} {
		if f.is {
			l.add("%s", f.word)
		}
	}
	if c.Signals != nil {
		l.add("signals=%+v", *c.Signals)
	}
	l.pair("state", c.State)
	r := &c.Result
	l.add("-> %s", statuses[r.Status])
	if r.Status != transcript.ResultMissing {
		l.add("%q", r.Text)
	}
	if r.ErrorText != "" {
		l.add("error=%q", r.ErrorText)
	}
	if r.ExitCode != nil {
		l.add("exit=%d", *r.ExitCode)
	}
	for _, m := range r.Media {
		l.add("[%s %d %.8s]", m.MIME, m.Bytes, m.SHA256)
	}
	if r.Line != c.Line && r.Line > 0 {
		l.add("@%d", r.Line)
	}
	if c.Took >= 0 {
		l.add("took=%v", c.Took)
	}
	return l.String()
}
