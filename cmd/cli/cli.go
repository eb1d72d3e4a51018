// Package cli is the command line. It parses, asks replay and report, and
// prints; it decides nothing about sessions.
//
// stdout carries the result and nothing else. Errors, notes and progress go to
// stderr, one line each, beginning with "groundhog:".
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"groundhog/detectors"
	"groundhog/detectors/catalog"
	"groundhog/detectors/family"
	"groundhog/detectors/policy"
	"groundhog/formats"
	formatcatalog "groundhog/formats/catalog"
	"groundhog/replay"
	"groundhog/report/render"
)

// Exit codes. 1, 4 and 5 belong to commands that judge.
const (
	exitOK           = 0
	exitFailed       = 1   // what was judged did not pass
	exitUsage        = 2   // wrong usage or configuration
	exitData         = 3   // some input that was asked for could not be read
	exitInconclusive = 4   // the data do not decide, and that was to fail
	exitUnstable     = 5   // two replays of the same input differ
	exitInternal     = 70  // a mistake of this program
	exitOutput       = 74  // an output could not be written
	exitInterrupt    = 130 // Ctrl-C
)

// Options are what a build is made of. The zero value is this program: every family and
// format of the catalogues, the arguments and streams of the process.
type Options struct {
	// Families are the agents whose detectors, presets and retry policies are asked;
	// nil means catalog.All().
	Families []family.Family
	Formats  []*formats.Format // nil means those of the catalogue of formats
	// Default and DefaultPolicies name the presets and policies used where none is
	// named; nil means those that the families name.
	Default, DefaultPolicies []string

	Args           []string  // nil means those of the process
	Stdin          io.Reader // nil means that of the process
	Stdout, Stderr io.Writer // nil means those of the process
}

// fill gives what was left out its default.
func (o *Options) fill() {
	if o.Families == nil {
		o.Families = catalog.All()
	}
	if o.Formats == nil {
		o.Formats = formatcatalog.All
	}
	if o.Default == nil {
		o.Default = family.Concat(o.Families, func(f *family.Family) []string { return f.Default })
	}
	if o.DefaultPolicies == nil {
		o.DefaultPolicies = family.Concat(o.Families, func(f *family.Family) []string { return f.DefaultPolicies })
	}
	if o.Args == nil {
		o.Args = os.Args[1:]
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
}

// app is one run of the program.
type app struct {
	Options
	detectors     []*detectors.Detector // of all families, as presets and policies
	presets       []*detectors.Preset
	policies      []*policy.Policy
	color         string
	configPath    string
	ignoreUnknown bool
	reads, keeps  []string // files that the command reads, and those that it reads to write them anew
	temporary     *temporaryFiles
}

// A usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// A dataError says that input was left out. It has been named on stderr already.
type dataError struct{ n int }

func (e *dataError) Error() string { return fmt.Sprintf("%d inputs were left out", e.n) }

// A failure says that what a command judged did not pass.
type failure struct{ why string }

func (e *failure) Error() string { return e.why }

// An exitError ends the program with a status of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// memory is where the garbage collector begins to work harder than it has to,
// in bytes: a gigabyte of sessions is replayed within 200 MB. One huge record
// still gets what it needs. GOMEMLIMIT overrides it.
const memory = 160 << 20

// Main runs the program and returns its exit code.
func Main(o Options) int {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
	o.fill()
	a := &app{Options: o, detectors: family.Detectors(o.Families), presets: family.Presets(o.Families),
		policies: family.Policies(o.Families), temporary: &temporaryFiles{}}
	if err := family.Check(o.Families); err != nil {
		a.warnf("this build: %v", err)
		return exitInternal
	}
	root := a.root()
	root.SetArgs(o.Args)
	root.SetIn(o.Stdin)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	return a.supervise(root.ExecuteContext)
}

func (a *app) exit(err error) int {
	var usage *usageError
	var data *dataError
	var failed *failure
	var own *exitError
	var internal *replay.InternalError
	var unwritten *outputError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &data):
		return exitData
	case errors.As(err, &failed):
		a.warnf("%v", err)
		return exitFailed
	case errors.As(err, &own):
		a.warnf("%v", err)
		return own.code
	case errors.Is(err, context.Canceled), errors.Is(err, errInterrupted):
		a.warnf("interrupted")
		return exitInterrupt
	case errors.As(err, &internal):
		a.warnf("%v", err)
		return exitInternal
	case errors.As(err, &unwritten):
		if !errors.Is(err, syscall.EPIPE) { // whoever closed the pipe knows
			a.warnf("%v", err)
		}
		return exitOutput
	case errors.As(err, &usage):
		for _, e := range flatten(err) { // a configuration names all its mistakes
			a.warnf("%v", e)
		}
		return exitUsage
	}
	a.warnf("%v", err)
	return exitUsage
}

// warnf prints one line on stderr.
func (a *app) warnf(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "groundhog: %s\n", render.Clean(fmt.Sprintf(format, args...)))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "groundhog",
		Short: "Back-test agent loop detectors on recorded sessions",
		Long: "Groundhog replays recorded AI-agent sessions through the loop detectors of the agents people use,\n" +
			"and says where each would have fired and how often it is wrong. Nothing is uploaded.",
		Example: "  groundhog demo\n" +
			"  groundhog replay ~/.claude/projects\n" +
			"  groundhog replay traces/ --preset kocoro-2026-03 --preset kocoro-4ec6772\n" +
			"  groundhog replay run.jsonl --format jsonl | jq .detector",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; groundhog --help lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; see %s --help", err, cmd.CommandPath())
	})
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "auto, always or never; NO_COLOR is heeded")
	root.PersistentFlags().StringVar(&a.configPath, "config", "",
		"configuration file (default: $GROUNDHOG_CONFIG, else the nearest groundhog.yaml upwards)")
	root.PersistentFlags().BoolVar(&a.ignoreUnknown, "ignore-unknown", false,
		"leave out unknown keys of the configuration file instead of refusing them")
	root.AddCommand(a.demoCommand(), a.replayCommand(), a.reviewCommand(), a.sweepCommand(), a.compareCommand(),
		a.justifyCommand(), a.gateCommand(), a.vetCommand(), a.retryCommand(), a.convertCommand(), a.labelCommand(),
		a.listCommand())
	root.AddCommand(a.topics()...)
	return root
}
