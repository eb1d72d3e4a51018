package kocoro

import (
	"slices"
	"strings"
)

// resultSignature is the set of URLs in a result, which is what Kocoro takes
// for its content: sorted, without queries and fragments, joined by commas
// It is empty if there is no URL.
func resultSignature(text string) string {
	var urls []string
	for {
		at, scheme := nextURL(text)
		if at < 0 {
			break
		}
		text = text[at:]
		end := strings.IndexFunc(text[scheme:], endsURL)
		if end < 0 {
			end = len(text) - scheme
		}
		if end == 0 {
			text = text[scheme:]
			continue
		}
		url := text[:scheme+end]
		text = text[scheme+end:]
		url, _, _ = strings.Cut(url, "?")
		url, _, _ = strings.Cut(url, "#")
		urls = append(urls, strings.ToLower(strings.TrimRight(url, ".,;:!)")))
	}
	slices.Sort(urls)
	return strings.Join(slices.Compact(urls), ",")
}

// nextURL finds the next scheme in text and its length.
func nextURL(text string) (at, scheme int) {
	from := 0
	for {
		i := strings.Index(text[from:], "http")
		if i < 0 {
			return -1, 0
		}
		from += i
		for _, s := range [...]string{"http://", "https://"} {
			if strings.HasPrefix(text[from:], s) {
				return from, len(s)
			}
		}
		from += len("http")
	}
}

func endsURL(r rune) bool {
	return strings.ContainsRune("\t\n\f\r \"'<>])},", r)
}

const binaryMatch = "Binary file "

// isFruitless reports whether a search found nothing to act on.
func isFruitless(text string, isError, foreign bool) bool {
	if isError || text == "no matches found" || text == "no files matched" || foreign && noResultTexts[text] {
		return true
	}
	if strings.HasPrefix(text, binaryMatch) && !strings.Contains(text, "\n") {
		return true
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !strings.HasPrefix(line, binaryMatch) {
			return false
		}
	}
	return true
}
