"""Generalisability coefficients: by hand, from published tables, against Cronbach's alpha, on simulated collections."""

from __future__ import annotations

from math import ceil, inf, isnan

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import Generalisability, generalisability, two_way_anova
from rankscope.stats.reliability import from_squares, mean_squares

TABLES = st.tuples(st.integers(2, 8), st.integers(2, 12), st.integers(0, 10**6)).map(
    lambda a: np.random.default_rng(a[2]).random((a[0], a[1])) + np.random.default_rng(a[2]).random((a[0], 1))
)


def table_of(ms_s, ms_q, ms_e, m, n):
    """Scores of m systems on n queries with these very mean squares."""
    rng = np.random.default_rng(5)
    a, b, e = rng.normal(size=m), rng.normal(size=n), rng.normal(size=(m, n))
    a, b = a - a.mean(), b - b.mean()
    e = e - e.mean(axis=0) - e.mean(axis=1, keepdims=True) + e.mean()
    a *= np.sqrt(ms_s * (m - 1) / n / (a @ a))
    b *= np.sqrt(ms_q * (n - 1) / m / (b @ b))
    e *= np.sqrt(ms_e * (m - 1) * (n - 1) / (e * e).sum())
    return 5 + a[:, None] + b + e


def cronbachs_alpha(x):
    """Systems are persons, queries are items."""
    n = x.shape[1]
    return n / (n - 1) * (1 - x.var(axis=0, ddof=1).sum() / x.sum(axis=1).var(ddof=1))


# Values


def test_a_table_of_three_by_three_by_hand():
    # Effects of systems -.2, 0, .2, of queries -.1, 0, .1, and errors .1, -.1, 0; -.1, .1, 0; 0, 0, 0.
    found = generalisability([[0.3, 0.2, 0.4], [0.3, 0.6, 0.6], [0.6, 0.7, 0.8]], target=0.9)
    ms_s, ms_q, ms_e = 3 * (0.04 + 0.04) / 2, 3 * (0.01 + 0.01) / 2, 4 * 0.01 / 4
    v_s, v_q = (ms_s - ms_e) / 3, (ms_q - ms_e) / 3
    assert found.variance_systems == pytest.approx(v_s)
    assert found.variance_queries == pytest.approx(v_q)
    assert found.variance_error == pytest.approx(ms_e)
    assert found.relative == pytest.approx(v_s / (v_s + ms_e / 3))
    assert found.absolute == pytest.approx(v_s / (v_s + (v_q + ms_e) / 3))
    assert found.needed_relative == ceil(0.9 / 0.1 * ms_e / v_s) == 3
    assert found.needed_absolute == ceil(0.9 / 0.1 * (v_q + ms_e) / v_s) == 5
    assert (found.systems, found.n, found.n_queries, found.target, found.confidence_level) == (3, 3, 3, 0.9, 0.95)
    assert found.notes == ()
    # F = 12 with 2 and 4 degrees of freedom, whose quantiles are 10.649 and .0255.
    low = (12 / stats.f.ppf(0.975, 2, 4) - 1) / 3
    high = (12 / stats.f.ppf(0.025, 2, 4) - 1) / 3
    assert found.relative_low == pytest.approx(3 * low / (1 + 3 * low))
    assert found.relative_high == pytest.approx(3 * high / (1 + 3 * high))
    assert (found.needed_relative_low, found.needed_relative_high) == (ceil(9 / high), ceil(9 / low))


def test_it_agrees_with_the_tables_of_brennan():
    """Synthetic data set 4 of Brennan (2001), 10 persons by 12 items; its tables 6.2 (p. 182) and 6.5 (p. 198)."""
    x = table_of(10.2963, 11.6273, 2.7872, 10, 12)
    anova = two_way_anova(x)
    assert (anova.ms_systems, anova.ms_queries, anova.ms_error) == pytest.approx((10.2963, 11.6273, 2.7872))
    found = generalisability(x, confidence_level=0.8)
    assert found.variance_systems == pytest.approx(0.6258, abs=1e-4)
    assert found.variance_queries == pytest.approx(0.8840, abs=1e-4)
    assert found.variance_error == pytest.approx(2.7872, abs=1e-4)
    relative = (found.relative, found.relative_low, found.relative_high)
    absolute = (found.absolute, found.absolute_low, found.absolute_high)
    assert relative == pytest.approx((0.729, 0.541, 0.876), abs=6e-4)
    assert absolute == pytest.approx((0.672, 0.457, 0.845), abs=6e-4)


@pytest.mark.parametrize(("share", "end"), [(0.975, "low"), (0.025, "high")])
def test_the_interval_of_phi_is_that_of_the_published_formula(share, end):
    s, q, e, m, n = 0.9, 2.0, 0.08, 6, 40
    found = generalisability(table_of(s, q, e, m, n))
    g, f, h = (stats.f.ppf(share, m - 1, df) for df in (10**9, (m - 1) * (n - 1), n - 1))
    # Arteaga, Jeyaratnam and Franklin (1982): the share of systems in the variance of a single score.
    r = m * (s**2 - g * s * e + (g - f) * f * e**2) / ((m - 1) * g * s * e + h * s * q)
    one = r / (n + r)
    assert getattr(found, f"absolute_{end}") == pytest.approx(n * one / (1 + (n - 1) * one), rel=1e-6)


