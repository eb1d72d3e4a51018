package unread_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/openai"
	"groundhog/formats/parquet"
	"groundhog/formats/stream"
	"groundhog/formats/streamjson"
	"groundhog/formats/taubench"
	"groundhog/formats/unread"
)

func list() []*formats.Format {
	return append([]*formats.Format{openai.Format, taubench.Format, parquet.Format,
		streamjson.Format, stream.OpenAI, stream.Anthropic, stream.Responses, stream.Cassette}, unread.List...)
}

// folders are the formats of the samples: by folder, or by folder and the end
// of a name where a folder mixes formats. "" is a file of no format.
var folders = map[string]string{
	"aider":                                 "aider",
	"atif":                                  "atif",
	"claude_stream_json":                    "claude-stream-json",
	"cline":                                 "cline",
	"codex":                                 "codex",
	"copilot_cli":                           "copilot-cli",
	"gemini_cli":                            "gemini-cli",
	"inspect_eval":                          "inspect-eval",
	"inspect_json":                          "inspect-json",
	"langfuse":                              "langfuse",
	"litellm_completions":                   "openai",
	"mini_swe_agent":                        "mini-swe-agent",
	"moatless":                              "moatless",
	"openai_messages":                       "openai",
	"openhands_events":                      "openhands-events",
	"openhands_events traj_":                "openhands-sdk", // an array of the newer events
	"openhands_events LLM_one":              "",              // a prompt
	"openhands_output":                      "openhands-output",
	"openhands_sdk":                         "openhands-sdk",
	"otel_spans":                            "spans",
	"parquet":                               "no table of sessions: expected the columns of events.parquet, or a list of messages in each row", // the results of a scan
	"pi":                                    "pi",
	"qwen":                                  "qwen",
	"specstory":                             "specstory",
	"sse_anthropic":                         "anthropic-stream",
	"sse_anthropic anthropic-claude-sonnet": "http-cassette",
	"sse_openai":                            "openai-stream",
	"sse_responses":                         "responses-stream",
	"swe_agent":                             "swe-agent",
	"tau2":                                  "tau2",
	"tau_bench":                             "tau-bench",
	"trae":                                  "trae",
	"vcr_err":                               "http-cassette",
	"vcr_sse":                               "http-cassette",
}

func TestSamples(t *testing.T) {
	root := formattest.Shared(t, "samples")
	files := formats.Files{Paths: []string{root}, Formats: list()}
	found, err := files.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	got := map[string]string{}
	for _, s := range found.Skipped {
		got[s.Path] = cmp.Or(s.Format, s.Why)
	}
	for _, u := range found.Units {
		got[u.Session.Origin.File] = u.Session.Origin.Format
	}
	for _, c := range found.Copies { // request logs that a later one continues
		for _, file := range c.Dropped {
			got[file] = got[c.Kept]
		}
	}
	for path, format := range got {
		rel, _ := filepath.Rel(root, path)
		folder, name := filepath.Split(rel)
		folder = filepath.Clean(folder)
		want, ok := folders[folder]
		if folder == "." || folder == "claude_code" { // another reader's
			ok = true
		}
		for key, w := range folders {
			if dir, part, found := strings.Cut(key, " "); found && dir == folder && strings.Contains(name, part) {
				want = w
			}
		}
		if !ok {
			t.Errorf("%s: a folder this test does not know", rel)
		}
		if want == "" && strings.Contains(format, "no known format") {
			continue
		}
		if format != want {
			t.Errorf("%s: %s, want %q", rel, format, want)
		}
	}
	if len(got) < 100 {
		t.Errorf("%d files; the samples are not all there", len(got))
	}
}
