package retry

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The literal reference: 11.2 as a list of rows, read from maps as the product
// reads from objects, with none of the code under test. It knows only what the
// golden records and the fuzzer feed it: objects {name, data} and thrown errors.

type fields = map[string]any

type literalRow struct {
	test func(*literalCase) bool
	kind string
	then func(*literalCase)
}

type literalCase struct {
	e, data        fields
	thrown, api    bool
	name, message  string
	status         int
	body           string
	code, typ, msg string
	phase          string
	head           bool
	chain          []fields
}

func newLiteral(e fields, phase string, head bool) *literalCase {
	c := &literalCase{e: e, phase: phase, head: head}
	data, isObject := e["data"].(fields)
	c.data = data
	_, hasName := e["name"].(string)
	_, hasMessage := e["message"].(string)
	c.thrown = !isObject && hasName && hasMessage
	c.name, _ = e["name"].(string)
	c.api = !c.thrown && c.name == "APIError"
	for _, v := range []any{e["statusCode"], e["status"], data["statusCode"]} {
		if n, ok := v.(float64); ok && n > 0 && n < 1e6 {
			c.status = int(n)
			break
		}
	}
	switch m, ok := e["message"].(string); {
	case ok:
		c.message = m
	default:
		m, ok := data["message"].(string)
		if !ok {
			m = c.name
			if m == "" {
				m = "Provider request failed"
			}
		}
		c.message = m
	}
	if c.api {
		c.body, _ = data["responseBody"].(string)
	} else if m, ok := data["message"].(string); ok {
		c.body = m
	} else if b, ok := e["responseBody"].(string); ok {
		c.body = b
	} else {
		c.body, _ = data["responseBody"].(string)
	}
	var parsed any
	if json.Unmarshal([]byte(c.body), &parsed) == nil {
		if top, ok := parsed.(fields); ok {
			inner, _ := top["error"].(fields)
			get := func(k string) string {
				if v, ok := inner[k]; ok && v != nil {
					return script(v)
				}
				if v, ok := top[k]; ok && v != nil {
					return script(v)
				}
				return ""
			}
			c.code, c.typ, c.msg = get("code"), get("type"), get("message")
		}
	}
	c.chain = []fields{e}
	if c.thrown {
		for i := 0; i < len(c.chain) && len(c.chain) < 16; i++ {
			if inner, ok := c.chain[i]["cause"].(fields); ok && len(c.chain) <= 8 {
				c.chain = append(c.chain, inner)
			}
		}
	}
	return c
}

// script is String(v) of JavaScript.
func script(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var list []string
		for _, x := range v {
			if x == nil {
				list = append(list, "")
			} else {
				list = append(list, script(x))
			}
		}
		return strings.Join(list, ",")
	}
	return "[object Object]"
}

func (c *literalCase) rateText(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "too many requests") || strings.Contains(s, "too_many_requests") || strings.Contains(s, "rate limit") ||
		strings.Contains(s, "rate_limit") || strings.Contains(s, "rate increased too quickly")
}

func (c *literalCase) network() bool {
	for _, e := range c.chain {
		if code, _ := e["code"].(string); slices.Contains(networkCodes, code) || c.head && code == "ENOTFOUND" {
			return true
		}
		m, _ := e["message"].(string)
		m = strings.ToLower(m)
		if m == "fetch failed" || m == "sse read timed out" {
			return true
		}
		for _, how := range []string{"aborted", "closed", "refused", "reset"} {
			if strings.HasSuffix(m, "connection "+how) || strings.HasSuffix(m, "connection "+how+" by server") {
				return true
			}
		}
		for _, part := range []string{"network connection", "network error", "response body terminated", "response body closed", "socket hang up"} {
			if strings.Contains(m, part) {
				return true
			}
		}
	}
	return false
}