@given(TABLES)
def test_the_relative_coefficient_is_cronbachs_alpha(x):
    assert generalisability(x).relative == pytest.approx(max(0.0, cronbachs_alpha(x)), abs=1e-9)


# What must hold


@given(TABLES, st.integers(1, 500))
def test_coefficients_and_their_intervals_are_in_order(x, n):
    found = generalisability(x, n_queries=n)
    assert 0 <= found.absolute <= found.relative <= 1
    for kind in ("relative", "absolute"):
        low, value, high = (getattr(found, kind + end) for end in ("_low", "", "_high"))
        assert 0 <= low <= value <= high <= 1
        fewest, needed, most = (getattr(found, f"needed_{kind}{end}") for end in ("_low", "", "_high"))
        assert 1 <= fewest <= needed <= most
        assert found.variance_systems > 0 or needed == inf


@given(TABLES, st.sampled_from([0.5, 0.9, 0.95]))
def test_the_queries_needed_are_the_fewest_that_reach_the_target(x, target):
    found = generalisability(x, target=target)
    for kind in ("relative", "absolute"):
        for end, of in (("", ""), ("_low", "_high"), ("_high", "_low")):
            n = getattr(found, f"needed_{kind}{end}")
            if n < 10**8:
                reached = getattr(generalisability(x, n_queries=int(n)), kind + of)
                assert reached >= target - 1e-7
                if n > 1:
                    assert getattr(generalisability(x, n_queries=int(n) - 1), kind + of) < target


@given(TABLES, st.sampled_from([0.001, 3.0, 1e4]), st.floats(-10, 10))
def test_neither_unit_nor_zero_of_the_scores_matters(x, unit, zero):
    found, other = generalisability(x), generalisability(unit * (x + zero))
    for name in ("relative", "relative_low", "relative_high", "absolute", "absolute_low", "absolute_high"):
        assert getattr(other, name) == pytest.approx(getattr(found, name), abs=1e-9)


def test_harder_and_easier_queries_lower_only_the_absolute_coefficient():
    x = table_of(0.9, 2.0, 0.08, 6, 40)
    harder = x + np.linspace(0, 3, 40)
    found, other = generalisability(x), generalisability(harder)
    assert other.relative == pytest.approx(found.relative)
    assert other.absolute < found.absolute


def test_more_queries_bring_both_nearer_to_1():
    x = table_of(0.9, 2.0, 0.08, 6, 40)
    values = [generalisability(x, n_queries=n) for n in (1, 10, 100, 10**6)]
    assert [v.relative for v in values] == sorted(v.relative for v in values)
    assert values[-1].absolute == pytest.approx(1, abs=1e-3)
    assert {v.n for v in values} == {40}


# Where there is nothing to divide


def test_systems_that_differ_no_more_than_by_chance_have_coefficients_of_0_and_no_number_of_queries():
    found = generalisability(table_of(0.05, 1.0, 0.1, 4, 10))
    assert (found.variance_systems, found.relative, found.absolute) == (0, 0, 0)
    assert (found.relative_low, found.absolute_low) == (0, 0)
    assert 0 < found.absolute_high < found.relative_high < 1
    assert found.needed_relative == found.needed_relative_high == found.needed_absolute == inf
    assert found.needed_relative_low < inf
    assert len(found.notes) == 1
    assert mentions(found.notes[0], "systems", "chance alone")


def test_systems_nearer_to_each_other_than_chance_explains_have_not_even_an_upper_end():
    found = generalisability(table_of(1e-6, 1.0, 0.1, 10, 10))
    assert (found.relative_high, found.absolute_high, found.needed_absolute_low) == (0, 0, inf)


def test_queries_that_differ_less_than_by_chance_have_a_variance_of_0():
    found = generalisability(table_of(1.0, 0.05, 0.1, 4, 10))
    assert found.variance_queries == 0
    assert found.absolute == found.relative == pytest.approx(0.09 / (0.09 + 0.01))
    (note,) = found.notes
    assert mentions(note, "queries", "chance alone", "variance", 0)


def test_without_error_one_query_orders_the_systems_as_all_do():
    found = generalisability(np.array([[0.1], [0.25], [0.7]]) + np.array([0.0, 0.1, 0.3, 0.2]))
    assert (found.variance_error, found.relative, found.relative_low, found.relative_high) == (0, 1, 1, 1)
    assert (found.needed_relative, found.needed_relative_low, found.needed_relative_high) == (1, 1, 1)
    v_s, v_q = np.var([0.1, 0.25, 0.7], ddof=1), np.var([0.0, 0.1, 0.3, 0.2], ddof=1)
    assert found.absolute == pytest.approx(v_s / (v_s + v_q / 4))
    # MS_s / MS_q over its expectation has the distribution F: this interval is exact.
    low, high = (v_s / v_q / stats.f.ppf(share, 2, 3) for share in (0.975, 0.025))
    assert (found.absolute_low, found.absolute_high) == pytest.approx(
        (4 * low / (1 + 4 * low), 4 * high / (1 + 4 * high))
    )
    assert mentions(found.notes[0], "one query")


