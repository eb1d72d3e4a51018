package render

import (
	"fmt"
	"io"
	"strings"

	"groundhog/report/gate"
)

// maxAnnotations is how many annotations of one level GitHub shows for a step.
const maxAnnotations = 10

// github writes workflow commands, which GitHub turns into annotations. Beyond
// ten of a level the last one says how many more there are.
func github(w io.Writer, r *gate.Result) error {
	var out strings.Builder
	written := map[string]int{}
	left := map[string]int{}
	list := r.Findings()
	total := map[string]int{}
	for _, f := range list {
		total[annotation(r, f)]++
	}
	for _, f := range list {
		kind := annotation(r, f)
		room := maxAnnotations
		if total[kind] > maxAnnotations || kind == headlineKind(r) {
			room--
		}
		if written[kind] >= room {
			left[kind]++
			continue
		}
		written[kind]++
		var props []string
		if f.File != "" && f.File != "-" {
			props = append(props, "file="+property(f.File))
			if at := f.At(); at != nil && at.Line > 0 {
				props = append(props, fmt.Sprintf("line=%d", at.Line))
			}
		}
		props = append(props, "title="+property("groundhog "+f.Rule))
		fmt.Fprintf(&out, "::%s %s::%s\n", kind, strings.Join(props, ","), message(findingText(f)))
	}
	more := ""
	for _, kind := range []string{"error", "warning", "notice"} {
		if left[kind] == 0 {
			continue
		}
		text := fmt.Sprintf("%d more of level %s; %d are shown of each level at most", left[kind], kind, maxAnnotations)
		if kind == headlineKind(r) {
			more = "; " + text
			continue
		}
		fmt.Fprintf(&out, "::%s title=%s::%s\n", kind, property("groundhog gate"), message(text))
	}
	fmt.Fprintf(&out, "::%s title=%s::%s\n", headlineKind(r), property("groundhog gate"),
		message(Clean(r.Headline())+more))
	_, err := io.WriteString(w, out.String())
	return err
}

// headlineKind is the level of the verdict's own annotation.
func headlineKind(r *gate.Result) string {
	if r.Verdict == gate.Pass {
		return "notice"
	}
	return "error"
}

// annotation is the level of a finding at GitHub.
func annotation(r *gate.Result, f *gate.Finding) string {
	switch f.Mark() {
	case "FAIL":
		return "error"
	case "warning":
		return "warning"
	case "?":
		if r.Inconclusive == "fail" {
			return "error"
		}
		return "warning"
	}
	return "notice"
}

// message and property escape what a workflow command gives a meaning to.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(Clean(s))
}
