"""Claim: counts, kappa and Matthews' correlation of a million labels take at most 0.2 of scikit-learn's CPU.

Labels are whole numbers. Beside it sklearn.metrics on the same arrays: `confusion_matrix`, `cohen_kappa_score`
(quadratic weights) and `matthews_corrcoef`, one after the other, as here. Also shown: the same labels as text, in
lists. The second list repeats the first with a fifth of it drawn anew. All run in one process, in turn, which measures
its own CPU (`time.process_time`); BLAS has one thread.
"""

import json
import os
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

PEER, PEER_NAME = "sklearn", "scikit-learn"
LABELS, CLASSES = 1_000_000, 4


def ways_of(n, peers):
    """Name of the work -> what to call, which gives its values."""
    import numpy as np

    from rankscope.stats.confusion import confusion_matrix, rates
    from rankscope.stats.rater_agreement import cohens_kappa, krippendorffs_alpha

    rng = np.random.default_rng(7)
    a = rng.integers(0, CLASSES, n)
    b = np.where(rng.random(n) < 0.2, rng.integers(0, CLASSES, n), a)
    words = [[f"grade {x}" for x in side.tolist()] for side in (a, b)]
    sides = {"numbers": (a, b), "text": tuple(words)}

    def ours(one, other):
        matrix = confusion_matrix(one, other)
        kappa = cohens_kappa(one, other, weights="quadratic")
        return {"right": float(matrix.counts.trace()), "kappa": kappa.value, "mcc": rates(one, other).mcc}

    def theirs(one, other):
        from sklearn import metrics

        matrix = metrics.confusion_matrix(one, other)
        kappa = metrics.cohen_kappa_score(one, other, weights="quadratic")
        return {
            "right": float(matrix.trace()),
            "kappa": float(kappa),
            "mcc": float(metrics.matthews_corrcoef(one, other)),
        }

    ways = {}
    for kind, (one, other) in sides.items():
        pair = {OURS: lambda one=one, other=other: ours(one, other)}
        if PEER in peers:
            pair[PEER_NAME] = lambda one=one, other=other: theirs(one, other)
            agree({name: call() for name, call in pair.items()})
        ways |= {(kind, name): call for name, call in pair.items()}
    return {**ways, ("alpha", OURS): lambda: krippendorffs_alpha(np.stack((a, b)), level="ordinal")}


def work(n, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    ways = ways_of(int(n), peers)
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[" ".join(name)].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), labels=LABELS, **_) -> dict:
    """Nothing is read from the folder. labels: how many."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the process that is started
    present = available(peers)
    command = [sys.executable, __file__, "--work", str(labels), str(runs), *present]
    spent = {name: median(cpu) for name, cpu in json.loads(start(command).output).items()}
    found = {name: Medians(name.partition(" ")[2], cpu) for name, cpu in spent.items()}
    lines = []
    for kind, claim in (("numbers", 0.2), ("text", None)):
        ours, peer = found[f"{kind} {OURS}"], found.get(f"{kind} {PEER_NAME}")
        label = f"{labels:,} labels, {kind}: counts, kappa, MCC"
        lines.append(ratio(label, ours, peer, claim) if peer else absolute(label, ours, ours.cpu, "CPU s", None))
    alpha = found[f"alpha {OURS}"]
    lines.append(absolute(f"{labels:,} labels: Krippendorff's alpha", alpha, alpha.cpu, "CPU s", None))
    return report("judges", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
