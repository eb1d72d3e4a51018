package taubench

import (
	"iter"
	"strings"

	"groundhog/formats"
	"groundhog/formats/openai"
	"groundhog/replay/transcript"
)

// A place is where a session lies in its file.
type place struct {
	*element
	file *formats.File
	o    formats.Options
	line int
	cut  bool // the file ends inside the result
	nans int
}

// steps decodes a session from the beginning.
func (p *place) steps(session *transcript.Session) iter.Seq2[*transcript.Step, error] {
	return func(yield func(*transcript.Step, error) bool) {
		t := &react{session: session}
		file := patched(p.file, p.patches)
		for s, err := range openai.Trajectory(file, p.traj, p.element.cut, p.o, session) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			ready := []*transcript.Step{s}
			if !p.calls {
				ready = t.add(s)
			}
			for _, s := range ready {
				infer(s)
				if !yield(s, nil) {
					return
				}
			}
		}
		if s := t.flush(); s != nil && !yield(s, nil) {
			return
		}
		p.close(session)
	}
}

// close completes the session.
func (p *place) close(session *transcript.Session) {
	for range p.nans {
		session.Note(p.line, noteNaN)
	}
	if p.failed && p.messages == 0 {
		session.Note(p.line, noteFailed)
	}
	switch {
	case p.cut && !p.element.cut: // else the messages' reader has said so
		session.Note(0, formats.NoteCutLine)
		session.End = transcript.EndTruncated
	case !p.cut:
		session.End = p.element.end
	}
}

// infer says which results are errors. The messages have no flag, but the
// environment has a convention and keeps it for every result: it turns whatever
// a tool raises into "Error: ...", its tools use the same word, and there is
// one text for a tool that does not exist. So a result without it is taken as
// good, and all of them are marked as inferred. Leaving
// the good ones open was considered: error detectors would then apply only to
// sessions that have errors, and every rate over them would be too high.
func infer(s *transcript.Step) {
	for i := range s.Calls {
		c := &s.Calls[i]
		if c.Result.Status != transcript.ResultUnflagged {
			continue
		}
		s.Flags |= transcript.ErrorInferred
		c.Result.Status = transcript.ResultOK
		text := strings.TrimPrefix(c.Result.Text, outputPrefix)
		if strings.HasPrefix(text, "Error: ") || text == "Unknown action "+c.Tool {
			c.Result.Status = transcript.ResultError
		}
	}
}
