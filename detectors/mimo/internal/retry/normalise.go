package retry

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/mimo/internal/js"
	"groundhog/detectors/mimo/internal/steps"
)

// A Raw is an error before it is normalised: a thrown one, of an HTTP call if
// HTTP is set, or a frame of a stream that says error.
type Raw struct {
	Error
	HTTP  *Call
	Frame string // JSON; "" if it is no frame
}

// A Call is what the server answered.
type Call struct {
	Status     int
	Headers    []Header
	HasHeaders bool
	Body       Text
	Retryable  *bool // the SDK's flag; nil means its default
}

// A Context is what normalising knows beside the error.
type Context struct {
	Provider string
	Allow404 bool // the adapter is one of those whose 404 may pass
	Aborted  bool // the user has cancelled the request
}

// adapters404 are the adapters whose 404 is retried.
var adapters404 = []string{"openai", "openai-compatible", "azure", "groq", "togetherai", "openrouter", "llmgateway"}

// Retries404 reports whether an adapter's 404 is retried.
func Retries404(adapter string) bool { return slices.Contains(adapters404, adapter) }

// Normalise is 11.1, first match. Causes of an SDK's retry wrapper were taken
// apart by the caller.
func Normalise(r *Raw, ctx Context) *Error {
	message := r.Message.S
	switch list := chain(&r.Error); {
	case r.Frame != "":
		return frame(r.Frame)
	case r.isAbort():
		return object(Aborted, Data{Message: Some(message)})
	case r.named("AI_LoadAPIKeyError") || r.named("LoadAPIKeyError"):
		return object(ProviderAuth, Data{Message: Some(message)})
	case r.named(OutputLength):
		return object(OutputLength, Data{})
	case isNetwork(list, false):
		code := ""
		for _, e := range list {
			if slices.Contains(networkCodes, e.Code.S) {
				code = e.Code.S
				break
			}
		}
		switch code {
		case "ECONNRESET":
			message = "Connection reset by server"
		case "ETIMEDOUT":
			message = "Request timed out"
		}
		return object(APIError, Data{Message: Some(message), Retryable: true, MetadataCode: Text{code, code != ""}})
	case r.Code.S == "ZlibError" && ctx.Aborted:
		return object(Aborted, Data{Message: Some(message)})
	case r.Code.S == "ZlibError":
		return object(APIError, Data{Message: Some("Response decompression failed"), Retryable: true, MetadataCode: r.Code})
	case r.HTTP != nil:
		return r.HTTP.normalise(message, ctx)
	}
	if message == "" {
		if message = r.Name.S; message == "" {
			message = "Error"
		}
	} else if r.named("TypeError") {
		message = "TypeError: " + message
	}
	return object(UnknownError, Data{Message: Some(message)})
}

func object(name string, d Data) *Error { return &Error{Name: Some(name), Data: &d} }

func (c *Call) normalise(message string, ctx Context) *Error {
	message = c.display(message, ctx.Provider)
	if c.Status == 413 || overflows(message) ||
		str(field(field(parse(c.Body.S), "error"), "code")).S == "context_length_exceeded" {
		return object(Overflow, Data{Message: Some(message), Body: c.Body})
	}
	retryable := c.Status == 408 || c.Status == 409 || c.Status == 429 || c.Status >= 500
	if c.Retryable != nil {
		retryable = *c.Retryable
	}
	return object(APIError, Data{
		Message: Some(message), Status: c.Status, Retryable: retryable || c.Status == 404 && ctx.Allow404,
		Headers: c.Headers, HasHeaders: c.HasHeaders, Body: c.Body, Allow404: ctx.Allow404,
	})
}

// What the product says instead of a provider's words; its own are longer.
const (
	moderation     = "the request was blocked by moderation"
	riskControl    = "the request was blocked by risk control"
	unauthorized   = "unauthorized: the answer is a page of a gateway or proxy"
	forbidden      = "forbidden: the answer is a page of a gateway or proxy"
	quotaMessage   = "quota exceeded: check your plan and billing"
	usageNotInPlan = "usage is not included in this plan"
)

// display is the message that is shown, made of the SDK's and the body.
func (c *Call) display(message, provider string) string {
	v := parse(c.Body.S)
	if provider == "xiaomi" || provider == "mimo" {
		if s := relabelled(field(v, "error")); s != "" {
			return s
		}
	}
	standard := statusText(c.Status)
	switch {
	case message == "" && c.Body.S != "":
		return js.Trim(c.Body.S)
	case message == "" && standard != "":
		return standard
	case message == "":
		return "Unknown error"
	case c.Body.S == "" || message != standard:
		return js.Trim(message)
	}
	said := field(v, "message")
	if !truthy(said) {
		said = field(v, "error")
	}
	if !truthy(said) {
		said = field(said, "message")
	}
	if s := str(said); s.S != "" {
		return js.Trim(message + ": " + s.S)
	}
	if page.MatchString(asciiLower(c.Body.S)) {
		switch c.Status {
		case 401:
			return unauthorized
		case 403:
			return forbidden
		}
		return js.Trim(message)
	}
	return js.Trim(message + ": " + c.Body.S)
}

