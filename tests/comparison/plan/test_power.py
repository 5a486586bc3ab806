"""What a plan promises: experiments drawn afresh, with as many queries as planned, find the difference as often."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope import Scores, parse_measures, plan

pytestmark = pytest.mark.slow


def planned(x, method, **asked):
    """How many queries a plan from these scores asks for. x: (systems, queries)."""
    scores = Scores(
        systems=tuple("abcde"[: len(x)]),
        measures=tuple(parse_measures(["AP"])),
        query_ids=tuple(map(str, range(x.shape[1]))),
        values=x[:, None],
        missing=np.zeros(x.shape, bool),
        undefined=np.zeros((1, x.shape[1]), bool),
    )
    return plan(scores, **asked).plans[0].row(method).n_queries


def fresh(rng, runs, systems, n, shifts):
    """(runs, systems, n) scores as a collection has them: hard and easy queries, systems that differ by `shifts`."""
    queries = rng.normal(0.4, 0.15, (runs, 1, n))
    return queries + np.asarray(shifts)[None, :, None] + rng.normal(0, 0.1, (runs, systems, n))


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_planned_number_of_queries_finds_the_difference_as_often_as_planned(power):
    """The spread comes from a large pilot; then experiments are drawn afresh, with as many queries as planned."""
    rng, runs = np.random.default_rng(7), 4000
    n = planned(fresh(rng, 1, 2, 5000, [0, 0])[0], "t", difference=0.04, power=power)
    x = fresh(rng, runs, 2, n, [0.04, 0])
    found = (stats.ttest_rel(x[:, 0], x[:, 1], axis=1).pvalue <= 0.05).mean()
    # .02: what the error of the pilot's spread (1 %) and the step of one query can move it by
    assert abs(found - power) <= 3.5 * np.sqrt(power * (1 - power) / runs) + 0.02


@pytest.mark.parametrize("design", ["one-way ANOVA", "two-way ANOVA"])
def test_the_planned_number_of_queries_for_many_systems_finds_that_they_differ_as_often_as_planned(design):
    """Sakai's worst case: best and worst differ by minD, the others are in the middle."""
    rng, runs, m, d = np.random.default_rng(8), 3000, 5, 0.06
    n = planned(fresh(rng, 1, m, 5000, [0] * m)[0], design, difference=d)
    x = fresh(rng, runs, m, n, [d / 2, 0, 0, 0, -d / 2])
    if design == "one-way ANOVA":  # other queries for each system
        x = np.stack([fresh(rng, runs, 1, n, [s])[:, 0] for s in (d / 2, 0, 0, 0, -d / 2)], axis=1)
        f = stats.f_oneway(*np.moveaxis(x, 1, 0), axis=1).statistic
        critical = stats.f.isf(0.05, m - 1, m * (n - 1))
    else:
        rest = x - x.mean(axis=2, keepdims=True) - x.mean(axis=1, keepdims=True) + x.mean(axis=(1, 2), keepdims=True)
        f = n * x.mean(axis=2).var(axis=1, ddof=1) / ((rest**2).sum(axis=(1, 2)) / ((m - 1) * (n - 1)))
        critical = stats.f.isf(0.05, m - 1, (m - 1) * (n - 1))
    assert abs((f >= critical).mean() - 0.8) <= 3.5 * np.sqrt(0.16 / runs) + 0.02
