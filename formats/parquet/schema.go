package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// An eventRow is a row of events.parquet as it is written. The order of the
// fields is the order of the columns. A pointer is a column that may be null.
type eventRow struct {
	SessionID     string   `parquet:"session_id,dict,zstd"`
	Seq           int32    `parquet:"seq,plain,zstd"`
	Step          int32    `parquet:"step,plain,zstd"`
	Turn          int32    `parquet:"turn,plain,zstd"`
	CallIndex     *int32   `parquet:"call_index,plain,zstd"`
	Kind          string   `parquet:"kind,dict,zstd"`
	Lane          string   `parquet:"lane,dict,zstd"`
	TS            *int64   `parquet:"ts,timestamp(microsecond),plain,zstd"`
	TSEnd         *int64   `parquet:"ts_end,timestamp(microsecond),plain,zstd"`
	Tool          *string  `parquet:"tool,dict,zstd"`
	ArgsHash      *int64   `parquet:"args_hash,plain,zstd"`
	ResultHash    *int64   `parquet:"result_hash,plain,zstd"`
	NormHash      *int64   `parquet:"result_norm_hash,plain,zstd"`
	TextHash      *int64   `parquet:"text_hash,plain,zstd"`
	ArgsBytes     *int32   `parquet:"args_bytes,plain,zstd"`
	ResultBytes   *int32   `parquet:"result_bytes,plain,zstd"`
	TextBytes     *int32   `parquet:"text_bytes,plain,zstd"`
	ThinkingBytes *int32   `parquet:"reasoning_bytes,plain,zstd"`
	IsError       *bool    `parquet:"is_error,plain,zstd"`
	ErrorInferred bool     `parquet:"error_inferred,plain,zstd"`
	ExitCode      *int32   `parquet:"exit_code,plain,zstd"`
	DurationMS    *int64   `parquet:"duration_ms,plain,zstd"`
	ResultMissing bool     `parquet:"result_missing,plain,zstd"`
	Finish        *string  `parquet:"finish,dict,zstd"`
	TokIn         *int32   `parquet:"tok_in,plain,zstd"`
	TokOut        *int32   `parquet:"tok_out,plain,zstd"`
	TokReasoning  *int32   `parquet:"tok_reasoning,plain,zstd"`
	TokCacheRead  *int32   `parquet:"tok_cache_read,plain,zstd"`
	TokCacheWrite *int32   `parquet:"tok_cache_write,plain,zstd"`
	Cost          *float64 `parquet:"cost_usd,plain,zstd"`
	Attempt       *int32   `parquet:"attempt,plain,zstd"`
	Status        *int32   `parquet:"http_status,plain,zstd"`
	DelayMS       *int64   `parquet:"delay_ms,plain,zstd"`
	RetryAfterMS  *int64   `parquet:"retry_after_ms,plain,zstd"`
	ErrorType     *string  `parquet:"error_type,dict,zstd"`
	Outcome       *string  `parquet:"outcome,dict,zstd"`
	CallID        *string  `parquet:"call_id,plain,zstd"`
	MessageID     *string  `parquet:"message_id,plain,zstd"`
	Args          *string  `parquet:"args,plain,zstd"`
	Result        *string  `parquet:"result,plain,zstd"`
	Text          *string  `parquet:"text,plain,zstd"`
	Reasoning     *string  `parquet:"reasoning,plain,zstd"`
	ErrorText     *string  `parquet:"error_text,plain,zstd"`
	More          *string  `parquet:"more,plain,zstd"`
}

