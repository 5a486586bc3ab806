"""Effect sizes: by hand, against SciPy's noncentral t, and on degenerate data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from rankscope.errors import ParameterError
from rankscope.stats import effect_sizes, effects
from rankscope.stats.distributions import noncentral_t_cdf

DATA = np.random.default_rng(5).standard_normal((5, 20)) * 0.2 + 0.05


def test_effects_by_hand():
    found = effect_sizes([0.1, 0.2, 0.0, -0.1, 0.3])  # mean .1, s^2 = (0 + .01 + .01 + .04 + .04) / 4
    d = 0.1 / np.sqrt(0.10 / 4)
    assert float(found.mean) == pytest.approx(0.1)
    assert float(found.cohens_d) == pytest.approx(d)
    assert float(found.hedges_g) == pytest.approx(d * math.gamma(2) / (math.sqrt(2) * math.gamma(1.5)))
    assert_same_numbers(float(found.superiority), (3 + 1 / 2) / 5)
    assert (int(found.wins), int(found.ties), int(found.losses)) == (3, 1, 1)
    assert found.n == 5


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_d_holds_what_t_is_not_too_far_out_in(level):
    found = effect_sizes(DATA, confidence_level=level)
    t = found.cohens_d * np.sqrt(20)
    np.testing.assert_allclose(stats.nct.sf(t, 19, found.low * np.sqrt(20)), (1 - level) / 2, atol=1e-9)
    np.testing.assert_allclose(stats.nct.cdf(t, 19, found.high * np.sqrt(20)), (1 - level) / 2, atol=1e-9)
    assert ((found.low < found.cohens_d) & (found.cohens_d < found.high)).all()


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.3, 3.0])
def test_the_interval_of_d_is_found_for_any_size(n, shift):
    rows = np.random.default_rng(n).standard_normal((20, n)) + shift
    found = effect_sizes(rows)
    assert (found.low <= found.cohens_d + 1e-9).all()
    assert (found.high >= found.cohens_d - 1e-9).all()
    assert np.isfinite(found.low).all()
    assert np.isfinite(found.high).all()


def halved(t, df, level):
    """The noncentralities by 60 halvings of an interval, each pair the same way: slow, and nothing to go wrong."""
    shares = np.array([[(1 + level) / 2], [(1 - level) / 2]])
    reach = 10.0 + 2 * np.abs(t) * (1 + 10 / np.sqrt(df))
    low, high = np.tile(t - reach, (2, 1)), np.tile(t + reach, (2, 1))
    for _ in range(60):
        middle = (low + high) / 2
        above = noncentral_t_cdf(df, middle, t) > shares
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


DEGREES = st.sampled_from([1, 2, 3, 4, 9, 49, 999])
LEVELS = st.sampled_from([0.01, 0.5, 0.8, 0.95, 0.99])


@given(t=st.lists(st.floats(-50, 50), min_size=1, max_size=5), df=DEGREES, level=LEVELS)
@examples(20)
def test_noncentralities_are_those_that_bisection_finds(t, df, level):
    t = np.array(t)
    np.testing.assert_allclose(effects.noncentralities(t, df, level), halved(t, df, level), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 9, 49, 999])
def test_noncentralities_of_many_pairs_take_few_values_of_the_distribution(df, monkeypatch):
    t, asked = np.random.default_rng(df).uniform(-50, 50, 500), []
    expected = halved(t, df, 0.95)

    def counting(df, shift, t):
        asked.append(shift.size)
        return noncentral_t_cdf(df, shift, t)

    monkeypatch.setattr(effects, "noncentral_t_cdf", counting)
    np.testing.assert_allclose(effects.noncentralities(t, df, 0.95), expected, rtol=1e-10, atol=1e-12)
    assert sum(asked) < 60 / 10 * expected.size  # 60 by bisection


@pytest.mark.parametrize("df", [1, 5, 249])
def test_noncentralities_of_a_large_or_tiny_t_are_those_that_bisection_finds(df):
    t = np.array([200.0, -200.0, 0.0, 1e-300])
    np.testing.assert_allclose(effects.noncentralities(t, df, 0.95), halved(t, df, 0.95), rtol=1e-10, atol=1e-12)


def test_where_the_secants_do_not_arrive_it_is_bisected(monkeypatch):
    t = np.linspace(-5, 5, 21)

    def coarse(df, shift, t):
        return np.round(special.nctdtr(df, shift, t), 2)  # flat, with steps

    monkeypatch.setattr(effects, "noncentral_t_cdf", coarse)
    start, width = (x.ravel() for x in effects.first_guess(t, 9, np.array([[0.975], [0.025]])))
    share = np.repeat([0.975, 0.025], 21)
    assert not effects.by_secants(np.tile(t, 2), 9, share, start, width)[1].any()
    expected = effects.by_bisection(np.tile(t, 2), 9, share).reshape(2, 21)
    assert_same_numbers(effects.noncentralities(t, 9, 0.95), expected)


@given(row=st.lists(st.integers(-3, 3), min_size=2, max_size=12))
def test_exchanging_the_systems_turns_effects_round(row):
    row = np.array(row) / 10
    one, other = effect_sizes(row), effect_sizes(-row)
    np.testing.assert_allclose(one.cohens_d, -other.cohens_d, rtol=1e-9)
    np.testing.assert_allclose(one.low, -other.high, atol=1e-6)
    assert float(one.superiority) == pytest.approx(1 - float(other.superiority))
    assert (int(one.wins), int(one.losses)) == (int(other.losses), int(other.wins))
    assert int(one.wins) + int(one.ties) + int(one.losses) == row.size


def test_a_zone_makes_ties_and_rounding_does_not():
    found = effect_sizes([0.3 - 0.2, 0.05, 0.1 + 0.2 - 0.3, -0.4], zone=0.1)
    assert (int(found.wins), int(found.ties), int(found.losses)) == (0, 3, 1)
    assert int(effect_sizes([0.1 + 0.2 - 0.3, 0.5]).ties) == 1


def test_degenerate_differences_are_flagged():
    found = effect_sizes(np.vstack([np.zeros(9), np.full(9, 0.1), DATA[0, :9]]))
    assert found.degenerate.tolist() == [True, True, False]
    assert found.cohens_d[0] == 0
    assert np.isnan(found.cohens_d[1])
    assert found.superiority.tolist()[:2] == [0.5, 1.0]
    assert found.wins.tolist()[:2] == [0, 9]
    assert len(found.notes) == 2
    one = effect_sizes([0.4])
    assert np.isnan(one.cohens_d)
    assert "one query" in one.notes[0]
    with pytest.raises(ParameterError, match="NaN"):
        effect_sizes([np.nan, 1.0])
