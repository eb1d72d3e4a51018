package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"groundhog/replay/transcript"
)

// A block is a step statement with the indented lines below it. The lines are
// kept as they are and read again for each repetition, because {{n}} may stand
// anywhere in them.
type block struct {
	line  int
	times int // 0 without xN
	lines []indented
}

type indented struct {
	data   []byte
	line   int
	failed bool // reported once, however often the step is repeated
}

// A builder makes one step of a block.
type builder struct {
	step     transcript.Step
	n        int // of the repetition; 0 if the step is not repeated
	seen     []string
	joined   []byte // the deltas of the last part
	argsLine int    // of the last delta args that still waits for its call
	badText  bool
}

// build makes the n-th step; report receives what is wrong with its lines.
func (b *block) build(n int, report func(line int, err error)) *builder {
	m := &builder{step: transcript.Step{Line: b.line}}
	if b.times > 0 {
		m.n = n
	}
	for i := range b.lines {
		l := &b.lines[i]
		if err := m.add(l.data, l.line); err != nil && !l.failed {
			l.failed = true
			report(l.line, err)
		}
	}
	m.joinDeltas()
	if err := m.dropArgs(); err != nil && n <= 1 {
		report(m.argsLine, err)
	}
	if !slices.Contains(m.seen, "finish") {
		m.step.Finish = usual(&m.step)
	}
	return m
}

// usual is how a step ends that does not say so.
func usual(s *transcript.Step) transcript.Finish {
	switch {
	case len(s.Calls) > 0:
		return transcript.FinishToolCalls
	case len(s.Parts) > 0:
		return transcript.FinishStop
	}
	return transcript.FinishUnknown
}

// add reads one indented line.
func (m *builder) add(data []byte, line int) error {
	st, _ := open(data, line)
	if st.word == "call" {
		return m.call(data, line)
	}
	st, _ = open(substitute(data, m.n), line)
	err := m.part(st)
	m.badText = m.badText || st.badText
	return err
}

func (m *builder) call(data []byte, line int) error {
	c, err := readCalls(data, line, m.n)
	if err != nil {
		return err
	}
	if c.times > 1 && len(m.step.Calls)+c.times > maxParallel {
		return fmt.Errorf("x%d makes more than %d calls in one step", c.times, maxParallel)
	}
	list := m.step.Calls
	for i := 1; i <= c.times; i++ {
		call, err := c.at(i)
		if err != nil {
			return err
		}
		list = append(list, call)
	}
	m.step.Calls = list
	m.argsLine = 0
	m.badText = m.badText || c.badText
	return nil
}

// part reads any statement of a step but a call.
func (m *builder) part(st *statement) (err error) {
	switch st.word {
	case "think":
		return m.text(st, transcript.Thinking)
	case "text":
		return m.text(st, transcript.Text)
	case "delta":
		return m.delta(st)
	case "attempt":
		a, err := st.attempt()
		if err == nil {
			a.N = len(m.step.Attempts) + 1
			m.step.Attempts = append(m.step.Attempts, a)
		}
		return err
	case "finish", "usage", "id", "model", "synthetic":
		if slices.Contains(m.seen, st.word) {
			return fmt.Errorf("the step has its %s already", st.word)
		}
	default:
		return misplaced(st)
	}
	next := m.step
	switch st.word {
	case "finish":
		next.Finish, err = st.finish()
	case "usage":
		next.Usage, err = st.usage()
	case "id":
		next.ID, err = st.name("a message id")
	case "model":
		next.Model, err = st.name("the name of a model")
	case "synthetic":
		next.Flags |= transcript.Synthetic
	}
	if err = cmp.Or(err, st.end()); err != nil {
		return err
	}
	m.seen = append(m.seen, st.word)
	m.step = next
	return nil
}

func (m *builder) text(st *statement, kind transcript.PartKind) error {
	text, err := st.text()
	if err == nil {
		m.joinDeltas()
		m.step.Parts = append(m.step.Parts, transcript.Part{Kind: kind, Text: text})
	}
	return err
}

