package mimo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// The reference is thinking_streak, and cross_step_text_loop beside it, as the
// description has them: a list of messages that is walked again before
// every request, with the crops stored in it. A loop of the agent drives it.

type refMessage struct {
	user, finished bool
	key            string
	byTools        bool
	blocks, step   int // step counts the responses of the lane
	tokens         int64
	tools          bool
	crops          []refCrop // of a message of the user's role
}

type refCrop struct {
	from, to int // places in the list
	key      string
}

// A refLane is the main loop of one agent.
type refLane struct {
	trigger, span int // a trigger of 0: the detector is switched off
	list          []refMessage
	steps         int
	begin         int      // of the list, after a compaction
	texts         []string // the last keys of steps with text, since a reminder
	cropped       bool
	began         bool
	keys          []string // of all crops
	again         int      // steps with one of them
}

// request returns the line of a new crop.
func (l *refLane) request() string {
	l.cropped = false
	newest, user := -1, -1
	for i, m := range l.list {
		if m.user {
			user = i
		} else if m.finished {
			newest = i
		}
	}
	var stored []refCrop
	for _, m := range l.list[l.begin:] {
		stored = append(stored, m.crops...)
	}
	earlier := 0
	var view, counts []int
	for i, m := range l.list {
		out := slices.ContainsFunc(stored, func(c refCrop) bool { return !m.user && i >= c.from && i <= c.to && m.key == c.key })
		if out {
			earlier++
		} else if i >= l.begin {
			view = append(view, i)
			if !m.user && m.finished && m.key != "" {
				counts = append(counts, i)
			}
		}
	}
	if l.trigger < 2 || user < 0 || newest <= user || len(counts) == 0 || counts[len(counts)-1] != newest {
		return ""
	}
	key, row := l.list[newest].key, 0
	for row < len(counts) && l.list[counts[len(counts)-1-row]].key == key {
		row++
	}
	if row < l.trigger {
		return ""
	}
	used := min(row, max(l.span, 1))
	from := counts[len(counts)-used]
	c := crop{Truncated: used < row, FromBack: l.back(from), ToBack: l.back(newest), Earlier: earlier}
	if used < len(counts) {
		c.AnchorBack = l.back(counts[len(counts)-used-1])
	}
	var kept []int
	for _, i := range view {
		m := l.list[i]
		switch {
		case !m.user && i >= from && i <= newest && m.key == key:
			c.Steps++
			c.OmittedBlocks += m.blocks
			if m.tokens < 0 {
				c.TokensUnknown++
			} else {
				c.Tokens += m.tokens
			}
			continue
		case !m.user && i < from && m.key == key:
			c.RemainingSimilar++
		}
		c.KeptBlocks += m.blocks
		kept = append(kept, i)
	}
	c.CacheRisk = c.OmittedBlocks > 20
	if n := len(kept); n > 0 {
		c.Continue = !l.list[kept[n-1]].user && !l.list[kept[n-1]].tools
	}
	c.ByTools, c.Again = l.list[newest].byTools, l.again
	l.keys = append(l.keys, key)
	l.list[user].crops = append(l.list[user].crops, refCrop{from, newest, key})
	l.list[user].blocks++
	l.cropped = true
	return fmt.Sprintf("%+v", c)
}

func (l *refLane) back(i int) int { return l.steps - l.list[i].step + 1 }

func (l *refLane) take(s *transcript.Step) {
	list := parts(s)
	m := refMessage{user: s.Kind != transcript.Response, blocks: steps.Blocks(list)}
	if !m.user {
		l.steps++
		m.finished, m.tokens = finished(s), -1
		m.key, m.byTools = steps.StreakKey(list)
		l.again += bit(m.key != "" && slices.Contains(l.keys, m.key))
		if s.Usage.Known {
			m.tokens = s.Usage.Output
		}
		m.tools = slices.ContainsFunc(s.Calls, func(c transcript.Call) bool { return !c.Provider })
	}
	m.step = l.steps
	l.list = append(l.list, m)
}

