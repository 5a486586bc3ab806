"""Claims: PERM-BOTH between two metrics on 15 systems x 2,000 segments, 1,000 resamples: Pearson by segment within 3 s
of CPU, acc_eq by segment (epsilon found anew for each permuted metric) within 6 s, Kendall's tau-b of all 30,000 scores
at once within 3 s; all below 1,000 MB.

mt-metrics-eval runs the same as loops over resamples. It is not on PyPI, so its times (1,124 s, 323 s and 8,962 s) are
quoted from the plan that set these targets, and not measured here; it looks for epsilon on a tenth of the pairs.
Beside ours runs a plain loop over resamples with SciPy's correlations (acc_eq: NumPy, a segment at a time, epsilon
kept), for a few resamples, and its CPU is extrapolated by their number. Scores of people are rounded, so that many tie,
as people's do; one metric is rounded, one is not. All run in one process, which measures its own CPU
(`time.process_time`, all threads); memory is that of a process that runs only ours. Also shown: with a twentieth of all
scores missing, with epsilon kept, Pearson of the systems' means, and BOOT-BOTH of all pairs of ten metrics.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

#: Name of the work -> the most CPU seconds, and those of mt-metrics-eval.
CLAIMED = {"Pearson by segment": (3, 1124), "acc_eq by segment": (6, 323), "tau-b of all scores": (3, 8962)}
MEGABYTES = 1000
#: Resamples of the loop.
FEW = {"Pearson by segment": 2, "acc_eq by segment": 2, "tau-b of all scores": 10}
ASKED = {
    "Pearson by segment": {"statistic": "pearson", "grouping": "segment"},
    "acc_eq by segment": {"statistic": "acc_eq", "grouping": "segment"},
    "tau-b of all scores": {"statistic": "kendall_b", "grouping": "none"},
    "acc_eq by segment, epsilon kept": {"statistic": "acc_eq", "grouping": "segment", "recalibrate": False},
    "Pearson of means": {"statistic": "pearson", "grouping": "means"},
}


def make_scores(systems, segments, metrics=2):
    """(systems, segments) of people, and (metrics, systems, segments), every other one rounded."""
    import numpy as np

    rng = np.random.default_rng(1)
    truth = rng.standard_normal((systems, segments)) + rng.standard_normal(systems)[:, None] / 4
    scores = truth + rng.standard_normal((metrics, systems, segments))
    scores[::2] = scores[::2].round(1)
    return (2 * truth).round() / 2, scores


def our_ways(systems, segments, resamples):
    """Name of the work -> what to call for the difference of the first two metrics."""
    import numpy as np

    from rankscope.agreement.metrics import compare_matrices

    gold, metrics = make_scores(systems, segments)
    sparse = np.where(np.random.default_rng(2).random(gold.shape) < 0.05, np.nan, gold)
    _, many = make_scores(systems, segments, 10)

    def difference(people, scores, **options):
        return lambda: float(compare_matrices(people, scores, n_resamples=resamples, rng=1, **options).difference[0, 1])

    ways = {name: difference(gold, metrics, **options) for name, options in ASKED.items()}
    ways |= {f"{name}, 5 % missing": difference(sparse, metrics, **ASKED[name]) for name in CLAIMED}
    return ways | {"BOOT-BOTH, Pearson by segment, 10 metrics": difference(gold, many, test="boot_both")}


def loops(systems, segments):
    """The same with loops: name of the work -> the difference, and what to call for one resample."""
    import numpy as np
    from scipy import stats

    from rankscope.agreement.statistics import metric_values

    gold, metrics = make_scores(systems, segments)
    epsilons = metric_values(gold, metrics, **ASKED["acc_eq by segment"]).epsilon
    scaled = (metrics - metrics.mean(axis=(1, 2), keepdims=True)) / metrics.std(axis=(1, 2), keepdims=True)
    close = epsilons / metrics.std(axis=(1, 2))
    first, second = np.triu_indices(systems, 1)

    def by_segment(metric, which):
        found = [stats.pearsonr(x, y).statistic for x, y in zip(gold.T, metric.T, strict=True) if np.ptp(x) > 0]
        return np.nanmean(found)

    def accuracy(metric, which):
        found = []
        for x, y in zip(gold.T, metric.T, strict=True):
            apart = y[first] - y[second]
            signs = np.where(np.abs(apart) <= close[which] * (1 + 1e-9), 0, np.sign(apart))
            found.append(np.mean(signs == np.sign(x[first] - x[second])))
        return np.mean(found)

    def flat(metric, which):
        return stats.kendalltau(gold.ravel(), metric.ravel()).statistic

    rng = np.random.default_rng(1)
    functions = dict(zip(CLAIMED, (by_segment, accuracy, flat), strict=True))

    def resample(function):
        swapped = rng.random(gold.shape) < 0.5
        return function(np.where(swapped, *scaled[::-1]), 0) - function(np.where(swapped, *scaled), 1)

    return {
        name: (lambda f=f: float(f(scaled[0], 0) - f(scaled[1], 1)), lambda f=f: resample(f))
        for name, f in functions.items()
    }


def work(runs, systems, segments, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    size = int(systems), int(segments)
    ways = our_ways(*size, int(resamples))
    beside = loops(*size) if "scipy" in peers else {}
    spent = defaultdict(list)
    for name, call in ways.items():
        if name in beside:
            agree({OURS: {name: call()}, "loops": {name: beside[name][0]()}}, 1e-9)
        for run in range(int(runs)):
            begin = time.process_time()
            call()
            spent[f"{name}|{OURS}"].append(time.process_time() - begin)
            if name in beside and run == 0:  # the loop once: it is the slower by far, and runs alike
                begin = time.process_time()
                for _ in range(FEW[name]):
                    beside[name][1]()
                spent[f"{name}|loops, extrapolated"].append((time.process_time() - begin) * int(resamples) / FEW[name])
    print(json.dumps(spent))


def remember(systems, segments, resamples) -> None:
    """Runs in a process of its own: all of ours once, so that its peak is theirs."""
    for call in our_ways(int(systems), int(segments), int(resamples)).values():
        call()


def measure(runs=RUNS, folder=DATA, peers=("scipy",), systems=15, segments=2000, resamples=1000) -> dict:
    there = available(peers)
    size = [str(systems), str(segments), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    lines = []
    for name, (ours, *others) in found.items():
        label = f"{name}, {systems} x {segments:,}, {resamples:,} resamples"
        most, quoted = CLAIMED.get(name, (None, None))
        peer = f"mt-metrics-eval, quoted, not measured: {quoted:,} s" if quoted else ""
        lines.append(absolute(label, ours, ours.cpu, "CPU s", most, peer))
        lines += [ratio(label, ours, theirs) for theirs in others]
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    total = Medians(OURS, sum(some[0].cpu for some in found.values()), memory)
    lines.append(absolute("all tests between metrics, peak memory", total, memory, "MB", MEGABYTES))
    return report("metric_tests", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
