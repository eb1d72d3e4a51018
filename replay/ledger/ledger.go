// Package ledger writes to a file what was measured, so that limits can be swept,
// presets compared and detectors justified without the transcripts.
//
// A ledger is one flat Parquet table with a row for each session, each beginning of a
// run, each response, each reminder of a detector that was live while the session was
// recorded, and each measurement of a meter. It holds numbers, session ids, and what a
// recording says about a session as a whole (agent, model, task, reward). It holds no
// text of a session: no arguments, no results, no names of tools or sub-agents. Labels
// are not in it; they stay in their files.
//
// # What it answers
//
// A measurement is sufficient for its limits (package detectors). So a ledger answers
// for all limits, orders and choices of the detectors that were measured, in production
// and alone, as a replay of the transcripts would. It refuses the rest, and says which
// setting is in the way:
//
//   - a detector that was not measured, or was measured in another shape;
//   - limits below those that a meter with a floor looked for. Only
//     mimo/text_ngram_repeat has a floor: it counts no periods and no copies below what
//     its plan asked about, and leaves out whole texts that could not reach it. So a
//     ledger that is to be swept is made under the lowest n and threshold. (Although
//     mimo/chunk_timeout dismisses texts, nothing is lost: times are never made up.)
//   - another configuration of a preset whose vetoes change what its detectors see
//     (kocoro.admission=true). The limits of a closed rule (mimo/thinking_streak) are
//     part of its shape.
//
// Texts without recorded deltas were split when the ledger was made; the header names
// the splitter. Counts of deltas are those of that replay.
//
// # Layout
//
// Column row says what a row is: session, run, step, measure or reminder. The rows of a
// session are contiguous; its session row comes first, and the measurements of a
// response follow its step row in the order of events. The numbers of a measurement
// stand in the columns m_NAME of their detector. The key-value metadata has
// ledger.schema, and ledger.header (JSON) with presets, meters, splitter and the digest
// of the corpus (native.CorpusDigest).
package ledger

import (
	"groundhog/detectors"
	"groundhog/formats/parquet"
)

// The key-value metadata, and the schema that this package reads and writes.
const (
	schema    = "1"
	schemaKey = "ledger.schema"
	headerKey = "ledger.header"
)

// tool is the version of what measures. It grows when a published detector measures
// something else under the same settings, or a reader makes other steps of the same
// file. Older ledgers must then be made anew.
const tool = "1"

// A header is what is known about a ledger as a whole.
type header struct {
	Tool     string   `json:"tool"`
	Splitter string   `json:"splitter"`
	Presets  []preset `json:"presets"`
	Meters   []meter  `json:"meters"`
	Sessions int      `json:"sessions"`
	LeftOut  int      `json:"left_out"`
	Corpus   string   `json:"corpus_sha256"`
}

// A preset is one configuration the ledger was made under.
type preset struct {
	Name string             `json:"name"`
	Set  detectors.Settings `json:"set,omitempty"`
}

// A meter says what measured: a replay.Meter without its place in the plan.
type meter struct {
	Detector string             `json:"detector"`
	Measures []string           `json:"measures"`
	Shape    detectors.Settings `json:"shape,omitempty"`
	// Limits are the limits for which its floor was made; none if it has no floor.
	Limits []detectors.Settings `json:"limits,omitempty"`
	Closed string               `json:"closed,omitempty"`
}

// The values of the column row.
const (
	rowSession  = "session"
	rowRun      = "run"
	rowStep     = "step"
	rowMeasure  = "measure"
	rowReminder = "reminder"
)

// The fixed columns. Those of the measures follow them.
const (
	cSession = iota
	cRow
	cLane
	cContext
	cRun
	cStep
	cCall
	cLine
	cCalls
	cTokIn
	cTokOut
	cTokReasoning
	cTokCacheRead
	cTokCacheWrite
	cCost
	cTS
	cMeter
	cDetector
	cPhase
	cDelta
	cPart
	cOffset
	cRecorded
	cContent
	cRows
	cFormat
	cFormatVersion
	cAgent
	cAgentVersion
	cModel
	cParent
	cTaskSet
	cTask
	cTrial
	cReward
	cSuccess
	cExitStatus
	cEnd
	cStarted
	cEnded
	cInputs
	cErrors
	cInferred
	cMissing
	cNotRun
	cAttempts
	cDeltasRecorded
	cDeltasMade
	cContextSteps
	cBadRecords
	fixedColumns
)