// reminds is the list of the last five texts, which a reminder at the third equal
// one empties. A crop in its place leaves the list alone.
func (l *refLane) reminds(list []steps.Part) bool {
	key, ok := steps.TextKey(list, 200)
	if !ok {
		return false
	}
	l.texts = append(l.texts, key)
	l.texts = l.texts[max(0, len(l.texts)-5):]
	if n := len(l.texts); l.cropped || n < 3 || l.texts[n-2] != key || l.texts[n-3] != key {
		return false
	}
	l.texts = nil
	return true
}

// refSays is what the two detectors say of a session: step by step.
func refSays(trigger, span int, list []*transcript.Step) (out []string) {
	lanes := make(map[string]*refLane)
	for i, s := range list {
		l := lanes[s.Lane]
		if l == nil {
			l = &refLane{trigger: trigger, span: span}
			lanes[s.Lane] = l
		}
		switch s.Kind {
		case transcript.System:
		case transcript.Compaction:
			l.begin = len(l.list)
			l.take(s)
		case transcript.Prompt:
			l.texts = nil
			l.began = true
			l.take(s)
		case transcript.Injection:
			l.take(s)
		default:
			if !l.began { // nobody recorded what began it
				l.began = true
				l.take(&transcript.Step{Kind: transcript.Prompt})
			}
			if c := l.request(); c != "" {
				out = append(out, fmt.Sprintf("%d crop %s", i, c))
			}
			if l.reminds(parts(s)) {
				out = append(out, fmt.Sprintf("%d text", i))
			}
			l.take(s)
		}
	}
	return out
}

// thinking draws a session of several lanes that repeats itself.
func thinking(t *rapid.T) (list []*transcript.Step) {
	thought := rapid.SampledFrom([]string{"", "", "a", "A ", "let me a", "b", "c"})
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		s := &transcript.Step{}
		if rapid.IntRange(0, 5).Draw(t, "lane") == 0 {
			s.Lane = "sub"
		}
		list = append(list, s)
		if kind := rapid.IntRange(0, 24).Draw(t, "kind"); kind < 4 {
			s.Kind = [...]transcript.StepKind{transcript.Prompt, transcript.Injection, transcript.Compaction, transcript.System}[kind]
			s.Parts = []transcript.Part{{Text: "go on"}}
			continue
		}
		s.Parts = append(s.Parts, transcript.Part{Kind: transcript.Thinking, Text: thought.Draw(t, "thought")})
		if rapid.Bool().Draw(t, "speaks") {
			s.Parts = append(s.Parts, transcript.Part{Text: rapid.SampledFrom([]string{"I look.", "i  look.", "I see."}).Draw(t, "text")})
		}
		for range rapid.SampledFrom([]int{0, 1, 1, 1, 4}).Draw(t, "calls") {
			s.Calls = append(s.Calls, transcript.Call{Tool: "bash", Args: `{"n":1}`, Provider: rapid.IntRange(0, 9).Draw(t, "provider") == 0})
		}
		s.Finish = rapid.SampledFrom([]transcript.Finish{transcript.FinishToolCalls, transcript.FinishToolCalls, transcript.FinishStop, transcript.FinishUnknown, transcript.FinishAborted}).Draw(t, "finish")
		if rapid.Bool().Draw(t, "usage") {
			s.Usage = transcript.Usage{Known: true, Output: rapid.Int64Range(0, 99).Draw(t, "output")}
		}
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 3, 6}).Draw(t, "more") {
			more := *s
			list = append(list, &more)
		}
	}
	for i, s := range list {
		s.Line = i + 1
	}
	return list
}

// ruleSays is what the fires of a point say in the reference's words.
func ruleSays(fires []*replay.Fire) (out []string) {
	for _, f := range fires {
		switch f.Detector {
		case ThinkingStreak.Name:
			var values []any
			form := "%d crop {Steps:%d FromBack:%d ToBack:%d AnchorBack:%d OmittedBlocks:%d KeptBlocks:%d Tokens:%d TokensUnknown:%d RemainingSimilar:%d Earlier:%d Again:%d"
			values = append(values, f.Pos.Line-1)
			for _, e := range f.Evidence {
				values = append(values, e.Value)
			}
			flags := values[12:]
			for i, v := range flags {
				flags[i] = v == int64(1)
			}
			form += " Truncated:%t CacheRisk:%t Continue:%t ByTools:%t}"
			out = append(out, fmt.Sprintf(form, values...))
		case CrossStepTextLoop.Name:
			out = append(out, fmt.Sprintf("%d text", f.Pos.Line-1))
		}
	}
	return out
}

