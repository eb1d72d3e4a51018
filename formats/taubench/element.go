package taubench

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// An element is what finding learns about one result.
type element struct {
	rec      transcript.Recorded
	end      transcript.End
	failed   bool          // the run broke off with an error
	traj     formats.Range // of the messages; Off is 0 if there are none
	cut      bool          // the file ends inside the messages
	messages int           // whole ones, whatever they are
	calls    bool          // some message has calls, so texts are only texts
	nested   bool          // some message is a result
	patches  []patch
	at       int64 // how far it was read
}

// lenient is how recorded JSON is read: names repeat, characters are cut.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// A reader reads one element.
type reader struct {
	*jsontext.Decoder
	*element
	base  int64   // of the element in the file
	roles []patch // for the results of text actions
}

// read reads a result without holding it. What it has seen before an error is
// kept.
func (f *finder) read(v span) (*element, error) {
	e := &element{patches: v.nans}
	over := &overlay{f.r, v.nans}
	f.src.Reset(io.NewSectionReader(over, v.off, v.end-v.off))
	r := &reader{Decoder: jsontext.NewDecoder(f.src, lenient), element: e, base: v.off}
	err := r.result()
	e.at = r.place()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.at = r.base + syntax.ByteOffset
	}
	if e.cut = e.traj.Off > 0 && e.traj.End == 0; e.cut {
		e.traj.End = v.end
	}
	if !e.calls && len(r.roles) > 0 {
		e.patches = slices.Concat(v.nans, r.roles)
		slices.SortFunc(e.patches, func(a, b patch) int { return int(a.off - b.off) })
	}
	return e, err
}

func (r *reader) place() int64 { return r.base + r.InputOffset() }

// object calls fn before each value of an object. fn reads the value and
// reports true, or leaves it to be skipped.
func (r *reader) object(fn func(name string, kind jsontext.Kind) (bool, error)) error {
	if _, err := r.ReadToken(); err != nil {
		return err
	}
	for r.PeekKind() == '"' {
		name, err := r.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		read, err := fn(key, r.PeekKind())
		if err == nil && !read {
			err = r.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// array calls fn before each value of an array, in the same way. from is where
// the array begins.
func (r *reader) array(fn func(kind jsontext.Kind) (bool, error)) (from int64, err error) {
	if _, err := r.ReadToken(); err != nil {
		return 0, err
	}
	from = r.place() - 1
	for r.PeekKind() != ']' {
		read, err := fn(r.PeekKind())
		if err == nil && !read {
			err = r.SkipValue()
		}
		if err != nil {
			return from, err
		}
	}
	_, err = r.ReadToken()
	return from, err
}

func (r *reader) result() error {
	return r.object(func(name string, kind jsontext.Kind) (bool, error) {
		switch {
		case name == "task_id":
			return r.word(kind, &r.rec.Task)
		case name == "trial":
			return r.word(kind, &r.rec.Trial)
		case name == "reward" && kind == '0':
			return true, r.reward()
		case name == "info" && kind == '{':
			return true, r.info()
		case name == "traj" && kind == '[' && r.traj.Off == 0:
			return true, r.trajectory()
		}
		return false, nil
	})
}

// word keeps a string, or a number as it is written.
func (r *reader) word(kind jsontext.Kind, to *string) (bool, error) {
	if kind != '"' && kind != '0' {
		return false, nil
	}
	v, err := r.ReadValue()
	if err != nil {
		return true, err
	}
	*to = string(v)
	if kind == '"' {
		*to = formats.Unquote(v)
	}
	return true, nil
}

// reward is a success if it is 1, as near as the benchmark itself looks at it.
// It is a weak outcome and no label (evaluation.md E15).
func (r *reader) reward() error {
	v, err := r.ReadValue()
	if err != nil {
		return err
	}
	if f, err := strconv.ParseFloat(string(v), 64); err == nil {
		success := f >= 1-1e-6 && f <= 1+1e-6
		r.rec.Reward, r.rec.Success = &f, &success
	}
	return nil
}

// info tells how the run ended: the reward is explained only if it came to its
// end, and a run that raised an error has only that.
func (r *reader) info() error {
	return r.object(func(name string, kind jsontext.Kind) (bool, error) {
		switch {
		case name == "reward_info" && kind == '{':
			r.element.end = transcript.EndCompleted
		case name == "error" && kind == '"':
			r.element.end, r.failed = transcript.EndError, true
		}
		return false, nil
	})
}

func (r *reader) trajectory() (err error) {
	r.traj.Off, err = r.array(func(kind jsontext.Kind) (bool, error) {
		err := error(nil)
		if kind == '{' {
			err = r.message()
		} else {
			err = r.SkipValue()
		}
		if err == nil {
			r.messages++
		}
		return true, err
	})
	if err == nil {
		r.traj.End = r.place()
	}
	return err
}

// message looks for calls. Some who rebuilt the text agent give its results the
// role of a tool; as there is no call that they could belong to, they are given
// the role they have in the benchmark's own files.
func (r *reader) message() error {
	var role patch
	output := false
	err := r.object(func(name string, kind jsontext.Kind) (read bool, err error) {
		switch {
		case name == "role" && kind == '"':
			v, err := r.ReadValue()
			if err == nil && string(v) == `"tool"` {
				role = patch{r.place() - int64(len(v)), `"user"`}
			}
			return true, err
		case name == "content" && kind == '"':
			v, err := r.ReadValue()
			output = bytes.HasPrefix(v, []byte(`"`+outputPrefix))
			return true, err
		case name == "tool_calls" && kind == '[':
			_, err := r.array(func(jsontext.Kind) (bool, error) {
				r.calls = true
				return false, nil
			})
			return true, err
		case name == "function_call" && kind == '{':
			r.calls = true
		case name == "traj":
			r.nested = true
		}
		return false, nil
	})
	if output && role.off > 0 && len(r.roles) < maxPatches {
		r.roles = append(r.roles, role)
	}
	return err
}
