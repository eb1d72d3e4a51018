package openai

import (
	"slices"
	"strings"
	"time"

	"groundhog/formats/record"
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

// headerNames are the other members that set has a use for.
var headerNames = []string{
	"model", "timestamp", "created_at", "task_id", "instance_id", "task_set", "dataset", "trial",
	"reward", "success", "resolved", "exit_status",
}

// headerFields take in the members beside the messages.
func headerFields() (list []record.Field[object]) {
	for _, name := range slices.Concat(idNames, headerNames) {
		set := func(o *object, v record.Value) { o.set(name, v) }
		list = append(list, record.Func(name, set).Only('"', '0', 't', 'f'))
	}
	return list
}

// set takes in one member. What is already known stays, so the members of the
// record itself must come before those of its metadata.
func (h *header) set(name string, v record.Value) {
	switch name {
	case "model":
		if h.model == "" {
			h.model = v.Text()
		}
	case "timestamp", "created_at":
		if h.started.IsZero() {
			h.started = v.Time()
		}
	case "task_id", "instance_id":
		keepFirst(&h.rec.Task, v)
	case "task_set", "dataset":
		keepFirst(&h.rec.TaskSet, v)
	case "trial":
		keepFirst(&h.rec.Trial, v)
	case "exit_status":
		keepFirst(&h.rec.ExitStatus, v)
	case "reward":
		if n, ok := v.Number(); ok && h.rec.Reward == nil {
			h.rec.Reward = &n
		}
	case "success", "resolved":
		if k := v.Kind(); (k == 't' || k == 'f') && h.rec.Success == nil {
			yes := k == 't'
			h.rec.Success = &yes
		}
	}
	if r := slices.Index(idNames, name); r >= 0 && (h.id == "" || r < h.rank) {
		// A plain id of digits numbers the rows of a data set, and two data sets
		// would seem to share their sessions.
		if s := v.Text(); s != "" && (name != "id" || strings.Trim(s, "0123456789") != "") {
			h.id, h.rank = s, r
		}
	}
}

// keepFirst keeps what is said first.
func keepFirst(to *string, v record.Value) {
	if *to == "" {
		*to = v.Word()
	}
}

// metadata takes in the members of an object beside the messages. Its "id" is of
// something else.
func (h *header) metadata(v record.Value) {
	id := h.id
	for name, v := range v.Members() {
		if name != "id" {
			h.set(name, v)
		}
	}
	if id != "" {
		h.id = id
	}
}