// likeTheReference compares every point of one plan with a loop of its own: with
// several numbers, switched off, with the detector taken away, and by itself.
func likeTheReference(t *rapid.T) {
	list := thinking(t)
	p := preset(t, "mimo-2026-09")
	type numbers struct{ trigger, span int }
	var all []numbers
	q := replay.Question{Alone: true, DropOne: true}
	for range 3 {
		n := numbers{rapid.IntRange(0, 5).Draw(t, "trigger"), rapid.SampledFrom([]int{0, 1, 2, 4, 64}).Draw(t, "span")}
		all = append(all, n)
		q.Configs = append(q.Configs, replay.Config{Preset: p, Set: streaking(n.trigger, n.span)})
	}
	all = append(all, numbers{})
	q.Configs = append(q.Configs, replay.Config{Preset: p})
	plan, out := outcome(t, q, list)
	for i, pt := range plan.Points {
		n := all[pt.Config]
		has := func(d *detectors.Detector) bool {
			return pt.Without != d.Name && (pt.Detector == "" || pt.Detector == d.Name)
		}
		if !has(ThinkingStreak) {
			n = numbers{}
		}
		want := refSays(n.trigger, n.span, list)
		if !has(CrossStepTextLoop) {
			want = slices.DeleteFunc(want, func(s string) bool { return strings.HasSuffix(s, " text") })
		}
		if !has(ThinkingStreak) && !has(CrossStepTextLoop) {
			want = nil
		}
		if got := ruleSays(out.Points[i].Fires); !slices.Equal(got, want) {
			t.Fatalf("%+v, config %d, detector %q, without %q:\ngot  %q\nwant %q", n, pt.Config, pt.Detector, pt.Without, got, want)
		}
	}
	q.Brief = true
	_, brief := outcome(t, q, list)
	for i, pt := range plan.Points {
		if got, want := places(brief.Points[i].Fires), places(out.Points[i].Fires); pt.Detector == "" && !slices.Equal(got, want) {
			t.Fatalf("without %q: in brief %q, in full %q", pt.Without, got, want)
		}
	}
	n := all[0]
	var live []*replay.Fire
	for _, a := range alarms(t, p, streaking(n.trigger, n.span), nil, list) {
		live = append(live, &replay.Fire{Fire: a.Fire})
	}
	if got, want := ruleSays(live), refSays(n.trigger, n.span, list); !slices.Equal(got, want) {
		t.Fatalf("live, %+v:\ngot  %q\nwant %q", n, got, want)
	}
}

// places is what a brief fire holds.
func places(fires []*replay.Fire) (out []string) {
	for _, f := range fires {
		out = append(out, fmt.Sprint(f.Detector, f.Pos, f.Delivered, f.Tier))
	}
	return out
}

func TestThinkingStreakIsTheReference(t *testing.T) { rapid.Check(t, likeTheReference) }

func FuzzThinkingStreak(f *testing.F) { f.Fuzz(rapid.MakeFuzz(likeTheReference)) }

// The reference itself is heard: crops of thoughts and of calls, and reminders
// that a crop silences.
func TestTheReferenceSpeaks(t *testing.T) {
	crops, tools, silenced := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		list := thinking(t)
		texts := 0
		for _, line := range refSays(2, 64, list) {
			crops += bit(strings.Contains(line, "crop"))
			tools += bit(strings.Contains(line, "ByTools:true"))
			texts += bit(strings.HasSuffix(line, "text"))
		}
		silenced += bit(texts < len(refSays(0, 0, list)))
	})
	if crops == 0 || tools == 0 || silenced == 0 {
		t.Errorf("%d crops, %d of them of calls, %d sessions in which one silences a reminder: nothing is shown", crops, tools, silenced)
	}
}
