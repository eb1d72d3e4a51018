package script_test

import (
	"testing"

	"groundhog/formats/catalog"
	"groundhog/formats/formattest"
	"groundhog/formats/script"
)

const sample = `session s
user hi
call bash {"command":"ls"} -> ok "a.go"
call bash {"command":"go test"} -> error "boom" exit=1
say done
`

func TestFound(t *testing.T) { formattest.Found(t, catalog.All, script.Format, sample) }
