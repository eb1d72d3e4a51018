package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/cmd/cli"
)

// These tests put the golden records through the front door: each becomes a
// session of canonical JSONL, and the verdicts are read back from
// `groundhog retry --format jsonl`. They say how many can be expressed.

// retryGolden reads all of the shared records where they are there, else the
// sample beside the code that they pin.
func retryGolden(t *testing.T, kind string) (list []map[string]any) {
	t.Helper()
	name := "mimo-retry-" + kind + ".jsonl"
	dir := filepath.Join("..", "..", "detectors", "mimo", "internal", "retry", "testdata")
	if kind == "policy" {
		dir = filepath.Join("..", "..", "detectors", "mimo", "testdata")
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".gz"))
	if shared := os.Getenv("GROUNDHOG_SHARED"); shared != "" {
		if data, err = os.ReadFile(filepath.Join(shared, "golden", name)); err != nil {
			t.Fatalf("GROUNDHOG_SHARED is set: %v", err)
		}
	} else if err == nil {
		z, e := gzip.NewReader(bytes.NewReader(data))
		if e != nil {
			t.Fatal(e)
		}
		data, err = io.ReadAll(z)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var rec map[string]any
		if err := json.Unmarshal(line, &rec, jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		var frame struct {
			Raw struct {
				Value jsontext.Value `json:"value"`
			} `json:"raw"`
		}
		if kind == "pipeline" { // the order of keys in a frame is in the verdict
			if err := json.Unmarshal(line, &frame, jsontext.AllowInvalidUTF8(true)); err != nil {
				t.Fatal(err)
			}
			rec["frame"] = string(frame.Raw.Value)
		}
		list = append(list, rec)
	}
	return list
}

func text(v any) string { s, _ := v.(string); return s }

func number(v any) float64 { f, _ := v.(float64); return f }

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// jsonOf is a value as JSON.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const goldenNow = "2026-08-29T10:40:00Z" // 1788000000000

// A door collects sessions for one run of the command.
type door struct {
	t     *testing.T
	lines strings.Builder
}

// session writes one session whose attempts all failed.
func (d *door) session(sid string, attempts ...map[string]any) {
	fmt.Fprintf(&d.lines, `{"t":"session","v":1,"sid":%q}`+"\n", sid)
	fmt.Fprintf(&d.lines, `{"t":"step","sid":%q,"i":0,"kind":"user","text":"go"}`+"\n", sid)
	for i, a := range attempts {
		line := map[string]any{"t": "attempt", "sid": sid, "i": 1, "n": i + 1, "outcome": "failed"}
		for k, v := range a {
			if v != nil {
				line[k] = v
			}
		}
		d.lines.WriteString(jsonOf(d.t, line) + "\n")
	}
	fmt.Fprintf(&d.lines, `{"t":"end","sid":%q,"end":"error"}`+"\n", sid)
}

// A retryLine is what the command prints.
type retryLine struct {
	Session  string `json:"session"`
	Policy   string `json:"policy"`
	Stop     string `json:"stop"`
	Attempts []struct {
		N         int      `json:"n"`
		Kind      string   `json:"kind"`
		Budget    string   `json:"budget"`
		Retryable bool     `json:"retryable"`
		Least     *float64 `json:"wait_min_ms"`
		Expect    *float64 `json:"wait_expected_ms"`
		Most      *float64 `json:"wait_max_ms"`
		Stop      string   `json:"stop"`
		Phase     string   `json:"phase"`
		Scope     string   `json:"scope"`
		Message   string   `json:"message"`
		Status    float64  `json:"status"`
		Asked     *float64 `json:"retry_after_ms"`
		Silent    bool     `json:"silent"`
		Limit     *int     `json:"max_retries"`
		Notice    string   `json:"notice"`
	} `json:"attempts"`
}

