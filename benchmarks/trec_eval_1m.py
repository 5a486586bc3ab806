"""Claim: all of trec_eval's measures of each of 1,000 queries, printed, take at most 0.6 of pytrec_eval's CPU.

`rankscope trec_eval -q -c -m all_trec` on a million lines beside a script that reads the same files with pytrec_eval,
evaluates, and prints the same lines. pytrec_eval is version 9.0.8; ours is measured as that (`--preset
trec_eval-9`) and as 10.0, which has some measures more. What both print must be the same.
"""

import sys

from measuring import DATA, RUNS, Contestant, available, collection, in_turn, main, program, ratio, report

SCRIPT = r"""
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
values = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)
hidden = {"runid", "num_q", "relstring"}
measures = [name for name in next(iter(values.values())) if name not in hidden]
lines = []
def show(name, scope, value):
    lines.append(("%-22s\t%s\t%d" if name.startswith("num_") else "%-22s\t%s\t%6.4f") % (name, scope, value))
for query, found in values.items():
    for name in measures:
        if not name.startswith("gm_"):
            show(name, query, found[name])
for name in measures:
    show(name, "all", pytrec_eval.compute_aggregated_measure(name, [found[name] for found in values.values()]))
sys.stdout.write("\n".join(lines) + "\n")
"""
#: For `in_turn` to compare: the sum of what is printed for a measure, of queries and of all.
CHECK = r"""
import json, subprocess, sys
sums = {}
for line in subprocess.run(sys.argv[2:], capture_output=True, text=True, check=True).stdout.splitlines():
    name, query, value = line.split("\t")
    name = name.strip()
    if not name.startswith(tuple(sys.argv[1].split())):
        sums[name] = sums.get(name, 0) + float(value)
for name, value in sums.items():
    print(json.dumps({"measure": name, "value": value}))
"""
NO_VALUES = "runid num_q relstring"
#: At recall x, 10.0 rounds another way.
OTHER_IN_10 = "iprec_at_recall 11pt_avg"


def contestant(name: str, command: list[str], not_compared: str = NO_VALUES) -> Contestant:
    return Contestant(name, command, [sys.executable, "-c", CHECK, not_compared, *command])


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=1000, documents=1000, judged=100) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    command = [*program(), "trec_eval", "-q", "-c", "-m", "all_trec"]
    contestants = [
        contestant("trec_eval-9", [*command, "--preset", "trec_eval-9", qrels, run]),
        contestant("trec_eval", [*command, qrels, run], f"{NO_VALUES} {OTHER_IN_10}"),
    ]
    if available(peers):
        contestants.append(contestant("pytrec_eval", [sys.executable, "-c", SCRIPT, qrels, run]))
    found = in_turn(contestants, runs)
    label, lines = f"trec_eval -q -c -m all_trec, {queries:,} x {documents:,}", []
    if "pytrec_eval" in found:
        lines = [ratio(label, found[name], found["pytrec_eval"], 0.6) for name in ("trec_eval", "trec_eval-9")]
    return report("trec_eval_1m", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
