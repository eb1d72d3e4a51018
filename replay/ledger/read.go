package ledger

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"groundhog/detectors"
	"groundhog/formats"
	"groundhog/formats/native"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// A Ledger is an open ledger. Its sessions are units with a Past. It may be used from
// several goroutines.
type Ledger struct {
	File   string // as shown to the user
	head   header
	flat   *parquet.Flat
	places [][]int  // by meter: the columns of its values
	names  []string // of the columns after the fixed ones

	mu      sync.Mutex // guards the rest
	plan    *replay.Plan
	matched *matching // of plan, the last one that was asked for
}

// Splitter is the name of the splitter of text without recorded deltas.
func (l *Ledger) Splitter() string { return l.head.Splitter }

// About says in a sentence what a replay of the ledger rests on.
func (l *Ledger) About() string {
	about := fmt.Sprintf("from a ledger, and no transcripts: measured under %s; corpus sha256:%s",
		strings.Join(l.presets(), ", "), l.head.Corpus)
	if n := l.head.LeftOut; n > 0 {
		about += fmt.Sprintf("; %d of their sessions could not be read when it was made", n)
	}
	return about
}

// A Made is one configuration under which a ledger was made.
type Made struct {
	Preset string             // its name
	Set    detectors.Settings // on top of the preset
}

// Made lists the configurations under which the ledger was made, in their order.
func (l *Ledger) Made() (list []Made) {
	for _, p := range l.head.Presets {
		list = append(list, Made{p.Name, p.Set})
	}
	return list
}

// presets are the names of the presets under which the ledger was made.
func (l *Ledger) presets() (names []string) {
	for _, p := range l.head.Presets {
		names = append(names, p.Name)
	}
	return names
}

// Format is a format of Parquet files that also reads ledgers; inner reads all others.
func Format(inner *formats.Format) *formats.Format {
	f := *inner
	f.Find = func(file *formats.File, o formats.Options) iter.Seq2[*formats.Unit, error] {
		lookup, err := parquet.Metadata(file)
		if err != nil {
			return inner.Find(file, o) // whose error says what is wrong
		}
		if v, ok := lookup(schemaKey); ok {
			return find(file, v)
		}
		return inner.Find(file, o)
	}
	return &f
}

// Of is the ledger that a unit is from, or nil.
func Of(u *formats.Unit) *Ledger {
	if p, ok := u.Past.(*past); ok {
		return p.ledger
	}
	return nil
}

// find yields the sessions of a ledger. version is its schema.
func find(file *formats.File, version string) iter.Seq2[*formats.Unit, error] {
	return func(yield func(*formats.Unit, error) bool) {
		l, err := open(file, version)
		if err == nil {
			var units []*formats.Unit
			if units, err = l.units(); err == nil {
				for _, u := range units {
					if !yield(u, nil) {
						return
					}
				}
				return
			}
		}
		yield(nil, fmt.Errorf("%s: the ledger cannot be read: %w", file.Name, err))
	}
}

func open(file *formats.File, version string) (*Ledger, error) {
	if version != schema {
		return nil, fmt.Errorf("%s is %q: this build reads %s", schemaKey, version, schema)
	}
	lookup, err := parquet.Metadata(file)
	if err != nil {
		return nil, err
	}
	l := &Ledger{File: file.Name}
	text, ok := lookup(headerKey)
	if !ok {
		return nil, fmt.Errorf("%s is missing: was it rewritten by another program?", headerKey)
	}
	if err := json.Unmarshal([]byte(text), &l.head); err != nil {
		return nil, fmt.Errorf("%s: %w", headerKey, err)
	}
	if l.head.Tool != tool {
		return nil, fmt.Errorf("it was measured by version %q of the detectors, and this build has version %s: "+
			"make it anew from the transcripts", l.head.Tool, tool)
	}
	list := columns[:]
	l.names, l.places = measureColumns(l.head.Meters)
	for _, name := range l.names {
		list = append(list[:len(list):len(list)], parquet.Column{Name: name, Class: parquet.Whole})
	}
	l.flat, err = parquet.OpenFlat(file, schemaKey+" "+schema, list)
	return l, err
}

// sessionColumns are the columns in which a session row may have a value.
var sessionColumns = func() (list []int) {
	for col := cContent; col < fixedColumns; col++ {
		list = append(list, col)
	}
	return append(list, cSession, cRow)
}()

