"""Gradients against those of PyTorch's autograd through the formulas in loops."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.losses import LOOPED, called, random_lists, texts

torch = pytest.importorskip("torch", reason="PyTorch is not installed; its autograd is a second opinion on gradients")

TENSORS = SimpleNamespace(
    exp=torch.exp, log=lambda x: torch.log(torch.as_tensor(x, dtype=torch.float64)), abs=torch.abs, above=torch.relu
)


@pytest.mark.parametrize("entry", LOOPED, ids=texts(LOOPED))
def test_the_gradient_is_that_of_autograd(entry):
    scores, grades, offsets = random_lists(21, (1, 3, 6, 4))
    leaf = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    parts = [entry.by_loops(list(leaf[a:b]), grades[a:b].tolist(), TENSORS) for a, b in pairwise(offsets)]
    whole = sum(parts) / len(parts)
    whole.backward()
    value, gradient = called(entry.loss, scores, grades, offsets)
    assert value == pytest.approx(float(whole.detach()), abs=1e-12)
    assert gradient == pytest.approx(np.asarray(leaf.grad), abs=1e-10)