// run replays what was collected and returns the lines by session and policy.
func (d *door) run(args ...string) map[string]retryLine {
	d.t.Helper()
	file := filepath.Join(d.t.TempDir(), "golden.jsonl")
	if err := os.WriteFile(file, []byte(d.lines.String()), 0o666); err != nil {
		d.t.Fatal(err)
	}
	d.lines.Reset()
	var out, errs bytes.Buffer
	o := cli.Options{}
	o.Stdout, o.Stderr = &out, &errs
	o.Args = append([]string{"retry", file, "--format", "jsonl", "-q"}, args...)
	if code := cli.Main(o); code != 0 {
		d.t.Fatalf("exit %d: %s", code, errs.String())
	}
	lines := make(map[string]retryLine)
	for line := range bytes.Lines(out.Bytes()) {
		var l retryLine
		if err := json.Unmarshal(line, &l, jsontext.AllowInvalidUTF8(true)); err != nil {
			d.t.Fatal(err)
		}
		lines[l.Session+" "+l.Policy] = l
	}
	return lines
}

// thrown turns the records' description of an error into what an agent writes.
func thrown(v any) any {
	e := object(v)
	if text(e["form"]) == "object" {
		return e["value"]
	}
	out := map[string]any{"name": "Error"}
	if e["form"] == "api_call" {
		out["name"] = "AI_APICallError"
	}
	for from, to := range map[string]string{"ctor": "name", "message": "message", "code": "code", "status": "status", "statusCode": "statusCode",
		"headers": "responseHeaders", "body": "responseBody", "is_retryable": "isRetryable"} {
		if x, ok := e[from]; ok {
			out[to] = x
		}
	}
	if x, ok := e["name"]; ok {
		out["name"] = x
	}
	if c, ok := e["cause"]; ok {
		out["cause"] = thrown(c)
	}
	if list, ok := e["errors"].([]any); ok {
		var all []any
		for _, c := range list {
			all = append(all, thrown(c))
		}
		out["errors"] = all
	}
	return out
}

// plain is a normalised error in the format's own keys, where they hold it all.
func plain(v any) (map[string]any, bool) {
	e := object(v)
	data := object(e["data"])
	name := text(e["name"])
	known := map[string]string{"message": "message", "statusCode": "status", "responseBody": "body", "responseHeaders": "headers", "isRetryable": "is_retryable"}
	if text(object(v)["form"]) != "" || !strings.HasSuffix(name, "Error") || data["message"] == nil || len(e) != 2 {
		return nil, false
	}
	out := map[string]any{"name": name}
	for k, x := range data {
		to, ok := known[k]
		if !ok {
			return nil, false
		}
		out[to] = x
	}
	return out, true
}

// differs compares one verdict with a record's.
func differs(l retryLine, want map[string]any) string {
	if len(l.Attempts) != 1 {
		return fmt.Sprintf("%d attempts", len(l.Attempts))
	}
	a := l.Attempts[0]
	have := fmt.Sprint(a.Retryable, a.Kind, a.Phase, a.Scope, a.Status)
	wish := fmt.Sprint(want["retryable"], text(want["kind"]), text(want["phase"]), text(want["scope"]), number(want["statusCode"]))
	if asked, ok := want["retryAfterMs"].(float64); ok && (a.Asked == nil || *a.Asked != asked) || !ok && a.Asked != nil {
		return fmt.Sprintf("retry-after %v, want %v", a.Asked, want["retryAfterMs"])
	}
	if have != wish {
		return have + ", want " + wish
	}
	// The product's longer texts are our own.
	if m := text(want["message"]); m != a.Message && !strings.ContainsRune(m, '<') {
		return fmt.Sprintf("%q, want %q", a.Message, m)
	}
	if want["uiMessage"] != nil != (a.Notice != "") {
		return "notice " + a.Notice
	}
	return ""
}

var byCode = []string{"--policy", "mimo-2026-09,mimo-head,opencode-1.14.19", "--set", "mimo/retry.network_by_metadata=false"}

