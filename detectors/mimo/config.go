package mimo

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/family"
)

// ReadConfig reads the keys of a JSON configuration that the detectors know, in
// the order of the file:
//
//	experimental.loop_streak_recovery          true, false, or the parameters of thinking_streak by name
//	provider.ID.options.chunkTimeout           milliseconds
//
// Other keys are somebody else's. A parameter may be given by several providers.
// An error names the key and says what was expected.
func ReadConfig(data []byte) (list []family.Setting, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true))
	root, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("expected a JSON object: %w", err)
	}
	top := node{value: root.Clone()}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("expected one JSON object and nothing after it")
	}
	add := func(n node, id, value string) { list = append(list, family.Setting{Key: n.path, ID: id, Value: value}) }
	err = top.each(func(n node) error {
		switch n.name {
		case "experimental":
			return n.each(func(n node) error {
				if n.name == "loop_streak_recovery" {
					return n.streakRecovery(add)
				}
				return nil
			})
		case "provider":
			return n.each(func(provider node) error {
				return provider.in("options", func(n node) error {
					return n.in("chunkTimeout", func(n node) error {
						value, err := n.count("milliseconds")
						if err == nil {
							add(n, ChunkTimeout.Name+".timeout_ms", value)
						}
						return err
					})
				})
			})
		}
		return nil
	})
	return list, err
}

// streakRecovery reads thinking_streak's switch, or all of its parameters.
func (n node) streakRecovery(add func(n node, id, value string)) error {
	prefix := ThinkingStreak.Name + "."
	if n.value.Kind() != '{' {
		on, err := n.flag("true, false or an object")
		if err == nil {
			add(n, prefix+"enabled", on)
		}
		return err
	}
	return n.each(func(n node) (err error) {
		value := ""
		switch n.name {
		case "enabled":
			value, err = n.flag("true or false")
		case "trigger_count", "max_span":
			value, err = n.count("steps")
		default:
			return nil
		}
		if err == nil {
			add(n, prefix+n.name, value)
		}
		return err
	})
}

// A node is a value of the configuration with its key.
type node struct {
	path, name string
	value      jsontext.Value
}

// each visits the members of an object, in order.
func (n node) each(visit func(node) error) error {
	if n.value.Kind() != '{' {
		return n.expected("an object")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(n.value), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return err
		}
		member := node{name: key.String()}
		member.path = member.name
		if n.path != "" {
			member.path = n.path + "." + member.name
		}
		if member.value, err = dec.ReadValue(); err != nil {
			return err
		}
		member.value = member.value.Clone()
		if err := visit(member); err != nil {
			return err
		}
	}
	return nil
}

// in visits one member of an object, if it is there.
func (n node) in(name string, visit func(node) error) error {
	return n.each(func(member node) error {
		if member.name == name {
			return visit(member)
		}
		return nil
	})
}

func (n node) flag(want string) (string, error) {
	if k := n.value.Kind(); k == 't' || k == 'f' {
		return string(n.value), nil
	}
	return "", n.expected(want)
}

// most is the largest number that a parameter takes.
const most = 1_000_000

func (n node) count(of string) (string, error) {
	if n.value.Kind() == '0' {
		if f, err := strconv.ParseFloat(string(n.value), 64); err == nil && f >= 1 && f <= most && f == math.Trunc(f) {
			return strconv.Itoa(int(f)), nil
		}
	}
	return "", n.expected(fmt.Sprintf("a whole number of %s from 1 to %d", of, most))
}

func (n node) expected(want string) error {
	const shown = 40
	found := string(n.value)
	if len(found) > shown {
		found = found[:shown] + "…"
	}
	if n.path == "" {
		return fmt.Errorf("expected %s, found %s", want, found)
	}
	return fmt.Errorf("%s: expected %s, found %s", n.path, want, found)
}
