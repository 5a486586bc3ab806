"""The whole experiment of Dunaiski's tool, written once more as loops from its definitions: the same mean rates."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import combinations
from statistics import fmean, median

import numpy as np
import pytest
from helpers.dunaiski_tables import SIGNS
from helpers.paths import TESTS
from scipy.stats import ttest_rel

from rankscope.compat.dunaiski import dunaiski_study, dunaiski_table

SMALL = TESTS / "reference" / "dunaiski" / "small_4x60.txt"
TOTAL = 90_000
LEVELS = (0.05, 0.15)
NAN = math.nan
Score = tuple[float, float]

# The measures: value, and on how many entities it rests, of rising ranks


def average(ranks: list[float], k: float = math.inf) -> Score:
    within = [rank for rank in ranks if rank <= k]
    return (fmean(within), len(within)) if within else (NAN, 0)


def average_precision(ranks: list[float], n: float = math.inf) -> Score:
    terms = [min(1.0, i / rank) for i, rank in enumerate(ranks, 1) if rank <= n and i - 1 < n]
    return sum(terms) / min(len(ranks), n), len(terms)


def ndcg(ranks: list[float], n: float) -> Score:
    terms = [1 / math.log2(rank + 1) for rank in ranks if rank <= n]
    return sum(terms) / sum(1 / math.log2(i + 1) for i in range(1, int(n) + 1)), len(terms)


def up_to(ranks: list[float], i: float) -> int:
    return bisect_right(ranks, i)


def interpolated_precision(ranks: list[float]) -> Score:
    highest, total = 0.0, 0.0
    for i in range(1000, 0, -1):
        highest = max(highest, up_to(ranks, i) / (i * TOTAL / 1000))
        total += highest
    return total / 1000, 1000


def precision(ranks: list[float], k: float) -> Score:
    width = TOTAL / 1000
    i = next(i for i in range(1, 1001) if i * width > k)
    part = (k - (i - 1) * width) / width
    n = up_to(ranks, i - 1) + (up_to(ranks, i) - up_to(ranks, i - 1)) * part
    return min(1.0, n / k), n


NAIVE: dict[str, Callable[[list[float]], Score]] = {
    "Average": average,
    "Average@10": lambda ranks: average_precision(ranks, 10),
    "Average@20": lambda ranks: average(ranks, 20),
    "Average@Avg": lambda ranks: average(ranks, math.floor(fmean(ranks))),
    "Median": lambda ranks: (median(ranks), len(ranks)),
    "AP": average_precision,
    "nDCG@Avg": lambda ranks: ndcg(ranks, math.floor(fmean(ranks))),
    "AP_inter_per": interpolated_precision,
    "P@2000_per": lambda ranks: precision(ranks, 2000),
}

# The statistics of one draw. x: by system, a value a group


def error_and_tie(x: list[list[float]], level: float) -> tuple[float, float]:
    errors = ties = 0
    pairs = list(combinations(range(len(x)), 2))
    queries = range(len(x[0]))
    for a, b in pairs:
        better = worse = 0
        for q in queries:
            margin = level * abs(fmean(row[q] for row in x))
            better += x[a][q] - x[b][q] > margin
            worse += x[a][q] - x[b][q] < -margin
        errors += min(better, worse)
        ties += len(queries) - better - worse
    n = len(pairs) * len(queries)
    return 100 * errors / n, 100 * ties / n


def bootstrap(z: list[float], samples: list[list[int]]) -> tuple[float, list[tuple[float, float]]]:
    """The level of a pair, and t with the shifted mean of each resample."""
    n, mean = len(z), fmean(z)

    def t_of(values: list[float]) -> tuple[float, float]:
        centre = fmean(values)
        sd = math.sqrt(max(0.0, fmean((v - centre) ** 2 for v in values)))
        return (abs(centre) / (sd / math.sqrt(n)) if sd > 0 else 0.0), abs(centre)

    observed = t_of(z)[0]
    found = [t_of([z[q] - mean for q in sample]) for sample in samples]
    return sum(t > 0 and t >= observed for t, _ in found) / len(samples), found


def draw(columns: dict[str, list[float]], splits: int, rng: random.Random) -> Iterator[list[list[float]]]:
    """By group, the rising ranks of each system."""
    places = list(range(len(next(iter(columns.values())))))
    rng.shuffle(places)
    for q in range(splits):
        group = places[q::splits]  # equal sizes, so it does not matter which
        yield [sorted(column[place] for place in group) for column in columns.values()]


def one_iteration(
    columns: dict[str, list[float]], splits: int, n_resamples: int, rng: random.Random
) -> dict[str, list[float]]:
    """By measure: used rate, and at each level error, tie, t and asl rate and the difference needed."""
    groups = list(draw(columns, splits, rng))
    samples = [[rng.randrange(splits) for _ in range(splits)] for _ in range(n_resamples)]
    found = {}
    for name, measure in NAIVE.items():
        scores = [[measure(ranks) for ranks in systems] for systems in groups]
        x = [[SIGNS[name] * scores[q][s][0] for q in range(splits)] for s in range(len(columns))]
        row = [100 * fmean(used / len(groups[0][0]) for systems in scores for _, used in systems)]
        pairs = list(combinations(x, 2))
        tested = []
        for a, b in pairs:
            z = [u - v for u, v in zip(a, b, strict=True)]
            tested.append((NAN, []) if any(map(math.isnan, z)) else bootstrap(z, samples))
        for level in LEVELS:
            t_rate = 100 * fmean(float(ttest_rel(a, b).pvalue) <= level for a, b in pairs)
            asl = 100 * fmean(p < level for p, _ in tested)
            place = int(level * n_resamples) - 1
            needed = [sorted(t, reverse=True)[place][1] if t else NAN for _, t in tested]
            row += [*error_and_tie(x, level), t_rate, asl, NAN if any(map(math.isnan, needed)) else max(needed)]
        found[name] = row
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mean_rates_over_many_draws_are_those_of_loops() -> None:
    """Within 4.5 standard errors of the difference, of 120 draws of 10 groups of 6 entities there and 2,000 here."""
    table = dunaiski_table(SMALL, TOTAL)
    columns = dict(zip(table.systems, table.ranks.tolist(), strict=True))
    rng = random.Random(5)
    n, m, n_resamples = 120, 2000, 100
    rows = [one_iteration(columns, 10, n_resamples, rng) for _ in range(n)]
    study = dunaiski_study(table, alpha=LEVELS, iterations=m, n_resamples=n_resamples, error_tie=True, rng=6)
    ours = {
        name: [row for row in study.rows() if row.measure == str(measure) and row.fuzz == row.level]
        for name, measure in zip(SIGNS, study.names, strict=True)
    }
    compared = 0
    for name in NAIVE:
        theirs = np.array([row[name] for row in rows])
        here = [ours[name][0].used_rate]
        for row in ours[name]:
            here += [row.error_rate, row.tie_rate, row.t_rate, row.asl_rate, row.est_diff]
        for value, column in zip(here, theirs.T, strict=True):
            if np.isnan(column).any() or math.isnan(value):
                assert math.isnan(column.mean()), name
                assert math.isnan(value), name
                continue
            error = column.std(ddof=1) * math.sqrt(1 / n + 1 / m)
            # Rates of pairs move in steps of 100/6; what comes once in some hundred draws may not have come.
            rare = 4.5 * (100 / 6) / n if np.ptp(column) == 0 else 0.0
            assert value == pytest.approx(column.mean(), abs=4.5 * error + rare + 1e-9), name
            compared += 1
    assert compared == 9 * 11 - 2  # the difference needed by Average@20 is NaN