func TestRetryFrontDoorDecide(t *testing.T) {
	d := &door{t: t}
	records := retryGolden(t, "decide")
	own := 0
	for _, rec := range records {
		a := map[string]any{"phase": rec["phase"], "scope": rec["scope"], "ts": goldenNow}
		keys, ok := plain(object(rec["error"])["value"])
		if !ok {
			keys = map[string]any{"error": thrown(rec["error"])}
		} else {
			own++
		}
		for k, v := range keys {
			a[k] = v
		}
		d.session(text(rec["id"]), a)
	}
	lines := d.run(byCode...)
	n := 0
	for _, rec := range records {
		for policy, want := range object(rec["out"]) {
			n++
			if why := differs(lines[text(rec["id"])+" "+policy], object(want)); why != "" {
				t.Errorf("%s %s: %s", rec["id"], policy, why)
			}
		}
	}
	t.Logf("%d of %d records expressed (%d in the format's own keys, the others as the agent's own error), %d verdicts", len(records), len(records), own, n)
}

// wire is a raw error as a recording of the traffic would have it.
func wire(rec map[string]any) map[string]any {
	raw, ctx := object(rec["raw"]), object(rec["ctx"])
	a := map[string]any{"phase": rec["phase"], "scope": rec["scope"], "ts": goldenNow, "provider": ctx["provider_id"]}
	if allow, ok := ctx["allow404"].(bool); ok {
		a["adapter"] = map[bool]string{true: "openai-compatible", false: "other"}[allow]
	}
	if ctx["aborted"] == true {
		a["outcome"] = "aborted"
	}
	switch text(raw["form"]) {
	case "object": // a frame of a stream
		return with(a, map[string]any{"body": rec["frame"]})
	case "dom_abort":
		return with(a, map[string]any{"name": "AbortError", "message": raw["message"]})
	case "retry_error":
		return with(a, map[string]any{"name": "AI_RetryError", "message": raw["message"], "errors": object(thrown(raw))["errors"]})
	}
	e := object(thrown(raw))
	out := with(a, map[string]any{"message": raw["message"], "status": raw["status"], "headers": raw["headers"], "body": raw["body"], "code": raw["code"],
		"is_retryable": raw["is_retryable"], "cause": e["cause"], "errors": e["errors"]})
	if text(raw["form"]) == "error" {
		out["name"] = e["name"]
	}
	return out
}

func with(a, more map[string]any) map[string]any {
	for k, v := range more {
		a[k] = v
	}
	return a
}

func TestRetryFrontDoorPipeline(t *testing.T) {
	d := &door{t: t}
	records := retryGolden(t, "pipeline")
	for _, rec := range records {
		d.session(text(rec["id"]), wire(rec))
	}
	all := d.lines.String()
	lines := d.run(byCode...)
	d.lines.WriteString(all)
	article := d.run("--policy", "mimo-2026-09")
	n := 0
	for _, rec := range records {
		for policy, want := range object(rec["out"]) {
			n++
			l, ok := lines[text(rec["id"])+" "+policy]
			if !ok {
				l = article[text(rec["id"])+" mimo-2026-09"]
			}
			if why := differs(l, object(want)); why != "" {
				t.Errorf("%s %s: %s\n%s", rec["id"], policy, why, jsonOf(t, rec["raw"]))
			}
		}
		n++
		up := lines[text(rec["id"])+" opencode-1.14.19"].Attempts[0]
		if want := text(rec["opencode_retry_message"]); up.Retryable != (want != "") || up.Message != want && !strings.ContainsRune(want, '<') {
			t.Errorf("%s opencode: %v %q, want %q", rec["id"], up.Retryable, up.Message, want)
		}
	}
	t.Logf("%d of %d records expressed, %d verdicts", len(records), len(records), n)
}

// config writes a configuration and returns the flag for it.
func config(t *testing.T, v any) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mimo.json")
	if err := os.WriteFile(file, []byte(jsonOf(t, v)), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"--mimo-config", file}
}

