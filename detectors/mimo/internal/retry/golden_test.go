package retry

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// golden yields the records of one file: all of the shared data where it is
// there, else the sample that stands in testdata.
func golden(t *testing.T, name string, f func(t *testing.T, id string, raw jsontext.Value)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl.gz"))
	if dir := os.Getenv("GROUNDHOG_SHARED"); dir != "" {
		if data, err = os.ReadFile(filepath.Join(dir, "golden", name+".jsonl")); err != nil {
			t.Fatalf("GROUNDHOG_SHARED is set: %v", err)
		}
	} else if err == nil {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		raw := jsontext.Value(bytes.Clone(lines.Bytes()))
		f(t, str(field(raw, "id")).S, raw)
		n++
	}
	if n < 20 {
		t.Errorf("%s: only %d records", name, n)
	}
	t.Logf("%s: %d records", name, n)
}

// unmarshal reads into a struct, with the names as they stand.
func unmarshal(t *testing.T, raw jsontext.Value, to any) {
	t.Helper()
	if err := json.Unmarshal(raw, to, jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
}

type wanted struct {
	Retryable  bool     `json:"retryable"`
	Kind       string   `json:"kind"`
	Phase      string   `json:"phase"`
	Scope      string   `json:"scope"`
	Message    string   `json:"message"`
	StatusCode int      `json:"statusCode"`
	RetryAfter *float64 `json:"retryAfterMs"`
	UIMessage  string   `json:"uiMessage"`
}

// Tokens stand for texts of the product, for which we have words of our own.
var tokens = strings.NewReplacer("<upsell>", Notice, "<moderation>", moderation, "<risk-control>", riskControl,
	"<html-401>", unauthorized, "<html-403>", forbidden, "<quota>", quotaMessage, "<usage-not-included>", usageNotInPlan)

func (w wanted) decision() Decision {
	d := Decision{Retry: w.Retryable, Kind: w.Kind, Phase: w.Phase, Scope: w.Scope, Message: tokens.Replace(w.Message), Status: w.StatusCode,
		Notice: tokens.Replace(w.UIMessage)}
	if w.RetryAfter != nil {
		d.Hint = Asked{time.Duration(*w.RetryAfter) * time.Millisecond, true}
	}
	return d
}

// thrownForm turns the data's description of an error into what an agent writes.
func thrownForm(raw jsontext.Value) string {
	if str(field(raw, "form")).S == "object" {
		return string(field(raw, "value"))
	}
	var b strings.Builder
	name := "Error"
	if s := str(field(raw, "ctor")); s.OK {
		name = s.S
	}
	if s := str(field(raw, "name")); s.OK {
		name = s.S
	}
	b.WriteString(`{"name":` + strconv.Quote(name))
	for _, key := range []string{"message", "code", "status", "statusCode"} {
		if v := field(raw, key); v != nil {
			b.WriteString(`,"` + key + `":` + string(v))
		}
	}
	if c := field(raw, "cause"); c.Kind() == '{' {
		b.WriteString(`,"cause":` + thrownForm(c))
	}
	if list := list(field(raw, "errors")); list != nil {
		var all []string
		for _, e := range list {
			all = append(all, thrownForm(e))
		}
		b.WriteString(`,"errors":[` + strings.Join(all, ",") + `]`)
	}
	return b.String() + "}"
}

var versions = map[string]Version{"mimo-2026-09": {}, "mimo-head": {Head: true}, "mimo-2026-09+network_by_metadata": {ByMetadata: true}}

func TestGoldenDecide(t *testing.T) {
	golden(t, "mimo-retry-decide", func(t *testing.T, id string, raw jsontext.Value) {
		var rec struct {
			Now   int64             `json:"now"`
			Error jsontext.Value    `json:"error"`
			Phase string            `json:"phase"`
			Scope string            `json:"scope"`
			Out   map[string]wanted `json:"out"`
		}
		unmarshal(t, raw, &rec)
		for name, want := range rec.Out {
			e := ReadError(thrownForm(rec.Error))
			got := Decide(e, rec.Phase, rec.Scope, versions[name], time.UnixMilli(rec.Now))
			got.Silent = false
			if got != want.decision() {
				t.Errorf("%s %s:\n got %+v\nwant %+v\n%s", id, name, got, want.decision(), rec.Error)
			}
		}
	})
}

func TestGoldenPipeline(t *testing.T) {
	golden(t, "mimo-retry-pipeline", func(t *testing.T, id string, raw jsontext.Value) {
		var rec struct {
			Now   int64          `json:"now"`
			Raw   jsontext.Value `json:"raw"`
			Phase string         `json:"phase"`
			Scope string         `json:"scope"`
			Ctx   struct {
				Provider string `json:"provider_id"`
				Allow404 bool   `json:"allow404"`
				Aborted  bool   `json:"aborted"`
			} `json:"ctx"`
			Normalised jsontext.Value    `json:"normalised"`
			Out        map[string]wanted `json:"out"`
			Upstream   *string           `json:"opencode_retry_message"`
		}
		unmarshal(t, raw, &rec)
		e := Normalise(rawForm(rec.Raw), Context{rec.Ctx.Provider, rec.Ctx.Allow404, rec.Ctx.Aborted})
		want := ReadError(tokens.Replace(string(rec.Normalised)))
		if e.Name != want.Name || e.data().Message != want.data().Message || e.data().Retryable != want.data().Retryable || e.status() != want.status() || e.data().Body != want.data().Body {
			t.Errorf("%s:\n got %s %+v\nwant %s %+v", id, e.Name.S, e.data(), want.Name.S, want.data())
		}
		for name, want := range rec.Out {
			got := Decide(e, rec.Phase, rec.Scope, versions[name], time.UnixMilli(rec.Now))
			got.Silent = false
			if got != want.decision() {
				t.Errorf("%s %s:\n got %+v\nwant %+v\n%s", id, name, got, want.decision(), rec.Raw)
			}
		}
		upstream := Text{}
		if rec.Upstream != nil {
			upstream = Some(tokens.Replace(*rec.Upstream))
		}
		if got := Upstream(e); got != upstream {
			t.Errorf("%s: OpenCode says %v, want %v", id, got, upstream)
		}
	})
}

// rawForm builds the error of the data's description.
func rawForm(raw jsontext.Value) *Raw {
	switch form := str(field(raw, "form")).S; form {
	case "object":
		return &Raw{Frame: string(field(raw, "value"))}
	case "retry_error":
		all := list(field(raw, "errors"))
		return rawForm(all[len(all)-1])
	case "dom_abort":
		return &Raw{Error: Error{Thrown: true, Name: Some(abortError), Message: str(field(raw, "message"))}}
	case "api_call":
		r := &Raw{Error: *ReadError(thrownForm(raw)), HTTP: &Call{Status: firstStatus(raw, "status"), Body: str(field(raw, "body"))}}
		r.Error.Status = 0
		r.HTTP.Headers, r.HTTP.HasHeaders = readHeaders(field(raw, "headers"))
		if f := field(raw, "is_retryable"); f != nil {
			yes := f.Kind() == 't'
			r.HTTP.Retryable = &yes
		}
		return r
	}
	return &Raw{Error: *ReadError(thrownForm(raw))}
}

func TestGoldenBudget(t *testing.T) {
	golden(t, "mimo-retry-budget", func(t *testing.T, id string, raw jsontext.Value) {
		var rec struct {
			Fn       string         `json:"fn"`
			Preset   string         `json:"preset"`
			Config   jsontext.Value `json:"config"`
			Provider string         `json:"provider_id"`
			Decision struct {
				Kind  string `json:"kind"`
				Phase string `json:"phase"`
				Scope string `json:"scope"`
			} `json:"decision"`
			Budget string         `json:"budget"`
			Out    jsontext.Value `json:"out"`
		}
		unmarshal(t, raw, &rec)
		head := rec.Preset == "mimo-head"
		got := Defaults(head)
		switch rec.Fn {
		case "budget_for":
			d := Decision{Kind: rec.Decision.Kind, Phase: rec.Decision.Phase, Scope: rec.Decision.Scope}
			if name := BudgetFor(d, head); name != rec.Budget {
				t.Errorf("%s: %s, want %s", id, name, rec.Budget)
			}
			return
		case "resolve":
			cfg, err := ReadConfig(rec.Config)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			got = *cfg.Resolve(head, rec.Provider)
		}
		for i, name := range Names {
			var want struct {
				Mode    string  `json:"mode"`
				Retries *int    `json:"maxRetries"`
				Elapsed int64   `json:"maxElapsedMs"`
				Initial int64   `json:"initialDelayMs"`
				Most    int64   `json:"maxDelayMs"`
				Jitter  float64 `json:"jitterRatio"`
			}
			unmarshal(t, field(rec.Out, name), &want)
			ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
			b := Budget{Persistent: want.Mode == "persistent", Retries: -1, Deadline: ms(want.Elapsed), Initial: ms(want.Initial), Most: ms(want.Most), Jitter: want.Jitter}
			if want.Retries != nil {
				b.Retries = *want.Retries
			}
			if got[i] != b {
				t.Errorf("%s %s:\n got %+v\nwant %+v\n%s", id, name, got[i], b, rec.Config)
			}
		}
	})
}

func TestGoldenDelay(t *testing.T) {
	golden(t, "mimo-retry-delay", func(t *testing.T, id string, raw jsontext.Value) {
		var rec struct {
			Fn      string         `json:"fn"`
			Attempt int            `json:"attempt"`
			After   *float64       `json:"retry_after_ms"`
			Jitter  float64        `json:"jitter"`
			Initial int64          `json:"initial"`
			Max     int64          `json:"max"`
			Random  float64        `json:"random"`
			Headers jsontext.Value `json:"headers"`
			Now     int64          `json:"now"`
			Error   jsontext.Value `json:"error"`
			Out     jsontext.Value `json:"out"`
		}
		unmarshal(t, raw, &rec)
		var got string
		ms := func(d time.Duration) string {
			return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)
		}
		switch rec.Fn {
		case "retry_delay":
			hint := Asked{}
			if rec.After != nil {
				hint = Asked{time.Duration(math.Round(*rec.After * float64(time.Millisecond))), true}
			}
			got = ms(Delay(rec.Attempt, hint, Budget{Initial: time.Duration(rec.Initial) * time.Millisecond, Most: time.Duration(rec.Max) * time.Millisecond, Jitter: rec.Jitter}, rec.Random))
		case "opencode_delay":
			e := object(APIError, Data{})
			e.Data.Headers, e.Data.HasHeaders = readHeaders(rec.Headers)
			got = ms(UpstreamDelay(rec.Attempt, e, time.UnixMilli(rec.Now)))
		case "opencode_retryable":
			got = "null"
			if s := Upstream(ReadError(string(rec.Error))); s.OK {
				q, _ := jsontext.AppendQuote(nil, s.S)
				got = string(q)
			}
		default:
			t.Fatalf("%s: unknown function %q", id, rec.Fn)
		}
		if want := tokens.Replace(string(rec.Out)); got != want {
			t.Errorf("%s: %s, want %s\n%s", id, got, want, raw)
		}
	})
}
