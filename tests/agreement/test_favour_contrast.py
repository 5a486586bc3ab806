"""The contrast of a judge and people: by hand, by loops over queries, invariances, and how often it errs."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.agreement.favouritism import favour_contrast, spread_within_queries

SEEDS = st.integers(0, 100_000)


def judged(rng, systems, queries, in_family, *, better=0.0, slope=1.0, noise=1.0, favour=0.0, liking=0.0, missing=0.0):
    """Scores of people and of a judge that responds to quality with this slope."""
    family = np.arange(systems) < in_family
    quality = rng.normal(0, 0.5, systems)
    for group in (family, ~family):
        quality[group] -= quality[group].mean()
    shape = systems, queries
    cells = (quality + better * family)[:, None] + rng.normal(size=queries) + 0.5 * rng.normal(size=shape)
    people = np.where(rng.random(shape) < missing, np.nan, cells + rng.normal(size=shape))
    likings = favour * family + liking * rng.normal(size=systems)
    judge = slope * (cells + likings[:, None]) + noise * rng.normal(size=shape) + rng.normal(size=queries)
    return people, judge, family


def favour_by_loops(people, judge, family):
    """The favour, the slope and the standard error, a query, a system and a pair of queries at a time."""
    systems, queries = people.shape
    groups = [[s for s in range(systems) if family[s] == side] for side in (True, False)]
    known = lambda s, q: not np.isnan(people[s, q] + judge[s, q])  # noqa: E731
    used = [q for q in range(queries) if all(any(known(s, q) for s in group) for group in groups)]

    def centred(table, s, q):
        mates = [table[m, q] for m in groups[0 if family[s] else 1] if known(m, q)]
        return table[s, q] - sum(mates) / len(mates) if known(s, q) else 0.0

    def advantage(table, q):
        means = [np.mean([table[s, q] for s in group if known(s, q)]) for group in groups]
        return means[0] - means[1]

    def estimate(some):
        pairs = [(q, r) for q in some for r in some if q != r]
        above = np.mean([sum(centred(people, s, q) * centred(judge, s, r) for s in range(systems)) for q, r in pairs])
        below = np.mean([sum(centred(people, s, q) * centred(people, s, r) for s in range(systems)) for q, r in pairs])
        slope = above / below if below > 0 else np.nan
        return slope, np.mean([advantage(judge, q) - slope * advantage(people, q) for q in some])

    slope, favour = estimate(used)
    without = np.array([estimate([q for q in used if q != left])[1] for left in used])
    n = len(used)
    return slope, favour, np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()), n


def test_two_systems_a_side_by_hand():
    # Within the groups people's differences are 2 in every query, the judge's 6: a slope of 3.
    people = np.array([[3.0, 4, 5, 3], [1, 2, 3, 1], [2, 3, 4, 2], [0, 1, 2, 0]])
    judge = 3 * people + np.array([[1.0], [1], [0], [0]])
    found = favour_contrast(people, judge, np.array([True, True, False, False]))
    assert (found.by_people, found.by_judge) == (1, 4)
    assert (found.slope, found.favour) == pytest.approx((3, 1))
    assert (found.pvalue, found.n_queries) == (0, 4)  # the same in every query
    assert favour_contrast(people, 3 * people, np.array([True, True, False, False])).pvalue == 1


@given(SEEDS)
@examples(10)
def test_the_favour_and_its_error_are_those_of_loops(seed):
    rng = np.random.default_rng(seed)
    people, judge, family = judged(rng, 6, 7, 2, better=1.0, slope=2.0, missing=0.2)
    found = favour_contrast(people, judge, family)
    if found.n_queries < 4:
        assert np.isnan(found.favour)
        return
    slope, favour, error, n = favour_by_loops(people, judge, family)
    assert found.n_queries == n
    assert (found.slope, found.favour, found.se) == pytest.approx((slope, favour, error), nan_ok=True)
    if not np.isnan(error):
        assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(favour) / error, n - 1))
        margin = error * stats.t.ppf(0.975, n - 1)
        assert (found.low, found.high) == pytest.approx((favour - margin, favour + margin))


@given(SEEDS, st.floats(0.1, 50))
@examples(15)
def test_points_and_levels_of_queries_change_nothing_but_the_unit(seed, unit):
    rng = np.random.default_rng(seed)
    people, judge, family = judged(rng, 7, 12, 3, better=1.0)
    found = favour_contrast(people, judge, family)
    moved = favour_contrast(5 * people + rng.normal(size=12), unit * judge + 100 * rng.normal(size=12), family)
    assert moved.favour == pytest.approx(unit * found.favour, rel=1e-6, nan_ok=True)
    for name in ("pvalue", "pvalue_systems", "slope_t"):
        assert getattr(moved, name) == pytest.approx(getattr(found, name), rel=1e-5, abs=1e-9, nan_ok=True)
    # For the others, the favour for a family is a disfavour.
    mirrored = favour_contrast(people, judge, ~family)
    assert mirrored.favour == pytest.approx(-found.favour, nan_ok=True)
    assert mirrored.pvalue_systems == pytest.approx(found.pvalue_systems, nan_ok=True)


def test_the_p_value_over_systems_is_an_analysis_of_covariance_where_there_is_no_noise():
    rng = np.random.default_rng(4)
    quality, liking, family = rng.normal(size=8), rng.normal(size=8), np.arange(8) < 3
    people = quality[:, None] + rng.normal(size=6)
    judge = 2 * people + liking[:, None]
    found = favour_contrast(people, judge, family)
    design = np.column_stack([np.ones(8), quality, family])
    coefficients, squares, *_ = np.linalg.lstsq(design, 2 * quality + liking, rcond=None)
    error = np.sqrt(squares[0] / 5 * np.linalg.inv(design.T @ design)[2, 2])
    assert (found.slope, found.favour) == pytest.approx((coefficients[1], coefficients[2]))
    assert found.pvalue_systems == pytest.approx(2 * stats.t.sf(abs(coefficients[2]) / error, 5))


def test_nothing_is_said_where_people_do_not_tell_the_systems_apart():
    rng = np.random.default_rng(1)
    family = np.array([True, True, False, False])
    people = np.where(family[:, None], 1.0, 0.0) + np.zeros(9)  # alike within the groups
    found = favour_contrast(people, rng.normal(size=(4, 9)), family)
    assert np.isnan([found.favour, found.pvalue, found.pvalue_systems]).all()
    assert found.by_people == 1
    few = favour_contrast(people[:, :3], people[:, :3], family)
    assert few.n_queries == 3
    assert np.isnan(few.pvalue)
    one = favour_contrast(np.array([[1.0] * 5, [2.0] * 5]), np.array([[1.0] * 5, [3.0] * 5]), np.array([True, False]))
    assert np.isnan(one.favour)


def test_the_spread_within_queries_by_hand():
    values = np.array([[1.0, 5.0, np.nan], [3.0, 9.0, 4.0], [np.nan, 7.0, np.nan]])
    # Squares 1 + 1; 4 + 4 + 0; 0; six cells and three queries.
    assert spread_within_queries(values) == pytest.approx(np.sqrt(10 / 3))
    assert np.isnan(spread_within_queries(np.array([[1.0, 2.0]])))


#: Without favour: what the judge and the data are like. Each must err about as often as it says.
FAIR = {
    "the same scale": {},
    "a better family": {"better": 1.0},
    "a better family and a noisy judge of a large scale": {"better": 1.0, "slope": 20.0, "noise": 60.0},
    "a better family, a judge that shrinks": {"better": 1.0, "slope": 0.3, "queries": 100},
    "one of eight, missing cells": {"better": 1.0, "in_family": 1, "missing": 0.2},
}


@pytest.mark.parametrize("case", FAIR)
def test_a_fair_judge_is_seldom_said_to_favour(case):
    options = {"systems": 8, "queries": 20, "in_family": 3, **FAIR[case]}
    rng = np.random.default_rng(11)
    found = [favour_contrast(*judged(rng, **options)) for _ in range(300)]
    # 5 % of 300 are 15; with a standard deviation of 3.8, 27 is beyond three of them.
    assert sum(contrast.pvalue < 0.05 for contrast in found) <= 27
    assert sum(contrast.pvalue_systems < 0.05 for contrast in found) <= 27


def test_single_systems_are_liked_by_chance_but_seldom_the_family():
    rng = np.random.default_rng(12)
    found = [favour_contrast(*judged(rng, 8, 100, 3, better=1.0, liking=0.3)) for _ in range(300)]
    assert sum(contrast.pvalue < 0.05 for contrast in found) > 60  # of these systems it is true
    assert sum(contrast.pvalue_systems < 0.05 for contrast in found) <= 27


def test_a_planted_favour_is_found():
    rng = np.random.default_rng(13)
    found = [favour_contrast(*judged(rng, 20, 100, 5, better=1.0, favour=0.5)) for _ in range(100)]
    assert sum(contrast.pvalue < 0.05 for contrast in found) > 90
    assert sum(contrast.pvalue_systems < 0.05 for contrast in found) > 90
    assert np.median([contrast.favour for contrast in found]) == pytest.approx(0.5, abs=0.05)
    covered = sum(contrast.low <= 0.5 <= contrast.high for contrast in found)
    assert covered >= 88
