package cli

import (
	"github.com/spf13/cobra"

	"groundhog/formats/script"
)

// topics are help pages that are no commands: groundhog help session.
func (a *app) topics() []*cobra.Command {
	topic := func(name, short, long string) *cobra.Command {
		c := &cobra.Command{Use: name, Short: short, Long: long}
		c.SetHelpTemplate("{{.Long}}\n")
		return c
	}
	return []*cobra.Command{
		topic("session", "The .session notation for transcripts that a person types", script.Help()),
		topic("views", "Production, shadow and standalone, and the tiers E, C and H", views),
		topic("attempts", "How failed requests are recorded, and what retry prints of them", attempts),
		topic("exit-codes", "What the exit status says", exitCodes),
	}
}

const views = `A preset is an ordered list of paths. At each decision point the first path that speaks wins.

  production  what a user of the agent would have seen: the winners. masked names the others.
  shadow      what every path asked for at the decision points of production
  standalone  one path alone, with a memory of its own

Numbers do not add up over paths: a path that is masked in production may fire standalone.

A recording shows what happened, and not what would have happened after another answer:

  E  exact: at or before the first thing the agent would have heard
  C  conditional: assumes that the agent goes on as recorded
  H  hypothetical: a stop by the ladder, if the agent ignored every nudge before it

Fires after the first delivered stop of a run are open: true in jsonl. A stop that a path asked for itself
also ends the counts of its run: the fires of later steps are in jsonl only. A stop by the ladder does not,
because it is hypothetical: fires after it are counted, although they are open.`

const exitCodes = `  0    all went well
  2    wrong usage: an unknown flag, preset or parameter, a value out of its type
  3    data: a file or session that was asked for could not be read, or a label contradicts itself.
       Each is named on stderr; everything else was replayed.
  70   a mistake of this program; please report it
  130  interrupted

Files met while walking a folder that hold no transcripts are named in the report and change nothing.`
