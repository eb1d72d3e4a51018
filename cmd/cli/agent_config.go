package cli

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors/family"
	"groundhog/detectors/policy"
	"groundhog/replay"
)

// Some agents have a settings file of their own, from which settings of their presets
// and retry policies are read. Which those are, and what their flags are called, the
// families say.

// maxAgentConfig bounds such a file, so that a wrong one is found out.
const maxAgentConfig = 16 << 20

// agentConfigs are the settings files that the command line names, by family.
type agentConfigs map[string]*string

// flags adds a flag for each family with a settings file.
func (c *agentConfigs) flags(a *app, cmd *cobra.Command, help func(*family.Config) string) {
	*c = make(agentConfigs)
	for i := range a.Families {
		if f := &a.Families[i]; f.Config != nil {
			(*c)[f.Name] = cmd.Flags().String(f.Config.Flag, "", help(f.Config))
		}
	}
}

func presetHelp(c *family.Config) string { return c.Help }
func retryHelp(c *family.Config) string  { return c.RetryHelp }

// given lists the families whose file is named, with its path.
func (c agentConfigs) given(a *app) (list []agentConfig) {
	for i := range a.Families {
		f := &a.Families[i]
		if path := c[f.Name]; path != nil && *path != "" {
			list = append(list, agentConfig{f, *path})
		}
	}
	return list
}

// An agentConfig is one settings file that was named.
type agentConfig struct {
	*family.Family
	path string
}

func (c *agentConfig) flag() string { return "--" + c.Config.Flag }

// read is the text of the file.
func (c *agentConfig) read(a *app) ([]byte, error) {
	a.reading(c.path)
	f, err := os.Open(c.path)
	if err != nil {
		return nil, usagef("%s: %v", c.flag(), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAgentConfig+1))
	if err != nil {
		return nil, usagef("%s: %v", c.flag(), err)
	}
	if len(data) > maxAgentConfig {
		return nil, usagef("%s %s: longer than %d MiB, which no configuration is", c.flag(), c.path, maxAgentConfig>>20)
	}
	return data, nil
}

// configure gives the presets in use what the files say. Keys that contradict each
// other have to be settled by --set.
func (c *choice) configure(a *app, list []replay.Config) error {
	for _, file := range c.files.given(a) {
		if err := c.take(a, &file, list); err != nil {
			return err
		}
	}
	return nil
}

func (c *choice) take(a *app, file *agentConfig, list []replay.Config) error {
	data, err := file.read(a)
	if err != nil {
		return err
	}
	keys, err := file.Config.Settings(data)
	if err != nil {
		return usagef("%s %s: %v", file.flag(), file.path, err)
	}
	if len(keys) == 0 && !c.retries {
		a.warnf("%s %s: it has neither %s, and changes nothing", file.flag(), file.path, strings.Join(file.Config.Keys, " nor "))
	}
	given := make(map[string]family.Setting)
	if c.fromFile == nil {
		c.fromFile = make(map[string]string)
	}
	for _, k := range keys {
		if first, ok := given[k.ID]; ok && first.Value != k.Value && !c.sets(k.ID) {
			return usagef("%s %s: %s is %s and %s is %s: say --set %s=N, since %s",
				file.flag(), file.path, first.Key, first.Value, k.Key, k.Value, k.ID, file.Config.Ambiguous)
		}
		given[k.ID] = k
		taken := false
		for _, cfg := range list {
			if q, err := replay.FindParam(cfg.Preset.Params(), k.ID); err == nil {
				cfg.Set[q.ID] = k.Value
				taken, c.fromFile[q.ID] = true, file.flag()
			}
		}
		if !taken {
			return usagef("%s %s: %s: no preset in use has %s; choose one with --preset %s",
				file.flag(), file.path, k.Key, k.ID, file.Config.Preset)
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

// A retryConfig is the retry policies under the settings files that were named.
type retryConfig struct {
	policies []*policy.Policy
	files    []*family.RetrySettings
	notes    []string // what the files say without effect
}

// policiesUnder are the policies of all families, those of an agent under the user's
// file. provider is the one that holds for requests whose record names none.
func (a *app) policiesUnder(files agentConfigs, provider string) (*retryConfig, error) {
	out := &retryConfig{policies: slices.Clone(a.policies)}
	for _, file := range files.given(a) {
		data, err := file.read(a)
		if err != nil {
			return nil, err
		}
		s, err := file.Config.Retry(data)
		if err != nil {
			return nil, usagef("%s %s: %v", file.flag(), file.path, err)
		}
		for _, p := range s.Policies(provider) {
			for i := range out.policies {
				if out.policies[i].Name == p.Name {
					out.policies[i] = p
				}
			}
		}
		out.files, out.notes = append(out.files, s), append(out.notes, s.Notes...)
	}
	return out, nil
}

// empty reports whether no file says anything about retries.
func (c *retryConfig) empty() bool {
	return !slices.ContainsFunc(c.files, func(s *family.RetrySettings) bool { return !s.Empty })
}
