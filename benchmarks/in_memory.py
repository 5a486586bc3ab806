"""Claim: in memory, a dict of dicts of 1,000 queries x 1,000 documents takes at most 0.6 of pytrec_eval's CPU.

Both get the same two dicts and give the means of nDCG@10 AP RR P@10: `rs.evaluate` beside making a
RelevanceEvaluator, evaluating and taking means, and that beside the same calls of `rankscope.compat.pytrec_eval` (at
most 0.6 too). Also shown: the same with the judgments prepared, as in a loop over systems, and with all measures of
trec_eval. All run in one process, in turn, which measures its own CPU (`time.process_time`).
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, MEASURES, RUNS, Medians, agree, available, collection, main, median, ratio, report, start

TREC = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "P@10": "P_10"}


def read(path, doc, value, number):
    found = defaultdict(dict)
    with open(path) as file:
        for line in file:
            fields = line.split()
            found[fields[0]][fields[doc]] = number(fields[value])
    return dict(found)


def our_ways(qrels, run):
    """Name of the work -> what to call for the means."""
    import rankscope as rs

    def means(scores):
        return {m: scores.overall(m) for m in MEASURES}

    prepared = rs.Evaluator(qrels, MEASURES)
    return {"": lambda: means(rs.evaluate(qrels, run, MEASURES)), "prepared ": lambda: means(prepared(run))}


def pytrec_ways(qrels, run, pytrec_eval):
    """The module, or that which takes its place."""

    def evaluator(measures):
        return pytrec_eval.RelevanceEvaluator(qrels, measures)

    def means(values):
        mean = pytrec_eval.compute_aggregated_measure
        return {ours: mean(trec, [value[trec] for value in values.values()]) for ours, trec in TREC.items()}

    prepared = evaluator(set(TREC.values()))
    return {
        "": lambda: means(evaluator(set(TREC.values())).evaluate(run)),
        "prepared ": lambda: means(prepared.evaluate(run)),
        "all_trec ": lambda: means(evaluator({"all_trec"}).evaluate(run)),
    }


def work(qrels_path, run_path, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    from rankscope.compat import pytrec_eval as face

    qrels, run = read(qrels_path, 2, 3, int), read(run_path, 2, 4, float)
    ways = {kind + "rankscope": call for kind, call in our_ways(qrels, run).items()}
    ways |= {kind + "compat": call for kind, call in pytrec_ways(qrels, run, face).items()}
    if "pytrec_eval" in peers:
        import pytrec_eval

        ways |= {kind + "pytrec_eval": call for kind, call in pytrec_ways(qrels, run, pytrec_eval).items()}
    agree({name: call() for name, call in ways.items()})
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=1000, documents=1000, judged=100) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    runs = 2 * runs
    spent = json.loads(start([sys.executable, __file__, "--work", qrels, run, str(runs), *available(peers)]).output)
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    label, lines = f"dict of dicts, {queries:,} x {documents:,}", []
    if "pytrec_eval" in found:
        lines = [ratio(label, found["rankscope"], found["pytrec_eval"], 0.6)]
        lines.append(ratio(f"{label}, prepared", found["prepared rankscope"], found["prepared pytrec_eval"]))
        for kind, at_most in (("", 0.6), ("prepared ", None), ("all_trec ", None)):
            work = f"compat.pytrec_eval, {label}"
            lines.append(ratio(work, found[f"{kind}compat"], found[f"{kind}pytrec_eval"], at_most))
    return report("in_memory", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
