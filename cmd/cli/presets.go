package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/replay"
)

// choice is the flags that say which presets to ask, with which settings.
type choice struct {
	presets []string
	set     []string
	uses    []presetUse // those of the configuration; the command line's, if it names any

	files    agentConfigs      // settings files of agents
	fromFile map[string]string // ids of the parameters that they give, with the flag
	retries  bool              // the files have keys of retries, which this command reads as well
}

func (c *choice) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVarP(&c.presets, "preset", "p", nil, "preset to ask, may be repeated (default "+
		strings.Join(a.Default, ", ")+"); groundhog list presets")
	f.StringArrayVar(&c.set, "set", nil, "change a parameter, ID=VALUE; groundhog list params")
	c.files.flags(a, cmd, presetHelp)
	cmd.RegisterFlagCompletionFunc("preset", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return a.presetNames(), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RegisterFlagCompletionFunc("set", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		for _, p := range a.presets {
			for _, q := range p.Params() {
				ids = append(ids, q.ID+"=")
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

func (a *app) presetNames() []string {
	var names []string
	for _, p := range a.presets {
		names = append(names, p.Name)
	}
	return names
}

// configs resolves the choice. A preset is asked once, however often it is named.
func (c *choice) configs(a *app) ([]replay.Config, error) {
	uses := c.uses
	if len(uses) == 0 {
		names := c.presets
		if len(names) == 0 {
			names = a.Default
		}
		for _, name := range names {
			uses = append(uses, presetUse{name: name})
		}
	}
	var list []replay.Config
	for _, u := range uses {
		p := family.FindPreset(u.name, a.presets)
		if p == nil {
			if t := a.removed(u.name); t != "" {
				return nil, usagef("%s%q is no preset: %s", u.where(": "), u.name, t)
			}
			return nil, usagef("%sunknown preset %q: expected one of %s", u.where(": "), u.name,
				strings.Join(a.presetNames(), ", "))
		}
		if slices.ContainsFunc(list, func(have replay.Config) bool { return have.Preset == p }) {
			if len(u.set) > 0 {
				return nil, usagef("%s%s stands twice", u.where(": "), p.Name)
			}
			continue
		}
		cfg := replay.Config{Preset: p, Set: detectors.Settings{}}
		for _, s := range u.set {
			if err := a.assign([]replay.Config{cfg}, u.where(": set"), s); err != nil {
				return nil, err
			}
		}
		if err := p.Check(cfg.Set); err != nil {
			return nil, usagef("%s %v", u.where(": set"), err)
		}
		list = append(list, cfg)
	}
	if err := c.configure(a, list); err != nil {
		return nil, err
	}
	for _, s := range c.set {
		if err := a.assign(list, "--set", s); err != nil {
			return nil, err
		}
	}
	for _, cfg := range list {
		if err := cfg.Preset.Check(cfg.Set); err != nil {
			return nil, usagef("--set %v", err)
		}
	}
	return list, nil
}

// where is the place of a use in the configuration, with more after it; "" for
// the command line.
func (u *presetUse) where(more string) string {
	if u.from == "" {
		return ""
	}
	return u.from + more
}

// assign gives ID=VALUE to every preset that has the parameter. where is what
// says so, for errors.
func (a *app) assign(list []replay.Config, where, spec string) error {
	id, _, err := replay.SplitSetting(spec)
	if err != nil {
		return usagef("%s %v", where, err)
	}
	taken := false
	for _, cfg := range list {
		s, err := replay.ParseSetting(cfg.Preset.Params(), spec)
		switch {
		case errors.Is(err, replay.ErrNoParam):
			continue
		case err != nil:
			return usagef("%s %v", where, err)
		}
		cfg.Set[s.Param.ID] = s.Value
		taken = true
	}
	if taken {
		return nil
	}
	return usagef("%s %s: %s", where, id, a.unknown(id, list))
}

// removed explains the name of a detector that an agent no longer has, with or
// without its family; "" if it is none.
func (a *app) removed(detector string) string {
	if t := family.FindRemoved(detector, family.Removed(a.Families)); t != nil {
		return t.String()
	}
	return ""
}

// unknown explains a parameter that no preset in use has.
func (a *app) unknown(id string, list []replay.Config) string {
	detector, _, _ := strings.Cut(id, ".")
	if t := a.removed(detector); t != "" {
		return t
	}
	_, name, _ := strings.Cut(id, ".")
	var close []string
	for _, cfg := range list {
		for _, q := range cfg.Preset.Params() {
			if _, n, _ := strings.Cut(q.ID, "."); strings.Contains(q.ID, detector) || n == name {
				close = append(close, q.ID)
			}
		}
	}
	slices.Sort(close)
	close = slices.Compact(close)
	if len(close) == 0 {
		return "no preset in use has this parameter; groundhog list params"
	}
	return "no preset in use has this parameter; did you mean " + strings.Join(close[:min(len(close), 5)], ", ") + "?"
}
