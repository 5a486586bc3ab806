"""Correlations: against SciPy and pandas, against all orders, against the samples themselves."""

from __future__ import annotations

import itertools
import warnings
from math import factorial

import numpy as np
import pandas as pd
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.simulated_rates import show
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.kernels.pairs import count_pairs
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.measures.rank_similarity import by_query as association
from rankscope.stats import correlation as correlation_resamples
from rankscope.stats import correlation_matrix, correlation_test
from rankscope.stats import correlation_values as rank_rows
from rankscope.stats.correlation import bootstrap_values, leave_one_out, weighted_correlation
from rankscope.stats.correlation_values import STATISTICS

ALTERNATIVES = ["two-sided", "greater", "less"]
THEIRS = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall_a": None,
    "kendall_b": stats.kendalltau,
    "kendall_c": lambda x, y, **o: stats.kendalltau(x, y, variant="c", **o),
}
OURS_TOO = {
    "spearman": association.spearman,
    "kendall_a": lambda x, y: association.kendall_tau(x, y, variant="a"),
    "kendall_b": association.kendall_tau,
    "kendall_c": lambda x, y: association.kendall_tau(x, y, variant="c"),
}
RNG = np.random.default_rng(7)
X = RNG.standard_normal(60)
Y = X + RNG.standard_normal(60)
TIED_X, TIED_Y = np.round(X), np.round(2 * Y)


@st.composite
def two_lists(draw, least=3, most=40, values=6):
    """Two lists of one length, full of ties where values are few."""
    n = draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    spread = draw(st.sampled_from([2, values, 10**6]))
    x = rng.integers(0, spread, n)
    return x / 8, (draw(st.sampled_from([0, 1])) * x + rng.integers(0, spread, n)) / 8


