"""Claim: a prepared Evaluator, called again and again with one query of 10 documents, takes at most 60 µs a call.

Two measures, nDCG@10 and RR; the run is a dict and comes anew with each call, as in a training loop. The first row is
the call, which gives a Scores; in the others both means are read from it as well, since the peers give numbers.
pytrec_eval's is its prepared RelevanceEvaluator; ranx's is `evaluate` with prepared Qrels, on a prepared Run too (the
least it can take) and on a new one for each dict. The row of `evaluate_many` is the time of a run among 100 that are
evaluated in one call; their values must be those of single calls. All run in one process, in turn, many calls at a
time, which measures its own CPU (`time.process_time`).
"""

import json
import sys
import time
import warnings
from collections import defaultdict
from itertools import cycle, islice

from in_memory import read
from measuring import DATA, RUNS, Medians, absolute, agree, available, collection, main, median, ratio, report, start

MANY = 100  # runs in a call of evaluate_many
TOGETHER = "rankscope, evaluate_many"


def our_ways(qrels):
    import rankscope as rs

    evaluator = rs.Evaluator(qrels, ["nDCG@10", "RR"])

    def read_both(run):
        scores = evaluator(run)
        return {"nDCG@10": scores.overall("nDCG@10"), "RR": scores.overall("RR")}

    return {"rankscope": evaluator, "rankscope, means read": read_both}, evaluator.evaluate_many


def pytrec_ways(qrels):
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank"})

    def read_both(run):
        (values,) = evaluator.evaluate(run).values()
        return {"nDCG@10": values["ndcg_cut_10"], "RR": values["recip_rank"]}

    return {"pytrec_eval": read_both}


def ranx_ways(qrels):
    import ranx

    warnings.simplefilter("ignore")  # numba warns of a cast in ranx
    judged = ranx.Qrels(qrels)
    prepared = {}

    def read_both(run):
        values = ranx.evaluate(judged, run, ["ndcg@10", "mrr"])
        return {"nDCG@10": float(values["ndcg@10"]), "RR": float(values["mrr"])}

    def prepare(run):
        if id(run) not in prepared:
            prepared[id(run)] = ranx.Run(run)
        return prepared[id(run)]

    return {"ranx": lambda run: read_both(prepare(run)), "ranx, new Run": lambda run: read_both(ranx.Run(run))}


def work(qrels_path, run_path, runs, calls, *peers) -> None:
    """Runs in a process of its own; prints the CPU microseconds a call of each way."""
    ((query, judged),) = list(read(qrels_path, 2, 3, int).items())[:1]
    qrels = {query: judged}
    ((_, found),) = list(read(run_path, 2, 4, float).items())[:1]
    scores = list(found.values())  # one list in ten orders, so that nobody gets the same dict twice in a row
    inputs = [{query: dict(zip(found, scores[i:] + scores[:i], strict=True))} for i in range(len(scores))]
    ways, evaluate_many = our_ways(qrels)
    together = evaluate_many(inputs)
    if any(
        (ways["rankscope"](run).values != values).any() for run, values in zip(inputs, together.values, strict=True)
    ):
        raise SystemExit("evaluate_many and single calls do not agree")
    for peer, make in (("pytrec_eval", pytrec_ways), ("ranx", ranx_ways)):
        ways |= make(qrels) if peer in peers else {}
    for run in inputs:
        agree({name: call(run) for name, call in ways.items() if name != "rankscope"})
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            sequence = list(islice(cycle(inputs), int(calls)))
            begin = time.process_time()
            for run in sequence:
                call(run)
            spent[name].append(1e6 * (time.process_time() - begin) / len(sequence))
        sequence = list(islice(cycle(inputs), int(calls)))
        begin = time.process_time()
        for first in range(0, len(sequence), MANY):
            evaluate_many(sequence[first : first + MANY])
        spent[TOGETHER].append(1e6 * (time.process_time() - begin) / len(sequence))
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval", "ranx"), calls=2000) -> dict:
    qrels, run = collection(folder, queries=1, documents=10, judged=10)
    arguments = [qrels, run, str(runs), str(calls), *available(peers)]
    spent = json.loads(start([sys.executable, __file__, "--work", *arguments]).output)
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    label = "one query of 10 documents, a call"
    ours, both = found["rankscope"], found["rankscope, means read"]
    together = found[TOGETHER]
    lines = [absolute(label, ours, ours.cpu, "µs", 60), absolute(label, both, both.cpu, "µs", None)]
    lines += [ratio(label, both, found[name], unit="µs") for name in found if not name.startswith("rankscope")]
    lines.append(absolute(f"one query of 10 documents, a run of {MANY} in a call", together, together.cpu, "µs", 10))
    return report("single_query", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
