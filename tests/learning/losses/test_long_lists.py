"""Lists of thousands of documents: pairs are taken some at a time, and memory stays bounded."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from helpers import naive_losses as naive

from rankscope.learning import LOSSES
from rankscope.learning.losses import approx_ndcg as approximate
from rankscope.learning.losses import approx_ndcg as blocks
from rankscope.learning.losses import listmle, neuralndcg, parse_loss
from rankscope.learning.losses.approx_ndcg import pad_lists

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
    monkeypatch.setattr(approximate, "pad_lists", lambda offsets: pad_lists(offsets, cells=100))
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
    for block in blocks.pad_lists(offsets, cells=5000):
        assert block.mask.size * block.mask.shape[1] <= 5000 or len(block.list_index) == 1
        assert block.mask.sum(axis=1).tolist() == lengths[block.list_index].tolist()
        seen += block.rows[block.mask].tolist()
    assert sorted(seen) == list(range(int(offsets[-1])))


@pytest.mark.parametrize("spread", [1.0, 1000.0])  # the latter by logarithms
@pytest.mark.parametrize("ties", ["random", "efron", "breslow"])
def test_one_long_list_among_many_short_ones_is_as_each_alone_and_takes_no_memory(ties: str, spread: float) -> None:
    rng = np.random.default_rng(3)
    lengths = np.array([3000, *rng.integers(1, 20, 5000)])
    offsets = np.append(0, np.cumsum(lengths))
    scores, grades = rng.normal(size=offsets[-1]) * spread, rng.integers(0, 3, offsets[-1])
    grades[:3000] = rng.permutation(3000)  # without ties, an order by lot is no other for being drawn later
    if ties == "random":
        grades = np.concatenate([rng.permutation(length) for length in lengths])
    tracemalloc.start()
    value, gradient = listmle(scores, grades, offsets, ties=ties, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * scores.nbytes  # side by side, 3000 * 5001 numbers, they would take 280 times that of the scores
    alone = [
        listmle(scores[a:b], grades[a:b], np.array([0, b - a]), ties=ties, rng=1) for a, b in pairwise(offsets[:61])
    ]
    np.testing.assert_allclose(
        gradient[: offsets[60]], np.concatenate([one[1] for one in alone]) / lengths.size, rtol=1e-9, atol=1e-15
    )
    head = listmle(scores[: offsets[60]], grades[: offsets[60]], offsets[:61], ties=ties, rng=1)
    assert head[0] == pytest.approx(np.mean([one[0] for one in alone]), rel=1e-12)
    assert np.isfinite(value)


def test_a_soft_order_of_a_long_list_keeps_a_few_matrices_and_not_one_a_round() -> None:
    rng = np.random.default_rng(3)
    n = 600
    tracemalloc.start()
    neuralndcg(rng.normal(size=n), rng.integers(0, 3, n), np.array([0, n]), rounds=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n * 8
