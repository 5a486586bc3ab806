"""Standardised scores: SciPy's zscore and normal distribution, a naive loop, and what has no spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import standardise_scores

TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 8)),
    elements=st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, float("nan")]),
)


def naive(scores, reference):
    """One query after the other, one system after the other."""
    found = np.full(scores.shape, np.nan)
    for q in range(scores.shape[1]):
        known = [value for value in reference[:, q] if value == value]
        for s in range(len(scores)):
            if not known or scores[s, q] != scores[s, q]:
                continue
            mean = sum(known) / len(known)
            spread = sum((value - mean) ** 2 for value in known)
            flat = max(known) == min(known)
            found[s, q] = 0.0 if flat else (scores[s, q] - mean) / (spread / (len(known) - 1)) ** 0.5
    return found


def test_a_worked_example():
    """Scores .2, .4, .9: mean .5, squares .09 + .01 + .16 = .26, sd sqrt(.26 / 2)."""
    sd = (0.26 / 2) ** 0.5
    found = standardise_scores([[0.2], [0.4], [0.9]])
    assert found.values[:, 0] == pytest.approx([-0.3 / sd, -0.1 / sd, 0.4 / sd])
    assert not found.is_constant.any()


@pytest.mark.parametrize(("systems", "queries"), [(2, 5), (7, 40), (100, 3)])
def test_agrees_with_scipy(systems, queries):
    x = np.random.default_rng(systems).random((systems, queries))
    z = stats.zscore(x, axis=0, ddof=1)
    np.testing.assert_allclose(standardise_scores(x).values, z, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(standardise_scores(x, method="cdf").values, stats.norm.cdf(z), rtol=1e-9)


def test_agrees_with_scipy_where_values_are_missing():
    x = np.random.default_rng(3).random((9, 30))
    x[np.random.default_rng(4).random(x.shape) < 0.2] = np.nan
    expected = stats.zscore(x, axis=0, ddof=1, nan_policy="omit")
    np.testing.assert_allclose(standardise_scores(x).values, expected, rtol=1e-9, atol=1e-12)


def test_agrees_with_scipy_on_other_systems():
    rng = np.random.default_rng(5)
    x, reference = rng.random((3, 20)), rng.random((12, 20))
    expected = stats.zmap(x, reference, axis=0, ddof=1)
    np.testing.assert_allclose(standardise_scores(x, reference=reference).values, expected, rtol=1e-9)


@given(TABLES)
def test_agrees_with_a_naive_loop(x):
    np.testing.assert_allclose(standardise_scores(x).values, naive(x, x), rtol=1e-9, atol=1e-9)


@given(TABLES)
def test_the_order_of_systems_on_a_query_stays(x):
    for method in ("z", "cdf"):
        values = standardise_scores(x, method=method).values
        above = (x[:, None] > x[None]) & ~np.isnan(x[:, None]) & ~np.isnan(x[None])
        assert not (above & (values[:, None] <= values[None])).any()


@given(TABLES)
def test_what_is_missing_stays_missing_and_nothing_else_does(x):
    for method in ("z", "cdf"):
        assert (np.isnan(standardise_scores(x, method=method).values) == np.isnan(x)).all()


def test_hard_and_easy_queries_weigh_alike():
    x = np.random.default_rng(6).random((8, 5)) * [0.01, 0.1, 1.0, 10.0, 1e4]
    values = standardise_scores(x).values
    np.testing.assert_allclose(values.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(values.std(axis=0, ddof=1), 1.0)


def test_where_systems_do_not_differ_every_one_is_average():
    x = np.array([[0.1, 0.1, np.nan], [0.1, 0.2, 0.3], [0.1, 0.3, np.nan]])
    found = standardise_scores(x)
    assert found.is_constant.tolist() == [True, False, True]  # of the last only one system is known
    assert found.values[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert found.values[1, 2] == 0.0
    assert standardise_scores(x, method="cdf").values[:, 0].tolist() == [0.5, 0.5, 0.5]


def test_the_noise_of_adding_tenths_is_no_spread():
    assert standardise_scores([[0.1 + 0.2], [0.3], [0.3]]).is_constant.all()


def test_a_query_that_no_reference_system_has_gives_nothing():
    found = standardise_scores([[0.5], [0.7]], reference=[[np.nan], [np.nan]])
    assert np.isnan(found.values).all()
    assert not found.is_constant.any()


def test_what_is_no_table_of_scores_is_refused():
    with pytest.raises(ParameterError, match=r"method is 'rank', .*'z', 'cdf'"):
        standardise_scores([[1.0]], method="rank")
    with pytest.raises(ParameterError, match=r"shape \(2,\), .*\(systems, queries\)"):
        standardise_scores([1.0, 2.0])
    with pytest.raises(ParameterError, match=r"1 of 2 .*infinite"):
        standardise_scores([[1.0], [np.inf]])
    with pytest.raises(ParameterError, match=r"2 queries .*scores of 1"):
        standardise_scores([[1.0]], reference=[[1.0, 2.0]])
    with pytest.raises(ParameterError, match="not a table of numbers"):
        standardise_scores([["high"]])
