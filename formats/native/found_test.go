package native_test

import (
	"testing"

	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/native"
)

const sample = `{"t":"session","v":1,"sid":"a","agent":"x","started_at":"2026-01-31T07:34:51.681Z"}
{"t":"step","sid":"a","i":0,"kind":"user","text":"fix the test"}
{"t":"step","sid":"a","i":1,"kind":"assistant","text":"Looking.","calls":[{"id":"c1","name":"Bash","args":{"b":1},"result":"ok"}]}
{"t":"delta","sid":"a","i":1,"ch":"text","text":"Looking."}
{"t":"step","sid":"a","i":2,"kind":"assistant","text":"Done."}
{"t":"end","sid":"a","end":"completed"}
`

func TestFound(t *testing.T) { formattest.Found(t, catalog.All, native.Format, sample) }

func TestBroken(t *testing.T) { formattest.Broken(t, native.Format, sample) }
