package native

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/formats"
	"groundhog/replay/transcript"
)

// The lines as they stand on disk. A pointer tells absent from empty.

type stepLine struct {
	T         string        `json:"t"`
	I         int           `json:"i"`
	Kind      string        `json:"kind"`
	Lane      string        `json:"lane"`
	Mid       string        `json:"mid"`
	Model     string        `json:"model"`
	Text      *formats.Text `json:"text"`
	Reasoning *formats.Text `json:"reasoning"`
	Parts     []partLine    `json:"parts"`
	Finish    string        `json:"finish"`
	FinishRaw string        `json:"finish_raw"`
	Usage     *usageLine    `json:"usage"`
	Flags     []string      `json:"flags"`
	TS        timestamp     `json:"ts"`
	TSEnd     timestamp     `json:"ts_end"`
	Calls     []callLine    `json:"calls"`
}

type partLine struct {
	Ch   string       `json:"ch"`
	Text formats.Text `json:"text"`
	Call int          `json:"call"`
}

type usageLine struct {
	In   int64   `json:"in"`
	Out  int64   `json:"out"`
	Rsn  int64   `json:"rsn"`
	CR   int64   `json:"cr"`
	CW   int64   `json:"cw"`
	Cost float64 `json:"cost"`
}

type callLine struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Args     jsontext.Value `json:"args"`
	ArgsRaw  *formats.Text  `json:"args_raw"`
	Provider bool           `json:"provider_executed"`
	State    string         `json:"state"`
	Stopped  bool           `json:"interrupted"`
	Signals  *signalsLine   `json:"signals"`
	TS       timestamp      `json:"ts"`
	resultLine
}

// A resultLine is the outcome of a call, in the step or as a line of its own.
type resultLine struct {
	Result    *formats.Text `json:"result"`
	IsError   *bool         `json:"is_error"`
	Missing   bool          `json:"missing"`
	ErrorText formats.Text  `json:"error_text"`
	ExitCode  *int          `json:"exit_code"`
	Truncated bool          `json:"truncated"`
	DurMS     *float64      `json:"dur_ms"`
	ResultTS  timestamp     `json:"ts_result"`
	Media     []mediaLine   `json:"media"`
}

type mediaLine struct {
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type signalsLine struct {
	ResultSig      formats.Text `json:"result_sig"`
	OutcomeSig     formats.Text `json:"outcome_sig"`
	ReadOnly       bool         `json:"read_only"`
	TrustsProgress bool         `json:"trusts_progress"`
	NonActionable  bool         `json:"non_actionable"`
}

type attemptLine struct {
	I          int            `json:"i"`
	Lane       string         `json:"lane"`
	N          int            `json:"n"`
	Max        int            `json:"max"`
	Status     jsontext.Value `json:"status"`
	Type       string         `json:"error_type"`
	Message    formats.Text   `json:"message"`
	Name       string         `json:"name"`
	Code       string         `json:"code"`
	Cause      jsontext.Value `json:"cause"`
	Errors     jsontext.Value `json:"errors"`
	Error      jsontext.Value `json:"error"`
	Headers    jsontext.Value `json:"headers"`
	Body       formats.Text   `json:"body"`
	RequestID  string         `json:"request_id"`
	Provider   string         `json:"provider"`
	Adapter    string         `json:"adapter"`
	Retryable  *bool          `json:"is_retryable"`
	Scope      string         `json:"scope"`
	DelayMS    *float64       `json:"delay_ms"`
	RetryAfter *float64       `json:"retry_after_ms"`
	Outcome    string         `json:"outcome"`
	Phase      string         `json:"phase"`
	AfterCall  bool           `json:"after_call"`
	TS         timestamp      `json:"ts"`
}

type deltaLine struct {
	I    int          `json:"i"`
	Seq  int          `json:"seq"`
	Ch   string       `json:"ch"`
	Call string       `json:"call_id"`
	Text formats.Text `json:"text"`
	MS   *float64     `json:"ms"`
}

type endLine struct {
	EndedAt timestamp `json:"ended_at"`
	End     string    `json:"end"`
}

var kindWords = map[string]transcript.StepKind{
	"assistant": transcript.Response, "user": transcript.Prompt, "system": transcript.System,
	"compaction": transcript.Compaction, "note": transcript.System,
}

var flagWords = []struct {
	word string
	flag transcript.Flags
}{
	{"synthetic", transcript.Synthetic},
	{"sidechain", transcript.Sidechain},
	{"compacted_away", transcript.CompactedAway},
	{"error_message", transcript.ErrorMessage},
	{"ignored", transcript.Ignored},
	{"error_inferred", transcript.ErrorInferred},
}

var channels = []struct {
	word string
	kind transcript.PartKind
}{
	{"text", transcript.Text},
	{"reasoning", transcript.Thinking},
	{"args", transcript.ToolInput},
}

func channel(word string) (transcript.PartKind, bool) {
	for _, c := range channels {
		if c.word == word {
			return c.kind, true
		}
	}
	return 0, false
}

func channelWord(kind transcript.PartKind) string { return channels[kind].word }

// millis is a duration of so many milliseconds; -1 if it was not recorded.
func millis(ms *float64) time.Duration {
	const most = float64(1<<62) / float64(time.Millisecond)
	if ms == nil || *ms < 0 || *ms > most {
		return -1
	}
	return time.Duration(*ms * float64(time.Millisecond))
}
