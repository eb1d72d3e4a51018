package report

import (
	"fmt"

	"groundhog/corpus"
	"groundhog/detectors"
)

// How sessions were chosen decides which rates mean something (evaluation.md
// E11.4). Where one does not, its counts stay, because they are facts about
// these sessions, and what is computed from them is a dash.

// allowed is a cell, or its counts alone.
func allowed(s corpus.Selection, rate corpus.Rate, detector string, c Cell) Cell {
	if ok, _ := s.Allows(rate, detector); ok {
		return c
	}
	switch c.Kind {
	case Share:
		return text(fmt.Sprintf("%d of %d", c.N, c.D))
	case Count, Text:
		return c
	}
	return null
}

// show is a measure's cell, as far as the sessions carry it.
func (m *measure) show(b *Board, point int, level detectors.Verdict, t *corpus.Totals) Cell {
	return allowed(b.Selection, m.rate, "", m.cell(b, point, level, t))
}

// selected says how sessions were chosen, if anybody did, and what follows.
func selected(s corpus.Selection) []string {
	if s.Kind == "" || s.Caveat() == "" {
		return nil
	}
	return []string{fmt.Sprintf("selection %s: %s", s, s.Caveat())}
}

// unchosen is why no setting is chosen; "" if one may be.
func (b *Board) unchosen() string {
	for _, rate := range []corpus.Rate{corpus.RateRecall, corpus.RateFalse} {
		if ok, why := b.Selection.Allows(rate, ""); !ok {
			return "none: an objective needs rates of loops and of work, and " + why
		}
	}
	return ""
}
