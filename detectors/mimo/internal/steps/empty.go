package steps

import (
	"encoding/json"
	"strings"

	"groundhog/detectors/mimo/internal/js"
)

// EmptyToolCall reports whether a step says nothing, thinks nothing, and calls
// tools without telling them anything.
func EmptyToolCall(parts []Part) bool {
	if hasSpoken(parts) || hasThought(parts) {
		return false
	}
	called := false
	for i := range parts {
		if p := &parts[i]; p.client() {
			if !emptyInput(p.Input) {
				return false
			}
			called = true
		}
	}
	return called
}

// emptyInput reports whether every value of an input is empty. Text that is no
// JSON is at least something.
func emptyInput(raw string) bool {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return true
	}
	var values []json.RawMessage
	switch raw[0] {
	case '{':
		// A repeated key has its last value, as in JavaScript.
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(raw), &object) != nil {
			return false
		}
		for _, v := range object {
			values = append(values, v)
		}
	case '[':
		if json.Unmarshal([]byte(raw), &values) != nil {
			return false
		}
	default:
		return emptyValue([]byte(raw))
	}
	for _, v := range values {
		if !emptyValue(v) {
			return false
		}
	}
	return true
}

// emptyValue reports whether a value is null, a blank string, or an array or
// object without anything in it. Numbers and booleans say something.
func emptyValue(v json.RawMessage) bool {
	switch v[0] {
	case '"':
		var s string
		return json.Unmarshal(v, &s) == nil && js.Blank(s)
	case '[', '{':
		return len(v) >= 2 && strings.TrimSpace(string(v[1:len(v)-1])) == ""
	}
	return string(v) == "null"
}