var literalRows = []literalRow{
	{func(c *literalCase) bool { return c.name == "ContextOverflowError" }, Terminal, func(c *literalCase) { c.message = "Context window exceeded" }},
	{func(c *literalCase) bool { return c.name == "MessageAbortedError" || c.name == "ProviderAuthError" }, Terminal, nil},
	{func(c *literalCase) bool { _, ok := c.data["message"].(string); return !c.thrown && !c.api && !ok }, Terminal, nil},
	{func(c *literalCase) bool {
		return slices.ContainsFunc(c.chain, func(e fields) bool {
			return e["name"] == "AbortError" && e["code"] != "UND_ERR_ABORTED" || e["code"] == "ABORT_ERR"
		})
	}, Terminal, nil},
	{func(c *literalCase) bool { return strings.Contains(c.body+c.code, "FreeUsageLimitError") }, Terminal, func(c *literalCase) { c.message = usageReached }},
	{func(c *literalCase) bool { return strings.Contains(c.body+c.code, "SubscriptionUsageLimitError") }, Terminal, nil},
	{func(c *literalCase) bool { return slices.Contains([]int{402, 501, 505}, c.status) }, Terminal, nil},
	{func(c *literalCase) bool { return c.head && slices.Contains([]int{400, 401, 403, 422}, c.status) }, Terminal, nil},
	{func(c *literalCase) bool { return c.status == 404 }, Terminal, nil},
	{func(c *literalCase) bool { return c.code == "stream_read_error" || c.typ == "upstream_error" }, Stream, func(c *literalCase) {
		c.phase, c.message = "stream", c.msg
		if c.msg == "" {
			c.message = upstreamFailed
		}
	}},
	{(*literalCase).network, Network, nil},
	{func(c *literalCase) bool {
		meta, _ := c.data["metadata"].(fields)
		words := strings.FieldsFunc(strings.ToLower(c.message), func(r rune) bool {
			return !(r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z')
		})
		return c.head && (c.api && meta["code"] == "ETIMEDOUT" || slices.Contains(words, "etimedout") || strings.Contains(" "+strings.ToLower(c.message)+" ", " request timed out "))
	}, Network, nil},
	{func(c *literalCase) bool { return c.message == "SSE read timed out" }, Stream, func(c *literalCase) { c.phase = "stream" }},
	{func(c *literalCase) bool {
		return c.typ == "too_many_requests" || strings.Contains(c.typ, "rate_limit") || strings.Contains(c.code, "rate_limit") || c.code == "429" || c.rateText(c.msg)
	}, RateLimit, func(c *literalCase) { c.message = "Too Many Requests" }},
	{func(c *literalCase) bool { return c.rateText(c.message) }, RateLimit, nil},
	{func(c *literalCase) bool {
		return strings.Contains(c.code, "exhausted") || strings.Contains(c.code, "unavailable")
	}, Server, func(c *literalCase) { c.message = "Provider is overloaded" }},
	{func(c *literalCase) bool { return c.status == 429 }, RateLimit, nil},
	{func(c *literalCase) bool {
		return c.status == 408 || c.status == 425 || c.status >= 500 && c.status < 600
	}, Server, nil},
	{func(c *literalCase) bool { return c.api && slices.Contains([]int{400, 401, 403, 422}, c.status) }, Terminal, nil},
	{func(c *literalCase) bool { return c.api && c.data["isRetryable"] == true }, Unknown, nil},
	{func(c *literalCase) bool { return c.head && c.name == "UnknownError" }, Unknown, nil},
	{func(*literalCase) bool { return true }, Terminal, nil},
}

func (c *literalCase) decide() string {
	for _, row := range literalRows {
		if !row.test(c) {
			continue
		}
		if row.then != nil {
			row.then(c)
		}
		if c.message == "" {
			c.message = map[bool]string{true: "Provider request failed", false: "Transient provider failure"}[row.kind == Terminal]
		}
		return fmt.Sprintf("%s %s %q %d", row.kind, c.phase, c.message, c.status)
	}
	panic("the last row takes everything")
}

// sameAsLiteral compares both versions on one error.
func sameAsLiteral(t interface {
	Errorf(string, ...any)
	Helper()
}, text string) {
	t.Helper()
	e := ReadError(text)
	var m fields
	if e == nil || json.Unmarshal([]byte(text), &m) != nil {
		return
	}
	for _, head := range []bool{false, true} {
		for _, phase := range []string{"request", "stream"} {
			d := Decide(e, phase, "", Version{Head: head}, time.UnixMilli(1788000000000))
			got := fmt.Sprintf("%s %s %q %d", d.Kind, d.Phase, d.Message, d.Status)
			if want := newLiteral(m, phase, head).decide(); got != want {
				t.Errorf("head %v: %s, literally %s\n%s", head, got, want, text)
			}
		}
	}
}

// Errors of all shapes, drawn from the words that rows look for.
func TestDecideIsTheTable(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "boom", "fetch failed", "SSE read timed out", "Rate limit", "too_many_requests", "Connection reset by server", "connection closed",
		"request timed out", "x ETIMEDOUT y", "socket hang up", "FreeUsageLimitError", "SubscriptionUsageLimitError", "rate increased too quickly", "network error"})
	codes := rapid.SampledFrom([]any{nil, "rate_limit_exceeded", "model_unavailable", "exhausted", "stream_read_error", 429.0, false, "x", []any{"rate_limit", nil}, fields{"a": 1.0}})
	statuses := rapid.SampledFrom([]any{nil, 200.0, 400.0, 401.0, 402.0, 404.0, 408.0, 409.0, 422.0, 425.0, 429.0, 500.0, 501.0, 503.0, 505.0, 529.0, 600.0})
	names := rapid.SampledFrom([]string{"APIError", "APIError", "UnknownError", "ContextOverflowError", "MessageAbortedError", "ProviderAuthError", "X"})
	platform := rapid.SampledFrom([]any{nil, nil, "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "UND_ERR_ABORTED", "ABORT_ERR", "EPERM"})
	rapid.Check(t, func(t *rapid.T) {
		body := fields{}
		inner := fields{"code": codes.Draw(t, "code"), "type": rapid.SampledFrom([]any{nil, "error", "upstream_error", "rate_limit_error", "too_many_requests"}).Draw(t, "type"), "message": words.Draw(t, "said")}
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			body["error"] = inner
		case 1:
			body = inner
		case 2:
			body["error"] = "text"
		}
		raw, _ := json.Marshal(body)
		e := fields{"name": names.Draw(t, "name")}
		if rapid.Bool().Draw(t, "thrown") {
			e["name"] = rapid.SampledFrom([]string{"Error", "TypeError", "AbortError"}).Draw(t, "thrown name")
			e["message"] = words.Draw(t, "message")
			if c := platform.Draw(t, "platform"); c != nil {
				e["code"] = c
			}
			if s := statuses.Draw(t, "status"); s != nil {
				e["status"] = s
			}
			if rapid.Bool().Draw(t, "caused") {
				e["cause"] = fields{"name": "Error", "message": words.Draw(t, "cause"), "code": platform.Draw(t, "cause code")}
			}
		} else {
			data := fields{"message": words.Draw(t, "message"), "isRetryable": rapid.Bool().Draw(t, "retryable")}
			if s := statuses.Draw(t, "status"); s != nil {
				data["statusCode"] = s
			}
			if rapid.Bool().Draw(t, "body") {
				data["responseBody"] = string(raw)
			}
			if c := platform.Draw(t, "platform"); c != nil {
				data["metadata"] = fields{"code": c}
			}
			e["data"] = data
		}
		text, _ := json.Marshal(e)
		sameAsLiteral(t, string(text))
	})
}

