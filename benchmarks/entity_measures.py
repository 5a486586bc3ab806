"""Claim: all measures on the ranks of known entities take at most .1 s of CPU for 1,000 groups of 20 entities.

Groups are drawn with repeats from 2,000 entities ranked among 100,000 items, as a study of stability draws them; what
is measured begins with the groups as an array and ends with a value a group and measure. Beside it the same measures
computed group by group in plain Python. Also shown: the definitions of the preset `dunaiski`, its permille forms
included. All run in one process, in turn, which measures its own CPU (`time.process_time`).
"""

import json
import sys
import time
from collections import defaultdict
from math import log2
from statistics import mean, median

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, main, ratio, report, start
from measuring import median as middle

CLAIMED = 0.1
PEER = "loops"
CUTOFFS = ("10", "mean", "size", "recall=0.5")
WHOLE = ("AP", "IAP", "nDCG", "MeanRank", "MedianRank", "MinRank", "MaxRank")
SOUND = (
    *(f"{name}@{k}" for name in ("P", "R", *WHOLE) for k in CUTOFFS),
    *(f"{name}(scale='permille')@10" for name in ("P", "R", *WHOLE)),
    *WHOLE,
    *("Rprec", "AUC", "PRAUC", "PRAUC(interpolated=True)"),
    *("APIntervals", "APIntervals(average='geometric')", "AUCIntervals"),
)
CODED = (
    *(f"{name}@{k}" for name in ("P", "R", "AP", "nDCG") for k in CUTOFFS),
    *(f"{name}(scale='permille')@{k}" for name in ("P", "R", "AP", "nDCG") for k in ("10", "mean")),
    *(f"{name}{scale}" for name in ("AP", "IAP", "nDCG", "PRAUC", "AUC") for scale in ("", "(scale='permille')")),
    *("AUC@mean", "PRAUC(interpolated=True)", "PRAUC(scale='permille', interpolated=True)"),
    *("APIntervals", "APIntervals(average='geometric')", "AUCIntervals"),
)


def up_to(r, k, items, ideal):
    """The measures with a cutoff, of one group. ideal: how ranks of the ideal count."""
    found = [x for x in r if x <= k]
    p = [min(1, i / x) for i, x in enumerate(found, 1)]
    best = sum(1 / log2(max(x, 1) + 1) for x in ideal if x <= k)
    return {
        "P": min(1, len(found) / k),
        "R": len(found) / items,
        "AP": sum(p) / items,
        "IAP": sum(max(p[i:]) for i in range(len(p))) / items,
        "nDCG": min(1, sum(1 / log2(max(x, 1) + 1) for x in found) / best) if best else 0.0,
        "MeanRank": mean(found) if found else None,
        "MedianRank": median(found) if found else None,
        "MinRank": min(found, default=None),
        "MaxRank": max(found, default=None),
    }


def one_group(r, total):
    """All measures of one group: ranks in rising order, of `total` items."""
    n, p = len(r), [min(1, i / x) for i, x in enumerate(r, 1)]
    first = range(1, n + 1)
    depths = {"10": 10, "mean": int(mean(r)), "size": n, "recall=0.5": r[-(-n // 2) - 1]}
    values = {f"{name}@{k}": v for k, depth in depths.items() for name, v in up_to(r, depth, n, first).items()}
    permille = up_to([1000 * x / total for x in r], 10, n, [1000 * i / total for i in first])
    values |= {f"{name}(scale='permille')@10": v for name, v in permille.items()}
    whole = up_to(r, float("inf"), n, first)
    values |= {name: whole[name] for name in WHOLE}
    values["Rprec"] = sum(x <= n for x in r) / n
    values["AUC"] = 1 - sum(x - i for i, x in enumerate(r, 1)) / (n * (total - n))
    for name, q in (("PRAUC", p), ("PRAUC(interpolated=True)", [max(p[i:]) for i in range(n)])):
        values[name] = (q[0] + sum((q[i - 1] + q[i]) / 2 for i in range(1, n))) / n
    aps, areas = [], []
    for k in range(100, 10_001, 100):
        within = [(i, x) for i, x in enumerate(r, 1) if x <= k]
        others = k - len(within)
        aps.append(min(1, sum(p[i - 1] for i, _ in within) / min(n, k)))
        areas.append(sum(others - (x - i) for i, x in within) / (n * others))
    values["APIntervals"], values["AUCIntervals"] = mean(aps), mean(areas)
    logs = [log2(ap) if ap else -float("inf") for ap in aps]
    values["APIntervals(average='geometric')"] = 2 ** mean(logs) if aps[0] else 0.0
    return values


def means(found):
    """Measure -> the mean over the groups that have a value."""
    there = {name: [v for v in values if v is not None and v == v] for name, values in found.items()}
    return {name: sum(values) / len(values) if values else 0.0 for name, values in there.items()}


def ways_of(groups, size, peers):
    """Name of the work -> what to call, which gives the mean of each measure."""
    import numpy as np

    from rankscope.data.entities import EntityRanks
    from rankscope.measures.names import parse_measures
    from rankscope.measures.presets import PRESETS

    rng = np.random.default_rng(3)
    entities, total = max(2000, size), 100_000
    ranks = (rng.choice(total, entities, replace=False) + 1.0) ** 2 // total + 1  # more of them near the top
    table = EntityRanks(ranks=[ranks], systems=["s"], entity_ids=map(str, range(entities)), total_ranks=total)
    drawn = rng.integers(0, entities, (groups, size))
    preset = PRESETS["dunaiski"]
    sound, coded = parse_measures(SOUND), parse_measures(CODED, preset.parameters, preset.renames)

    def ours(measures):
        hits = table.hits(groups=drawn)
        return {str(measure): measure(hits) for measure in measures}

    def loops():
        found = defaultdict(list)
        for group in drawn.tolist():
            for name, value in one_group(sorted(ranks[group].tolist()), total).items():
                found[name].append(value)
        return found

    ways = {"sound": lambda: ours(sound), "coded": lambda: ours(coded)}
    if PEER in peers:
        ways[PEER] = loops
        agree({OURS: means(ways["sound"]()), PEER: means(loops())}, within=1e-6)
    return ways


def work(groups, size, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    spent = defaultdict(list)
    ways = ways_of(int(groups), int(size), peers)
    for way in ways.values():
        way()
    for _ in range(int(runs)):
        for name, way in ways.items():
            begin = time.process_time()
            way()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), queries=1000, judged=20, **_) -> dict:
    """Nothing is read from the folder. queries: groups; judged: entities in each."""
    del folder
    arguments = [str(x) for x in (queries, judged, runs, *peers)]
    spent = json.loads(start([sys.executable, __file__, "--work", *arguments]).output)
    found = {name: Medians(PEER if name == PEER else OURS, middle(cpu), None, cpu) for name, cpu in spent.items()}
    label = f"measures of entities, {queries:,} groups of {judged}"
    counts = {"sound": len(SOUND), "coded": len(CODED)}
    lines = [
        absolute(f"{counts['sound']} {label}", found["sound"], found["sound"].cpu, "CPU s", CLAIMED),
        absolute(f"{counts['coded']} of the preset dunaiski", found["coded"], found["coded"].cpu, "CPU s", None),
    ]
    if PEER in found:
        lines.append(ratio(f"{counts['sound']} {label}", found["sound"], found[PEER]))
    return report("entity_measures", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
