#!/usr/bin/env python3
"""Records what every command prints, and compares two records.

    outputs.py record BINARY OUT [SHARED]    run every command, write one file a command to OUT
    outputs.py compare OLD NEW               0 if they say the same, 1 if not

A change of structure must not change a result. Machine formats (JSON, JSONL, JUnit, SARIF) are
compared byte for byte, except for the words of sentences: any string with a space in it. Text is
compared by its numbers, in order; words may change.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# {L} stands for the labelled sessions, {D} for a scratch folder. With no SHARED the lines that
# name {L} are left out.
COMMANDS = """
demo.txt          demo
demo.json         demo --format json
replay.txt        replay --demo
replay.json       replay --demo --format json
replay.jsonl      replay --demo --format jsonl --view all
replay4.txt       replay --demo -p kocoro-2026-03,kocoro-pre-sleep-removal,kocoro-4ec6772,kocoro-head
replay4.jsonl     replay --demo -p kocoro-2026-03,kocoro-head,mimo-head,opencode-1.14.19 --format jsonl --view all
replay-compat.txt replay --demo -p kocoro --compat kocoro
replay-near.txt   replay --demo -p mimo-2026-09 --near
replay-set.json   replay --demo --set exact_duplicate.nudge=3 --format json
review.txt        review zero-byte-write --demo --width 100
review.json       review zero-byte-write --demo --format json
review-eras.txt   review three-tool-cycle --demo --eras --width 120
review-call.txt   review zero-byte-write --demo --call 5 --width 100
review-label.yaml review zero-byte-write --demo --suggest-label
review-mimo.txt   review lantern-chant --demo -p mimo-2026-09 --width 100
sweep.txt         sweep --demo kocoro/exact_duplicate.nudge=2..8
sweep.json        sweep --demo kocoro/exact_duplicate.nudge=2..8 --format json
sweep2.txt        sweep --demo exact_duplicate.nudge=3..6 no_progress.nudge=8..16:2 --all
sweep-mimo.json   sweep --demo -p mimo-2026-09 text_ngram_repeat.threshold=8..40:4 --format json
sweep-cost.txt    sweep --demo exact_duplicate.nudge=2..8 --costs false_stop=40,missed_loop=8,wasted_call=0.2,nudge=0.5 --prevalence 3% --objective min_cost
compare.txt       compare --demo kocoro-2026-03 kocoro-4ec6772
compare.json      compare --demo kocoro-2026-03 kocoro-4ec6772 --format json
compare-set.txt   compare --demo kocoro kocoro@exact_duplicate.nudge=4 --level stop
justify.txt       justify sleep --preset kocoro-pre-sleep-removal --demo
justify.json      justify sleep --preset kocoro-pre-sleep-removal --demo --format json
justify.md        justify sleep --preset kocoro-pre-sleep-removal --demo --format markdown
justify-all.txt   justify exact_duplicate no_progress --preset kocoro --demo
justify-change.txt justify --change exact_duplicate.nudge=5..4 --preset kocoro --demo
gate-init.txt     gate init --demo --baseline {D}/baseline.json
gate-baseline.json cat {D}/baseline.json
gate.txt          gate --demo --baseline {D}/baseline.json
gate-fail.txt     gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3
gate-fail.json    gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3 --format json
gate-fail.junit   gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3 --format junit
gate-fail.sarif   gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3 --format sarif
gate-fail.md      gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3 --format markdown
gate-fail.github  gate --demo --baseline {D}/baseline.json --set exact_duplicate.nudge=3 --format github
gate-self.txt     gate self-test --baseline {D}/baseline.json
gate-show.txt     gate show --baseline {D}/baseline.json
retry.txt         retry --demo
retry.json        retry --demo --format json
retry.jsonl       retry --demo --format jsonl
retry-compare.txt retry --demo --compare mimo-2026-09,openai-sdk
retry-sweep.txt   retry --demo mimo/retry.rate_limit.max_retries=1..10
retry-stack.txt   retry --demo --stack openai-sdk,mimo-2026-09
vet.txt           vet kocoro-4ec6772 kocoro-2026-03 mimo-2026-09 gax-go
vet.json          vet kocoro-4ec6772 --format json
vet-rules.txt     vet --demo
suggest.txt       label suggest --demo
suggest.json      label suggest --demo --format json
list-detectors.json list detectors --format json
list-presets.json list presets --format json
list-params.json  list params --format json
list-policies.json list policies --format json
list-formats.json list formats --format json
list-tools.txt    list tools
list-removed.txt  list removed
convert.jsonl     convert --demo --to transcript
convert.session   convert --demo --to session
L-replay.txt      replay {L}/sessions.jsonl.gz -l {L}/labels.jsonl
L-replay.json     replay {L}/sessions.jsonl.gz -l {L}/labels.jsonl --format json
L-replay7.txt     replay {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro-2026-03,kocoro-pre-sleep-removal,kocoro-4ec6772,kocoro-head,mimo-2026-09,mimo-head,opencode-1.14.19
L-replay7.jsonl   replay {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro-2026-03,kocoro-pre-sleep-removal,kocoro-4ec6772,kocoro-head,mimo-2026-09,mimo-head,opencode-1.14.19 --format jsonl --view all
L-review.txt      review L052 {L}/sessions.jsonl.gz -l {L}/labels.jsonl --width 120
L-review.json     review L052 {L}/sessions.jsonl.gz -l {L}/labels.jsonl --format json
L-sweep.txt       sweep exact_duplicate.nudge=2..8 {L}/sessions.jsonl.gz -l {L}/labels.jsonl
L-sweep.json      sweep exact_duplicate.nudge=2..8 {L}/sessions.jsonl.gz -l {L}/labels.jsonl --format json
L-compare.txt     compare kocoro kocoro-head {L}/sessions.jsonl.gz -l {L}/labels.jsonl
L-compare.json    compare kocoro kocoro-head {L}/sessions.jsonl.gz -l {L}/labels.jsonl --format json
L-justify.txt     justify no_progress exact_duplicate {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro
L-justify.json    justify no_progress exact_duplicate {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro --format json
L-gate-init.txt   gate init {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro --baseline {D}/labelled.json
L-baseline.json   cat {D}/labelled.json
L-gate.txt        gate {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro --baseline {D}/labelled.json --set exact_duplicate.nudge=3
L-gate.json       gate {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro --baseline {D}/labelled.json --set exact_duplicate.nudge=3 --format json
L-gate.sarif      gate {L}/sessions.jsonl.gz -l {L}/labels.jsonl -p kocoro --baseline {D}/labelled.json --set exact_duplicate.nudge=3 --format sarif
L-suggest.txt     label suggest {L}/sessions.jsonl.gz -l {L}/labels.jsonl
L-stats.txt       label stats -l {L}/labels.jsonl
L-lint.txt        label lint -l {L}/labels.jsonl
L-ledger.txt      replay {L}/sessions.jsonl.gz -l {L}/labels.jsonl --ledger {D}/l.parquet
L-from-ledger.txt replay {D}/l.parquet -l {L}/labels.jsonl
L-ledger-sweep.json sweep exact_duplicate.nudge=2..8 {D}/l.parquet -l {L}/labels.jsonl --format json
"""

TEXT = {"txt", "md", "session", "github", "yaml"}


def record(binary, out, shared):
    os.makedirs(out, exist_ok=True)
    scratch = tempfile.mkdtemp()
    home = os.path.join(scratch, "home")
    os.makedirs(home)
    binary = os.path.abspath(binary)
    env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    for line in COMMANDS.strip().splitlines():
        name, rest = line.split(None, 1)
        if "{L}" in rest and not shared:
            continue
        labelled = os.path.join(os.path.abspath(shared), "labelled") if shared else ""
        args = [a.replace("min_cost", "min cost").replace("{L}", labelled).replace("{D}", scratch)
                for a in rest.split()]
        command = args if args[0] == "cat" else [binary] + args
        run = subprocess.run(command, capture_output=True, env=env, cwd=scratch)
        clean = lambda b: b.replace(scratch.encode(), b"DIR").replace(labelled.encode() or b"\0", b"LABELLED")
        with open(os.path.join(out, name), "wb") as f:
            f.write(clean(run.stdout))
        with open(os.path.join(out, name + ".err.txt"), "wb") as f:
            f.write(b"exit %d\n" % run.returncode + clean(run.stderr))
    shutil.rmtree(scratch)


def numbers(text):
    return re.findall(r"\d+(?:\.\d+)?", text)


def wordless(text):
    """Keep of each quoted string that has a space in it its numbers alone."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "".join(numbers(m[0])) if " " in m[0] else m[0], text)


def compare(old, new):
    bad = 0
    for name in sorted(os.listdir(old)):
        path = os.path.join(new, name)
        if not os.path.exists(path):
            print("missing:", name)
            bad += 1
            continue
        a = open(os.path.join(old, name), encoding="utf-8", errors="replace").read()
        b = open(path, encoding="utf-8", errors="replace").read()
        if a == b:
            continue
        if name.rsplit(".", 1)[1] in TEXT:
            same = numbers(a) == numbers(b)
            words = "words differ, numbers agree"
        else:
            same = wordless(a) == wordless(b)
            words = "prose differs"
        print(name + ":", words if same else "DIFFERS")
        bad += not same
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "record":
        record(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "")
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
