package retry

import (
	"slices"
	"strings"
)

// networkCodes are the codes of a failure below HTTP.
var networkCodes = []string{
	"ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH", "EPIPE", "ENETDOWN", "ENETUNREACH",
	"EAI_AGAIN", "ETIMEDOUT", "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT",
	"UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_ABORTED", "UND_ERR_SOCKET",
}

// How far a chain of causes is followed.
const (
	chainDepth  = 8
	chainLength = 16
)

// chain lists an error and its causes, breadth first. An object stands alone:
// what its data says does not belong to the chain.
func chain(e *Error) []*Error {
	if !e.Thrown {
		return []*Error{e}
	}
	type at struct {
		e     *Error
		depth int
	}
	queue := []at{{e, 0}}
	var list []*Error
	for len(queue) > 0 && len(list) < chainLength {
		next := queue[0]
		queue = queue[1:]
		list = append(list, next.e)
		if next.depth == chainDepth {
			continue
		}
		for _, c := range next.e.Causes {
			queue = append(queue, at{c, next.depth + 1})
		}
	}
	return list
}

// isAbort reports whether the error says that somebody cancelled the request.
func (e *Error) isAbort() bool {
	return e.named(abortError) && !(e.Code.OK && e.Code.S == abortedSocket) || e.Code.OK && e.Code.S == abortCode
}

func aborted(list []*Error) bool { return slices.ContainsFunc(list, (*Error).isAbort) }

// isNetwork reports whether a chain shows a failure below HTTP.
func isNetwork(list []*Error, head bool) bool {
	return !aborted(list) && slices.ContainsFunc(list, func(e *Error) bool {
		return e.Code.OK && networkCode(e.Code.S, head) || e.Message.OK && networkMessage(e.Message.S)
	})
}

// networkCode reports whether a code is a network's. The newest version knows
// one more.
func networkCode(code string, head bool) bool {
	return slices.Contains(networkCodes, code) || head && code == "ENOTFOUND"
}

// networkMessage reports whether a text is what a network error says, in any
// ASCII case.
func networkMessage(s string) bool {
	s = asciiLower(s)
	if s == "fetch failed" || s == sseTimeoutLower {
		return true
	}
	end := strings.TrimSuffix(s, " by server")
	for _, how := range []string{"aborted", "closed", "refused", "reset"} {
		if strings.HasSuffix(end, "connection "+how) || strings.HasSuffix(s, "connection "+how) {
			return true
		}
	}
	for _, part := range []string{"network connection", "network error", "response body terminated",
		"response body closed", "socket hang up"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// asciiLower lowers A to Z and nothing else, as a pattern without the Unicode
// flag compares.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
