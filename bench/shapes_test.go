package bench

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"

	"groundhog/formats"
	"groundhog/formats/claudecode"
	"groundhog/formats/native"
	"groundhog/formats/openai"
	"groundhog/formats/parquet"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A Shape is a form that sessions are written in and read from.
type Shape struct {
	Name   string
	Format *formats.Format
	Write  func(io.Writer) formats.Writer
}

// Shapes lists the shapes. Those of other programs are written here by hand and hold what
// the program's own files hold, whether a reader needs it or not; the writers know only
// what Spec generates.
var Shapes = []Shape{
	{"canonical", native.Format, native.Format.Write},
	{"claude-code", claudecode.Format, func(w io.Writer) formats.Writer { return &claudeCode{lines: lines{w: w}} }},
	{"openai", openai.Format, func(w io.Writer) formats.Writer { return &openAI{lines: lines{w: w}} }},
}

// Parquet is the table of events, of which the given columns are read. The table of
// sessions is not written, since a reader does without.
func Parquet(c parquet.Columns) Shape {
	write := func(w io.Writer) formats.Writer { return parquet.NewWriter(io.Discard, w) }
	return Shape{"parquet", parquet.With(c), write}
}

// Write writes all sessions into one file, one step at a time.
func (s Spec) Write(w io.Writer, shape Shape) error {
	out := bufio.NewWriterSize(w, 256<<10)
	to := shape.Write(out)
	for session := range s.All() {
		if err := to.Begin(session.Header); err != nil {
			return err
		}
		for step := range session.Steps() {
			if err := to.Step(step); err != nil {
				return err
			}
		}
		if err := to.End(session.Header); err != nil {
			return err
		}
	}
	if err := to.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// A lines writes records piece by piece.
type lines struct {
	w   io.Writer
	buf []byte
}

func (l *lines) raw(s string) { l.buf = append(l.buf, s...) }
func (l *lines) str(s string) { l.buf = record.AppendQuote(l.buf, s) }
func (l *lines) int(n int64)  { l.buf = strconv.AppendInt(l.buf, n, 10) }

// field writes a member with a string. before is the text up to its value.
func (l *lines) field(before, s string) { l.raw(before); l.str(s) }

// count writes a member with a number.
func (l *lines) count(before string, n int64) { l.raw(before); l.int(n) }

// time writes a member with a time.
func (l *lines) time(before string, t time.Time) {
	l.field(before, t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func (l *lines) flush() error {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// A claudeCode writes session files of Claude Code: a record for each block of a
// response, and one for each result, which holds its text twice.
type claudeCode struct {
	lines
	session *transcript.Session
	key     uint64
	records int
	parent  string
}

func (c *claudeCode) Begin(s *transcript.Session) error {
	c.session, c.key, c.records, c.parent = s, formats.MessageKey(s.ID), 0, ""
	return nil
}

func (c *claudeCode) End(*transcript.Session) error { return nil }
func (c *claudeCode) Close() error                  { return nil }

func (c *claudeCode) Step(s *transcript.Step) error {
	if s.Kind == transcript.Prompt {
		c.begin("user")
		c.field(`"message":{"role":"user","content":`, s.Text(transcript.Text))
		c.raw(`},`)
		return c.end(s.Time)
	}
	for _, p := range s.Parts {
		c.message(s)
		if p.Kind == transcript.Thinking {
			c.field(`{"type":"thinking","thinking":`, p.Text)
			c.field(`,"signature":`, c.uuid(-c.records))
		} else {
			c.field(`{"type":"text","text":`, p.Text)
		}
		if err := c.block(s, s.Time); err != nil {
			return err
		}
	}
	for i := range s.Calls {
		call := &s.Calls[i]
		c.message(s)
		c.field(`{"type":"tool_use","id":`, call.ID)
		c.field(`,"name":`, call.Tool)
		c.raw(`,"input":` + call.Args)
		if err := c.block(s, call.Time); err != nil {
			return err
		}
	}
	for i := range s.Calls {
		if err := c.result(&s.Calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// message begins the record of a block, up to the block.
func (c *claudeCode) message(s *transcript.Step) {
	c.begin("assistant")
	c.field(`"message":{"id":`, s.ID)
	c.field(`,"type":"message","role":"assistant","model":`, s.Model)
	c.raw(`,"content":[`)
}

// block ends the record of a block.
func (c *claudeCode) block(s *transcript.Step, when time.Time) error {
	word := "tool_use"
	if s.Finish == transcript.FinishStop {
		word = "end_turn"
	}
	c.field(`}],"stop_reason":`, word)
	c.count(`,"stop_sequence":null,"usage":{"input_tokens":`, s.Usage.Input)
	c.count(`,"cache_creation_input_tokens":`, s.Usage.CacheWrite)
	c.count(`,"cache_read_input_tokens":`, s.Usage.CacheRead)
	c.count(`,"cache_creation":{"ephemeral_5m_input_tokens":`, s.Usage.CacheWrite)
	c.count(`,"ephemeral_1h_input_tokens":0},"output_tokens":`, s.Usage.Output)
	c.field(`,"service_tier":"standard"}},"requestId":`, "req_"+s.ID)
	c.raw(",")
	return c.end(when)
}

// result writes the record of a result.
func (c *claudeCode) result(call *transcript.Call) error {
	c.begin("user")
	c.field(`"message":{"role":"user","content":[{"tool_use_id":`, call.ID)
	c.field(`,"type":"tool_result","content":`, call.Result.Text)
	if call.Result.Status == transcript.ResultError {
		c.raw(`,"is_error":true`)
	}
	c.raw(`}]},"toolUseResult":`)
	if call.Result.Status == transcript.ResultError {
		c.str("Error: " + call.Result.Text)
	} else {
		c.field(`{"stdout":`, call.Result.Text)
		c.count(`,"stderr":"","interrupted":false,"isImage":false,"durationMs":`, call.Took.Milliseconds())
		c.raw("}")
	}
	c.raw(",")
	return c.end(call.Result.Time)
}

// begin begins a record.
func (c *claudeCode) begin(kind string) {
	c.raw(`{"parentUuid":`)
	if c.parent == "" {
		c.raw("null")
	} else {
		c.str(c.parent)
	}
	c.field(`,"isSidechain":false,"userType":"external","cwd":"/repo","sessionId":`, c.session.ID)
	c.field(`,"version":"2.1.14","gitBranch":"main","type":`, kind)
	c.raw(",")
}

// end ends a record.
func (c *claudeCode) end(when time.Time) error {
	c.records++
	c.parent = c.uuid(c.records)
	c.field(`"uuid":`, c.parent)
	c.time(`,"timestamp":`, when)
	c.raw("}\n")
	return c.flush()
}

func (c *claudeCode) uuid(n int) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		uint32(c.key), uint16(c.key>>32), c.key>>52, c.key>>40&0xfff, uint32(n))
}

// An openAI writes chat messages, one session on each line. The error flag of a result is
// not part of the API, but several programs write it.
type openAI struct {
	lines
	first bool
}

func (o *openAI) Begin(s *transcript.Session) error {
	o.field(`{"session_id":`, s.ID)
	o.field(`,"model":`, s.Model)
	o.time(`,"created_at":`, s.Started)
	o.raw(`,"messages":[`)
	o.first = true
	return o.flush()
}

func (o *openAI) End(*transcript.Session) error {
	o.raw("]}\n")
	return o.flush()
}

func (o *openAI) Close() error { return nil }

func (o *openAI) Step(s *transcript.Step) error {
	if s.Kind == transcript.Prompt {
		o.role("user")
		o.field(`,"content":`, s.Text(transcript.Text))
		return o.end(s.Time)
	}
	o.role("assistant")
	o.field(`,"id":`, s.ID)
	if text := s.Text(transcript.Text); text != "" {
		o.field(`,"content":`, text)
	} else {
		o.raw(`,"content":null`)
	}
	if text := s.Text(transcript.Thinking); text != "" {
		o.field(`,"reasoning_content":`, text)
	}
	for i, call := range s.Calls {
		if i == 0 {
			o.raw(`,"tool_calls":[`)
		} else {
			o.raw(",")
		}
		o.field(`{"id":`, call.ID)
		o.field(`,"type":"function","function":{"name":`, call.Tool)
		o.field(`,"arguments":`, call.Args)
		o.raw("}}")
	}
	if len(s.Calls) > 0 {
		o.raw("]")
	}
	o.field(`,"finish_reason":`, string(s.Finish))
	u := s.Usage
	o.count(`,"usage":{"prompt_tokens":`, u.Input+u.CacheRead)
	o.count(`,"completion_tokens":`, u.Output)
	o.count(`,"prompt_tokens_details":{"cached_tokens":`, u.CacheRead)
	o.count(`},"cache_creation_input_tokens":`, u.CacheWrite)
	o.raw("}")
	if err := o.end(s.Time); err != nil {
		return err
	}
	for i := range s.Calls {
		if err := o.result(&s.Calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// result writes the message of a result.
func (o *openAI) result(call *transcript.Call) error {
	o.role("tool")
	o.field(`,"tool_call_id":`, call.ID)
	o.field(`,"name":`, call.Tool)
	o.field(`,"content":`, call.Result.Text)
	o.raw(`,"is_error":` + strconv.FormatBool(call.Result.Status == transcript.ResultError))
	return o.end(call.Result.Time)
}

// role begins a message.
func (o *openAI) role(role string) {
	if !o.first {
		o.raw(",")
	}
	o.first = false
	o.field(`{"role":`, role)
}

// end ends a message.
func (o *openAI) end(when time.Time) error {
	o.time(`,"timestamp":`, when)
	o.raw("}")
	return o.flush()
}
