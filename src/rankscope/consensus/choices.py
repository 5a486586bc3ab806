"""Choices of votes brought together: those from the same items share one term of Plackett and Luce's likelihood.

Of each choice the likelihood needs the logarithm of a sum of worths, which depends on nothing but the items to choose
from. So equal sets are one row of a sparse matrix, and a resample changes only how often each row counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.consensus.stages import ChoiceStages, prior_terms
from rankscope.kernels.order import ranges
from rankscope.typing import Floats, Ints

__all__ = ["ChoiceSets", "choice_sets_of"]


#: Entries of all choices before equal ones are brought together: of more, memory would be too much; and for each number
#: of the votes, beyond which running sums over whole lists are quicker.
MOST, DENSE = 1 << 23, 32


@dataclass(frozen=True, eq=False)
class ChoiceSets:
    """Votes as the sets that were chosen from.

    sets: sparse (sets, items) the part of each item in the set, 1 but for tied items. made: sparse (sets, voters) how
    often each voter chose from each. chosen: sparse (items, voters) how much of a choice each item was. back: `sets`,
    turned around, (items, sets).
    """

    sets: Any
    back: Any
    made: Any
    chosen: Any

    @property
    def width(self) -> int:
        """Numbers that one draw takes."""
        return int(self.sets.shape[0])

    def height(self, weights: Floats, priors: Floats) -> Callable[[Ints, Floats], tuple[Floats, Floats]]:
        """What `ascent.maximise` climbs: the log-likelihoods of draws and their slopes. weights: (draws, voters)."""
        made, chosen = np.asarray(self.made @ weights.T), np.asarray(self.chosen @ weights.T)
        everything = np.arange(len(weights))

        def found(some: Ints, at: Floats) -> tuple[Floats, Floats]:
            whole = np.array_equal(some, everything)
            often, won = (made, chosen) if whole else (made[:, some], chosen[:, some])
            worths = np.exp(at.T)
            bottom = np.asarray(self.sets @ worths)
            value = np.einsum("id,id->d", won, at.T) - np.einsum("sd,sd->d", often, np.log(bottom))
            slope = (won - worths * (self.back @ (often / bottom))).T
            pulled, pull = prior_terms(at, priors[some])
            return value + pulled, np.ascontiguousarray(slope + pull)

        return found

    def curvature(self, log_worths: Floats, weights: Floats) -> Floats:
        """(items, items) minus the second derivatives, without the prior, as `stages.curvature`. weights: (voters)."""
        from scipy.sparse import dia_array

        worths = np.exp(log_worths)
        bottom, often = self.sets @ worths, self.made @ weights
        rows = dia_array(((np.sqrt(often) / bottom)[None], [0]), shape=(bottom.size, bottom.size)) @ self.sets
        shared = np.asarray((rows.T @ rows).toarray())
        return np.asarray(np.diag(worths * (self.back @ (often / bottom))) - shared * worths[:, None] * worths)


def choice_sets_of(stages: ChoiceStages) -> ChoiceSets | None:
    """The choices of one set of votes; None where there are so many that running sums are the better way."""
    from scipy.sparse import coo_array, csr_array

    voters, items = stages.order.shape[1:]
    voter, place = np.nonzero(stages.counts[0] > 0)
    start, end = stages.start[0][voter, place], stages.end[0][voter, place]
    lengths = stages.there[0].sum(axis=1).astype(np.int64)[voter] - start
    entries = int(lengths.sum())
    if not voter.size or entries > min(MOST, DENSE * stages.order[0].size):
        return None
    at = ranges(start, lengths)
    inside = at < np.repeat(end, lengths)
    parts = np.where(inside, np.repeat(1 - stages.passed[0][voter, place], lengths), 1.0)
    held = stages.order[0][np.repeat(voter, lengths), at]
    offsets = np.append(0, np.cumsum(lengths))
    every = csr_array((parts, held.astype(np.int32), offsets), shape=(voter.size, items))
    every.sort_indices()
    first, which = group_equal_rows(every)
    sets = every[first]
    made = coo_array((np.ones(voter.size), (which, voter)), shape=(first.size, voters)).tocsr()
    return ChoiceSets(sets, sets.T.tocsr(), made, csr_array(stages.chosen[0].T))


def group_equal_rows(matrix: Any) -> tuple[Ints, Ints]:
    """The first of each kind of row of a sparse matrix, and the kind of each row."""
    lengths = np.diff(matrix.indptr).astype(np.int64)
    keys = mix_bits(matrix.indices.astype(np.uint64) ^ mix_bits(matrix.data.view(np.uint64)))
    sums = np.add.reduceat(keys, matrix.indptr[:-1].astype(np.int64))
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    twin = ranges(matrix.indptr[first[which]].astype(np.int64), lengths)
    same = (lengths == lengths[first[which]]).all()
    if same and (matrix.indices == matrix.indices[twin]).all() and (matrix.data == matrix.data[twin]).all():
        return first, which
    return np.arange(lengths.size), np.arange(lengths.size)  # two kinds with one sum: once in many lifetimes


def mix_bits(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Bits stirred, so that sums of few values are unlike (the last steps of Steele's SplitMix64)."""
    found = values + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))
