package mimo

import (
	"groundhog/detectors/family"
	"groundhog/detectors/policy"
)

// Family is all that MiMo Code brings to the program, and OpenCode, of which it is
// a fork.
var Family = family.Family{
	Name:            "mimo",
	Title:           "MiMo Code",
	Detectors:       Detectors,
	Presets:         Presets,
	Policies:        Policies,
	Cases:           RetryCases,
	Default:         []string{"mimo-2026-09"},
	DefaultPolicies: []string{"mimo-2026-09", "opencode-1.14.19"},
	Demo:            []string{"mimo-2026-09"},
	Config: &family.Config{
		Flag: "mimo-config",
		Help: "settings of the MiMo presets from MiMo Code's JSON configuration: experimental.loop_streak_recovery and\n" +
			"provider.ID.options.chunkTimeout. A session does not say which provider answered, so one timeout holds for all;\n" +
			"where providers differ, --set mimo/chunk_timeout.timeout_ms=N has to say which. --set wins over the file",
		RetryHelp: "configuration of MiMo Code (JSON), of which retry and provider.ID.retry are read",
		Preset:    "mimo-2026-09",
		Keys:      []string{"experimental.loop_streak_recovery", "provider.ID.options.chunkTimeout"},
		Ambiguous: "sessions do not name their provider",
		Settings:  ReadConfig,
		Retry:     retrySettings,
	},
}

// retrySettings are the retry keys of a configuration of MiMo Code.
func retrySettings(file []byte) (*family.RetrySettings, error) {
	c, err := ReadRetryConfig(file)
	if err != nil {
		return nil, err
	}
	s := &family.RetrySettings{
		Policies:  func(provider string) []*policy.Policy { return WithConfig(c, provider) },
		Providers: c.Providers(),
		Empty:     c.Empty(),
	}
	for _, key := range c.Idle() {
		s.Notes = append(s.Notes, "configuration: "+key+
			" has no effect: each budget has a jitterRatio of its own, and nothing reads the one beside them")
	}
	return s, nil
}
