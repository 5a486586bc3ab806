"""The parts of Kemeny: blocks of majorities, subsets, moves, proofs, units."""

import itertools

import numpy as np
import pytest

from rankscope.consensus.optimal import cutting_planes
from rankscope.consensus.optimal.cutting_planes import prove_order
from rankscope.consensus.optimal.held_karp import best_orders
from rankscope.consensus.optimal.integer_margins import common_unit, integer_margins_in, with_tie_break
from rankscope.consensus.optimal.kemeny import majority_blocks
from rankscope.consensus.optimal.local_search import default_restarts, improve_orders, order_costs, search_order


def random_margins(n, seed, most=4):
    upper = np.triu(np.random.default_rng(seed).integers(-most, most + 1, (n, n)), 1)
    return (upper - upper.T).astype(np.float64)


def naive_cost(margins, order):
    return sum(max(-margins[i, j], 0) for i, j in itertools.combinations(order, 2))


def naive_least(margins):
    return min(naive_cost(margins, order) for order in itertools.permutations(range(len(margins))))


@pytest.mark.parametrize("seed", range(20))
def test_best_orders_of_blocks_make_a_best_order(seed):
    margins = random_margins(6, seed, 1)  # many ties of majorities
    blocks = majority_blocks(margins)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(6))
    order = [i for block in blocks for i in block[best_orders(margins[None, block][:, :, block])[0]]]
    assert naive_cost(margins, order) == naive_least(margins)
    for earlier, later in itertools.combinations(blocks, 2):
        assert (margins[np.ix_(earlier, later)] >= 0).all()


def test_a_line_of_majorities_is_as_many_blocks_and_a_circle_is_one():
    line = np.triu(np.ones((5, 5)), 1)
    assert [block.tolist() for block in majority_blocks(line - line.T)] == [[0], [1], [2], [3], [4]]
    circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert [block.tolist() for block in majority_blocks(circle)] == [[0, 1, 2]]
    assert len(majority_blocks(np.zeros((4, 4)))) == 4


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_orders_by_subsets_are_the_best(n):
    margins = np.stack([random_margins(n, seed) for seed in range(6)])
    found = best_orders(margins)
    assert [naive_cost(m, order) for m, order in zip(margins, found, strict=True)] == [naive_least(m) for m in margins]


@pytest.mark.parametrize("seed", range(5))
def test_no_move_of_one_item_makes_an_improved_order_cheaper(seed):
    margins = random_margins(7, seed)
    orders = np.argsort(np.random.default_rng(seed).random((4, 7)), axis=1)
    found = improve_orders(margins, orders)
    assert order_costs(margins, found).tolist() == [naive_cost(margins, order) for order in found]
    for before, order in zip(orders, found, strict=True):
        assert sorted(order) == list(range(7))
        cost = naive_cost(margins, order)
        assert cost <= naive_cost(margins, before)
        for item, place in itertools.product(range(7), repeat=2):
            rest = [i for i in order if i != item]
            assert naive_cost(margins, [*rest[:place], item, *rest[place:]]) >= cost
    alike = improve_orders(np.repeat(margins[None], 4, axis=0), orders)  # a table for each
    assert alike.tolist() == found.tolist()
    assert order_costs(np.repeat(margins[None], 4, axis=0), alike).tolist() == order_costs(margins, found).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_a_proof_finds_the_best_from_a_bad_start(seed):
    n = 6 + seed % 6
    margins = random_margins(n, seed)
    best = order_costs(margins, best_orders(margins[None]))[0]
    found = prove_order(margins, np.random.default_rng(seed).permutation(n))
    assert found.cost == found.bound == best == naive_cost(margins, found.order)


def test_where_linear_programs_do_not_close_the_question_integer_programs_do(monkeypatch):
    """Small tournaments hardly leave it open, so bounds and better orders of the first stage are left out."""
    monkeypatch.setattr(cutting_planes, "solve_relaxed", first_cycles)
    for seed in range(4):
        margins = random_margins(9, seed)
        best = order_costs(margins, best_orders(margins[None]))[0]
        found = prove_order(margins, np.arange(9))
        assert found.cost == found.bound == best


def first_cycles(search):
    x = (search.margins[search.pairs] > 0).astype(np.float64)
    search.forbid(search.violated_cycles(x, 3))
    return x


def test_great_margins_are_proved_up_to_a_millionth():
    margins = random_margins(9, 1, 10**9)
    best = order_costs(margins, best_orders(margins[None]))[0]
    found = prove_order(margins, np.arange(9))
    assert found.cost == found.bound
    assert best <= found.cost <= best + 1e-6 * 1e9


@pytest.mark.parametrize("seed", range(3))
def test_a_search_finds_the_best_of_twelve(seed):
    margins = random_margins(12, seed)
    best = order_costs(margins, best_orders(margins[None]))[0]
    assert naive_cost(margins, search_order(margins, 16, np.random.default_rng(0))) == best


def test_many_items_have_fewer_starts():
    assert [default_restarts(n) for n in (2, 200, 400, 6400)] == [32, 32, 16, 4]


@pytest.mark.parametrize(
    ("weights", "unit"),
    [([1, 1, 1], 1), ([2, 6], 2), ([0.5, 1.5], 0.5), ([0.1, 0.2, 0.3], 0.1), ([1 / 3, 1], 1 / 3), ([1e-9, 3e-9], 1e-9)],
)
def test_the_unit_is_what_all_weights_are_multiples_of(weights, unit):
    assert common_unit(np.array(weights, np.float64), 10) == pytest.approx(unit)


def test_weights_without_a_common_part_have_a_negligible_unit():
    assert common_unit(np.array([1.0, np.pi]), 10) == pytest.approx(1e-9 * (1 + np.pi))


def test_margins_lose_their_common_divisor_and_a_tilt_is_less_than_one_unit():
    margins = 6 * random_margins(5, 2)
    whole = integer_margins_in(margins, 0.5)
    assert np.abs(whole.values * whole.unit - margins).max() == 0
    assert np.gcd.reduce(np.abs(whole.values).astype(np.int64), axis=None) == 1
    for order in itertools.permutations(range(5)):
        extra = naive_cost(with_tie_break(whole.values), order) / 25 - naive_cost(whole.values, order)
        assert abs(extra) < 1
