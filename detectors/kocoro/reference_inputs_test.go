package kocoro_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const asciiSpace = " \t\r\n\v\f"

// ArgumentsString is what the detector sees of the provider's raw JSON argument value.
func ArgumentsString(raw string) string {
	s := strings.Trim(raw, asciiSpace)
	if s == "" || s == "null" {
		return "{}"
	}
	var text string
	if s[0] == '"' && json.Unmarshal([]byte(s), &text) == nil {
		inner := strings.TrimSpace(text)
		if !strings.HasPrefix(inner, "{") || !json.Valid([]byte(inner)) {
			return text
		}
		s = inner
	}
	if strings.HasPrefix(s, "{") {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if canonical, ok := reencode(d); ok {
			return canonical
		}
	}
	return raw
}

// NormalizeJSON is the form in which two calls of one message count as the same.
func NormalizeJSON(raw string) string {
	s := strings.Trim(raw, asciiSpace)
	if s == "" || s == "null" {
		return "{}"
	}
	if canonical, ok := reencode(json.NewDecoder(strings.NewReader(s))); ok {
		return canonical
	}
	return raw
}

func reencode(d *json.Decoder) (string, bool) {
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}

// HashArgs identifies a string: eight bytes of its SHA-256, in hex.
func HashArgs(args string) string {
	sum := sha256.Sum256([]byte(args))
	return hex.EncodeToString(sum[:8])
}

// ErrorSig is the first hundred runes of an error text.
func ErrorSig(text string) string {
	runes := []rune(text)
	if len(runes) <= 100 {
		return text
	}
	return string(runes[:100])
}

const month = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`

var (
	dates = []*regexp.Regexp{
		regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`),
		regexp.MustCompile(`(?i)\b` + month + `\s+\d{1,2}\s+\d{4}\b`),
		regexp.MustCompile(`(?i)\b\d{1,2}\s+` + month + `\s+\d{4}\b`),
		regexp.MustCompile(`\b20\d{2}\b`),
	}
	fillers = strings.Fields("today yesterday latest recent top major breaking headlines news current update updates")
)

// NormalizeWebQuery is the topic of a web call: its URL, or the sorted words of its query without dates
// and filler words. It is empty if the arguments have neither.
func NormalizeWebQuery(args string) string {
	var object map[string]any
	if json.Unmarshal([]byte(args), &object) != nil {
		return ""
	}
	query := ""
	for _, key := range []string{"query", "q", "queries", "url", "urls"} {
		switch v := object[key].(type) {
		case string:
			query = v
		case []any:
			if len(v) > 0 {
				query, _ = v[0].(string)
			}
		}
		if query != "" {
			break
		}
	}
	if query == "" || strings.HasPrefix(query, "http://") || strings.HasPrefix(query, "https://") {
		return query
	}
	for _, date := range dates {
		query = date.ReplaceAllString(query, " ")
	}
	var words []string
	for _, w := range strings.Fields(query) {
		w = strings.TrimFunc(w, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
		w = strings.ToLower(w)
		if len(w) < 2 || slices.Contains(fillers, w) {
			continue
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		return "[empty]"
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

var resultURL = regexp.MustCompile(`https?://[^\t\n\f\r "'<>\])},]+`)

// ResultSignature is the set of URLs in a result.
func ResultSignature(text string) string {
	var urls []string
	for _, u := range resultURL.FindAllString(text, -1) {
		u, _, _ = strings.Cut(u, "?")
		u, _, _ = strings.Cut(u, "#")
		urls = append(urls, strings.ToLower(strings.TrimRight(u, ".,;:!)")))
	}
	slices.Sort(urls)
	return strings.Join(slices.Compact(urls), ",")
}

// NonActionable reports whether a search brought nothing to go on with.
func NonActionable(rev, name, result string, isError bool) bool {
	const binary = "Binary file "
	if ToolFamily(rev, name) != "search" {
		return false
	}
	if isError || result == "no matches found" || result == "no files matched" {
		return true
	}
	if strings.HasPrefix(result, binary) && !strings.Contains(result, "\n") {
		return true
	}
	for _, line := range strings.Split(strings.TrimSpace(result), "\n") {
		if !strings.HasPrefix(line, binary) {
			return false
		}
	}
	return true
}

// IsEmptyThinkInput reports whether a call is a thought without content.
func IsEmptyThinkInput(name, args string) bool {
	var input struct {
		Thought string `json:"thought"`
	}
	return name == "think" && json.Unmarshal([]byte(args), &input) == nil && strings.TrimSpace(input.Thought) == ""
}

var sleep = regexp.MustCompile(`\bsleep\s+\d`)

// IsSleepCommand reports whether the arguments of a bash call wait for a number of seconds.
func IsSleepCommand(args string) bool {
	var input struct {
		Command string `json:"command"`
	}
	return json.Unmarshal([]byte(args), &input) == nil && sleep.MatchString(input.Command)
}

// NudgeWindow says, for each iteration that was nudged, whether the nudge becomes a stop:
// three of them in ten iterations do.
func NudgeWindow(iterations []int) []bool {
	var kept []int
	var escalated []bool
	for _, now := range iterations {
		kept = append(kept, now)
		kept = slices.DeleteFunc(kept, func(i int) bool { return i < now-9 })
		escalated = append(escalated, len(kept) >= 3)
	}
	return escalated
}

var (
	image = regexp.MustCompile(`(?:"[^"]*(?:base64|image|data)[^"]*"\s*:\s*"|^|\s)[/+A-Za-z0-9](?:iVBOR|/9j/)[A-Za-z0-9+/=\s]{200,}`)
	blob  = regexp.MustCompile(`[A-Za-z0-9+/]{500,}={0,2}`)
	digit = []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
)

// SanitizeResult replaces base64 in a result by a note of its size.
func SanitizeResult(text string) string {
	text = image.ReplaceAllStringFunc(text, func(m string) string {
		n := 0
		for i := range len(m) {
			if bytes.IndexByte(digit, m[i]) >= 0 {
				n++
			}
		}
		return fmt.Sprintf("[image: %d bytes]", 3*n/4)
	})
	return blob.ReplaceAllStringFunc(text, func(m string) string {
		return fmt.Sprintf("[binary data: %d bytes]", 3*len(m)/4)
	})
}
