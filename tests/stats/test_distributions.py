"""The studentised range, against SciPy's and printed tables."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.stats import distributions
from rankscope.stats.distributions import FEW, MANY, range_quantile, range_sf, scale_nodes, tail_of_range


@pytest.mark.parametrize("m", [2, 3, 10, 40])
@pytest.mark.parametrize("df", [2, 5, 40, 2000, np.inf])
def test_tails_agree_with_scipy(m, df):
    q = np.array([0.0, 0.3, 1.0, 3.0, 6.0])
    np.testing.assert_allclose(range_sf(q, m, df), stats.studentized_range.sf(q, m, df), rtol=0, atol=1e-9)


@pytest.mark.parametrize("df", [1, 2, 7, 100])
def test_of_two_means_it_is_students_t(df):
    t = np.array([0.1, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(range_sf(t * np.sqrt(2), 2, df), 2 * stats.t.sf(t, df), rtol=0, atol=1e-9)


# The printed tables of the studentised range, upper 5 and 1 %.
@pytest.mark.parametrize(
    ("p", "m", "df", "q"),
    [(0.95, 3, 10, 3.877), (0.95, 4, 20, 3.958), (0.99, 5, 15, 5.556), (0.95, 10, np.inf, 4.474), (0.95, 2, 1, 17.97)],
)
def test_quantiles_are_those_of_the_tables(p, m, df, q):
    assert range_quantile(p, m, df) == pytest.approx(q, abs=0.005)
    assert float(range_sf(range_quantile(p, m, df), m, df)) == pytest.approx(1 - p, abs=1e-9)


def test_many_values_keep_their_shape_and_are_no_other_than_alone():
    q = np.linspace(0.1, 6, 100).reshape(10, 10)
    found = range_sf(q, 5, 30)
    assert found.shape == (10, 10)
    assert found[7, 3] == pytest.approx(float(range_sf(q[7, 3], 5, 30)), abs=1e-14)


def one_by_one(q, m, df):
    """The tails by an integral for each value, alone."""
    if df > MANY:
        return np.array([tail_of_range(np.array([x]), m)[0] for x in q])
    scale, weight = scale_nodes(df)
    return np.clip([tail_of_range(x * scale, m) @ weight for x in q], 0.0, 1.0)


def all_at_once(q, m, df):
    """The tails by an integral for each value: 32 at a time, or all where the scale is known."""
    if df > MANY:
        return tail_of_range(q, m)
    scale, weight = scale_nodes(df)
    parts = [q[start : start + 32] for start in range(0, q.size, 32)]
    return np.clip(np.concatenate([tail_of_range(part[:, None] * scale, m) @ weight for part in parts]), 0.0, 1.0)


SYSTEMS = st.sampled_from([2, 3, 10, 40, 300])
DEGREES = st.sampled_from([1, 2, 9.5, 60, 74_451, np.inf])


@given(m=SYSTEMS, df=DEGREES, top=st.sampled_from([0.5, 6.0, 20.0, 300.0]), seed=st.integers(0, 99))
@examples(8)
def test_many_tails_are_those_of_the_integrals_and_fall(m, df, top, seed):
    rng = np.random.default_rng(seed)
    q = np.concatenate([rng.uniform(0, top, 2 * FEW), rng.uniform(0, min(top, 8.0), 2 * FEW)])
    found, some = range_sf(q, m, df), rng.choice(q.size, 30, replace=False)
    np.testing.assert_allclose(found[some], one_by_one(q[some], m, df), rtol=0, atol=1e-10)
    assert (np.diff(found[np.argsort(q)]) <= 0).all()
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize(("m", "df"), [(3, 2), (10, 40), (40, 2000), (40, np.inf)])
def test_many_tails_agree_with_scipy(m, df):
    q = np.linspace(0, 9, 2 * FEW)
    some = np.arange(50, q.size, 200)
    expected = stats.studentized_range.sf(q[some], m, df)
    np.testing.assert_allclose(range_sf(q, m, df)[some], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("df", [1, 40, np.inf])
def test_few_tails_are_the_integrals_to_the_bit(df):
    q = np.random.default_rng(1).uniform(0, 9, 100)
    assert_same_bits(range_sf(q, 12, df), all_at_once(q, 12, df))


def test_many_tails_take_few_integrals(monkeypatch):
    taken = []

    def counting(w, m):
        taken.append(len(w))
        return tail_of_range(w, m)

    monkeypatch.setattr(distributions, "tail_of_range", counting)
    range_sf(np.linspace(0, 40, 44_850), 300, 74_451)
    assert sum(taken) <= FEW  # 44,850 by one integral each


@pytest.mark.parametrize("settings_of", [{"SMALL": 0.0}, {"CLOSE": -1.0}])
def test_many_tails_have_integrals_where_polynomials_do_not_come_near(settings_of, monkeypatch):
    for name, value in settings_of.items():
        monkeypatch.setattr(distributions, name, value)
    q = np.linspace(0, 9, FEW + 100)
    assert distributions.interpolated(q, 5, 40) is None
    assert_same_bits(range_sf(q, 5, 40), all_at_once(q, 5, 40))


def test_many_equal_or_infinite_or_missing_values_have_tails():
    q = np.tile([0.0, 2.0, 3.0], FEW)
    np.testing.assert_allclose(range_sf(q, 5, 40), np.tile(one_by_one([0.0, 2.0, 3.0], 5, 40), FEW), atol=1e-14)
    q = np.append(np.linspace(0, 9, FEW + 1), [np.inf, np.nan])
    found = range_sf(q, 5)
    assert np.isnan(found[-1])
    assert found[-2] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found[:-2], tail_of_range(q[:-2], 5), rtol=0, atol=1e-14)
    assert range_sf([], 5, 40).shape == (0,)
