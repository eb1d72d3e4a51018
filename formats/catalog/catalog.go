// Package catalog lists the formats this build knows. The list is a value: a
// build of one's own passes another.
package catalog

import (
	"slices"

	"groundhog/formats"
	"groundhog/formats/claudecode"
	"groundhog/formats/native"
	"groundhog/formats/openai"
	"groundhog/formats/parquet"
	"groundhog/formats/script"
	"groundhog/formats/stream"
	"groundhog/formats/streamjson"
	"groundhog/formats/taubench"
	"groundhog/formats/unread"
)

// All lists the formats that are read, then those that are only recognised.
var All = slices.Concat([]*formats.Format{
	native.Format,
	claudecode.Format,
	openai.Format,
	script.Format,
	taubench.Format,
	parquet.Format,
	streamjson.Format,
	stream.OpenAI,
	stream.Anthropic,
	stream.Responses,
	stream.Cassette,
}, unread.List)
