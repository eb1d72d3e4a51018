package claudecode_test

import (
	"testing"

	"groundhog/formats/catalog"
	"groundhog/formats/claudecode"
	"groundhog/formats/formattest"
)

const sample = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-31T07:34:51.681Z","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"c","name":"ls","input":{}}]}}
{"type":"user","uuid":"r1","parentUuid":"a1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"a.go"}]}}
{"type":"assistant","uuid":"a2","parentUuid":"r1","sessionId":"s","message":{"id":"m2","content":[{"type":"text","text":"done"}]}}
`

func TestFound(t *testing.T) { formattest.Found(t, catalog.All, claudecode.Format, sample) }

func TestBroken(t *testing.T) { formattest.Broken(t, claudecode.Format, sample) }
