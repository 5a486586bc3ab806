"""Steps of Adam in PyTorch are those that NumPy takes."""

import numpy as np
import pytest

from rankscope.learning.trainer import Adam

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch.trainer import VectorAdam  # noqa: E402 - it asks for PyTorch


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_steps_are_those_of_adam_in_numpy(decay):
    """Down the sum of the squares of weights less 1, whose gradient is 2 (w - 1)."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=shape).astype(np.float32) for shape in ((3, 2), (2,), (2, 1), (1,))]
    steps, ours = VectorAdam(weights, "cpu", decay), [one.copy() for one in weights]
    adam = Adam(ours, decay=decay)
    for _ in range(7):
        steps.step(sum(((one - 1) ** 2).sum() for one in steps.weights()), 0.05)
        adam.step([2 * (one - 1) for one in ours], 0.05)
    for one, other in zip(steps.copy_weights(), ours, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_what_was_copied_stays_as_it_was():
    steps = VectorAdam([np.ones((1, 1), np.float32)], "cpu")
    before = steps.copy_weights()
    steps.step(steps.weights()[0].sum(), 0.1)
    assert before[0].tolist() == [[1.0]]
    assert steps.copy_weights()[0].tolist() == [
        [pytest.approx(0.9, abs=1e-6)]
    ]  # the first step is of the size of the rate
