package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors/policy"
	"groundhog/report"
)

// listPolicies lists the retry policies and their parameters, as a
// configuration leaves them.
func (a *app) listPolicies(format *string) *cobra.Command {
	var files agentConfigs
	var provider string
	var names []string
	cmd := &cobra.Command{
		Use:   "policies",
		Short: "Every retry policy, with its parameters and the values in force",
		Example: "  groundhog list policies\n" +
			"  groundhog list policies --policy mimo-2026-09 --mimo-config mimo.json --provider openai",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			config, err := a.policiesUnder(files, provider)
			if err != nil {
				return err
			}
			known := config.policies
			list := known
			if len(names) > 0 {
				if list, err = policiesNamed(names, known); err != nil {
					return err
				}
			}
			r := &report.Report{Title: "list policies", Sections: []report.Section{policies(list)}}
			if len(names) > 0 || *format == "json" {
				r.Sections = append(r.Sections, policyParams(list))
			} else {
				r.Sections[0].Lines = []string{"parameters: groundhog list policies --policy NAME"}
			}
			return a.print(r, *format)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&names, "policy", "p", nil, "only these, with their parameters")
	files.flags(a, cmd, retryHelp)
	f.StringVar(&provider, "provider", "", "show the values that hold for this provider of the configuration")
	return cmd
}

func policies(list []*policy.Policy) report.Section {
	s := report.Section{Key: "policies", Title: "retry policies", Columns: []report.Column{{Key: "name", Name: "NAME",
		Keep: true}, {Key: "layers", Name: "LAYERS", Keep: true},
		{Key: "title", Name: "WHAT", Keep: true}, {Key: "source", Name: "SOURCE"}}}
	for _, p := range list {
		title, _, _ := strings.Cut(p.Doc, "\n")
		r, err := p.At(nil)
		if err != nil {
			panic(p.Name + ": a default is not legal: " + err.Error())
		}
		var layers []string
		for _, l := range r.Layers {
			layers = append(layers, l.Name)
		}
		if len(layers) == 1 {
			layers = []string{"one"}
		}
		s.Add(report.Text(p.Name), report.Text(strings.Join(layers, ", ")), report.Text(title), report.Text(p.Source))
	}
	return s
}

func policyParams(list []*policy.Policy) report.Section {
	s := report.Section{Key: "params", Title: "parameters", Columns: []report.Column{{Key: "policy", Name: "POLICY",
		Keep: true}, {Key: "id", Name: "ID", Keep: true},
		{Key: "value", Name: "VALUE", Keep: true}, {Key: "doc", Name: "WHAT"}}}
	for _, p := range list {
		for _, q := range p.Params() {
			s.Add(report.Text(p.Name), report.Text(q.ID), report.Text(q.Default), report.Text(describe(q)))
		}
	}
	return s
}
