package steps

// Doom is the meter of doom_loop over the parts of one assistant message. The
// zero Doom begins one.
type Doom struct {
	parts []doomPart
	kinds map[[2]string]int // tool and arguments, numbered from 1
}

type doomPart struct {
	id   string
	kind int // 0 while the arguments are incomplete, and for what is no tool
}

// Break takes in a part that is no tool: text, reasoning, the start of a step.
func (d *Doom) Break() { d.parts = append(d.parts, doomPart{}) }

// Start takes in a tool part, announced with its arguments still to come. The
// id is the call's, and "" is no other call's.
func (d *Doom) Start(id string) { d.parts = append(d.parts, doomPart{id: id}) }

// Call completes the part that was announced with id, or adds it, and returns
// how many parts at the end of the message are this same call. Threshold t fires
// iff that is t or more. It can be 0: the part need not be the last, and a call
// announced after it hides the loop as long as its arguments are incomplete.
func (d *Doom) Call(id string, call *Part) int {
	if d.kinds == nil {
		d.kinds = make(map[[2]string]int)
	}
	what := [2]string{call.Tool, call.json()}
	kind, ok := d.kinds[what]
	if !ok {
		kind = len(d.kinds) + 1
		d.kinds[what] = kind
	}
	d.part(id).kind = kind
	run := 0
	for i := len(d.parts) - 1; i >= 0 && d.parts[i].kind == kind; i-- {
		run++
	}
	return run
}

func (d *Doom) part(id string) *doomPart {
	for i := len(d.parts) - 1; i >= 0 && id != ""; i-- {
		if d.parts[i].id == id {
			return &d.parts[i]
		}
	}
	d.parts = append(d.parts, doomPart{id: id})
	return &d.parts[len(d.parts)-1]
}

// DoomRuns is Doom over a recorded response: for each part the run that its
// call ends, taking calls as complete in the order of the parts. Whether a call
// was announced before the one in front of it was complete, and hid the loop,
// is not in such a recording.
func DoomRuns(parts []Part) []int {
	runs := make([]int, len(parts))
	var d Doom
	for i := range parts {
		switch {
		case parts[i].Kind != Tool:
			d.Break()
		case parts[i].State == Pending:
			d.Start("")
		default:
			runs[i] = d.Call("", &parts[i])
		}
	}
	return runs
}
