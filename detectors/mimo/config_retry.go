package mimo

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"groundhog/detectors/mimo/internal/retry"
)

// A RetryConfig is the retry keys of a configuration of MiMo Code: retry and
// provider.ID.retry. Other keys are somebody else's.
type RetryConfig struct{ read *retry.Config }

// Providers are those with retry keys of their own, in the order of the file.
func (c *RetryConfig) Providers() (ids []string) {
	for _, p := range c.read.Providers {
		if p.Overrides != (retry.Overrides{}) && !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Empty says that the file has no retry keys that are read.
func (c *RetryConfig) Empty() bool {
	return c.read.Global == (retry.Overrides{}) && len(c.Providers()) == 0
}

// ReadRetryConfig reads a JSON configuration. The error says where in it, as the
// path of the key, and what was expected.
func ReadRetryConfig(data []byte) (*RetryConfig, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("expected a JSON object: %w", err)
	}
	v = v.Clone()
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("expected one JSON object and nothing after it")
	}
	c, err := retry.ReadConfig(v)
	if err != nil {
		return nil, err
	}
	return &RetryConfig{c}, nil
}

// Idle lists keys of the configuration that are legal and have no effect.
func (c *RetryConfig) Idle() []string { return c.read.Idle }
