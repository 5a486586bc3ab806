"""Kemeny and footrule by trying every order."""

from itertools import combinations, permutations

import numpy as np
from helpers.consensus_methods import naive_preferences


def kemeny_distance(order, votes, unranked):
    """The weight of the voters who rank a pair the other way round, a pair at a time."""
    above = naive_preferences(votes.fill_unranked(unranked), votes.weights)
    return sum(above[j][i] for i, j in combinations(order, 2))


def footrule_distance(order, votes, unranked):
    """How many places away each item is, a voter and an item at a time."""
    places = votes.fill_unranked(unranked)
    return sum(
        float(weight) * abs(row[item] - place)
        for row, weight in zip(places, votes.weights, strict=True)
        for place, item in enumerate(order, 1)
        if not np.isnan(row[item])
    )


def least(distance, votes, unranked):
    """The distance of the best of all orders; `distance` is one of the two above."""
    if distance is footrule_distance:
        return min(distance(order, votes, unranked) for order in permutations(range(len(votes.items))))
    above = naive_preferences(votes.fill_unranked(unranked), votes.weights)
    return min(sum(above[j][i] for i, j in combinations(order, 2)) for order in permutations(range(len(votes.items))))


def random_votes(voters, items, seed):
    """Every order as likely as any other: the hardest there is."""
    from rankscope import Votes

    ranks = np.argsort(np.random.default_rng(seed).random((voters, items)), axis=1) + 1.0
    return Votes(ranks=ranks, items=tuple(f"i{k}" for k in range(items)))
