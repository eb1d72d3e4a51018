package stat

// A cluster is a group of sessions that are not independent of each other. Here it
// is a Share: how many of its sessions are events. A cluster without sessions, and
// one whose Share has no value, do not count.

// AnyEvent counts the clusters of which some session is an event. Gates use it for
// false-positive rates: a cluster with one false stop counts as stopped.
func AnyEvent(clusters []Share) Share {
	return eventClusters(clusters, func(c Share) bool { return c.N > 0 })
}

// AllEvents counts the clusters of which every session is an event. Gates use it
// for recall: a cluster counts as caught only if all its loops are.
func AllEvents(clusters []Share) Share {
	return eventClusters(clusters, func(c Share) bool { return c.N == c.D })
}

func eventClusters(clusters []Share, isEvent func(Share) bool) (s Share) {
	for _, c := range clusters {
		if _, ok := c.Value(); !ok {
			continue
		}
		s.D++
		if isEvent(c) {
			s.N++
		}
	}
	return s
}
