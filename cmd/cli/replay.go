package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"groundhog/detectors"
	"groundhog/detectors/family"
	"groundhog/replay"
	"groundhog/replay/contract"
	"groundhog/replay/cut"
	"groundhog/report/overview"
	"groundhog/report/render"
)

// replayOptions are the flags of `groundhog replay`.
type replayOptions struct {
	inputs
	choice
	outputs
	replaying
	views  []string
	near   bool
	ledger string
	compat string
	config *config
}

func (a *app) replayCommand() *cobra.Command {
	o := &replayOptions{}
	cmd := &cobra.Command{
		Use:   "replay PATH…",
		Short: "Say where each path would have fired",
		Long: "Replay reads recorded sessions and says, for each preset and path, where it would have fired, what masked " +
			"it,\n" +
			"and what followed. PATH is a file, a folder, a glob or - for standard input; formats are told by content,\n" +
			".gz and .zst are unwrapped. See groundhog help views, help stream, help session, help exit-codes.",
		Example: "  groundhog replay ~/.claude/projects\n" +
			"  groundhog replay 'runs/**/*.jsonl.gz' --preset kocoro-2026-03,kocoro-4ec6772\n" +
			"  groundhog replay traces/ --labels labels.yaml --set exact_duplicate.nudge=4\n" +
			"  groundhog replay traces/ --format jsonl --view all > fires.jsonl\n" +
			"  groundhog replay traces/ --ledger traces.parquet      # then: groundhog replay traces.parquet --set …\n" +
			"  groundhog replay traces/ --preset mimo-head --mimo-config mimo.json\n" +
			"  groundhog replay --demo --session three-parallel-sleeps --preset kocoro-pre-sleep-removal\n" +
			"  zcat run.jsonl.gz | groundhog replay - --out json=report.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			c, err := a.configured(cmd, &o.inputs, &o.choice, &o.views)
			if err != nil {
				return err
			}
			o.config = c
			return a.replay(cmd.Context(), o)
		},
	}
	o.inputs.flags(a, cmd)
	o.choice.flags(a, cmd)
	o.outputs.flags(cmd, "text", "json", "jsonl", "parquet")
	o.replaying.flags(cmd)
	o.splitFlag(cmd)
	f := cmd.Flags()
	f.Lookup("format").Usage = "text, json, or the fires one by one: jsonl, parquet"
	f.StringSliceVar(&o.views, "view", []string{string(replay.Production)},
		"views whose fires jsonl and parquet list: production, shadow, standalone, all")
	f.BoolVar(&o.near, "near", false,
		"say of every response how close it came to a fire in its stream, not only of those that had to be split")
	f.StringVar(&o.ledger, "ledger", "",
		"also keep what is measured in this file (Parquet, no text); it can be replayed in place of the recordings")
	names, doc := a.compats()
	f.StringVar(&o.compat, "compat", "", doc)
	cmd.RegisterFlagCompletionFunc("compat", fixed(names...))
	cmd.RegisterFlagCompletionFunc("view", fixed("production", "shadow", "standalone", "all"))
	return cmd
}

func (a *app) replay(ctx context.Context, o *replayOptions) error {
	plan, views, err := o.plan(a)
	if err != nil {
		return err
	}
	s, err := a.read(ctx, &o.inputs, o.quiet)
	if err != nil {
		return err
	}
	defer s.close()
	e, err := s.engine(plan, &o.inputs, &o.replaying, true)
	if err != nil {
		return err
	}
	e.Count, e.Near = cut.Count, replay.NearHeard
	if o.near {
		e.Near = replay.NearAll
	}
	rep := overview.New(plan, s.labels, s.found)
	rep.Splitter, rep.Cuts = e.Chosen, cutNames(e)
	rep.Compat, _ = a.compat(o.compat)
	if t := a.tools(); t != nil {
		rep.ToolSetting = t.Setting
	}
	rep.Corpus(o.config.selection(), o.config.cluster(), o.config.seed())
	if s.past != nil {
		plan.Calls = replay.Calls{} // a ledger holds no arguments to tell calls by
		rep.Notes = append(rep.Notes, s.past.About())
		if o.near {
			return usagef("--near: a ledger holds no text to measure; replay the transcripts")
		}
	}
	p, err := o.open(a)
	if err != nil {
		return err
	}
	defer p.abort()
	kept, err := s.keep(o.ledger, p.writing, e)
	if err != nil {
		return err
	}
	fires, err := p.fires(plan, views, e.Chosen)
	if err != nil {
		return err
	}
	err = s.partly(ctx, e, func(out *replay.Outcome) error {
		rep.Add(out)
		return errors.Join(addFires(fires, out), kept.add(out))
	})
	if err = errors.Join(err, kept.close()); err != nil {
		return err
	}
	return s.print(p, rep.Report())
}

