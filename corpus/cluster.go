package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"groundhog/replay/transcript"
)

// ClusterKeys are the keys by which sessions are grouped into clusters. task_id and
// instance_id are other names of task.
var ClusterKeys = []string{"session", "task", "incident", "label"}

// ParseClusterKey returns one of ClusterKeys, session for "".
func ParseClusterKey(s string) (string, error) {
	switch s {
	case "":
		return "session", nil
	case "task_id", "instance_id":
		return "task", nil
	}
	if !slices.Contains(ClusterKeys, s) {
		return "", fmt.Errorf("cluster key %q: expected one of %s", s, strings.Join(ClusterKeys, ", "))
	}
	return s, nil
}

// ClusterOf names the cluster of a session, the unit that is taken to be independent of
// others: the one its label names, else the one the key gives, else the session itself
// with those that it started. The label may be nil. Names begin with where they come
// from, so that a task is not taken for a session of the same name.
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
