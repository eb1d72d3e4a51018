package script

import (
	"bytes"
	"slices"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// Format is the format of .session files.
var Format = &formats.Format{
	Name:  "session",
	Doc:   "scripts that a person can type (groundhog help session)",
	Sniff: sniff,
	Find:  find,
	Write: newWriter,
}

// sniffLines is how many statements are looked at. Prose may begin one line
// with "user" or "call", but not every line with a word of the grammar.
const sniffLines = 10

func sniff(h *formats.Head) formats.Confidence {
	if h.Shape == formats.JSON || h.Shape == formats.Array {
		return formats.No
	}
	seen, marked := 0, false
	num := 0
	for data := range bytes.Lines(h.Data) {
		num++
		whole := h.Whole || data[len(data)-1] == '\n'
		data = bytes.TrimRight(data, "\r\n")
		st, ok := open(data, num)
		if !ok {
			continue
		}
		known := topWords
		if st.indented {
			known = insideWords
		}
		switch {
		case !whole && seen > 0:
			// The head of the file ends inside this line.
		case !slices.Contains(known, st.word), seen == 0 && st.indented, seen == 0 && !parses(st, data):
			return formats.No
		}
		marked = marked || bytes.ContainsAny(data, `"{`) || bytes.Contains(data, []byte(arrow))
		if seen++; seen == sniffLines {
			break
		}
	}
	if seen > 1 || seen == 1 && marked {
		return formats.Certain
	}
	return formats.No
}

// parses reports whether the first statement of a file is right. The others
// need not be: whoever mistypes the second line wants to hear about that line.
func parses(st *statement, data []byte) bool {
	switch {
	case isHead(st.word):
		label := st.word == "label" && !bytes.HasPrefix(st.rest, []byte("{"))
		return !label && head(&transcript.Session{}, st) == nil
	case st.word == "call":
		_, err := readCalls(data, st.line, 0)
		return err == nil
	case st.word == "step":
		_, err := st.times()
		return err == nil && st.end() == nil
	}
	_, err := (&reader{session: &transcript.Session{}}).simple(st)
	return err == nil
}
