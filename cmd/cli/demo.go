package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"groundhog/corpus"
	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/replay/cut"
	"groundhog/report/overview"
	"groundhog/report/retry"
)

// demoOptions are the flags of `groundhog demo`.
type demoOptions struct {
	format string
	write  string
	jobs   int
}

func (a *app) demoCommand() *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Replay the embedded corpus under the presets of two families",
		Example: "  groundhog demo\n" +
			"  groundhog demo --format json\n" +
			"  groundhog demo --write corpus/   # put the sessions on disk, with their labels",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.write != "" {
				return a.writeDemo(o.write)
			}
			return a.demo(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	cmd.Flags().StringVar(&o.write, "write", "", "write the corpus to this folder instead")
	cmd.Flags().IntVarP(&o.jobs, "jobs", "j", 0, "sessions replayed at once (default: one per CPU); changes no output")
	return cmd
}

func (a *app) demo(ctx context.Context, o *demoOptions) error {
	if o.format != "text" && o.format != "json" {
		return usagef("output format %q: expected text or json", o.format)
	}
	split, err := cut.Find("")
	if err != nil {
		return err
	}
	q := replay.Question{DropOne: true, Requests: true}
	compared, err := a.demoPresets(&q)
	if err != nil {
		return err
	}
	plan, err := replay.NewPlan(q)
	if err != nil {
		return err
	}
	in := inputs{demo: true, failures: true}
	s, err := a.read(ctx, &in, true)
	if err != nil {
		return err
	}
	defer s.close()
	rep := overview.NewDemo(plan, s.labels, compared)
	rep.Units, rep.Split = s.found.Units, split
	policies, err := (&retryOptions{}).choose(a, a.policies)
	if err != nil {
		return err
	}
	retries := retry.New(policies.retriers, s.found)
	err = s.run(ctx, &replay.Engine{Plan: plan, Workers: o.jobs, Split: split.Cut}, func(out *replay.Outcome) error {
		if !corpus.AboutFailures(out.Session.ID) {
			rep.Add(out)
		}
		return cmp.Or(out.Err, retries.Add(out, func(*retry.Episode) error { return nil }))
	})
	if err != nil {
		return err
	}
	all := rep.Report()
	all.Sections = append(all.Sections, retries.Side())
	if err := a.print(all, o.format); err != nil {
		return err
	}
	if o.format == "text" {
		fmt.Fprintln(a.Stdout, "\nyour own sessions: groundhog replay PATH (formats are told by content; nothing is "+
			"uploaded)")
	}
	return s.leftOut()
}

// demoPresets asks the presets that families show in the demo. Those of the first
// family are compared with each other; the others have a table of their own.
func (a *app) demoPresets(q *replay.Question) (compared int, err error) {
	for i := range a.Families {
		f := &a.Families[i]
		for _, name := range f.Demo {
			q.Configs = append(q.Configs, replay.Config{Preset: family.FindPreset(name, f.Presets)})
		}
		if compared == 0 {
			compared = len(q.Configs)
		}
	}
	if compared == 0 {
		return 0, usagef("no family of this build has presets for the demo")
	}
	return compared, nil
}

// writeDemo puts the corpus on disk. It overwrites nothing.
func (a *app) writeDemo(dir string) error {
	found, err := corpus.Demo()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usagef("%v", err)
	}
	for _, u := range found.Units {
		src, err := corpus.DemoSource(u.Session.ID)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, u.Session.Origin.File)
		if _, err := os.Lstat(path); err == nil {
			return usagef("%s is there already: name another folder", path)
		}
		if err := a.writeFile(path, []byte(src)); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Stdout, "wrote %d sessions to %s\n", len(found.Units), dir)
	return nil
}
