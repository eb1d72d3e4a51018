package openai_test

import (
	"testing"

	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/openai"
)

const golden = "testdata/golden.txt"

func TestGolden(t *testing.T) { formattest.Golden(t, openai.Format, golden) }

func FuzzSteps(f *testing.F) { formattest.Fuzz(f, openai.Format, formattest.Inputs(f, golden)...) }

const sample = `{"id":"a","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"a.go"}]}
{"id":"b","messages":[{"role":"user","content":"go on"},{"role":"assistant","content":"done"}]}
{"id":"c","messages":[{"role":"user","content":"thanks"},{"role":"assistant","content":"bye"}]}
`

func TestFound(t *testing.T) { formattest.Found(t, catalog.All, openai.Format, sample) }

func TestBroken(t *testing.T) { formattest.Broken(t, openai.Format, sample) }
