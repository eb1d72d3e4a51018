package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"groundhog/formats/openai"
	"groundhog/formats/parquet"
)

// The rows of a data set as one is published.
type (
	function struct {
		Name      string  `parquet:"name,dict"`
		Arguments *string `parquet:"arguments"`
	}
	toolCall struct {
		ID       *string   `parquet:"id"`
		Type     *string   `parquet:"type"`
		Function *function `parquet:"function,optional"`
	}
	message struct {
		Role       string     `parquet:"role,dict"`
		Content    *string    `parquet:"content"`
		ToolCalls  []toolCall `parquet:"tool_calls,list,optional"`
		ToolCallID *string    `parquet:"tool_call_id"`
		Name       *string    `parquet:"name"`
	}
	trajectory struct {
		ID       string    `parquet:"trajectory_id"`
		Instance string    `parquet:"instance_id"`
		Resolved *bool     `parquet:"resolved"`
		Messages []message `parquet:"messages,list"`
		Patch    *string   `parquet:"model_patch"`
	}
)

func ref[T any](v T) *T { return &v }

// trajectories are n conversations that grow, and the JSONL of the same.
func trajectories(n int) (rows []trajectory, jsonl string) {
	var lines strings.Builder
	for i := range n {
		row := trajectory{ID: fmt.Sprintf("t%03d", i), Instance: "django-1", Patch: ref("diff")}
		if i%2 == 0 {
			row.Resolved = ref(i%4 == 0)
		}
		row.Messages = append(row.Messages, message{Role: "user", Content: ref("fix it \"now\"\n")})
		list := `{"role":"user","content":"fix it \"now\"\n"}`
		for j := range i % 7 {
			args := fmt.Sprintf(`{"command":"go test ./%d"}`, j)
			row.Messages = append(row.Messages,
				message{Role: "assistant", ToolCalls: []toolCall{
					{ID: ref(fmt.Sprint("c", j)), Type: ref("function"), Function: &function{Name: "bash", Arguments: &args}},
					{ID: ref(fmt.Sprint("d", j)), Function: &function{Name: "think"}},
				}},
				message{Role: "tool", ToolCallID: ref(fmt.Sprint("c", j)), Content: ref(strings.Repeat("FAIL\n", 200*j))},
				message{Role: "tool", ToolCallID: ref(fmt.Sprint("d", j)), Content: ref("")})
			list += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"c%[1]d","type":"function","function":{"name":"bash","arguments":%[2]q}},{"id":"d%[1]d","function":{"name":"think"}}]}`, j, args) +
				fmt.Sprintf(`,{"role":"tool","tool_call_id":"c%d","content":%q},{"role":"tool","tool_call_id":"d%d","content":""}`, j, strings.Repeat("FAIL\n", 200*j), j)
		}
		resolved := ""
		if row.Resolved != nil {
			resolved = fmt.Sprintf(`"resolved":%v,`, *row.Resolved)
		}
		fmt.Fprintf(&lines, "{\"trajectory_id\":%q,\"instance_id\":\"django-1\",%s\"messages\":[%s]}\n", row.ID, resolved, list)
		rows = append(rows, row)
	}
	return rows, lines.String()
}

func writeRows[T any](t testing.TB, rows []T, options ...pq.WriterOption) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "train.parquet")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := pq.NewGenericWriter[T](f, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// A data set of messages is read as the JSONL of its rows is, however the lists
// are spread over pages and row groups, and in whatever order sessions are read.
func TestMessages(t *testing.T) {
	rows, jsonl := trajectories(60)
	plain := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(plain, []byte(jsonl), 0o644); err != nil {
		t.Fatal(err)
	}
	want := decode(t, find(t, plain, openai.Format).Units)
	for _, version := range []int{1, 2} {
		for _, page := range []int{64, 4 << 10, 1 << 20} {
			t.Run(fmt.Sprintf("pages v%d of %d bytes", version, page), func(t *testing.T) {
				name := writeRows(t, rows, pq.DataPageVersion(version), pq.PageBufferSize(page), pq.MaxRowsPerRowGroup(25), pq.Compression(&pq.Snappy))
				found := find(t, name, parquet.Format)
				if len(found.Skipped) > 0 || len(found.Units) != len(want) {
					t.Fatalf("%d sessions, want %d; skipped %+v", len(found.Units), len(want), found.Skipped)
				}
				for _, i := range []int{7, 59, 3, 30, 4, 31} { // out of order first
					compare(t, want[i:i+1], found.Units[i:i+1])
				}
				compare(t, want, found.Units)
			})
		}
	}
}

func TestMessagesAsJSONText(t *testing.T) {
	type row struct {
		ID       string `parquet:"id"`
		Messages string `parquet:"messages"`
		Success  bool   `parquet:"success"`
	}
	name := writeRows(t, []row{
		{"a", `[{"role":"user","content":"hi"},{"role":"assistant","content":"` + "\xed\xa0\x80" + `"}]`, true},
		{"b", `not a list`, false},
		{"c", `[]`, false},
	})
	found := find(t, name, parquet.Format)
	list := decode(t, found.Units)
	if len(list) < 1 || list[0].Session.ID != "a" || !*list[0].Session.Recorded.Success || len(list[0].Steps) != 2 || list[0].Steps[1].Parts[0].Text != "\xed\xa0\x80" {
		t.Errorf("read %+v", list)
	}
	var why []string
	for _, s := range found.Skipped {
		why = append(why, s.Why)
	}
	if diff := cmp.Diff([]string{filepath.ToSlash(name) + ":2: expected messages: an array of objects with a role"}, why); diff != "" {
		t.Error(diff)
	}
}

func TestNoTableOfSessions(t *testing.T) {
	type share struct {
		From  string `parquet:"from"`
		Value string `parquet:"value"`
	}
	type shareGPT struct {
		Conversations []share `parquet:"conversations,list"`
	}
	type numbers struct {
		A int64 `parquet:"a"`
	}
	for _, test := range []struct{ name, want string }{
		{writeRows(t, []shareGPT{{}}), "column conversations has from and value (ShareGPT), which is not read yet: expected role and content"},
		{writeRows(t, []numbers{{1}}), "no table of sessions: expected the columns of events.parquet, or a list of messages in each row"},
	} {
		found := find(t, test.name, parquet.Format)
		if len(found.Units) > 0 || len(found.Skipped) != 1 || found.Skipped[0].Why != test.want {
			t.Errorf("got %+v, want %s", found.Skipped, test.want)
		}
	}
}
