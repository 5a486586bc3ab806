"""Losses written in PyTorch for a GPU are those of NumPy."""

import numpy as np
import pytest
from helpers.losses import TABLE, called, random_lists, texts

from rankscope.learning.losses import parse_loss

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch.gpu_losses import NATIVE, native_loss  # noqa: E402 - it asks for PyTorch

WRITTEN = [entry for entry in TABLE if entry.loss.name in NATIVE and not entry.loss.random]


def through(loss, scores, grades, offsets):
    """Value and gradient, by autograd through tables whose empty places hold what must not matter."""
    lengths = np.diff(offsets)
    mask = np.arange(lengths.max()) < lengths[:, None]
    leaf, wanted = torch.full(mask.shape, 3.25, dtype=torch.float64), torch.full(mask.shape, 2.0, dtype=torch.float64)
    leaf[mask], wanted[mask] = torch.from_numpy(scores), torch.from_numpy(grades * 1.0)
    leaf.requires_grad_()
    value = native_loss(loss)(leaf, wanted, torch.from_numpy(mask))
    value.backward()
    assert not leaf.grad[~torch.from_numpy(mask)].any()
    return float(value.detach()), leaf.grad.numpy()[mask]


@pytest.mark.parametrize("entry", WRITTEN, ids=texts(WRITTEN))
@pytest.mark.parametrize("spread", [1.0, 0.0, 60.0], ids=["scores", "equal scores", "scores far apart"])
def test_value_and_gradient_are_those_of_numpy(entry, spread):
    scores, grades, offsets = random_lists(3, (1, 2, 5, 9, 7, 4))
    grades[8:17] = 0  # a list without a relevant document
    expected, slope = called(entry.loss, spread * scores, grades, offsets)
    value, gradient = through(entry.loss, spread * scores, grades, offsets)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert gradient == pytest.approx(slope, abs=1e-10)


def test_every_one_is_tried():
    assert {entry.loss.name for entry in WRITTEN} == set(NATIVE)


@pytest.mark.parametrize("text", ["listnet(k=2)", "listmle", "lambdarank", "approxndcg", "ordinal"])
def test_what_is_not_written_in_pytorch_goes_through_the_bridge(text):
    assert native_loss(parse_loss(text)) is None


def test_a_function_of_ones_own_is_not_taken_for_one_of_ours_by_its_name():
    def listnet(scores, relevance, offsets):
        return 0.0, np.zeros(scores.size)

    assert native_loss(parse_loss(listnet)) is None
