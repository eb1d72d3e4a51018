package record_test

import (
	"fmt"
	"strings"
	"time"

	"groundhog/formats/record"
)

// A turn is a record of a made-up log: a message, whose content is a text or a
// list of parts, or the result of a call.
type turn struct {
	role   string
	at     time.Time
	parts  []part
	tokens int64
	output record.Value
}

// A part is a piece of a content. A bare text is one, too.
type part struct {
	kind, text string
	tool       string
	args       record.Value // as the model wrote them
}

var partShape = record.NewShape(
	record.String(record.Itself, func(p *part) *string { return &p.text }),
	record.Word("type", func(p *part) *string { return &p.kind }),
	record.String("text", func(p *part) *string { return &p.text }),
	record.Word("name", func(p *part) *string { return &p.tool }),
	record.Raw("input", func(p *part) *record.Value { return &p.args }),
)

var turnShape = record.NewShape(
	record.Word("role", func(t *turn) *string { return &t.role }),
	record.Time("ts", func(t *turn) *time.Time { return &t.at }).Or("timestamp"),
	record.In("message", record.List("content", partShape, func(t *turn) *[]part { return &t.parts })),
	record.In("usage", record.Count("output_tokens", func(t *turn) *int64 { return &t.tokens })),
	record.Text("output", func(t *turn) *record.Value { return &t.output }),
)

func Example() {
	const log = `{"role":"user","ts":"2026-05-01T08:00:00Z","message":{"content":"list the files"}}
{"role":"assistant","timestamp":1777622401,"message":{"content":[{"type":"text","text":"Sure."},{"type":"tool_use","name":"bash","input":{"b": 1, "a":2}}]},"usage":{"output_tokens":12}}
{"role":"tool","output":"a.go\n"}{"role":"tool","output":null}
{"role":"assistant","message":{"conte`

	var r record.Reader
	for line, err := range record.Lines(strings.NewReader(log), int64(len(log)), 1<<20) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for r.Reset(line.Data); r.Next(); {
			var t turn
			if turnShape.Read(&r, &t) != nil {
				break
			}
			fmt.Print(t.role)
			if !t.at.IsZero() {
				fmt.Print(t.at.Format(" 15:04:05"))
			}
			for _, p := range t.parts {
				fmt.Printf(" %q", p.text)
				if p.tool != "" {
					fmt.Printf(" %s %s", p.tool, p.args)
				}
			}
			if t.output != nil {
				fmt.Printf(" %q", t.output.Text())
			}
			fmt.Println()
		}
		if err := r.Err(); err != nil {
			fmt.Printf("line %d: %v\n", line.Num, err)
		}
	}
	// Output:
	// user 08:00:00 "list the files"
	// assistant 08:00:01 "Sure." "" bash {"b": 1, "a":2}
	// tool "a.go\n"
	// tool
	// line 4: the JSON value is cut off
}

// A file that is one object with a long list in it is walked: the elements are
// held one at a time, however long the list is.
func ExampleShape_Walk() {
	type session struct {
		id    string
		turns int
	}
	shape := record.NewShape(
		record.String("id", func(s *session) *string { return &s.id }),
		record.Visit("turns", func(s *session, r *record.Reader) error {
			for range r.Elements() {
				var t turn
				if err := turnShape.Read(r, &t); err != nil {
					return err
				}
				s.turns++
			}
			return r.Err()
		}),
	)
	src := strings.NewReader(`{"turns": [{"role":"user"}, {"role":"assistant"}], "id": "s1"}`)
	var s session
	err := shape.Walk(record.Open(src, record.Place{Line: 1}, 1<<20), &s)
	fmt.Println(s.id, s.turns, err)
	// Output: s1 2 <nil>
}
