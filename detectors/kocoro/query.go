package kocoro

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const months = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`

// dates are what two searches for the same thing on two days differ in.
var dates = []*regexp.Regexp{
	regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`),
	regexp.MustCompile(`(?i)\b` + months + `\s+\d{1,2}\s+\d{4}\b`),
	regexp.MustCompile(`(?i)\b\d{1,2}\s+` + months + `\s+\d{4}\b`),
	regexp.MustCompile(`\b20\d{2}\b`),
}

var fillers = names("today", "yesterday", "latest", "recent", "top", "major", "breaking", "headlines", "news",
	"current", "update", "updates")

// emptyQuery stands for a query of nothing but fillers, so that all such
// queries are equal.
const emptyQuery = "[empty]"

// normalizeWebQuery reduces the arguments of a web tool to what is searched
// for: a URL as it is, or the query's words without dates, fillers, case and
// order. It is empty if there is no query.
func normalizeWebQuery(args string) string {
	var obj map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &obj) != nil {
		return ""
	}
	query := ""
	for _, key := range [...]string{"query", "q", "queries", "url", "urls"} {
		if raw, ok := obj[key]; ok {
			query = firstString(raw)
		}
		if query != "" {
			break
		}
	}
	if query == "" || strings.HasPrefix(query, "http://") || strings.HasPrefix(query, "https://") {
		return query
	}
	for _, d := range dates {
		query = d.ReplaceAllString(query, " ")
	}
	var words []string
	for _, w := range strings.Fields(query) {
		w = strings.TrimFunc(w, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
		w = strings.ToLower(w)
		if len(w) >= 2 && !fillers[w] {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return emptyQuery
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// firstString is the string a value holds, or the first of a list, or "".
func firstString(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 && json.Unmarshal(list[0], &s) == nil {
		return s
	}
	return ""
}
