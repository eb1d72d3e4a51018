package cli

import (
	"errors"
	"fmt"
	"os"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/report/gate"
)

// readBaseline reads the file.
func (a *app) readBaseline(path string) (*gate.Baseline, error) {
	a.keeping(path)
	src, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usagef("no baseline at %s: make one with groundhog gate init, or name it with --baseline", path)
	}
	if err != nil {
		return nil, &exitError{exitData, err}
	}
	b, err := gate.DecodeBaseline(src)
	if err != nil {
		return nil, &exitError{exitData, fmt.Errorf("%s: %w", path, err)}
	}
	return b, nil
}

// writeBaseline writes the file, which may be the one that was read.
func (a *app) writeBaseline(path string, b *gate.Baseline) error {
	raw, err := b.Encode()
	if err != nil {
		return err
	}
	return a.rewriteFile(path, raw)
}

// oneConfig is the configuration to gate: the one preset that was named, or that
// of the baseline with its settings. base is nil where there is none yet.
func (o *measuring) oneConfig(a *app, base *gate.Baseline) (replay.Config, error) {
	ch := o.choice
	if len(ch.uses) == 0 && len(ch.presets) == 0 {
		switch {
		case base == nil:
			ch.presets = a.Default[:1]
		case family.FindPreset(base.Preset, a.presets) == nil:
			return replay.Config{}, usagef("the baseline is of %s, which this version does not have: name a preset", base.Preset)
		default:
			p := family.FindPreset(base.Preset, a.presets)
			use := presetUse{name: base.Preset}
			for _, q := range p.Params() { // those that are gone are reported by the gate
				if v, ok := base.Set[q.ID]; ok && v != valueOr(p, q) {
					use.set = append(use.set, q.ID+"="+v)
				}
			}
			ch.uses = []presetUse{use}
		}
	}
	configs, err := ch.configs(a)
	if err != nil {
		return replay.Config{}, err
	}
	if len(configs) != 1 {
		return replay.Config{}, usagef("a baseline is about one preset, and %d are named: choose with --preset", len(configs))
	}
	return configs[0], nil
}

// valueOr is what a preset sets a parameter to by itself.
func valueOr(p *detectors.Preset, q detectors.Param) string {
	if v, ok := p.Set[q.ID]; ok {
		return v
	}
	return q.Default
}