// units finds the sessions, and checks that no row is missing or out of place.
func (l *Ledger) units() (list []*formats.Unit, err error) {
	seen := make(map[string]bool)
	var sums []native.Sum
	var last *past
	err = l.flat.Scan(sessionColumns, func(row int64, r *parquet.Row) error {
		id := r.Str(cSession)
		if r.Str(cRow) == rowSession {
			if seen[id] {
				return fmt.Errorf("row %d: session %s stands there twice", row+1, id)
			}
			seen[id] = true
			u, sum, err := l.unit(id, row, r)
			if err != nil {
				return fmt.Errorf("row %d: %w", row+1, err)
			}
			list, sums = append(list, u), append(sums, sum)
			last = u.Past.(*past)
		}
		if last == nil || last.id != id {
			return fmt.Errorf("row %d: a row of session %s, expected its session row first: "+
				"rows must not be sorted anew", row+1, id)
		}
		last.to = row + 1
		return nil
	})
	if err != nil {
		return nil, err
	}
	if sum := native.CorpusDigest(sums); sum != l.head.Corpus || len(list) != l.head.Sessions {
		return nil, fmt.Errorf("%d sessions with digest %s, the header has %d with %s: "+
			"parts of it are missing or from elsewhere", len(list), sum, l.head.Sessions, l.head.Corpus)
	}
	l.flat.Share(len(list))
	for _, u := range list {
		p := u.Past.(*past)
		if n := p.to - p.from - 1; n != p.rows {
			return nil, fmt.Errorf("session %s has %d rows after its own, and was written with %d: "+
				"parts of it are missing or from elsewhere", p.id, n, p.rows)
		}
		u.Records = int(p.rows)
		u.Size = int64(u.Records) * rowSize
	}
	return list, nil
}

// rowSize is about how many bytes a row takes in memory.
const rowSize = 64

var errNoTranscript = errors.New("a ledger holds what was measured and no transcript: name the recordings")

// unit is a session from its session row.
func (l *Ledger) unit(id string, row int64, r *parquet.Row) (*formats.Unit, native.Sum, error) {
	s := &transcript.Session{
		ID: id, Parent: r.Str(cParent), Agent: r.Str(cAgent), AgentVersion: r.Str(cAgentVersion), Model: r.Str(cModel),
		Origin:  transcript.Origin{FormatVersion: r.Str(cFormatVersion)},
		Started: r.Time(cStarted), Ended: r.Time(cEnded), End: transcript.End(r.Str(cEnd)),
		Recorded: transcript.Recorded{
			Task: r.Str(cTask), TaskSet: r.Str(cTaskSet), Trial: r.Str(cTrial), ExitStatus: r.Str(cExitStatus),
		},
	}
	if !r.Null(cReward) {
		reward := r.Float(cReward)
		s.Recorded.Reward = &reward
	}
	if !r.Null(cSuccess) {
		success := r.Bool(cSuccess)
		s.Recorded.Success = &success
	}
	p := &past{ledger: l, id: id, format: r.Str(cFormat), from: row, rows: r.Int(cRows)}
	for _, n := range numbers(&p.numbers) {
		v, err := r.Small(n.col)
		if err != nil {
			return nil, native.Sum{}, err
		}
		*n.value = int(v)
	}
	p.numbers.Inputs = replay.Inputs(r.Int(cInputs))
	content, err := native.ParseContent(r.Str(cContent))
	if err != nil {
		return nil, native.Sum{}, fmt.Errorf("content_sha256 of session %s: %w", id, err)
	}
	sum := native.Sum{Session: id, Content: content}
	return &formats.Unit{Session: s, Past: p}, sum, nil
}

// A past is one session of a ledger.
type past struct {
	ledger   *Ledger
	id       string
	format   string
	from, to int64 // rows, the session row first
	rows     int64 // after it, as the session row says
	numbers  replay.Outcome
}

// NoSteps implements formats.Past.
func (p *past) NoSteps() error { return fmt.Errorf("%s: %w", p.ledger.File, errNoTranscript) }

// Answers implements replay.Past.
func (p *past) Answers(plan *replay.Plan) error {
	_, err := p.ledger.match(plan)
	return err
}

// Complete implements replay.Past.
func (p *past) Complete(o *replay.Outcome) {
	from := numbers(&p.numbers)
	for i, n := range numbers(o) {
		*n.value = *from[i].value
	}
	o.Inputs = p.numbers.Inputs
	o.Session.Origin.Format = p.format
}

// Kept implements replay.Past.
func (p *past) Kept(plan *replay.Plan) iter.Seq2[*replay.Kept, error] {
	return func(yield func(*replay.Kept, error) bool) {
		m, err := p.ledger.match(plan)
		if err != nil {
			yield(nil, err)
			return
		}
		r := reader{ledger: p.ledger, asked: m.asked}
		row := p.from + 1
		for in, err := range p.ledger.flat.Stretch(m.columns, row, p.to) {
			if err == nil {
				row++
				err = r.take(in)
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s: row %d, session %s: %w", p.ledger.File, row, p.id, err))
				return
			}
			if r.ready && !yield(&r.done, nil) {
				return
			}
		}
		if r.begun {
			yield(&r.kept, nil)
		}
	}
}