// The golden sequences draw their jitter, a replay shows its range: each wait
// must lie in it, and a draw of one half must be met exactly. Where draws move
// a deadline, the place of the stop must lie between the walks at both ends.
func TestRetryFrontDoorPolicy(t *testing.T) {
	groups := make(map[string][]map[string]any)
	var keys []string
	for _, rec := range retryGolden(t, "policy") {
		key := text(rec["preset"]) + " " + jsonOf(t, rec["config"])
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], rec)
	}
	records, waits, exact, drawn := 0, 0, 0, 0
	for _, key := range keys {
		d := &door{t: t}
		for _, rec := range groups[key] {
			now := int64(1788000000000)
			var attempts []map[string]any
			for _, v := range rec["seq"].([]any) {
				f := object(v)
				now += int64(number(f["took_ms"]))
				a := map[string]any{"error": object(rec["errors"])[text(f["error"])], "phase": "stream", "scope": rec["scope"], "delay_ms": 0,
					"ts": fmt.Sprintf("2026-08-29T%02d:%02d:%02d.%03dZ", now/3600000%24, now/60000%60, now/1000%60, now%1000)}
				if f["replay_safe"] == false {
					a["after_call"] = true
				}
				if rec["main"] == false {
					a["lane"] = "sub"
				}
				attempts = append(attempts, a)
			}
			d.session(text(rec["id"]), attempts...)
		}
		first := groups[key][0]
		lines := d.run(append(config(t, first["config"]), "--policy", text(first["preset"]), "--set", "mimo/retry.network_by_metadata=false")...)
		for _, rec := range groups[key] {
			records++
			l := lines[text(rec["id"])+" "+text(rec["preset"])]
			seq := rec["seq"].([]any)
			for i, v := range rec["out"].([]any) {
				want := object(v)
				if i >= len(l.Attempts) {
					t.Errorf("%s: %d attempts, want more", rec["id"], len(l.Attempts))
					break
				}
				a := l.Attempts[i]
				stops := want["stop"] == true
				if stops != (a.Stop != "") {
					if a.Stop == "deadline" || stops && draws(seq[:i+1]) {
						drawn++ // the draws before moved the clock
						break
					}
					t.Errorf("%s attempt %d: stop %q, want %v", rec["id"], i+1, a.Stop, stops)
					break
				}
				if stops {
					break
				}
				w, random := number(want["wait_ms"]), number(object(seq[i])["random"])
				waits++
				switch {
				case a.Least == nil || w < *a.Least || w > *a.Most:
					t.Errorf("%s attempt %d: %v not in [%v, %v]", rec["id"], i+1, w, a.Least, a.Most)
				case random == 0.5 && w != *a.Expect, random == 0 && w != *a.Least:
					t.Errorf("%s attempt %d: %v, want %v", rec["id"], i+1, *a.Expect, w)
				case random == 0.5 || random == 0 || *a.Least == *a.Most:
					exact++
				}
				if want["silent"] == true != a.Silent || want["silent"] != true && text(want["kind"]) != a.Kind {
					t.Errorf("%s attempt %d: %s silent %v, want %v", rec["id"], i+1, a.Kind, a.Silent, want)
				}
				if most := number(want["max_attempts"]); want["silent"] != true && (most > 0) != (a.Limit != nil) && !(a.Limit != nil && *a.Limit == 0) {
					t.Errorf("%s attempt %d: limit %v, want %v", rec["id"], i+1, a.Limit, most)
				}
			}
		}
	}
	t.Logf("%d of %d sequences expressed; %d waits in their range, %d of them exactly; %d stops moved by a draw", records, records, waits, exact, drawn)
	if drawn*20 > records {
		t.Errorf("%d of %d stops moved by a draw: too many to be the deadline's", drawn, records)
	}
}

