"""No rank hangs on the last bits of a sum: voters in another order and weights of another scale change nothing."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from rankscope import Preferences, Votes, leaderboard
from rankscope.consensus import METHODS
from rankscope.consensus.leaderboard.fit import cluster_ranks
from rankscope.consensus.leaderboard.result import share_upheld
from rankscope.consensus.registry import method_by_name

ITEMS = tuple("ABCDEFGH")
#: Weights that are no sums of powers of two, so that sums of them round.
WEIGHTS = (0.1, 0.2, 0.3, 0.7)
FACTORS = (3.0, 0.1, 1 / 7, 1e6 / 3)


def votes_with_ties(seed: int, weighted: bool) -> list[tuple[list[str], float]]:
    """Rankings in which items change places with each other in votes of equal weight, so that some are exactly tied."""
    rng = np.random.default_rng(seed)
    items = list(ITEMS[: 4 + seed % 4])
    found = []
    for _ in range(2 + seed % 3):
        order = [items[i] for i in rng.permutation(len(items)).tolist()]
        weight = WEIGHTS[int(rng.integers(4))] if weighted else 1.0
        other = [{items[0]: items[1], items[1]: items[0]}.get(item, item) for item in order]
        found += [(order, weight), (other, weight)]
    circle = items[2:]
    found += [(circle[k:] + circle[:k] + items[:2], 0.3 if weighted else 1.0) for k in range(len(circle))]
    return found


def ranks(name: str, votes: list[tuple[list[str], float]], factor: float = 1.0) -> dict[str, float]:
    options = {"prior": 0.5 * factor} if name == "plackett-luce" else {}
    made = Votes.of([order for order, _ in votes], weights=[factor * weight for _, weight in votes])
    # Strict orders of items that nothing tells apart are those in which the items stand.
    items = sorted(made.items)
    columns = [made.items.index(item) for item in items]
    made = Votes(ranks=made.ranks[:, columns], items=tuple(items), voters=made.voters, weights=made.weights)
    order = method_by_name(name, **options).order(made)
    return dict(zip(order.items, order.ranks.tolist(), strict=True))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(12))
def test_voters_in_another_order_and_weights_of_another_scale_give_the_same_ranks(name: str, seed: int) -> None:
    votes = votes_with_ties(seed, weighted=name != "robust-rank")
    expected = ranks(name, votes)
    rng = np.random.default_rng(100 + seed)
    for factor in FACTORS:
        shuffled = [votes[i] for i in rng.permutation(len(votes)).tolist()]
        assert ranks(name, shuffled, factor) == expected


@pytest.mark.parametrize("name", METHODS)
def test_items_that_nothing_tells_apart_are_tied(name: str) -> None:
    votes = [(list(order), 0.1) for order in permutations("ABCD")]
    found = ranks(name, votes, 1 / 3)
    strict = name in ("kemeny", "footrule", "mallows")
    assert set(found.values()) == ({1.0} if not strict else set(found.values()))
    order = method_by_name(name, **({"prior": 0.5} if name == "plackett-luce" else {}))
    made = Votes.of([one for one, _ in votes], weights=[weight / 3 for _, weight in votes])
    assert order.order(made).order == ("A", "B", "C", "D")  # as they stand


def test_log_abilities_that_are_all_but_0_are_one() -> None:
    rng = np.random.default_rng(4)
    draws = 1e-14 * rng.normal(size=(200, 3)) + np.array([0.0, 1e-12, 5.0])
    draws[:, 1] += 1e-13  # in every draw above the first, by rounding
    found = cluster_ranks(draws[:, ::-1], 0.95)
    assert found.apart.tolist() == [[False, True, True], [True, False, False], [True, False, False]]
    assert found.cluster.tolist() == [1, 2, 2]


def test_a_share_of_draws_that_is_the_level_is_enough() -> None:
    """975 of 1,000 is .975, however 1 less half of 1 less .95 rounds."""
    for level, enough in ((0.95, 975), (0.9, 950), (0.8, 900), (0.6, 800), (0.7, 850)):
        draws = np.where(np.arange(1000)[:, None] < enough, [1.0, 0.0], [0.0, 1.0])
        assert cluster_ranks(draws, level).apart[0, 1]


CYCLE = [("A", "B", "A"), ("B", "C", "B"), ("C", "A", "C"), ("D", "A", "A"), ("D", "B", "B"), ("D", "C", "C")]


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
@pytest.mark.parametrize("times", [1, 3, 7])
def test_equally_good_systems_have_one_rank_and_share_their_wins(model: str, times: int) -> None:
    for shift in range(len(CYCLE)):
        rows = (CYCLE[shift:] + CYCLE[:shift]) * times + [("D", "A", "tie"), ("D", "B", "tie"), ("D", "C", "tie")]
        found = leaderboard(Preferences.of(rows), model=model, prior=0.3, n_resamples=100, rng=1)
        rank = dict(zip(found.systems, found.rank.tolist(), strict=True))
        assert rank == {"A": 1, "B": 1, "C": 1, "D": 4}
        assert found.upheld == pytest.approx(3 / 4)  # of six decided, three are among equals


def test_comparisons_of_systems_equal_but_for_rounding_are_upheld_by_half() -> None:
    rows = Preferences.of([("A", "B", "A")] * 3 + [("A", "B", "B")])
    assert share_upheld(rows, np.array([1e-14, -1e-14])) == 0.5