// literalDelay is 11.6, step by step.
func literalDelay(attempt int, hint, initial, most int64, jitter, u float64) float64 {
	if hint >= 0 {
		return math.Min(float64(most), math.Max(100, float64(hint)))
	}
	base := float64(initial)
	for range attempt - 1 {
		base *= 2
	}
	base = math.Min(float64(most), base)
	if jitter <= 0 {
		return base
	}
	x := base * (1 + (2*u-1)*jitter)
	return math.Min(float64(most), math.Max(100, math.Floor(x+0.5)))
}

func TestDelayIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt, u := rapid.IntRange(1, 40).Draw(t, "attempt"), rapid.Float64Range(0, 1).Draw(t, "u")
		initial, most := rapid.Int64Range(1, 60_000).Draw(t, "initial"), rapid.Int64Range(1, math.MaxInt32).Draw(t, "most")
		jitter := rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "jitter")
		hint := rapid.Int64Range(-1, math.MaxInt32).Draw(t, "hint")
		b := Budget{Initial: time.Duration(initial) * time.Millisecond, Most: time.Duration(most) * time.Millisecond, Jitter: jitter}
		got := Delay(attempt, Asked{time.Duration(hint) * time.Millisecond, hint >= 0}, b, u)
		if want := literalDelay(attempt, hint, initial, most, jitter, u); float64(got)/1e6 != want {
			t.Errorf("%v, literally %v ms", got, want)
		}
		if lo, hi := Delay(attempt, Asked{}, b, 0), Delay(attempt, Asked{}, b, 1); hint < 0 && (got < lo || got > hi) {
			t.Errorf("%v is not in %v to %v", got, lo, hi)
		}
	})
}

