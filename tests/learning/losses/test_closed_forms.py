"""The gradients by the weights of a linear scorer as Li et al. (2013) write them: expected minus observed features."""

import numpy as np
import pytest

from rankscope.learning.losses import listmle, listnet

RNG = np.random.default_rng(11)
FEATURES = RNG.normal(size=(6, 3))
WEIGHTS = RNG.normal(size=3)
OFFSETS = np.array([0, 6])


def chances(values):
    powers = [np.exp(v) for v in values]
    return [p / sum(powers) for p in powers]


def expected(rows, shares):
    return sum(share * FEATURES[row] for row, share in zip(rows, shares, strict=True))


def test_listnet_is_what_the_scores_expect_less_what_the_grades_do():
    # Equation 4.
    grades = np.array([0, 2, 1, 1, 0, 3])
    _, gradient = listnet(FEATURES @ WEIGHTS, grades, OFFSETS)
    every = range(6)
    observed = expected(every, chances(grades))
    assert gradient @ FEATURES == pytest.approx(expected(every, chances(FEATURES @ WEIGHTS)) - observed)


def test_listmle_is_at_each_stage_what_those_left_expect_less_who_was_chosen():
    # Equation 6, where the index of the last features is j, over which the sum runs. Here it is the mean.
    grades = np.array([0, 4, 1, 3, 2, 5])
    scores = FEATURES @ WEIGHTS
    order = [int(d) for d in np.argsort(-grades)]
    total = np.zeros(3)
    for i in range(6):
        left = order[i:]
        total += expected(left, chances(scores[left])) - FEATURES[order[i]]
    _, gradient = listmle(scores, grades, OFFSETS, lowest=True)
    assert gradient @ FEATURES == pytest.approx(total / 6)


def test_listmle_with_an_end_stops_after_so_many_stages():
    grades = np.array([0, 4, 1, 3, 2, 5])
    scores = FEATURES @ WEIGHTS
    order = [int(d) for d in np.argsort(-grades)]
    stages = [expected(order[i:], chances(scores[order[i:]])) - FEATURES[order[i]] for i in range(2)]
    _, gradient = listmle(scores, grades, OFFSETS, k=2)
    assert gradient @ FEATURES == pytest.approx(sum(stages) / 2)
