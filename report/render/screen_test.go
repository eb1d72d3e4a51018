package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"groundhog/report"
)

// screenSample is a screen with all that a screen can have.
func screenSample(rows int) *report.Screen {
	b := report.Block{Columns: report.Cols("what", "WHAT REPEATED", "session", "SESSION", "calls", "CALLS", "who", "WHO SPEAKS"),
		More: "--all"}
	strip := &report.Strip{Marks: []report.StripMark{{Call: 150, Mark: report.Nudge}, {Call: 153, Mark: report.Stop}}}
	for i := range 300 {
		strip.Groups = append(strip.Groups, map[bool]uint16{true: 1}[i >= 150])
	}
	for i := range rows {
		l := b.Add(report.Stop, fmt.Sprintf("cargo autopilot issue ready-%d ×286", i), "cd34cae7", "150–435", "stop 153 kocoro, nudge 152 mimo")
		l.Under = append(l.Under, report.StripCell(strip, "same result each time"), report.Cell{Text: "usually work: 7 of 9 nudges are like this"})
	}
	bars := report.Block{Title: "by limit", Columns: report.Cols("value", "", "loops", "LOOPS STOPPED", "n", "WORK")}
	bars.Add(report.Current, "5", report.Bar(10, 26), 1)
	bars.Add(report.NoMark, "6–8", report.Bar(9, 26), 12)
	return &report.Screen{
		Read:    []string{"102 sessions", "7,228 calls", "claude \x1b[31mstream-json"},
		Answer:  []string{"kocoro-4ec6772 stops 1 session and nudges 9 more; 92 are quiet.", "After that stop the recording went on for 282 calls."},
		Blocks:  []report.Block{b, bars},
		Remarks: []string{"Quiet: 8 of 10 kocoro paths. Not applicable: chunk_timeout.", "Left out: nothing."},
		Next:    []report.Next{{Command: "groundhog review cd34cae7", Why: "what happened, and why others were quiet"}, {Command: "groundhog replay … --details", Why: "every path"}},
	}
}

func screenText(t *testing.T, s *report.Screen, style Style) string {
	t.Helper()
	var out bytes.Buffer
	if err := Screen(&out, "replay", s, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A screen keeps to 24 lines and to the width, whatever the width, and loses no word of
// a row that it shows; what it does not show it counts.
func TestScreenFits(t *testing.T) {
	for _, rows := range []int{1, 3, 40} {
		for width := 40; width <= 200; width++ {
			for _, style := range []Style{{Width: width}, {Width: width, ASCII: true, Bold: true}} {
				text := screenText(t, screenSample(rows), style)
				lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
				if len(lines) > screenLines && width >= screenWidth {
					t.Errorf("%d rows at %d columns: %d lines", rows, width, len(lines))
				}
				for _, l := range lines {
					if twwidth.Width(l) > width {
						t.Errorf("%d columns: a line of %d: %q", width, twwidth.Width(l), l)
					}
				}
				flat := strings.Join(strings.Fields(text), " ")
				for _, want := range []string{"cd34cae7", "150–435", "ready-0", "same result each time", "Left out: nothing.", "10/26"} {
					if style.Bold {
						continue // colours stand between words
					}
					if !strings.Contains(flat, want) {
						t.Errorf("%d rows at %d columns: no %q in\n%s", rows, width, want, text)
					}
				}
				if shown := strings.Count(text, "150–435"); shown < rows && !strings.Contains(text, fmt.Sprintf("%d more", rows-shown)) {
					t.Errorf("%d columns: %d of %d rows, and nothing says so:\n%s", width, shown, rows, text)
				}
				if strings.Contains(text, "\x1b[31mstream") {
					t.Error("an escape sequence of a transcript came through")
				}
			}
		}
	}
}

// A command to copy is whole, and stands there only where somebody can type it.
func TestScreenNext(t *testing.T) {
	if text := screenText(t, screenSample(1), Style{Width: 80}); strings.Contains(text, "next:") {
		t.Errorf("next without a terminal:\n%s", text)
	}
	text := screenText(t, screenSample(1), Style{Width: 80, Next: true})
	for _, want := range []string{"\nnext: groundhog review cd34cae7     what happened, and why others were quiet\n", "\n      groundhog replay … --details  every path\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A strip shows the largest groups, and a fire above the column of its call.
func TestStrip(t *testing.T) {
	p := &screenPrinter{}
	for _, test := range []struct {
		groups string
		marks  []report.StripMark
		width  int
		want   string
	}{
		{"000", nil, 10, "···"},
		{"0112233333", nil, 10, "·▒▒░░▓▓▓▓▓"},
		{"0000111111", []report.StripMark{{Call: 5, Mark: report.Nudge}, {Call: 6, Mark: report.Stop}}, 10, "     ▲■\n····▓▓▓▓▓▓"},
		{"0000111111", []report.StripMark{{Call: 6, Mark: report.Nudge}, {Call: 7, Mark: report.Stop}}, 5, "   ■\n··▓▓▓"},
		{"", nil, 10, ""},
	} {
		s := &report.Strip{Marks: test.marks}
		for _, g := range test.groups {
			s.Groups = append(s.Groups, uint16(g-'0'))
		}
		if got := strings.Join(p.strip(s, test.width), "\n"); got != test.want {
			t.Errorf("strip of %s in %d columns:\n%s\nwant\n%s", test.groups, test.width, got, test.want)
		}
	}
}
