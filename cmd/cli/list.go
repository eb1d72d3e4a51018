package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/report"
)

func (a *app) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List detectors, presets, parameters, retry policies, formats, tools, what was removed, and the configuration",
		Example: "  groundhog list detectors\n" +
			"  groundhog list params --preset kocoro-2026-03\n" +
			"  groundhog list presets --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("list %s: expected detectors, presets, params, policies, formats, tools, removed or config", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	format := cmd.PersistentFlags().String("format", "text", "text or json")
	add := func(use, short string, section func() (report.Section, error)) *cobra.Command {
		c := &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: func(*cobra.Command, []string) error {
			s, err := section()
			if err != nil {
				return err
			}
			return a.print(&report.Report{Title: "list " + use, Sections: []report.Section{s}}, *format)
		}}
		cmd.AddCommand(c)
		return c
	}
	add("detectors", "Every detector, with what it means by no progress, why it exists and its parameters",
		a.listDetectors)
	add("presets", "Every preset, oldest first", a.listPresets)
	var names choice
	params := add("params", "Every parameter of a preset, with the value in force and where it comes from",
		func() (report.Section, error) { return a.listParams(&names) })
	names.flags(a, params)
	cmd.AddCommand(a.listPolicies(format))
	add("formats", "Formats that are read, and those that are only recognised", a.listFormats)
	add("tools", "The mapping of other agents' tools to Kocoro's", a.listTools)
	add("removed", "Detectors that an agent no longer has, and what covers their loops", a.listRemoved)
	cmd.AddCommand(a.listConfigCommand(format))
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// print writes a report to stdout.
func (a *app) listDetectors() (report.Section, error) {
	s := report.Section{Key: "detectors", Title: "detectors", Columns: []report.Column{{Key: "field", Keep: true},
		{Key: "value", Keep: true}}}
	row := func(field, value string) {
		if value != "" {
			s.Add(report.Text(field), report.Text(value))
		}
	}
	for _, d := range a.detectors {
		title, rest, _ := strings.Cut(d.Doc, "\n\n")
		row(d.Name, title)
		row("", rest)
		row("  incident", d.Origin.Incident)
		row("  source", d.Origin.Source)
		row("  for loops of shape", strings.Join(d.Targets, ", "))
		row("  said to be covered by", strings.Join(d.External, "; "))
		row("  retired", d.Retired)
		for _, q := range d.Params {
			row("  "+q.ID, describe(q))
		}
		row("", " ")
	}
	row("shared", "parameters that several detectors share")
	listed := make(map[string]bool)
	for _, d := range a.detectors {
		for _, q := range d.Shared {
			if !listed[q.ID] {
				listed[q.ID] = true
				row("  "+q.ID, describe(q))
			}
		}
	}
	return s, nil
}

// describe is a parameter in a line.
func describe(q detectors.Param) string {
	switch q.Kind {
	case detectors.Int:
		return fmt.Sprintf("%s (default %s, sensible %d to %d)", q.Doc, q.Default, q.Lo, q.Hi)
	case detectors.Choice:
		return fmt.Sprintf("%s (default %s; %s)", q.Doc, q.Default, strings.Join(q.Options, ", "))
	}
	return fmt.Sprintf("%s (default %q)", q.Doc, q.Default)
}

func (a *app) listPresets() (report.Section, error) {
	s := report.Section{Key: "presets", Title: "presets", Columns: []report.Column{{Key: "name", Name: "NAME", Keep: true},
		{Key: "date", Name: "DATE", Keep: true},
		{Key: "title", Name: "WHAT", Keep: true}, {Key: "detectors", Name: "DETECTORS"}, {Key: "source", Name: "SOURCE"}}}
	for _, p := range a.presets {
		title, _, _ := strings.Cut(p.Doc, "\n")
		name := p.Name
		if len(p.Aliases) > 0 {
			name += " (" + strings.Join(p.Aliases, ", ") + ")"
		}
		s.Add(report.Text(name), report.Text(p.Date), report.Text(title), report.Cell{Kind: report.KindCount, N: int64(len(p.Detectors))},
			report.Text(p.Source))
	}
	return s, nil
}

func (a *app) listParams(c *choice) (report.Section, error) {
	s := report.Section{Key: "params", Title: "parameters", Columns: []report.Column{{Key: "preset", Name: "PRESET",
		Keep: true}, {Key: "id", Name: "ID", Keep: true},
		{Key: "value", Name: "VALUE", Keep: true}, {Key: "from", Name: "FROM"}, {Key: "doc", Name: "WHAT"}}}
	configs, err := c.configs(a)
	if err != nil {
		return s, err
	}
	for _, cfg := range configs {
		for _, q := range cfg.Preset.Params() {
			value, from := q.Default, "default"
			if v, ok := cfg.Preset.Set[q.ID]; ok {
				value, from = v, "preset"
			}
			if v, ok := cfg.Set[q.ID]; ok {
				value, from = v, "--set"
				if c.fromFile[q.ID] != "" && !c.sets(q.ID) {
					from = c.fromFile[q.ID]
				}
			}
			s.Add(report.Text(cfg.Preset.Name), report.Text(q.ID), report.Text(value), report.Text(from), report.Text(describe(q)))
		}
	}
	return s, nil
}

func (a *app) listFormats() (report.Section, error) {
	s := report.Section{Key: "formats", Title: "formats",
		Doc: "told by content, never by name; --input-format NAME settles it",
		Columns: []report.Column{{Key: "name", Name: "NAME", Keep: true}, {Key: "status", Name: "STATUS", Keep: true},
			{Key: "title", Name: "WHAT", Keep: true}}}
	for _, f := range a.Formats {
		title, _, _ := strings.Cut(f.Doc, "\n")
		status := "read"
		switch {
		case f.Find == nil:
			status = "recognised, not read yet"
		case f.Write != nil:
			status = "read and written"
		}
		s.Add(report.Text(f.Name), report.Text(status), report.Text(title))
	}
	return s, nil
}

func (a *app) listTools() (report.Section, error) {
	tools := a.tools()
	if tools == nil {
		return report.Section{Key: "tools", Lines: []string{"no family of this build looks at the names of tools"}}, nil
	}
	s := report.Section{Key: "tools", Title: tools.Title, Doc: tools.Doc, Columns: report.Cols("tool", "TOOL", "as", "AS"),
		Lines: tools.Notes}
	for _, m := range tools.Mappings {
		s.Add(m.Foreign, m.Own)
	}
	return s, nil
}

// tools are those by which single calls are looked at; nil if no family has any.
func (a *app) tools() *family.Tools {
	for i := range a.Families {
		if t := a.Families[i].Tools; t != nil {
			return t
		}
	}
	return nil
}

func (a *app) listRemoved() (report.Section, error) {
	s := report.Section{Key: "removed", Title: "removed detectors", Columns: []report.Column{{Key: "name", Name: "NAME",
		Keep: true}, {Key: "date", Name: "REMOVED", Keep: true},
		{Key: "why", Name: "WHY", Keep: true}, {Key: "covered", Name: "COVERED BY", Keep: true}, {Key: "preset",
			Name: "LAST PRESET", Keep: true}}}
	for _, r := range family.Removed(a.Families) {
		s.Add(report.Text(r.Name), report.Text(r.Date), report.Text(r.Why), report.Text(r.Covered), report.Text(r.Preset))
	}
	return s, nil
}