var columns = [fixedColumns]parquet.Column{
	cSession:       {Name: "session", Class: parquet.Words},
	cRow:           {Name: "row", Class: parquet.Words},
	cLane:          {Name: "lane", Class: parquet.Whole},
	cContext:       {Name: "context", Class: parquet.Truth},
	cRun:           {Name: "run", Class: parquet.Whole},
	cStep:          {Name: "step", Class: parquet.Whole},
	cCall:          {Name: "call", Class: parquet.Whole},
	cLine:          {Name: "line", Class: parquet.Whole},
	cCalls:         {Name: "calls", Class: parquet.Whole},
	cTokIn:         {Name: "tok_in", Class: parquet.Whole},
	cTokOut:        {Name: "tok_out", Class: parquet.Whole},
	cTokReasoning:  {Name: "tok_reasoning", Class: parquet.Whole},
	cTokCacheRead:  {Name: "tok_cache_read", Class: parquet.Whole},
	cTokCacheWrite: {Name: "tok_cache_write", Class: parquet.Whole},
	cCost:          {Name: "cost_usd", Class: parquet.Number},
	cTS:            {Name: "ts", Class: parquet.Moment},
	cMeter:         {Name: "meter", Class: parquet.Whole},
	cDetector:      {Name: "detector", Class: parquet.Words},
	cPhase:         {Name: "phase", Class: parquet.Words},
	cDelta:         {Name: "delta", Class: parquet.Whole},
	cPart:          {Name: "part", Class: parquet.Whole},
	cOffset:        {Name: "offset", Class: parquet.Whole},
	cRecorded:      {Name: "recorded", Class: parquet.Truth},

	// Of a session.
	cContent:        {Name: "content_sha256", Class: parquet.Words},
	cRows:           {Name: "rows", Class: parquet.Whole},
	cFormat:         {Name: "format", Class: parquet.Words},
	cFormatVersion:  {Name: "format_version", Class: parquet.Words},
	cAgent:          {Name: "agent", Class: parquet.Words},
	cAgentVersion:   {Name: "agent_version", Class: parquet.Words},
	cModel:          {Name: "model", Class: parquet.Words},
	cParent:         {Name: "parent", Class: parquet.Words},
	cTaskSet:        {Name: "task_set", Class: parquet.Words},
	cTask:           {Name: "task_id", Class: parquet.Words},
	cTrial:          {Name: "trial", Class: parquet.Words},
	cReward:         {Name: "reward", Class: parquet.Number},
	cSuccess:        {Name: "success", Class: parquet.Truth},
	cExitStatus:     {Name: "exit_status", Class: parquet.Words},
	cEnd:            {Name: "end", Class: parquet.Words},
	cStarted:        {Name: "started_at", Class: parquet.Moment},
	cEnded:          {Name: "ended_at", Class: parquet.Moment},
	cInputs:         {Name: "inputs", Class: parquet.Whole},
	cErrors:         {Name: "errors", Class: parquet.Whole},
	cInferred:       {Name: "errors_inferred", Class: parquet.Whole},
	cMissing:        {Name: "missing_results", Class: parquet.Whole},
	cNotRun:         {Name: "not_run", Class: parquet.Whole},
	cAttempts:       {Name: "attempts", Class: parquet.Whole},
	cDeltasRecorded: {Name: "deltas_recorded", Class: parquet.Whole},
	cDeltasMade:     {Name: "deltas_made", Class: parquet.Whole},
	cContextSteps:   {Name: "context_steps", Class: parquet.Whole},
	cBadRecords:     {Name: "bad_records", Class: parquet.Whole},
}

// measureColumns names the columns of the numbers that the meters give, each once, and
// says for each meter which columns are its own.
func measureColumns(meters []meter) (names []string, places [][]int) {
	column := make(map[string]int)
	for _, m := range meters {
		var own []int
		for _, name := range m.Measures {
			if _, ok := column[name]; !ok {
				column[name] = fixedColumns + len(names)
				names = append(names, "m_"+name)
			}
			own = append(own, column[name])
		}
		places = append(places, own)
	}
	return names, places
}