var page = regexp.MustCompile(`^` + space + `*<(?:!doctype|html)`)

// truthy is what counts as true in JavaScript.
func truthy(v jsontext.Value) bool {
	switch v.Kind() {
	case '{', '[', 't':
		return true
	case '"':
		return str(v).S != ""
	case '0':
		s := jsText(v)
		return s != "0" && s != "-0"
	}
	return false
}

// relabelled is what MiMo's own provider says, with its codes in words.
func relabelled(e jsontext.Value) string {
	if e.Kind() != '{' {
		return ""
	}
	message := str(field(e, "message")).S
	switch jsText(field(e, "code")) {
	case "421":
		message = moderation
	case "441":
		message = riskControl
	}
	if message == "" {
		return ""
	}
	if p := str(field(e, "param")).S; p != "" && p != message {
		message += ": " + p
	}
	return js.Trim(message)
}

// frame normalises an error that a stream carried.
func frame(raw string) *Error {
	text, ok := steps.JSJSON(raw)
	v := parse(raw)
	if !ok || v == nil {
		return object(UnknownError, Data{Message: Some(raw)})
	}
	unknown := object(UnknownError, Data{Message: Some(text)})
	if str(field(v, "type")).S != "error" {
		return unknown
	}
	e := field(v, "error")
	code := str(field(e, "code")).S
	if code == "" {
		code = str(field(e, "type")).S
	}
	message := str(field(e, "message")).S
	d := Data{Message: Some(message), Body: Some(text)}
	switch code {
	case "overloaded_error", "server_is_overloaded", "server_error", "stream_read_error":
		d.Retryable = true
		if message == "" {
			d.Message = Some(transient)
		}
	case "context_length_exceeded":
		return object(Overflow, d)
	case "insufficient_quota":
		d.Message = Some(quotaMessage)
	case "usage_not_included":
		d.Message = Some(usageNotInPlan)
	case "invalid_prompt":
	default:
		return unknown
	}
	return object(APIError, d)
}

// overflow matches a message that says the context is too long.
var overflow = func() *regexp.Regexp {
	const n = `[0-9]+`
	patterns := []string{
		`prompt is too long`, `input is too long for requested model`, `exceeds the context window`,
		`input token count.*exceeds the maximum`, `maximum prompt length is ` + n, `reduce the length of the messages`,
		`maximum context length is ` + n + ` tokens`, `exceeds the limit of ` + n, `exceeds the available context size`,
		`greater than the context length`, `context window exceeds limit`, `exceeded model token limit`,
		`context[_ ]length[_ ]exceeded`, `request entity too large`, `context length is only ` + n + ` tokens`,
		`input length.*exceeds.*context length`, `prompt too long; exceeded (?:max )?context length`,
		`too large for model with ` + n + ` maximum context length`, `model_context_window_exceeded`,
		`^4(?:00|13)` + space + `*(?:status code)?` + space + `*\(no body\)`,
	}
	return regexp.MustCompile(strings.Join(patterns, "|"))
}()

// overflowWords are such that every pattern has one of them. Most messages have
// none, and searching for twenty patterns at once is slow.
var overflowWords = []string{"prompt", "context", "input", "limit", "length", "too large", "token", "no body"}

func overflows(message string) bool {
	message = asciiLower(message)
	return slices.ContainsFunc(overflowWords, func(w string) bool { return strings.Contains(message, w) }) &&
		overflow.MatchString(message)
}

// statusText is the standard text of a status, as the client's platform has it.
func statusText(status int) string { return statusTexts[status] }

var statusTexts = map[int]string{
	400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
	405: "Method Not Allowed",
	406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
	411: "Length Required", 412: "Precondition Failed", 413: "Payload Too Large", 414: "URI Too Long",
	415: "Unsupported Media Type",
	416: "Range Not Satisfiable", 417: "Expectation Failed", 418: "I'm a Teapot", 421: "Misdirected Request",
	422: "Unprocessable Entity", 423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
	428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
	451: "Unavailable For Legal Reasons",
	500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
	504: "Gateway Timeout",
	505: "HTTP Version Not Supported", 506: "Variant Also Negotiates", 507: "Insufficient Storage", 508: "Loop Detected",
	509: "Bandwidth Limit Exceeded", 510: "Not Extended", 511: "Network Authentication Required",
}
