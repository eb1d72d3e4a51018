// Package contract looks at single calls for a contract that their tool did not
// keep. What it finds is for a report and no detector's business: by the time
// anything repeats, the harm is done, and the fix belongs in the tool, which
// must refuse the call. Which arguments a tool needs is for its family to say
// (family.Required).
package contract

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// EmptyArgument is the id of the check.
const EmptyArgument = "contract/empty_required_argument"

// Empty returns the check of a contract. as gives the contract's name for the tool
// of a call. The check may be used by several goroutines.
func Empty(as func(*transcript.Call) string, contract family.Required) func(*transcript.Call) []replay.Empty {
	names := namesOf(contract)
	return func(c *transcript.Call) []replay.Empty {
		needs := contract.Tools[as(c)]
		if needs == nil && !mayBeEmpty(c.Args) {
			return nil
		}
		args, ok := members(c.Args, names)
		if !ok {
			return nil // not an object, so nothing is known of its arguments
		}
		var list []replay.Empty
		for _, n := range needs {
			switch i := slices.IndexFunc(args, func(a argument) bool { return slices.Contains(n, a.name) && !a.empty }); {
			case i >= 0:
			case slices.ContainsFunc(args, func(a argument) bool { return slices.Contains(n, a.name) }):
				list = append(list, replay.Empty{Argument: n[0]})
			default:
				list = append(list, replay.Empty{Argument: n[0], Missing: true})
			}
		}
		for _, a := range args {
			if needs == nil && a.empty {
				list = append(list, replay.Empty{Argument: a.name})
			}
		}
		return list
	}
}

// namesOf lists all names of arguments that are looked at. A tool of unknown
// contract is remarked on only where one of them stands there and is empty.
func namesOf(contract family.Required) []string {
	names := slices.Clone(contract.Others)
	for _, needs := range contract.Tools {
		for _, n := range needs {
			names = append(names, n...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mayBeEmpty passes over most arguments without parsing them.
func mayBeEmpty(args string) bool {
	return strings.Contains(args, `""`) || strings.Contains(args, "null") || strings.Contains(args, "[]")
}

// An argument is a member of an object whose name is one of those looked for.
type argument struct {
	name  string
	empty bool
}

// members lists those of an object. A value is not kept: only whether there is one.
func members(args string, names []string) (list []argument, ok bool) {
	dec := jsontext.NewDecoder(strings.NewReader(args), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, false
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		name := tok.String()
		at := slices.Index(names, name)
		if at < 0 {
			if dec.SkipValue() != nil {
				return nil, false
			}
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		// The name is taken from the list, so that nothing of a session is shown.
		list = append(list, argument{names[at], isEmpty(value)})
	}
	return list, true
}

// isEmpty: nothing, an empty list, or a text of nothing but white space.
func isEmpty(v jsontext.Value) bool {
	switch v.Kind() {
	case 'n':
		return true
	case '[':
		return strings.TrimSpace(string(v[1:len(v)-1])) == ""
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		return err == nil && strings.TrimSpace(string(text)) == ""
	}
	return false
}
