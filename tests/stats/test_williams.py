"""Williams' test: against the formula worked by hand, values of R's package psych, and what it promises."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from rankscope.errors import ParameterError
from rankscope.stats import williams_test

# Correlations of NumPy's legacy random numbers with seed 12; p-values of psych::r.test, as nlpstats' tests quote them.
OF_45 = (0.28582915107229734, 0.15950937602663984, 0.026555856893502445)


def test_p_is_that_of_psych_on_45_items():
    assert float(williams_test(*OF_45, n=45, alternative="greater").pvalue) == pytest.approx(0.2716978, abs=5e-8)
    assert float(williams_test(*OF_45, n=45).pvalue) == pytest.approx(0.5433956, abs=5e-8)
    assert float(williams_test(*OF_45, n=45, alternative="less").pvalue) == pytest.approx(1 - 0.2716978, abs=5e-8)


def test_p_is_that_of_psych_on_9_items():
    assert float(williams_test(0.1, 0.05, 0.05, n=9, alternative="greater").pvalue) == pytest.approx(
        0.4658712, abs=5e-8
    )
    assert float(williams_test(0.1, 0.05, 0.05, n=9).pvalue) == pytest.approx(0.9317423, abs=5e-8)


def test_statistic_follows_from_the_formula():
    k = 1 - 0.81 - 0.49 - 0.36 + 2 * 0.9 * 0.7 * 0.6
    t = (0.9 - 0.7) * sqrt(11 * 1.6) / sqrt(2 * k * 11 / 9 + 0.8**2 * 0.4**3)
    found = williams_test(0.9, 0.7, 0.6, n=12)
    assert float(found.statistic) == pytest.approx(t)
    assert float(found.pvalue) == pytest.approx(2 * scipy_stats.t.sf(t, 9))


@given(st.integers(0, 10_000), st.integers(4, 30))
def test_turning_the_two_round_turns_the_sign(seed, n):
    lists = np.random.default_rng(seed).normal(size=(3, n))
    r = np.corrcoef(lists)
    one, other = (williams_test(r[0, i], r[0, 3 - i], r[1, 2], n=n, alternative="greater") for i in (1, 2))
    assert float(one.statistic) == pytest.approx(-float(other.statistic), abs=1e-9)
    assert float(one.pvalue + other.pvalue) == pytest.approx(1)


def test_arrays_are_tested_place_by_place_and_nan_has_no_p():
    found = williams_test([0.9, np.nan, 0.4], [0.7, 0.2, 0.4], [0.6, 0.1, 0.2], n=12)
    assert found.degenerate.tolist() == [False, True, False]
    assert np.isnan(found.pvalue).tolist() == [False, True, False]
    assert float(found.pvalue[2]) == 1.0


def test_lists_that_are_one_leave_nothing_to_test():
    assert bool(williams_test(0.5, 0.5, 1.0, n=9).degenerate)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"n": 3}, "at least 4 items"),
        ({"first": 1.5}, "in \\[-1, 1\\]"),
        ({"first": 0.9, "second": -0.9, "between": 0.9}, "no three lists"),
        ({"first": [0.1, 0.2]}, "one shape"),
        ({"alternative": "more"}, "alternative"),
        ({"between": np.inf}, "NaN or infinite"),
    ],
)
def test_what_cannot_be_is_refused(given_, message):
    with pytest.raises(ParameterError, match=message):
        williams_test(**{"first": 0.5, "second": 0.4, "between": 0.3, "n": 9} | given_)


@pytest.mark.slow
@pytest.mark.parametrize("n", [6, 15, 60])
def test_equally_good_lists_are_told_apart_as_often_as_the_level_says(n):
    rng = np.random.default_rng(1)
    runs = 20_000
    truth = rng.normal(size=(runs, n))
    shared = rng.normal(size=(runs, n))
    one, other = (truth + 0.5 * shared + rng.normal(size=(runs, n)) for _ in range(2))

    def r(a, b):
        a, b = (v - v.mean(axis=1, keepdims=True) for v in (a, b))
        return (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))

    found = williams_test(r(truth, one), r(truth, other), r(one, other), n=n)
    rate = float((found.pvalue <= 0.05).mean())
    # Three standard errors of a share are .005; the test is itself an approximation, a little off on few items.
    assert 0.035 < rate < 0.06


def test_lists_that_leave_nothing_to_chance_have_no_p():
    # a list that is people's own, one that is the other, and three of which one follows from the other two (K = 0)
    first, second, between = [1.0, 0.8, 0.6], [0.9428, 0.8, 0.8], [0.9428, 1.0, 0.0]
    found = williams_test(first, second, between, n=6)
    assert found.degenerate.all()
    assert np.isnan(found.pvalue).all()
