package script

import (
	_ "embed"
	"strings"
)

//go:embed doc.go
var doc string

// Help is the grammar as plain text: the documentation of this package, so that
// the text exists once.
func Help() string {
	var out strings.Builder
	out.WriteString("The grammar of .session files.\n")
	body := false
	for line := range strings.Lines(doc) {
		line, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		line = strings.TrimPrefix(line, " ")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			body = true
			line = strings.ToUpper(heading)
		}
		if body {
			out.WriteString(strings.Replace(line, "\t", "    ", 1))
		} else if line == "\n" {
			out.WriteString(line)
		}
	}
	return out.String()
}
