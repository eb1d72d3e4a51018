package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// A message is one element of "messages", whatever its role.
type message struct {
	role     string
	id       string
	model    string
	name     string // of the tool, on a result
	callID   string // on a result
	text     string
	thinking string
	refused  bool
	calls    []transcript.Call
	failed   *bool
	finish   string
	usage    transcript.Usage
	time     time.Time
	media    []transcript.Media
	parts    int // parts that are not text
	badText  int // texts that are not UTF-8
}

// readMessage decodes a valid JSON object. Fields of an unexpected type are as
// good as absent: vendors add their own, and one of them is no reason to lose
// the message.
func readMessage(raw jsontext.Value) *message {
	m := &message{}
	var refusal string
	var blocks jsontext.Value
	fields(raw, func(name string, v jsontext.Value) {
		switch name {
		case "role":
			m.role = str(v)
		case "id":
			m.id = str(v)
		case "model":
			m.model = str(v)
		case "name":
			m.name = str(v)
		case "tool_call_id":
			m.callID = str(v)
		case "content":
			m.content(v)
		case "refusal":
			refusal = m.string(v)
		case "reasoning_content", "reasoning", "thinking":
			// Vendors repeat the same text under two of these names.
			if s := m.string(v); s != "" && !strings.Contains(m.thinking, s) {
				m.thinking = s
			}
		case "thinking_blocks":
			blocks = v
		case "tool_calls":
			elems(v, func(v jsontext.Value) { m.calls = append(m.calls, m.call(v)) })
		case "function_call":
			if v.Kind() == '{' {
				var c transcript.Call
				m.function(v, &c)
				m.calls = append(m.calls, c)
			}
		case "is_error", "error":
			if k := v.Kind(); k == 't' || k == 'f' {
				failed := k == 't'
				m.failed = &failed
			}
		case "finish_reason":
			m.finish = str(v)
		case "usage":
			m.usage = readUsage(v)
		case "timestamp", "created_at", "created":
			m.time = when(v)
		}
	})
	if m.text == "" && refusal != "" {
		m.text, m.refused = refusal, true
	}
	if m.thinking == "" {
		elems(blocks, func(v jsontext.Value) { m.part(v) })
	}
	return m
}

// string is the text of a JSON string, byte for byte.
func (m *message) string(v jsontext.Value) string {
	s := str(v)
	if !utf8.ValidString(s) {
		m.badText++
	}
	return s
}

// content reads a string, null or parts. The texts of parts are joined by a
// line feed, so that results in one piece and in several compare equal.
func (m *message) content(v jsontext.Value) {
	var texts []string
	add := func(v jsontext.Value) {
		if text, ok := m.part(v); ok {
			texts = append(texts, text)
		}
	}
	switch v.Kind() {
	case '[':
		elems(v, add)
	case 'n':
	default:
		add(v)
	}
	m.text = strings.Join(texts, "\n")
}

// part reads one part of a content. ok is false if it has no text of its own:
// thinking, an image, a file.
func (m *message) part(v jsontext.Value) (text string, ok bool) {
	if v.Kind() == '"' {
		return m.string(v), true
	}
	if v.Kind() != '{' {
		return string(v), true // a tool that gave JSON, not text
	}
	var kind, url string
	var thoughts []string
	fields(v, func(name string, v jsontext.Value) {
		switch name {
		case "type":
			kind = str(v)
		case "text", "refusal":
			if v.Kind() == '"' {
				text, ok = m.string(v), true
			}
		case "thinking", "reasoning":
			thoughts = append(thoughts, m.string(v))
			elems(v, func(v jsontext.Value) {
				fields(v, func(name string, v jsontext.Value) {
					if name == "text" {
						thoughts = append(thoughts, m.string(v))
					}
				})
			})
		case "image_url":
			url = str(v)
			fields(v, func(name string, v jsontext.Value) {
				if name == "url" {
					url = str(v)
				}
			})
		}
	})
	switch kind {
	case "text", "input_text", "output_text", "refusal":
		return text, ok
	case "thinking", "reasoning":
		m.thinking += strings.Join(thoughts, "")
		return "", false
	case "":
		if !ok {
			return string(v), true
		}
		return text, true
	}
	m.parts++
	if media, ok := readMedia(url); ok {
		m.media = append(m.media, media)
	}
	return "", false
}

