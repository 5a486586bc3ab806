"""The network: its form, what the documents of a list see of one another, and how batches are made."""

from itertools import pairwise

import numpy as np
import pytest

from rankscope.kernels.segments import bounds
from rankscope.learning import network as plain
from rankscope.learning.torch.batches import by_length, shuffled

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch import scoring  # noqa: E402 - it asks for PyTorch
from rankscope.learning.torch.network import ListTable, NetworkShape, dropout_units, first_weights, score_lists  # noqa: E402 - the same
from rankscope.learning.torch.scoring import score_all  # noqa: E402 - the same
from rankscope.learning.torch.trainer import to_device  # noqa: E402 - the same

LENGTHS = np.array([3, 1, 5, 2, 4])
OFFSETS = bounds(LENGTHS)
VALUES = np.random.default_rng(0).normal(size=(15, 6)).astype(np.float32)


def network(attention, heads=2, seed=1):
    """A shape, and weights that are all at work, unlike those that training begins with."""
    shape = NetworkShape(inputs=6, hidden=(8, 4), attention=attention, heads=heads)
    rng = np.random.default_rng(seed)
    moved = [one + rng.normal(0, 0.3, one.shape).astype(np.float32) for one in first_weights(shape, rng)]
    return shape, [to_device("cpu", one) for one in moved]


def scored(shape, weights, values, offsets):
    return score_all(weights, to_device("cpu", values), offsets, shape, "cpu")


@pytest.mark.parametrize("attention", [0, 1, 3])
def test_weights_have_the_shapes_that_are_told(attention):
    shape = NetworkShape(inputs=6, hidden=(8, 4), attention=attention)
    assert [one.shape for one in first_weights(shape, np.random.default_rng(0))] == shape.shapes()
    assert len(shape.shapes()) == 6 + 12 * attention + 2 * (attention > 0)


def test_without_attention_it_is_the_network_of_a_ranker():
    """The same first weights of one seed, and the same scores."""
    shape = NetworkShape(inputs=6, hidden=(8, 4))
    ours = first_weights(shape, np.random.default_rng(2))
    theirs = plain.initial_weights((6, 8, 4, 1), np.random.default_rng(2))
    assert all((one == other).all() for one, other in zip(ours, theirs, strict=True))
    found = scored(shape, [to_device("cpu", one) for one in ours], VALUES, OFFSETS)
    assert (found == plain.score_documents(theirs, VALUES)).all()  # both are exact


def by_loops(weights, values, heads):
    """The scores of one list, document by document, from the formulas."""
    w = [one.numpy().astype(np.float64) for one in weights]

    def normed(x, growth, shift):
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * growth + shift

    rows = [np.maximum(np.maximum(x @ w[0] + w[1], 0) @ w[2] + w[3], 0) for x in values.astype(np.float64)]
    for at in range(4, len(w) - 4, 12):
        a = w[at : at + 12]
        width = rows[0].size
        threes = [normed(x, a[0], a[1]) @ a[2] + a[3] for x in rows]
        seen = [np.zeros(width) for _ in rows]
        for head in range(heads):
            part = slice(head * width // heads, (head + 1) * width // heads)
            asked, held, told = ([x[i * width :][:width][part] for x in threes] for i in range(3))
            for i, q in enumerate(asked):
                power = np.exp([q @ k / np.sqrt(q.size) for k in held])
                seen[i][part] = sum(p * v for p, v in zip(power / power.sum(), told, strict=True))
        rows = [x + s @ a[4] + a[5] for x, s in zip(rows, seen, strict=True)]
        rows = [x + np.maximum(normed(x, a[6], a[7]) @ a[8] + a[9], 0) @ a[10] + a[11] for x in rows]
    return [float((normed(x, w[-4], w[-3]) @ w[-2] + w[-1])[0]) for x in rows]


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (1, 2), (2, 4)])
def test_attention_is_that_of_the_formulas_in_loops(layers, heads):
    shape, weights = network(layers, heads)
    expected = [score for a, b in pairwise(OFFSETS) for score in by_loops(weights, VALUES[a:b], heads)]
    assert scored(shape, weights, VALUES, OFFSETS) == pytest.approx(expected, abs=2e-5)


