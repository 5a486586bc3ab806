"""Claims: Kendall's tau-b of a million items takes at most 1.2 of the CPU of scipy.stats.kendalltau; rank-biased
overlap of two lists of 1,000 items, extrapolated, at most half of that of the package rbo.

Scores are normal and correlated, drawn with a fixed seed; lists share most of their items. Also shown: scores with
ties, weighted tau (of a tenth of the items, since SciPy's takes long) and Spearman's rho beside SciPy's. All run in
one process, in turn, which measures its own CPU (`time.process_time`); rank-biased overlap many calls at a time.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = {"tau": 1.2, "rbo": 0.5}
#: Calls of rank-biased overlap that are measured together.
CALLS = 200


def our_ways(data):
    """Name of the work -> what to call for the value."""
    from rankscope.measures.rank_similarity import by_query as module

    x, y, coarse_x, coarse_y, few, a, b = data
    return {
        "tau": lambda: module.kendall_tau(x, y),
        "tau, ties": lambda: module.kendall_tau(coarse_x, coarse_y),
        "weighted_tau": lambda: module.weighted_tau(x[few], y[few]),
        "spearman": lambda: module.spearman(x, y),
        "rbo": lambda: module.rbo(a, b, p=0.98),
    }


def scipy_ways(data):
    from scipy import stats

    x, y, coarse_x, coarse_y, few, _, _ = data
    return {
        "tau": lambda: float(stats.kendalltau(x, y).statistic),
        "tau, ties": lambda: float(stats.kendalltau(coarse_x, coarse_y).statistic),
        "weighted_tau": lambda: float(stats.weightedtau(x[few], y[few]).statistic),
        "spearman": lambda: float(stats.spearmanr(x, y).statistic),
    }


def rbo_ways(data):
    from rbo import RankingSimilarity

    a, b = data[-2:]
    return {"rbo": lambda: float(RankingSimilarity(a, b).rbo_ext(0.98))}


def make_data(scores, items):
    import numpy as np

    rng = np.random.default_rng(1)
    x = rng.standard_normal(scores)
    y = x + rng.standard_normal(scores)
    a, b = ([f"document{i}" for i in rng.permutation(items * 13 // 10)[:items]] for _ in range(2))
    return x, y, np.round(10 * x), np.round(10 * y), slice(scores // 10), a, b


def work(runs, scores, items, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds a call of each way."""
    data = make_data(int(scores), int(items))
    contestants = {OURS: our_ways(data)}
    contestants |= {peer: ways(data) for peer, ways in (("scipy", scipy_ways), ("rbo", rbo_ways)) if peer in peers}
    spent = defaultdict(list)
    for name in contestants[OURS]:
        ways = {who: found[name] for who, found in contestants.items() if name in found}
        agree({who: {name: call()} for who, call in ways.items()}, within=1e-9)
        calls = CALLS if name == "rbo" else 1
        for _ in range(int(runs)):
            for who, call in ways.items():
                begin = time.process_time()
                for _ in range(calls):
                    call()
                spent[f"{name}|{who}"].append((time.process_time() - begin) / calls)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("scipy", "rbo"), scores=1_000_000, items=1000) -> dict:
    there = available(peers)
    runs = 2 * runs
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), str(scores), str(items), *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        scale = 1e6 if name == "rbo" else 1  # a call takes less than a millisecond
        found[name].append(Medians(who, scale * median(cpu), None, cpu))
    lines = []
    for name, (ours, *others) in found.items():
        unit = "µs" if name == "rbo" else "CPU s"
        label = f"{name}, {({'rbo': items, 'weighted_tau': scores // 10}).get(name, scores):,} items"
        lines += [ratio(label, ours, theirs, CLAIMED.get(name), unit) for theirs in others]
        if not others:
            lines.append(absolute(label, ours, ours.cpu, unit, None))
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    return report("association", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
