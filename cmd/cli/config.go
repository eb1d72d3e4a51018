package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
)

// configName is the file that is looked for, from the working directory upwards.
const configName = "groundhog.yaml"

// A config is what groundhog.yaml and the environment say, and then the command
// line: flags > environment > file > defaults.
type config struct {
	file   string  // "" if there is none
	values []value // as settings

	presets     []presetUse // those of the file
	presetsFrom string
	rules       []gateRule // every rule, as it applies
	allow       []gateException
}

// A value is the words of a setting and where they come from.
type value struct {
	words []string
	from  string // a flag, a variable, a place in the file, or default
}

// A presetUse is a preset with the changes made to it.
type presetUse struct {
	name string
	set  []string // ID=VALUE
	from string   // "" for the command line
}

// words are those of a setting.
func (c *config) words(key string) []string { return c.value(key).words }

// word is the one word of a setting; "" if nothing is said.
func (c *config) word(key string) string {
	return strings.Join(c.value(key).words, " ")
}

// number is a setting as a number; ok is false if nothing is said.
func (c *config) number(key string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(c.word(key), 64)
	return x, err == nil
}

// seed is that of everything that is drawn.
func (c *config) seed() uint64 {
	n, _ := strconv.ParseUint(c.word("report.seed"), 10, 64) // checked when it was read
	return n
}

// selection is how the sessions of the corpus were chosen.
func (c *config) selection() corpus.Selection {
	s, _ := corpus.ParseSelection(c.word("corpus.selection")) // checked when it was read
	return s
}

// cluster is one of corpus.ClusterKeys.
func (c *config) cluster() string {
	key, _ := corpus.ParseClusterKey(c.word("corpus.cluster"))
	return key
}

func (c *config) value(key string) *value {
	for i, s := range settings {
		if s.key == key {
			return &c.values[i]
		}
	}
	panic("no setting " + key)
}

// variable is the name of a setting in the environment; "" for the version,
// which is the file's own, and a likely name for something else.
func variable(key string) string {
	if key == "version" {
		return ""
	}
	return "GROUNDHOG_" + strings.ToUpper(strings.NewReplacer(".", "_").Replace(key))
}

// presetsVariable names the presets to ask.
const presetsVariable = "GROUNDHOG_PRESETS"

// newConfig is what applies where nobody says anything.
func newConfig() *config {
	c := &config{rules: defaultRules()}
	for _, s := range settings {
		c.values = append(c.values, value{s.def, "default"})
	}
	return c
}

// loadConfig reads the configuration without the command line's part.
func (a *app) loadConfig() (*config, error) {
	c := newConfig()
	file, err := a.findConfig()
	if err != nil {
		return nil, err
	}
	if file != "" {
		a.reading(file)
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, usagef("%v", err)
		}
		c.file = filepath.ToSlash(file)
		ignored, err := c.parse(src, a.ignoreUnknown)
		for _, key := range ignored {
			a.warnf("%s", key)
		}
		if err != nil {
			return nil, &usageError{err}
		}
	}
	return c, c.environment()
}

// environment takes what variables say. An empty variable says nothing.
func (c *config) environment() error {
	for i, s := range settings {
		name := variable(s.key)
		text := os.Getenv(name)
		if name == "" || text == "" {
			continue
		}
		words := []string{text}
		switch {
		case s.path && s.list:
			words = filepath.SplitList(text)
		case s.list:
			words = strings.Split(text, ",")
		}
		for _, w := range words {
			if s.check == nil {
				break
			}
			if err := s.check(w); err != nil {
				return usagef("%s: %v", name, err)
			}
		}
		c.values[i] = value{words, name}
	}
	if text := os.Getenv(presetsVariable); text != "" {
		c.presets, c.presetsFrom = nil, presetsVariable
		for _, name := range strings.Split(text, ",") {
			c.presets = append(c.presets, presetUse{name: name, from: presetsVariable})
		}
	}
	return nil
}

// findConfig is the file of --config, else of GROUNDHOG_CONFIG, else the
// nearest one from the working directory upwards; "" if there is none.
func (a *app) findConfig() (string, error) {
	if a.configPath != "" {
		return a.configPath, nil
	}
	if name := os.Getenv("GROUNDHOG_CONFIG"); name != "" {
		return name, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", nil // a folder that is gone has no file either
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, configName)
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().IsRegular():
			if near, err := filepath.Rel(here, path); err == nil {
				path = near // outputs name no absolute path
			}
			return path, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && dir == here:
			return "", usagef("%v", err)
		case dir == filepath.Dir(dir):
			return "", nil
		}
	}
}

// configured is the one thing that a command calls: it fills in what the
// command line does not say, from the environment, groundhog.yaml or the
// defaults, and gives the configuration in force. Parts that a command lacks
// are nil. The demo corpus has its own sessions and labels.
func (a *app) configured(cmd *cobra.Command, in *inputs, ch *choice, views *[]string) (*config, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	if in != nil {
		paths, labels := c.value("corpus.paths"), c.value("labels")
		switch {
		case in.demo:
			*paths, *c.value("corpus.selection") = value{nil, "--demo"}, value{nil, "--demo"}
			if len(in.labels) == 0 {
				*labels = value{nil, "--demo"}
			}
		case len(in.paths) > 0:
			*paths = value{in.paths, "command line"}
		default:
			in.paths = paths.words
		}
		if len(in.labels) > 0 {
			*labels = value{in.labels, "--labels"}
		} else {
			in.labels = slices.Clone(labels.words)
		}
	}
	if ch != nil {
		if len(ch.presets) > 0 {
			c.presets, c.presetsFrom = nil, "--preset"
			for _, name := range ch.presets {
				c.presets = append(c.presets, presetUse{name: name})
			}
		}
		ch.uses = c.presets
	}
	if views != nil {
		v := c.value("views")
		if cmd.Flags().Changed("view") {
			*v = value{*views, "--view"}
		} else {
			*views = v.words
		}
	}
	return c, nil
}
