package steps

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// position reads an id such as m0007.
func position(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(id, "m"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func positions(t *testing.T, ids []string) []int {
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = position(t, id)
	}
	return list
}

type jsonMessage struct {
	Info  struct{ ID, Role, Finish string }
	Parts []jsonPart
}

func messagesOf(t *testing.T, list []jsonMessage) []message {
	messages := make([]message, len(list))
	for i, m := range list {
		messages[i] = message{at: position(t, m.Info.ID), user: m.Info.Role == "user", finished: m.Info.Finish != "", parts: partsOf(m.Parts)}
		for _, p := range m.Parts {
			if o := p.Metadata.Origin; o.Kind == "loop_streak_crop" && m.Info.Role == "user" {
				messages[i].crops = append(messages[i].crops, span{from: position(t, o.FromID), to: position(t, o.ToID), key: o.Key})
			}
		}
	}
	return messages
}

func positionsIn(messages []message) []int {
	list := make([]int, len(messages))
	for i, m := range messages {
		list[i] = m.at
	}
	return list
}

type jsonSpan struct {
	FromID, ToID string
	AnchorID     *string
	Key          string
	Length       int
	Truncated    bool
}

func (s *jsonSpan) span(t *testing.T) *span {
	if s == nil {
		return nil
	}
	sp := &span{from: position(t, s.FromID), to: position(t, s.ToID), anchor: -1, key: s.Key, length: s.Length, truncated: s.Truncated}
	if s.AnchorID != nil {
		sp.anchor = position(t, *s.AnchorID)
	}
	return sp
}

func TestGoldenStreak(t *testing.T) {
	golden(t, "mimo-streak", map[string]func(*testing.T, []byte){
		"streak_key": func(t *testing.T, raw []byte) {
			var r struct {
				Parts     []jsonPart
				Key       string
				Signature *string
			}
			decodeJSON(t, raw, &r)
			key, byTools := StreakKey(partsOf(r.Parts))
			equal(t, "key", key, r.Key)
			equal(t, "by tools", byTools, strings.HasPrefix(r.Key, "tool:"))
			signature, ok := Signature(partsOf(r.Parts))
			equal(t, "has a signature", ok, r.Signature != nil)
			if r.Signature != nil {
				equal(t, "signature", signature, *r.Signature)
			}
		},
		"streak_detect": func(t *testing.T, raw []byte) {
			var r struct {
				Entries      []struct{ ID, Key string }
				TriggerCount int `json:"trigger_count"`
				MaxSpan      int `json:"max_span"`
				Span         *jsonSpan
			}
			decodeJSON(t, raw, &r)
			// The state machine sees the same keys as reasoning, after a user's message.
			machine := ThinkingStreak{Trigger: r.TriggerCount, MaxSpan: r.MaxSpan}
			machine.User(nil)
			var list []entry
			for i, e := range r.Entries {
				equal(t, "id", position(t, e.ID), i)
				list = append(list, entry{at: i, key: e.Key})
				machine.Step(true, []Part{{Kind: Reasoning, Text: e.Key}})
			}
			want := r.Span.span(t)
			equal(t, "literal", detect(list, r.TriggerCount, r.MaxSpan), want)
			c := machine.Request()
			if slices.ContainsFunc(list, func(e entry) bool { return e.key == "" }) {
				return // a session passes over it, and does not ask
			}
			equal(t, "made", c.Made, want != nil)
			if want != nil {
				anchor := -1
				if want.anchor >= 0 {
					anchor = want.anchor + 1
				}
				equal(t, "crop", []any{c.From, c.To, c.Anchor, c.Steps, c.Truncated},
					[]any{want.from + 1, want.to + 1, anchor, want.length, want.truncated})
			}
		},
		"streak_crop": func(t *testing.T, raw []byte) {
			var r struct {
				KeyEqual                         bool `json:"key_equal"`
				Messages                         []jsonMessage
				Span                             *jsonSpan
				Kept, Omitted                    []string
				RemainingSimilar                 int
				OmittedMessages, OmittedParts    int
				OmittedBlocks, KeptBlocks, Other int
				CacheRisk                        bool
			}
			decodeJSON(t, raw, &r)
			kept, omitted, c := crop(messagesOf(t, r.Messages), *r.Span.span(t), r.KeyEqual)
			equal(t, "kept", positionsIn(kept), positions(t, r.Kept))
			equal(t, "omitted", positionsIn(omitted), positions(t, r.Omitted))
			parts := 0
			for _, m := range omitted {
				parts += len(m.parts)
			}
			equal(t, "numbers", []any{c.RemainingSimilar, c.Steps, parts, c.OmittedBlocks, c.KeptBlocks, c.CacheRisk},
				[]any{r.RemainingSimilar, r.OmittedMessages, r.OmittedParts, r.OmittedBlocks, r.KeptBlocks, r.CacheRisk})
		},
		"streak_apply": func(t *testing.T, raw []byte) {
			var r struct {
				Messages      []jsonMessage
				Crops         []jsonSpan
				Kept, Omitted []string
			}
			decodeJSON(t, raw, &r)
			messages := messagesOf(t, r.Messages)
			equal(t, "crops", len(crops(messages)), len(r.Crops))
			kept, omitted := replay(messages)
			equal(t, "kept", positionsIn(kept), positions(t, r.Kept))
			equal(t, "omitted", positionsIn(omitted), positions(t, r.Omitted))
		},
		"streak_session": streakSession,
		"repeated_action": func(t *testing.T, raw []byte) {
			var r struct {
				Threshold int
				Messages  []jsonMessage
				Repeating bool
			}
			decodeJSON(t, raw, &r)
			var meter RepeatedAction
			messages := messagesOf(t, r.Messages)
			for _, m := range messages {
				if m.user {
					meter.User()
				} else {
					meter.Step(m.finished, m.parts)
				}
			}
			seen, ok := meter.Measure()
			equal(t, "meter", ok && seen.Streak >= r.Threshold, r.Repeating)
			equal(t, "literal", repeats(messages, r.Threshold), r.Repeating)
		},
	})
}

// streakSession compares both the state machine and the literal form.
func streakSession(t *testing.T, raw []byte) {
	var r struct {
		TriggerCount int `json:"trigger_count"`
		MaxSpan      int `json:"max_span"`
		Turns        []struct {
			Role, Finish string
			Parts        []jsonPart
		}
		Requests []struct {
			Before    string
			Reapplied []string
			Trailing  bool `json:"trailing_assistant"`
			Crop      *struct {
				From, To         string
				Anchor           *string
				Omitted          []string
				OmittedBlocks    int  `json:"omitted_blocks"`
				KeptBlocks       int  `json:"kept_blocks"`
				RemainingSimilar int  `json:"remaining_similar"`
				CacheRisk        bool `json:"cache_risk"`
				Truncated        bool
			}
		}
	}
	decodeJSON(t, raw, &r)
	machine := ThinkingStreak{Trigger: r.TriggerCount, MaxSpan: r.MaxSpan}
	literal := literalStreak{trigger: r.TriggerCount, maxSpan: r.MaxSpan}
	requests := r.Requests
	for i, turn := range r.Turns {
		parts := partsOf(turn.Parts)
		if turn.Role == "user" {
			equal(t, "position", machine.User(parts), i)
			literal.user(parts)
			continue
		}
		q := requests[0]
		requests = requests[1:]
		equal(t, "request", position(t, q.Before), i)
		want := Crop{Reapplied: len(q.Reapplied), Continue: q.Trailing}
		if c := q.Crop; c != nil {
			want.Made, want.From, want.To, want.Anchor = true, position(t, c.From), position(t, c.To), -1
			if c.Anchor != nil {
				want.Anchor = position(t, *c.Anchor)
			}
			want.Steps, want.OmittedBlocks, want.KeptBlocks = len(c.Omitted), c.OmittedBlocks, c.KeptBlocks
			want.RemainingSimilar, want.CacheRisk, want.Truncated = c.RemainingSimilar, c.CacheRisk, c.Truncated
		}
		before := slices.Sorted(slices.Values(machine.Omitted()))
		equal(t, "reapplied", append([]int{}, before...), positions(t, q.Reapplied))
		got := machine.Request()
		equal(t, "literal before "+q.Before, literal.request(), got)
		if q.Crop != nil {
			equal(t, "omitted", machine.Omitted()[got.Reapplied:], positions(t, q.Crop.Omitted))
		}
		got.ByTools = false // no record says
		equal(t, "request before "+q.Before, got, want)
		at, _ := machine.Step(turn.Finish != "", parts)
		equal(t, "position", at, i)
		literal.step(turn.Finish != "", parts)
	}
	equal(t, "requests left", len(requests), 0)
}
