package kocoro

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/replay/transcript"
)

// FamilyNoProgress fires when tools of one family keep asking for the same
// thing or keep getting the same URLs back.
var FamilyNoProgress = detectors.Define(detectors.Rule[tail, familyLimits, familyProgress]{
	Name: "kocoro/family_no_progress",
	Doc: "the same topic, or the same URLs in the results, in one family of tools\n\n" +
		"No progress means: the newest topic of the family, or the newest set of URLs, stands in many records of the " +
		"window. Web and search tools count over the family, browser and GUI tools each for itself; the latter stay " +
		"silent on one page until a higher limit, since every result repeats the page's URL. Without any topic or URL " +
		"it falls back to counting calls. Results of grep that hold one licence URL are hit.",
	Origin: detectors.Origin{
		Incident: "2026-03-02: web loops over \"world news\" with shuffled filler words; 2026-04-22: six clicks on one " +
			"page were nudged (silent below 15), 3/5/7 to 5/8/12",
		Source: source,
	},
	Targets: []string{"same_topic_search", "same_url", "browser_no_progress"},
	New:     newTail,
	Limits:  (*familyLimits).bind,
	OnCall:  (*tail).familyProgress,
	Judge:   familyProgress.judge,
	Reach:   (*tail).reachFamily,
	Case:    caseOfFamily,
	Explain: familyProgress.explain,
	Gauge:   familyProgress.gauge,
})

// familyProgress is what the window says about the family of this call.
type familyProgress struct {
	Progress int  // records with the newest topic or the newest URLs, whichever are more
	Family   int  // records of the family
	Calls    int  // records of this tool
	Page     bool // a browser or visual tool whose topic nothing else shares: only the page repeats
	Fallback bool // nothing to compare, so calls are counted
	Stable   int  // the row of web reads that ends here, all with the same URLs
}

type familyLimits struct{ nudge, nudge2, stop, page, fallbackNudge, fallbackStop, stable int }

func (l *familyLimits) bind(p *detectors.Params) {
	p.Int(&l.nudge, "nudge", 5, 3, 20, "records with the same topic or URLs before a nudge")
	p.Int(&l.nudge2, "nudge2", 8, 3, 20, "the same before a stronger nudge")
	p.Int(&l.stop, "force", 12, 3, 20, "the same before a stop")
	p.Int(&l.page, "repeatable_force", 15, 8, 20, "the same before a stop, where only the page repeats")
	p.Int(&l.fallbackNudge, "fallback_nudge", 8, 5, 16, "calls of one tool without topic or URLs before a nudge")
	p.Int(&l.fallbackStop, "fallback_force", 12, 5, 16, "the same before a stop")
	p.Int(&l.stable, "stable_web_force", 8, 4, 12, "at head: web reads in a row with the same URLs that stop")
}

func (t *tail) familyProgress(*transcript.Call) (familyProgress, bool) {
	r, enough := t.calls.last()
	fam := r.tool.family
	if !enough || fam == noFamily {
		return familyProgress{}, false
	}
	topic, result := t.newest(fam)
	scoped := t.calls.rev.scoped && (fam == browser || fam == gui)
	var m familyProgress
	topics, results := 0, 0
	for i := range t.calls.records {
		o := &t.calls.records[i]
		if o.same(r) {
			m.Calls++
		}
		if o.tool.family != fam {
			continue
		}
		m.Family++
		if scoped && !o.same(r) {
			continue
		}
		if topic != 0 && o.topic == topic {
			topics++
		}
		if result != 0 && o.result == result {
			results++
		}
	}
	m.Progress = max(topics, results)
	m.Page = t.calls.rev.scoped && r.tool.repeatable && topics <= 1
	m.Fallback = m.Progress == 0 && !r.tool.repeatable && !(fam == search && t.calls.rev.unproductive)
	if fam == web && t.calls.rev.outcomes {
		m.Stable = t.calls.stableWeb()
	}
	return m, true
}

// newest is the newest topic and the newest URLs of a family. They may come
// from different records, and from another tool than this one.
func (t *tail) newest(fam toolFamily) (topic, result uint64) {
	for i := len(t.calls.records) - 1; i >= 0 && (topic == 0 || result == 0); i-- {
		o := &t.calls.records[i]
		if o.tool.family != fam {
			continue
		}
		if topic == 0 {
			topic = o.topic
		}
		if result == 0 {
			result = o.result
		}
	}
	return topic, result
}

// What is counted, case by case.
const (
	sharedTopic      = "calls of one family that share a topic or URLs"
	onePage          = "calls that stay on one page"
	nothingToCompare = "calls of one tool without a topic or URL to compare"
	sameURLs         = "web reads in a row that gave the same URLs"
)

// against is what is counted and its limits. Where web reads stay the same, two
// numbers have limits, and that which is nearer to its own counts.
func (m familyProgress) against(l familyLimits) (c detectors.Count, limits detectors.Limits) {
	switch {
	case m.Fallback:
		c = detectors.Count{N: m.Calls, Of: nothingToCompare}
		limits = detectors.Limits{Nudge: l.fallbackNudge, Stop: l.fallbackStop}
	case m.Page:
		c = detectors.Count{N: m.Progress, Of: onePage}
		limits = detectors.Limits{Stop: l.page}
	default:
		c = detectors.Count{N: m.Progress, Of: sharedTopic}
		limits = detectors.Limits{Nudge: min(l.nudge, l.nudge2), Stop: l.stop}
	}
	if m.Stable > 0 {
		row, stop := detectors.Count{N: m.Stable, Of: sameURLs}, detectors.Limits{Stop: l.stable}
		if stop.Verdict(row.N) > detectors.Continue || stop.Gauge(row).Nearer(limits.Gauge(c)) {
			return row, stop
		}
	}
	return c, limits
}

func (m familyProgress) judge(l familyLimits) detectors.Verdict {
	c, limits := m.against(l)
	return limits.Verdict(c.N)
}

func (m familyProgress) gauge(l familyLimits) detectors.Gauge {
	c, limits := m.against(l)
	return limits.Gauge(c)
}

func (m familyProgress) explain(l familyLimits, v detectors.Verdict) (reason, text string) {
	const share = "%d calls of the family share a topic or URLs (nudges %s %d, stops at %d)"
	c, limits := m.against(l)
	switch {
	case c.Of == sameURLs:
		return "stable_web", fmt.Sprintf("%d web reads in a row with the same URLs (stops at %d)", c.N, limits.Stop)
	case c.Of == nothingToCompare:
		return "fallback", fmt.Sprintf("%d calls of this tool without a topic or a URL to compare "+
			"(nudges at %d, stops at %d)", c.N, limits.Nudge, limits.Stop)
	case c.Of == onePage:
		return "force", fmt.Sprintf("%d of %d calls of the family stay on one page (stops at %d)",
			c.N, m.Family, limits.Stop)
	case v == detectors.ForceStop:
		return "force", fmt.Sprintf("%d of %d calls of the family share a topic or URLs (stops at %d)",
			c.N, m.Family, limits.Stop)
	case c.N >= l.nudge2:
		return "nudge2", fmt.Sprintf(share, c.N, "again at", l.nudge2, limits.Stop)
	}
	return "nudge1", fmt.Sprintf(share, c.N, "at", l.nudge, limits.Stop)
}
