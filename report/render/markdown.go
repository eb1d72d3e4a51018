package render

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/tw"

	"groundhog/report"
)

// Markdown writes a report for a pull request: headings, pipe tables, lists. It
// leaves out no column, since nobody knows how wide the page is.
func Markdown(w io.Writer, r *report.Report) error {
	p := &printer{w: w}
	p.linef("## groundhog %s", markdown(r.Title))
	if len(r.Notes) > 0 {
		p.linef("")
	}
	p.items(r.Notes)
	for i := range r.Sections {
		p.markdownSection(&r.Sections[i])
	}
	return p.err
}

func (p *printer) markdownSection(s *report.Section) {
	p.linef("\n### %s", markdown(s.Title))
	if s.Doc != "" {
		p.linef("\n%s", beginning(markdown(s.Doc)))
	}
	if len(s.Columns) > 0 && len(s.Rows) > 0 {
		p.linef("")
		p.pipes(s)
	}
	if len(s.Lines) > 0 {
		p.linef("")
	}
	p.items(s.Lines)
}

// items is a list with an item for each line.
func (p *printer) items(lines []string) {
	for _, l := range lines {
		p.linef("- %s", beginning(markdown(strings.TrimSpace(l))))
	}
}

// pipes is a section's table. A table without a header line is none to most
// readers of Markdown, so a column without a name has an empty one.
func (p *printer) pipes(s *report.Section) {
	header, rule := "|", "|"
	for i, c := range s.Columns {
		header += " " + markdown(c.Name) + " |"
		if alignment(s, i) == tw.AlignRight {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	p.linef("%s", header)
	p.linef("%s", rule)
	for _, row := range s.Rows {
		line := "|"
		for _, c := range row {
			line += " " + markdown(cellText(c)) + " |"
		}
		p.linef("%s", line)
	}
}

// markdown is text that reads as it stands: what Markdown or HTML would take for
// a sign of its own is escaped. What begins a mention is cut, so that pasting a
// report calls nobody.
func markdown(s string) string {
	s = Clean(s)
	var out strings.Builder
	before := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case strings.ContainsRune("\\`*<>|~$", r), r == '_' && !(isWord(before) && isWord(next)),
			r == ']' && strings.ContainsRune("([:", next): // of a link; an interval is none
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '&':
			out.WriteString("&amp;")
		case r == '@' && isWord(next) && !isWord(before):
			out.WriteString("@<!-- -->")
		default:
			out.WriteRune(r)
		}
		before = r
	}
	return out.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// blockMark is what would make a line a heading, a list, a quote or a rule.
var blockMark = regexp.MustCompile(`^(?:[#+=-]|\[[ xX]\]|[0-9]+[.)](?:\s|$))`)

// beginning is a line that is not taken for more than text.
func beginning(line string) string {
	if m := blockMark.FindString(line); m != "" {
		at := strings.IndexAny(m, "#+=-[.)")
		return fmt.Sprintf(`%s\%s`, line[:at], line[at:])
	}
	return line
}
