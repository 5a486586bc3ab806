"""Claim: prediction-powered estimates of many means take at most a tenth of ppi-python's CPU, and hold more often.

Of 1,000 means, as of systems and pairs by several measures: values of people on 50 queries, of a machine on 1,000.
Beside it `ppi_mean_pointestimate` and `ppi_mean_ci`, called for each mean, since each has a weight of its own. With a
given weight both must find the same estimates. Also shown: in how many of 100 cases intervals of 95 % hold the true
mean where people judged 10 of 50 queries at random, for both. Both run in one process, in turn, which measures its own
CPU (`time.process_time`); BLAS has one thread.
"""

import json
import os
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

PEER, PEER_NAME = "ppi_py", "ppi-python"
MEANS, JUDGED, QUERIES = 1_000, 50, 1_000
FEW, OF = 10, 50
LAM = 0.5


def values(means, judged, queries):
    """(means, judged) of people, of the machine there, and (means, others) elsewhere; the true mean is 0.5."""
    import numpy as np

    rng = np.random.default_rng(7)
    people = rng.normal(0.5, 0.2, (means, queries))
    machine = people + rng.normal(0, 0.2, people.shape)
    return people[:, :judged], machine[:, :judged], machine[:, judged:]


def ways_of(means, judged, queries, peers):
    """Name of the work -> what to call, which gives estimates and the ends of intervals."""
    import numpy as np

    from rankscope.stats.prediction_powered import prediction_powered

    def ours(three, weight=None):
        found = prediction_powered(*three, machine_weight=weight)
        return found.combined, found.combined_low, found.combined_high

    def theirs(three, lam=None):
        from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

        found = []
        for one in zip(*three, strict=True):
            ends = ppi_mean_ci(*one, alpha=0.05, lam=lam)
            found.append((np.squeeze(ppi_mean_pointestimate(*one, lam=lam)), *map(np.squeeze, ends)))
        return tuple(np.array(found, np.float64).T)

    many, few = values(means, judged, queries), values(means, FEW, OF)
    ways = {("many", OURS): lambda: ours(many), ("few", OURS): lambda: ours(few)}
    if PEER in peers:
        given = {OURS: ours(many, LAM / (1 - judged / queries)), PEER_NAME: theirs(many, LAM)}
        agree({name: dict(enumerate(found[0].tolist())) for name, found in given.items()})
        ways |= {("many", PEER_NAME): lambda: theirs(many), ("few", PEER_NAME): lambda: theirs(few)}
    return ways


def work(means, judged, queries, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way, and the share of intervals that hold."""
    ways = ways_of(int(means), int(judged), int(queries), peers)
    spent, hold = defaultdict(list), {}
    for _ in range(int(runs)):
        for (kind, name), call in ways.items():
            begin = time.process_time()
            _, low, high = call()
            spent[f"{kind} {name}"].append(time.process_time() - begin)
            hold[f"{kind} {name}"] = 100 * float(((low <= 0.5) & (high >= 0.5)).mean())
    print(json.dumps({"spent": spent, "hold": hold}))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), means=MEANS, judged=JUDGED, queries=QUERIES, **_) -> dict:
    """Nothing is read from the folder. means: how many; judged: queries of people, of so many queries."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the process that is started
    present = available(peers)
    command = [sys.executable, __file__, "--work", *map(str, (means, judged, queries, runs)), *present]
    printed = json.loads(start(command).output)
    found = {name: Medians(name.partition(" ")[2], median(cpu)) for name, cpu in printed["spent"].items()}
    ours, peer = found[f"many {OURS}"], found.get(f"many {PEER_NAME}")
    label = f"{means:,} means, {judged} of {queries:,} queries by people: estimates and intervals"
    lines = [ratio(label, ours, peer, 0.1) if peer else absolute(label, ours, ours.cpu, "CPU s", None)]
    for name, share in printed["hold"].items():
        kind, _, who = name.partition(" ")
        if kind == "few":
            held = f"{means:,} intervals of 95 %, {FEW} of {OF} queries by people: hold, {who}"
            lines.append(absolute(held, found[name], share, "of 100", None))
    return report("prediction_powered", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
