package kocoro_test

import (
	"slices"
	"strings"
)

// Every path answers with a verdict, or with false if it has nothing to say.

func nudge(path, variant string, numbers ...int) (Verdict, bool) {
	return Verdict{"nudge", path, variant, numbers}, true
}

func forceStop(path, variant string, numbers ...int) (Verdict, bool) {
	return Verdict{"force_stop", path, variant, numbers}, true
}

func silent() (Verdict, bool) { return Verdict{}, false }

func (d *Detector) emptyThink(name string) (Verdict, bool) {
	if d.cfg.Preset == March2026 || name != "think" {
		return silent()
	}
	n := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		if !d.history[i].emptyThink {
			break
		}
		n++
	}
	if n >= d.cfg.EmptyThinkForce {
		return forceStop("empty_think", "")
	}
	return silent()
}

func (d *Detector) toolModeSwitch(name string) (Verdict, bool) {
	rev := d.cfg.Preset
	if isVisual(rev, name) && d.lastNonGUIOK && !d.modeNudged && IsGUIToolName(rev, d.lastNonGUITool) {
		d.modeNudged = true
		return nudge("tool_mode_switch", "")
	}
	return silent()
}

func (d *Detector) successAfterError(name string) (Verdict, bool) {
	if isVisual(d.cfg.Preset, name) && d.recentRecovery {
		d.recentRecovery = false
		return nudge("success_after_error", "")
	}
	return silent()
}

// newestHash is the args hash of the newest record of a tool.
func (d *Detector) newestHash(name string) string {
	for i := len(d.history) - 1; i >= 0; i-- {
		if d.history[i].name == name {
			return d.history[i].argsHash
		}
	}
	return ""
}

// run counts the identical calls at the tail.
func (d *Detector) run(name string) (n, errors, validation int) {
	h := d.newestHash(name)
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if r.name != name || r.argsHash != h {
			break
		}
		n++
		if r.isError {
			errors++
			if strings.HasPrefix(r.errorSig, "[validation error]") {
				validation++
			}
		}
	}
	return n, errors, validation
}

func (d *Detector) validationError(name string) (Verdict, bool) {
	rev := d.cfg.Preset
	if rev == March2026 || rev == PreSleepRemoval || isDupExempt(rev, name) {
		return silent()
	}
	n, _, validation := d.run(name)
	if validation >= d.cfg.ValidationErrorForce && validation == n {
		return forceStop("validation_error", "", n)
	}
	return silent()
}

func (d *Detector) consecutiveDuplicate(name string) (Verdict, bool) {
	if isDupExempt(d.cfg.Preset, name) {
		return silent()
	}
	n, errors, _ := d.run(name)
	if n == 0 {
		return silent()
	}
	limit := d.cfg.ConsecutiveDuplicateNudge
	if d.cfg.Preset != March2026 {
		newest := d.history[len(d.history)-1]
		if !newest.isError && errors > 0 {
			return silent()
		}
		if d.cfg.Preset == Head && newest.readOnly && errors == 0 {
			return d.consecutiveRead(name)
		}
		if errors == n {
			limit *= d.cfg.ConsecutiveDuplicateErrorFactor
		}
	}
	if n >= limit+d.cfg.ConsecutiveDuplicateForceOver {
		return forceStop("consecutive_duplicate", "", n)
	}
	if n >= limit {
		return nudge("consecutive_duplicate", "", n)
	}
	return silent()
}

// exactRecovered reports whether the call is the first success after errors with the same args,
// whatever ran between.
func (d *Detector) exactRecovered(name string) bool {
	h := d.newestHash(name)
	newest := d.history[len(d.history)-1]
	if newest.name != name || newest.argsHash != h || newest.isError {
		return false
	}
	saw := false
	for i := len(d.history) - 2; i >= 0; i-- {
		r := d.history[i]
		if r.name != name || r.argsHash != h {
			continue
		}
		if !r.isError {
			return saw
		}
		saw = true
	}
	return saw
}

