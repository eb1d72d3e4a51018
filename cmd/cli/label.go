package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/corpus"
)

func (a *app) labelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "label",
		Short: "Say what sessions are, and what to look at next",
		Long: "Labels say what a person found in a session: work, a loop from call to call, or a gap that nobody is meant " +
			"to\n" +
			"catch. See groundhog help labels. Without --labels the file is the one of groundhog.yaml.",
		Example: "  groundhog label suggest traces/\n" +
			"  groundhog label add 7f3a -l labels.yaml --loop onset=5,ideal=7,end=41 --shape exact_dup --by ann\n" +
			"  groundhog label stats -l labels.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("label %s: expected add, adjudicate, review, suggest, stats, lint, import or export", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.labelAddCommand(), a.labelAdjudicateCommand(), a.labelReviewCommand(), a.labelSuggestCommand(),
		a.labelStatsCommand(), a.labelLintCommand(), a.labelImportCommand(), a.labelExportCommand())
	return cmd
}

// labelsFlag is the flag that names label files, where nothing else is read.
func labelsFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVarP(to, "labels", "l", nil, "file or folder of labels (default: labels of groundhog.yaml)")
}

// labelPaths are the label files of the command line or the configuration.
func (a *app) labelPaths(cmd *cobra.Command, given []string) ([]string, error) {
	in := &inputs{labels: given}
	if _, err := a.configured(cmd, in, nil, nil); err != nil {
		return nil, err
	}
	if len(in.labels) == 0 {
		return nil, usagef("no label file: name one with --labels FILE, or labels: in groundhog.yaml")
	}
	return in.labels, nil
}

// newLabels is the file that a folder's new labels go to.
const newLabels = "labels.yaml"

// A labelFile is where labels are written, with all that is said so far.
type labelFile struct {
	path   string
	labels *corpus.Labels
}

// labelFile reads the labels and says where a new one goes. There is one place.
func (a *app) labelFile(cmd *cobra.Command, given []string) (*labelFile, error) {
	paths, err := a.labelPaths(cmd, given)
	if err != nil {
		return nil, err
	}
	if len(paths) > 1 {
		return nil, usagef("labels are written to one place: name one of %s with --labels", strings.Join(paths, ", "))
	}
	f := &labelFile{path: paths[0], labels: &corpus.Labels{}}
	if err := a.readLabelFiles(paths, f.labels); err != nil {
		return nil, err
	}
	if info, err := os.Stat(f.path); err == nil && info.IsDir() || strings.HasSuffix(f.path, "/") {
		f.path = filepath.ToSlash(filepath.Join(f.path, newLabels))
	}
	return f, nil
}

// readLabelFiles reads labels; a file that is not there holds none. Each bad
// label is a line on stderr.
func (a *app) readLabelFiles(paths []string, labels *corpus.Labels) error {
	bad := 0
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			continue
		}
		for _, e := range flatten(labels.Read(path)) {
			a.warnf("labels: %v", e)
			bad++
		}
	}
	if bad > 0 {
		return &dataError{bad}
	}
	return nil
}

// add writes one label. A reader who has labelled the session before has to
// say that this is a correction.
func (a *app) addLabel(f *labelFile, l *corpus.Label, revise bool) error {
	for _, r := range f.labels.Readings(l.Session) {
		if r.Label.Reader() != l.Reader() {
			continue
		}
		if !revise {
			return usagef("session %s is labelled in %s by the same reader (%s): --revise corrects that, --by NAME is a "+
				"second opinion", l.Session, r.From, l.Reader())
		}
		l.Version = r.Label.Version + 1
	}
	if err := f.labels.Add(l, f.path); err != nil { // also fills in what it leaves out
		return usagef("%v", unplaced(err))
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return usagef("%v", err)
	}
	if err := corpus.Append(f.path, []*corpus.Label{l}); err != nil {
		return usagef("%v", err)
	}
	fmt.Fprintf(a.Stdout, "%s\n", clean("%s: %s → %s", l.Session, l.Summary(), f.path))
	return nil
}

// unplaced is a label error without its place, for a label that stands nowhere yet.
func unplaced(err error) error {
	var bad *corpus.LabelError
	if errors.As(err, &bad) {
		return errors.New(bad.Msg)
	}
	return err
}
