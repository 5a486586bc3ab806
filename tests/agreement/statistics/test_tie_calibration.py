"""The epsilon that suits a metric best, against trying every difference in a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.agreement import KendallConvention
from rankscope.agreement.statistics import CONVENTIONS, calibrate, count_by_judgment
from rankscope.errors import ParameterError
from rankscope.kernels.pairs import PairCounts

ACC_EQ = CONVENTIONS["acc_eq"]
GOLD = st.sampled_from([1.0, 2.0, 3.0, 40.0, float("nan")])
METRIC = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, float("nan")])


def value(gold, metric, epsilon, convention, segment):
    """The statistic; segment: None to pool all pairs, else the mean over segments."""
    counts = count_by_judgment(gold, metric, epsilon=epsilon, least=convention.min_difference)
    kinds = np.stack((counts.concordant, counts.discordant, counts.tied_x, counts.tied_y, counts.tied_both))
    groups = np.zeros(len(gold), int) if segment is None else segment
    sums = [kinds[:, groups == g].sum(axis=1) for g in np.unique(groups)]
    found = [convention.value_of(PairCounts(*row)).item() for row in sums]
    there = [x for x in found if not np.isnan(x)]
    return float(np.mean(there)) if there else float("nan")


def naive(gold, metric, convention, segment=None):
    """The least epsilon of the highest value, trying 0 and every difference."""
    apart = np.abs(metric[:, :, None] - metric[:, None, :])
    best = (0.0, value(gold, metric, 0.0, convention, segment))
    for epsilon in np.unique(apart[~np.isnan(apart)]).tolist():
        found = value(gold, metric, epsilon, convention, segment)
        if found > best[1] + 1e-12:
            best = (epsilon, found)
    return best


@st.composite
def tables(draw):
    shape = draw(st.integers(1, 6)), draw(st.integers(2, 5))
    return draw(arrays(np.float64, shape, elements=GOLD)), draw(arrays(np.float64, shape, elements=METRIC))


@given(
    both=tables(),
    name=st.sampled_from(["acc_eq", "tau23", "wmt12", "wmt14", "darr"]),
    grouping=st.sampled_from(["none", "segment"]),
    folded=st.booleans(),
)
def test_it_finds_what_trying_every_difference_finds(both, name, grouping, folded):
    gold, metric = both
    segment = np.arange(len(gold)) // 2 if folded else np.arange(len(gold))
    expected = naive(gold, metric, CONVENTIONS[name], segment if grouping == "segment" else None)
    found = calibrate(gold, metric, convention=CONVENTIONS[name], grouping=grouping, segment=segment)
    assert found.value == pytest.approx(expected[1], nan_ok=True)
    if not np.isnan(found.value):
        # Where several are the best but for rounding, the least is taken; compare what they give.
        at = value(gold, metric, found.epsilon, CONVENTIONS[name], segment if grouping == "segment" else None)
        assert at == pytest.approx(found.value)
        assert found.epsilon <= expected[0] + 1e-12


def test_by_hand():
    # People: A best, B and C as good. The metric: .1, .7, .8, lower is better; B and C tie from .1 on, A and B from .6.
    gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.125, 0.75, 0.875]])
    assert calibrate(gold, metric, convention=ACC_EQ) == (0.125, 1.0)


def test_a_metric_that_needs_no_ties_keeps_0():
    gold = np.array([[1.0, 2.0, 3.0]])
    assert calibrate(gold, gold, convention=ACC_EQ) == (0.0, 1.0)


def test_all_ties_of_people_are_reached_by_the_greatest_difference():
    gold, metric = np.ones((1, 3)), np.array([[0.0, 1.0, 3.0]])
    assert calibrate(gold, metric, convention=ACC_EQ) == (3.0, 1.0)


def test_the_convention_of_wmt13_has_no_best_epsilon():
    with pytest.raises(ParameterError, match="leaves pairs out"):
        calibrate(np.ones((1, 2)), np.ones((1, 2)), convention=CONVENTIONS["wmt13"])
    with pytest.raises(ParameterError, match="grouping is 'system'"):
        calibrate(np.ones((1, 2)), np.ones((1, 2)), convention=ACC_EQ, grouping="system")


def test_a_table_of_ones_own_is_calibrated_too():
    own = KendallConvention(concordant=2.0, discordant=-1.0, tied_metric=0.5)
    gold, metric = np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 1.0, 9.0]])
    assert calibrate(gold, metric, convention=own) == (1.0, pytest.approx((0.5 + 2 + 2) / 3))


def test_differences_that_are_equal_but_for_rounding_are_one():
    # People tie .7 and .8, and order .3 and .2: no epsilon can tie the one and not the other.
    assert 0.8 - 0.7 != 0.3 - 0.2
    gold, metric = np.array([[1.0, 1.0], [1.0, 2.0]]), np.array([[0.7, 0.8], [0.2, 0.3]])
    found = calibrate(gold, metric, convention=CONVENTIONS["acc_eq"])
    assert found == (0.0, 0.5)
