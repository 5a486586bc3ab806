"""Corrections: published example, definitions as loops, statsmodels and SciPy where they have them, properties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import CORRECTIONS, adjust_pvalues

#: Benjamini and Hochberg (1995), section 3: fifteen hypotheses on treatments of myocardial infarction.
INFARCTION = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
INFARCTION += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
PVALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=12)


@pytest.mark.parametrize(("method", "found"), [("bonferroni", 3), ("hochberg", 3), ("holm", 3), ("bh", 4), ("none", 9)])
def test_benjamini_and_hochbergs_example_finds_three_or_four(method, found):
    assert (adjust_pvalues(INFARCTION, method=method).pvalue <= 0.05).sum() == found


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bonferroni", [0.03, 0.12, 0.09]),
        ("holm", [3 * 0.01, 2 * 0.03, 2 * 0.03]),
        ("hochberg", [3 * 0.01, 1 * 0.04, 1 * 0.04]),
        ("bh", [3 / 1 * 0.01, 3 / 3 * 0.04, 3 / 3 * 0.04]),
        ("none", [0.01, 0.04, 0.03]),
    ],
)
def test_three_pvalues_by_hand(method, expected):
    np.testing.assert_allclose(adjust_pvalues([0.01, 0.04, 0.03], method=method).pvalue, expected)


def rejected(p, level, method):
    """Each procedure as its paper states it, for one level."""
    m, order = len(p), np.argsort(p, kind="stable")
    found = np.zeros(m, bool)
    if method == "holm":
        for k, i in enumerate(order):
            if p[i] * (m - k) > level:
                break
            found[i] = True
    else:
        for k in range(m, 0, -1):
            factor = m / k if method == "bh" else m - k + 1
            if p[order[k - 1]] * factor <= level:
                found[order[:k]] = True
                break
    return found


@pytest.mark.parametrize("method", ["holm", "hochberg", "bh"])
@given(p=PVALUES, level=st.sampled_from([0.013, 0.05, 0.2]))
def test_adjusted_pvalues_find_what_the_procedures_find(method, p, level):
    p = np.array(p)
    assert np.array_equal(adjust_pvalues(p, method=method).pvalue <= level, rejected(p, level, method))


@given(p=PVALUES)
def test_the_false_discovery_rate_agrees_with_scipy(p):
    if p:
        np.testing.assert_allclose(adjust_pvalues(p, method="bh").pvalue, stats.false_discovery_control(p), rtol=1e-12)


def test_all_agree_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    names = {"bonferroni": "bonferroni", "holm": "holm", "hochberg": "simes-hochberg", "bh": "fdr_bh"}
    names |= {"hommel": "hommel", "by": "fdr_by"}
    for ours, theirs in names.items():
        expected = multitest.multipletests(INFARCTION, method=theirs)[1]
        np.testing.assert_allclose(adjust_pvalues(INFARCTION, method=ours).pvalue, expected)


@given(p=PVALUES, seed=st.integers(0, 99))
def test_corrections_only_raise_keep_the_order_and_are_themselves_in_order(p, seed):
    p = np.array(p)
    none, bh, by, hommel, hochberg, holm, bonferroni = (
        adjust_pvalues(p, method=m).pvalue for m in ("none", "bh", "by", "hommel", "hochberg", "holm", "bonferroni")
    )
    order = ((none, bh), (bh, by), (bh, hommel), (hommel, hochberg), (hochberg, holm), (holm, bonferroni))
    for less, more in order:
        assert (less <= more * (1 + 1e-12)).all()
    for adjusted in (bh, by, hommel, hochberg, holm, bonferroni):
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
        assert (adjusted <= 1).all()
    shuffle = np.random.default_rng(seed).permutation(p.size)
    assert_same_numbers(adjust_pvalues(p[shuffle]).pvalue, holm[shuffle])


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=9), level=st.sampled_from([0.013, 0.05, 0.2]))
def test_hommel_finds_what_the_closed_test_of_simes_finds(p, level):
    """A hypothesis is refuted where Simes' test refutes every set that has it."""
    adjusted = adjust_pvalues(p, method="hommel").pvalue
    for i in range(len(p)):
        others = [q for j, q in enumerate(p) if j != i]
        sets = (sorted([p[i], *chosen]) for k in range(len(p)) for chosen in itertools.combinations(others, k))
        expected = max(min(len(s) * q / rank for rank, q in enumerate(s, 1)) for s in sets)
        assert adjusted[i] == pytest.approx(min(expected, 1.0))


def test_hommel_of_very_many_tests_is_refused():
    with pytest.raises(ParameterError, match="hochberg"):
        adjust_pvalues(np.full(20_001, 0.5), method="hommel")


def test_a_table_of_pairs_and_measures_is_one_family():
    """A peer corrects each measure for itself and so finds more than its level says."""
    table = np.array([[0.01, 0.2, 0.3], [0.02, 0.4, 0.5]])
    found = adjust_pvalues(table, method="bonferroni")
    assert found.family == 6
    assert found.pvalue.shape == (2, 3)
    assert found.pvalue[0, 0] == pytest.approx(6 * 0.01)
    assert_same_numbers(adjust_pvalues(table).pvalue.ravel(), adjust_pvalues(table.ravel()).pvalue)


@pytest.mark.parametrize("method", CORRECTIONS)
def test_a_test_that_says_nothing_counts_as_1_and_stays_nan(method):
    found = adjust_pvalues([0.01, np.nan, 0.03], method=method)
    expected = adjust_pvalues([0.01, 1.0, 0.03], method=method).pvalue
    assert np.isnan(found.pvalue[1])
    assert_same_numbers(found.pvalue[[0, 2]].tolist(), expected[[0, 2]].tolist())
    assert found.family == 3
    assert found.controls


def test_no_pvalue_and_one():
    assert adjust_pvalues([]).pvalue.shape == (0,)
    assert float(adjust_pvalues(0.04).pvalue) == 0.04


def test_what_are_no_pvalues_and_unknown_corrections_are_refused():
    with pytest.raises(ParameterError, match=r"p-value is 1\.5, .*\[0, 1\]"):
        adjust_pvalues([0.1, 1.5])
    with pytest.raises(ParameterError, match="a p-value is -0"):
        adjust_pvalues([-0.1])
    with pytest.raises(ParameterError, match=r"method is 'fdr', .*'holm'"):
        adjust_pvalues([0.1], method="fdr")
