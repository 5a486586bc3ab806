"""Claims: `rankscope evaluate` on ten lines takes at most 0.30 CPU seconds, all of them starting up; `rankscope
compare` of two runs of a hundred lines takes at most half of a script of pytrec_eval and SciPy's paired t-test.

Whole processes, Python and NumPy included. Also shown: the peers, which load NumPy and more as well. A start is short
and varies much, so there are three times as many runs.
"""

import json
import sys

from diff import second_run
from measuring import (
    DATA,
    OURS,
    RUNS,
    absolute,
    agree,
    available,
    collection,
    in_turn,
    main,
    medians,
    ours,
    peer,
    program,
    ratio,
    report,
    start,
)

PEERS = ("pytrec_eval", "ranx", "ir_measures")
COMPARED, AT_MOST = "pytrec_eval, scipy.stats", 0.5


def paired_t(qrels_path, *run_paths) -> None:
    """As a user of both writes it: prints the difference of the means of AP and its p-value."""
    import pytrec_eval
    from scipy.stats import ttest_rel

    with open(qrels_path) as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map"})
    values = []
    for path in run_paths:
        with open(path) as file:
            of_run = evaluator.evaluate(pytrec_eval.parse_run(file))
        values.append([of_run[query]["map"] for query in sorted(of_run)])
    a, b = values
    pvalue = float(ttest_rel(a, b).pvalue)
    print(json.dumps({"difference": (sum(a) - sum(b)) / len(a), "pvalue": pvalue}))


def differences(commands) -> dict[str, dict[str, float]]:
    """What each prints: the absolute difference, for a comparison names the better run first, and the p-value."""
    printed = {name: json.loads(start(command).output.splitlines()[-1]) for name, command in commands.items()}
    return {
        name: {"difference": abs(record["difference"]), "pvalue": record["pvalue"]} for name, record in printed.items()
    }


def compared(label, peers, runs, folder, **shape):
    """Lines and medians of the comparison of two runs."""
    qrels, run = collection(folder, **shape)
    files = [qrels, run, second_run(run)]
    commands = {OURS: [*program(), "compare", *files, "-m", "AP", "--format", "jsonl"]}
    if "pytrec_eval" in peers:
        commands[COMPARED] = [sys.executable, __file__, "--paired-t", *files]
    agree(differences(commands), 1e-9)  # the first call of each warms up, too
    spent = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(start(command))
    found = {f"compare {name}": medians(name, used) for name, used in spent.items()}
    first, *others = found.values()
    return [absolute(label, first, first.cpu, "CPU s", None), *(ratio(label, first, p, AT_MOST) for p in others)], found


def measure(runs=RUNS, folder=DATA, peers=PEERS, queries=1, documents=10, judged=10) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    there = available(peers)
    found = in_turn([ours(qrels, run), *(peer(p, qrels, run) for p in there)], 3 * runs)
    label = f"{queries * documents} lines, whole process"
    lines = [absolute(label, found[OURS], found[OURS].cpu, "CPU s", 0.30)]
    lines += [ratio(label, found[OURS], found[p]) for p in found if p != OURS]
    size = {"queries": 10 * queries, "documents": documents, "judged": judged}
    both = compared(f"two runs of {10 * queries * documents} lines compared", there, 3 * runs, folder, **size)
    return report("ten_lines", lines + both[0], found | both[1], 3 * runs)


if __name__ == "__main__":
    main(measure, __doc__, **{"paired-t": paired_t})
