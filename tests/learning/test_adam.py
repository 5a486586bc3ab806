"""Adam against the paper's algorithm, weight by weight."""

from math import sqrt

import numpy as np
import pytest

from rankscope.learning.trainer import Adam

RATE, FIRST, SECOND, TINY = 0.01, 0.9, 0.999, 1e-8


def naive_adam(weight, gradients, decay=0.0):
    """Kingma and Ba (2015), algorithm 1 with the order of steps that ends section 2; AdamW's decay of the weight."""
    mean = square = 0.0
    for t, g in enumerate(gradients, 1):
        mean = FIRST * mean + (1 - FIRST) * g
        square = SECOND * square + (1 - SECOND) * g * g
        weight = weight * (1 - RATE * decay)
        weight -= RATE * sqrt(1 - SECOND**t) / (1 - FIRST**t) * mean / (sqrt(square) + TINY)
    return weight


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_each_weight_takes_the_steps_of_the_paper(decay):
    rng = np.random.default_rng(8)
    weights = [rng.normal(size=shape).astype(np.float32) for shape in ((3, 2), (2,))]
    gradients = [[rng.normal(size=w.shape).astype(np.float32) for w in weights] for _ in range(30)]
    before = [w.copy() for w in weights]
    adam = Adam(weights, decay=decay)
    for one in gradients:
        adam.step([g.copy() for g in one], RATE)
    for k, (start, end) in enumerate(zip(before, weights, strict=True)):
        of_this = decay if start.ndim > 1 else 0.0  # what is added in a layer does not decay
        for index in np.ndindex(start.shape):
            expected = naive_adam(float(start[index]), [float(one[k][index]) for one in gradients], of_this)
            assert float(end[index]) == pytest.approx(expected, abs=2e-6)


def test_the_first_step_is_as_long_as_the_rate_whatever_the_gradient():
    # m / sqrt(v) is the gradient's sign once both means are corrected.
    weights = [np.zeros((1, 3), np.float32)]
    Adam(weights).step([np.array([[1e-3, -5.0, 1e4]], np.float32)], RATE)
    assert weights[0][0] == pytest.approx([-RATE, RATE, -RATE], rel=1e-3)


def test_the_gradient_is_left_as_it_was():
    weights, gradient = [np.ones((2, 2), np.float32)], [np.ones((2, 2), np.float32)]
    Adam(weights, decay=0.1).step(gradient, RATE)
    assert gradient[0].tolist() == [[1, 1], [1, 1]]


def test_weights_are_changed_in_place():
    weight = np.ones((2, 2), np.float32)
    Adam([weight]).step([np.ones((2, 2), np.float32)], RATE)
    assert weight == pytest.approx(1 - RATE, rel=1e-5)
