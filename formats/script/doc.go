// Package script reads and writes .session files: transcripts that a person
// can type. They are the test language of the detectors, the form of the demo
// corpus, and an input format like any other.
//
// # Grammar
//
// A file is a sequence of lines. A line holds one statement; blank lines and
// lines that begin with # are comments. Indentation means one thing only: an
// indented statement belongs to the step statement above it. A file may hold
// several sessions; each begins with a session statement (the first may leave
// it out, and is then named by a digest of its lines).
//
// Head of a session, all optional, before anything else:
//
//	session ID
//	label YAML            a label of a corpus as a YAML or JSON flow mapping on one line:
//	                      label {class: loop, reviewed: full, source: synthetic,
//	                      spans: [{run: 0, onset: 2, ideal_stop_after: 3, end: 9}]}
//	agent NAME [VERSION]
//	model NAME
//	time RFC3339          when the session began
//
// Body:
//
//	user TEXT             a message from a person: begins a run
//	inject TEXT           text the harness slipped in: begins nothing
//	system TEXT           a system prompt
//	compact [TEXT]        earlier steps leave the model's context
//	lane NAME             what follows belongs to sub-agent NAME; "lane main" goes back
//	call TOOL [ARGS] [-> RESULT] [xN]     a step with this one call
//	say TEXT              a step with only text
//	step [xN]             a step; its parts are the indented lines that follow
//	end WORD              completed, error, limit, aborted, truncated. Nothing follows it
//	                      but another session
//
// Inside a step, indented, in stream order:
//
//	think TEXT
//	text TEXT
//	delta [at=DURATION] think|text|args TEXT
//	                             one recorded delta, and when it came, counted from the begin
//	                             of the step; consecutive ones of a kind form one part. An args
//	                             delta belongs to the next call
//	call TOOL [ARGS] [-> RESULT] [xN]     calls of one step are parallel
//	attempt STATUS [TYPE] ["TEXT"] [wait=DURATION] [retry-after=DURATION] [code=NAME] [scope=NAME] [phase=PHASE]
//	                             a failed request before the step; STATUS is 0 if there was
//	                             no HTTP response. PHASE is request, stream (the answer had
//	                             begun) or after-call (a tool call had arrived)
//	finish WORD           stop, tool_calls, length, content_filter, refusal, error, aborted,
//	                      pause, unknown. Left out, it is tool_calls for a step with calls,
//	                      stop for one with other parts, and unknown for an empty one
//	usage in=N out=N [reasoning=N] [cache-read=N] [cache-write=N]
//	id NAME               the provider's message id
//	model NAME            the model that answered, if it is not that of the head
//	synthetic             the client made this step, not the model
//
// TEXT is a JSON string, or the rest of the line as it stands; text that begins
// with a quote must be a JSON string. IDs, NAMEs and TOOLs are single words, or
// JSON strings where they have blanks in them. ARGS is a JSON value, or raw"…"
// for arguments that are not JSON, where the quotes hold a JSON string with the
// exact bytes. Without ARGS, the arguments are {}.
//
// RESULT is one of
//
//	ok ["TEXT"]           success
//	error ["TEXT"]        failure
//	denied ["TEXT"]       refused before it ran
//	"TEXT"                a result without an error flag
//	missing               no result was recorded (also what no "->" means)
//
// followed by options in any order: exit=N, took=DURATION, signals={…} with the
// keys of the canonical JSONL (result_sig, outcome_sig, read_only,
// trusts_progress, non_actionable). A DURATION is written 250ms, 1.5s, 2m30s.
//
// xN repeats the statement N times. In a repeated statement {{n}} stands for
// the number of the repetition, from 1; elsewhere it is plain text. A repeated
// step has its lines repeated with it, and {{n}} in them is the number of the
// step, unless the line is a call with an xN of its own.
//
// A # after a blank begins a comment at the end of a line. In TEXT without
// quotes it is text, except for " # want ", and in a label it belongs to YAML.
//
// # Expectations
//
// A comment at the end of a call, say or step line may say what a test wants:
//
//	# want [@N] VERDICT DETECTOR ["REGEXP"]
//
// VERDICT is annotate, nudge, block or force_stop; DETECTOR a detector's name,
// with or without its family; REGEXP matches the explanation; @N names the
// repetition, and is 1 if left out. Where a repeated call stands in a repeated
// step, repetitions are counted through. Several expectations are separated by
// semicolons. A want is for the reader of tests; it is no part of the session.
//
// # Example
//
//	session poll-build
//	label {class: productive, reviewed: full, source: synthetic}
//	user "wait for the build"
//	call bash {"command":"make status"} -> ok "running 10%"
//	call bash {"command":"make status"} -> ok "running 60%"
//	call bash {"command":"make status"} -> ok "done"        # want nudge consecutive_duplicate "3 .* row"
//	step
//	  text "The build is done."
//	  finish stop
package script
