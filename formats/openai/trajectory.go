package openai

import (
	"iter"

	"groundhog/formats"
	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// Trajectory decodes an array of messages that lies in a file of another
// format, as Unit.Steps does: it notes in the session what it had to guess. at
// is the array, from its bracket on. cut says that the file ends inside it.
func Trajectory(
	file *formats.File, at record.Range, cut bool, o formats.Options, session *transcript.Session,
) iter.Seq2[*transcript.Step, error] {
	p := place{file: file, off: at.Off, end: at.End, line: at.Line, limit: o.Cap(), cut: cut}
	return p.steps(session)
}
