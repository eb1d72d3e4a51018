package mimo

import (
	"strings"
	"testing"

	"groundhog/detectors"
)

const (
	loops = `
step
  delta text "I check the file again. I check the file again. I check the file again. I check the file again. I check the file again. "
  delta text "I check the file again. I check the file again. I check the file again. I check the file again. I check the file again. "
  delta text "I check the file again. I check the file again. I check the file again. I check the file again. I check the file again. "
  delta text "I check the file again. I check the file again. I check the file again. I check the file again. I check the file again. "
  delta text "I check the file again. "
`
	work = `
call bash {"cmd":"make"} -> ok
`
	same = `
step
  text "Let me look at the log."
  call bash {"cmd":"tail app.log"} -> ok
`
	silent = `
step
  call file_read {"path":"a.go"} -> ok
`
)

func TestLadders(t *testing.T) {
	text := func(n int) string { return strings.Repeat(same, n) }
	for _, test := range []struct {
		name string
		set  detectors.Settings
		of   *detectors.Detector
		src  string
		want string
	}{
		{
			name: "a reminder, a replan, and the end of the run, however much lies between; injections change nothing",
			of:   TextNgramRepeat,
			src:  "user a\n" + loops + work + loops + "inject go on\n" + work + work + loops,
			want: "0/1 nudge, 0/3 nudge, 0/6 force_stop!",
		},
		{
			name: "a message of the user begins anew",
			of:   TextNgramRepeat,
			src:  "user a\n" + loops + loops + "user b\n" + loops + loops + loops + loops + "user c\n" + loops,
			want: "0/1 nudge, 0/2 nudge, 1/1 nudge, 1/2 nudge, 1/3 force_stop!, 1/4 force_stop!, 2/1 nudge",
		},
		{
			name: "a response of a sub-agent is on its own ladder",
			of:   TextNgramRepeat,
			src:  "user a\n" + loops + loops + "lane sub\nuser b\n" + loops + "lane main\n" + loops,
			want: "0/1 nudge, 0/2 nudge, 1/1 nudge, 0/3 force_stop!",
		},
		{
			name: "no recovery",
			of:   TextNgramRepeat, set: detectors.Settings{"mimo/text_ngram_repeat.max_recovery": "0"},
			src:  "user a\n" + work + loops + loops,
			want: "0/2 force_stop!, 0/3 force_stop!",
		},
		{
			name: "three recoveries",
			of:   TextNgramRepeat, set: detectors.Settings{"mimo/text_ngram_repeat.max_recovery": "3"},
			src:  "user a\n" + strings.Repeat(loops, 4),
			want: "0/1 nudge, 0/2 nudge, 0/3 nudge, 0/4 force_stop!",
		},
		{
			name: "a response is cut off once, and the other ladder does not count it",
			of:   CrossStepTextLoop,
			src:  "user a\n" + strings.Repeat(loops, 4),
			want: "0/3 nudge",
		},
		{
			name: "reminders at the third and the sixth equal step, and the end at the ninth",
			of:   CrossStepTextLoop,
			src:  "user a\n" + text(12),
			want: "0/3 nudge, 0/6 nudge, 0/9 force_stop!, 0/12 force_stop!",
		},
		{
			name: "steps without text neither continue nor break a row",
			of:   CrossStepTextLoop,
			src:  "user a\n" + same + silent + same + silent + silent + same + text(3) + silent + text(3),
			want: "0/6 nudge, 0/9 nudge, 0/13 force_stop!",
		},
		{
			name: "another text breaks the row and not the ladder",
			of:   CrossStepTextLoop,
			src:  "user a\n" + text(5) + "say Hm.\n" + text(5) + "say Hm.\n" + text(2) + "say Hm.\n" + text(3),
			want: "0/3 nudge, 0/9 nudge, 0/18 force_stop!",
		},
		{
			name: "a message of the user begins row and ladder anew, an injection neither",
			of:   CrossStepTextLoop,
			src:  "user a\n" + text(2) + "inject go on\n" + text(6) + "user b\n" + text(2) + "user c\n" + text(3),
			want: "0/3 nudge, 0/6 nudge, 2/3 nudge",
		},
		{
			name: "no recovery",
			of:   CrossStepTextLoop, set: detectors.Settings{"mimo/cross_step_text_loop.max_recovery": "0"},
			src:  "user a\n" + text(4),
			want: "0/3 force_stop!",
		},
		{
			name: "a list that reminders leave alone",
			of:   CrossStepTextLoop, set: detectors.Settings{"mimo/cross_step_text_loop.clear_on_recovery": "false"},
			src:  "user a\n" + text(5),
			want: "0/3 nudge, 0/4 nudge, 0/5 force_stop!",
		},
		{
			name: "another trigger",
			of:   CrossStepTextLoop, set: detectors.Settings{"mimo/cross_step_text_loop.trigger": "2"},
			src:  "user a\n" + text(7),
			want: "0/2 nudge, 0/4 nudge, 0/6 force_stop!",
		},
	} {
		t.Run(test.of.Name+"/"+test.name, func(t *testing.T) {
			for _, name := range []string{"mimo-2026-09", "mimo-head"} {
				if got := said(t, preset(t, name), test.set, session(t, test.src), test.of); got != test.want {
					t.Errorf("%s: got  %s\nwant %s", name, got, test.want)
				}
			}
		})
	}
}

