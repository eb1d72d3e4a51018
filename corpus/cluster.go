package corpus

import (
	"cmp"
	"fmt"
	"strings"

	"groundhog/replay/transcript"
)

// ClusterKeys are what sessions can be taken together by (E1). task_id and
// instance_id are other names of task.
var ClusterKeys = []string{"session", "task", "incident", "label"}

// ParseClusterKey gives one of ClusterKeys; "" is session.
func ParseClusterKey(s string) (string, error) {
	switch s {
	case "":
		return "session", nil
	case "task_id", "instance_id":
		return "task", nil
	}
	if !one(s, ClusterKeys...) {
		return "", fmt.Errorf("cluster key %q: expected one of %s", s, strings.Join(ClusterKeys, ", "))
	}
	return s, nil
}

// ClusterOf names the cluster of a session, which is the unit that counts as
// independent: what its label says, else what the key finds in it, else the
// session by itself. The label may be nil. Names say where they come from, so
// that a task is not taken for a session of the same name.
//
// A session that another one started is in the cluster of that one.
func ClusterOf(session *transcript.Session, label *Label, key string) string {
	if label != nil && label.Cluster != "" {
		return "label:" + label.Cluster
	}
	switch key {
	case "task":
		if r := session.Recorded; r.Task != "" {
			return "task:" + r.TaskSet + ":" + r.Task
		}
	case "incident":
		if label == nil {
			break
		}
		for _, s := range label.Spans {
			if s.Incident != "" {
				return "incident:" + s.Incident
			}
		}
	}
	return "session:" + cmp.Or(session.Parent, session.ID)
}
