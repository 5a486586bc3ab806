"""Kendall's W with its p-values, and mean taus: worked examples, SciPy, loops over all ways and all pairs."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, friedmanchisquare, kendalltau, rankdata

from rankscope.errors import ParameterError
from rankscope.stats import concordance_test, mean_taus

RANKS = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 3).map(float))
)


def test_w_without_ties_is_the_formula_of_the_books() -> None:
    # Siegel and Castellan (1988), three executives rank six applicants; W = .16 from rank sums 8 14 11 11 11 8
    ranks = [[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]]
    sums = [8, 14, 11, 11, 11, 8]
    s = sum((x - 10.5) ** 2 for x in sums)
    found = concordance_test(ranks, rng=1)
    assert found.w == pytest.approx(12 * s / (3**2 * (6**3 - 6)))
    assert round(found.w, 2) == 0.16
    assert found.statistic == pytest.approx(3 * 5 * found.w)


def test_w_with_ties_is_the_corrected_formula() -> None:
    # Kendall (1990), chapter 6: 12 S / (m^2 (n^3 - n) - m T), T the sum of t^3 - t
    ranks = np.array([[1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10], [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5]])
    ranks = np.vstack([ranks, [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10]])
    sums = ranks.sum(axis=0)
    t = 2 * (2**3 - 2) + 3 * (2**3 - 2) + (4**3 - 4) + (3**3 - 3)
    expected = 12 * ((sums - sums.mean()) ** 2).sum() / (9 * (10**3 - 10) - 3 * t)
    found = concordance_test(ranks, rng=1)
    assert found.w == pytest.approx(expected)
    assert round(found.w, 3) == 0.828  # as the book prints it


@examples(30)
@given(arrays(np.float64, (5, 6), elements=st.integers(0, 4).map(float)))
def test_chi_square_is_friedmans(ranks: np.ndarray) -> None:
    if all(np.ptp(row) == 0 for row in ranks):
        return
    found = concordance_test(ranks, n_resamples=1, rng=1)
    assert found.statistic == pytest.approx(friedmanchisquare(*ranks.T).statistic, abs=1e-9)


@examples(40)
@given(RANKS)
def test_the_exact_p_is_the_share_of_all_ways_to_deal_ranks_out(ranks: np.ndarray) -> None:
    found = concordance_test(ranks)
    assert found.method == "exact"
    if np.isnan(found.w):
        assert (ranks == ranks[:, :1]).all()
        assert found.pvalue == 1
        return
    rows = [rankdata(row) - (len(row) + 1) / 2 for row in ranks]
    least = (np.sum(rows, axis=0) ** 2).sum() - 1e-9
    ways = [list(permutations(row)) for row in rows[1:]]
    if len(ways[0]) ** len(ways) > 600:
        return
    dealt = [(np.sum([rows[0], *way], axis=0) ** 2).sum() >= least for way in product(*ways)]
    assert found.pvalue == pytest.approx(np.mean(dealt))


def test_the_published_exact_p_of_three_lists_of_three_items() -> None:
    # Friedman (1937), table V: n = 3, p = 3: chi2 = 6 has p = .028, 4.667 has .194, 2.667 has .361
    tables = {6.0: [[1, 2, 3]] * 3, 14 / 3: [[1, 2, 3], [1, 2, 3], [1, 3, 2]], 8 / 3: [[1, 2, 3], [1, 3, 2], [2, 1, 3]]}
    found = {key: concordance_test(table) for key, table in tables.items()}
    assert [round(one.statistic, 3) for one in found.values()] == [6.0, 4.667, 2.667]
    assert [round(one.pvalue, 3) for one in found.values()] == [0.028, 0.194, 0.361]


def test_permutations_and_chi_square_are_near_each_other_where_both_are_good() -> None:
    rng = np.random.default_rng(3)
    ranks = rng.normal(size=(40, 20)) + np.linspace(0, 0.5, 20)
    found = concordance_test(ranks, n_resamples=4000, rng=1)
    assert found.method == "permutation"
    assert found.n_resamples == 4000
    assert found.pvalue == pytest.approx(chi2.sf(found.statistic, 19), abs=0.02)
    assert_same_bits(concordance_test(ranks, n_resamples=4000, rng=1), found)
    large = concordance_test(rng.normal(size=(40, 30)))
    assert large.method == "chi2"
    assert large.pvalue == pytest.approx(chi2.sf(large.statistic, 29))


def test_lists_that_are_all_alike_have_w_1_and_opposite_ones_0() -> None:
    assert concordance_test([[1, 2, 3, 4]] * 5).w == pytest.approx(1)
    assert concordance_test([[1, 2, 3, 4], [4, 3, 2, 1]]).w == 0
    assert concordance_test([[1, 2, 3, 4], [4, 3, 2, 1]]).pvalue == 1


@examples(30)
@given(arrays(np.float64, (4, 5), elements=st.integers(0, 3).map(float)))
def test_mean_taus_are_those_over_all_pairs_of_lists(ranks: np.ndarray) -> None:
    reference = np.array([1.0, 2, 2, 3, 4])
    found = mean_taus(ranks, reference)
    told = [i for i, row in enumerate(ranks) if np.ptp(row)]
    for i, row in enumerate(ranks):
        others = [j for j in told if j != i]
        if i not in told or not others:
            assert np.isnan(found.with_others[i])
            continue
        expected = np.mean([kendalltau(row, ranks[j]).statistic for j in others])
        assert found.with_others[i] == pytest.approx(expected, abs=1e-12)
        assert found.with_reference[i] == pytest.approx(kendalltau(row, reference).statistic, abs=1e-12)
    if len(told) > 1:
        pairs = [kendalltau(ranks[i], ranks[j]).statistic for i in told for j in told if i < j]
        assert found.mean == pytest.approx(np.mean(pairs), abs=1e-12)


def test_without_a_reference_there_is_no_tau_with_one() -> None:
    assert np.isnan(mean_taus([[1, 2], [2, 1]]).with_reference).all()
    assert np.isnan(mean_taus([[1, 2], [2, 1]], [1, 1]).with_reference).all()
    assert np.isnan(mean_taus([[1, 1], [2, 1]]).mean)


@pytest.mark.parametrize("bad", [[[1, 2]], [[1], [2]], [[1, np.nan], [1, 2]], [1, 2]])
def test_what_is_no_table_of_ranks_is_refused(bad: list[object]) -> None:
    for function in (concordance_test, mean_taus):
        with pytest.raises(ParameterError, match=r"ranks have shape|ranks are NaN"):
            function(bad)


def test_a_reference_that_does_not_fit_is_refused() -> None:
    for reference in ([1, 2, 3], [1, np.nan]):
        with pytest.raises(ParameterError, match="2 finite numbers"):
            mean_taus([[1, 2], [2, 1]], reference)


def test_w_grows_as_lists_come_nearer() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(10, 12))
    found = [concordance_test(np.arange(12) * step + noise, n_resamples=1, rng=1).w for step in (0, 0.1, 0.3, 1, 10)]
    assert all(a < b for a, b in pairwise(found))