// A streak of k equal steps gives k-2 requests with a reminder in the article's
// version, and one for each message of the user in the newest.
func TestRepeatedActionReminders(t *testing.T) {
	const ls = `call bash {"cmd":"ls","timeout":1} -> ok x`
	const turned = `call bash {"timeout":1,"cmd":"ls"} -> error x`
	for _, test := range []struct{ name, src, article, head string }{
		{
			name:    "one row",
			src:     "user a\n" + ls + "6\n",
			article: "0/3 nudge, 0/4 nudge, 0/5 nudge, 0/6 nudge",
			head:    "0/3 nudge",
		},
		{
			name:    "a message of the user does not break the row",
			src:     "user a\n" + ls + "4\nuser b\n" + turned + "2\nuser c\n" + ls + "1\n",
			article: "0/3 nudge, 0/4 nudge, 1/1 nudge, 1/2 nudge, 2/1 nudge",
			head:    "0/3 nudge, 1/1 nudge, 2/1 nudge",
		},
		{
			name:    "another call and the same row again, under one message",
			src:     "user a\n" + ls + "3\n" + work + ls + "3\n",
			article: "0/3 nudge, 0/7 nudge",
			head:    "0/3 nudge",
		},
		{
			name:    "a response that was broken off is not there, with calls or without",
			src:     "user a\n" + ls + "2\nstep\n  text \"I\"\n  finish aborted\nstep\n  call bash {\"cmd\":\"rm\"}\n  finish aborted\n" + ls + "1\n",
			article: "0/5 nudge",
			head:    "0/5 nudge",
		},
	} {
		for name, want := range map[string]string{"mimo-2026-09": test.article, "mimo-head": test.head} {
			if got := said(t, preset(t, name), nil, session(t, test.src), RepeatedAction); got != want {
				t.Errorf("%s, %s: got  %s\nwant %s", test.name, name, got, want)
			}
		}
	}
}

// An agent asks while nothing has a result yet.
func TestDoomLoopBeforeResults(t *testing.T) {
	for _, p := range Presets {
		src := "user a\nstep\n  call bash {\"cmd\":\"ls\"} x4\nstep\n  call bash {\"cmd\":\"ls\"} x2\nstep\n  call bash {\"cmd\":\"ls\"} x3\n"
		const want = "0/1 nudge, 0/1 nudge, 0/3 nudge"
		if got := said(t, p, nil, session(t, src), DoomLoop); got != want {
			t.Errorf("%s: got %s, want %s", p.Name, got, want)
		}
	}
}
