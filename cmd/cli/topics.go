package cli

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/formats/script"
	"groundhog/report/board"
)

//go:embed help
var helpTexts embed.FS

// topics are help pages that are no commands: groundhog help session.
func (a *app) topics() []*cobra.Command {
	topic := func(name, short, long string) *cobra.Command {
		c := &cobra.Command{Use: name, Short: short, Long: long}
		c.SetHelpTemplate("{{.Long}}\n")
		return c
	}
	file := func(name, short string) *cobra.Command {
		text, err := helpTexts.ReadFile("help/" + name + ".txt")
		if err != nil {
			panic(err) // the file is part of the program
		}
		return topic(name, short, strings.TrimSuffix(string(text), "\n"))
	}
	return []*cobra.Command{
		topic("session", "The .session notation for transcripts that a person types", script.Help()),
		file("views", "Production, shadow and standalone, and the tiers E, C and H"),
		file("stream", "Fires inside a response: how text is split, what a stop saves, near misses"),
		file("attempts", "How failed requests are recorded, and what retry prints of them"),
		file("rules", "The files of groundhog vet --rules"),
		file("labels", "What a label says, who counts, and how a place is judged"),
		file("config", "groundhog.yaml and the environment"),
		topic("numbers", "What each number of a report is, in a paragraph each", strings.TrimSuffix(board.Numbers, "\n")),
		file("exit-codes", "What the exit status says"),
	}
}
