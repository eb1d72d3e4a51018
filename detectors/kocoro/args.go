package kocoro

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"strings"
)

// This file derives from a call's arguments what Kocoro compares. It uses
// encoding/json and not the JSON library of the rest, because the behaviour to
// reproduce is defined by Go's own decoder and encoder.

// hash is the identity of a text: the first 8 bytes of its SHA-256, which is
// what Kocoro keeps of it.
func hash(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:8])
}

const asciiSpace = " \t\n\v\f\r"

// argumentsString turns a provider's raw argument value into the string that
// the detector compares: white space and key order do not matter, the spelling
// of numbers does.
func argumentsString(raw string) string {
	value := strings.Trim(raw, asciiSpace)
	if value == "" || value == "null" {
		return "{}"
	}
	if value[0] == '"' {
		var inner string
		if json.Unmarshal([]byte(value), &inner) != nil {
			return raw
		}
		trimmed := strings.TrimSpace(inner)
		if !strings.HasPrefix(trimmed, "{") || !json.Valid([]byte(trimmed)) {
			return inner
		}
		value = trimmed
	}
	if value[0] == '{' {
		if canonical, ok := encodeFirst(value, true); ok {
			return canonical
		}
	}
	return raw // nothing to decode, or nothing that can be
}

// appendArguments appends argumentsString(raw), by a short way where there is one.
func appendArguments(dst []byte, raw string) []byte {
	value := strings.Trim(raw, asciiSpace)
	if strings.HasPrefix(value, "{") {
		if out, ok := appendCanonical(dst, value); ok {
			return out
		}
	}
	return append(dst, argumentsString(raw)...)
}

// encodeFirst re-encodes the first JSON value of s with sorted keys; what
// follows it is dropped. Numbers stay as written or go through float64.
func encodeFirst(s string, asWritten bool) (string, bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if asWritten {
		dec.UseNumber()
	}
	var v any
	if dec.Decode(&v) != nil {
		return "", false
	}
	out, err := json.Marshal(v)
	return string(out), err == nil
}

// normalizeJSON is the form under which two calls of one message count as the
// same: as argumentsString, for any JSON value, with numbers by value.
func normalizeJSON(raw string) string {
	value := strings.Trim(raw, asciiSpace)
	if value == "" || value == "null" {
		return "{}"
	}
	if canonical, ok := encodeFirst(value, false); ok {
		return canonical
	}
	return raw
}

// appendOutcome appends the form under which two results are the same outcome:
// JSON by value, with numbers through float64; any other text as it is.
func appendOutcome(dst []byte, text string) []byte {
	var v any
	if mayBeJSON(text) && json.Unmarshal([]byte(text), &v) == nil {
		if out, err := json.Marshal(v); err == nil {
			return append(dst, out...)
		}
	}
	return append(dst, text...)
}

// mayBeJSON rules out most texts by their first letter.
func mayBeJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.IndexByte(`{["tfn-0123456789`, text[0]) >= 0
}

// maskDigits replaces each run of ASCII digits by one #.
func maskDigits(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	var out bytes.Buffer
	in := false
	for i := range len(s) {
		digit := s[i] >= '0' && s[i] <= '9'
		switch {
		case !digit:
			out.WriteByte(s[i])
		case !in:
			out.WriteByte('#')
		}
		in = digit
	}
	return out.String()
}

// isEmptyThink reports whether a think call holds no thought.
func isEmptyThink(name, args string) bool {
	if name != "think" {
		return false
	}
	var v struct {
		Thought string `json:"thought"`
	}
	return json.Unmarshal([]byte(args), &v) == nil && strings.TrimSpace(v.Thought) == ""
}

var sleepCommand = regexp.MustCompile(`\bsleep\s+\d`)

// isSleep reports whether a bash call sleeps for a literal time.
func isSleep(name, args string) bool {
	if name != "bash" || !strings.Contains(args, "sleep") {
		return false
	}
	var v struct {
		Command string `json:"command"`
	}
	return json.Unmarshal([]byte(args), &v) == nil && sleepCommand.MatchString(v.Command)
}

// validationMarker opens a typed validation failure. (Kocoro looks for it in
// the first 100 runes of the error text, which begin as the text does.)
const validationMarker = "[validation error]"