// plan is what the flags ask, checked before anything is read.
func (o *replayOptions) plan(a *app) (*replay.Plan, []replay.View, error) {
	if _, err := cut.Find(o.split); err != nil {
		return nil, nil, usagef("--split: %v", err)
	}
	if _, err := a.compat(o.compat); err != nil {
		return nil, nil, err
	}
	views, err := viewList(o.views)
	if err != nil {
		return nil, nil, err
	}
	configs, err := o.configs(a)
	if err != nil {
		return nil, nil, err
	}
	q := replay.Question{Configs: configs, Alone: true, Brief: !o.has("jsonl", "parquet"), Calls: a.callChecks(configs)}
	plan, err := replay.NewPlan(q)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	return plan, views, nil
}

func viewList(words []string) ([]replay.View, error) {
	var list []replay.View
	for _, word := range words {
		if word == "all" {
			return replay.Views, nil
		}
		v := replay.View(word)
		if !slices.Contains(replay.Views, v) {
			return nil, usagef("--view %s: expected production, shadow, standalone or all", word)
		}
		list = append(list, v)
	}
	return list, nil
}

// compats are the families with a summary of their own, and the help of --compat.
func (a *app) compats() (names []string, doc string) {
	for i := range a.Families {
		if f := &a.Families[i]; f.Compat != nil {
			names = append(names, f.Name)
		}
	}
	return names, "also the numbers that the agent's own tests print, for comparison: " + strings.Join(names, ", ")
}

// compat is the family whose own summary is asked for; nil for no name.
func (a *app) compat(name string) (*family.Family, error) {
	if name == "" {
		return nil, nil
	}
	names, _ := a.compats()
	if !slices.Contains(names, name) {
		return nil, usagef("--compat %s: expected %s", name, strings.Join(names, ", "))
	}
	return family.Find(name, a.Families), nil
}

// fires makes the outputs that list fires one by one.
func (p *printing) fires(plan *replay.Plan, views []replay.View, splitter string) (list []*render.Fires, err error) {
	for _, s := range p.sinks {
		var f *render.Fires
		switch s.format {
		case "jsonl":
			f = render.NewFires(s.w, plan, views, splitter)
		case "parquet":
			if s.stdout && s.style.Width > 0 {
				return nil, usagef("parquet is not for a terminal: name a file with -o")
			}
			f = render.NewParquetFires(s.w, plan, views, splitter)
		default:
			continue
		}
		s.finish = f.Close
		list = append(list, f)
	}
	return list, nil
}

// add passes one session on to the outputs that list fires.
func addFires(fires []*render.Fires, o *replay.Outcome) error {
	for _, f := range fires {
		if err := f.Add(o); err != nil {
			return wroteErr(err)
		}
	}
	return nil
}

// callChecks are what is counted of single calls, under the names that the presets use.
func (a *app) callChecks(configs []replay.Config) replay.Calls {
	tools := a.tools()
	if tools == nil {
		return replay.Calls{}
	}
	set := detectors.Settings{}
	for _, c := range configs {
		if c.Preset.MapTool != nil {
			set = c.Preset.Set.With(c.Set)
			break
		}
	}
	calls := replay.Calls{Empty: contract.Empty(tools.Name(set), tools.Required)}
	if tools.Changes != nil {
		calls.Changes = tools.Changes(set)
	}
	return calls
}