func (d *Detector) exactDuplicate(name string) (Verdict, bool) {
	if isDupExempt(d.cfg.Preset, name) || isWindowDupExempt(d.cfg.Preset, name) {
		return silent()
	}
	h := d.newestHash(name)
	n, errors := 0, 0
	for _, r := range d.history {
		if r.name == name && r.argsHash == h {
			n++
			if r.isError {
				errors++
			}
		}
	}
	limit := d.cfg.ExactDuplicateNudge
	if d.cfg.Preset != March2026 {
		if d.exactRecovered(name) {
			return silent()
		}
		if n > 0 && errors == n {
			limit *= d.cfg.ExactDuplicateErrorFactor
		}
	}
	read := d.cfg.Preset == Head && errors == 0 && d.history[len(d.history)-1].readOnly
	if read {
		n = d.sameOutcomes(name)
	}
	if n >= limit*d.cfg.ExactDuplicateForceFactor {
		return forceStop("exact_duplicate", "", n)
	}
	if read {
		// A run is consecutive_duplicate's, which nudges once as well.
		if run, _, _ := d.run(name); n == limit && run < n {
			return nudge("exact_duplicate", "", n)
		}
		return silent()
	}
	if n >= limit {
		return nudge("exact_duplicate", "", n)
	}
	return silent()
}

func (d *Detector) sameToolError(name string) (Verdict, bool) {
	n := 0
	for _, r := range d.history {
		if r.name == name && r.isError {
			n++
		}
	}
	if n >= d.cfg.SameToolErrorNudge*d.cfg.SameToolErrorForceFactor {
		return forceStop("same_tool_error", "", n)
	}
	if n >= d.cfg.SameToolErrorNudge {
		return nudge("same_tool_error", "", n)
	}
	return silent()
}

func (d *Detector) searchEscalation(name string) (Verdict, bool) {
	rev := d.cfg.Preset
	if ToolFamily(rev, name) != "search" {
		return silent()
	}
	streak := 0
	for i := len(d.history) - 1; i >= 0; i-- {
		r := d.history[i]
		if ToolFamily(rev, r.name) != "search" {
			break
		}
		if rev != March2026 && !r.nonActionable {
			break
		}
		streak++
	}
	if streak >= d.cfg.SearchEscalationForce {
		return forceStop("search_escalation", "", streak)
	}
	if streak >= d.cfg.SearchEscalationNudge {
		return nudge("search_escalation", "", streak)
	}
	return silent()
}

func (d *Detector) noProgress(name string) (Verdict, bool) {
	rev := d.cfg.Preset
	if IsRepeatableToolName(rev, name) {
		return silent()
	}
	if rev != March2026 && ToolFamily(rev, name) == "search" {
		return silent()
	}
	count := 0
	var unique []string
	for _, r := range d.history {
		if r.name == name {
			count++
			if !slices.Contains(unique, r.argsHash) {
				unique = append(unique, r.argsHash)
			}
		}
	}
	limit := d.cfg.NoProgressNudge
	if isSemiRepeatable(rev, name) {
		limit = d.cfg.NoProgressBashNudge
	}
	if rev != March2026 && slices.Contains(d.batchTolerant, name) &&
		100*len(unique) >= d.cfg.NoProgressUniquePercent*count {
		return silent()
	}
	if rev == Head && count >= limit && d.strictProgress(name) {
		return silent()
	}
	if count >= limit*d.cfg.NoProgressForceFactor {
		return forceStop("no_progress", "", count)
	}
	if count >= limit {
		return nudge("no_progress", "", count)
	}
	return silent()
}

// sleep looks at the window and not at the call, whatever tool is checked.
func (d *Detector) sleep(string) (Verdict, bool) {
	if d.cfg.Preset != March2026 && d.cfg.Preset != PreSleepRemoval {
		return silent()
	}
	n := 0
	for _, r := range d.history {
		if r.sleep {
			n++
		}
	}
	if n >= d.cfg.SleepForce {
		return forceStop("sleep", "", n)
	}
	if n >= d.cfg.SleepNudge {
		return nudge("sleep", "", n)
	}
	return silent()
}
