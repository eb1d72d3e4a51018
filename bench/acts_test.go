package bench

import (
	"fmt"
	"strings"

	"groundhog/formats/record"
)

// This file says which calls are made: ordinary ones by weight, and the six ways in which
// a session gets stuck. Tools have the names of one agent in every shape. Arguments have
// their keys in the order in which models write them, which is not sorted.

// ordinary is one call of a session that makes progress.
func (a *author) ordinary() act {
	do := a.plain()
	if a.oneIn(failEvery) {
		do.failed = true
		do.result = "Error: " + do.result
	}
	return do
}

// plain is an ordinary call before it may fail.
func (a *author) plain() act {
	switch n := a.IntN(100); {
	case n < 34:
		return act{tool: "Bash", args: a.command(), result: a.output()}
	case n < 58:
		return act{tool: "Read", args: a.read(), result: a.output()}
	case n < 76:
		return act{tool: "Edit", args: a.edit(), result: a.output()}
	case n < 86:
		return act{tool: "Grep", args: a.grep(), result: a.output()}
	case n < 90:
		return act{tool: "Glob", args: object("pattern", "**/*"+a.word()+"*"), result: a.output()}
	case n < 94:
		args := object("file_path", a.file(), "content", a.code(4*editMedian))
		return act{tool: "Write", args: args, result: a.output()}
	case n < 96:
		return act{tool: "WebSearch", args: object("query", a.words(4)), result: a.hits()}
	case n < 98:
		args := object("url", a.session.text.url(a.Rand), "prompt", a.words(6))
		return act{tool: "WebFetch", args: args, result: a.output()}
	default:
		return act{tool: "mcp__tracker__get_issue", args: object("id", fmt.Sprint(a.IntN(900))), result: a.output()}
	}
}

// stretch begins one of the ways to be stuck. The function gives call i of it, from 0.
func (a *author) stretch() func(i int) act {
	switch a.IntN(6) {
	case 0: // the same command, failing in the same way
		args := a.command()
		return func(int) act {
			return act{tool: "Bash", args: args, result: "Exit code 1\n" + a.output(), failed: true}
		}
	case 1: // polling
		args := object("command", "curl -s localhost:8080/"+a.word(), "description", "Check whether it is up")
		return func(int) act { return act{tool: "Bash", args: args, result: a.output()} }
	case 2: // one edit after the other that does not apply
		return func(int) act {
			args := a.edit()
			text := "<tool_use_error>String to replace not found in file.\nString: " + a.output() + "</tool_use_error>"
			return act{tool: "Edit", args: args, result: text, failed: true}
		}
	case 3: // searching for what is not there
		return func(int) act { return act{tool: "Grep", args: a.grep(), result: "no matches found"} }
	case 4: // asking the web for the same in other words
		topic := a.words(3)
		filler := []string{"latest", "today", "news", "2026", "update"}
		return func(i int) act {
			query := filler[i%len(filler)] + " " + topic
			return act{tool: "WebSearch", args: object("query", query), result: a.hits()}
		}
	default: // read, edit, test, and again
		calls := []act{
			{tool: "Read", args: a.read()}, {tool: "Edit", args: a.edit()},
			{tool: "Bash", args: a.command(), failed: true},
		}
		return func(i int) act {
			do := calls[i%len(calls)]
			do.result = a.output()
			return do
		}
	}
}

func (a *author) command() string {
	run := fmt.Sprintf("go test ./%s/... -run 'Test%s' 2>&1 | tail -%d",
		a.word(), strings.ToUpper(a.word()), 10+a.IntN(50))
	return object("command", run, "description", "Run the tests of "+a.word())
}

func (a *author) read() string {
	if a.oneIn(2) {
		return object("file_path", a.file())
	}
	return fmt.Sprintf(`{"file_path":%s,"offset":%d,"limit":%d}`, quote(a.file()), 1+a.IntN(2000), 50+a.IntN(200))
}

func (a *author) edit() string {
	return object("file_path", a.file(), "old_string", a.code(editMedian), "new_string", a.code(editMedian))
}

func (a *author) grep() string {
	return object("pattern", a.word()+`\.`+a.word()+`\(`, "path", a.file(), "output_mode", "content")
}

// hits are the pages that a search on the web finds.
func (a *author) hits() string {
	var out strings.Builder
	for range 3 {
		fmt.Fprintf(&out, "%s\n%s\n\n", a.session.text.url(a.Rand), a.say(resultMedian/4))
	}
	return out.String()
}

func (a *author) code(median float64) string {
	return a.session.text.lines(a.Rand, a.size(median, editSigma))
}

func (a *author) file() string { return a.files[a.IntN(len(a.files))] }
func (a *author) word() string { return pick(a.Rand, nouns) }

func (a *author) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = a.word()
	}
	return strings.Join(list, " ")
}

// object is a JSON object of strings, given as names and values in turn.
func object(pairs ...string) string {
	out := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(record.AppendQuote(out, pairs[i]), ':')
		out = record.AppendQuote(out, pairs[i+1])
	}
	return string(append(out, '}'))
}

func quote(s string) string { return string(record.AppendQuote(nil, s)) }
