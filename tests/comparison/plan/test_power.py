"""What a plan promises: experiments drawn afresh, with as many queries as planned, find the difference as often."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.shapes import equal_differences
from helpers.simulated_rates import show
from scipy import stats

from rankscope import Scores, parse_measures, plan
from rankscope.comparison.plan.sample_size import interval_of_sd, largest_sd
from rankscope.stats import queries_for_t, t_power, t_test

pytestmark = pytest.mark.slow


def planned_for(x, **asked):
    """The plan from these scores. x: (systems, queries)."""
    scores = Scores(
        systems=tuple("abcde"[: len(x)]),
        measures=tuple(parse_measures(["AP"])),
        query_ids=tuple(map(str, range(x.shape[1]))),
        values=x[:, None],
        missing=np.zeros(x.shape, bool),
        undefined=np.zeros((1, x.shape[1]), bool),
    )
    return plan(scores, **asked).plans[0]


def planned(x, method, **asked):
    """How many queries a plan from these scores asks for. x: (systems, queries)."""
    return planned_for(x, **asked).row(method).n_queries


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


@pytest.mark.parametrize("shape", ["normal", "ties", "zeros", "heteroscedastic", "exponential", "gains and losses"])
@pytest.mark.parametrize("sign", [1, -1])
def test_differences_of_any_shape_are_found_about_as_often_as_planned(shape, sign):
    """To find .35 deviations, 67 queries: of ties and zeros as often as of normal ones, of skewed ones a little off."""
    runs = 4000
    sd = equal_differences(shape, 400, 5000, seed=5).std()
    n = queries_for_t(0.35, 1.0)
    d = 0.35 + sign * equal_differences(shape, runs, n, seed=6) / sd
    power = float((t_test(d).pvalue <= 0.05).mean())
    show(f"{shape}, {n} queries, sign {sign}", f"{power:.4f}")
    assert 0.72 <= power <= 0.92
    if shape in ("normal", "ties"):
        assert power == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("n_pilot", [10, 15, 25])
def test_plans_from_few_queries_miss_their_power_as_often_as_their_notes_say(n_pilot):
    """More than half do; with an assurance of .8, 1 of 5 does. The bounds of the spread hold it in 95 of 100."""
    rng, runs = np.random.default_rng(n_pilot), 600
    sds = rng.normal(0, 1, (runs, n_pilot)).std(axis=1, ddof=1)
    misses = {}
    for assurance in (None, 0.8):
        planned = [sd if assurance is None else largest_sd(sd, n_pilot, assurance) for sd in sds.tolist()]
        powers = t_power([queries_for_t(0.4, sd) for sd in planned], 0.4, 1.0)
        misses[assurance] = float((powers < 0.8).mean())
    low, high = np.array([interval_of_sd(sd, n_pilot) for sd in sds.tolist()]).T
    held = float(((low <= 1) & (high >= 1)).mean())
    show(f"pilots of {n_pilot}", f"below 80 % power {misses}, bounds {held:.4f}")
    assert misses[None] > 0.5
    assert misses[0.8] <= 0.2 + 3.5 * np.sqrt(0.16 / runs)
    assert misses[0.8] >= 0.1
    assert held == pytest.approx(0.95, abs=3.5 * np.sqrt(0.0475 / runs))


def test_the_smallest_difference_of_a_plan_is_found_as_often_as_it_says():
    """By `plan` without a difference, from a large pilot; then experiments drawn afresh with as many queries."""
    rng, runs = np.random.default_rng(9), 4000
    pilot = planned_for(fresh(rng, 1, 2, 5000, [0, 0])[0], n_queries=60)
    x = fresh(rng, runs, 2, 60, [pilot.difference, 0])
    found = (stats.ttest_rel(x[:, 0], x[:, 1], axis=1).pvalue <= 0.05).mean()
    show("smallest difference", f"{found:.4f}")
    assert abs(found - 0.8) <= 3.5 * np.sqrt(0.16 / runs) + 0.02
