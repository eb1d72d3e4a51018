package stat

// Clusters of sessions that are not independent of each other, each as a Share:
// events of sessions (E9.2). A cluster without sessions, or with a Share that
// is none, does not count.

// AnyEvent counts the clusters of which some session is an event: what gates
// take for a false-positive rate.
func AnyEvent(clusters []Share) Share {
	return eventClusters(clusters, func(c Share) bool { return c.N > 0 })
}

// AllEvents counts the clusters of which every session is an event: what gates
// take for recall.
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

// DesignEffect is 1 + (m̄-1)ρ̂, with m̄ the mean number of sessions of a cluster
// and ρ̂ their correlation inside it (E9.2). The method does not name the
// estimator; this is the usual one, from the analysis of variance, cut at 0, so
// that clusters which happen to differ too little never make an interval look
// better than that of independent sessions. It is undefined for fewer than two
// clusters, and where every cluster is one session or every session alike.
func DesignEffect(clusters []Share) (float64, bool) {
	var m, n, events, squares, within float64
	for _, c := range clusters {
		if _, ok := c.Value(); ok {
			x, d := float64(c.N), float64(c.D)
			m, n, events, squares = m+1, n+d, events+x, squares+d*d
			within += x * (d - x) / d
		}
	}
	if m < 2 || n == m || events == 0 || events == n {
		return 0, false
	}
	between := 0.0
	for _, c := range clusters {
		if p, ok := c.Value(); ok {
			between += float64(c.D) * (p - events/n) * (p - events/n)
		}
	}
	between /= m - 1
	within /= n - m
	size := (n - squares/n) / (m - 1) // of a cluster, allowing for unequal ones
	whole := between + (size-1)*within
	if whole <= 0 {
		return 0, false
	}
	rho := min(1, max(0, (between-within)/whole))
	return defined(1 + (n/m-1)*rho)
}
