package board

import _ "embed"

// Numbers is the text of groundhog help numbers, in Markdown: under a heading of the
// second level for each number that reports print, one paragraph that says what it is.
//
//go:embed numbers.md
var Numbers string