def theirs(statistic, x, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = THEIRS[statistic](x, y, **options)
    return float(found.statistic), float(found.pvalue)


@given(lists=two_lists(), alternative=st.sampled_from(ALTERNATIVES))
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b", "kendall_c"])
def test_values_and_pvalues_agree_with_scipy(lists, alternative, statistic):
    x, y = lists
    found = correlation_test(x, y, statistic=statistic, alternative=alternative)
    value, pvalue = theirs(statistic, x, y, alternative=alternative)
    assert float(found.value) == pytest.approx(value, abs=1e-12, nan_ok=True)
    # Where SciPy's r is 1 but for rounding, its p is the root of that.
    assert float(found.pvalue) == pytest.approx(
        pvalue, rel=1e-9, abs=1e-6 if abs(value) > 1 - 1e-12 else 0, nan_ok=True
    )


@given(lists=two_lists(least=2, most=150))
@pytest.mark.parametrize("statistic", OURS_TOO)
def test_values_are_those_of_the_measures_between_lists(lists, statistic):
    x, y = lists
    found = float(correlation_test(x, y, statistic=statistic).value)
    assert found == pytest.approx(OURS_TOO[statistic](x, y), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("values", [3, 40, 10**9])
def test_long_lists_are_counted_as_the_kernel_counts_two(values):
    rng = np.random.default_rng(values)
    x, y = rng.integers(0, values, (2, 3, 3000)).astype(float)
    found = rank_rows.surplus_by_row(rank_rows.rank_rows(x), rank_rows.rank_rows(y))
    counts = [count_pairs(*pair) for pair in zip(x, y, strict=True)]
    assert found.tolist() == [pairs.concordant - pairs.discordant for pairs in counts]
    one = rank_rows.surplus_by_row(rank_rows.rank_rows(x[:1]), rank_rows.rank_rows(y))  # one list with all of the other
    assert one[2] == count_pairs(x[0], y[2]).concordant - count_pairs(x[0], y[2]).discordant


@pytest.mark.parametrize("n", [34, 50, 171, 400])
@pytest.mark.parametrize("swaps", [[], [(3, 4)], [(3, 4), (8, 9)]])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_long_lists_with_a_pair_out_of_order_have_scipys_exact_pvalue(n, swaps, alternative):
    x, y = np.arange(n), np.arange(n)
    for i, j in swaps:
        y[[i, j]] = y[[j, i]]
    for other in (y, -y):
        found = correlation_test(x, other, alternative=alternative)
        assert bool(found.exact) == (len(swaps) < 2)
        assert float(found.pvalue) == pytest.approx(theirs("kendall_b", x, other, alternative=alternative)[1], rel=1e-9)


def test_the_exact_pvalue_of_tau_counts_all_orders():
    x, y = np.arange(6), np.array([0, 2, 1, 3, 5, 4])
    taus = np.array([association.kendall_tau(x, order) for order in itertools.permutations(y)])
    for alternative, far in (("two-sided", np.abs(taus) >= 11 / 15 - 1e-12), ("greater", taus >= 11 / 15 - 1e-12)):
        assert float(correlation_test(x, y, alternative=alternative).pvalue) == pytest.approx(far.sum() / factorial(6))


def test_the_three_taus_have_one_pvalue():
    for x, y in ((X, Y), (TIED_X, TIED_Y)):
        for pvalue in ("auto", "permutation"):
            found = [correlation_test(x, y, statistic=s, pvalue=pvalue, n_resamples=99, rng=1) for s in STATISTICS[2:]]
            assert len({float(f.pvalue) for f in found}) == 1


def test_many_lists_have_the_values_that_each_has_alone(monkeypatch):
    rows = np.random.default_rng(3).integers(0, 9, (7, 30)).astype(float)
    others = rows[::-1] + np.random.default_rng(4).integers(0, 9, (7, 30))
    monkeypatch.setattr(rank_rows, "ITEMS", 70)  # two lists at a time
    for statistic in STATISTICS:
        for options in ({}, {"pvalue": "permutation"}, {"interval": "bootstrap"}):
            options = {"statistic": statistic, "n_resamples": 50, "rng": 5, **options}
            together = correlation_test(rows, others, **options)
            for i in range(7):
                alone = correlation_test(rows[i], others[i], **options)
                for name in ("value", "pvalue", "low", "high", "error", "degenerate", "exact"):
                    found = getattr(together, name)[i], getattr(alone, name)
                    np.testing.assert_allclose(*found, rtol=1e-12, err_msg=name)


# Permutations


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_few_items_are_put_in_all_orders(statistic, alternative):
    x, y = np.array([1.0, 4, 2, 2, 9]), np.array([0.0, 3, 3, 1, 4])
    found = correlation_test(x, y, statistic=statistic, alternative=alternative, pvalue="permutation", n_resamples=120)
    values = [float(correlation_test(x, order, statistic=statistic).value) for order in itertools.permutations(y)]
    value, far = float(found.value), {"two-sided": np.abs, "greater": np.array, "less": np.negative}[alternative]
    count = np.count_nonzero(far(values) >= far(value) - 1e-9)
    assert float(found.pvalue) == pytest.approx(count / 120)
    assert bool(found.exact)
    assert float(found.error) == 0
    assert found.n_resamples == 0


@pytest.mark.parametrize("statistic", STATISTICS)
def test_permutations_agree_with_the_formula_where_there_are_many_items(statistic):
    x, y = TIED_X, np.round(TIED_X + 6 * np.random.default_rng(1).standard_normal(60))
    by_formula = correlation_test(x, y, statistic=statistic)
    found = correlation_test(x, y, statistic=statistic, pvalue="permutation", rng=1)
    assert 0.001 < float(by_formula.pvalue) < 0.9
    assert float(found.pvalue) == pytest.approx(float(by_formula.pvalue), abs=5 * float(found.error) + 0.01)
    assert 0 < float(found.error) == pytest.approx(np.sqrt(found.pvalue * (1 - found.pvalue) / 10_000))
    again = correlation_test(x, y, statistic=statistic, pvalue="permutation", rng=1)
    assert_same_bits(float(again.pvalue), float(found.pvalue))


def test_no_permutation_as_far_gives_the_least_pvalue_and_not_0():
    found = correlation_test(X, X, pvalue="permutation", n_resamples=99, rng=1)
    assert float(found.pvalue) == 1 / 100


# Intervals


def test_fishers_interval_of_pearson_is_scipys():
    for level in (0.5, 0.9, 0.95):
        found = correlation_test(X, Y, statistic="pearson", confidence_level=level)
        expected = stats.pearsonr(X, Y).confidence_interval(level)
        assert (float(found.low), float(found.high)) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize(
    ("statistic", "variance"),
    [("spearman", lambda r: (1 + r * r / 2) / 57), *((f"kendall_{v}", lambda r: 0.437 / 56) for v in "abc")],
)
def test_fishers_interval_of_ranks_has_the_variance_of_its_coefficient(statistic, variance):
    """Bonett and Wright (2000), n = 60."""
    found = correlation_test(X, Y, statistic=statistic)
    r = float(found.value)
    half = stats.norm.ppf(0.975) * np.sqrt(variance(r))
    ends = np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)
    assert (float(found.low), float(found.high)) == pytest.approx(ends)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("lists", [(X, Y), (TIED_X, TIED_Y)], ids=["plain", "tied"])
def test_a_correlation_of_counted_items_is_that_of_the_sample(statistic, lists, monkeypatch):
    monkeypatch.setattr(correlation_resamples, "TABLE", 1000)  # signs in several pieces
    way, draws = weighted_correlation(statistic, *lists), draw(np.random.default_rng(2), 40)
    found = bootstrap_values([way], 60, draws)[0]
    samples = np.concatenate(list(bootstrap_indices(draws, 60)))
    expected = [float(correlation_test(*(v[s] for v in lists), statistic=statistic).value) for s in samples]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-180, 1e180])
