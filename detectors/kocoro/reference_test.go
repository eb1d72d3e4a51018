package kocoro_test

// The reference, in the files reference_*_test.go, is Kocoro's loop detector at four revisions, written down
// rule by rule from its description, slow and literal, by somebody who had not seen package kocoro. It is
// outside that package so that it shares no code with the detectors of which it is the referee.

// Call is a finished tool call as the detector is told of it.
type Call struct {
	Name          string
	Args          string
	IsError       bool
	Error         string // the error text, if IsError
	Result        string // the text the call returned; what the detector sees of it is in ResultSig and NonActionable
	ResultSig     string
	NonActionable bool

	// Head alone looks at these.
	OutcomeSig     string // identity of the whole result; empty if unknown
	ReadOnly       bool
	TrustsProgress bool // the tool says that other outcomes are progress
}

// Verdict is the answer to one call. Path, Variant and Numbers are empty if Action is continue.
type Verdict struct {
	Action, Path, Variant string
	Numbers               []int
}

// record is a call as the window keeps it.
type record struct {
	name          string
	argsHash      string
	topicHash     string
	resultSig     string
	isError       bool
	errorSig      string
	nonActionable bool
	emptyThink    bool
	sleep         bool
	outcomeSig    string
	readOnly      bool
	trusted       bool
}

// Detector watches one run of an agent. It is not safe for concurrent use.
type Detector struct {
	cfg           Config
	batchTolerant []string
	history       []record

	lastNonGUIOK   bool
	lastNonGUITool string
	modeNudged     bool
	recentRecovery bool
	recoveredTool  string
}

// New returns the detector of a revision as it shipped.
func New(preset string, batchTolerant []string) *Detector {
	return NewWith(Preset(preset), batchTolerant)
}

// NewWith returns a detector with limits of one's own.
func NewWith(cfg Config, batchTolerant []string) *Detector {
	return &Detector{cfg: cfg, batchTolerant: batchTolerant}
}

// Record takes in a call. Check must follow before the next one, once.
func (d *Detector) Record(c Call) {
	rev := d.cfg.Preset
	r := record{
		name:          c.Name,
		argsHash:      HashArgs(c.Args),
		isError:       c.IsError,
		nonActionable: c.NonActionable,
		emptyThink:    IsEmptyThinkInput(c.Name, c.Args),
		sleep:         c.Name == "bash" && IsSleepCommand(c.Args),
		outcomeSig:    c.OutcomeSig,
		readOnly:      c.ReadOnly,
		trusted:       c.TrustsProgress,
	}
	if ToolFamily(rev, c.Name) != "" {
		if topic := NormalizeWebQuery(c.Args); topic != "" {
			r.topicHash = HashArgs(topic)
		}
		r.resultSig = c.ResultSig
	}
	if c.IsError {
		r.errorSig = ErrorSig(c.Error)
	}

	d.history = append(d.history, r)
	if len(d.history) > d.cfg.Window {
		d.history = d.history[len(d.history)-d.cfg.Window:]
	}

	if !isVisual(rev, r.name) {
		if r.isError {
			d.lastNonGUIOK = false
			d.lastNonGUITool = ""
		} else {
			d.lastNonGUIOK = true
			d.lastNonGUITool = r.name
			d.modeNudged = false
		}
	}

	if !r.isError && !isVisual(rev, r.name) {
		recovered := false
		for _, e := range d.history[:len(d.history)-1] {
			if e.name == r.name && e.isError && e.argsHash != r.argsHash {
				recovered = true
			}
		}
		if recovered {
			d.recentRecovery = true
			d.recoveredTool = r.name
		} else if r.name != d.recoveredTool {
			d.recentRecovery = false
			d.recoveredTool = ""
		}
	}
}

// Check judges the call just recorded, whose tool is name.
func (d *Detector) Check(name string) Verdict {
	if len(d.history) < 2 {
		return Verdict{Action: "continue"}
	}
	for _, path := range []func(name string) (Verdict, bool){
		d.emptyThink,
		d.toolModeSwitch,
		d.successAfterError,
		d.validationError,
		d.consecutiveDuplicate,
		d.pingPong,
		d.exactDuplicate,
		d.sameToolError,
		d.familyNoProgress,
		d.searchEscalation,
		d.noProgress,
		d.sleep,
	} {
		if v, ok := path(name); ok {
			return v
		}
	}
	return Verdict{Action: "continue"}
}
