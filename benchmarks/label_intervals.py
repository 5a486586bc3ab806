"""Claim: all statistics of five raters with 1,000 resamples take at most 0.02 of the CPU of two by scikit-learn.

Here `agree_labels` on 10,000 items: kappa, alpha, AC1 and AC2, weighted ones too, and Matthews' correlation of each of
ten pairs, of all raters and of people, and a machine beside people, each with a BCa interval. Beside it
`cohen_kappa_score` and `matthews_corrcoef` of scikit-learn for the ten pairs in a loop over resamples, of which a few
are timed and the others counted. Labels are whole numbers from 0 to 2, and one in twenty is missing. All run in one
process, in turn, which measures its own CPU (`time.process_time`); BLAS has one thread.
"""

import json
import os
import sys
import time
from collections import defaultdict
from itertools import combinations

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

PEER, PEER_NAME = "sklearn", "scikit-learn, in a loop"
ITEMS, RATERS, RESAMPLES, LOOPS = 10_000, 5, 1000, 3


def labels_of(n):
    """(raters, items) labels, NaN where there is none."""
    import numpy as np

    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, n)
    labels = np.where(rng.random((RATERS, n)) < 0.7, truth, rng.integers(0, 3, (RATERS, n))).astype(float)
    labels[rng.random(labels.shape) < 0.05] = np.nan
    return labels


def ours(labels, resamples):
    """All statistics with their intervals; the kappa of each pair."""
    from rankscope import agree_labels

    found = agree_labels(dict(zip("abcde", labels, strict=True)), machines="e", n_resamples=resamples)
    return {" ".join(pair.raters): pair.statistics["kappa"].value for pair in found.pairs}


def theirs(labels, items):
    """Kappa and Matthews' correlation of each pair on these items; kappa is returned."""
    import numpy as np
    from sklearn import metrics

    found = {}
    for (i, a), (j, b) in combinations(enumerate(labels[:, items]), 2):
        both = ~(np.isnan(a) | np.isnan(b))
        metrics.matthews_corrcoef(a[both], b[both])
        found["abcde"[i] + " " + "abcde"[j]] = float(metrics.cohen_kappa_score(a[both], b[both]))
    return found


def work(n, resamples, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import numpy as np

    labels = labels_of(int(n))
    everything = np.arange(int(n))
    values = {OURS: ours(labels, 2)}
    spent = defaultdict(list)
    if PEER in peers:
        agree({**values, PEER_NAME: theirs(labels, everything)})
    for _ in range(int(runs)):
        begin = time.process_time()
        ours(labels, int(resamples))
        spent[OURS].append(time.process_time() - begin)
        if PEER in peers:
            begin = time.process_time()
            for seed in range(LOOPS):
                theirs(labels, np.random.default_rng(seed).integers(0, int(n), int(n)))
            spent[PEER_NAME].append((time.process_time() - begin) / LOOPS * int(resamples))
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), items=ITEMS, resamples=RESAMPLES, **_) -> dict:
    """Nothing is read from the folder. items, resamples: how many."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the process that is started
    command = [sys.executable, __file__, "--work", str(items), str(resamples), str(runs), *available(peers)]
    spent = json.loads(start(command).output)
    found = {name: Medians(name, median(cpu)) for name, cpu in spent.items()}
    label = f"{items:,} items, {RATERS} raters: agreement with {resamples:,} resamples"
    if PEER_NAME in found:
        lines = [ratio(label, found[OURS], found[PEER_NAME], 0.02)]
    else:
        lines = [absolute(label, found[OURS], found[OURS].cpu, "CPU s", None)]
    return report("label_intervals", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
