package cli

import (
	"io"
	"os"
	"strings"

	"groundhog/detectors/family"
	"groundhog/detectors/mimo"
	"groundhog/replay"
)

// mimoConfigHelp says which value is meant where a session does not.
const mimoConfigHelp = "settings of the MiMo presets from MiMo Code's JSON configuration: experimental.loop_streak_recovery and\n" +
	"provider.ID.options.chunkTimeout. A session does not say which provider answered, so one timeout holds for all;\n" +
	"where providers differ, --set mimo/chunk_timeout.timeout_ms=N has to say which. --set wins over the file"

// maxMimoConfig bounds the file, so that a wrong one is found out.
const maxMimoConfig = 16 << 20

// mimoConfigFile is the text of the file.
func mimoConfigFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("--mimo-config: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMimoConfig+1))
	if err != nil {
		return nil, usagef("--mimo-config: %v", err)
	}
	if len(data) > maxMimoConfig {
		return nil, usagef("--mimo-config %s: longer than %d MiB, which no configuration is", path, maxMimoConfig>>20)
	}
	return data, nil
}

// readMimoConfig reads the keys of the file.
func readMimoConfig(path string) ([]family.Setting, error) {
	data, err := mimoConfigFile(path)
	if err != nil {
		return nil, err
	}
	keys, err := mimo.ReadConfig(data)
	if err != nil {
		return nil, usagef("--mimo-config %s: %v", path, err)
	}
	return keys, nil
}

// configure gives the presets in use what the file says. Keys that contradict
// each other have to be settled by --set.
func (c *choice) configure(a *app, list []replay.Config) error {
	if c.mimoConfig == "" {
		return nil
	}
	keys, err := readMimoConfig(c.mimoConfig)
	if err != nil {
		return err
	}
	if len(keys) == 0 && !c.retries {
		a.warnf("--mimo-config %s: it has neither experimental.loop_streak_recovery nor provider.ID.options.chunkTimeout, and changes nothing", c.mimoConfig)
	}
	given := make(map[string]family.Setting)
	c.fromMimo = make(map[string]bool)
	for _, k := range keys {
		if first, ok := given[k.ID]; ok && first.Value != k.Value && !c.sets(k.ID) {
			return usagef("--mimo-config %s: %s is %s and %s is %s: say --set %s=N, since sessions do not name their provider",
				c.mimoConfig, first.Key, first.Value, k.Key, k.Value, k.ID)
		}
		given[k.ID] = k
		taken := false
		for _, cfg := range list {
			q, err := cfg.Preset.Resolve(k.ID)
			if err == nil && q != nil {
				cfg.Set[q.ID] = k.Value
				taken, c.fromMimo[q.ID] = true, true
			}
		}
		if !taken {
			return usagef("--mimo-config %s: %s: no preset in use has %s; choose one with --preset mimo-2026-09", c.mimoConfig, k.Key, k.ID)
		}
	}
	return nil
}

// sets reports whether --set gives a parameter, by its full or short id.
func (c *choice) sets(id string) bool {
	_, short, _ := strings.Cut(id, "/")
	for _, s := range c.set {
		if name, _, _ := strings.Cut(s, "="); name == id || name == short {
			return true
		}
	}
	return false
}
