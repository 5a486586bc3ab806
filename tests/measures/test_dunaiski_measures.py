"""Measures as the reference tool for ranks of entities computes them, against loops over one list of rising ranks."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, pairwise
from math import ceil, floor, inf, log2
from statistics import fmean, median

import numpy as np
import pytest

import rankscope as rs
from rankscope import EntityRanks
from rankscope.data.entities import hits_of_entities

#: A value, and on how many entities it rests.
Score = tuple[float, float]
COUNT = 1000


def precisions(r: list[float]) -> list[float]:
    return [min(1.0, i / x) for i, x in enumerate(r, 1)]


def highest(values: list[float]) -> list[float]:
    return list(accumulate(reversed(values), max))[::-1]


def trapezoids(heights: list[float], places: list[float] | None = None) -> float:
    widths = [1.0] * len(heights) if places is None else [b - a for a, b in pairwise(places)]
    return sum((a + b) / 2 * w for (a, b), w in zip(pairwise(heights), widths, strict=False))


# --- of the ranks themselves ------------------------------------------------------------------------------------------


def precision(r: list[float], k: float) -> Score:
    n = min(len(r), sum(x < k for x in r) + 1)
    return min(1.0, n / k), n


def precision_at_recall(r: list[float], share: float) -> Score:
    m = ceil(share * len(r))
    return min(1.0, m / r[m - 1]), m


def recall(r: list[float], k: float) -> Score:
    n = min(sum(x <= k for x in r), k)
    return n / len(r), n


def average_precision(r: list[float], k: float = inf) -> Score:
    terms = [p for i, (p, x) in enumerate(zip(precisions(r), r, strict=True)) if x <= k and i < k]
    return sum(terms) / min(len(r), k), len(terms)


def ndcg(r: list[float], k: float = inf) -> Score:
    found = [x for x in r if x <= k]
    deepest = len(r) if k == inf else floor(k)
    best = sum(1 / log2(i + 1) for i in range(1, deepest + 1))
    return (sum(1 / log2(x + 1) for x in found) / best if best else 0.0), len(found)


def area_below_precision(r: list[float], interpolated: bool) -> Score:
    heights = highest(precisions(r)) if interpolated else precisions(r)
    return trapezoids(heights) / len(r), len(r)


def roc_area(r: list[float], k: float = 10_000) -> Score:
    found = [x for x in r if x <= k]
    false = [0.0 if i > x or x + k == 2 * i else (x - i) / (x + k - 2 * i) for i, x in enumerate(found, 1)]
    return trapezoids([*range(1, len(found) + 1)], false) / len(r), len(found)


def at_intervals(r: list[float], step: int, depth: int, mean: Callable[[list[float]], float]) -> Score:
    sums = [sum(p for p, x in zip(precisions(r), r, strict=True) if x <= c) / c for c in range(step, depth + 1, step)]
    return mean(sums), len(r)


def roc_area_at_intervals(r: list[float], step: int, depth: int) -> Score:
    cutoffs = range(step, depth + 1, step)
    n = [sum(x <= c for x in r) for c in cutoffs]
    return trapezoids(n, [(c - m) / depth for c, m in zip(cutoffs, n, strict=True)]) / len(r), len(r)


PLAIN: dict[str, Callable[[list[float]], Score]] = {
    "P@1": lambda r: precision(r, 1),
    "P@7": lambda r: precision(r, 7),
    "P@size": lambda r: precision(r, len(r)),
    "P@recall=0.3": lambda r: precision_at_recall(r, 0.3),
    "R@1": lambda r: recall(r, 1),
    "R@9": lambda r: recall(r, 9),
    "R@recall=0.5": lambda r: recall(r, r[ceil(0.5 * len(r)) - 1]),
    "AP": average_precision,
    "AP@2": lambda r: average_precision(r, 2),
    "AP@40": lambda r: average_precision(r, 40),
    "nDCG": ndcg,
    "nDCG@3": lambda r: ndcg(r, 3),
    "nDCG@60": lambda r: ndcg(r, 60),
    "nDCG@median": lambda r: ndcg(r, median(r)),
    "IAP": lambda r: (fmean(highest(precisions(r))), len(r)),
    "PRAUC": lambda r: area_below_precision(r, False),
    "PRAUC(interpolated=True)": lambda r: area_below_precision(r, True),
    "AUC": roc_area,
    "AUC@2": lambda r: roc_area(r, 2),
    "AUC@50": lambda r: roc_area(r, 50),
    "APIntervals(step=3, depth=40)": lambda r: at_intervals(r, 3, 40, fmean),
    "APIntervals(step=9, depth=40, average='geometric')": lambda r: at_intervals(
        r, 9, 40, lambda sums: math.sqrt(math.prod(sums))
    ),
    "AUCIntervals(step=7, depth=60)": lambda r: roc_area_at_intervals(r, 7, 60),
}

# --- by permille: t[i] entities up to rank i, in buckets of w = total / 1000 items ------------------------------------


def up_to(r: list[float]) -> list[int]:
    return [bisect_right(r, i) if i else 0 for i in range(COUNT + 1)]


def place(r: list[float], k: float, total: int) -> tuple[int, float, float]:
    """The whole buckets within k, the part of the next one, and the entities within them."""
    if k >= total:
        return COUNT, 0.0, 0.0
    w, t = total / COUNT, up_to(r)
    whole = next(i for i in range(COUNT + 1) if (i + 1) * w > k)
    part = (k - whole * w) / w
    return whole, part, t[whole] + (t[whole + 1] - t[whole]) * part


def bucket_precisions(r: list[float], total: int) -> list[float]:
    return [t / (i * total / COUNT) for i, t in enumerate(up_to(r)) if i]


def bucket_average_precision(r: list[float], k: float, total: int) -> Score:
    whole, part, n = place(r, k, total)
    total_ = sum(min(1.0, p) for p in bucket_precisions(r, total)[:whole]) + min(1.0, n / k)
    return total_ / max(1.0, whole + part), n


def bucket_ndcg(r: list[float], k: float, total: int) -> Score:
    w, (whole, part, _) = total / COUNT, place(r, k, total)
    share = {**dict.fromkeys(range(1, whole + 1), 1.0), whole + 1: part}
    gained = sum(share.get(ceil(x), 0.0) / log2(ceil(x) + 1) for x in r if x <= COUNT)
    fills = [min(len(r), i * w) - min(len(r), (i - 1) * w) for i in range(1, COUNT + 1)]
    ideal = sum(share.get(i, 0.0) * fill / log2(i + 1) for i, fill in enumerate(fills, 1))
    return (gained / ideal if ideal else 0.0), up_to(r)[min(whole + 1, COUNT)]


def bucket_area_below_precision(r: list[float], total: int, interpolated: bool) -> Score:
    heights = bucket_precisions(r, total)
    heights = [0.0, *(min(1.0, p) for p in (highest(heights) if interpolated else heights))]
    behind = [ceil(x) for x in r if 1 < x <= COUNT]
    return sum((heights[b] + heights[b - 1]) / 2 for b in behind) / len(r), max(up_to(r)[COUNT] - 1, 0)


def bucket_roc_area(r: list[float], total: int) -> Score:
    t, w = up_to(r)[1:], total / COUNT
    true = [min(n, i * w) for i, n in enumerate(t, 1)]
    false = [(i * w - n) / (total - len(r) + m - n) for i, (n, m) in enumerate(zip(true, t, strict=True), 1)]
    return trapezoids(t, false) / len(r), len(r)


def bucket_precision(r: list[float], k: float, total: int) -> Score:
    n = place(r, k, total)[2]
    return (min(1.0, n / k) if k else 0.0), n


def bucket_recall(r: list[float], k: float, total: int) -> Score:
    n = place(r, k, total)[2]
    return min(1.0, n / len(r)), n


PERMILLE: dict[str, Callable[[list[float], int], Score]] = {
    "P@5": lambda r, total: bucket_precision(r, 5, total),
    "P@400": lambda r, total: bucket_precision(r, 400, total),
    "P@1300": lambda r, total: bucket_precision(r, 1300, total),
    "P@mean": lambda r, total: bucket_precision(r, floor(fmean(r)) * total / COUNT, total),
    "P@median": lambda r, total: bucket_precision(r, median(r) * total / COUNT, total),
    "P@recall=0.7": lambda r, total: bucket_recall(r, ceil(0.7 * len(r)), total),
    "R@1": lambda r, total: bucket_recall(r, 1, total),
    "R@77": lambda r, total: bucket_recall(r, 77, total),
    "R@size": lambda r, total: bucket_recall(r, len(r) * total / COUNT, total),
    "AP": lambda r, total: (fmean(min(1.0, p) for p in bucket_precisions(r, total)), len(r)),
    "AP@1": lambda r, total: bucket_average_precision(r, 1, total),
    "AP@50": lambda r, total: bucket_average_precision(r, 50, total),
    "AP@2000": lambda r, total: bucket_average_precision(r, 2000, total),
    "IAP": lambda r, total: (fmean(highest(bucket_precisions(r, total))), COUNT),
    "nDCG": lambda r, total: bucket_ndcg(r, inf, total),
    "nDCG@3": lambda r, total: bucket_ndcg(r, 3, total),
    "nDCG@150": lambda r, total: bucket_ndcg(r, 150, total),
    "nDCG@median": lambda r, total: bucket_ndcg(r, median(r) * total / COUNT, total),
    "PRAUC": lambda r, total: bucket_area_below_precision(r, total, False),
    "PRAUC(interpolated=True)": lambda r, total: bucket_area_below_precision(r, total, True),
    "AUC": bucket_roc_area,
}


def groups_of_ranks() -> list[list[float]]:
    """Rising ranks of one to nine entities; some are equal, fractions, below 1, or behind the last permille."""
    rng = np.random.default_rng(8)
    values = [0.5, 1.0, 1.5, 2.0, 2.0, 3.0, 4.5, 7.0, 40.0, 900.0, 999.5, 1000.0, 1000.5, 2500.0]
    groups = [[1.0], [0.5], [2.0], [1000.0], [3000.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [999.5, 1000.0]]
    for _ in range(30):
        n = int(rng.integers(1, 10))
        drawn = np.where(rng.random(n) < 0.4, rng.choice(values, n), rng.integers(1, 120, n))
        groups.append(sorted(drawn.tolist()))
    return groups


GROUPS = groups_of_ranks()


def check(name: str, total: int, groups: list[list[float]], expected: list[Score]) -> None:
    ranks = [x for group in groups for x in group]
    table = EntityRanks(
        ranks=[ranks],
        systems=["s"],
        entity_ids=[f"e{i}" for i in range(len(ranks))],
        total_ranks=total,
        min_rank=0.5,
    )
    ends = np.cumsum([len(group) for group in groups])
    ((_, hits),) = hits_of_entities(table, [np.arange(end - len(g), end) for g, end in zip(groups, ends, strict=True)])
    measure = rs.parse_measure(f"Dunaiski{name.replace('nDCG', 'NDCG')}")
    assert measure(hits).tolist() == pytest.approx([value for value, _ in expected], rel=1e-12, abs=1e-14)
    assert measure.used(hits).tolist() == pytest.approx([used for _, used in expected], rel=1e-12, abs=1e-14)


def test_a_share_of_recall_that_a_run_does_not_reach_gives_0() -> None:
    hits = rs.hits_of({"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}})
    for name, reached in (("P", 1 / 2), ("NDCG", 1 / log2(3) / (1 + 1 / log2(3))), ("AP", 1 / 2 / 2)):
        assert rs.parse_measure(f"Dunaiski{name}@recall=0.3")(hits).tolist() == pytest.approx([reached])
        unreached = 0.0 if name != "AP" else (1 / 2 + 2 / 3) / 3  # without an end, all that is found counts
        assert rs.parse_measure(f"Dunaiski{name}@recall=1.0")(hits).tolist() == pytest.approx([unreached])


@pytest.mark.parametrize("name", PLAIN)
def test_a_measure_of_the_tool_is_that_of_a_loop(name: str) -> None:
    check(name, 5000, GROUPS, [PLAIN[name](group) for group in GROUPS])


@pytest.mark.parametrize("total", [700, 1300, 90_000])
@pytest.mark.parametrize("name", PERMILLE)
def test_a_form_by_permille_is_that_of_a_loop(name: str, total: int) -> None:
    head, at, cutoff = name.partition("@")
    head = head[:-1] + ", scale='permille')" if head.endswith(")") else f"{head}(scale='permille')"
    groups = [[min(x, total) for x in group] for group in GROUPS]
    check(head + at + cutoff, total, groups, [PERMILLE[name](group, total) for group in groups])


@pytest.mark.parametrize("k", [17, 51])  # of 170 items: k / w is rounded below a whole number, and above
def test_the_bucket_of_a_cutoff_does_not_depend_on_how_a_quotient_is_rounded(k: int) -> None:
    groups = [[min(x, 170.0) for x in group] for group in GROUPS]
    for name, loop in (("AP", bucket_average_precision), ("nDCG", bucket_ndcg)):
        check(f"{name}(scale='permille')@{k}", 170, groups, [loop(group, k, 170) for group in groups])
