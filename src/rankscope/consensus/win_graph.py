"""Whether comparisons have a maximum of the likelihood at all: who won against whom must lead from each to each.

Ford (1957): strengths are finite and unique where the systems cannot be split into two groups of which one never won
against the other. A tie leads both ways. With ties of their own kind (Davidson) there is one more way to have none: all
ties and wins lie so that systems can drift apart while the ties go with them.
"""

from __future__ import annotations

import numpy as np

from rankscope.consensus.contexts import Contexts, Sums, incidence
from rankscope.errors import InputError
from rankscope.typing import Bools, Ints

__all__ = ["check_connected", "components", "connected", "davidson_has_maximum"]


#: So many groups, and so many systems of each, are named.
GROUPS, NAMES = 6, 4
CURE = "add comparisons between them, or give a prior, as prior=0.5 (--prior 0.5)"


def arcs(contexts: Contexts) -> tuple[Ints, Ints, Ints]:
    """From whom, to whom, and by which cell: the winner leads to the loser, a tie both ways."""
    first, second = contexts.first[contexts.context], contexts.second[contexts.context]
    down, up = np.flatnonzero(contexts.outcome >= 0), np.flatnonzero(contexts.outcome <= 0)
    return np.concatenate((first[down], second[up])), np.concatenate((second[down], first[up])), np.append(down, up)


def connected(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether wins and ties lead from each system to each."""
    start, end, cell = arcs(contexts)
    there = sums.cells[cell] > 0
    return reached(contexts.n, start, end, there) & reached(contexts.n, end, start, there)


def reached(n: int, start: Ints, end: Ints, there: Bools) -> Bools:
    """(draws) whether all can be reached from system 0; one step of all draws at a time."""
    gather = incidence(end, n)
    known = np.zeros((n, there.shape[1]), np.bool_)
    known[0] = True
    while True:
        more = known | (gather @ (there & known[start]).astype(np.float32) > 0)
        if (more == known).all():
            return np.asarray(known.all(axis=0))
        known = more


def davidson_has_maximum(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether Davidson's model has a maximum, where wins lead from each system to each.

    There is none where places d exist with d_i - d_j >= 1 for every win of i over j and |d_i - d_j| <= 1 for every tie:
    going on along d, wins and ties become certain. So there is one where some cycle has more wins, each passed from
    winner to loser, than ties; two systems that beat each other are one.
    """
    found = has_mutual_wins(contexts, sums)
    if found.all():
        return found
    left = np.flatnonzero(~found)
    start, end, cell = arcs(contexts)
    cost = np.where(contexts.outcome[cell] == 0, 1.0, -1.0)[:, None]
    order = np.argsort(end, kind="stable")
    start, end, cell, cost = start[order], end[order], cell[order], cost[order]
    there = sums.cells[np.ix_(cell, left)] > 0
    begins = np.flatnonzero(np.diff(end, prepend=-1))
    place = np.zeros((contexts.n, left.size))
    for _ in range(contexts.n + 1):  # after as many steps as systems, only cycles still lower a place
        best = np.minimum.reduceat(np.where(there, place[start] + cost, np.inf), begins, axis=0)
        lower = best < place[end[begins]]
        place[end[begins]] = np.minimum(best, place[end[begins]])
        if not lower.any():
            break
    found[left] = lower.any(axis=0)
    return found


def has_mutual_wins(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether some two systems beat each other."""
    codes, place = np.unique(contexts.first * contexts.n + contexts.second, return_inverse=True)
    pair = place.reshape(-1)[contexts.context]
    won = [incidence(pair[w], codes.size) @ sums.cells[w] for w in (contexts.outcome == 1, contexts.outcome == -1)]
    return np.asarray(((won[0] > 0) & (won[1] > 0)).any(axis=0))


def components(contexts: Contexts) -> tuple[int, Ints]:
    """How many groups of systems there are within which wins and ties lead from each to each; (systems) the groups."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    start, end, _ = arcs(contexts)
    graph = coo_array((np.ones(start.size), (start, end)), shape=(contexts.n, contexts.n)).tocsr()
    n, group = connected_components(graph, directed=True, connection="strong")
    return int(n), np.asarray(group, np.int64)


def check_connected(systems: tuple[str, ...], contexts: Contexts) -> None:
    """Raises InputError with the groups that no win leads out of or into."""
    n, group = components(contexts)
    if n == 1:
        return
    start, end, _ = arcs(contexts)
    out = group[start] != group[end]
    above = np.bincount(group[start[out]], minlength=n) - np.bincount(group[end[out]], minlength=n)
    best_first = np.argsort(-above, kind="stable")
    shown = "; ".join(format_names([systems[i] for i in np.flatnonzero(group == g)]) for g in best_first[:GROUPS])
    more = f"; and {n - GROUPS} more" if n > GROUPS else ""
    raise InputError(
        f"the wins do not lead from each system to each other one, so no strengths are most likely (Ford 1957); "
        f"{n} groups, of any two of which one never won against the other or tied with it: {shown}{more}; {CURE}"
    )


def format_names(names: list[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more
