"""Claims: sign flips of all 190 pairs of 20 systems on 1,000 queries, 10,000 resamples, take at most 0.02 of the CPU of
scipy.stats.permutation_test in a loop over the pairs, and at most 0.3 of that of ranx's Fisher test; 100,000 bootstrap
resamples of one mean take less than 2 CPU s; all below 500 MB.

The peers test a few pairs, extrapolated to all. Scores are normal, drawn with a fixed seed. All run in one process, in
turn, which measures its own CPU (`time.process_time`, all threads); memory is that of a process that runs only ours.
Also shown: the bootstrap test of all pairs, their BCa intervals, and randomised Tukey's HSD.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = {"scipy": 0.02, "ranx": 0.3}
MEAN_SECONDS, MEGABYTES = 2.0, 500
#: Pairs that a peer tests.
FEW = 2


def make_scores(systems, queries):
    import numpy as np

    rng = np.random.default_rng(1)
    scores = rng.standard_normal((systems, queries)) + rng.standard_normal(queries)
    first, second = np.triu_indices(systems, 1)
    return scores, scores[first] - scores[second]


def our_ways(scores, differences, resamples):
    """Name of the work -> what to call."""
    from rankscope import stats

    return {
        "sign flips": lambda: stats.randomisation_test(differences, n_resamples=resamples, rng=1).pvalue,
        "one mean": lambda: stats.bootstrap_interval(scores[0], n_resamples=10 * resamples, rng=1).low,
        "bootstrap test": lambda: stats.bootstrap_test(differences, n_resamples=resamples, rng=1).pvalue,
        "BCa intervals": lambda: stats.bootstrap_interval(differences, n_resamples=resamples, rng=1).low,
        "randomised Tukey": lambda: stats.randomised_tukey_hsd(scores, n_resamples=resamples, rng=1).pvalue,
    }


def scipy_pair(difference, resamples):
    import numpy as np
    from scipy import stats

    data = (difference, np.zeros_like(difference))
    options = {"permutation_type": "samples", "vectorized": True, "n_resamples": resamples, "rng": 1}
    return stats.permutation_test(data, lambda x, y, axis: (x - y).mean(axis=axis), **options).pvalue


def ranx_pair(difference, resamples):
    import numpy as np
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    return fisher_randomization_test(difference, np.zeros_like(difference), n_permutations=resamples)[0]


def work(runs, systems, queries, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way, for all pairs."""
    scores, differences = make_scores(int(systems), int(queries))
    resamples, few = int(resamples), differences[:FEW]
    ours = our_ways(scores, differences, resamples)
    pairs = {"scipy": scipy_pair, "ranx": ranx_pair}
    found = {OURS: ours["sign flips"]()[: len(few)]}
    found |= {name: [pairs[name](d, resamples) for d in few] for name in peers}
    within = 5 / resamples**0.5  # p-values are drawn, by each from other signs
    agree({who: {f"p of pair {i}": float(p) for i, p in enumerate(ps)} for who, ps in found.items()}, within)
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ours.items():
            spent[f"{name}|{OURS}"].append(timed(call))
        for name in peers:
            cpu = timed(lambda name=name: [pairs[name](d, resamples) for d in few])
            spent[f"sign flips|{name}"].append(cpu * len(differences) / len(few))
    print(json.dumps(spent))


def timed(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def remember(systems, queries, resamples) -> None:
    """Runs in a process of its own: all of ours once, so that its peak is theirs."""
    for call in our_ways(*make_scores(int(systems), int(queries)), int(resamples)).values():
        call()


def measure(runs=RUNS, folder=DATA, peers=("scipy", "ranx"), systems=20, queries=1000, resamples=10_000) -> dict:
    there = available(peers)
    size = [str(systems), str(queries), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    pairs = f"{systems * (systems - 1) // 2} pairs"
    lines = [ratio(f"sign flips, {pairs}", found["sign flips"][0], p, CLAIMED[p.name]) for p in found["sign flips"][1:]]
    for name, (ours, *_) in found.items():
        what = f"{10 * resamples:,} resamples" if name == "one mean" else pairs
        limit = MEAN_SECONDS if name == "one mean" else None
        if name != "sign flips" or not there:
            lines.append(absolute(f"{name}, {what}", ours, ours.cpu, "CPU s", limit))
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    total = Medians(OURS, sum(some[0].cpu for some in found.values()), memory)
    lines.append(absolute("all of these, peak memory", total, memory, "MB", MEGABYTES))
    return report("randomisation", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