// A sessionRow is a row of sessions.parquet: the columns of Scout (no messages,
// no events), then ours, then more.
type sessionRow struct {
	TranscriptID  string   `parquet:"transcript_id,plain,zstd"`
	SourceType    *string  `parquet:"source_type,dict,zstd"`
	SourceID      *string  `parquet:"source_id,plain,zstd"`
	SourceURI     *string  `parquet:"source_uri,plain,zstd"`
	Date          *string  `parquet:"date,plain,zstd"`
	TaskSet       *string  `parquet:"task_set,dict,zstd"`
	TaskID        *string  `parquet:"task_id,plain,zstd"`
	TaskRepeat    *int64   `parquet:"task_repeat,plain,zstd"`
	Agent         *string  `parquet:"agent,dict,zstd"`
	AgentArgs     *string  `parquet:"agent_args,plain,zstd"`
	Model         *string  `parquet:"model,dict,zstd"`
	ModelOptions  *string  `parquet:"model_options,plain,zstd"`
	Score         *string  `parquet:"score,plain,zstd"`
	Success       *bool    `parquet:"success,plain,zstd"`
	MessageCount  *int64   `parquet:"message_count,plain,zstd"`
	TotalTime     *float64 `parquet:"total_time,plain,zstd"`
	TotalTokens   *int64   `parquet:"total_tokens,plain,zstd"`
	Error         *string  `parquet:"error,plain,zstd"`
	Limit         *string  `parquet:"limit,plain,zstd"`
	Parent        *string  `parquet:"parent_session_id,plain,zstd"`
	AgentVersion  *string  `parquet:"agent_version,dict,zstd"`
	Provider      *string  `parquet:"provider,dict,zstd"`
	Format        *string  `parquet:"format,dict,zstd"`
	FormatVersion *string  `parquet:"format_version,dict,zstd"`
	StartedAt     *int64   `parquet:"started_at,timestamp(microsecond),plain,zstd"`
	EndedAt       *int64   `parquet:"ended_at,timestamp(microsecond),plain,zstd"`
	End           *string  `parquet:"end,dict,zstd"`
	Steps         int32    `parquet:"steps,plain,zstd"`
	Calls         int32    `parquet:"calls,plain,zstd"`
	Errors        int32    `parquet:"errors,plain,zstd"`
	Missing       int32    `parquet:"missing_results,plain,zstd"`
	Attempts      int32    `parquet:"attempts,plain,zstd"`
	Bytes         int64    `parquet:"bytes,plain,zstd"`
	Warnings      *string  `parquet:"warnings,plain,zstd"`
	More          *string  `parquet:"more,plain,zstd"`
}

// version is the one this package reads and writes, in the key-value metadata.
const (
	version    = "1"
	versionKey = "transcript.schema"
)

// schemaOf names the schema of one of the two tables.
func schemaOf(table string) string { return table + " of " + versionKey + " " + version }

// A class is what a column must hold to be read as what it stands for.
type class uint8

const (
	words  class = iota // string
	whole               // int32 or int64
	number              // double or float, or a whole number
	truth               // boolean
	moment              // timestamp of any unit
)

func (c class) String() string {
	return [...]string{"a string", "an integer", "a number", "a boolean", "a timestamp"}[c]
}

// A column is one column that is read. Its place in the list is its name in
// this package.
type column struct {
	name  string
	class class
}

// The columns of events.parquet. All of them must be there; those that are
// never read are named so that a file without them is refused, too.
const (
	cSession = iota
	cSeq
	cStep
	cTurn
	cCallIndex
	cKind
	cLane
	cTS
	cTSEnd
	cTool
	cArgsHash
	cResultHash
	cNormHash
	cTextHash
	cArgsBytes
	cResultBytes
	cTextBytes
	cThinkingBytes
	cIsError
	cInferred
	cExitCode
	cDuration
	cMissing
	cFinish
	cTokIn
	cTokOut
	cTokReasoning
	cTokCacheRead
	cTokCacheWrite
	cCost
	cAttempt
	cStatus
	cDelay
	cRetryAfter
	cErrorType
	cOutcome
	cCallID
	cMessageID
	cArgs
	cResult
	cText
	cReasoning
	cErrorText
	cMore
)

var eventColumns = []column{
	cSession: {"session_id", words}, cSeq: {"seq", whole}, cStep: {"step", whole}, cTurn: {"turn", whole},
	cCallIndex: {"call_index", whole}, cKind: {"kind", words}, cLane: {"lane", words},
	cTS: {"ts", moment}, cTSEnd: {"ts_end", moment}, cTool: {"tool", words},
	cArgsHash: {"args_hash", whole}, cResultHash: {"result_hash", whole},
	cNormHash: {"result_norm_hash", whole}, cTextHash: {"text_hash", whole},
	cArgsBytes: {"args_bytes", whole}, cResultBytes: {"result_bytes", whole},
	cTextBytes: {"text_bytes", whole}, cThinkingBytes: {"reasoning_bytes", whole},
	cIsError: {"is_error", truth}, cInferred: {"error_inferred", truth},
	cExitCode: {"exit_code", whole}, cDuration: {"duration_ms", whole},
	cMissing: {"result_missing", truth}, cFinish: {"finish", words},
	cTokIn: {"tok_in", whole}, cTokOut: {"tok_out", whole}, cTokReasoning: {"tok_reasoning", whole},
	cTokCacheRead: {"tok_cache_read", whole}, cTokCacheWrite: {"tok_cache_write", whole}, cCost: {"cost_usd", number},
	cAttempt: {"attempt", whole}, cStatus: {"http_status", whole},
	cDelay: {"delay_ms", whole}, cRetryAfter: {"retry_after_ms", whole},
	cErrorType: {"error_type", words}, cOutcome: {"outcome", words},
	cCallID: {"call_id", words}, cMessageID: {"message_id", words},
	cArgs: {"args", words}, cResult: {"result", words}, cText: {"text", words}, cReasoning: {"reasoning", words},
	cErrorText: {"error_text", words}, cMore: {"more", words},
}

