"""Lists of thousands of documents: pairs are taken some at a time, and memory stays bounded."""

import tracemalloc

import numpy as np
import pytest
from learning.losses import naive_losses as naive

from rankscope.learning.losses import LOSSES, approximate, blocks, parse_loss
from rankscope.learning.losses.blocks import blocks_of

N = 5000
#: Megabytes that a call may hold at once; all pairs of the list as one table of float64 would be 200.
MOST = 400


# NeuralNDCG refuses them; ApproxMRR has the ranks of ApproxNDCG.
@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"neuralndcg", "approxmrr"}))
def test_a_list_of_five_thousand_fits_in_memory(name):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=N).astype(np.float32)
    grades = np.where(rng.random(N) < 0.1, rng.integers(1, 4, N), 0)  # 2.4 million pairs
    loss = parse_loss(name)
    tracemalloc.start()
    value, gradient = loss(scores, grades, np.array([0, N]), rng=np.random.default_rng(1), max_grade=3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST * 1e6
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert gradient.any()


def test_smooth_ranks_of_a_long_list_are_those_of_a_few_rows_at_a_time(monkeypatch):
    rng = np.random.default_rng(2)
    scores, grades, offsets = rng.normal(size=30), rng.integers(0, 3, 30), np.array([0, 3, 27, 30])
    value, gradient = approximate.approxndcg(scores, grades, offsets)
    monkeypatch.setattr(approximate, "CELLS", 100)
    monkeypatch.setattr(approximate, "blocks_of", lambda offsets: blocks_of(offsets, cells=100))
    few, same = approximate.approxndcg(scores, grades, offsets)
    assert few == pytest.approx(value)
    assert same == pytest.approx(gradient)
    assert value == pytest.approx(
        np.mean([naive.approxndcg(scores[a:b].tolist(), grades[a:b].tolist()) for a, b in ((0, 3), (3, 27), (27, 30))])
    )


def test_blocks_hold_every_list_once_and_stay_within_their_cells():
    lengths = np.random.default_rng(3).integers(1, 40, 200)
    offsets = np.cumsum([0, *lengths])
    seen = []
    for block in blocks.blocks_of(offsets, cells=5000):
        assert block.mask.size * block.mask.shape[1] <= 5000 or len(block.lists) == 1
        assert block.mask.sum(axis=1).tolist() == lengths[block.lists].tolist()
        seen += block.rows[block.mask].tolist()
    assert sorted(seen) == list(range(int(offsets[-1])))