var deltas = map[string]transcript.PartKind{
	"think": transcript.Thinking,
	"text":  transcript.Text,
	"args":  transcript.ToolInput,
}

// delta appends to the last part if that was made of deltas of the same kind,
// and begins a part otherwise.
func (m *builder) delta(st *statement) (err error) {
	at := time.Duration(-1)
	if st.more() && st.atOption() {
		found := st.rest
		key := st.key()
		if key != "at" {
			return fmt.Errorf("expected at=DURATION, think, text or args after delta, found %s", excerpt(found))
		}
		if at, err = st.duration(key); err != nil {
			return err
		}
	}
	word := st.take()
	kind, ok := deltas[word]
	if !ok {
		return fmt.Errorf("expected think, text or args after delta, found %s", excerpt([]byte(word)))
	}
	text, err := st.text()
	if err != nil {
		return err
	}
	part := transcript.Part{Kind: kind}
	if kind == transcript.ToolInput {
		part.Call = len(m.step.Calls)
		m.argsLine = st.line
	}
	parts := m.step.Parts
	if n := len(parts); n == 0 || len(parts[n-1].Cuts) == 0 || parts[n-1].Kind != kind || parts[n-1].Call != part.Call {
		m.joinDeltas()
		parts = append(parts, part)
	}
	m.joined = append(m.joined, text...)
	last := &parts[len(parts)-1]
	last.Cuts = append(last.Cuts, transcript.Cut{End: len(m.joined), At: at})
	m.step.Parts = parts
	return nil
}

// joinDeltas gives the last part its text. It is done once for each part: a
// recorded stream has thousands of deltas, and adding each to a string would
// copy the text as often.
func (m *builder) joinDeltas() {
	if n := len(m.step.Parts); n > 0 && len(m.step.Parts[n-1].Cuts) > 0 {
		m.step.Parts[n-1].Text = string(m.joined)
	}
	m.joined = m.joined[:0]
}

// dropArgs removes the deltas of a call that never came.
func (m *builder) dropArgs() error {
	if m.argsLine == 0 {
		return nil
	}
	m.step.Parts = slices.DeleteFunc(m.step.Parts, func(p transcript.Part) bool {
		return p.Kind == transcript.ToolInput && p.Call == len(m.step.Calls)
	})
	return errors.New("expected a call after delta args")
}

var finishes = []transcript.Finish{
	transcript.FinishStop, transcript.FinishToolCalls, transcript.FinishLength, transcript.FinishFilter,
	transcript.FinishRefusal, transcript.FinishError, transcript.FinishAborted, transcript.FinishPause,
}

// unknown says in a file that the finish was not recorded.
const unknown = "unknown"

func (c *scanner) finish() (transcript.Finish, error) {
	if !c.more() {
		return "", fmt.Errorf("expected one of %s", words(finishes, unknown))
	}
	word := c.take()
	if word == unknown {
		return transcript.FinishUnknown, nil
	}
	if f := transcript.Finish(word); slices.Contains(finishes, f) {
		return f, nil
	}
	return "", fmt.Errorf("expected one of %s, found %s", words(finishes, unknown), excerpt([]byte(word)))
}

// words lists what a WORD may be.
func words[T ~string](list []T, more ...T) string {
	var out []string
	for _, w := range append(slices.Clip(list), more...) {
		out = append(out, string(w))
	}
	return strings.Join(out, ", ")
}

func (c *scanner) usage() (u transcript.Usage, err error) {
	const keys = "in=N, out=N, reasoning=N, cache-read=N or cache-write=N"
	if !c.more() {
		return u, errors.New("expected " + keys)
	}
	u.Known = true
	for c.more() {
		rest := c.rest
		var n *int64
		switch key := c.key(); key {
		case "in":
			n = &u.Input
		case "out":
			n = &u.Output
		case "reasoning":
			n = &u.Reasoning
		case "cache-read":
			n = &u.CacheRead
		case "cache-write":
			n = &u.CacheWrite
		default:
			return u, fmt.Errorf("expected %s, found %s", keys, excerpt(rest))
		}
		if *n, err = c.count("a number of tokens"); err != nil {
			return u, err
		}
	}
	return u, nil
}