// No error text may panic or hang, however it is held.
func FuzzError(f *testing.F) {
	for _, s := range []string{`{"name":"APIError","data":{"message":"x","statusCode":429,"responseHeaders":{"retry-after":"30"}}}`, `{"name":"Error","message":"fetch failed","cause":{"code":"ECONNRESET"}}`,
		`{"name":"Error","message":"m","errors":[{"message":"a"},{"message":"b","code":"EPIPE"}]}`, `{`, `[]`, `{"name":"AI_APICallError","message":"","statusCode":503,"responseBody":"<html>"}`, `{"type":"error","error":{"type":"overloaded_error"}}`} {
		f.Add(s, "openai")
	}
	f.Fuzz(func(t *testing.T, text, provider string) {
		now := time.UnixMilli(1788000000000)
		ctx := Context{Provider: provider, Allow404: Retries404(provider)}
		raws := []*Raw{{Frame: text}, {Error: Error{Thrown: true, Message: Some(text), Causes: ReadCauses(text)}}, {Error: Error{Thrown: true}, HTTP: &Call{Status: 500, Body: Some(text)}}}
		if r := ReadRaw(text); r != nil {
			raws = append(raws, r)
			sameShape(t, Decide(&r.Error, "", "", Version{}, now))
		}
		if r := LastOf(text); r != nil {
			raws = append(raws, r)
		}
		for _, r := range raws {
			e := Normalise(r, ctx)
			for _, v := range []Version{{}, {Head: true}, {ByMetadata: true}} {
				sameShape(t, Decide(e, "request", "", v, now))
			}
			Upstream(e)
			UpstreamDelay(3, e, now)
		}
		if c, err := ReadConfig(parse(text)); err == nil {
			for _, head := range []bool{false, true} {
				for _, b := range c.Resolve(head, provider) {
					if d := Delay(7, Asked{}, b, 1); d < 0 {
						t.Errorf("negative wait %v of %+v", d, b)
					}
				}
			}
		}
	})
}

// sameShape checks what holds for every decision.
func sameShape(t *testing.T, d Decision) {
	t.Helper()
	if d.Retry == (d.Kind == Terminal) || d.Message == "" || d.Hint.OK && (d.Hint.Wait < hintFloor || d.Hint.Wait > timerLimit) || !d.Retry && d.Hint.OK {
		t.Errorf("impossible decision %+v", d)
	}
}

// The words that are looked for first leave no pattern out.
func TestOverflow(t *testing.T) {
	for _, s := range []string{
		"Prompt is too long", "input is too long for requested model", "this exceeds the context window", "Input token count (9) exceeds the maximum", "maximum prompt length is 9",
		"please reduce the length of the messages", "This model's maximum context length is 128000 tokens.", "exceeds the limit of 5", "exceeds the available context size",
		"greater than the context length", "context window exceeds limit", "exceeded model token limit", "context_length_exceeded", "context length exceeded", "Request Entity Too Large",
		"context length is only 9 tokens", "input length 9 exceeds the context length", "prompt too long; exceeded max context length", "prompt too long; exceeded context length",
		"too large for model with 9 maximum context length", "model_context_window_exceeded", "400 (no body)", "413 status code (no body)", "413(no body)",
	} {
		if !overflows(s) || !overflow.MatchString(asciiLower(s)) {
			t.Errorf("%q is no overflow", s)
		}
	}
	for _, s := range []string{"rate limit", "500 (no body)", "Overloaded", "input", "the context is fine"} {
		if overflows(s) {
			t.Errorf("%q is an overflow", s)
		}
	}
}

// The delay is the formula for whatever a configuration and a server come up with.
func FuzzDelay(f *testing.F) {
	f.Add(3, int64(-1), int64(2000), int64(30000), 0.1, 0.5)
	f.Add(40, int64(50), int64(1), int64(90), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, attempt int, hint, initial, most int64, jitter, u float64) {
		if attempt < 1 || attempt > 1000 || hint > math.MaxInt32 || initial < 1 || initial > math.MaxInt32 || most < 1 || most > math.MaxInt32 ||
			!(jitter >= 0 && jitter <= 1) || !(u >= 0 && u <= 1) {
			t.Skip("no configuration has these")
		}
		b := Budget{Initial: time.Duration(initial) * time.Millisecond, Most: time.Duration(most) * time.Millisecond, Jitter: jitter}
		got := Delay(attempt, Asked{time.Duration(hint) * time.Millisecond, hint >= 0}, b, u)
		if want := literalDelay(attempt, max(hint, -1), initial, most, jitter, u); float64(got)/1e6 != want {
			t.Errorf("%v, literally %v ms", got, want)
		}
	})
}

// ReadError reads a text; it is nil if the text is no JSON object.
func ReadError(text string) *Error {
	v := parse(text)
	if v.Kind() != '{' {
		return nil
	}
	return readError(v, 0)
}