// readMedia weighs and hashes the content of a data URL, so that two results
// with different images are not the same result.
func readMedia(url string) (transcript.Media, bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	kind, body, found := strings.Cut(rest, ",")
	mime, is64 := strings.CutSuffix(kind, ";base64")
	if !ok || !found || !is64 {
		return transcript.Media{}, false
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		data = []byte(body)
	}
	sum := sha256.Sum256(data)
	return transcript.Media{MIME: mime, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}, true
}

// call reads an element of tool_calls.
func (m *message) call(v jsontext.Value) transcript.Call {
	c := transcript.Call{Took: -1, ArgsInvalid: true}
	flat := true
	fields(v, func(name string, v jsontext.Value) {
		switch name {
		case "id":
			c.ID = str(v)
		case "function", "custom":
			flat = false
			m.function(v, &c)
		}
	})
	if flat {
		m.function(v, &c)
	}
	return c
}

// function reads a call's name and arguments, which are kept as the model wrote
// them: a string's text, or the bytes of whatever else stands there.
func (m *message) function(v jsontext.Value, c *transcript.Call) {
	c.Took, c.ArgsInvalid = -1, true
	fields(v, func(name string, v jsontext.Value) {
		switch name {
		case "name":
			c.Tool = m.string(v)
		case "arguments", "input":
			if v.Kind() != '"' {
				c.Args, c.ArgsInvalid = string(v), false
				return
			}
			c.Args = m.string(v)
			c.ArgsInvalid = !jsontext.Value(c.Args).IsValid(lenient)
		}
	})
}

// readUsage reads the counts of one response. The prompt's count includes what
// came from a cache, the model's does not.
func readUsage(v jsontext.Value) (u transcript.Usage) {
	count := func(to *int64) func(jsontext.Value) {
		return func(v jsontext.Value) {
			if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && n >= 0 {
				*to, u.Known = max(*to, n), true // some write a count under two names
			}
		}
	}
	at := map[string]func(jsontext.Value){
		"prompt_tokens":               count(&u.Input),
		"completion_tokens":           count(&u.Output),
		"cached_tokens":               count(&u.CacheRead),
		"cache_read_input_tokens":     count(&u.CacheRead),
		"cache_creation_input_tokens": count(&u.CacheWrite),
		"reasoning_tokens":            count(&u.Reasoning),
		"cost": func(v jsontext.Value) {
			if f, err := strconv.ParseFloat(string(v), 64); err == nil {
				u.Cost, u.Known = f, true
			}
		},
	}
	read := func(name string, v jsontext.Value) {
		if fn := at[name]; fn != nil && v.Kind() == '0' {
			fn(v)
		}
	}
	fields(v, func(name string, v jsontext.Value) {
		if name == "prompt_tokens_details" || name == "completion_tokens_details" {
			fields(v, read)
			return
		}
		read(name, v)
	})
	u.Input = max(0, u.Input-u.CacheRead)
	return u
}

// readResponse takes the answer out of a LiteLLM response. It is nil if there
// is none: the request failed, or was not logged to its end.
func readResponse(raw jsontext.Value) (m *message, more bool) {
	var usage transcript.Usage
	var model string
	var at time.Time
	var choice, inner []byte
	fields(raw, func(name string, v jsontext.Value) {
		switch name {
		case "model":
			model = str(v)
		case "created":
			at = when(v)
		case "usage":
			usage = readUsage(v)
		case "choices":
			elems(v, func(v jsontext.Value) {
				more = choice != nil
				if !more {
					choice = bytes.Clone(v)
				}
			})
		}
	})
	finish := ""
	fields(choice, func(name string, v jsontext.Value) {
		switch name {
		case "message":
			inner = bytes.Clone(v)
		case "finish_reason":
			finish = str(v)
		}
	})
	if jsontext.Value(inner).Kind() != '{' {
		return nil, false
	}
	m = readMessage(inner)
	m.role, m.model, m.usage, m.time, m.finish = "assistant", model, usage, at, finish
	return m, more
}
