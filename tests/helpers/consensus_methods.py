"""All methods of consensus with the properties that they have, votes to try them on, and the properties themselves.

A method is added by one line of TABLE, of which test_properties.py demands one for each of METHODS. Those who do
without a property of USUAL say which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus import (
    MC1,
    MC2,
    MC3,
    MC4,
    Borda,
    Copeland,
    Footrule,
    Kemeny,
    Mallows,
    MeanRankAggregation,
    MedianRankAggregation,
    Method,
    PlackettLuce,
    RankedPairs,
    RobustRank,
    Schulze,
)

#: What nearly every method has; "condorcet" (a Condorcet winner is alone on the first place) goes beside them, and for
#: strict orders "unique_neutrality" and "tied_all" in the stead of "neutrality" and "indifference".
USUAL = ("unanimity", "neutrality", "anonymity", "doubling", "units", "weights", "draws", "indifference")
STRICT = {"has": ("unique_neutrality", "tied_all"), "lacks": ("neutrality", "indifference")}


@dataclass(frozen=True)
class Entry:
    """A method, its properties, and the votes it takes: with ties or without, partial or not, of equal weights only."""

    method: Method
    properties: tuple[str, ...]
    ties: bool
    partial: bool
    equal: bool


def entry(
    method: Method,
    *,
    has: tuple[str, ...] = (),
    lacks: tuple[str, ...] = (),
    ties: bool = True,
    partial: bool = True,
    equal: bool = False,
) -> Entry:
    return Entry(method, tuple(name for name in (*USUAL, *has) if name not in lacks), ties, partial, equal)


def strict(method: Method, *, has: tuple[str, ...] = (), lacks: tuple[str, ...] = ()) -> Entry:
    return entry(method, has=(*has, *STRICT["has"]), lacks=(*lacks, *STRICT["lacks"]))


TABLE = (
    entry(Borda()),
    entry(Borda(unranked="worst")),
    entry(Borda(points=(3, 1)), lacks=("unanimity",)),
    entry(MeanRankAggregation()),
    entry(MeanRankAggregation(unranked="ignore")),
    entry(MedianRankAggregation()),
    entry(MedianRankAggregation(unranked="ignore")),
    entry(Copeland(), has=("condorcet",)),
    entry(Copeland(unranked="ignore"), has=("condorcet",)),
    entry(Schulze(), has=("condorcet",)),
    entry(Schulze(strength="margins", unranked="ignore"), has=("condorcet",)),
    entry(RankedPairs(), has=("condorcet",)),
    entry(RankedPairs(strength="winning", unranked="ignore"), has=("condorcet",)),
    entry(MC1()),
    entry(MC2()),
    entry(MC3()),
    entry(MC3(unranked="average")),
    entry(MC4(), has=("condorcet",)),
    entry(MC4(unranked="worst", teleport=0.2), has=("condorcet",)),
    # chances by so many lists, which more lists of the same change; by "ignore" places are shares of a list's length
    entry(RobustRank(), lacks=("doubling", "weights"), equal=True),
    entry(RobustRank(unranked="ignore"), lacks=("doubling", "weights", "unanimity"), equal=True),
    # Strict orders: of several best ones, in circles, the order of the votes decides.
    strict(Kemeny(), has=("condorcet",)),
    strict(Kemeny(unranked="ignore"), has=("condorcet",)),
    strict(Kemeny(exact=False, restarts=4), has=("condorcet",), lacks=("draws",)),
    strict(Footrule()),
    strict(Footrule(unranked="ignore"), lacks=("unanimity",)),
    strict(Mallows(), has=("condorcet",)),
    # a prior weighs less beside more voters; fits from several starts agree to eight digits
    entry(PlackettLuce(prior=0.5), lacks=("doubling", "weights", "draws")),
    entry(PlackettLuce(prior=0.5, unranked="ignore"), lacks=("doubling", "weights", "draws")),
)


@st.composite
def some_votes(draw: st.DrawFn, *, ties: bool = True, partial: bool = True, most: int = 5) -> Votes:
    """A few voters and items, weights of halves."""
    voters, items = draw(st.integers(2, most)), draw(st.integers(2, most))
    if ties:
        rank = st.integers(1, 3)
        rows = draw(st.lists(st.lists(rank, min_size=items, max_size=items), min_size=voters, max_size=voters))
    else:
        rows = draw(st.lists(st.permutations(range(1, items + 1)), min_size=voters, max_size=voters))
    ranks = np.array(rows, np.float64)
    if partial:
        for lost in draw(st.lists(st.integers(0, ranks.size - 1), max_size=items)):
            row, column = divmod(lost, items)
            others = ~np.isnan(ranks)
            if others[row].sum() > 1 and others[:, column].sum() > 1:  # no voter and no item without a rank
                ranks[row, column] = np.nan
    weights = np.array(draw(st.lists(st.integers(1, 4), min_size=voters, max_size=voters))) / 2
    return Votes(ranks=ranks, items=tuple("ABCDE"[:items]), weights=weights)


def changed(votes: Votes, **new: Any) -> Votes:
    names = {"ranks": votes.ranks, "items": votes.items, "weights": votes.weights}
    return Votes(**{**names, **new})


def ranks(method: Method, votes: Votes) -> list[float]:
    return method.order(votes).ranks.tolist()


def unanimity(method: Method, votes: Votes) -> None:
    """What every voter puts above another item is above it."""
    places = votes.fill_unranked("worst")
    found = ranks(method, changed(votes, ranks=places))
    for a, b in permutations(range(len(votes.items)), 2):
        if (places[:, a] < places[:, b]).all():
            assert found[a] < found[b], (votes.items[a], votes.items[b])


def neutrality(method: Method, votes: Votes) -> None:
    """Neither the names of the items nor the order in which they stand matter."""
    turned = changed(votes, ranks=votes.ranks[:, ::-1], items=tuple(f"x{i}" for i in range(len(votes.items))))
    assert ranks(method, turned)[::-1] == ranks(method, votes)
    rolled = changed(votes, ranks=np.roll(votes.ranks, 1, axis=1))
    assert np.roll(ranks(method, votes), 1).tolist() == ranks(method, rolled)


def anonymity(method: Method, votes: Votes) -> None:
    """The order of the voters does not matter."""
    turned = changed(votes, ranks=votes.ranks[::-1], weights=votes.weights[::-1])
    assert ranks(method, turned) == ranks(method, votes)


def doubling(method: Method, votes: Votes) -> None:
    """The same voters once more change nothing, nor does another unit of their weights."""
    twice = changed(votes, ranks=np.tile(votes.ranks, (2, 1)), weights=np.tile(votes.weights, 2))
    assert ranks(method, twice) == ranks(method, votes)
    assert ranks(method, changed(votes, weights=votes.weights * 0.1)) == ranks(method, votes)


def units(method: Method, votes: Votes) -> None:
    """Only the proportions of weights count, however large or small they are."""
    expected = ranks(method, votes)
    for unit in (1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300):
        # a prior is so many wins and losses, each of weight 1
        prior = {"prior": method.prior * unit} if isinstance(method, PlackettLuce) else {}
        assert ranks(replace(method, **prior) if prior else method, changed(votes, weights=votes.weights * unit)) == (
            expected
        ), unit


def weights(method: Method, votes: Votes) -> None:
    """A voter of weight 3 is three voters."""
    times = (2 * votes.weights).astype(np.int64)
    repeated = changed(votes, ranks=np.repeat(votes.ranks, times, axis=0), weights=np.ones(times.sum()))
    assert ranks(method, repeated) == ranks(method, votes)


def draws(method: Method, votes: Votes) -> None:
    """Many sets of weights at once give what each gives alone, and a weight of 0 is no voter."""
    many = np.stack([votes.weights, votes.weights[::-1], np.eye(len(votes.weights))[0] + np.eye(len(votes.weights))[1]])
    found = method.scores(votes, many)
    assert found.shape == (3, len(votes.items))
    assert np.isfinite(found).all()
    for weight, scores in zip(many, found, strict=True):
        np.testing.assert_allclose(scores, method.scores(votes, weight[None])[0], rtol=1e-9, atol=1e-12)
    there = many[2] > 0
    if not np.isnan(votes.ranks[there]).all(axis=0).any():
        alone = changed(votes, ranks=votes.ranks[there], weights=many[2][there])
        np.testing.assert_allclose(found[2], method.scores(alone, alone.weights[None])[0], rtol=1e-9, atol=1e-12)


def indifference(method: Method, votes: Votes) -> None:
    """Where the votes tell no two items apart, nor does the order."""
    n = len(votes.items)
    both_ways = np.concatenate([np.tile(np.arange(1.0, n + 1), (n, 1)), np.tile(np.arange(n, 0.0, -1), (n, 1))])
    circle = np.stack([np.roll(row, i) for i, row in enumerate(both_ways)])
    assert ranks(method, changed(votes, ranks=circle, weights=np.full(2 * n, 0.1))) == [1.0] * n


def unique_neutrality(method: Method, votes: Votes) -> None:
    """Where no other order is as good, neither the names of the items nor the order in which they stand matter.

    Counted one order after the other: what each method finds the best is what costs the least.
    """
    n = len(votes.items)
    chosen = getattr(method, "unranked", "average")
    places = votes.fill_unranked(chosen)
    above = naive_preferences(places, votes.weights)
    if isinstance(method, Footrule):
        costs = {
            order: sum(
                weight * sum(abs(row[item] - place) for place, item in enumerate(order, 1) if row[item] == row[item])
                for row, weight in zip(places.tolist(), votes.weights.tolist(), strict=True)
            )
            for order in permutations(range(n))
        }
    else:
        costs = {
            order: sum(above[b][a] for i, a in enumerate(order) for b in order[i + 1 :])
            for order in permutations(range(n))
        }
    best = [order for order, cost in costs.items() if cost <= min(costs.values()) + 1e-9]
    found = method.order(votes)
    assert tuple(votes.items.index(item) for item in found.order) in best
    said = any("as good" in note for note in found.notes)
    assert said == (len(best) > 1), (best, found.notes)
    for i, j in permutations(range(n), 2):  # items that share a rank: the order with the two exchanged is as good
        if found.ranks[i] == found.ranks[j]:
            order = [votes.items.index(item) for item in found.order]
            a, b = order.index(i), order.index(j)
            order[a], order[b] = order[b], order[a]
            assert tuple(order) in best
    if len(best) == 1:
        assert sorted(found.ranks) == list(range(1, n + 1))
        neutrality(method, votes)


def tied_all(method: Method, votes: Votes) -> None:
    """Voters who tie all items leave all of them on the first place, and draws of them each item on any place."""
    n = len(votes.items)
    tied = changed(votes, ranks=np.ones(votes.ranks.shape))
    assert ranks(method, tied) == [1.0] * n
    found = method.resampled_scores(tied, np.ones((200, len(votes.weights))), np.random.default_rng(0)).scores
    assert (found.min(axis=0) == 0).all()
    assert (found.max(axis=0) == n - 1).all()


def condorcet(method: Method, votes: Votes) -> None:
    """Who wins against each other one by majority is first, alone."""
    chosen = getattr(method, "unranked", "average")
    above = naive_preferences(votes.fill_unranked(chosen), votes.weights)
    for i in range(len(votes.items)):
        if all(above[i][j] > above[j][i] for j in range(len(votes.items)) if j != i):
            found = ranks(method, votes)
            assert [place for place, rank in enumerate(found) if rank == 1] == [i]


def naive_preferences(places: np.ndarray, weights: np.ndarray) -> list[list[float]]:
    """Who is above whom, one comparison after the other. NaN compares with nothing."""
    n = places.shape[1]
    return [
        [float(sum(w for row, w in zip(places, weights, strict=True) if row[i] < row[j])) for j in range(n)]
        for i in range(n)
    ]


PROPERTIES = {
    check.__name__: check
    for check in (
        unanimity,
        neutrality,
        anonymity,
        doubling,
        units,
        weights,
        draws,
        indifference,
        unique_neutrality,
        tied_all,
        condorcet,
    )
}

__all__ = ["PROPERTIES", "TABLE", "Entry", "changed", "entry", "naive_preferences", "some_votes"]
