"""Student's t, signs and signed ranks: against SciPy, published examples, loops, and on degenerate data."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import paired_tests as paired
from rankscope.stats import sign_test, t_test, wilcoxon_test
from rankscope.stats.inputs import ALTERNATIVES

#: Student (1908): additional hours of sleep by one drug over the other.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
#: Hollander and Wolfe (1973), p. 29: depression before and after; the example of R's wilcox.test.
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])

LISTS = st.lists(st.integers(-8, 8).map(lambda i: i / 10), min_size=1, max_size=12)
DATA = np.random.default_rng(5).standard_normal((6, 30)) * 0.2 + 0.05
COARSE = np.round(DATA, 1)  # ties and zeros


def test_t_of_students_sleep_data():
    found = t_test(SLEEP)
    assert float(found.statistic) == pytest.approx(4.0621, abs=5e-5)
    assert float(found.pvalue) == pytest.approx(0.002833, abs=5e-7)
    assert found.n == 10


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 3, 30])
def test_t_agrees_with_scipy(alternative, n):
    found = t_test(DATA[:, :n], alternative=alternative)
    for i, row in enumerate(DATA[:, :n]):
        expected = stats.ttest_rel(row, np.zeros(n), alternative=alternative)
        assert found.statistic[i] == pytest.approx(expected.statistic, rel=1e-12)
        assert found.pvalue[i] == pytest.approx(expected.pvalue, rel=1e-10)
    assert not found.degenerate.any()
    assert found.notes == ()


def test_signed_ranks_of_hollander_and_wolfe():
    found = wilcoxon_test(BEFORE - AFTER, alternative="greater")
    assert float(found.statistic) == 40
    assert float(found.pvalue) == pytest.approx(0.01953, abs=5e-6)
    assert found.exact


def test_signed_ranks_of_students_sleep_data_as_r_has_them():
    found = wilcoxon_test(SLEEP, method="approx", correction=True)
    assert float(found.pvalue) == pytest.approx(0.009091, abs=5e-7)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 2, 5, 20, 30])
def test_exact_signed_ranks_agree_with_scipy(alternative, n):
    found = wilcoxon_test(DATA[:, :n], alternative=alternative, method="exact")
    expected = [stats.wilcoxon(row, alternative=alternative, method="exact").pvalue for row in DATA[:, :n]]
    np.testing.assert_allclose(found.pvalue, expected, rtol=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("data", [DATA, COARSE], ids=["plain", "ties and zeros"])
def test_approximate_signed_ranks_agree_with_scipy(alternative, zero_method, correction, data):
    found = wilcoxon_test(
        data, alternative=alternative, zero_method=zero_method, correction=correction, method="approx"
    )
    expected = [
        stats.wilcoxon(
            row, alternative=alternative, zero_method=zero_method, correction=correction, method="asymptotic"
        ).pvalue
        for row in np.round(data, 12)
    ]
    np.testing.assert_allclose(found.pvalue, expected, rtol=1e-9)


@given(row=LISTS, zero_method=st.sampled_from(["wilcox", "pratt"]), alternative=st.sampled_from(ALTERNATIVES))
def test_exact_signed_ranks_with_ties_count_all_vectors_of_signs(row, zero_method, alternative):
    row = row[:8]
    sizes = np.abs([round(10 * d) for d in row])
    kept = sizes if zero_method == "pratt" else sizes[sizes > 0]
    ranks = stats.rankdata(kept)[kept > 0] if kept.size else np.array([])
    positive = np.array([d > 0 for d in row if d])
    observed = ranks[positive].sum() if ranks.size else 0.0
    sums = np.array(
        [sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in product((0, 1), repeat=len(ranks))]
    )
    greater, less = (sums >= observed).mean(), (sums <= observed).mean()
    expected = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]
    found = wilcoxon_test(row, zero_method=zero_method, alternative=alternative)
    assert found.exact
    assert float(found.statistic) == observed
    assert float(found.pvalue) == pytest.approx(expected, abs=1e-12)


def test_differences_that_only_noise_tells_apart_are_tied():
    row = [0.3 - 0.1, 0.2, -(0.5 - 0.3), 0.1 + 0.2 - 0.3, 0.7]  # 0.2 three times and a 0, but for rounding
    clean = [0.2, 0.2, -0.2, 0.0, 0.7]
    assert len({abs(d) for d in row[:3]}) > 1
    assert float(wilcoxon_test(row).pvalue) == float(wilcoxon_test(clean).pvalue)
    assert float(wilcoxon_test(row).statistic) == float(wilcoxon_test(clean).statistic)
    assert float(sign_test(row).pvalue) == float(sign_test(clean).pvalue)


def test_signed_ranks_are_exact_up_to_fifty_and_approximate_above():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((2, 60))
    rows[0, :15] = 0  # 45 differences: what it has alone, it has among others
    both, alone = wilcoxon_test(rows), wilcoxon_test(rows[0])
    assert (both.exact, alone.exact) == (False, True)
    assert_same_bits(both.pvalue[0], float(alone.pvalue))
    assert wilcoxon_test(rng.standard_normal(50)).exact
    assert not wilcoxon_test(rng.standard_normal(51)).exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("won", "lost", "tied"), [(7, 2, 3), (2, 7, 0), (5, 5, 1), (0, 6, 0), (1, 0, 0), (300, 240, 9)]
)
def test_signs_agree_with_the_binomial_test(alternative, won, lost, tied):
    row = np.concatenate([np.full(won, 0.1), np.full(lost, -0.3), np.zeros(tied)])
    found = sign_test(row, alternative=alternative)
    assert float(found.statistic) == won
    assert float(found.pvalue) == pytest.approx(stats.binomtest(won, won + lost, alternative=alternative).pvalue)


def test_a_zone_makes_small_differences_ties():
    row = [0.3, 0.01, -0.01, 0.2, 0.1 + 0.2 - 0.3 + 0.05]
    assert float(sign_test(row, zone=0.05).statistic) == 2
    assert float(sign_test(row, zone=0.05).pvalue) == 2 / 2**2


# Degenerate data

TESTS = {"t": t_test, "sign": sign_test, "wilcoxon": wilcoxon_test}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 2, 300])
def test_equal_systems_have_p_of_1(test, alternative, n):
    assert float(test(np.zeros(n), alternative=alternative).pvalue) == 1.0


@pytest.mark.parametrize("constant", [0.1, -2.0, 1e-9])
def test_constant_differences_leave_t_undefined_and_flagged(constant):
    found = t_test(np.full(9, constant))
    assert np.isnan(found.pvalue)
    assert bool(found.degenerate)
    assert mentions(found.notes[0], "same on every query")


def test_differences_constant_but_for_rounding_are_constant():
    row = np.array([0.3, 0.6, 0.9, 1.1]) - np.array([0.2, 0.5, 0.8, 1.0])
    assert np.ptp(row) > 0
    assert bool(t_test(row).degenerate)


def test_constant_differences_have_signs_as_usual():
    assert float(sign_test(np.full(5, 0.1)).pvalue) == 2 / 2**5
    assert float(wilcoxon_test(np.full(5, 0.1)).pvalue) == 2 / 2**5


def test_one_query_leaves_t_undefined_and_flagged():
    found = t_test([0.4])
    assert np.isnan(found.pvalue)
    assert bool(found.degenerate)
    assert "one query" in found.notes[0]
    assert float(sign_test([0.4]).pvalue) == 1.0
    assert float(wilcoxon_test([0.4]).pvalue) == 1.0


def test_notes_count_the_pairs_they_speak_of():
    rows = np.vstack([DATA[0], np.zeros(30), np.full(30, 0.1), np.full(30, 0.2)])
    found = t_test(rows)
    assert found.degenerate.tolist() == [False, True, True, True]
    assert found.pvalue[1] == 1.0
    assert mentions(found.notes[0], "1 of 4", "told apart")
    assert mentions(found.notes[1], "2 of 4", "same amount")


def test_signs_and_ranks_of_many_queries_come_with_a_warning():
    many = np.random.default_rng(1).standard_normal(500)
    assert "Urbano" in sign_test(many).notes[0]
    assert "Urbano" in wilcoxon_test(many).notes[0]
    assert sign_test(many[:50]).notes == ()
    assert t_test(many).notes == ()


# Properties


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS)
def test_exchanging_the_systems_exchanges_the_sides(test, row):
    row = np.array(row)
    for one, other in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        np.testing.assert_allclose(test(row, alternative=one).pvalue, test(-row, alternative=other).pvalue, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS, factor=st.sampled_from([1e-6, 0.5, 3.0, 1e6]))
def test_the_unit_of_the_scores_does_not_matter(test, row, factor):
    row = np.array(row)
    np.testing.assert_allclose(test(factor * row).pvalue, test(row).pvalue, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS, seed=st.integers(0, 99))
def test_the_order_of_queries_does_not_matter(test, row, seed):
    shuffled = np.random.default_rng(seed).permutation(row)
    np.testing.assert_allclose(test(shuffled).pvalue, test(row).pvalue, rtol=1e-9)


def test_pairs_worked_on_in_parts_are_tested_as_all_at_once(monkeypatch):
    whole = wilcoxon_test(COARSE).pvalue
    monkeypatch.setattr(paired, "TABLE", 1200)
    assert_same_bits(wilcoxon_test(COARSE).pvalue, whole)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("data", [DATA, COARSE], ids=["plain", "ties and zeros"])
def test_many_pairs_are_tested_as_each_alone(test, data):
    together = test(data)
    assert together.pvalue.shape == (6,)
    for i, row in enumerate(data):
        alone = test(row)
        assert alone.pvalue.shape == ()
        assert float(alone.pvalue) == pytest.approx(together.pvalue[i], rel=1e-12)
        assert float(alone.statistic) == pytest.approx(together.statistic[i], rel=1e-12)


# What is refused


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1, np.nan, 0.2], r"1 of 3 differences .*NaN .*\(1,\)"),
        ([[0.1, 0.2], [0.1, np.inf]], r"1 of 4 differences .*\(1, 1\)"),
        ([], r"shape \(0,\), .*1 query"),
        (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\), .*\(queries\) .*\(pairs, queries\)"),
        (0.5, r"shape \(\), expected"),
        (["a", "b"], "not a table of numbers"),
    ],
)
def test_what_are_no_differences_is_refused(test, values, message):
    with pytest.raises(ParameterError, match=message):
        test(values)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_an_unknown_alternative_is_refused(test):
    with pytest.raises(ParameterError, match=r"alternative is 'larger', .*'two-sided'"):
        test([0.1, 0.2], alternative="larger")


def test_unknown_methods_and_negative_zones_are_refused():
    with pytest.raises(ParameterError, match="zero_method is 'zsplit'"):
        wilcoxon_test([0.1], zero_method="zsplit")
    with pytest.raises(ParameterError, match="method is 'fast'"):
        wilcoxon_test([0.1], method="fast")
    for zone in (-0.1, np.nan, "0.1"):
        with pytest.raises(ParameterError, match="zone is"):
            sign_test([0.1], zone=zone)


def test_the_given_array_is_left_as_it_was_and_results_are_frozen():
    before = COARSE.copy()
    found = [test(COARSE) for test in TESTS.values()]
    assert np.array_equal(COARSE, before)
    with pytest.raises(AttributeError):
        found[0].pvalue = 0.0
