"""Pairs of translations by kind, with ties up to epsilon and human differences of at least so much: naive loops."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.agreement.statistics import KINDS, count_by_judgment, count_unscored_pairs, kinds_of
from rankscope.agreement.statistics import kendall as pair_counts
from rankscope.agreement.statistics.kendall import ABSENT, count_by_item

VALUES = st.sampled_from([0.0, 0.5, 1.0, 1.25, 2.0, 30.0, float("nan")])


@st.composite
def tables(draw):
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return tuple(draw(arrays(np.float64, shape, elements=VALUES)) for _ in range(2))


def kind_of(a, b, epsilon, least):
    """Of two items, each (people, metric); None where the pair does not count."""
    if any(map(math.isnan, (*a, *b))) or abs(a[0] - b[0]) < least:
        return None
    people, metric = a[0] - b[0], a[1] - b[1]
    if abs(metric) <= epsilon:
        metric = 0
    if people == 0:
        return "tied_both" if metric == 0 else "tied_human"
    if metric == 0:
        return "tied_metric"
    return "concordant" if people * metric > 0 else "discordant"


def naive(gold, metric, epsilon, least):
    """(judgments, items, kinds) of the pairs that each item is in."""
    found = np.zeros((*gold.shape, len(KINDS)), int)
    for i, row in enumerate(zip(gold.tolist(), metric.tolist(), strict=True)):
        items = list(zip(*row, strict=True))
        for a, b in combinations(range(len(items)), 2):
            kind = kind_of(items[a], items[b], epsilon, least)
            if kind is not None:
                found[i, [a, b], KINDS.index(kind)] += 1
    return found


def stacked(counts):
    return np.stack((counts.concordant, counts.discordant, counts.tied_x, counts.tied_y, counts.tied_both), axis=-1)


@examples(50)
@given(both=tables(), epsilon=st.sampled_from([0.0, 0.25, 1.0]), least=st.sampled_from([0.0, 0.5, 25.0]))
def test_counts_are_those_of_a_naive_loop(both, epsilon, least):
    by_item = naive(*both, epsilon, least)
    found = stacked(count_by_item(*both, epsilon=epsilon, least=least))
    assert (found == by_item).all()
    by_judgment = stacked(count_by_judgment(*both, epsilon=epsilon, least=least))
    assert (2 * by_judgment == by_item.sum(axis=1)).all()


@examples(40)
@given(both=tables())
def test_what_is_left_out_is_every_judged_pair_that_is_not_counted(both):
    gold, metric = both
    judged = sum(math.comb(int((~np.isnan(row)).sum()), 2) for row in gold)
    assert count_unscored_pairs(gold, metric) == judged - int(count_by_judgment(gold, metric).total.sum())


def test_the_size_of_a_chunk_changes_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    gold, metric = rng.integers(0, 4, (2, 50, 5)).astype(float)
    whole = stacked(count_by_item(gold, metric, epsilon=1))
    monkeypatch.setattr(pair_counts, "PAIRS", 30)
    assert (stacked(count_by_item(gold, metric, epsilon=1)) == whole).all()
    assert (2 * stacked(count_by_judgment(gold, metric, epsilon=1)) == whole.sum(axis=1)).all()


def test_a_difference_of_just_epsilon_is_a_tie_and_of_just_the_least_counts():
    gold, metric = np.array([[0.0, 25.0, 49.0]]), np.array([[0.0, 1.0, 3.0]])
    assert stacked(count_by_judgment(gold, metric, epsilon=1, least=25)).tolist() == [[1, 0, 0, 1, 0]]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 1)])
def test_no_pairs_are_counted_where_there_are_none(shape):
    none = np.zeros(shape)
    for count in (count_by_judgment, count_by_item):
        assert stacked(count(none, none, epsilon=1)).sum() == 0


def test_rounding_does_not_cross_a_threshold():
    # .8 - .7 is a little more than .1 in floating point, and 70.1 - 45.1 a little less than 25.
    assert (0.8 - 0.7 > 0.1, 70.1 - 45.1 < 25) == (True, True)
    gold, metric = np.array([[45.1, 70.1]]), np.array([[0.7, 0.8]])
    assert kinds_of(gold, metric, epsilon=0.1).tolist() == [[KINDS.index("tied_metric")]]
    assert kinds_of(gold, metric, epsilon=0.0999).tolist() == [[KINDS.index("concordant")]]
    assert kinds_of(gold, metric, least=25).tolist() == [[KINDS.index("concordant")]]
    assert kinds_of(gold, metric, least=25.001).tolist() == [[ABSENT]]
