"""Random rankings: of Mallows' model, around a centre, and of Plackett and Luce's, by worths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.stats.inputs import as_generator, check_count, is_real
from rankscope.typing import Floats

__all__ = ["luce_places", "sample_mallows", "sample_plackett_luce"]


def sample_mallows(center: Sequence[str], theta: float, n: int, rng: Any = None) -> Votes:
    """Votes of Mallows' model: a ranking is exp(-theta) times as likely for each pair ordered against the centre.

    center: the items, the best first. theta: from 0 (all orders alike) to infinity (all votes are the centre). n: at
    least 2. Raises ParameterError for other values; InputError for items that are not at least two different ones.
    Source: the repeated insertion of Doignon, Pekec and Regenwetter (2004): the i-th item of the centre passes k of the
    i - 1 items before it with a chance proportional to exp(-theta k).

    >>> sample_mallows("ABC", float("inf"), 2).places.tolist()
    [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
    """
    check_theta(theta)
    check_count("n", n, 2)
    return Votes(ranks=mallows_places(len(center), theta, n, as_generator(rng)), items=tuple(center))


def sample_plackett_luce(worths: Mapping[str, float], n: int, rng: Any = None) -> Votes:
    """Votes of Plackett and Luce's model, each item chosen next by its worth over the sum of those left.

    worths: of each item, above 0; only their quotients count. n: at least 2. Raises ParameterError for other values;
    InputError for fewer than two items. Source: Luce (1959); drawn as log-worths with Gumbel noise (Yellott 1977).

    >>> sample_plackett_luce({"A": 1e9, "B": 1.0}, 2, rng=1).places.tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    check_count("n", n, 2)
    for item, worth in worths.items():
        if not is_real(worth) or not 0 < worth < np.inf:
            raise ParameterError(f"the worth of {item!r} is {worth!r}, expected a number above 0")
    logs = np.log(np.array(list(worths.values()), np.float64))
    return Votes(ranks=luce_places(np.broadcast_to(logs, (n, logs.size)), as_generator(rng)), items=tuple(worths))


def check_theta(theta: object) -> None:
    if not is_real(theta) or not theta >= 0:
        raise ParameterError(f"theta is {theta!r}, expected a number of at least 0")


def luce_places(log_worths: Floats, rng: np.random.Generator) -> Floats:
    """(..., items) places from 1; an item of log-worth minus infinity comes last."""
    noisy = log_worths + rng.gumbel(size=log_worths.shape)
    return np.asarray(np.argsort(np.argsort(-noisy, axis=-1), axis=-1) + 1.0)


def mallows_places(items: int, theta: float, n: int, rng: np.random.Generator) -> Floats:
    """(n, items) places from 1 of the items of the centre, in its order."""
    places = np.empty((n, items))
    for i in range(items):
        chances = np.exp(-theta * np.arange(1, i + 1))  # theta may be infinite
        cumulative = np.cumsum(np.concatenate([[1.0], chances]))
        passed = np.searchsorted(cumulative, rng.random(n) * cumulative[-1], side="right")
        mine = i + 1.0 - np.minimum(passed, i)
        places[:, :i] += places[:, :i] >= mine[:, None]
        places[:, i] = mine
    return places
