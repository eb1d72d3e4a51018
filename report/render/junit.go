package render

import (
	"encoding/xml"
	"fmt"
	"io"

	"groundhog/report/gate"
)

// JUnit's XML has five elements that every reader knows. A suite is a rule, a
// case is a session that the rule looked at. A warning is no failure there: it
// is in the output of its case.

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// maxCases is how many cases without a finding a suite has.
const maxCases = 5000

func junit(w io.Writer, r *gate.Result) error {
	out := junitSuites{Name: "groundhog gate"}
	for i := range r.Rulings {
		if ru := &r.Rulings[i]; ru.Status != gate.NotAsked {
			s := suiteOf(r, ru)
			out.Tests, out.Failures, out.Skipped = out.Tests+s.Tests, out.Failures+s.Failures, out.Skipped+s.Skipped
			out.Suites = append(out.Suites, s)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suiteOf(r *gate.Result, ru *gate.Ruling) junitSuite {
	s := junitSuite{Name: ru.Name, Out: Clean(fmt.Sprintf("%s, %s: %s", ru.Level, ru.Status, ru.What))}
	class := "groundhog.gate." + ru.Name
	found := make(map[string]bool)
	for i := range ru.Findings {
		f := &ru.Findings[i]
		name := f.Session
		if name == "" {
			name = ru.Name
		}
		if f.Level != "" {
			name += " (" + f.Level + ")"
		}
		found[f.Session] = true
		c := junitCase{Class: class, Name: Clean(name), File: Clean(f.File)}
		if at := f.At(); at != nil && f.File != "" {
			c.Line = at.Line
		}
		text := findingText(f)
		switch mark := f.Mark(); {
		case mark == "FAIL":
			c.Failure = &junitFailure{Message: text, Type: ru.Name, Text: text}
		case mark == "?":
			c.Skipped = &junitSkipped{"inconclusive: " + text}
		default:
			c.Out = mark + ": " + text
		}
		s.Cases = append(s.Cases, c)
	}
	if len(ru.Findings) == 0 && len(ru.Cases) == 0 { // a rule about numbers
		c := junitCase{Class: class, Name: ru.Name}
		if ru.Status == gate.CannotSay {
			c.Skipped = &junitSkipped{Clean("inconclusive: " + ru.What)}
		}
		s.Cases = append(s.Cases, c)
	}
	for i, id := range ru.Cases {
		if i == maxCases {
			s.Out += fmt.Sprintf("; %d cases without a finding are left out", len(ru.Cases)-maxCases)
			break
		}
		if !found[id] {
			s.Cases = append(s.Cases, junitCase{Class: class, Name: Clean(id)})
		}
	}
	for _, c := range s.Cases {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	return s
}

// findingText is a finding in one line, as annotations and failures have it.
func findingText(f *gate.Finding) string {
	out := f.Text
	if f.Change != "" {
		out = f.Change + ": " + out
	}
	if f.Session != "" {
		out = f.Session + ": " + out
	}
	if f.Why != "" {
		out += " (" + f.Why + ")"
	}
	if e := f.Allowed; e != nil {
		out += fmt.Sprintf("; allowed by %s until %s: %s", e.Owner, e.Expires, e.Reason)
	}
	return Clean(out)
}
