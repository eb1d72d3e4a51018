package openai

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/replay/transcript"
)

// A header is what stands beside the messages of a session.
type header struct {
	id      string
	rank    int // of the name that id came from
	model   string
	started time.Time
	rec     transcript.Recorded
}

// idNames are where a session's id may stand, the most telling first.
var idNames = []string{
	"session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trajectory_id", "traj_id", "id",
}

// wanted reports whether set has a use for a field.
func wanted(name string) bool {
	switch name {
	case "model", "timestamp", "created_at", "task_id", "instance_id", "task_set", "dataset", "trial",
		"reward", "success", "resolved", "exit_status":
		return true
	}
	return rankOf(name) < len(idNames)
}

func rankOf(name string) int {
	for i, n := range idNames {
		if n == name {
			return i
		}
	}
	return len(idNames)
}

// set takes in one field. What is already known stays, so the fields of the
// record itself must come before those of its metadata.
func (h *header) set(name string, v jsontext.Value) {
	switch name {
	case "model":
		if h.model == "" {
			h.model = str(v)
		}
	case "timestamp", "created_at":
		if h.started.IsZero() {
			h.started = when(v)
		}
	case "task_id", "instance_id":
		word(&h.rec.Task, v)
	case "task_set", "dataset":
		word(&h.rec.TaskSet, v)
	case "trial":
		word(&h.rec.Trial, v)
	case "exit_status":
		word(&h.rec.ExitStatus, v)
	case "reward":
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && h.rec.Reward == nil {
			h.rec.Reward = &f
		}
	case "success", "resolved":
		if k := v.Kind(); (k == 't' || k == 'f') && h.rec.Success == nil {
			yes := k == 't'
			h.rec.Success = &yes
		}
	}
	if r := rankOf(name); r < len(idNames) && (h.id == "" || r < h.rank) {
		// A plain id of digits numbers the rows of a data set, and two data sets
		// would seem to share their sessions.
		if s := str(v); s != "" && (name != "id" || strings.Trim(s, "0123456789") != "") {
			h.id, h.rank = s, r
		}
	}
}

// metadata takes in the fields of an object beside the messages. Its "id" is
// of something else.
func (h *header) metadata(object jsontext.Value) {
	id := h.id
	fields(object, func(name string, v jsontext.Value) {
		if name != "id" {
			h.set(name, v)
		}
	})
	if id != "" {
		h.id = id
	}
}

// word keeps a string, or a number as it is written.
func word(to *string, v jsontext.Value) {
	if *to != "" {
		return
	}
	switch v.Kind() {
	case '"':
		*to = str(v)
	case '0':
		*to = string(v)
	}
}

// when reads a time: RFC 3339 with or without a zone, or seconds or
// milliseconds since 1970. Anything else is the zero time.
func when(v jsontext.Value) time.Time {
	switch v.Kind() {
	case '"':
		s := strings.Replace(str(v), " ", "T", 1)
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
			if t, err := time.Parse(layout, s); err == nil {
				return t.UTC()
			}
		}
	case '0':
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil || f <= 0 || f > 1e14 {
			return time.Time{}
		}
		if f >= 1e11 { // as seconds, this is the year 5138
			f /= 1e3
		}
		return time.UnixMicro(int64(math.Round(f * 1e6))).UTC()
	}
	return time.Time{}
}
