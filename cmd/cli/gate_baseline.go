package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"groundhog/report/gate"
)

func (a *app) gateInitCommand() *cobra.Command {
	o := &measuring{}
	force := false
	cmd := &cobra.Command{
		Use:   "init [PATH…]",
		Short: "Write a baseline: what the present configuration does to every session",
		Example: "  groundhog gate init traces/ -l labels.yaml\n" +
			"  groundhog gate init --demo --preset kocoro-2026-03 --baseline demo.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := o.fill(a, cmd, args); err != nil {
				return err
			}
			if _, err := os.Stat(o.baseline); err == nil && !force {
				return usagef("%s is there already: groundhog gate update changes it, --force makes it anew and forgets its "+
					"exceptions", o.baseline)
			}
			if err := o.settle(a, nil); err != nil {
				return err
			}
			m, err := o.measure(cmd.Context(), a, o.jobs, false)
			if err != nil {
				return err
			}
			if m.left != nil {
				a.warnf("%s is not written: what it leaves out could not be compared later", o.baseline)
				return m.left
			}
			if err := a.writeBaseline(o.baseline, m.now); err != nil {
				return err
			}
			return a.print(m.now.Show(o.baseline), "text")
		},
	}
	o.flags(a, cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace a baseline that is there")
	return cmd
}

func (a *app) gateUpdateCommand() *cobra.Command {
	o := &gateOptions{}
	var acc gate.Accept
	cmd := &cobra.Command{
		Use:   "update [PATH…]",
		Short: "Take changes over into the baseline, by name",
		Long: "Update lists the sessions that are not as the baseline has them, and takes over those that --accept names, " +
			"or all.\n" +
			"A change that a rule speaks against becomes an exception with a reason, an owner and a last day: the baseline " +
			"goes on\n" +
			"saying what is right, and the gate fails again after that day. Everything else becomes the session's line.",
		Example: "  groundhog gate update traces/                     # lists\n" +
			"  groundhog gate update traces/ --accept INC-412\n" +
			"  groundhog gate update traces/ --all --reason 'new preset' --owner agents-team --expires 2027-03-01",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.fill(a, cmd, args); err != nil {
				return err
			}
			if acc.Expires != "" {
				if _, err := time.Parse(time.DateOnly, acc.Expires); err != nil {
					return usagef("--expires %s: expected a date such as 2027-03-01", acc.Expires)
				}
				if acc.Expires < o.asOf {
					return usagef("--expires %s: that day is over", acc.Expires)
				}
			}
			if acc.All && len(acc.Sessions) > 0 {
				return usagef("--all takes every session: leave out --accept")
			}
			return a.gateUpdate(cmd, o, acc)
		},
	}
	o.measuring.flags(a, cmd)
	o.judgingFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&acc.Sessions, "accept", nil, "take this session over, may be repeated")
	f.BoolVar(&acc.All, "all", false, "take every session over; needs --reason")
	f.StringVar(&acc.Reason, "reason", "", "why")
	f.StringVar(&acc.Owner, "owner", "", "who answers for it")
	f.StringVar(&acc.Expires, "expires", "", "the last day on which an exception holds, YYYY-MM-DD")
	f.StringVar(&o.format, "format", "text", "text or json")
	return cmd
}

func (a *app) gateUpdate(cmd *cobra.Command, o *gateOptions, acc gate.Accept) error {
	g, m, err := o.compared(cmd.Context(), a)
	if err != nil {
		return err
	}
	if m.left != nil {
		a.warnf("%s is not written: not everything could be read", o.baseline)
		return m.left
	}
	u, err := g.Accept(g.Judge(), acc)
	if err != nil {
		return usagef("--accept: %v", err)
	}
	write := len(u.Taken) > 0 || len(u.Left) == 0
	if write {
		if err := a.writeBaseline(o.baseline, u.Baseline); err != nil {
			return err
		}
	}
	if err := a.print(u.Report(o.baseline, write), o.format); err != nil {
		return err
	}
	if !write {
		return usagef("%d sessions are not as the baseline has them: --accept SESSION, or --all --reason WHY", len(u.Left))
	}
	return nil
}

func (a *app) gateSelfTestCommand() *cobra.Command {
	o := &gateOptions{}
	cmd := &cobra.Command{
		Use:   "self-test",
		Short: "Show that the gate can fail",
		Long: "Self-test plants three regressions in what the baseline says, one catch lost, one false stop, one call " +
			"later, and\n" +
			"requires that the gate fails on each and names the session. It reads no sessions. Exit 1 where the gate would " +
			"pass.",
		Example: "  groundhog gate self-test\n" +
			"  groundhog gate self-test --baseline demo.json --rule later_by=0:error",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.fill(a, cmd, nil); err != nil {
				return err
			}
			base, err := a.readBaseline(o.baseline)
			if err != nil {
				return err
			}
			g, err := o.against(a, base)
			if err != nil {
				return err
			}
			t, err := g.SelfTest()
			if err != nil {
				return err
			}
			if err := a.print(t.Report(), o.format); err != nil {
				return err
			}
			if !t.OK {
				return &failure{"the gate does not fail where it should"}
			}
			return nil
		},
	}
	baselineFlag(cmd, &o.baseline)
	o.judgingFlags(cmd)
	o.cluster = "session"
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	return cmd
}

func (a *app) gateShowCommand() *cobra.Command {
	o := &gateOptions{}
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "Print the baseline",
		Example: "  groundhog gate show\n  groundhog gate show --baseline demo.json --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := o.measuring.fill(a, cmd, nil); err != nil {
				return err
			}
			base, err := a.readBaseline(o.baseline)
			if err != nil {
				return err
			}
			return a.print(base.Show(o.baseline), o.format)
		},
	}
	baselineFlag(cmd, &o.baseline)
	o.cluster = "session"
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	return cmd
}
