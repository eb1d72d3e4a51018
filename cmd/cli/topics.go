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
		topic("stream", "Fires inside a response: how text is cut, what a stop saves, near misses", stream),
		topic("attempts", "How failed requests are recorded, and what retry prints of them", attempts),
		topic("rules", "The files of groundhog vet --rules", rulesTopic),
		topic("labels", "What a label says, who counts, and how a place is judged", labelsTopic),
		topic("config", "groundhog.yaml and the environment", configTopic),
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

const stream = `Some detectors speak while a response streams, at the end of a delta. Where a recording has deltas, they are
replayed as they are. Where it has only whole text, the text is cut into deltas by --split: token (tokens of o200k),
word, char, or whole (one delta, of which only the end is seen). A text that cannot fire however it is cut is
dismissed without being cut.

Chunk jitter. A fire at a made-up delta is compared with what the other two of token, word and char give:

  "jitter":{"earliest":339,"latest":814,"chunk_sensitive":true,"splitters":{"token":814,"word":814,"char":339}}

Offsets are bytes of the part; null means that it does not fire under that splitter, and "parts" names the part
under each if they are not one. chunk_sensitive means that they differ. A fire that exists only under another splitter
is a line of "view":"other_split", which is no fire of the chosen one and counted nowhere but in its own row. At a
recorded delta the fire is the recording's, and jitter says what its text alone would have given.

A session with a label is scored under the worst splitter: work that one of them would stop counts as stopped, a
loop that one of them would miss as missed. So it is in ON LOOPS and ON WORK, in the tables of recall and false
alarms, and in compare; a sweep has the chosen one alone, and says so. Without a label nobody can say what is
worse: the counts are those of --split, the row below them gives the least and the most, and a first nudge or stop
that moves is shown with the bytes, or the splitters, between which it moves.

What it cost. A fire in the stream says what a stop at once would have saved: the rest of the response.

  "saved":{"chars":401,"tokens":101,"tokens_by":"bpe","time_ms":null,"tier":"C"}

tokens_by says how tokens are known. usage: the recorded output tokens, times the share of the response's characters
that came after the fire; so thoughts that were paid for and not recorded are spread evenly. A usage of less than a
token in ten characters is that of a response that had only begun, and is not used. bpe: the rest is counted with
o200k, which need not be the model's vocabulary. estimate: by kinds of characters, where o200k does not give the
text back, or the build has no vocabulary; within a tenth on code, a third in other scripts. time_ms runs from the
fire to the last recorded delta; null without times. The report adds up the first fire of each response. All of it is
tier C: it says nothing about what the agent would have asked for instead.

Near misses. The report names, for each session, the quiet response in which a block came closest to the copies that
fire, of those that had to be cut. --near measures them all, and jsonl then has a line of "view":"near" for each:

  "near":{"copies":19,"of":20,"period":11,"unit":"token","never":false,"why":"","block":"…"}

It is measured at recorded deltas, else word by word. never: no number of copies would fire, because so many of a
block so long do not fit the window.`

const exitCodes = `  0    all went well
  1    what a command judges did not pass: a rule of the gate, a test of
       vet --rules, or with --strict a finding of vet; gate self-test: the gate could not fail
  2    wrong usage: an unknown flag, preset or parameter, a value out of its type
  3    data: a file or session that was asked for could not be read, or a label contradicts itself.
       Each is named on stderr; everything else was replayed.
  4    gate: the data do not decide, with --inconclusive=fail
  5    gate --verify: two replays of the same sessions differ
  70   a mistake of this program; please report it
  130  interrupted

Files met while walking a folder that hold no transcripts are named in the report and change nothing.`

const rulesTopic = `A file of rules says what a preset does to typed sessions. groundhog vet --rules FILE runs it.

  preset: kocoro-4ec6772                  # left out: it must stand on the command line
  set: {kocoro/exact_duplicate.nudge: 5}  # parameters, as --set has them
  rules:
    - detector: consecutive_duplicate     # left out: whatever reaches the agent, a ladder's stop included
      level: force_stop                   # this or more counts as firing: annotate, nudge (default), block, force_stop
      view: production                    # or standalone: the detector as the only one
      must_fire:
        - call file_write {"path":"notes.md"} -> ok "wrote 0 bytes" x4
        - loops/zero-byte-write.session
      must_not_fire:
        - name: a success after failures
          session: |
            call bash {"command":"make"} -> error "timed out" x3
            call bash {"command":"make"} -> ok "built"
      known_miss:
        - {name: two calls in turn, file: loops/in-turn.session}
      known_false: []

The four cells are lists. An item is a session in the notation of groundhog help session, the name of a .session
file (beside the file of rules), or a mapping of name with session or file. A file may hold several sessions; each
counts. Presets on the command line take the place of the file's, --set comes on top. Unknown keys are errors.

  must_fire      it fires, or the test fails
  must_not_fire  it is quiet, or the test fails
  known_miss     a loop that is not caught; when it is, that is news
  known_false    work that is hit; when it no longer is, that is news

A test that fails exits 1. News is announced and exits 0, with --strict 1. What comes after the first stop that a
path asks for itself does not count.`
