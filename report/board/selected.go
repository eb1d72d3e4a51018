package board

import (
	"fmt"

	"groundhog/corpus"
	"groundhog/report"
)

// How sessions were chosen decides which rates mean something. Where one does not, its
// counts stay, because they are facts about these sessions, and what is computed from
// them is a dash.

// Allowed is a cell, or its counts alone.
func Allowed(s corpus.Selection, rate corpus.Rate, detector string, c report.Cell) report.Cell {
	if ok, _ := s.Allows(rate, detector); ok {
		return c
	}
	switch c.Kind {
	case report.KindShare:
		return report.Text(fmt.Sprintf("%d of %d", c.N, c.D))
	case report.KindCount, report.KindText:
		return c
	}
	return report.Null
}

// Selected says how sessions were chosen, if anybody did, and what follows.
func Selected(s corpus.Selection) []string {
	if s.Kind == "" || s.Caveat() == "" {
		return nil
	}
	return []string{fmt.Sprintf("selection %s: %s", s, s.Caveat())}
}

// Unchosen is why no setting is chosen; "" if one may be.
func (b *Board) Unchosen() string {
	for _, rate := range []corpus.Rate{corpus.RateRecall, corpus.RateFalse} {
		if ok, why := b.Selection.Allows(rate, ""); !ok {
			return "none: an objective needs rates of loops and of work, and " + why
		}
	}
	return ""
}
