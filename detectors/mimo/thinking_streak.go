package mimo

import (
	"fmt"

	"groundhog/detectors"
	"groundhog/detectors/mimo/internal/steps"
	"groundhog/replay/transcript"
)

// ThinkingStreak leaves steps out of a request that thought the same. It is
// closed: a crop stays, and joins what lay before and after it.
var ThinkingStreak = detectors.Define(detectors.Rule[thoughts, none, crop]{
	Name: "mimo/thinking_streak",
	Doc: "the same thought, step after step, cropped from what the model sees\n\n" +
		"No progress means: finished steps in a row thought the same, without case, white space and a polite opening; a " +
		"step that shows no thought is compared by its calls, and the reason then says tools. Steps with neither are " +
		"passed over, but none may be the newest. Before a request that follows such a row directly, the row is left out " +
		"of it, and of every later one; the model is not told. So what was cropped is not counted again, and the steps " +
		"around it become neighbours. A message of the user's role, one of the harness too, must come before the newest " +
		"step. A compaction empties the view. Experimental, and off unless switched on.",
	Origin:    detectors.Origin{Source: article},
	Targets:   []string{"thinking_streak"},
	New:       func(*detectors.Inputs) *thoughts { return &thoughts{} },
	Shape:     (*thoughts).bind,
	Switch:    "enabled",
	Closed:    true,
	OnRun:     (*thoughts).begin,
	OnMessage: (*thoughts).message,
	OnRequest: (*thoughts).request,
	OnStep:    (*thoughts).step,
	Reach:     (*thoughts).reach,
	Unbounded: true,
	Unit:      "step",
	Judge:     func(crop, none) detectors.Verdict { return detectors.Annotate },
	Explain:   explainCrop,
})

// crop is what a request leaves out that the one before it did not. Steps are
// counted back from the request: 1 is the one before it.
type crop struct {
	Steps            int
	FromBack, ToBack int
	AnchorBack       int   // the step that now comes before; 0 if none is left
	OmittedBlocks    int   // parts, a call counting twice
	KeptBlocks       int   // of the whole request
	Tokens           int64 // recorded output of the steps, which every later request would lack
	TokensUnknown    int   // steps whose output was not recorded
	RemainingSimilar int   // earlier steps of the same key that stay
	Earlier          int   // steps that earlier crops keep out of this request
	Again            int   // steps since the first crop that had a key already cropped
	Truncated        bool  // the row was longer than max_span
	CacheRisk        bool  // more blocks than a provider looks back for what it has cached
	Continue         bool  // the request ends with the assistant, and needs a word of the user
	ByTools          bool
}

// thoughts is the list of messages that requests are made of. Positions in it
// are those of steps.ThinkingStreak.
type thoughts struct {
	enabled bool
	view    steps.ThinkingStreak
	began   bool    // the message that begins the run is there
	number  []int   // by position: how many steps there were up to it
	output  []int64 // by position: tokens of a step
	steps   int
	again   int
}

// unrecorded is the output of a step that does not say.
const unrecorded = -1

func (t *thoughts) bind(p *detectors.Params) {
	p.Bool(&t.enabled, "enabled", false,
		"leave steps that thought the same out of later requests (experimental.loop_streak_recovery)")
	p.Int(&t.view.Trigger, "trigger_count", 3, 2, 8,
		"steps in a row with the same thought that are cropped; fewer than 2 never are")
	p.Int(&t.view.MaxSpan, "max_span", 64, 3, 256, "steps that one crop takes out at most")
}

// begin waits for the message that begins a run: the agent had one, recorded or not.
func (t *thoughts) begin() { t.began = false }

func (t *thoughts) message(s *transcript.Step) {
	switch {
	case !t.enabled, s.Kind == transcript.System: // which is not in the list
		return
	case s.Kind == transcript.Compaction:
		t.view.Compact()
	}
	t.user(parts(s))
}

func (t *thoughts) user(list []steps.Part) {
	t.began = true
	t.view.User(list)
	t.number, t.output = append(t.number, t.steps), append(t.output, 0)
}

func (t *thoughts) request() (crop, bool) {
	if !t.enabled {
		return crop{}, false
	}
	if !t.began {
		t.user(nil)
	}
	c := t.view.Request()
	if !c.Made {
		return crop{}, false
	}
	m := crop{
		Steps: c.Steps, FromBack: t.back(c.From), ToBack: t.back(c.To),
		OmittedBlocks: c.OmittedBlocks, KeptBlocks: c.KeptBlocks, RemainingSimilar: c.RemainingSimilar,
		Earlier: c.Reapplied, Again: t.again, Truncated: c.Truncated, CacheRisk: c.CacheRisk,
		Continue: c.Continue, ByTools: c.ByTools,
	}
	if c.Anchor >= 0 {
		m.AnchorBack = t.back(c.Anchor)
	}
	for _, at := range t.view.Omitted()[c.Reapplied:] {
		if t.output[at] == unrecorded {
			m.TokensUnknown++
		} else {
			m.Tokens += t.output[at]
		}
	}
	return m, true
}

// back is how many steps before the request the one at a position is.
func (t *thoughts) back(at int) int { return t.steps - t.number[at] + 1 }

func (t *thoughts) step(s *transcript.Step) (crop, bool) {
	if !t.enabled {
		return crop{}, false
	}
	_, again := t.view.Step(finished(s), parts(s))
	if again {
		t.again++
	}
	output := s.Usage.Output
	if !s.Usage.Known {
		output = unrecorded
	}
	t.steps++
	t.number, t.output = append(t.number, t.steps), append(t.output, output)
	return crop{}, false
}

// explainCrop says what is compared, since recordings often hide thoughts.
func explainCrop(m crop, _ none, _ detectors.Verdict) (reason, text string) {
	reason, same := "reasoning", "thought the same"
	if m.ByTools {
		reason, same = "tools", "made the same calls (they show no thoughts)"
	}
	tokens := fmt.Sprintf("%d recorded tokens", m.Tokens)
	switch {
	case m.TokensUnknown == m.Steps:
		tokens = "tokens not recorded"
	case m.TokensUnknown > 0:
		tokens += fmt.Sprintf(", %d of the steps recorded none", m.TokensUnknown)
	}
	text = fmt.Sprintf("%d steps that %s are left out of this request and all later ones: %d blocks, %s", m.Steps, same,
		m.OmittedBlocks, tokens)
	if m.Earlier > 0 {
		text += fmt.Sprintf("; earlier crops keep %d out", m.Earlier)
	}
	if m.Truncated {
		text += "; the row was longer than a crop may be"
	}
	if m.CacheRisk {
		text += "; the provider's cache may miss"
	}
	return reason, text
}
