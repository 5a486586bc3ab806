"""ApproxNDCG, ApproxMRR and NeuralNDCG come to what the package's own measures say as the temperature falls."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.losses import random_lists

from rankscope import parse_measure
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.learning.losses import approxmrr, approxndcg, neuralndcg, parse_loss
from rankscope.learning.losses.neural_sort import MAX_LIST_LENGTH


def lists_apart(seed):
    """Lists whose scores are a tenth apart at least, each with one document of grade 1 or more at least."""
    _, grades, offsets = random_lists(seed, (3, 6, 9))
    grades[offsets[:-1]] = 3
    scores = np.concatenate([np.random.default_rng(seed).permutation(n) for n in np.diff(offsets)]) / 10.0
    return scores, grades, offsets


def measured(name, scores, grades, offsets):
    return float(parse_measure(name)(FullyJudgedLists(grades, offsets).hits(scores)).mean())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", [approxndcg, neuralndcg])
def test_what_is_lost_is_what_ndcg_lacks(loss, seed):
    lists = lists_apart(seed)
    lack = 1 - measured("nDCG(gain='exp')", *lists)
    errors = [abs(loss(*lists, temperature=t)[0] - lack) for t in (1.0, 0.1, 0.01, 0.001)]
    assert errors[-1] < 1e-9
    assert errors[-1] <= errors[-2] <= max(errors[:2])


@pytest.mark.parametrize("seed", range(5))
def test_with_one_relevant_document_approxmrr_is_what_the_reciprocal_rank_lacks(seed):
    scores, grades, offsets = lists_apart(seed)
    grades[:] = 0
    grades[offsets[:-1]] = 1
    value, _ = approxmrr(scores, grades, offsets, temperature=0.001)
    assert value == pytest.approx(1 - measured("RR", scores, grades, offsets))


def test_a_list_is_the_same_beside_a_longer_one():
    # Lists stand side by side in rows that are filled up.
    scores, grades, offsets = lists_apart(7)
    for loss in (approxndcg, approxmrr, neuralndcg):
        _, together = loss(scores, grades, offsets)
        for a, b in pairwise(offsets):
            _, alone = loss(scores[a:b], grades[a:b], np.array([0, b - a]))
            assert together[a:b] * 3 == pytest.approx(alone, abs=1e-13)


def test_a_document_that_no_rank_wants_leaves_a_gradient_of_numbers():
    scores = np.array([0.0, 1e3, 1e3 + 1e-3, 2e3])
    for temperature in (1e-3, 1.0):
        _, gradient = neuralndcg(scores, np.array([1, 0, 2, 0]), np.array([0, 4]), temperature=temperature)
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("temperature", [0, -1.0, "low", None, float("nan")])
@pytest.mark.parametrize("loss", [approxndcg, approxmrr, neuralndcg])
def test_a_temperature_that_is_none_is_refused(loss, temperature):
    with pytest.raises(ParameterError, match=rf"temperature is {temperature!r}, "):
        loss(np.zeros(2), np.array([1, 0]), np.array([0, 2]), temperature=temperature)


def test_a_list_too_long_to_be_sorted_softly_is_refused_and_the_way_out_named():
    n = MAX_LIST_LENGTH + 1
    with pytest.raises(ParameterError, match=r"\b2001 documents, .*neuralndcg .*\b2000\b.*approxndcg"):
        neuralndcg(np.zeros(n), np.zeros(n, int), np.array([0, n]))
    with pytest.raises(ParameterError, match=r"rounds is -1, "):
        neuralndcg(np.zeros(2), np.array([1, 0]), np.array([0, 2]), rounds=-1)


@pytest.mark.parametrize("loss", ["approxndcg", "neuralndcg", "lambdaloss", "ranknet(weights='gains')"])
def test_grades_up_to_900_have_gains_and_higher_ones_are_refused(loss):
    offsets, scores = np.array([0, 3]), np.array([0.5, 0.1, 0.2])
    value, gradient = parse_loss(loss)(scores, np.array([900, 0, 899]), offsets)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    with pytest.raises(InputError, match=r"\b901, .*float64"):
        parse_loss(loss)(scores, np.array([901, 0, 899]), offsets)
