"""Plackett and Luce's likelihood: rankings as choices made one after another, with equal choice sets merged.

For each choice the likelihood needs the logarithm of a sum of worths, which depends only on the set of items to choose
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

    Attributes
    ----------
    order
        The items by place, those that do not take part last.
    start, end
        The first place of the group of tied items at each place, and the place after its last.
    passed
        The share of the group that is chosen before this place, 0 for the first.
    is_choice
        1 where a choice is made at the place, else 0.
    participates
        1 where the item can be chosen, else 0.
    choice_shares
        By item, its share of a choice.
    """

    order: Ints
    start: Ints
    end: Ints
    passed: Floats
    is_choice: Floats
    participates: Floats
    choice_shares: Floats

    def select(self, draws: slice | Ints, voters: slice = slice(None)) -> ChoiceStages:
        """The stages of some voters and, where each draw has its own votes, of some draws."""
        arrays = {name: getattr(self, name) for name in self.__dataclass_fields__}
        rows = slice(None) if len(self.order) == 1 else draws
        return ChoiceStages(**{name: values[rows, voters] for name, values in arrays.items()})


def stages_of(places: Floats, *, subsets: bool) -> ChoiceStages:
    """The choices of votes, from places, (voters, items) or (sets of votes, voters, items), NaN for unranked items.

    A voter chooses the best of all items, then of the remaining ones. Where t items are tied, the choices among them
    are averaged over their orders: each has 1/t of each of these choices, and after s of them s/t of the group's worth
    is removed (Efron's approximation; exact for two items). The last of all items is no choice. subsets: voters chose
    only among their ranked items; else among all, and stopped before the unranked ones.
    """
    places = places.reshape(-1, *places.shape[-2:])
    n = places.shape[-1]
    ranked = ~np.isnan(places)
    order = np.argsort(places, axis=-1, kind="stable")
    sorted_places = np.take_along_axis(places, order, axis=-1)
    starts_group = np.ones(places.shape, np.bool_)
    # NaN differs from NaN: each is a group of its own.
    starts_group[..., 1:] = sorted_places[..., 1:] != sorted_places[..., :-1]
    position = np.broadcast_to(np.arange(n), places.shape)
    start = np.maximum.accumulate(np.where(starts_group, position, 0), axis=-1)
    ends_group = np.concatenate([starts_group[..., 1:], np.ones((*places.shape[:-1], 1), np.bool_)], axis=-1)
    end = np.minimum.accumulate(np.where(ends_group, position + 1, n)[..., ::-1], axis=-1)[..., ::-1]
    passed = (position - start) / (end - start)
    size = ranked.sum(axis=-1, keepdims=True)
    participates = ranked if subsets else np.ones(places.shape, np.bool_)
    is_choice = (position < size) & (position < participates.sum(axis=-1, keepdims=True) - 1)
    # The choices made within a group are shared by its members.
    n_choices_before = np.concatenate([np.zeros((*places.shape[:-1], 1)), np.cumsum(is_choice, axis=-1)], axis=-1)
    group_choices = np.take_along_axis(n_choices_before, end, axis=-1) - np.take_along_axis(
        n_choices_before, start, axis=-1
    )
    choice_shares = np.empty(places.shape)
    np.put_along_axis(choice_shares, order, group_choices / (end - start), axis=-1)
    return ChoiceStages(
        order=order,
        start=start,
        end=end,
        passed=passed,
        is_choice=is_choice.astype(np.float64),
        participates=participates.astype(np.float64),
        choice_shares=choice_shares,
    )


def denominators(stages: ChoiceStages, worths: Floats) -> Floats:
    """The summed worths of the items to choose from at each place; 1 where no choice is made. worths: by item."""
    by_place = np.take_along_axis(worths * stages.participates, stages.order, axis=-1)
    remaining = np.zeros((*by_place.shape[:-1], by_place.shape[-1] + 1))
    remaining[..., :-1] = np.cumsum(by_place[..., ::-1], axis=-1)[..., ::-1]
    before = np.take_along_axis(remaining, stages.start, axis=-1)
    after = np.take_along_axis(remaining, stages.end, axis=-1)
    return np.where(stages.is_choice > 0, before + stages.passed * (after - before), 1.0)


def burdens(stages: ChoiceStages, rates: Floats, power: int = 1) -> Floats:
    """By item: the sum over choices of the rate times a power of the item's part in the choice.

    The part is 1 before the item's group, 1 - passed within it, 0 after it.
    """
    n = rates.shape[-1]

    def cumulative(values: Floats) -> Floats:
        total = np.zeros((*values.shape[:-1], n + 1))
        total[..., 1:] = np.cumsum(values, axis=-1)
        return total

    before = np.take_along_axis(cumulative(rates), stages.start, axis=-1)
    weighted_rates = cumulative(rates * (1 - stages.passed) ** power)
    within = np.take_along_axis(weighted_rates, stages.end, axis=-1) - np.take_along_axis(
        weighted_rates, stages.start, axis=-1
    )
    by_item = np.empty(rates.shape)
    np.put_along_axis(by_item, np.broadcast_to(stages.order, rates.shape), before + within, axis=-1)
    return np.asarray(by_item * stages.participates)


