"""Claim: `rankscope.compat.ranx.evaluate` takes at most 0.6 of ranx's CPU on 1,000 queries x 1,000 documents.

Both get the same two dicts of dicts and give the means of nDCG@10 AP RR P@10. Also shown: making a Qrels and a Run and
evaluating them, evaluating them again, and many short lists. All run in one process, in turn, which measures its own
CPU of all threads (`time.process_time`), after a first call in which ranx compiles itself.
"""

import json
import sys
import time
from collections import defaultdict

from in_memory import read
from measuring import DATA, RUNS, Medians, agree, available, collection, main, median, ratio, report, start

METRICS = {"nDCG@10": "ndcg@10", "AP": "map", "RR": "mrr", "P@10": "precision@10"}


def ways(module, qrels, run):
    """Name of the work -> what to call for the means."""
    names = list(METRICS.values())
    judged, listed = module.Qrels(qrels), module.Run(run)

    def means(a, b):
        found = module.evaluate(a, b, names)
        return {ours: float(found[theirs]) for ours, theirs in METRICS.items()}

    return {
        "": lambda: means(qrels, run),
        "made ": lambda: means(module.Qrels(qrels), module.Run(run)),
        "again ": lambda: means(judged, listed),
    }


def work(qrels_path, run_path, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    from rankscope.compat import ranx as face

    qrels, run = read(qrels_path, 2, 3, int), read(run_path, 2, 4, float)
    calls = {kind + "compat": call for kind, call in ways(face, qrels, run).items()}
    if "ranx" in peers:
        import ranx

        calls |= {kind + "ranx": call for kind, call in ways(ranx, qrels, run).items()}
    agree({name: call() for name, call in calls.items()})
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in calls.items():
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("ranx",), queries=1000, documents=1000, judged=100) -> dict:
    shapes = {"dicts": (queries, documents, judged), "short dicts": (10 * queries, 10, min(judged, 10))}
    lines, found = [], {}
    for label, (q, d, j) in shapes.items():
        files = collection(folder, queries=q, documents=d, judged=j)
        output = start([sys.executable, __file__, "--work", *files, str(runs), *available(peers)]).output
        here = {name: Medians(name, median(cpu), None, cpu) for name, cpu in json.loads(output).items()}
        found |= {f"{label} {name}": medians for name, medians in here.items()}
        if "ranx" in here:
            for kind, at_most in (("", 0.6 if label == "dicts" else 1.0), ("made ", 0.6), ("again ", None)):
                what = f"compat.ranx, {label}, {q:,} x {d:,}"
                lines.append(ratio(what, here[f"{kind}compat"], here[f"{kind}ranx"], at_most))
    return report("compat_ranx", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
