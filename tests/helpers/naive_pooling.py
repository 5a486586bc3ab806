"""Methods of pooling as their papers tell them, in loops over one query's lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

Lists = Mapping[str, Sequence[str]]


def in_turn(
    lists: Lists,
    relevant: Set[str],
    free: Set[str],
    share: int,
    value: Callable[[str], float],
    learn: Callable[[str, bool], None],
) -> list[str]:
    """Of the run of the highest value the next document; ties by its rank, by its id, falling, then by the run."""
    taken: set[str] = set()
    order: list[str] = []
    while len(order) < share:
        options = []
        for run in sorted(lists):
            left = [(rank, doc) for rank, doc in enumerate(lists[run]) if doc not in taken]
            if left:
                options.append((value(run), -left[0][0], left[0][1], run))
        if not options:
            break
        _, _, doc, run = max(options, key=lambda option: option[:3])
        taken.add(doc)
        learn(run, doc in relevant)
        if doc not in free:
            order.append(doc)
    return order


def move_to_front(lists: Lists, relevant: Set[str], free: Set[str], share: int) -> list[str]:
    priority = dict.fromkeys(lists, 0.0)
    ahead: list[str] = []

    def learn(run: str, good: bool) -> None:
        priority[run] -= not good
        ahead[:] = [run] if good else []

    return in_turn(lists, relevant, free, share, lambda run: priority[run] + 0.5 * (run in ahead), learn)


def bandit(
    lists: Lists, relevant: Set[str], free: Set[str], share: int, rate: float = 1.0, stream: Any = None
) -> list[str]:
    """MaxMean; with a stream of random numbers Thompson sampling."""
    found, seen = dict.fromkeys(lists, 0.0), dict.fromkeys(lists, 0.0)
    drawn: dict[str, float] = {}

    def value(run: str) -> float:
        if stream is None:
            return (found[run] + 1) / (seen[run] + 2)
        if not drawn:  # all runs at once, those at their end too
            for one in sorted(lists):
                drawn[one] = stream.beta(found[one] + 1, seen[one] - found[one] + 1)
        return drawn[run]

    def learn(run: str, good: bool) -> None:
        found[run], seen[run] = rate * found[run] + good, rate * seen[run] + 1
        drawn.clear()

    return in_turn(lists, relevant, free, share, value, learn)


def hedge(lists: Lists, relevant: Set[str], free: Set[str], share: int, beta: float = 0.1) -> list[str]:
    docs = {doc for ranking in lists.values() for doc in ranking}
    n = len(docs)

    def loss(run: str, doc: str) -> float:
        if doc in lists[run]:
            return math.log(n / (lists[run].index(doc) + 1)) / 2
        behind = range(len(lists[run]) + 1, n + 1)
        return sum(math.log(n / rank) / 2 for rank in behind) / len(behind)

    lost = {run: sum((-1 if doc in relevant else 1) * loss(run, doc) for doc in docs & free) for run in lists}
    order: list[str] = []
    while len(order) < share and docs - free - set(order):
        left = sorted(docs - free - set(order), reverse=True)
        mixed = {doc: sum(beta ** lost[run] * loss(run, doc) for run in lists) for doc in left}
        top = max(mixed.values())
        best = next(doc for doc in left if mixed[doc] >= top * (1 - 1e-11))
        order.append(best)
        for run in lists:
            lost[run] += (-1 if best in relevant else 1) * loss(run, best)
    return order


def by_depth(lists: Lists, relevant: Set[str], free: Set[str], share: int) -> list[str]:
    del relevant
    best: dict[str, int] = {}
    for ranking in lists.values():
        for rank, doc in enumerate(ranking):
            best[doc] = min(rank, best.get(doc, rank))
    order = sorted(sorted(best, reverse=True), key=best.__getitem__)
    return [doc for doc in order if doc not in free][:share]
