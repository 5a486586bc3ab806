"""Claims: `rs.compare` of 20 systems on 10,000 queries in 500 clusters, all 190 pairs by 10,000 sign flips, takes at
most 1.2 of the CPU of the same without clusters; the t-test with clusters of all pairs at most 0.5 of that of
statsmodels (OLS of each pair on a constant, covariance "cluster") in a loop.

statsmodels tests a few pairs, extrapolated to all; clusters of its data are of one size, where its standard errors are
ours. Scores are normal and alike within a cluster, drawn with a fixed seed. All run in one process, in turn, which
measures its own CPU (`time.process_time`); memory is that of a process that runs only ours. Also shown: t and bootstrap
with BCa intervals, with and without clusters.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = {"sign flips": 1.2}
STATSMODELS = 0.5
MEGABYTES = 500
#: Pairs that the peer tests.
FEW = 5
WITHOUT = "without clusters"


def make_scores(systems, queries, clusters):
    """Scores, and the same with clusters."""
    import numpy as np

    import rankscope as rs

    rng = np.random.default_rng(1)
    codes = np.arange(queries) % clusters
    level = 0.4 + 0.02 * rng.standard_normal((systems, 1)) + 0.15 * rng.standard_normal(queries)
    values = level + 0.05 * rng.standard_normal((systems, clusters))[:, codes]
    values += 0.1 * rng.standard_normal((systems, queries))
    ids = [f"q{i}" for i in range(queries)]
    by_system = {f"s{s}": dict(zip(ids, row.tolist(), strict=True)) for s, row in enumerate(values)}
    scores = rs.Scores.of(by_system, measures="AP")
    return scores, scores.with_queries({"query": ids, "cluster": codes.tolist()})


def our_ways(scores, resamples):
    """Name of the work -> what to call; each gives the comparison."""
    import rankscope as rs

    drawn = {"n_resamples": resamples, "rng": 1}
    return {
        "sign flips": lambda: rs.compare(scores, test="permutation", **drawn),
        "t": lambda: rs.compare(scores),
        "bootstrap test and BCa intervals": lambda: rs.compare(scores, test="bootstrap", interval="bca", **drawn),
    }


def peer(differences, codes):
    """p of each pair."""
    import numpy as np
    import statsmodels.api as sm

    constant = np.ones(codes.size)
    options = {"cov_type": "cluster", "cov_kwds": {"groups": codes}, "use_t": True}
    return [float(sm.OLS(row, constant).fit(**options).pvalues[0]) for row in differences]


def work(runs, systems, queries, clusters, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way, for all pairs."""
    import numpy as np

    from rankscope.stats import t_test

    plain, clustered = make_scores(int(systems), int(queries), int(clusters))
    ways = {OURS: our_ways(clustered, int(resamples)), WITHOUT: our_ways(plain, int(resamples))}
    codes = clustered.queries.cluster_codes
    first, second = np.triu_indices(int(systems), 1)
    differences = plain.values[first, 0] - plain.values[second, 0]
    few = differences[:FEW]
    if peers:
        ours, theirs = t_test(few, clusters=codes).pvalue.tolist(), peer(few, codes)
        agree(
            {who: {f"p of pair {i}": p for i, p in enumerate(ps)} for who, ps in ((OURS, ours), ("peer", theirs))}, 1e-9
        )
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name in ways[OURS]:
            for who, calls in ways.items():
                spent[f"{name}|{who}"].append(timed(calls[name]))
        spent[f"t alone|{OURS}"].append(timed(lambda: t_test(differences, clusters=codes)))
        for name in peers:
            cpu = timed(lambda: peer(few, codes)) * len(differences) / len(few)
            spent[f"t alone|{name}"].append(cpu)
    print(json.dumps(spent))


def timed(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def remember(systems, queries, clusters, resamples) -> None:
    """Runs in a process of its own: all of ours once, so that its peak is theirs."""
    _, clustered = make_scores(int(systems), int(queries), int(clusters))
    for call in our_ways(clustered, int(resamples)).values():
        call()


def measure(
    runs=RUNS, folder=DATA, peers=("statsmodels",), systems=20, queries=10_000, clusters=500, resamples=10_000
) -> dict:
    there = available(peers)
    size = [str(systems), str(queries), str(clusters), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    pairs = f"{systems * (systems - 1) // 2} pairs, {clusters} clusters"
    lines = []
    for name, (ours, *others) in found.items():
        label = f"t-test with clusters, {pairs}" if name == "t alone" else f"compare with clusters: {name}, {pairs}"
        limit = STATSMODELS if name == "t alone" else CLAIMED.get(name)
        lines += [ratio(label, ours, other, limit) for other in others]
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    total = Medians(OURS, sum(some[0].cpu for some in found.values()), memory)
    lines.append(absolute("compare with clusters: all of these, peak memory", total, memory, "MB", MEGABYTES))
    return report("clusters", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