// draws reports whether some failure drew a jitter off the middle.
func draws(seq []any) bool {
	return slices.ContainsFunc(seq, func(v any) bool { return number(object(v)["random"]) != 0.5 })
}

func TestRetryFrontDoorDelay(t *testing.T) {
	type point struct{ initial, most, jitter float64 }
	groups := make(map[point][]map[string]any)
	var points []point
	up := &door{t: t}
	expressed, total := 0, 0
	var upstream []map[string]any
	repeat := func(n float64, a map[string]any) (list []map[string]any) {
		for range int(n) {
			list = append(list, a)
		}
		return list
	}
	for _, rec := range retryGolden(t, "delay") {
		total++
		switch text(rec["fn"]) {
		case "retry_delay":
			p := point{number(rec["initial"]), number(rec["max"]), number(rec["jitter"])}
			if groups[p] == nil {
				points = append(points, p)
			}
			groups[p] = append(groups[p], rec)
		case "opencode_delay":
			data := map[string]any{"message": "m", "isRetryable": true}
			if rec["headers"] != nil {
				data["responseHeaders"] = rec["headers"]
			}
			up.session(text(rec["id"]), repeat(number(rec["attempt"]), map[string]any{"error": map[string]any{"name": "APIError", "data": data}, "ts": goldenNow})...)
			upstream = append(upstream, rec)
		case "opencode_retryable":
			up.session(text(rec["id"]), map[string]any{"error": rec["error"], "ts": goldenNow})
			upstream = append(upstream, rec)
		}
	}
	lines := up.run("--policy", "opencode-1.14.19")
	for _, rec := range upstream {
		expressed++
		l := lines[text(rec["id"])+" opencode-1.14.19"]
		last := l.Attempts[len(l.Attempts)-1]
		if text(rec["fn"]) == "opencode_delay" {
			if last.Expect == nil || *last.Expect != number(rec["out"]) {
				t.Errorf("%s: waits %v, want %v", rec["id"], last.Expect, rec["out"])
			}
		} else if want := text(rec["out"]); last.Retryable != (want != "") || last.Message != want && !strings.ContainsRune(want, '<') {
			t.Errorf("%s: %v %q, want %q", rec["id"], last.Retryable, last.Message, want)
		}
	}
	for _, p := range points {
		d := &door{t: t}
		for _, rec := range groups[p] {
			data := map[string]any{"message": "m", "isRetryable": true}
			if asked, ok := rec["retry_after_ms"].(float64); ok {
				data["responseHeaders"] = map[string]any{"retry-after-ms": strconv.FormatFloat(asked, 'f', -1, 64)}
			}
			d.session(text(rec["id"]), repeat(number(rec["attempt"]), map[string]any{"error": map[string]any{"name": "APIError", "data": data}, "phase": "stream", "ts": goldenNow})...)
		}
		cfg := map[string]any{"retry": map[string]any{"unknown": map[string]any{"mode": "persistent", "noDeadline": true, "initialDelayMs": p.initial, "maxDelayMs": p.most, "jitterRatio": p.jitter}}}
		lines := d.run(append(config(t, cfg), "--policy", "mimo-2026-09")...)
		for _, rec := range groups[p] {
			expressed++
			l := lines[text(rec["id"])+" mimo-2026-09"]
			a := l.Attempts[len(l.Attempts)-1]
			want, random := number(rec["out"]), number(rec["random"])
			switch {
			case a.Least == nil || want < *a.Least || want > *a.Most || random == 0 && want != *a.Least || random == 0.5 && want != *a.Expect:
				t.Errorf("%s: %v at %v, range %v %v %v", rec["id"], want, random, *a.Least, *a.Expect, *a.Most)
			case random > 0.99 && math.Abs(want-*a.Most) > 1+*a.Most*1e-4:
				t.Errorf("%s: %v at %v, the most is %v", rec["id"], want, random, *a.Most)
			}
		}
	}
	t.Logf("%d of %d records expressed", expressed, total)
}

