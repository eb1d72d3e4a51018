package mimo

import (
	"fmt"
	"strings"
	"testing"

	"groundhog/detectors"
)

func TestReadConfig(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{}`, ``},
		{`{"retry": {"network": {"mode": "bounded"}}, "experimental": {"other": [1]}, "provider": {"a": {"retry": 1, "options": {"apiKey": {}}}}}`, ``},
		{`{"experimental": {"loop_streak_recovery": true}}`, `experimental.loop_streak_recovery: mimo/thinking_streak.enabled=true`},
		{`{"experimental": {"loop_streak_recovery": false}}`, `experimental.loop_streak_recovery: mimo/thinking_streak.enabled=false`},
		{`{"experimental": {"loop_streak_recovery": {"max_span": 8, "x": null, "trigger_count": 2e0, "enabled": true}}}`,
			`experimental.loop_streak_recovery.max_span: mimo/thinking_streak.max_span=8, ` +
				`experimental.loop_streak_recovery.trigger_count: mimo/thinking_streak.trigger_count=2, ` +
				`experimental.loop_streak_recovery.enabled: mimo/thinking_streak.enabled=true`},
		{`{"provider": {"b": {"options": {"chunkTimeout": 90000}}, "a.b": {"options": {"chunkTimeout": 60000.0}}}}`,
			`provider.b.options.chunkTimeout: mimo/chunk_timeout.timeout_ms=90000, provider.a.b.options.chunkTimeout: mimo/chunk_timeout.timeout_ms=60000`},
	} {
		keys, err := ReadConfig([]byte(test.in))
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
		}
		var list []string
		for _, k := range keys {
			list = append(list, fmt.Sprintf("%s: %s=%s", k.Key, k.ID, k.Value))
		}
		if got := strings.Join(list, ", "); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.in, got, test.want)
		}
	}
}

func TestReadConfigErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{``, "expected a JSON object: "},
		{`[]`, "expected an object, found []"},
		{`{} {}`, "expected one JSON object and nothing after it"},
		{`{"provider": {}} // mine`, "expected one JSON object and nothing after it"},
		{`{"provider": }`, "expected a JSON object: "},
		{`{"provider": 1, "provider": {}}`, "duplicate"},
		{`{"provider": []}`, "provider: expected an object, found []"},
		{`{"provider": {"a": "b"}}`, `provider.a: expected an object, found "b"`},
		{`{"provider": {"a": {"options": null}}}`, `provider.a.options: expected an object, found null`},
		{`{"provider": {"a": {"options": {"chunkTimeout": 0}}}}`, `provider.a.options.chunkTimeout: expected a whole number of milliseconds from 1 to 1000000, found 0`},
		{`{"provider": {"a": {"options": {"chunkTimeout": 1.5}}}}`, `provider.a.options.chunkTimeout: expected a whole number of milliseconds from 1 to 1000000, found 1.5`},
		{`{"provider": {"a": {"options": {"chunkTimeout": 1e400}}}}`, `provider.a.options.chunkTimeout: expected a whole number`},
		{`{"provider": {"a": {"options": {"chunkTimeout": false}}}}`, `provider.a.options.chunkTimeout: expected a whole number`},
		{`{"experimental": {"loop_streak_recovery": "on"}}`, `experimental.loop_streak_recovery: expected true, false or an object, found "on"`},
		{`{"experimental": {"loop_streak_recovery": {"enabled": 1}}}`, `experimental.loop_streak_recovery.enabled: expected true or false, found 1`},
		{`{"experimental": {"loop_streak_recovery": {"max_span": "` + strings.Repeat("x", 99) + `"}}}`, "xxx…"},
	} {
		if _, err := ReadConfig([]byte(test.in)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.in, err, test.want)
		}
	}
}

// Whatever a file holds, what is read from it is a setting that the presets take.
func FuzzReadConfig(f *testing.F) {
	f.Add(`{"experimental": {"loop_streak_recovery": {"enabled": true, "trigger_count": 2, "max_span": 1}}, "provider": {"a": {"options": {"chunkTimeout": 1000000}}}}`)
	f.Add(`{"experimental": {"loop_streak_recovery": "x"}}`)
	f.Fuzz(func(t *testing.T, in string) {
		keys, err := ReadConfig([]byte(in))
		if err != nil {
			return
		}
		set := detectors.Settings{}
		for _, k := range keys {
			set[k.ID] = k.Value
		}
		if err := preset(t, "mimo-head").Check(set); err != nil {
			t.Errorf("%q gives %v: %v", in, set, err)
		}
	})
}