// The columns of sessions.parquet that are read.
const (
	sID = iota
	sTaskSet
	sTaskID
	sTaskRepeat
	sAgent
	sModel
	sScore
	sSuccess
	sParent
	sAgentVersion
	sFormatVersion
	sStarted
	sEnded
	sEnd
	sWarnings
	sMore
)

var sessionColumns = []column{
	sID: {"transcript_id", words}, sTaskSet: {"task_set", words},
	sTaskID: {"task_id", words}, sTaskRepeat: {"task_repeat", whole},
	sAgent: {"agent", words}, sModel: {"model", words}, sScore: {"score", words}, sSuccess: {"success", truth},
	sParent: {"parent_session_id", words}, sAgentVersion: {"agent_version", words},
	sFormatVersion: {"format_version", words},
	sStarted:       {"started_at", moment}, sEnded: {"ended_at", moment}, sEnd: {"end", words},
	sWarnings: {"warnings", words}, sMore: {"more", words},
}

// A leaf is a column of a file, found and checked.
type leaf struct {
	index  int // among the leaves of the file; -1 if it is not there and may be absent
	col    column
	unit   int64 // of a timestamp: nanoseconds
	levels int   // definition levels: 1 if the column may be null
}

// leaves finds the columns in a file that is meant to be of the given schema.
// What may be absent is absent.
func leaves(root *parquet.Column, schema string, list []column, absent func(i int) bool) ([]leaf, error) {
	out := make([]leaf, len(list))
	for i, want := range list {
		c := root.Column(want.name)
		switch {
		case c == nil && absent != nil && absent(i):
			out[i] = leaf{index: -1, col: want}
			continue
		case c == nil:
			return nil, fmt.Errorf("column %s is missing: %s has it", want.name, schema)
		case !c.Leaf() || c.MaxRepetitionLevel() > 0:
			return nil, fmt.Errorf("column %s is nested: expected %s", want.name, want.class)
		}
		unit, ok := accepts(c.Type(), want.class)
		if !ok {
			return nil, fmt.Errorf("column %s holds %s: expected %s", want.name, typeName(c.Type()), want.class)
		}
		out[i] = leaf{index: c.Index(), col: want, unit: unit, levels: c.MaxDefinitionLevel()}
	}
	return out, nil
}

func accepts(t parquet.Type, want class) (unit int64, ok bool) {
	var logical any
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	kind := t.Kind()
	integer := kind == parquet.Int32 || kind == parquet.Int64
	switch l := logical.(type) {
	case *format.TimestampType:
		if want != moment || kind != parquet.Int64 || l.Unit.Value == nil {
			return 0, false
		}
		return int64(l.Unit.Value.Duration()), true
	case nil:
	case *format.IntType:
		integer = integer && l.IsSigned
	case *format.StringType, *format.JsonType, *format.EnumType:
		return 0, want == words && kind == parquet.ByteArray
	default:
		return 0, false
	}
	switch want {
	case words:
		return 0, kind == parquet.ByteArray
	case whole:
		return 0, integer
	case number:
		return 0, integer || kind == parquet.Double || kind == parquet.Float
	case truth:
		return 0, kind == parquet.Boolean
	}
	return 0, false
}

// typeName is how a type is called in an error.
func typeName(t parquet.Type) string {
	if l := t.LogicalType(); l != nil && l.Value != nil {
		return l.String()
	}
	return t.Kind().String()
}
