"""Scores that plans are made from, and what the tests read of a plan."""

from __future__ import annotations

import numpy as np
from scipy import stats

from rankscope import Scores, parse_measures

OF_OTHER_NUMBERS = ("t at n", "t detectable at n")
METHODS = ["t detectable", "t", "t achieved", "one-way ANOVA", "two-way ANOVA", "interval"]


def scores_of(values, measures=("AP",), systems=tuple("abcdefgh")):
    """Scores from an array (systems, queries) or (systems, measures, queries)."""
    values = np.asarray(values, float)
    values = values[:, None] if values.ndim == 2 else values
    s, m, q = values.shape
    return Scores(
        systems=tuple(systems[:s]),
        measures=tuple(parse_measures(list(measures))),
        query_ids=tuple(map(str, range(q))),
        values=values,
        missing=np.zeros((s, q), bool),
        undefined=np.zeros((m, q), bool),
        settings={"queries": str(q)},
        measure_settings=({"rel": "1"},) * m,
        notes=("as it was",),
    )


def pair(sd, n=50, mean=0.0):
    """Two systems whose differences have this standard deviation and mean, exactly."""
    d = stats.norm.ppf((np.arange(n) + 0.5) / n)
    d = (d - d.mean()) / d.std(ddof=1) * sd + mean
    return scores_of([0.5 + d, np.full(n, 0.5)])


def rows(found, measure="AP"):
    """method -> (difference, power, queries), of those that stand once."""
    return {r[1]: r[2:] for r in found.records() if r[0] == measure and r[1] not in OF_OTHER_NUMBERS}


def many(systems=6, queries=40, seed=0):
    """Systems of different means on queries of different difficulty."""
    rng = np.random.default_rng(seed)
    x = 0.4 + 0.03 * np.arange(systems)[:, None] + rng.normal(0, 0.1, queries)
    return x + rng.normal(0, 0.08, (systems, queries))