def slope(stages: ChoiceStages, log_worths: Floats, weights: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """(draws) the log-likelihood and (draws, items) its derivatives: observed less expected choices of each item.

    Parameters
    ----------
    stages
        One set of votes for all draws, or one for each draw.
    log_worths
        (draws, items) where the derivatives are taken.
    weights
        (draws, voters) the weight of each voter.
    prior
        (draws) wins and losses of each item against one of average log-worth.
    """
    n_draws, n_voters = weights.shape
    n_items = log_worths.shape[1]
    likelihood, gradient = np.zeros(n_draws), np.zeros((n_draws, n_items))
    voters_at_once = max(NUMBERS // n_items, 1)
    for voter_start in range(0, n_voters, voters_at_once):
        voter_block = slice(voter_start, min(voter_start + voters_at_once, n_voters))
        step = max(NUMBERS // ((voter_block.stop - voter_block.start) * n_items), 1)
        for start in range(0, n_draws, step):
            draws = slice(start, start + step)
            block_stages = stages.select(draws, voter_block)
            weight = weights[draws, voter_block, None]
            logs = log_worths[draws, None, :]
            worths = np.exp(logs)
            totals = denominators(block_stages, worths)
            likelihood[draws] += (
                weight * (block_stages.choice_shares * logs - block_stages.is_choice * np.log(totals))
            ).sum(axis=(1, 2))
            expected = burdens(block_stages, block_stages.is_choice / totals) * worths
            gradient[draws] += (weight * (block_stages.choice_shares - expected)).sum(axis=1)
    prior_value, prior_slope = prior_terms(log_worths, prior)
    return likelihood + prior_value, gradient + prior_slope


def prior_terms(log_worths: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """The contribution of the prior to the log-likelihood, (draws), and to its derivatives, (draws, items)."""
    deviations = log_worths - log_worths.mean(axis=1, keepdims=True)
    value = -prior * (np.abs(deviations) + 2 * np.log1p(np.exp(-np.abs(deviations)))).sum(axis=1)
    pulls = prior[:, None] * np.tanh(deviations / 2)
    return value, pulls.mean(axis=1, keepdims=True) - pulls


def curvature(stages: ChoiceStages, log_worths: Floats, weights: Floats) -> Floats:
    """(items, items) minus the second derivatives of the log-likelihood of one set of votes, without the prior.

    Parameters
    ----------
    stages
        One set of votes.
    log_worths
        (items) where the derivatives are taken.
    weights
        (voters) the weight of each voter.

    Notes
    -----
    Two items i and j share the choices up to the group of the better one, so that they share the lesser of their two
    burdens, or less within a group of tied items.
    """
    n_items = log_worths.size
    worths = np.exp(log_worths)
    totals = denominators(stages, np.broadcast_to(worths, stages.order.shape))
    expected = weights @ burdens(stages, stages.is_choice / totals)[0] * worths
    rates = stages.is_choice / totals**2
    burden, squared_burden = burdens(stages, rates)[0], burdens(stages, rates, power=2)[0]
    tied = bool((stages.end - stages.start > 1).any())
    shared = np.zeros((n_items, n_items))
    step = max(NUMBERS // (n_items * n_items), 1)
    group = np.empty(burden.shape, np.int64)
    np.put_along_axis(group, stages.order[0], stages.start[0], axis=-1)
    for start in range(0, len(weights), step):
        voters = slice(start, start + step)
        shared_burden = np.minimum(burden[voters, :, None], burden[voters, None, :])
        if tied:
            same_group = group[voters, :, None] == group[voters, None, :]
            shared_burden -= np.where(same_group, (burden - squared_burden)[voters, :, None], 0.0)
        shared += np.tensordot(weights[voters], shared_burden, axes=1)
    return np.asarray(np.diag(expected) - shared * worths[:, None] * worths)


def prior_curvature(log_worths: Floats, prior: float) -> Floats:
    """(items, items) minus the second derivatives of the prior."""
    n = log_worths.size
    deviations = log_worths - log_worths.mean()
    centre = np.eye(n) - 1 / n
    curvatures = prior / (2 * np.cosh(np.clip(deviations / 2, -300, 300)) ** 2)
    return np.asarray(centre @ (curvatures[:, None] * centre))


#: The most entries of all choices before equal ones are merged, which bounds memory; and the most entries for each
#: number of the votes, beyond which running sums over whole lists are faster.
MOST, DENSE = 1 << 23, 32


@dataclass(frozen=True, eq=False)
class ChoiceSets:
    """Votes as the sets of items that voters chose from.

    Attributes
    ----------
    sets
        Sparse (sets, items) the part of each item in the set, 1 except for tied items.
    transposed
        The transpose of `sets`, (items, sets).
    set_counts
        Sparse (sets, voters) how often each voter chose from each.
    item_choices
        Sparse (items, voters) the choices of each item, with shares for ties.
    """

    sets: Any
    transposed: Any
    set_counts: Any
    item_choices: Any

    @property
    def width(self) -> int:
        """Numbers in the largest array of one draw."""
        return int(self.sets.shape[0])

    def objective(self, weights: Floats, priors: Floats) -> Callable[[Ints, Floats], tuple[Floats, Floats]]:
        """The function for `bfgs.maximise`: the log-likelihoods of draws and their slopes. weights: (draws, voters)."""
        set_counts, item_choices = np.asarray(self.set_counts @ weights.T), np.asarray(self.item_choices @ weights.T)
        all_draws = np.arange(len(weights))

        def value_and_slope(draws: Ints, log_worths: Floats) -> tuple[Floats, Floats]:
            is_all = np.array_equal(draws, all_draws)
            draw_set_counts, draw_item_choices = (
                (set_counts, item_choices) if is_all else (set_counts[:, draws], item_choices[:, draws])
            )
            worths = np.exp(log_worths.T)
            totals = np.asarray(self.sets @ worths)
            value = np.einsum("id,id->d", draw_item_choices, log_worths.T) - np.einsum(
                "sd,sd->d", draw_set_counts, np.log(totals)
            )
            slope = (draw_item_choices - worths * (self.transposed @ (draw_set_counts / totals))).T
            prior_value, prior_slope = prior_terms(log_worths, priors[draws])
            return value + prior_value, np.ascontiguousarray(slope + prior_slope)

        return value_and_slope

    def curvature(self, log_worths: Floats, weights: Floats) -> Floats:
        """(items, items) minus the second derivatives, without the prior, as by `curvature`. weights: (voters)."""
        from scipy.sparse import dia_array

        worths = np.exp(log_worths)
        totals, set_counts = self.sets @ worths, self.set_counts @ weights
        scaled_sets = (
            dia_array(((np.sqrt(set_counts) / totals)[None], [0]), shape=(totals.size, totals.size)) @ self.sets
        )
        shared = np.asarray((scaled_sets.T @ scaled_sets).toarray())
        return np.asarray(
            np.diag(worths * (self.transposed @ (set_counts / totals))) - shared * worths[:, None] * worths
        )


def choice_sets_of(stages: ChoiceStages) -> ChoiceSets | None:
    """The merged choices of one set of votes; None where there are so many that running sums are faster."""
    from scipy.sparse import coo_array, csr_array

    n_voters, n_items = stages.order.shape[1:]
    voter, place = np.nonzero(stages.is_choice[0] > 0)
    start, end = stages.start[0][voter, place], stages.end[0][voter, place]
    lengths = stages.participates[0].sum(axis=1).astype(np.int64)[voter] - start
    n_entries = int(lengths.sum())
    if not voter.size or n_entries > min(MOST, DENSE * stages.order[0].size):
        return None
    positions = ranges(start, lengths)
    in_tie_group = positions < np.repeat(end, lengths)
    shares = np.where(in_tie_group, np.repeat(1 - stages.passed[0][voter, place], lengths), 1.0)
    set_items = stages.order[0][np.repeat(voter, lengths), positions]
    offsets = np.append(0, np.cumsum(lengths))
    choices = csr_array((shares, set_items.astype(np.int32), offsets), shape=(voter.size, n_items))
    choices.sort_indices()
    representatives, set_index = group_equal_rows(choices)
    sets = choices[representatives]
    choice_counts = coo_array((np.ones(voter.size), (set_index, voter)), shape=(representatives.size, n_voters)).tocsr()
    return ChoiceSets(sets, sets.T.tocsr(), choice_counts, csr_array(stages.choice_shares[0].T))


def group_equal_rows(matrix: Any) -> tuple[Ints, Ints]:
    """The first row of each kind of equal rows of a sparse matrix, and the kind of each row."""
    lengths = np.diff(matrix.indptr).astype(np.int64)
    keys = mix_bits(matrix.indices.astype(np.uint64) ^ mix_bits(matrix.data.view(np.uint64)))
    sums = np.add.reduceat(keys, matrix.indptr[:-1].astype(np.int64))
    _, representatives, kind = np.unique(sums, return_index=True, return_inverse=True)
    kind = kind.reshape(-1)
    twin_entries = ranges(matrix.indptr[representatives[kind]].astype(np.int64), lengths)
    same_lengths = (lengths == lengths[representatives[kind]]).all()
    if (
        same_lengths
        and (matrix.indices == matrix.indices[twin_entries]).all()
        and (matrix.data == matrix.data[twin_entries]).all()
    ):
        return representatives, kind
    return np.arange(lengths.size), np.arange(lengths.size)  # two kinds with one sum, which practically never happens


def mix_bits(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mixed bits, so that sums of different values differ (the last steps of Steele's SplitMix64)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
