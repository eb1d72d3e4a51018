package streamjson_test

import (
	"testing"

	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/streamjson"
)

const golden = "testdata/golden.txt"

func TestGolden(t *testing.T) { formattest.Golden(t, streamjson.Format, golden) }

func FuzzSteps(f *testing.F) { formattest.Fuzz(f, streamjson.Format, formattest.Inputs(f, golden)...) }

const sample = `{"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"user","session_id":"s","message":{"content":"go"}}
{"type":"assistant","session_id":"s","message":{"id":"a","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]}}
{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"a.go"}]}}
{"type":"assistant","session_id":"s","message":{"id":"b","content":[{"type":"text","text":"done"}]}}
{"type":"result","subtype":"success","session_id":"s","num_turns":2}
`

func TestFound(t *testing.T) { formattest.Found(t, catalog.All, streamjson.Format, sample) }

func TestBroken(t *testing.T) { formattest.Broken(t, streamjson.Format, sample) }
