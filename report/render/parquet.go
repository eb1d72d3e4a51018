package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"groundhog/detectors"
	"groundhog/replay"
)

// A fireRow is a fire line as a row of fires.parquet: the same names, flat.
type fireRow struct {
	Session   string   `parquet:"session,dict"`
	Preset    string   `parquet:"preset,dict"`
	View      string   `parquet:"view,dict"`
	Detector  string   `parquet:"detector,dict"`
	Verdict   string   `parquet:"verdict,dict"`
	Delivered string   `parquet:"delivered,dict"`
	Run       int32    `parquet:"run"`
	Step      int32    `parquet:"step"`
	Call      int32    `parquet:"call"`
	Phase     string   `parquet:"phase,dict"`
	Part      *int32   `parquet:"part,optional"`   // of a fire in the stream
	Offset    *int64   `parquet:"offset,optional"` // of a fire in the stream
	Deltas    string   `parquet:"deltas,dict"`     // recorded, or how they were made up; "" outside the stream
	Reason    string   `parquet:"reason,dict"`
	Evidence  string   `parquet:"evidence"` // JSON
	Masked    []string `parquet:"masked,list"`
	Open      bool     `parquet:"open"`
	Tier      string   `parquet:"tier,dict"`
	Text      string   `parquet:"text"`

	// Of a fire in the stream; null where nothing is known.
	Earliest     *int64  `parquet:"jitter_earliest,optional"` // bytes into the part
	EarliestPart *int32  `parquet:"jitter_earliest_part,optional"`
	Latest       *int64  `parquet:"jitter_latest,optional"`
	LatestPart   *int32  `parquet:"jitter_latest_part,optional"`
	Sensitive    *bool   `parquet:"chunk_sensitive,optional"`
	Token        *int64  `parquet:"jitter_token,optional"` // null: silent under it
	Word         *int64  `parquet:"jitter_word,optional"`
	Char         *int64  `parquet:"jitter_char,optional"`
	SavedChars   *int64  `parquet:"saved_chars,optional"`
	SavedTokens  *int64  `parquet:"saved_tokens,optional"`
	SavedBy      *string `parquet:"saved_tokens_by,optional"`
	SavedMillis  *int64  `parquet:"saved_ms,optional"`
}

// fireRowsPerGroup bounds what is held while writing.
const fireRowsPerGroup = 100_000

// newParquetFires writes fires as Parquet, zstd, in bounded row groups.
func newParquetFires(w io.Writer) *parquet.GenericWriter[fireRow] {
	return parquet.NewGenericWriter[fireRow](w,
		parquet.Compression(&zstd.Codec{}),
		parquet.MaxRowsPerRowGroup(fireRowsPerGroup),
		parquet.CreatedBy("groundhog", "1", ""),
		parquet.KeyValueMetadata("fires.schema", "2"),
	)
}

func (f *Fires) row(session, preset string, view replay.View, d *detectors.Fire, fire *replay.Fire,
	winner bool) fireRow {
	row := fireRow{
		Session: session, Preset: preset, View: string(view), Detector: d.Detector, Verdict: d.Verdict.String(),
		Run: d.Pos.Run, Step: d.Pos.Step, Call: d.Pos.Call, Phase: string(d.Phase), Reason: d.Reason,
		Open: fire.Open, Tier: string(fire.Tier), Text: d.Text,
	}
	if d.Phase == detectors.InStream {
		part, offset := int32(d.Part), int64(d.Offset)
		row.Part, row.Offset, row.Deltas = &part, &offset, f.deltas(view, d, fire)
		row.besides(fire, winner)
	}
	if winner {
		row.Masked = fire.Masked
		if fire.Delivered > detectors.Continue && view != replay.OtherSplit {
			row.Delivered = fire.Delivered.String()
		}
	}
	var evidence []string
	for _, e := range d.Evidence {
		evidence = append(evidence, fmt.Sprintf("%q:%d", e.Name, e.Value))
	}
	row.Evidence = "{" + strings.Join(evidence, ",") + "}"
	return row
}
