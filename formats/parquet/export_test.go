package parquet

// For tests that write tables of another shape.
type (
	EventRow   = eventRow
	SessionRow = sessionRow
)

// Normalise is what result_norm_hash is taken of.
func Normalise(s string) string { return string(normalise(nil, s)) }

// ArgsHash is the column of that name.
func ArgsHash(args string) int64 { return new(hasher).args(args) }
