"""Claim: of arrays of 10,000 x 100, `rs.evaluate_arrays` computes nDCG@10 in at most 0.2 of scikit-learn's CPU.

Beside it `sklearn.metrics.ndcg_score(relevance, scores, k=10, ignore_ties=True)` on the same arrays: random scores
without ties, five grades. Also shown: other shapes, one of them a batch of a training loop; with padding, which
scikit-learn has not; and five measures at once, with cutoffs and of whole lists, beside scikit-learn's one. All run in
one process, in turn, which measures its own CPU (`time.process_time`); BLAS has one thread.
"""

import json
import os
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CUT = ("nDCG@10", "AP@10", "RR@10", "P@10", "R@10")
WHOLE = ("nDCG@10", "AP", "RR", "P@10", "R@100")
PEER, PEER_NAME = "sklearn", "scikit-learn nDCG@10"
SHAPES = ((10_000, 100), (10_000, 1000), (128, 50))


def ways_of(queries, documents, peers):
    """Name of the work -> what to call, which gives nDCG@10."""
    import numpy as np

    import rankscope as rs

    rng = np.random.default_rng(7)
    scores, relevance = rng.random((queries, documents)), rng.integers(0, 5, (queries, documents))
    mask = np.arange(documents) < rng.integers(documents // 2, documents + 1, queries)[:, None]

    def ours(measures, mask=None):
        return {"nDCG@10": rs.evaluate_arrays(relevance, scores, measures, mask=mask).overall("nDCG@10")}

    ways = {
        "nDCG@10": lambda: ours("nDCG@10"),
        "five measures @10": lambda: ours(CUT),
        "five, whole lists": lambda: ours(WHOLE),
    }
    if PEER in peers:
        from sklearn.metrics import ndcg_score

        ways[PEER_NAME] = lambda: {"nDCG@10": float(ndcg_score(relevance, scores, k=10, ignore_ties=True))}
    agree({name: call() for name, call in ways.items()})
    return {**ways, "nDCG@10, padded": lambda: ours("nDCG@10", mask)}


def work(queries, documents, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    ways = ways_of(int(queries), int(documents), peers)
    calls = max(200_000 // (int(queries) * int(documents)), 1)  # the clock is coarse
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            for _ in range(calls):
                call()
            spent[name].append(1e6 * (time.process_time() - begin) / calls)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), queries=None, documents=None, **_) -> dict:
    """Nothing is read from the folder. queries, documents: one shape in the place of all."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    runs = 2 * runs
    present = available(peers)
    lines, everything = [], {}
    for shape in ((queries, documents),) if queries else SHAPES:
        arguments = [str(x) for x in (*shape, runs, *present)]
        spent = json.loads(start([sys.executable, __file__, "--work", *arguments]).output)
        label = "arrays, {:,} x {:,}".format(*shape)
        found = {way: Medians(way if way == PEER_NAME else OURS, median(cpu), None, cpu) for way, cpu in spent.items()}
        everything |= {f"{label}: {way}": medians for way, medians in found.items()}
        peer = found.pop(PEER_NAME, None)
        for way, ours in found.items():
            claim = 0.2 if (way, shape) == ("nDCG@10", SHAPES[0]) else None
            work = f"{label}: {way}"
            lines.append(ratio(work, ours, peer, claim, "µs") if peer else absolute(work, ours, ours.cpu, "µs", None))
    return report("dense_arrays", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
