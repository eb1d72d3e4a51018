package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// fill takes what the command line does not say from the configuration.
func (j *judging) fill(cmd *cobra.Command, c *config) {
	j.selection, j.seed = c.selection(), c.seed()
	if !cmd.Flags().Changed("cluster") {
		j.cluster = c.cluster()
	}
	if !cmd.Flags().Changed("prevalence") {
		j.prevalence = c.words("report.prevalence")
	}
}

// costsOr are the costs of the configuration, in the form of --costs, where the
// command line names none. They apply where all four are set, and one share of
// loops: for several shares a cost means nothing.
func (j *judging) costsOr(cmd *cobra.Command, c *config, given string) string {
	if cmd.Flags().Changed("costs") || len(j.prevalence) != 1 {
		return given
	}
	var parts []string
	for _, name := range []string{"false_stop", "missed_loop", "wasted_call", "nudge"} {
		x, ok := c.number("costs." + name)
		if !ok {
			return given
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, x))
	}
	return strings.Join(parts, ",")
}
