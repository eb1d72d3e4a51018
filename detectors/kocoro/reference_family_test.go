package kocoro_test

func (d *Detector) familyNoProgress(name string) (Verdict, bool) {
	const path = "family_no_progress"
	rev := d.cfg.Preset
	family := ToolFamily(rev, name)
	if family == "" {
		return silent()
	}

	latestTopic, latestSig := "", ""
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if ToolFamily(rev, r.name) != family {
			continue
		}
		if latestTopic == "" {
			latestTopic = r.topicHash
		}
		if latestSig == "" {
			latestSig = r.resultSig
		}
	}

	scopeSameName := rev != March2026 && (family == "browser" || family == "gui")
	familyN, topicN, sigN, named := 0, 0, 0, 0
	for _, r := range d.history {
		if r.name == name {
			named++
		}
		if ToolFamily(rev, r.name) != family {
			continue
		}
		familyN++
		if scopeSameName && r.name != name {
			continue
		}
		if latestTopic != "" && r.topicHash == latestTopic {
			topicN++
		}
		if latestSig != "" && r.resultSig == latestSig {
			sigN++
		}
	}
	progress := max(topicN, sigN)
	collisions := topicN
	if latestTopic != "" && topicN > 0 {
		collisions--
	}

	stopNumbers := []int{progress, familyN}
	if rev == March2026 || family == "web" || family == "search" {
		stopNumbers = []int{familyN, progress}
	}
	if rev == Head && family == "web" {
		if n := d.stableWebTail(); n >= d.cfg.FamilyNoProgressStableWebForce {
			return forceStop(path, "stable_web", n)
		}
	}

	repeatable := IsRepeatableToolName(rev, name)
	if rev != March2026 && repeatable && collisions == 0 {
		if progress >= d.cfg.FamilyNoProgressRepeatableForce {
			return forceStop(path, "force", stopNumbers...)
		}
	} else {
		if progress >= d.cfg.FamilyNoProgressForce {
			return forceStop(path, "force", stopNumbers...)
		}
		if progress >= d.cfg.FamilyNoProgressNudge2 {
			return nudge(path, "nudge2", progress)
		}
		if progress >= d.cfg.FamilyNoProgressNudge {
			return nudge(path, "nudge1", progress)
		}
	}

	if progress != 0 || repeatable || rev != March2026 && family == "search" {
		return silent()
	}
	if named >= d.cfg.FamilyNoProgressFallbackForce {
		return forceStop(path, "fallback", named)
	}
	if named >= d.cfg.FamilyNoProgressFallbackNudge {
		return nudge(path, "fallback", named)
	}
	return silent()
}