def test_documents_see_those_of_their_list_and_no_others():
    shape, weights = network(2)
    before, changed = scored(shape, weights, VALUES, OFFSETS), VALUES.copy()
    changed[5] += 1.0  # the second of the third list
    apart = np.abs(scored(shape, weights, changed, OFFSETS) - before) > 1e-5
    assert apart.tolist() == [False] * 4 + [True] * 5 + [False] * 6


def test_the_order_of_documents_and_how_lists_are_put_together_change_nothing(monkeypatch):
    shape, weights = network(2)
    expected = scored(shape, weights, VALUES, OFFSETS)
    order = np.concatenate([a + np.random.default_rng(3).permutation(b - a) for a, b in pairwise(OFFSETS)])
    # To the last bit, which is promised.
    assert (scored(shape, weights, VALUES[order], OFFSETS) == expected[order]).all()
    monkeypatch.setitem(scoring.DOCUMENTS_AT_ONCE, "cpu", 1)
    assert (scored(shape, weights, VALUES, OFFSETS) == expected).all()
    monkeypatch.setitem(scoring.CELLS, "cpu", 1)
    assert (scored(shape, weights, VALUES, OFFSETS) == expected).all()


def test_a_table_of_lists_goes_there_and_back():
    table = ListTable(torch.tensor([0, 1, 3, 4, 5]), 2, 3)
    assert table.to_table(torch.arange(1, 6)).tolist() == [[1, 2, 0], [3, 4, 5]]
    assert table.mask.tolist() == [[True, True, False], [True, True, True]]
    assert table.to_documents(torch.tensor([[1, 2, 9], [3, 4, 5]])).tolist() == [1, 2, 3, 4, 5]


def test_a_share_of_units_is_dropped_and_the_others_grow():
    found = dropout_units(torch.ones(20_000), 0.25, torch.Generator().manual_seed(0))
    assert found.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert float((found == 0).float().mean()) == pytest.approx(0.25, abs=0.015)  # 5 standard deviations
    assert dropout_units(found, 0.0, None) is found


def test_dropout_leaves_the_random_numbers_of_others_alone():
    before = torch.get_rng_state()
    shape, weights = network(1)
    table = ListTable(torch.arange(15), 3, 5)
    score_lists(weights, to_device("cpu", VALUES), shape, table, 0.5, torch.Generator().manual_seed(0))
    assert torch.get_rng_state().equal(before)


def test_batches_hold_each_list_once_and_lists_of_about_one_length():
    lengths = np.random.default_rng(4).integers(1, 200, 1000)
    offsets, lists = bounds(lengths), np.arange(0, 1000, 2)
    batches = list(shuffled(lists, offsets, 8, np.random.default_rng(5)))
    assert sorted(np.concatenate([one.lists for one in batches])) == lists.tolist()
    assert max(one.lists.size for one in batches) == 8
    for one in batches:
        assert one.rows.tolist() == [row for i in one.lists for row in range(offsets[i], offsets[i + 1])]
        assert np.diff(one.offsets).tolist() == lengths[one.lists].tolist()
        places = [i * one.longest + j for i, n in enumerate(lengths[one.lists]) for j in range(n)]
        assert one.cells.tolist() == places
    inside = sum(one.rows.size for one in batches) / sum(one.longest * one.lists.size for one in batches)
    assert inside > 0.9
    again = [one.lists.tolist() for one in shuffled(lists, offsets, 8, np.random.default_rng(6))]
    assert again != [one.lists.tolist() for one in batches]


def test_lists_to_be_scored_stay_within_the_cells_unless_one_alone_is_longer():
    lengths = np.array([5, 1, 30, 4, 2, 2])
    batches = list(by_length(bounds(lengths), 10))
    assert [one.lists.tolist() for one in batches] == [[1, 4, 5], [3, 0], [2]]
