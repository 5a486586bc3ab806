"""Plackett and Luce's likelihood: rankings as choices made one after another, equal choices brought together.

Of each choice the likelihood needs the logarithm of a sum of worths, which depends on nothing but the items to choose
from. So equal sets are one row of a sparse matrix, and a resample changes only how often each row counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.order import ranges
from rankscope.typing import Floats, Ints

__all__ = [
    "NUMBERS",
    "ChoiceSets",
    "ChoiceStages",
    "choice_sets_of",
    "curvature",
    "prior_curvature",
    "prior_terms",
    "slope",
    "stages_of",
]


#: Numbers in the largest array of a chunk.
NUMBERS = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceStages:
    """Votes as choices, in arrays (sets of votes, voters, items).

    order: the items by place, those who have no part last. start, end: of the group of tied items that each place is
    in. passed: the share of the group that is chosen before this place, 0 for the first. counts: 1 where a choice is
    made at the place, else 0. there: 1 where the item has a part. chosen: by item, how much of a choice it is.
    """

    order: Ints
    start: Ints
    end: Ints
    passed: Floats
    counts: Floats
    there: Floats
    chosen: Floats

    def part(self, draws: slice | Ints, voters: slice = slice(None)) -> ChoiceStages:
        """Of some draws, where each has votes of its own, and some voters."""
        of = {name: getattr(self, name) for name in self.__dataclass_fields__}
        rows = slice(None) if len(self.order) == 1 else draws
        return ChoiceStages(**{name: values[rows, voters] for name, values in of.items()})


def stages_of(places: Floats, *, subsets: bool) -> ChoiceStages:
    """From places, (voters, items) or (sets of votes, voters, items), NaN where an item is not ranked.

    A voter chooses the best of all items, then of those left. Where t items are tied, the choices among them are
    averaged over their orders: each has 1/t of each of these choices, and after s of them s/t of the group's worth is
    gone (Efron's approximation; exact for two items). The last item of all is no choice. subsets: only ranked items
    were there to choose from; else the others were, too, and choosing stopped before them.
    """
    places = places.reshape(-1, *places.shape[-2:])
    n = places.shape[-1]
    ranked = ~np.isnan(places)
    order = np.argsort(places, axis=-1, kind="stable")
    rising = np.take_along_axis(places, order, axis=-1)
    new = np.ones(places.shape, np.bool_)
    new[..., 1:] = rising[..., 1:] != rising[..., :-1]  # NaN is unlike NaN: each a group of its own
    at = np.broadcast_to(np.arange(n), places.shape)
    start = np.maximum.accumulate(np.where(new, at, 0), axis=-1)
    last = np.concatenate([new[..., 1:], np.ones((*places.shape[:-1], 1), np.bool_)], axis=-1)
    end = np.minimum.accumulate(np.where(last, at + 1, n)[..., ::-1], axis=-1)[..., ::-1]
    passed = (at - start) / (end - start)
    size = ranked.sum(axis=-1, keepdims=True)
    there = ranked if subsets else np.ones(places.shape, np.bool_)
    made = (at < size) & (at < there.sum(axis=-1, keepdims=True) - 1)
    # of a group, as many choices as are made, shared by its members
    made_before = np.concatenate([np.zeros((*places.shape[:-1], 1)), np.cumsum(made, axis=-1)], axis=-1)
    within = np.take_along_axis(made_before, end, axis=-1) - np.take_along_axis(made_before, start, axis=-1)
    chosen = np.empty(places.shape)
    np.put_along_axis(chosen, order, within / (end - start), axis=-1)
    return ChoiceStages(
        order=order,
        start=start,
        end=end,
        passed=passed,
        counts=made.astype(np.float64),
        there=there.astype(np.float64),
        chosen=chosen,
    )


def denominators(stages: ChoiceStages, worths: Floats) -> Floats:
    """What there is to choose from at each place, as a sum of worths; 1 where no choice is made. worths: by item."""
    by_place = np.take_along_axis(worths * stages.there, stages.order, axis=-1)
    left = np.zeros((*by_place.shape[:-1], by_place.shape[-1] + 1))
    left[..., :-1] = np.cumsum(by_place[..., ::-1], axis=-1)[..., ::-1]
    before = np.take_along_axis(left, stages.start, axis=-1)
    after = np.take_along_axis(left, stages.end, axis=-1)
    return np.where(stages.counts > 0, before + stages.passed * (after - before), 1.0)


def burdens(stages: ChoiceStages, rates: Floats, power: int = 1) -> Floats:
    """By item: its part in each choice, to a power, times the choice's rate, summed over the choices.

    The part is 1 before its group; within, what is not passed; 0 after.
    """
    n = rates.shape[-1]

    def up_to(values: Floats) -> Floats:
        total = np.zeros((*values.shape[:-1], n + 1))
        total[..., 1:] = np.cumsum(values, axis=-1)
        return total

    before = np.take_along_axis(up_to(rates), stages.start, axis=-1)
    own = up_to(rates * (1 - stages.passed) ** power)
    within = np.take_along_axis(own, stages.end, axis=-1) - np.take_along_axis(own, stages.start, axis=-1)
    found = np.empty(rates.shape)
    np.put_along_axis(found, np.broadcast_to(stages.order, rates.shape), before + within, axis=-1)
    return np.asarray(found * stages.there)


def slope(stages: ChoiceStages, log_worths: Floats, weights: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """(draws) the log-likelihood and (draws, items) its derivatives: choices of each item, less those expected.

    weights: (draws, voters); prior: (draws) wins and losses of each item against one of average log-worth. stages: one
    set of votes for all draws, or one a draw.
    """
    draws, voters = weights.shape
    items = log_worths.shape[1]
    likelihood, gained = np.zeros(draws), np.zeros((draws, items))
    voters_at_once = max(NUMBERS // items, 1)
    for first in range(0, voters, voters_at_once):
        block = slice(first, min(first + voters_at_once, voters))
        step = max(NUMBERS // ((block.stop - block.start) * items), 1)
        for start in range(0, draws, step):
            some = slice(start, start + step)
            mine = stages.part(some, block)
            weight = weights[some, block, None]
            logs = log_worths[some, None, :]
            worths = np.exp(logs)
            bottom = denominators(mine, worths)
            likelihood[some] += (weight * (mine.chosen * logs - mine.counts * np.log(bottom))).sum(axis=(1, 2))
            expected = burdens(mine, mine.counts / bottom) * worths
            gained[some] += (weight * (mine.chosen - expected)).sum(axis=1)
    value, pull = prior_terms(log_worths, prior)
    return likelihood + value, gained + pull


def prior_terms(log_worths: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """What the prior adds to the log-likelihood, (draws), and to its derivatives, (draws, items)."""
    away = log_worths - log_worths.mean(axis=1, keepdims=True)
    value = -prior * (np.abs(away) + 2 * np.log1p(np.exp(-np.abs(away)))).sum(axis=1)
    pull = prior[:, None] * np.tanh(away / 2)
    return value, pull.mean(axis=1, keepdims=True) - pull


def curvature(stages: ChoiceStages, log_worths: Floats, weights: Floats) -> Floats:
    """(items, items) minus the second derivatives of the log-likelihood of one set of votes, without the prior.

    Two items i and j share the choices up to the group of the better one, so that what they share is the lesser of
    their two burdens; only within a group of tied items it is less. stages: one set; weights: (voters).
    """
    items = log_worths.size
    worths = np.exp(log_worths)
    bottom = denominators(stages, np.broadcast_to(worths, stages.order.shape))
    first = weights @ burdens(stages, stages.counts / bottom)[0] * worths
    rates = stages.counts / bottom**2
    burden, twice = burdens(stages, rates)[0], burdens(stages, rates, power=2)[0]
    tied = bool((stages.end - stages.start > 1).any())
    shared = np.zeros((items, items))
    step = max(NUMBERS // (items * items), 1)
    group = np.empty(burden.shape, np.int64)
    np.put_along_axis(group, stages.order[0], stages.start[0], axis=-1)
    for start in range(0, len(weights), step):
        some = slice(start, start + step)
        both = np.minimum(burden[some, :, None], burden[some, None, :])
        if tied:
            same = group[some, :, None] == group[some, None, :]
            both -= np.where(same, (burden - twice)[some, :, None], 0.0)
        shared += np.tensordot(weights[some], both, axes=1)
    return np.asarray(np.diag(first) - shared * worths[:, None] * worths)


def prior_curvature(log_worths: Floats, prior: float) -> Floats:
    """The same of the prior."""
    n = log_worths.size
    away = log_worths - log_worths.mean()
    centre = np.eye(n) - 1 / n
    steep = prior / (2 * np.cosh(np.clip(away / 2, -300, 300)) ** 2)
    return np.asarray(centre @ (steep[:, None] * centre))


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
