package record

import "bytes"

// A wordCache keeps texts that come again. It is as small as a processor's
// cache likes it: a text that shares its place with another is copied anew.
type wordCache [256]string

// longestWord is the longest text that is worth keeping.
const longestWord = 64

// word is the text of a string.
func (c *wordCache) word(v Value) string {
	body := v[1 : len(v)-1]
	n := len(body)
	if n == 0 {
		return ""
	}
	if n > longestWord || bytes.IndexByte(body, '\\') >= 0 {
		return Unquote(v)
	}
	h := uint(n)*7 + uint(body[0])*31 + uint(body[n/2])*131 + uint(body[n-1])*17
	kept := &c[h%uint(len(c))]
	if *kept != string(body) {
		*kept = string(body)
	}
	return *kept
}
