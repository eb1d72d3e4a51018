package claudecode

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/replay/transcript"
)

func clock(sec float64) string {
	return fmt.Sprintf(`"timestamp":"2026-01-01T00:00:%06.3fZ"`, sec)
}

// TestTraps holds one small recording for each way in which records are not steps.
func TestTraps(t *testing.T) {
	const agent = `"isSidechain":true,"agentId":"ag"`
	progress := func(uuid, inner string) string {
		return rec("progress", uuid, `"parentToolUseID":"task","data":{"type":"agent_progress","agentId":"ag","message":`+inner+`,"normalizedMessages":[`+inner+`]}`)
	}
	side := func(uuid, parent string) string {
		return `"isSidechain":true,"uuid":"` + uuid + `","parentUuid":"` + parent + `"`
	}
	usage := func(uuid, id, content string, stop, in, out string) string {
		return rec("assistant", uuid, `"message":{"id":"`+id+`","model":"claude-x","stop_reason":`+stop+
			`,"usage":{"input_tokens":`+in+`,"output_tokens":`+out+`,"cache_read_input_tokens":7,"cache_creation_input_tokens":null},"content":[`+content+`]}`)
	}
	tests := []struct{ name, data, want string }{
		{"one message over interleaved records", lines(
			user("u1", `"go"`),
			usage("a1", "m1", `{"type":"thinking","thinking":"hm","signature":"x"}`, "null", "3", "1"),
			usage("a2", "m1", call("c1"), "null", "3", "2"),
			user("r1", result("c1", `"one"`)),
			usage("a3", "m1", call("c2"), `"tool_use"`, "3", "90"),
			user("r2", result("c2", `[{"type":"text","text":"two"},{"type":"text","text":"lines"}]`)),
			usage("a4", "m2", text("done"), `"end_turn"`, "5", "4"),
		), `
1 prompt "go"
2 response id=m1 model=claude-x think "hm" finish=tool_calls(tool_use) usage=3/90/0/7/0
  3 call c1 Bash {"c":"c1"} -> ok "one" @4
  5 call c2 Bash {"c":"c2"} -> ok "two\nlines" @6
7 response id=m2 model=claude-x "done" finish=stop(end_turn) usage=5/4/0/7/0
`},
		{"another message of the lane between two parts", lines(
			said("a1", "m1", text("a")), said("b1", "m2", text("b")), said("a2", "m1", text("c")),
			said("d1", "m3", text("d")), said("b2", "m2", text("e")),
		), `
1 response id=m1 model=claude-x "a" "c"
2 response id=m2 model=claude-x "b" "e"
4 response id=m3 model=claude-x "d"
`},
		{"late parts", lines(
			said("a1", "m1", text("a")), said("b1", "m2", text("b")), said("c1", "m3", text("c")),
			said("a2", "m1", text("lost")), said("a3", "m1", call("k")), user("r", result("k", `"x"`)),
		), `
1 response id=m1 model=claude-x "a"
2 response id=m2 model=claude-x "b"
3 response id=m3 model=claude-x "c"
5 response id=m1 model=claude-x
  5 call k Bash {"c":"k"} -> ok "x" @6
note 4: records of a message that had already ended x2
`},
		{"sub-agent by agentId", lines(
			user("u1", `"go"`), said("a1", "m1", call("task")),
			user("s1", `"sub"`, agent), said("s2", "m2", call("c1"), agent),
			said("a2", "m3", text("meanwhile")),
			user("s3", result("c1", `"in"`), agent), user("r0", result("task", `"out"`)),
		), `
1 prompt "go"
3 prompt @ag +sidechain "sub"
2 response id=m1 model=claude-x
  2 call task Bash {"c":"task"} -> ok "out" @7
5 response id=m3 model=claude-x "meanwhile"
4 response @ag id=m2 +sidechain model=claude-x
  4 call c1 Bash {"c":"c1"} -> ok "in" @6
`},
		{"side chains without agentId", lines(
			rec("user", "", side("w1", "")+`,"message":{"content":"Warmup"}`),
			rec("user", "", side("x1", "gone")+`,"message":{"content":"search"}`),
			rec("assistant", "", side("w2", "w1")+`,"message":{"id":"m1","content":[`+text("ready")+`]}`),
			rec("attachment", "", side("x2", "x1")),
			rec("assistant", "", side("x3", "x2")+`,"message":{"id":"m2","content":[`+text("found")+`]}`),
		), `
1 prompt @w1 +sidechain "Warmup"
2 prompt @x1 +sidechain "search"
3 response @w1 id=m1 +sidechain "ready"
5 response @x1 id=m2 +sidechain "found"
`},
		{"progress nests a sub-agent", lines(
			progress("p1", user("n1", `[`+text("sub")+`]`)),
			progress("p2", said("n2", "m1", call("c1"))),
			progress("p3", said("n2", "m1", call("c1"))),
			said("n4", "m1", call("c1"), agent), // the same in another record
			progress("p4", user("n3", result("c1", `"in"`))),
			user("n3", result("c1", `"in"`), agent),
			user("n5", result("c1", `"in"`), agent),
			rec("progress", "p5", `"data":{"type":"bash_progress","message":{"type":"user","message":{"content":"x"}}}`),
			rec("progress", "p6", `"parentToolUseID":"t2","data":{"type":"agent_progress","message":`+said("n6", "m2", text("two"))+`}`),
		), `
1 prompt @ag +sidechain "sub"
2 response @ag id=m1 +sidechain model=claude-x
  2 call c1 Bash {"c":"c1"} -> ok "in" @5
9 response @t2 id=m2 +sidechain model=claude-x "two"
note 3: records that repeat an earlier one were skipped x4
`},
		{"repeated call ids, orphans, missing results", lines(
			user("r0", result("c", `"early"`)),
			said("a1", "m1", call("c")), user("r1", result("c", `"one"`)),
			said("a2", "m2", call("c")), user("r2", result("c", `"two"`)),
			said("a3", "m3", call("c")), user("r3", result("other", `"x"`)), user("r4", result("c", `"sub"`), agent),
			user("u1", `"next"`), user("r5", result("c", `"after"`)),
		), `
2 response id=m1 model=claude-x
  2 call c Bash {"c":"c"} -> ok "one" @3
4 response id=m2 model=claude-x
  4 call c Bash {"c":"c"} -> ok "two" @5
6 response id=m3 model=claude-x
  6 call c Bash {"c":"c"} -> missing
9 prompt "next"
note 1: results without a recorded call x4
note 6: calls without a recorded result x1
`},
		{"result flags and times", lines(
			said("a1", "m1", call("c1")+","+call("c2")+","+call("c3")+","+call("c4")+","+call("c5")+","+call("c6")+","+call("c7")+","+call("c8"), clock(10)),
			user("r1", result("c1", `"bad","is_error":true`), clock(12.5)),
			user("r2", result("c2", `"fine","is_error":false`), clock(13), `"toolUseResult":{"durationMs":250,"interrupted":true}`),
			user("r3", result("c3", `"The user doesn't want to proceed with this","is_error":true`), clock(9), `"toolUseResult":"Error"`),
			user("r4", result("c4", `null`), `"toolUseResult":[1]`),
			user("r5", result("c5", `"[Request interrupted by user for tool use]","is_error":true`), `"toolUseResult":{"totalDurationMs":-4}`),
			user("r6", result("c6", `"no","is_error":true`), `"toolDenialKind":"user-rejected"`),
			user("r7", result("c7", `"<tool_use_error>Sibling tool call errored</tool_use_error>","is_error":true`)),
			user("r8", result("c8", `"<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>","is_error":true`)),
		), `
1 response id=m1 model=claude-x
  1 call c1 Bash {"c":"c1"} -> error "bad" @2 took=2.5s
  1 call c2 Bash {"c":"c2"} interrupted -> ok "fine" @3 took=250ms
  1 call c3 Bash {"c":"c3"} -> denied "The user doesn't want to proceed with this" @4
  1 call c4 Bash {"c":"c4"} -> ok "" @5
  1 call c5 Bash {"c":"c5"} interrupted -> error "[Request interrupted by user for tool use]" @6
  1 call c6 Bash {"c":"c6"} -> denied "no" @7
  1 call c7 Bash {"c":"c7"} -> cancelled "<tool_use_error>Sibling tool call errored</tool_use_error>" @8
  1 call c8 Bash {"c":"c8"} -> cancelled "<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>" @9
`},
		{"media in a result", lines(
			said("a1", "m1", call("c1")),
			user("r1", result("c1", `[{"type":"text","text":"shot"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+
				base64.StdEncoding.EncodeToString([]byte("hello"))+`"}},{"type":"tool_reference","tool_name":"X"}]`)),
		), `
1 response id=m1 model=claude-x
  1 call c1 Bash {"c":"c1"} -> ok "shot\n{\"type\":\"tool_reference\",\"tool_name\":\"X\"}" [image/png 5 2cf24dba] @2
`},
		{"provider's tools", lines(
			said("a1", "m1", `{"type":"server_tool_use","id":"w1","name":"web_search","input":{"q":1}}`),
			said("a2", "m1", `{"type":"web_search_tool_result","tool_use_id":"w1","content":[{"type":"text","text":"hit"}]}`),
			said("a3", "m1", `{"type":"server_tool_use","id":"w2","name":"web_search","input":{}}`),
			said("a4", "m1", `{"type":"web_search_tool_result","tool_use_id":"w2","content":{"type":"web_search_tool_result_error","error_code":"x"}}`),
		), `
1 response id=m1 model=claude-x
  1 call w1 web_search {"q":1} provider -> ok "hit" @2
  3 call w2 web_search {} provider -> error "{\"type\":\"web_search_tool_result_error\",\"error_code\":\"x\"}" @4
`},
		{"what is no prompt", lines(
			user("u1", `"go"`), said("a1", "m1", text("a")),
			user("u2", `[`+text("skill text")+`]`, `"isMeta":true`),
			user("u3", `"<local-command-stdout>x</local-command-stdout>"`),
			user("u4", `"<command-name>/clear</command-name>"`),
			said("a2", "m2", call("c1")),
			user("u5", `[{"type":"text","text":"beside"},`+result("c1", `"r"`)[1:]),
			rec("queue-operation", "", `"operation":"enqueue","content":"typed"`),
			rec("system", "x1", `"subtype":"compact_boundary","content":"Conversation compacted"`),
			user("u6", `"Summary."`, `"isCompactSummary":true`),
			user("u7", `[{"type":"image","source":{"type":"base64","data":"AAAA"}}]`),
			user("u8", `[`+text("[Request interrupted by user]")+`]`),
			rec("some-new-type", "z", `"message":{"content":"?"}`),
		), `
1 prompt "go"
2 response id=m1 model=claude-x "a"
3 injection +synthetic "skill text"
4 injection +synthetic "<local-command-stdout>x</local-command-stdout>"
5 prompt "<command-name>/clear</command-name>"
6 response id=m2 model=claude-x
  6 call c1 Bash {"c":"c1"} -> ok "r" @7
7 injection "beside"
9 compaction "Conversation compacted"
10 injection +synthetic "Summary."
11 prompt
12 injection +synthetic "[Request interrupted by user]"
end aborted
`},
		{"attempts", lines(
			user("u1", `"go"`),
			rec("system", "e1", `"subtype":"api_error","retryInMs":601.5,"retryAttempt":1,"maxRetries":10,"error":{"message":"Connection error.","connection":{"code":"ECONNRESET","message":"closed"}}`),
			rec("system", "e2", `"subtype":"api_error","retryAttempt":2,"error":{"status":529,"headers":{"x":"y","Retry-After":"3"},"requestID":"q","error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`),
			rec("system", "e3", `"subtype":"api_error","error":{}`),
			said("a1", "m1", text("ok")),
			rec("system", "e4", `"subtype":"api_error","error":"boom","cause":{"code":"X"},"retryInMs":null`),
			user("u2", `"again"`),
			rec("system", "e5", `"subtype":"api_error","error":{"status":"500","type":"t","message":"m","error":{"type":"error","error":5}}`),
			rec("assistant", "a2", `"isApiErrorMessage":true,"message":{"id":"x","model":"<synthetic>","content":[`+text("API Error: 500")+`]}`),
		), `
1 prompt "go"
5 response id=m1 model=claude-x "ok"
  2 attempt 1/10 0 |ECONNRESET|"Connection error." delay=601.5ms outcome=retry
  3 attempt 2/0 529 overloaded_error||"Overloaded" after=3s outcome=retry request=q headers=2
  4 attempt 0/0 0 outcome=retry
6 response +synthetic
  6 attempt 0/0 0 |X|"boom" cause="X" outcome=retry
7 prompt "again"
9 response id=x +synthetic +errmsg model=<synthetic> "API Error: 500"
  8 attempt 0/0 500 t||"m" outcome=retry
end error
`},
		{"fields of odd types", lines(
			`{"type":"user","sessionId":"s1","uuid":5,"parentUuid":[],"isMeta":"yes","timestamp":7,"isSidechain":null,"agentId":{},"message":{"content":["a",{"type":"text","text":"b"},3]}}`,
			`{"type":"assistant","sessionId":"s1","message":{"id":null,"model":3,"usage":[],"stop_reason":{},"content":[{"type":"tool_use","id":9,"name":null}]},"error":null,"retryInMs":"x"}`,
			`{"type":"assistant","sessionId":"s1","message":"gone"}`,
			`{"type":"user","sessionId":"s1","message":{"content":null}}`,
			`{"type":"user","sessionId":"s1","message":{"content":[{"type":"tool_result","content":{"a":1}}]}}`,
		), `
1 prompt "a" "b"
2 response
  2 call invalid -> ok "{\"a\":1}" @5
`},
		{"copied records", lines(
			user("u1", `"go"`), said("a1", "m1", text("a")), user("u1", `"go"`), said("a1", "m1", text("a")),
		), `
1 prompt "go"
2 response id=m1 model=claude-x "a"
note 3: records that repeat an earlier one were skipped x2
`},
		{"glued, blank, CRLF, BOM, no final newline", "\xef\xbb\xbf" +
			user("u1", `"go"`) + said("a1", "m1", text("a")) + "\r\n\r\n" + said("a2", "m2", text("b")), `
1 prompt "go"
1 response id=m1 model=claude-x "a"
3 response id=m2 model=claude-x "b"
`},
		{"cut last line", lines(user("u1", `"go"`)) + said("a1", "m1", text("a"))[:60], `
1 prompt "go"
end truncated
note 2: the last line is cut off x1
`},
		{"broken lines", lines(user("u1", `"go"`), `{"type":"user",`, `17`, said("a1", "m1", text("a"))), `
1 prompt "go"
! f:2: expected a record of Claude Code: the JSON value is cut off
! f:3: expected a record, which is an object; found number
4 response id=m1 model=claude-x "a"
`},
		{"array", "[" + user("u1", `"a ] } \" b"`) + ",\n" + said("a1", "m1", text("x")) + ",\nnull]\n", `
1 prompt "a ] } \" b"
! f:3: expected a record, which is an object; found null
2 response id=m1 model=claude-x "x"
`},
		{"pretty-printed", strings.ReplaceAll(user("u1", `"go"`)+"\n"+said("a1", "m1", text("x")), `,`, ",\n  "), `
1 prompt "go"
7 response id=m1 model=claude-x "x"
`},
		{"cut array", "[" + user("u1", `"go"`) + ",\n" + said("a1", "m1", text("x"))[:50], `
1 prompt "go"
end truncated
note 2: the last line is cut off x1
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := unit(t, test.data)
			first := formattest.DumpUnit(u)
			check(t, first, test.want)
			if again := formattest.DumpUnit(u); again != first {
				t.Errorf("the second reading differs:\n%s", again)
			}
		})
	}
}

func TestExactBytes(t *testing.T) {
	args := `{ "b": 1.0,"a":"\u00e9\ud800" ,"b":2}`
	u := unit(t, lines(
		said("a1", "m1", `{"type":"tool_use","id":"c","name":"T","input":`+args+`},{"type":"text","text":"\ud83d"}`),
		user("r", result("c", `"x\udc00"`))))
	for s := range u.Steps() {
		if c := s.Calls[0]; c.Args != args || c.Result.Text != "x\xed\xb0\x80" || s.Text(transcript.Text) != "\xed\xa0\xbd" {
			t.Errorf("args %q, result %q, text %q", c.Args, c.Result.Text, s.Text(transcript.Text))
		}
	}
	if n := u.Session.Notes; len(n) != 1 || n[0].Text != formats.NoteBadText || n[0].N != 2 {
		t.Errorf("notes %v", n)
	}
}

func TestLongRecords(t *testing.T) {
	big := said("a2", "m2", text(strings.Repeat("x", 2<<20)))
	data := lines(user("u1", `"go"`), said("a1", "m1", text("a")), big, said("a3", "m3", text("b")))
	var sizes []int
	for s := range unit(t, data).Steps() {
		sizes = append(sizes, len(s.Text(transcript.Text)))
	}
	if got := fmt.Sprint(sizes); got != fmt.Sprint([]int{2, 1, 2 << 20, 1}) {
		t.Errorf("a 2 MB line: texts of %s bytes", got)
	}
	for _, data := range []string{data, "[" + strings.ReplaceAll(strings.TrimSpace(data), "\n", ",\n") + "]"} {
		u := units(t, data, formats.Options{MaxRecord: 1 << 20})[0]
		if u.Records != 4 {
			t.Errorf("%d records, want 4", u.Records)
		}
		steps, bad := 0, 0
		for _, err := range u.Steps() {
			var syntax *formats.SyntaxError
			switch {
			case err == nil:
				steps++
			case errors.As(err, &syntax) && syntax.Line == 3 && strings.Contains(syntax.Msg, "--max-record"):
				bad++
			default:
				t.Errorf("unexpected error %v", err)
			}
		}
		if n := u.Session.Notes; steps != 3 || bad != 1 || len(n) != 1 || n[0].Text != formats.NoteLongRecord {
			t.Errorf("over the limit: %d steps, %d errors, notes %v", steps, bad, n)
		}
	}
}
