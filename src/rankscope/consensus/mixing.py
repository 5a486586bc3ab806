"""Whether votes mix items so well that Plackett and Luce's worths exist: each above each other one, by steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.stages import NUMBERS
from rankscope.data.votes import Votes
from rankscope.data.wording import join_names
from rankscope.errors import InputError
from rankscope.typing import Bools, Floats

__all__ = ["TINY", "beaten_by", "connected", "pairs_above", "refuse_unconnected"]


#: Pairs of all voters that are held at once.
MOST = 1 << 23
#: What weighs at most this share of all voters, or of a prior, holds no worths together: it is below what slopes are
#: followed to.
TINY = 1e-9
#: Parts of the items that a message names.
PARTS_LISTED = 4


def pairs_above(votes: Votes, subsets: bool) -> Any:
    """Sparse (items * items, voters) 1 where the voter put the item of the row above that of the column, or level.

    None where this has more than MOST entries.
    """
    from scipy.sparse import csc_array  # slow to load

    voters, n = votes.ranks.shape
    ranked = (~np.isnan(votes.ranks)).sum(axis=1)
    if int((ranked * (ranked if subsets else n)).sum()) > MOST:
        return None
    codes, lengths = [], []
    for start in range(0, voters, max(NUMBERS // (n * n), 1)):
        above = above_in(votes, slice(start, start + max(NUMBERS // (n * n), 1)), subsets)
        voter, code = np.nonzero(above)
        codes.append(code)
        lengths.append(np.bincount(voter, minlength=len(above)))
    code = np.concatenate(codes)
    offsets = np.append(0, np.cumsum(np.concatenate(lengths)))
    return csc_array((np.ones(code.size, np.float32), code, offsets), shape=(n * n, voters)).tocsr()


def above_in(votes: Votes, some: slice, subsets: bool) -> Bools:
    """(some voters, items * items) whether the item of the row is above that of the column, or level."""
    places = votes.places[some]
    places = np.where(np.isnan(places), np.nan if subsets else np.inf, places)
    above = (places[:, :, None] <= places[:, None, :]) & np.isfinite(places[:, :, None])
    return np.asarray(above.reshape(len(places), -1))


def counting(weights: Floats) -> Bools:
    """(draws, voters) who counts."""
    return np.asarray(weights > TINY * weights.sum(axis=1, keepdims=True))


def beaten_by(votes: Votes, weights: Floats, subsets: bool) -> npt.NDArray[np.float32]:
    """(draws, items, items) above 0 where a voter who counts has the item of the row above or beside the column's."""
    voters, n = votes.ranks.shape
    refuse_items(n)
    found = np.zeros((len(weights), n * n), np.float32)
    step, counts = max(NUMBERS // (n * n), 1), counting(weights).astype(np.float32)
    for start in range(0, voters, step):
        some = slice(start, start + step)
        found += counts[:, some] @ above_in(votes, some, subsets)
    return found.reshape(-1, n, n)


def connected(votes: Votes, weights: Floats, subsets: bool, pairs: Any = None) -> Bools:
    """(draws) whether each item was above each other one, directly or through others. pairs: of `pairs_above`."""
    n = len(votes.items)
    found = np.empty(len(weights), np.bool_)
    step = max(4 * NUMBERS // (n * n), 1)
    for start in range(0, len(weights), step):
        some = weights[start : start + step]
        if pairs is None:
            above = beaten_by(votes, some, subsets)
        else:
            above = np.asarray(pairs @ counting(some).T.astype(np.float32)).T.reshape(-1, n, n)
        good = np.ones(len(above), np.bool_)
        for matrix in (above, above.transpose(0, 2, 1)):
            reached = np.zeros((len(above), 1, n), np.float32)
            reached[:, :, 0] = 1
            for _ in range(n):
                more = np.minimum(reached + reached @ matrix, 1)
                if (more > 0).sum() == (reached > 0).sum():
                    break
                reached = more
            good &= (reached > 0).all(axis=(1, 2))
        found[start : start + step] = good
    return found


def refuse_unconnected(votes: Votes, weights: Floats, subsets: bool) -> None:
    """Raises InputError with the parts of the items of which one was never above the other."""
    from scipy.sparse.csgraph import connected_components  # slow to load

    above = beaten_by(votes, weights[None], subsets)[0] > 0
    n_parts, part = connected_components(above, directed=True, connection="strong")
    if n_parts == 1:
        return
    strength = [float(above[part == one].sum(axis=1).mean()) for one in range(n_parts)]
    by_strength = sorted(range(n_parts), key=lambda one: -strength[one])
    names = ["{" + join_names([votes.items[i] for i in np.flatnonzero(part == one)]) + "}" for one in by_strength]
    raise InputError(
        f"the items fall into {n_parts} parts that no voter mixes ({join_names(names, PARTS_LISTED)}): of any two parts one "
        "is never above the other, so that no worths are most likely; pass a prior above 0, as 0.5, or leave items out"
    )