// budgetErrors gives an error of each kind.
var budgetErrors = map[string]map[string]any{
	"network":    {"name": "Error", "message": "x", "code": "ECONNRESET"},
	"server":     {"name": "APIError", "data": map[string]any{"message": "x", "statusCode": 503, "isRetryable": true}},
	"rate_limit": {"name": "APIError", "data": map[string]any{"message": "x", "statusCode": 429, "isRetryable": true}},
	"unknown":    {"name": "APIError", "data": map[string]any{"message": "x", "isRetryable": true}},
	"stream":     {"name": "APIError", "data": map[string]any{"message": "x", "isRetryable": true, "responseBody": `{"error":{"code":"stream_read_error"}}`}},
}

func TestRetryFrontDoorBudget(t *testing.T) {
	d := &door{t: t}
	var records, resolved []map[string]any
	total := 0
	for _, rec := range retryGolden(t, "budget") {
		total++
		dec := object(rec["decision"])
		switch e := budgetErrors[text(dec["kind"])]; {
		case text(rec["fn"]) != "budget_for":
			resolved = append(resolved, rec)
		case e != nil && !(text(dec["kind"]) == "stream" && text(dec["phase"]) == "request"): // that row makes the phase stream
			d.session(text(rec["id"]), map[string]any{"error": e, "phase": dec["phase"], "scope": dec["scope"], "ts": goldenNow})
			records = append(records, rec)
		}
	}
	lines := d.run(byCode...)
	for _, rec := range records {
		l := lines[text(rec["id"])+" "+text(rec["preset"])]
		if got := l.Attempts[0].Budget; got != text(rec["budget"]) {
			t.Errorf("%s: %s, want %s", rec["id"], got, rec["budget"])
		}
	}
	for _, rec := range resolved {
		cfg := rec["config"]
		if cfg == nil {
			cfg = map[string]any{}
		}
		var out, errs bytes.Buffer
		o := cli.Options{}
		o.Stdout, o.Stderr = &out, &errs
		args := append(config(t, cfg), "--policy", text(rec["preset"]), "--provider", text(rec["provider_id"]), "--format", "json")
		o.Args = append([]string{"list", "policies"}, args...)
		if code := cli.Main(o); code != 0 {
			t.Fatalf("%s: exit %d: %s", rec["id"], code, errs.String())
		}
		var rep struct {
			Sections []struct {
				Rows []map[string]any `json:"rows"`
			} `json:"sections"`
		}
		if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
			t.Fatal(err)
		}
		value := make(map[string]string)
		for _, row := range rep.Sections[1].Rows {
			value[text(row["id"])] = text(row["value"])
		}
		for name, v := range object(rec["out"]) {
			b := object(v)
			if b == nil {
				continue // the jitter that serves nobody
			}
			id := "mimo/retry." + map[string]string{"maxCandidate": "max_candidate", "maxJudge": "max_judge", "rateLimit": "rate_limit"}[name]
			if strings.HasSuffix(id, ".") {
				id += name
			}
			want := map[string]string{".mode": text(b["mode"]), ".max_retries": "none", ".deadline_ms": fmt.Sprint(int64(number(b["maxElapsedMs"]))),
				".initial_delay_ms": fmt.Sprint(int64(number(b["initialDelayMs"]))), ".max_delay_ms": fmt.Sprint(int64(number(b["maxDelayMs"]))),
				".jitter_percent": fmt.Sprint(int64(math.Round(100 * number(b["jitterRatio"]))))}
			if n, ok := b["maxRetries"].(float64); ok {
				want[".max_retries"] = fmt.Sprint(int64(n))
			}
			for k, w := range want {
				if value[id+k] != w {
					t.Errorf("%s %s%s: %s, want %s", rec["id"], id, k, value[id+k], w)
				}
			}
		}
	}
	t.Logf("%d of %d records expressed", len(records)+len(resolved), total)
}
