package family

import "groundhog/detectors/policy"

// A Config is a settings file of the agent, from which settings of its presets
// and its retry policies can be read, so that a user need not translate them.
type Config struct {
	Flag      string // of the command line, without dashes: "mimo-config"
	Help      string // of that flag, where presets are asked
	RetryHelp string // of that flag, where only retry policies are

	Preset    string   // one that takes such settings, for advice
	Keys      []string // those that are read for presets, for advice
	Ambiguous string   // why two keys may give one parameter two values

	// Settings reads the keys that presets take, in the order of the file; the others
	// are somebody else's. An error names the key and says what was expected.
	Settings func(file []byte) ([]Setting, error)
	// Retry reads the keys that retry policies take. Errors are as for Settings.
	Retry func(file []byte) (*RetrySettings, error)
}

// A Setting is a key of a settings file that says what a parameter is.
type Setting struct {
	Key   string // in the file: "provider.xiaomi.options.chunkTimeout"
	ID    string // of the parameter: "mimo/chunk_timeout.timeout_ms"
	Value string // as a setting
}

// RetrySettings are the keys of a settings file that retry policies take.
type RetrySettings struct {
	// Policies are the family's policies under the file, in the family's order.
	// provider is that of requests whose record does not name one; "" is none.
	Policies  func(provider string) []*policy.Policy
	Providers []string // those with keys of their own, in the order of the file
	Empty     bool     // there are no such keys
	Notes     []string // keys that are legal and have no effect, each as a sentence
}
