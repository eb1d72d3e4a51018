package script

import (
	"bytes"
	"strconv"

	"groundhog/formats/record"
	"groundhog/replay/transcript"
)

// appendCall writes a call statement.
func appendCall(line []byte, c *transcript.Call) []byte {
	line = appendName(append(line, "call "...), c.Tool)
	if c.Args != "{}" {
		line = appendArgs(append(line, ' '), c.Args)
	}
	r := &c.Result
	if r.Status == transcript.ResultMissing && r.ExitCode == nil && c.Took < 0 && c.Signals == nil {
		return line
	}
	line = append(line, " ->"...)
	switch r.Status {
	case transcript.ResultOK:
		line = append(line, " ok"...)
	case transcript.ResultError:
		line = append(line, " error"...)
	case transcript.ResultDenied:
		line = append(line, " denied"...)
	case transcript.ResultCancelled:
		line = append(line, " cancelled"...)
	case transcript.ResultMissing:
		line = append(line, " missing"...)
	}
	if r.Status == transcript.ResultUnflagged || r.Status != transcript.ResultMissing && r.Text != "" {
		line = record.AppendQuote(append(line, ' '), r.Text)
	}
	if r.ExitCode != nil {
		line = strconv.AppendInt(append(line, " exit="...), int64(*r.ExitCode), 10)
	}
	if c.Took >= 0 {
		line = append(append(line, " took="...), c.Took.String()...)
	}
	if c.Signals != nil {
		line = appendSignals(append(line, " signals="...), c.Signals)
	}
	return line
}

// appendArgs writes arguments as they are if they are one JSON value on one
// line, and as raw"…" otherwise.
func appendArgs(line []byte, args string) []byte {
	data := []byte(args)
	raw, n, err := valueOf(data)
	if err == nil && n == len(data) && len(raw) == n && bytes.IndexByte(raw, '\n') < 0 {
		return append(line, args...)
	}
	return record.AppendQuote(append(line, "raw"...), args)
}

func appendSignals(line []byte, s *transcript.Signals) []byte {
	line = append(line, '{')
	key := func(name string) {
		if line[len(line)-1] != '{' {
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), name...), '"', ':')
	}
	if s.ResultSig != "" {
		key("result_sig")
		line = record.AppendQuote(line, s.ResultSig)
	}
	if s.OutcomeSig != "" {
		key("outcome_sig")
		line = record.AppendQuote(line, s.OutcomeSig)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"read_only", s.ReadOnly}, {"trusts_progress", s.TrustsProgress}, {"non_actionable", s.NonActionable}} {
		if flag.set {
			key(flag.name)
			line = append(line, "true"...)
		}
	}
	return append(line, '}')
}
