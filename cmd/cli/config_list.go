package cli

import (
	_ "embed" // the schema
	"strings"

	"github.com/spf13/cobra"

	"groundhog/replay"
	"groundhog/report"
)

// configSchema is the JSON Schema of groundhog.yaml, for editors.
//
//go:embed groundhog.schema.json
var configSchema string

func (a *app) listConfigCommand(format *string) *cobra.Command {
	var in inputs
	var ch choice
	var views []string
	var schema bool
	cmd := &cobra.Command{
		Use:   "config [PATH…]",
		Short: "Every value in force, and where it comes from: a flag, a variable, a line of groundhog.yaml, a default",
		Example: "  groundhog list config\n" +
			"  groundhog list config --preset kocoro-2026-03   # what a flag would change\n" +
			"  groundhog list config --schema > groundhog.schema.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				_, err := a.Stdout.Write([]byte(configSchema))
				return err
			}
			in.paths = args
			c, err := a.configured(cmd, &in, &ch, &views)
			if err != nil {
				return err
			}
			if _, err := ch.configs(a); err != nil {
				return err
			}
			return a.print(&report.Report{Title: "list config", Notes: c.notes(),
				Sections: []report.Section{a.listConfig(c, &ch)}}, *format)
		},
	}
	ch.flags(a, cmd)
	cmd.Flags().StringArrayVarP(&in.labels, "labels", "l", nil, "file or folder of labels")
	cmd.Flags().StringSliceVar(&views, "view", []string{string(replay.Production)}, "views whose fires are listed")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of groundhog.yaml instead")
	return cmd
}

func (c *config) notes() []string {
	if c.file == "" {
		return []string{"no groundhog.yaml here or in a folder above"}
	}
	return []string{"file: " + c.file}
}

func (a *app) listConfig(c *config, ch *choice) report.Section {
	s := report.Section{Key: "config", Title: "values in force",
		Doc: "flags come before variables (GROUNDHOG_…), variables before the file, the file before defaults",
		Columns: []report.Column{{Key: "key", Name: "KEY", Keep: true}, {Key: "value", Name: "VALUE", Keep: true},
			{Key: "from", Name: "FROM", Keep: true},
			{Key: "variable", Name: "VARIABLE"}, {Key: "doc", Name: "WHAT"}}}
	row := func(key, value, from, variable, doc string) {
		cell := report.Text(value)
		if value == "" {
			cell = report.Cell{Kind: report.KindNull}
		}
		s.Add(report.Text(key), cell, report.Text(from), report.Text(variable), report.Text(doc))
	}
	presets := func() {
		const doc = "presets to ask, with what is changed in them"
		if len(c.presets) == 0 {
			row("presets", strings.Join(a.Default, ", "), "default", presetsVariable, doc)
		}
		for _, u := range c.presets {
			from := u.from
			if from == "" {
				from = c.presetsFrom
			}
			row("presets", strings.Join(append([]string{u.name}, u.set...), " "), from, presetsVariable, doc)
		}
		for _, set := range ch.set {
			row("presets", set, "--set", "", "a change to every preset that has the parameter")
		}
	}
	for i, v := range c.values {
		if settings[i].key == "views" {
			presets()
		}
		row(settings[i].key, strings.Join(v.words, ", "), v.from, variable(settings[i].key), settings[i].doc)
	}
	for i := range c.rules {
		r := &c.rules[i]
		from := r.from
		if from == "" {
			from = "default"
		}
		row("gate.rules."+r.name, r.String(), from, "", r.doc)
	}
	for _, e := range c.allow {
		row("gate.allow", strings.Join([]string{e.session, e.detector, e.level, "until " + e.expires, e.owner + ": " +
			e.reason}, ", "), e.from, "", "a flip that somebody answers for")
	}
	return s
}
