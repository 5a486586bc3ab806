"""Claims: `rs.compare` of 20 systems on 1,000 queries, all 190 pairs, takes at most 0.5 of the CPU of scipy.stats in a
loop over the pairs and statsmodels' `multipletests`: t with Holm, interval, effect size and counts; and at most 0.02 of
it with 10,000 sign flips (`permutation_test`). Whole comparisons stay below 500 MB.

The peers do what a comparison does: test, interval, effect size with its interval (`scipy.optimize.brentq` on `nct`),
counts. They test a few pairs, extrapolated to all; `multipletests` corrects all. Scores are drawn with a fixed seed.
All run in one process, in turn, which measures its own CPU (`time.process_time`); memory is that of a process that runs
only ours. Also shown: the same with the text of the result, and 100 systems.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = {"t, Holm": 0.5, "sign flips, Holm": 0.02}
MEGABYTES = 500
#: Pairs that the peer tests.
FEW = {"t, Holm": 10, "sign flips, Holm": 2}


def make_scores(systems, queries):
    import numpy as np

    from rankscope.data.scores import Scores
    from rankscope.measures.names import parse_measures

    rng = np.random.default_rng(1)
    level = 0.4 + 0.02 * rng.standard_normal((systems, 1)) + 0.15 * rng.standard_normal(queries)
    values = level + 0.1 * rng.standard_normal((systems, queries))
    return Scores(
        systems=tuple(f"s{i}" for i in range(systems)),
        measures=tuple(parse_measures(["AP"])),
        query_ids=tuple(map(str, range(queries))),
        values=values[:, None],
        missing=np.zeros((systems, queries), bool),
        undefined=np.zeros((1, queries), bool),
        settings={"queries": str(queries)},
        measure_settings=({},),
    )


def our_ways(systems, queries, resamples):
    """Name of the work -> what to call; each gives the comparison."""
    import rankscope as rs

    scores, many = make_scores(systems, queries), make_scores(5 * systems, max(2, queries // 4))
    return {
        "t, Holm": lambda: rs.compare(scores),
        "sign flips, Holm": lambda: rs.compare(scores, test="permutation", n_resamples=resamples, rng=1),
        "t, Holm, and its text": lambda: with_text(rs.compare(scores)),
        "bootstrap test and BCa intervals": lambda: rs.compare(
            scores, test="bootstrap", interval="bca", n_resamples=resamples, rng=1
        ),
        f"{5 * systems} systems on {max(2, queries // 4)} queries, t": lambda: rs.compare(many),
    }


def with_text(result):
    str(result)
    return result


def peer_pair(a, b, way, resamples):
    """p of one pair, with all else that a comparison has."""
    import numpy as np
    from scipy import optimize, stats

    found = stats.ttest_rel(a, b)
    found.confidence_interval()
    difference = a - b
    n, t = difference.size, found.statistic
    _ = difference.mean() / difference.std(ddof=1), (difference > 0).sum(), (difference == 0).sum()
    for tail in (0.025, 0.975):  # of the interval of d
        optimize.brentq(lambda shift: stats.nct.cdf(t, n - 1, shift) - tail, t - 9, t + 9)  # noqa: B023 - called at once
    if way == "t, Holm":
        return found.pvalue
    options = {"permutation_type": "samples", "vectorized": True, "n_resamples": resamples, "rng": 1}
    data = (difference, np.zeros_like(difference))
    return stats.permutation_test(data, lambda x, y, axis: (x - y).mean(axis=axis), **options).pvalue


def peer(values, way, resamples):
    import numpy as np

    first, second = np.triu_indices(len(values), 1)
    few = min(FEW[way], first.size)
    return [peer_pair(values[first[i]], values[second[i]], way, resamples) for i in range(few)]


def work(runs, systems, queries, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way, for all pairs."""
    systems, queries, resamples = int(systems), int(queries), int(resamples)
    ours = our_ways(systems, queries, resamples)
    values = make_scores(systems, queries).values[:, 0]
    pairs = systems * (systems - 1) // 2
    pvalues = ours["t, Holm"]().comparisons[0].pvalue
    spent = defaultdict(list)
    for way in CLAIMED if peers else ():
        expected, part = peer(values, way, resamples), ours[way]().comparisons[0]
        within = 1e-9 if way == "t, Holm" else 5 / resamples**0.5  # p-values are drawn, by each from other signs
        found = {OURS: part.pvalue[: len(expected)], "scipy": expected}
        agree({who: {f"p of pair {i}": float(p) for i, p in enumerate(ps)} for who, ps in found.items()}, within)
        corrected = correct(part.pvalue)
        agree({OURS: numbered(part.pvalue_corrected), "statsmodels": numbered(corrected)}, 1e-9)
    for _ in range(int(runs)):
        for name, call in ours.items():
            spent[f"{name}|{OURS}"].append(timed(call))
        for name in CLAIMED if peers else ():
            cpu = timed(lambda name=name: peer(values, name, resamples)) * pairs / min(FEW[name], pairs)
            cpu += timed(lambda: correct(pvalues))
            spent[f"{name}|scipy, statsmodels"].append(cpu)
    print(json.dumps(spent))


def numbered(values):
    return {f"corrected p of pair {i}": float(p) for i, p in enumerate(values)}


def correct(pvalues):
    from statsmodels.stats.multitest import multipletests

    return multipletests(pvalues, method="holm")[1]


def timed(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def remember(systems, queries, resamples) -> None:
    """Runs in a process of its own: all of ours once, so that its peak is theirs."""
    for call in our_ways(int(systems), int(queries), int(resamples)).values():
        call()


def measure(runs=RUNS, folder=DATA, peers=("scipy", "statsmodels"), systems=20, queries=1000, resamples=10_000) -> dict:
    there = available(peers)
    if len(there) < len(peers):
        there = []
    size = [str(systems), str(queries), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    lines = []
    for name, (ours, *others) in found.items():
        what = name if name[0].isdigit() else f"{name}, {systems * (systems - 1) // 2} pairs"
        lines += [ratio(f"compare: {what}", ours, other, CLAIMED[name]) for other in others]
        if not others:
            lines.append(absolute(f"compare: {what}", ours, ours.cpu, "CPU s", None))
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    total = Medians(OURS, sum(some[0].cpu for some in found.values()), memory)
    lines.append(absolute("compare: all of these, peak memory", total, memory, "MB", MEGABYTES))
    return report("compare", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
