package script

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// A writer writes the canonical form: what it writes reads back as the same
// steps, apart from line numbers and what Losses counts.
type writer struct {
	out    *bufio.Writer
	began  bool
	model  string
	lane   string
	lone   []byte // a lone call that may still be repeated
	times  int    // of it
	losses [lossKinds]int
}

func newWriter(w io.Writer) formats.Writer { return &writer{out: bufio.NewWriter(w)} }

// Begin writes the head of a session.
func (w *writer) Begin(s *transcript.Session) error {
	if w.began {
		w.out.WriteByte('\n')
	}
	w.began, w.lane, w.model = true, "", s.Model
	line := appendName([]byte("session "), cmp.Or(s.ID, "session"))
	if label, ok := oneLine(s.Label); ok {
		line = append(append(line, "\nlabel "...), label...)
	} else {
		w.lose(lostHead, len(s.Label) > 0)
	}
	if s.Agent != "" || s.AgentVersion != "" {
		line = appendName(append(line, "\nagent "...), s.Agent)
		if s.AgentVersion != "" {
			line = appendName(append(line, ' '), s.AgentVersion)
		}
	}
	if s.Model != "" {
		line = appendName(append(line, "\nmodel "...), s.Model)
	}
	if !s.Started.IsZero() {
		started := s.Started.UTC().Format(time.RFC3339Nano)
		if _, err := time.Parse(time.RFC3339, started); err != nil {
			w.lose(lostHead, true)
		} else {
			line = append(append(line, "\ntime "...), started...)
		}
	}
	return w.put(line)
}

// oneLine is a label as it can stand on a line. JSON of several lines can be
// made to fit; YAML would have to be understood.
func oneLine(label []byte) ([]byte, bool) {
	label = bytes.Trim(label, blanks+"\n")
	if bytes.IndexByte(label, '\n') >= 0 {
		value, ok := record.Compact(label)
		if !ok {
			return nil, false
		}
		label = value
	}
	return label, len(label) > 0
}

// End writes how a session ended.
func (w *writer) End(s *transcript.Session) error {
	w.loseSession(s)
	if err := w.flush(); err != nil || s.End == transcript.EndUnknown {
		return err
	}
	if !slices.Contains(ends, s.End) {
		w.lose(lostHead, true)
		return nil
	}
	return w.put([]byte("end " + string(s.End)))
}

// Close finishes the output.
func (w *writer) Close() error {
	return cmp.Or(w.flush(), w.out.Flush())
}

func (w *writer) put(line []byte) error {
	w.out.Write(line)
	return w.out.WriteByte('\n')
}

// flush writes the lone call that was held back.
func (w *writer) flush() error {
	if w.times == 0 {
		return nil
	}
	if w.times > 1 {
		w.lone = fmt.Appendf(w.lone, " x%d", w.times)
	}
	w.times = 0
	return w.put(w.lone)
}

// Step writes a step.
func (w *writer) Step(s *transcript.Step) error {
	w.loseStep(s)
	if s.Lane != w.lane {
		if err := w.flush(); err != nil {
			return err
		}
		w.lane = s.Lane
		if err := w.put(appendLane([]byte("lane "), s.Lane)); err != nil {
			return err
		}
	}
	if isLoneCall(s) && !w.other(s) {
		return w.call(&s.Calls[0])
	}
	if err := w.flush(); err != nil {
		return err
	}
	if isLoneText(s) && !w.other(s) {
		return w.put(record.AppendQuote([]byte("say "), s.Parts[0].Text))
	}
	if s.Kind == transcript.Response {
		return w.put(w.block(s))
	}
	return w.put(message(s))
}

// call writes a lone call, or counts it if it is the last one again. A call
// with {{n}} in it is never repeated: there it would be a number.
func (w *writer) call(c *transcript.Call) error {
	w.loseCall(c)
	line := appendCall(nil, c)
	if w.times > 0 && w.times < maxTimes && bytes.Equal(line, w.lone) && !bytes.Contains(line, []byte(number)) {
		w.times++
		return nil
	}
	err := w.flush()
	w.lone, w.times = line, 1
	return err
}

// other reports whether a model answered that is not the head's.
func (w *writer) other(s *transcript.Step) bool { return s.Model != "" && s.Model != w.model }

// isPlain reports whether a response has nothing but parts, calls and the usual end.
func isPlain(s *transcript.Step) bool {
	return s.Kind == transcript.Response && s.ID == "" && len(s.Attempts) == 0 &&
		!s.Usage.Known && !s.Has(transcript.Synthetic) && s.Finish == usual(s)
}

func isLoneCall(s *transcript.Step) bool {
	return isPlain(s) && len(s.Calls) == 1 && len(s.Parts) == 0
}

func isLoneText(s *transcript.Step) bool {
	return isPlain(s) && len(s.Calls) == 0 && len(s.Parts) == 1 &&
		s.Parts[0].Kind == transcript.Text && len(s.Parts[0].Cuts) == 0
}

// message writes any step that is no response.
func message(s *transcript.Step) []byte {
	text := s.Text(transcript.Text)
	word := "system "
	switch {
	case s.Kind == transcript.Compaction && text == "":
		return []byte("compact")
	case s.Kind == transcript.Compaction:
		word = "compact "
	case s.Kind == transcript.Injection, s.Kind == transcript.Prompt && s.Has(transcript.Synthetic):
		word = "inject "
	case s.Kind == transcript.Prompt:
		word = "user "
	}
	return record.AppendQuote([]byte(word), text)
}

// appendName writes a name, in quotes where it is no plain word.
func appendName(line []byte, name string) []byte {
	if isWord(name) {
		return append(line, name...)
	}
	return record.AppendQuote(line, name)
}

func appendLane(line []byte, lane string) []byte {
	switch lane {
	case "":
		return append(line, mainLane...)
	case mainLane:
		return record.AppendQuote(line, lane)
	}
	return appendName(line, lane)
}