def test_systems_that_are_all_their_queries_agree_on_need_one_query():
    found = generalisability([[0.1] * 5, [0.3] * 5])
    assert (found.relative, found.absolute, found.absolute_low, found.absolute_high) == (1, 1, 1, 1)
    assert (found.needed_relative, found.needed_absolute) == (1, 1)


def test_equal_systems_have_no_order_to_rely_on():
    found = generalisability([[0.1, 0.7, 0.3]] * 4)
    assert all(isnan(v) for v in (found.relative, found.relative_low, found.relative_high))
    assert (found.absolute, found.absolute_low, found.absolute_high) == (0, 0, 0)
    assert found.needed_relative == found.needed_absolute == found.needed_absolute_low == inf
    (note,) = found.notes
    assert mentions(note, "no query", "no order")


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_equal_scores_leave_both_coefficients_undefined(value):
    found = generalisability(np.full((3, 7), value))
    assert (found.variance_systems, found.variance_queries, found.variance_error) == (0, 0, 0)
    assert isnan(found.relative)
    assert isnan(found.absolute)
    assert isnan(found.absolute_high)
    assert found.needed_relative == found.needed_absolute == inf


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([[1.0, 2.0]], {}, r"\(systems, queries\) .*2 systems"),
        ([[1.0], [2.0]], {}, "2 queries"),
        ([[1.0, np.nan], [2.0, 3.0]], {}, "NaN"),
        ([[1.0, 2.0], [2.0, 2.0]], {"target": 1.0}, "target is 1.0"),
        ([[1.0, 2.0], [2.0, 2.0]], {"confidence_level": 95}, "confidence_level is 95"),
        ([[1.0, 2.0], [2.0, 2.0]], {"n_queries": 0}, "n_queries is 0"),
    ],
)
def test_what_cannot_be_computed_is_refused(scores, options, said):
    with pytest.raises(ParameterError, match=said):
        generalisability(scores, **options)


def test_the_result_is_frozen():
    found = generalisability([[0.1, 0.4], [0.2, 0.9]])
    assert isinstance(found, Generalisability)
    with pytest.raises(AttributeError):
        found.relative = 1.0


def test_mean_squares_of_several_draws_are_averaged():
    rng = np.random.default_rng(3)
    draws = [rng.normal(np.arange(4)[:, None], 1.0, (4, 12)) for _ in range(5)]
    found = from_squares([mean_squares(x) for x in draws], 0.95, 0.95, 12)
    tables = [two_way_anova(x) for x in draws]
    ms_s, ms_e = np.mean([t.ms_systems for t in tables]), np.mean([t.ms_error for t in tables])
    assert found.relative == pytest.approx(1 - ms_e / ms_s, rel=1e-12)  # n v_s / (n v_s + v_e), n v_s = MS_s - MS_e
    assert_same_numbers(from_squares([mean_squares(draws[0])] * 3, 0.95, 0.95, None), generalisability(draws[0]))


# What the intervals promise

RUNS = 3000
COLLECTIONS = [(5, 10, 1.0, 1.0, 1.0), (20, 50, 0.1, 2.0, 1.0), (100, 50, 0.02, 1.0, 0.5), (10, 10, 0.1, 5.0, 1.0)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "n", "v_s", "v_q", "v_e"), [*COLLECTIONS, (3, 5, 0.5, 0.0, 1.0), (20, 50, 0.001, 2.0, 1.0)]
)
def test_intervals_hold_the_true_coefficients_of_normal_effects(m, n, v_s, v_q, v_e):
    """E-rho-squared in 95 % of the collections, Phi in 94.5 to 97.6 % (most where many systems meet few queries)."""
    rng = np.random.default_rng(7)
    relative, absolute = v_s / (v_s + v_e / n), v_s / (v_s + (v_q + v_e) / n)
    held = np.zeros(4)
    for _ in range(RUNS):
        x = rng.normal(0, np.sqrt(v_s), (m, 1)) + rng.normal(0, np.sqrt(v_q), n) + rng.normal(0, np.sqrt(v_e), (m, n))
        found = generalisability(x)
        held += (
            found.relative_low <= relative,
            relative <= found.relative_high,
            found.absolute_low <= absolute,
            absolute <= found.absolute_high,
        )
    share, chance = held / RUNS, 3.5 * np.sqrt(0.025 * 0.975 / RUNS)
    assert share[:2] == pytest.approx(0.975, abs=chance)
    assert (share[2:] >= 0.97 - chance).all()
    assert (share[2:] <= 0.991 + chance).all()
