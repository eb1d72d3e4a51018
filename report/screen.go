package report

// A Screen is what a command answers first: at most 24 lines of 80 columns, with the
// answer before the evidence. The tables behind it are the report's sections.
type Screen struct {
	Read    []string // what was read, in a few words each: "102 sessions", "7,228 calls"
	Answer  []string // one or two sentences
	Blocks  []Block  // the evidence, dearest first
	Remarks []string // what was quiet, not applicable or left out, a line each
	Next    []Next   // what to run next; shown on a terminal alone
}

// A Next is a command to run, ready to copy, and what it is for.
type Next struct{ Command, Why string }

// A Block is a short table on a screen. Rows that do not fit are left out from the end,
// and More says how to see them.
type Block struct {
	Title   string // "" for none
	Columns []Column
	Rows    []Line
	More    string // a flag or a command that shows all rows; "" if all are shown
	Hidden  int    // rows that whoever made the block left out
}

// A Line is a row of a block.
type Line struct {
	Mark  Mark
	Cells []Cell
	Under []Cell // lines below the row: a strip, a note
}

// Mark says what a row is about. It is shown by a sign and a colour, never by colour alone.
type Mark uint8

const (
	NoMark  Mark = iota
	Stop         // a run was stopped, a rule is broken
	Nudge        // the model was told
	Warning      // something to look at
	Good         // as it should be
	Current      // the setting in force
)

// A Strip is the calls of a stretch from left to right. Equal calls share a group, so
// that a loop is visible as a stripe.
type Strip struct {
	Groups []uint16    // by call; 0 is a call that no other equals
	Same   []bool      // by call: its result equals that of the call before it in its group; nil if not known
	Marks  []StripMark // fires, in order
}

// A StripMark is a fire above the call with this index.
type StripMark struct {
	Call int
	Mark Mark
}

// Bar is n of d, drawn against the largest value of its column.
func Bar(n, d int) Cell { return Cell{Kind: KindBar, N: int64(n), D: int64(d)} }

// StripCell is a cell that shows a strip, with words after it.
func StripCell(s *Strip, text string) Cell { return Cell{Kind: KindStrip, Strip: s, Text: text} }

// Add appends a row to the block; cells are as for Section.Add.
func (b *Block) Add(mark Mark, cells ...any) *Line {
	var s Section
	s.Add(cells...)
	b.Rows = append(b.Rows, Line{Mark: mark, Cells: s.Rows[0]})
	return &b.Rows[len(b.Rows)-1]
}
