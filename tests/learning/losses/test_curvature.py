"""Second derivatives that losses tell, against differences of their own gradients."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.same import assert_same_numbers

from rankscope.learning.losses import parse_loss

RNG = np.random.default_rng(6)
OFFSETS = np.array([0, 4, 5, 11])
GRADES = np.array([2, 0, 1, 1, 1, 0, 0, 3, 1, 0, 2])
SCORES = RNG.normal(size=11)
STEP = 1e-5

TOLD = (
    "listnet",
    "softmax_cross_entropy",
    "softmax_cross_entropy(gain='exp')",
    "ranknet",
    "ranknet(sigma=2.0, weights='gains')",
    "lambdarank",  # whose weights stay as they are in so small a step
    "lambdarank(measure='AP', sigma=0.5)",
    "lambdaloss(kind='1')",
    "lambdaloss(kind='2')",
    "lambdaloss(kind='2++', k=2)",
)


@pytest.mark.parametrize("name", TOLD)
def test_they_are_the_slopes_of_the_gradient(name: str) -> None:
    loss, told = parse_loss(name), np.zeros(11)
    value, gradient = loss(SCORES, GRADES, OFFSETS, curvature=told)
    expected = np.empty(11)
    for i, step in enumerate(np.eye(11) * STEP):
        up, down = (loss(SCORES + sign * step, GRADES, OFFSETS)[1][i] for sign in (1, -1))
        expected[i] = (up - down) / (2 * STEP)
    np.testing.assert_allclose(told, expected, rtol=1e-5, atol=1e-9)
    assert_same_numbers(loss(SCORES, GRADES, OFFSETS)[0], value)
    assert_same_numbers(loss(SCORES, GRADES, OFFSETS)[1], gradient)


@pytest.mark.parametrize("name", ["listnet(k=2)", "listmle", "ranksvm", "approxndcg", "squared"])
def test_the_others_leave_them_alone(name: str) -> None:
    told = np.zeros(11)
    parse_loss(name)(SCORES, GRADES, OFFSETS, curvature=told, rng=np.random.default_rng(0))
    assert not told.any()


def test_no_name_can_set_them() -> None:
    with pytest.raises(ValueError, match="ranknet 'curvature'"):
        parse_loss("ranknet(curvature=1)")
