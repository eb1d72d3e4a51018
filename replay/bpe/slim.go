//go:build slim

package bpe

func tokens() []Named { return nil }