def test_the_unit_of_the_values_does_not_matter(scale):
    for interval in ("fisher", "bootstrap"):
        options = {"statistic": "pearson", "interval": interval, "n_resamples": 100, "rng": 1}
        found, scaled = (correlation_test(x, Y, **options) for x in (X, X * scale))
        np.testing.assert_allclose((found.value, found.low, found.high), (scaled.value, scaled.low, scaled.high))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_leaving_out_an_item_is_leaving_it_out(statistic, monkeypatch):
    monkeypatch.setattr(correlation_resamples, "WEIGHTS", 700)
    found = leave_one_out([weighted_correlation(statistic, TIED_X, TIED_Y)], 60)[0]
    lists = [[np.delete(v, i) for v in (TIED_X, TIED_Y)] for i in range(60)]
    expected = [float(correlation_test(x, y, statistic=statistic).value) for x, y in lists]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(lists=two_lists(most=9, values=3))
@pytest.mark.parametrize("statistic", STATISTICS)
def test_samples_of_few_items_are_undefined_where_a_list_has_one_value(lists, statistic):
    x, y = lists
    counts = np.random.default_rng(1).multinomial(x.size, np.ones(x.size) / x.size, 5).astype(float)
    found = weighted_correlation(statistic, x, y)(counts)
    for value, times in zip(found, counts.astype(int), strict=True):
        sample = correlation_test(np.repeat(x, times), np.repeat(y, times), statistic=statistic)
        np.testing.assert_allclose(value, float(sample.value), atol=1e-7)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b"])
def test_bootstrap_intervals_agree_with_scipy_up_to_monte_carlo_error(statistic):
    x, y, size = X[:30], Y[:30], 2000
    expected = stats.bootstrap(
        (x, y), lambda a, b: theirs(statistic, a, b)[0], paired=True, vectorized=False, n_resamples=size, rng=1
    )
    found = correlation_test(x, y, statistic=statistic, interval="bootstrap", rng=1)
    # A quantile at .025 is uncertain by about 2.7 / sqrt(B) of the standard error of the samples; BCa moves it on.
    within = 4 * 1.5 * 2.7 / np.sqrt(size) * float(expected.standard_error)
    low, high = expected.confidence_interval
    assert float(found.low) == pytest.approx(low, abs=within)
    assert float(found.high) == pytest.approx(high, abs=within)


@given(
    lists=two_lists(least=6), statistic=st.sampled_from(STATISTICS), interval=st.sampled_from(["fisher", "bootstrap"])
)
def test_intervals_are_in_range_and_widen_with_the_level(lists, statistic, interval):
    ends = []
    for level in (0.5, 0.9, 0.99):
        options = {"statistic": statistic, "interval": interval, "confidence_level": level}
        found = correlation_test(*lists, **options, n_resamples=200, rng=1)
        if np.isnan(found.low):
            assert np.isnan(found.high)
            assert found.notes
            return
        assert -1 <= found.low <= found.high <= 1
        ends.append((float(found.low), float(found.high)))
    assert ends[0][0] >= ends[1][0] >= ends[2][0]
    assert ends[0][1] <= ends[1][1] <= ends[2][1]


