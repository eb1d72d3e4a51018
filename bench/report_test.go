package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"groundhog/formats/parquet"
)

var (
	report   = flag.Bool("report", false, "measure everything side by side and print ratios")
	into     = flag.String("write", "", "write sessions into this `file`, as Parquet if its name says so, else as canonical JSONL")
	whole    = flag.String("replay", "", "replay this `file` or folder with the program, and print time and memory")
	sessions = flag.Int("sessions", 10_000, "how many sessions -write writes")
)

// TestWrite makes a file to measure a whole run on.
func TestWrite(t *testing.T) {
	if *into == "" {
		t.Skip("no -write")
	}
	f, err := os.Create(*into)
	if err != nil {
		t.Fatal(err)
	}
	shape := Shapes[0]
	if filepath.Ext(*into) == ".parquet" {
		shape = Parquet(parquet.All)
	}
	if err := (Spec{Sessions: *sessions, Seed: 1}).Write(f, shape); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// rounds is how often everything is measured, and least how long at a time.
const (
	rounds = 7
	least  = 150 * time.Millisecond
)

// TestWhole prints what a run of the whole program over a file takes.
func TestWhole(t *testing.T) {
	if *whole == "" {
		t.Skip("no -replay")
	}
	program := filepath.Join(t.TempDir(), "groundhog")
	if out, err := exec.Command("go", "build", "-o", program, "groundhog/cmd/groundhog").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program, "replay", *whole, "--preset", current)
	began := time.Now()
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%.1f s, %.1f s of CPU, %s", time.Since(began).Seconds(),
		(run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), peak(run.ProcessState.SysUsage()))
}

// peak is the most memory a process had, as the system counts it. Only Unix
// does, in units of its own; the type has other fields elsewhere.
func peak(usage any) string {
	rss := reflect.Indirect(reflect.ValueOf(usage)).FieldByName("Maxrss")
	switch {
	case !rss.IsValid():
		return "memory unknown"
	case runtime.GOOS == "darwin": // bytes
		return fmt.Sprintf("%d MB at most", rss.Int()/1e6)
	}
	return fmt.Sprintf("%d MB at most", rss.Int()*1024/1e6)
}

// TestReport measures and asserts nothing. Each round runs all jobs one after
// the other, so that what else the machine does falls on a job and on its
// yardsticks alike, and a ratio is taken within a round.
func TestReport(t *testing.T) {
	if !*report {
		t.Skip("a measurement and no test: it runs with -report")
	}
	list := jobs()
	times := make([][rounds]float64, len(list))
	for round := range rounds {
		for i, j := range list {
			times[i][round] = clock(t, j)
		}
	}
	t.Logf("%s\n\n%s\n%s\n%s", workload(t), table(list, times), streams(list, times), literal(t))
}

// streams says what the detectors in the stream cost: all rows of one run, and
// decoding included.
func streams(list []job, times [][rounds]float64) string {
	of := func(name string) [rounds]float64 {
		for i, j := range list {
			if j.name == name {
				return times[i]
			}
		}
		panic("no job " + name)
	}
	mimo, quiet := of(mimoName), of(quietName)
	var shares []float64
	for i := range mimo {
		shares = append(shares, 100*(1-quiet[i]/mimo[i]))
	}
	slices.Sort(shares)
	return fmt.Sprintf("in the stream: %.0f %% (%.0f to %.0f) of replaying %s\n"+
		"compared under every splitter, as the program does: %s times that\n"+
		"and every response measured (--near): %s times\n"+
		"418 points of the monitor: %s times",
		shares[rounds/2], shares[0], shares[rounds-1], streaming, ratio(of(comparedName), mimo), ratio(of(nearName), mimo), ratio(of(gridName), mimo))
}

// literal runs the benchmarks of the monitor and of its literal form, which are in
// a package of their own, and gives their ratio.
func literal(t *testing.T) string {
	out, err := exec.Command("go", "test", "groundhog/detectors/mimo/internal/stream", "-run", "^$", "-bench", "^(BenchmarkMonitor|BenchmarkLiteral)$", "-benchtime", "300ms", "-count", "3").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	best := make(map[string]float64) // nanoseconds a delta
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != "ns/op" {
			continue
		}
		ns, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
		if have, ok := best[name]; !ok || ns < have {
			best[name] = ns
		}
	}
	var list []string
	for _, floor := range []string{"floor=20", "floor=3", "floor=2"} {
		if m, ok := best["Monitor/"+floor]; ok && best["Literal"] > 0 {
			list = append(list, fmt.Sprintf("%s (%s)", number(best["Literal"]/m), floor))
		}
	}
	return fmt.Sprintf("the literal form of the monitor takes as many times the monitor's time: %s", strings.Join(list, ", "))
}

// began is when the process did, more or less.
var began = time.Now()

// clock is how much processor time a job takes, in seconds.
func clock(t *testing.T, j job) float64 {
	runtime.GC()
	n := 0
	start := spent()
	for n == 0 || spent()-start < least {
		j.run(t)
		n++
	}
	return (spent() - start).Seconds() / float64(n)
}

// workload says what was measured on.
func workload(t *testing.T) string {
	calls := 0
	for s := range measured.All() {
		calls += s.Calls
	}
	var sizes []string
	for _, j := range jobs() {
		if j.name == scanName {
			sizes = append(sizes, fmt.Sprintf("%s %.1f MB", j.input.shape.Name, float64(len(j.input.data))/1e6))
		}
	}
	return fmt.Sprintf("%d sessions, seed %d, %d calls: %s; %d rounds", measured.Sessions, measured.Seed, calls, strings.Join(sizes, ", "), rounds)
}

// table shows the time of each job as a multiple of the yardsticks of its
// shape: the median over the rounds, with the least and the most.
func table(list []job, times [][rounds]float64) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "shape\twhat\ttime / %s\ttime / %s\n", scanName, jsonName)
	var scans, decodes [rounds]float64
	for i, j := range list {
		switch j.name {
		case scanName:
			scans = times[i]
			continue
		case jsonName:
			decodes = times[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t1\n", j.input.shape.Name, j.name, ratio(times[i], scans))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", j.input.shape.Name, j.name, ratio(times[i], scans), ratio(times[i], decodes))
	}
	w.Flush()
	return out.String()
}

func ratio(of, to [rounds]float64) string {
	var r []float64
	for i := range of {
		r = append(r, of[i]/to[i])
	}
	slices.Sort(r)
	return fmt.Sprintf("%s (%s–%s)", number(r[rounds/2]), number(r[0]), number(r[rounds-1]))
}

// number has two digits that mean something.
func number(r float64) string {
	if r >= 10 {
		return fmt.Sprintf("%.0f", r)
	}
	return fmt.Sprintf("%.2g", r)
}
