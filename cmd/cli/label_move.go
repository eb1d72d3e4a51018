package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
)

// traces is the vocabulary of Kocoro's acceptance corpus, as a format.
const traces = "acceptance"

func (a *app) labelImportCommand() *cobra.Command {
	var given []string
	var format string
	var revise bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Add the labels of other files",
		Long: "Import adds labels from YAML, JSON, JSONL or CSV, told by the ending of the name. With --from acceptance it " +
			"reads\n" +
			"traces with a class (productive, loop, known_gap) and expected signals (3/6: first nudge, first stop), as CSV " +
			"with\n" +
			"the columns trace,class,expected,calls or as JSONL. All labels are added, or none.",
		Example: "  groundhog label import reviewed.csv -l labels.yaml\n" +
			"  groundhog label import traces.csv --from acceptance -l labels.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("label import: name a file of labels")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "" && format != traces {
				return usagef("--from %s: expected %s; other formats are told by the ending of the name", format, traces)
			}
			return a.importLabels(cmd, given, args, format == traces, revise)
		},
	}
	labelsFlag(cmd, &given)
	cmd.Flags().StringVar(&format, "from", "", "acceptance: traces of Kocoro's acceptance corpus")
	cmd.Flags().BoolVar(&revise, "revise", false, "correct what the same readers said before")
	return cmd
}

func (a *app) importLabels(cmd *cobra.Command, given, files []string, acceptance, revise bool) error {
	file, err := a.labelFile(cmd, given)
	if err != nil {
		return err
	}
	more := &corpus.Labels{}
	bad := 0
	for _, path := range files {
		read := more.Read
		if acceptance {
			read = more.ReadAcceptance
		}
		for _, e := range flatten(read(path)) {
			a.warnf("labels: %v", e)
			bad++
		}
	}
	var list []*corpus.Label
	for _, l := range more.All() {
		known := false
		for _, r := range file.labels.Readings(l.Session) {
			if r.Label.Reader() != l.Reader() {
				continue
			}
			known = l.Says(r.Label)
			if revise && !known {
				l.Version = max(l.Version, r.Label.Version+1)
			}
		}
		if known {
			continue
		}
		if err := file.labels.Add(l, more.Where(l.Session)); err != nil {
			a.warnf("labels: %v; --revise takes the newer one", err)
			bad++
			continue
		}
		list = append(list, l)
	}
	if bad > 0 {
		a.warnf("nothing was added to %s", file.path)
		return &dataError{bad}
	}
	if len(list) > 0 {
		if err := os.MkdirAll(filepath.Dir(file.path), 0o777); err != nil {
			return usagef("%v", err)
		}
		if err := corpus.Append(file.path, list); err != nil {
			return usagef("%v", err)
		}
	}
	fmt.Fprintf(a.Stdout, "%s\n", clean("added %d labels to %s; %d were there already", len(list), file.path,
		len(more.All())-len(list)))
	return nil
}

func (a *app) labelExportCommand() *cobra.Command {
	var given []string
	var format, output string
	var counting bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write labels in another format",
		Long: "Export writes all labels, sorted: yaml, json, jsonl, csv (one row for each loop, tolerated stretch and " +
			"answer), or\n" +
			"acceptance (traces with a class and expected signals). The first four are read back as they were.",
		Example: "  groundhog label export -l labels.yaml --format csv > labels.csv\n" +
			"  groundhog label export -l labels/ --format yaml --counting -o one.yaml",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			labels, err := a.allLabels(cmd, given)
			if err != nil {
				return err
			}
			return a.exportLabels(labels, format, output, counting)
		},
	}
	labelsFlag(cmd, &given)
	cmd.Flags().StringVar(&format, "format", "yaml", strings.Join(corpus.LabelFormats, ", ")+" or "+traces)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of stdout")
	cmd.Flags().BoolVar(&counting, "counting", false, "only the label of each session that counts, not every reader's")
	cmd.RegisterFlagCompletionFunc("format", fixed(append([]string{traces}, corpus.LabelFormats...)...))
	return cmd
}

func (a *app) exportLabels(labels *corpus.Labels, format, output string, counting bool) error {
	list := labels.All()
	if counting || format == traces {
		list = nil
		for _, session := range labels.Sessions() {
			list = append(list, labels.Of(session))
		}
	}
	var text []byte
	var left []string
	var err error
	if format == traces {
		text, left, err = corpus.WriteAcceptance(list)
	} else {
		text, err = corpus.Write(format, list)
	}
	if err != nil {
		return usagef("%v", err)
	}
	if len(left) > 0 {
		a.warnf("%s cannot hold the labels of %d sessions: %s", format, len(left), strings.Join(left, ", "))
	}
	if output == "" || output == "-" {
		_, err := a.Stdout.Write(text)
		return wroteErr(err)
	}
	return a.writeFile(output, text)
}
