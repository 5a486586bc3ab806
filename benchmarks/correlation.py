"""Claims: the BCa bootstrap interval of Kendall's tau-b of 1,000 queries, 10,000 resamples, takes at most 0.25 of the
CPU of scipy.stats.bootstrap with kendalltau, that of Spearman's rho at most 0.25 of the same with spearmanr; all below
500 MB.

SciPy draws a tenth of the resamples; its CPU is extrapolated by the number of correlations that all of them take, with
one for each item left out. Values are normal and correlated, drawn with a fixed seed. All run in one process, in turn,
which measures its own CPU (`time.process_time`, all threads); memory is that of a process that runs only ours. Also
shown: Pearson's interval, the permutation p-value of tau, a matrix of taus beside that of pandas, and one tau of
100,000 items with five values, and with one decimal (about 130 values), beside that of SciPy.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = {"tau, BCa": 0.25, "rho, BCa": 0.25}
MEGABYTES = 500
STATISTICS = {"tau": "kendall_b", "rho": "spearman", "r": "pearson"}
TIED_ITEMS = 100_000
#: The share of the resamples that a peer draws.
SHARE = 10


def make_values(measures, queries):
    import numpy as np

    rng = np.random.default_rng(1)
    return rng.standard_normal((measures, queries)) + rng.standard_normal(queries)


def our_ways(values, resamples):
    """Name of the work -> what to call for the value, or the low end."""
    from rankscope import stats

    def low(statistic):
        options = {"statistic": statistic, "interval": "bootstrap", "n_resamples": resamples, "rng": 1}
        return lambda: float(stats.correlation_test(values[0], values[1], **options).low)

    permuted = {"pvalue": "permutation", "n_resamples": resamples, "rng": 1}
    return {
        **{f"{name}, BCa": low(statistic) for name, statistic in STATISTICS.items()},
        "tau matrix": lambda: float(stats.correlation_matrix(values).sum()),
        **{name: lambda lists=lists: tau_of(*lists) for name, lists in tied_lists().items()},
        "tau, permutations": lambda: float(stats.correlation_test(values[0], values[1], **permuted).pvalue),
    }


def tied_lists():
    """Name -> two lists with many ties."""
    import numpy as np

    x, y = make_values(2, TIED_ITEMS)
    ends = [-2.0, -0.7, 0.7, 2.0]
    return {
        "tau, five values": (np.digitize(x, ends).astype(float), np.digitize(y, ends).astype(float)),
        "tau, one decimal": (np.round(x, 1), np.round(y, 1)),
    }


def tau_of(x, y):
    from rankscope.measures.rank_similarity import kendall_tau

    return kendall_tau(x, y)


def fewer(resamples):
    return max(resamples // SHARE, 10)


def scipy_ways(values, resamples):
    from scipy import stats

    functions = {"tau": stats.kendalltau, "rho": stats.spearmanr, "r": stats.pearsonr}

    def low(function):
        options = {"paired": True, "vectorized": False, "n_resamples": fewer(resamples), "rng": 1}
        statistic = lambda x, y: function(x, y).statistic  # noqa: E731 - one of several, by name
        return lambda: float(stats.bootstrap(tuple(values[:2]), statistic, **options).confidence_interval.low)

    tied = {
        name: lambda lists=lists: float(stats.kendalltau(*lists, method="asymptotic").statistic)
        for name, lists in tied_lists().items()
    }
    return {**{f"{name}, BCa": low(function) for name, function in functions.items()}, **tied}


def pandas_ways(values, resamples):
    import pandas as pd

    return {"tau matrix": lambda: float(pd.DataFrame(values.T).corr(method="kendall").to_numpy().sum())}


def work(runs, measures, queries, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    items, resamples = int(queries), int(resamples)
    values = make_values(int(measures), items)
    ways = {OURS: our_ways(values, resamples)}
    ways |= {peer: find(values, resamples) for peer, find in PEERS.items() if peer in peers}
    spent = defaultdict(list)
    for name in ways[OURS]:
        mine = {who: found[name] for who, found in ways.items() if name in found}
        # Ends of intervals are drawn: their own uncertainty is a few hundredths of their width, which is 4 / sqrt(n).
        agree({who: {name: call()} for who, call in mine.items()}, 1 / items**0.5 if "BCa" in name else 1e-9)
        for _ in range(int(runs)):
            for who, call in mine.items():
                begin = time.process_time()
                call()
                is_sampled = who == "scipy" and "BCa" in name
                times = (resamples + items) / (fewer(resamples) + items) if is_sampled else 1
                spent[f"{name}|{who}"].append((time.process_time() - begin) * times)
    print(json.dumps(spent))


def remember(measures, queries, resamples) -> None:
    """Runs in a process of its own: all of ours once, so that its peak is theirs."""
    for call in our_ways(make_values(int(measures), int(queries)), int(resamples)).values():
        call()


PEERS = {"scipy": scipy_ways, "pandas": pandas_ways}


def measure(runs=RUNS, folder=DATA, peers=tuple(PEERS), measures=20, queries=1000, resamples=10_000) -> dict:
    there = available(peers)
    size = [str(measures), str(queries), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    lines = []
    for name, (ours, *others) in found.items():
        what = f"{measures} lists" if "matrix" in name else f"{resamples:,} resamples"
        is_tied = name in ("tau, five values", "tau, one decimal")
        label = f"{name}, {TIED_ITEMS:,} items" if is_tied else f"{name}, {what} of {queries:,}"
        lines += [ratio(label, ours, theirs, CLAIMED.get(name)) for theirs in others]
        if not others:
            lines.append(absolute(label, ours, ours.cpu, "CPU s", None))
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    total = Medians(OURS, sum(some[0].cpu for some in found.values()), memory)
    lines.append(absolute("all correlations, peak memory", total, memory, "MB", MEGABYTES))
    return report("correlation", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
