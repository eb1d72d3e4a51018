package cli

const labelsTopic = `A label says what a person found in one session. It is a YAML document, an item of a YAML list, a JSON object, a
line of JSONL, or rows of CSV (groundhog label export --format csv shows the columns):

  session: 7f3a
  class: loop            # productive, loop, known_gap, unlabelled; it follows from the rest and may be left out
  reviewed: full         # full, partial, none; only what was read in full can be called work
  source: human          # adjudicated, human, synthetic, weak (a model's)
  labels_version: 2      # of one reader's labels the highest counts
  annotators: [ann]
  cluster: task-17       # sessions that are not independent of each other
  spans: [{run: 0, onset: 5, ideal_stop_after: 7, end: 41, shape: exact_dup, incident: INC-204, known_gap: false}]
  tolerate: [{run: 0, from: 1, to: 2, why: warm-up}]
  positions: [{run: 0, call: 12, nudge_ok: "yes", stop_ok: "no", by: ann}]
  done_at: {run: 0, call: 106}

Runs count from 0, calls from 1 inside their run. onset is the first call that a careful reader would call
redundant, ideal_stop_after the last one that a perfect observer would still allow, end the last one of the loop.

A fire is judged by the answer for its place (positions), else it is neither right nor wrong inside tolerate, right
inside a span, wrong elsewhere in a session that was reviewed in full, and unknown in any other.

Several readers: each writes a label of their own, in the same file or another. It names its annotators. Of the
sources the best one counts: adjudicated, human, synthetic, weak. Where its readers differ on the class the session
counts as unlabelled until somebody decides (label add --source adjudicated); where they agree, the first by name
counts. Two labels of one session by the same reader that differ are an error, unless one has a higher
labels_version. groundhog label stats says how far readers agree.

A model's labels are source: weak. A person checks them by labelling a sample of the sessions anew: the person's
label counts, and both together say how often the model is right.

Labels are added at the end of a file that a person wrote; comments and order stay. A file that looks as label export
writes it stays sorted, and a correction takes the place of what it corrects.`

const configTopic = `groundhog.yaml is looked for from the working directory upwards; --config FILE or GROUNDHOG_CONFIG name another.
Flags come before variables, variables before the file, the file before defaults: groundhog list config shows every
value and where it comes from. Paths in the file are relative to it.

  version: 1
  corpus: {paths: [traces/**], selection: all, cluster: task}
  labels: labels/
  presets:
    - kocoro-2026-03
    - use: kocoro-4ec6772
      set: {kocoro/exact_duplicate.nudge: 5}
  views: [production, shadow]
  report: {confidence: 0.95, prevalence: [0.01, 0.05], seed: 1}
  costs: {false_stop: 40, missed_loop: 8, wasted_call: 0.2, nudge: 0.5}
  gate:
    baseline: .groundhog/baseline.json
    rules: {new_false_stops: error, later_by: {max: 2, level: warning}, fpr_upper95: {max: 0.02, level: error}}
    inconclusive: warn
    allow:
      - {session: 7f3a41, detector: kocoro/exact_duplicate, level: stop, reason: stress test, owner: agents, expires: 2027-03-01}

An unknown key is an error with its line; --ignore-unknown leaves such keys out and names them. A variable is a key in
capitals after GROUNDHOG_, with _ for . (GROUNDHOG_LABELS, GROUNDHOG_CORPUS_PATHS, GROUNDHOG_PRESETS); lists are
separated by commas, lists of paths as PATH is. An unknown variable is no error. A PATH on the command line takes the
place of corpus.paths, --labels that of labels, --preset that of presets with what is set in them.

corpus.selection says how the sessions were chosen, which decides what may be said of others:

  all, random(P)        everything
  benchmark             rates of the benchmark, and not of ordinary traffic
  incident_only         the share of loops caught; nothing about work
  triggered(DETECTOR)   differences between configurations, agreement, and the precision of that detector

corpus.cluster says which sessions are not independent of each other: session (the default), task (what the
recording says), incident (what labels say), label (only a label's own cluster, which comes first for every key).

groundhog list config --schema prints a JSON Schema for editors.`
