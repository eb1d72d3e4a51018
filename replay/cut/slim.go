//go:build slim

package cut

func tokens() []Named { return nil }

// Count estimates the tokens of o200k, and says so.
func Count(text string) (tokens int64, by string) { return Estimate(text), "estimate" }