def simulated(statistic, rho, n, runs):
    """Tables of normal values, and what their correlation is."""
    rng = np.random.default_rng(n)
    x, e = rng.standard_normal((2, runs, n))
    truth = {"pearson": rho, "spearman": 6 / np.pi * np.arcsin(rho / 2)}.get(statistic, 2 / np.pi * np.arcsin(rho))
    return x, rho * x + np.sqrt(1 - rho * rho) * e, truth


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 50])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b"])
def test_fishers_intervals_hold_the_truth_as_often_as_they_say(statistic, rho, n):
    runs = 4000
    x, y, truth = simulated(statistic, rho, n, runs)
    found = correlation_test(x, y, statistic=statistic)
    held = ((found.low <= truth) & (found.high >= truth))[~np.isnan(found.low)].mean()
    assert held == pytest.approx(0.95, abs=3.5 * np.sqrt(0.95 * 0.05 / runs) + 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b"])
def test_bootstrap_intervals_hold_the_truth_nearly_as_often_as_they_say(statistic):
    runs = 500
    x, y, truth = simulated(statistic, 0.5, 50, runs)
    found = correlation_test(x, y, statistic=statistic, interval="bootstrap", n_resamples=999, rng=1)
    held = ((found.low <= truth) & (found.high >= truth)).mean()
    assert held == pytest.approx(0.95, abs=3.5 * np.sqrt(0.95 * 0.05 / runs) + 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 40])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_lists_without_a_connection_are_found_to_have_one_no_more_often_than_the_level_says(statistic, n):
    runs = 4000
    x, y, _ = simulated(statistic, 0.0, n, runs)
    p = correlation_test(x, y, statistic=statistic).pvalue
    for level in (0.01, 0.05, 0.1):
        assert (p <= level).mean() <= level + 3.5 * np.sqrt(level * (1 - level) / runs) + 0.005


# Matrices


@given(lists=two_lists(), more=two_lists(least=40, most=40))
@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_matrix_holds_the_correlation_of_every_two_lists(lists, more, statistic):
    n = lists[0].size
    rows = np.array([*lists, *(v[:n] for v in more)])
    found = correlation_matrix(rows, statistic=statistic)
    i, j = np.triu_indices(4, 1)
    np.testing.assert_allclose(found[i, j], correlation_test(rows[i], rows[j], statistic=statistic).value, atol=1e-12)
    assert_same_numbers(found, found.T)


@pytest.mark.parametrize(("statistic", "method"), [("pearson",) * 2, ("spearman",) * 2, ("kendall_b", "kendall")])
def test_matrices_agree_with_pandas(statistic, method):
    rows = np.round(np.random.default_rng(1).standard_normal((5, 200)), 1)
    expected = pd.DataFrame(rows.T).corr(method=method)
    np.testing.assert_allclose(correlation_matrix(rows, statistic=statistic), expected, atol=1e-12)


@pytest.mark.parametrize("n", [2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1535, 1537])
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("most_bits", [None, 0])
def test_matrices_of_tau_agree_with_pandas_at_all_lengths(n, decimals, most_bits, monkeypatch):
    """Short lists are compared by tables of bits, others are sorted; ties are counted in another way."""
    if most_bits is not None:
        monkeypatch.setattr(rank_rows, "MOST_BITS", most_bits)
    rows = np.random.default_rng(n).standard_normal((4, n))
    rows = rows if decimals is None else np.round(rows, decimals)
    expected = pd.DataFrame(rows.T).corr(method="kendall", min_periods=2)
    np.testing.assert_allclose(correlation_matrix(rows, statistic="kendall_b"), expected, atol=1e-12)


# What is degenerate, and what is refused


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("options", [{}, {"pvalue": "permutation"}, {"interval": "bootstrap"}])
def test_a_list_of_one_value_has_no_correlation(statistic, options):
    flat = np.full(60, 0.3)
    found = correlation_test([X, X], [flat, Y], statistic=statistic, n_resamples=50, rng=1, **options)
    assert found.degenerate.tolist() == [True, False]
    assert np.isnan([found.pvalue[0], found.low[0], found.high[0]]).all()
    assert found.value[0] == 0 if statistic == "kendall_a" else np.isnan(found.value[0])
    assert np.isfinite([found.value[1], found.pvalue[1], found.low[1]]).all()
    assert mentions(found.notes[0], "1 of 2", "one value")


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("interval", ["fisher", "bootstrap"])
@pytest.mark.parametrize("sign", [1, -1])
def test_full_agreement_has_no_interval(statistic, interval, sign):
    found = correlation_test(X, sign * X, statistic=statistic, interval=interval, n_resamples=50)
    assert float(found.value) == sign
    assert float(found.pvalue) < 1e-15
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert "full agreement" in found.notes[-1]


