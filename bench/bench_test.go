package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/formats"
	"groundhog/formats/parquet"
	"groundhog/replay"
	"groundhog/replay/transcript"
)

// The sessions that everything here is measured on.
var measured = Spec{Sessions: 200, Seed: 1}

// A job is one thing that is measured. bytes is the size of the file that the
// sessions are in, also where they are no longer read from it.
type job struct {
	name  string
	input *input
	run   func(testing.TB)
}

// The yardsticks: the least that a reader of lines can do, and what a program
// without a reader of its own would do.
const (
	scanName = "newline scan"
	jsonName = "encoding/json"
)

// jobs lists everything, by shape and with the yardsticks of a shape first. It
// is made once: benchmarks are called several times.
var jobs = sync.OnceValue(func() []job {
	var list []job
	for _, shape := range Shapes {
		list = append(list, jobsOf(shape)...)
	}
	return list
})

func jobsOf(shape Shape) []job {
	t := &failer{}
	in := write(t, measured, shape)
	units := in.find(t)
	list := []job{
		{scanName, in, func(testing.TB) { scan(in.data) }},
		{jsonName, in, func(t testing.TB) { decodeAny(t, in.data) }},
		{"find", in, func(t testing.TB) { in.find(t) }},
		{"decode", in, func(t testing.TB) { decode(t, units) }},
	}
	one := plan(t, replay.Config{Preset: preset(t, current)})
	var all []replay.Config
	for _, p := range catalog.SideBySide {
		all = append(all, replay.Config{Preset: p})
	}
	add := func(name string, units []*formats.Unit, p *replay.Plan) {
		list = append(list, job{name, in, func(t testing.TB) {
			replayed(t, p, units, 1, func(*replay.Outcome) {})
		}})
	}
	points := plan(t, nudges(t)...)
	brief, err := replay.NewPlan(replay.Question{Configs: nudges(t), Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	switch shape.Name {
	case "canonical":
		decoded := modelUnits(measured)
		list = append(list, job{"panel, nothing kept", in, func(t testing.TB) { observe(t, decoded) }})
		add("panel, 1 preset", decoded, one)
		add("panel, 140 points", decoded, points)
		add("panel, 140 points brief", decoded, brief)
		needed := parquet.Args | parquet.Results // by the detectors of the preset
		for _, c := range []struct {
			name string
			read parquet.Columns
		}{{"find and decode", parquet.All}, {"find and decode what a preset needs", needed}, {"find and decode no texts at all", 0}} {
			rows := write(t, measured, Parquet(c.read))
			list = append(list, job{"parquet, " + c.name, in, func(t testing.TB) { decode(t, rows.find(t)) }})
		}
		rows := write(t, measured, Parquet(needed)) // found anew each time: pages are kept until each session was read once
		list = append(list, job{"parquet, find", in, func(t testing.TB) { rows.find(t) }},
			job{"parquet, replay", in, func(t testing.TB) { replayed(t, one, rows.find(t), 1, func(*replay.Outcome) {}) }})
	case "claude-code":
		add("replay, 1 preset", units, one)
		add(fmt.Sprintf("replay, %d presets", len(all)), units, plan(t, all...))
		add("replay, 140 points", units, points)
		add("replay, 140 points brief", units, brief)
		mimo := plan(t, replay.Config{Preset: preset(t, streaming)})
		add(mimoName, units, mimo)
		add(quietName, units, plan(t, replay.Config{Preset: outOfStream(preset(t, streaming))}))
		list = append(list, job{comparedName, in, func(t testing.TB) { compared(t, mimo, units, replay.NearHeard) }},
			job{nearName, in, func(t testing.TB) { compared(t, mimo, units, replay.NearAll) }})
		grid, err := replay.NewPlan(replay.Question{Configs: blocks(t), Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		add(gridName, units, grid)
	}
	return list
}

// A failer stands for a test where there is none.
type failer struct{ testing.TB }

func (*failer) Helper()           {}
func (*failer) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
func (*failer) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// sweep is the preset at 140 values of one limit, most of them far beyond what
// a window can reach.
func nudges(t testing.TB) []replay.Config {
	p := preset(t, current)
	configs := make([]replay.Config, 140)
	for i := range configs {
		configs[i] = replay.Config{Preset: p, Set: detectors.Settings{"kocoro/consecutive_duplicate.nudge": strconv.Itoa(2 + i)}}
	}
	return configs
}

const streaming = "mimo-2026-09"

// The jobs that the share of the stream and the cost of a sweep are taken from.
const (
	mimoName     = "replay, MiMo"
	quietName    = "replay, MiMo without its stream"
	comparedName = "replay, MiMo compared"
	nearName     = "replay, MiMo compared, all distances"
	gridName     = "replay, MiMo at 418 points brief"
)

// outOfStream is a preset without the detectors that listen to deltas.
func outOfStream(p *detectors.Preset) *detectors.Preset {
	rest := *p
	rest.Name += "-out-of-stream"
	rest.Detectors = slices.DeleteFunc(slices.Clone(p.Detectors), func(d *detectors.Detector) bool { return d.Streams })
	return &rest
}

// blocks is MiMo's monitor at every threshold from 3 to 40 and every length of a
// block from 2 to 12.
func blocks(t testing.TB) []replay.Config {
	p := preset(t, streaming)
	var configs []replay.Config
	for threshold := 3; threshold <= 40; threshold++ {
		for n := 2; n <= 12; n++ {
			configs = append(configs, replay.Config{Preset: p, Set: detectors.Settings{
				"mimo/text_ngram_repeat.threshold": strconv.Itoa(threshold), "mimo/text_ngram_repeat.n": strconv.Itoa(n)}})
		}
	}
	return configs
}

func scan(data []byte) (n int) {
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		data = data[i+1:]
		n++
	}
	return n
}

func decodeAny(t testing.TB, data []byte) {
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
	}
}

func decode(t testing.TB, units []*formats.Unit) (steps int) {
	for _, u := range units {
		for _, err := range u.Read() {
			if err != nil {
				t.Fatal(err)
			}
			steps++
		}
	}
	return steps
}

// observe is a panel and its arbiter alone: nothing is explained or counted.
func observe(t testing.TB, units []*formats.Unit) (fires int) {
	for _, u := range units {
		l := newLane(t, 1)
		var cur transcript.Cursor
		for step := range u.Steps() {
			for ev := range cur.Events(step) {
				l.observe(ev)
			}
		}
		fires += l.fires
	}
	return fires
}

// benchmark runs the jobs of a name, each under the name that title gives it.
func benchmark(b *testing.B, title func(job) string) {
	for _, j := range jobs() {
		name := title(j)
		if name == "" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(j.input.data)))
			b.ReportAllocs()
			for b.Loop() {
				j.run(b)
			}
		})
	}
}

// byShape is the title of one job in every shape.
func byShape(name string) func(job) string {
	return func(j job) string {
		if j.name != name {
			return ""
		}
		return j.input.shape.Name
	}
}

// byPart is the title of jobs whose names begin alike.
func byPart(name string) func(job) string {
	return func(j job) string {
		before, part, _ := strings.Cut(j.name, ", ")
		if before != name {
			return ""
		}
		return part
	}
}

func BenchmarkNewlineScan(b *testing.B)  { benchmark(b, byShape(scanName)) }
func BenchmarkEncodingJSON(b *testing.B) { benchmark(b, byShape(jsonName)) }
func BenchmarkFind(b *testing.B)         { benchmark(b, byShape("find")) }
func BenchmarkDecode(b *testing.B)       { benchmark(b, byShape("decode")) }
func BenchmarkPanel(b *testing.B)        { benchmark(b, byPart("panel")) }
func BenchmarkReplay(b *testing.B)       { benchmark(b, byPart("replay")) }
func BenchmarkParquet(b *testing.B)      { benchmark(b, byPart("parquet")) }
