"""The weights of a stacked blend: solved by hand where ListNet's minimum is known, and what must hold of any."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import fsolve

from rankscope.errors import InputError
from rankscope.learning.blend import BlendSettings, learn_combination, stacked_weights
from rankscope.learning.losses import parse_loss

LISTNET = parse_loss("listnet")
#: Lists of two documents, of grades 1 and 0. ListNet's cross-entropy of such a list is least where softmax of the two
#: scores is softmax of the two grades: where the scores are 1 apart, as the grades are.
PAIRS, GRADES = np.array([0, 2, 4]), np.array([1, 0, 1, 0])


def apart(*rows: list[float]) -> np.ndarray:
    """(rankers, documents) whose first document of each list is by so much above the second."""
    return np.array([[x for gap in row for x in (gap, 0.0)] for row in rows])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # a * 1 = 1 and b * 2 = 1: a = 1 and b = 1/2, which are 2/3 and 1/3 of their sum
        (([1.0, 0.0], [0.0, 2.0]), [1 / (1 + 1 / 2), 1 / 2 / (1 + 1 / 2)]),
        # 2 a - b = 1 and 2 b - a = 1: both are 1
        (([2.0, -1.0], [-1.0, 2.0]), [1 / 2, 1 / 2]),
        # 4 a + b = 1 and 2 b = 1: a = 1/8 and b = 1/2
        (([4.0, 0.0], [1.0, 2.0]), [1 / 8 / (1 / 8 + 1 / 2), 1 / 2 / (1 / 8 + 1 / 2)]),
        # the second one would be best below 0, and is left out
        (([1.0, 0.0], [0.0, -2.0]), [1.0, 0.0]),
        # neither is any good: all alike
        (([-1.0, 0.0], [0.0, -2.0]), [1 / 2, 1 / 2]),
    ],
)
def test_weights_that_can_be_solved_by_hand(rows: tuple[list[float], ...], expected: list[float]) -> None:
    found = stacked_weights(apart(*rows), GRADES, PAIRS, loss=LISTNET)
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("l2", [0.05, 0.5, 5.0])
def test_l2_draws_weights_together_as_the_equations_say(l2: float) -> None:
    def sigmoid(x: float) -> float:
        return 1 / (1 + exp(-x))

    def slopes(weights: np.ndarray) -> list[float]:
        """Of [H(a) + H(2 b)] / 2 + l2 / 2 * [(a - m)^2 + (b - m)^2] with m = (a + b) / 2, H' = sigmoid(x) -
        sigmoid(1).
        """
        a, b = map(float, weights)
        m = (a + b) / 2
        return [
            (sigmoid(a) - sigmoid(1)) / 2 + l2 * (a - m),
            2 * (sigmoid(2 * b) - sigmoid(1)) / 2 + l2 * (b - m),
        ]

    solved = fsolve(slopes, [0.7, 0.7])
    found = stacked_weights(apart([1.0, 0.0], [0.0, 2.0]), GRADES, PAIRS, loss=LISTNET, l2=l2)
    np.testing.assert_allclose(found, solved / solved.sum(), atol=1e-4)
    assert 1 / 2 < found[0] < 2 / 3


@examples(20)
@given(seed=st.integers(0, 1000), rankers=st.integers(2, 5), l2=st.sampled_from([0.0, 0.1, 10.0]))
def test_weights_are_shares(seed: int, rankers: int, l2: float) -> None:
    rng = np.random.default_rng(seed)
    found = stacked_weights(rng.normal(size=(rankers, 4)), GRADES, PAIRS, loss=LISTNET, l2=l2)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)


def noisy(seed: int = 3, lists: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three rankers, the first of which knows most and the last nothing; lists of ten; grades 0 to 2."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 3, 10 * lists)
    noise = rng.normal(size=(3, grades.size))
    return grades * [[1.0], [0.5], [0.0]] + noise, grades, np.arange(0, grades.size + 1, 10)


def test_who_knows_more_weighs_more() -> None:
    scores, grades, offsets = noisy()
    first, second, third = stacked_weights(scores, grades, offsets, loss=LISTNET).tolist()
    assert first > second > third
    assert third < 0.1


def test_weights_follow_their_rankers() -> None:
    scores, grades, offsets = noisy()
    plain = stacked_weights(scores, grades, offsets, loss=LISTNET, l2=0.1)
    moved = stacked_weights(scores[[2, 0, 1]], grades, offsets, loss=LISTNET, l2=0.1)
    np.testing.assert_allclose(moved, plain[[2, 0, 1]], atol=1e-4)


def test_lists_of_one_grade_teach_nothing() -> None:
    scores, grades, offsets = noisy(lists=20)
    more = np.hstack([scores, np.random.default_rng(1).normal(size=(3, 7))])
    found = stacked_weights(more, np.append(grades, [1] * 7), np.append(offsets, offsets[-1] + 7), loss=LISTNET)
    np.testing.assert_allclose(found, stacked_weights(scores, grades, offsets, loss=LISTNET), atol=1e-9)
    with pytest.raises(InputError, match="one grade each"):
        stacked_weights(scores, np.zeros_like(grades), offsets, loss=LISTNET)


def test_a_combination_keeps_the_weights_of_its_normalised_scores() -> None:
    scores, grades, offsets = noisy()
    found = learn_combination(
        scores, offsets, grades, settings=BlendSettings(how="stacked", normalise="z-score", loss="listnet", l2=0.0)
    )
    again = stacked_weights(found.normalised(scores, offsets), grades, offsets, loss=LISTNET)
    assert found.weights.tolist() == again.tolist()
    np.testing.assert_allclose(found(scores, offsets), again @ found.normalised(scores, offsets))