@pytest.mark.parametrize(("statistic", "least"), [("pearson", 4), ("spearman", 4), ("kendall_b", 5)])
def test_too_few_items_for_fishers_z_have_no_interval(statistic, least):
    for n in range(3, least + 1):
        found = correlation_test([1, 3, 2, 4, 9][:n], [1, 2, 3, 9, 4][:n], statistic=statistic)
        assert np.isnan(found.low) == (n < least)
        assert any("takes at least" in note for note in found.notes) == (n < least)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_two_items_say_nothing(statistic):
    found = correlation_test([1, 2], [5, 3], statistic=statistic)
    assert (float(found.value), float(found.pvalue)) == (-1, 1)
    assert "2 items" in found.notes[0]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match=r"1 of 3 .*x .*NaN"):
        correlation_test([1, 2, np.nan], [1, 2, 3])
    with pytest.raises(ParameterError, match=r"x .*\(3,\) .*y \(2,\)"):
        correlation_test([1, 2, 3], [1, 2])
    with pytest.raises(ParameterError, match="at least 2"):
        correlation_test([1], [1])
    with pytest.raises(ParameterError, match=r"statistic is 'tau', .*'pearson'"):
        correlation_test([1, 2], [1, 2], statistic="tau")
    with pytest.raises(ParameterError, match="interval is 'wald'"):
        correlation_test([1, 2], [1, 2], interval="wald")
    with pytest.raises(ParameterError, match="pvalue is 'exact'"):
        correlation_test([1, 2], [1, 2], pvalue="exact")
    with pytest.raises(ParameterError, match="confidence_level is 95"):
        correlation_test([1, 2], [1, 2], confidence_level=95)
    with pytest.raises(ParameterError, match=r"expected \(lists, items\)"):
        correlation_matrix([1, 2, 3])


# Clusters

#: 60 items in 14 clusters of 1 to 8.
CODES = np.random.default_rng(5).permutation(np.repeat(np.arange(14), [8, 1, 2, 3, 4, 5, 6, 7, 1, 3, 5, 4, 6, 5]))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_bootstrap_samples_of_clusters_hold_all_their_items(statistic):
    way, draws = weighted_correlation(statistic, TIED_X, TIED_Y), draw(np.random.default_rng(2), 40)
    found = bootstrap_values([way], 60, draws, CODES)[0]
    samples = [
        np.concatenate([np.flatnonzero(cluster == CODES) for cluster in row])
        for row in np.concatenate(list(bootstrap_indices(draws, 14)))
    ]
    expected = [float(correlation_test(TIED_X[s], TIED_Y[s], statistic=statistic).value) for s in samples]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_leaving_out_a_cluster_is_leaving_out_its_items(statistic, monkeypatch):
    monkeypatch.setattr(correlation_resamples, "WEIGHTS", 300)
    found = leave_one_out([weighted_correlation(statistic, TIED_X, TIED_Y)], 60, CODES)[0]
    lists = [[v[cluster != CODES] for v in (TIED_X, TIED_Y)] for cluster in range(14)]
    expected = [float(correlation_test(x, y, statistic=statistic).value) for x, y in lists]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_with_clusters_there_is_an_interval_and_no_pvalue():
    asked = {"interval": "bootstrap", "n_resamples": 500, "rng": 1}
    found = correlation_test(X, Y, **asked, clusters=[f"c{code}" for code in CODES])
    plain = correlation_test(X, Y, **asked)
    assert np.isnan(found.pvalue)
    assert found.value == plain.value
    assert (found.low, found.high) != (plain.low, plain.high)
    assert any("fewer than 25 clusters" in note for note in found.notes)
    single = correlation_test(X, Y, **asked, clusters=np.arange(60))
    assert (single.low, single.high) == (pytest.approx(float(plain.low)), pytest.approx(float(plain.high)))


@pytest.mark.parametrize("options", [{}, {"interval": "bootstrap", "pvalue": "permutation"}])
def test_what_takes_all_items_as_independent_refuses_clusters(options):
    with pytest.raises(ParameterError, match="clusters"):
        correlation_test(X, Y, **options, clusters=CODES)


@pytest.mark.slow
def test_intervals_over_clusters_hold_the_truth_where_those_over_items_do_not():
    """30 clusters of 5; both lists are the same within a cluster but for noise, so that items repeat each other."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(30), 5)
    held = {"clusters": 0, "items": 0}
    runs = 400
    for _ in range(runs):
        between = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=30)[codes]
        noise = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=150)
        x, y = (0.8**0.5 * between + 0.2**0.5 * noise).T
        for name, clusters in (("clusters", codes), ("items", None)):
            options = {"interval": "bootstrap", "n_resamples": 400, "rng": 1, "clusters": clusters}
            found = correlation_test(x, y, statistic="pearson", **options)
            held[name] += bool(found.low <= 0.5 <= found.high)
    show("coverage", f"{held} of {runs}")
    error = np.sqrt(0.95 * 0.05 / runs)
    assert held["clusters"] / runs == pytest.approx(0.93, abs=3.5 * error + 0.01)  # few clusters: a little too narrow
    assert held["items"] / runs < 0.75
