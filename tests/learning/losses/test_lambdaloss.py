"""LambdaRank and LambdaLoss: their weights, and what has none."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import naive_losses as naive
from helpers.losses import graded_lists
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given

from rankscope import parse_measure
from rankscope.errors import ParameterError, UnknownName
from rankscope.learning.losses import lambdaloss, lambdarank
from rankscope.measures.binary import AP

TWO = (np.array([0.25, 0.5, -1.0, 0.0]), np.array([2, 0, 1, 0]), np.array([0, 4]))
#: Those that a ranker may be trained for, one of each family and with parameters that matter.
MEASURES = ("nDCG", "nDCG(gain='exp')@3", "DCG", "P@2", "P(rel=2)@3", "AP", "AP(rel=2)", "RR", "ERR", "RBP(p=0.6)")


@pytest.mark.parametrize("measure", MEASURES)
@examples(15)
@given(lists=graded_lists())
def test_lambdarank_weighs_pairs_by_measuring_before_and_after(measure, lists):
    scores, grades, offsets = lists
    value, gradient = lambdarank(scores, grades, offsets, measure=measure, max_grade=3)
    total, pushes, n = 0.0, np.zeros(scores.size), offsets.size - 1
    for a, b in pairwise(offsets):
        s, g = scores[a:b].tolist(), grades[a:b].tolist()
        for i in range(len(g)):
            for j in range(len(g)):
                if g[i] > g[j]:
                    weight = abs(naive.measured_twice(measure, s, g, i, j, 3))
                    total += weight * np.log2(1 + np.exp(s[j] - s[i]))
                    slope = weight / np.log(2) / (1 + np.exp(s[i] - s[j]))
                    pushes[a + i] -= slope
                    pushes[a + j] += slope
    assert value == pytest.approx(total / n, abs=1e-12)
    assert gradient == pytest.approx(pushes / n, abs=1e-12)  # also where scores are equal: weights are given


@pytest.mark.parametrize("measure", ["Bpref", "Rprec", "infAP", "nERR@10"])
def test_a_measure_without_what_a_swap_changes_is_refused_by_name(measure):
    with pytest.raises(ParameterError, match="no closed form") as refused:
        lambdarank(*TWO, measure=measure)
    assert str(parse_measure(measure)) in str(refused.value)
    assert mentions(refused.value, "DCG, nDCG, P, AP", "RR, ERR, RBP")


def test_a_measure_is_given_by_name_or_itself():
    assert_same_numbers(lambdarank(*TWO, measure=AP())[0], lambdarank(*TWO, measure="AP")[0])
    with pytest.raises(ParameterError, match=r"measure is 3, .*'nDCG@10'"):
        lambdarank(*TWO, measure=3)
    with pytest.raises(UnknownName, match="unknown measure 'nDCC'"):
        lambdarank(*TWO, measure="nDCC")


def test_the_highest_grade_there_is_matters_to_err_alone():
    assert lambdarank(*TWO, measure="ERR", max_grade=4)[0] < lambdarank(*TWO, measure="ERR")[0]
    assert_same_numbers(lambdarank(*TWO, measure="AP", max_grade=4)[0], lambdarank(*TWO, measure="AP")[0])


@examples(40)
@given(lists=graded_lists())
def test_ndcg_loss_2pp_is_loss_2_times_mu_and_lambdarank_together(lists):
    # Wang et al. (2018), equation 18: rho + mu delta.
    scores, grades, offsets = lists
    plus, both = lambdaloss(scores, grades, offsets, mu=7.0)
    two, slopes = lambdaloss(scores, grades, offsets, kind="2")
    rank, pushes = lambdarank(scores, grades, offsets)
    assert plus == pytest.approx(7 * two + rank)
    assert both == pytest.approx(7 * slopes + pushes, abs=1e-12)
    assert lambdaloss(scores, grades, offsets, mu=0.0)[0] == pytest.approx(rank)


@examples(40)
@given(lists=graded_lists())
def test_ndcg_loss_1_is_never_below_what_ndcg_lacks(lists):
    # What nDCG lacks is the sum of G_i (1 - 1 / D_i).
    scores, grades, offsets = lists
    lack = []
    for a, b in pairwise(offsets):
        gain, best = naive.gains(grades[a:b]), naive.ideal(naive.gains(grades[a:b])) or 1.0
        rank = naive.ranks(scores[a:b])
        lack.append(sum(g / best * (1 - 1 / np.log2(r + 1)) for g, r in zip(gain, rank, strict=True)))
    assert lambdaloss(scores, grades, offsets, kind="1")[0] >= np.mean(lack) - 1e-12


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "3"}, r"kind is '3', .*'1', '2', '2\+\+'"),
        ({"k": 0}, r"k is 0, .*1"),
        ({"k": "size"}, r"k is 'size', .*1"),
        ({"mu": -1.0}, r"mu is -1.0, .*0"),
        ({"sigma": 0}, r"sigma is 0, .*above 0"),
    ],
)
def test_parameters_that_are_none_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        lambdaloss(*TWO, **parameters)
