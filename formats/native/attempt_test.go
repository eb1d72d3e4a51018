package native

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"groundhog/replay/transcript"
)

const attempts = `{"t":"session","v":1,"sid":"a"}
{"t":"step","sid":"a","i":0,"kind":"user","text":"go"}
{"t":"attempt","sid":"a","i":1,"n":1,"status":"408x","headers":{},"outcome":"failed"}
{"t":"attempt","sid":"a","i":2,"n":1,"error":{"name":"APIError","data":{"message":"x"}},"is_retryable":false,"adapter":"azure"}
{"t":"attempt","sid":"a","i":2,"n":2,"cause":{"name":"Error","code":"EPIPE"},"errors":[{"code":"A"}, {"code":"B"}],"phase":"stream","after_call":true}
{"t":"step","sid":"a","i":2,"kind":"assistant","text":"hello"}
{"t":"attempt","sid":"a","i":3,"n":1,"cause":"a text"}
{"t":"step","sid":"a","i":4,"kind":"user","text":"again"}
{"t":"attempt","sid":"a","i":5,"errors":[]}
{"t":"step","sid":"a","i":5,"kind":"assistant","text":"hello"}
{"t":"attempt","sid":"a","i":6,"lane":"sub","status":500}
{"t":"end","sid":"a"}
`

// told is a step's attempts in a line.
func told(s *transcript.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "synthetic=%v lane=%q", s.Has(transcript.Synthetic), s.Lane)
	for _, a := range s.Attempts {
		flag := "?"
		if a.Retryable != nil {
			flag = fmt.Sprint(*a.Retryable)
		}
		fmt.Fprintf(&b, " [%d error=%s cause=%s %s %s headers=%v call=%v]", a.Status, a.Error, a.Cause, flag, a.Adapter, a.Headers != nil, a.AfterCall)
	}
	return b.String()
}

// Attempts belong to the step of their number; where it does not come, or a
// person speaks first, they led to no response.
func TestAttempts(t *testing.T) {
	want := []string{
		`synthetic=true lane="" [408 error= cause= ?  headers=true call=false]`,
		`synthetic=false lane="" [0 error={"name":"APIError","data":{"message":"x"}} cause= false azure headers=false call=false] [0 error= cause=[{"name":"Error","code":"EPIPE"},{"code":"A"}, {"code":"B"}] ?  headers=false call=true]`,
		`synthetic=true lane="" [0 error= cause=a text ?  headers=false call=false]`,
		`synthetic=false lane="" [0 error= cause=[] ?  headers=false call=false]`,
		`synthetic=true lane="sub" [500 error= cause= ?  headers=false call=false]`,
	}
	lines := func(src string) (list []string) {
		sessions, errs := read(t, src)
		if len(errs) > 0 || len(sessions) != 1 || len(sessions[0].Errs) > 0 {
			t.Fatalf("%v %v", errs, sessions)
		}
		for _, s := range sessions[0].Steps {
			if s.Kind == transcript.Response {
				list = append(list, told(s))
			}
		}
		return list
	}
	if diff := cmp.Diff(want, lines(attempts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sessions, _ := read(t, attempts)
	var out bytes.Buffer
	w := newWriter(&out)
	if err := w.Begin(sessions[0].Head); err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions[0].Steps {
		if err := w.Step(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(sessions[0].Head); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, lines(out.String())); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s", diff)
	}
}
