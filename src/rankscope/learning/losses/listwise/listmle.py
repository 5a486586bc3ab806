"""ListMLE: the likelihood of the true order under the Plackett-Luce model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.typing import Bools, Floats, Ints, Reals

__all__ = [
    "TIES",
    "listmle",
]


#: What is done with documents of one grade: an order by lot; Efron's average, Breslow's bound of it.
TIES = ("random", "efron", "breslow")
#: How much the stages of a list count: all alike, or 2 ** (documents behind) - 1.
STAGES = ("equal", "position")
#: Where scores of a list lie further apart, sums of exp(score) are computed as logarithms, which is slower.
WIDE = 600.0
#: Lists lie side by side in one table where that is at most so many times as large as they are, or small anyway.
WASTE, SMALL = 4, 1 << 16


def listmle(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    k: int | None = None,
    ties: str = "random",
    stages: str = "equal",
    lowest: bool = False,
    rng: np.random.Generator | int | None = None,
) -> tuple[float, Reals]:
    """ListMLE: minus the log-likelihood of the documents in the order of falling grade, a mean over the stages.

    At a stage the next document is chosen among those that are left with probability softmax(scores). At least 0,
    lower is better. The value of a list is the mean over its stages. k: only the first k stages (top-k ListMLE).
    stages: "position" weighs stage i of n with 2 ** (n - i) - 1, scaled to sum to 1 (p-ListMLE).
    ties: documents of one grade come in an order drawn anew at each call ("random"), or all orders at once, by Efron's
    ("efron") or Breslow's ("breslow") approximation; each of them is then as often at each stage of theirs, also where
    stages count unlike or only some of them do. lowest: whether the documents of a list's lowest grade are chosen
    from each other as well; their orders sum to probability 1, so by default they are not: as draws they only pull all
    their scores together, and on lists of mostly irrelevant documents drown the rest.
    A list of one grade counts as 0.

    Raises ParameterError for a parameter that is none of these.

    Source: Xia et al. (2008), "Listwise approach to learning to rank"; top k: Xia et al. (2009); position-aware: Lan et
    al. (2014); ties: Efron (1977), Breslow (1974), whose partial likelihood is that of Plackett and Luce.

    >>> value, gradient = listmle(np.zeros(3), np.array([2, 1, 0]), np.array([0, 3]))
    >>> round(value, 6), gradient.round(6).tolist()  # (log 3 + log 2) / 2; shares of 1/3 and 1/2
    (0.89588, [-0.333333, -0.083333, 0.416667])
    """
    check_parameters(k, ties, stages)
    lists, lengths = group_of(offsets), np.diff(offsets)
    keys = np.random.default_rng(rng).random(scores.size) if ties == "random" else np.arange(scores.size)
    order = np.lexsort((keys, -relevance, lists))
    grades, place = relevance[order], place_in_group(offsets)
    on = (
        np.ones(scores.size, np.bool_)
        if lowest
        else grades > np.repeat(np.minimum.reduceat(relevance, offsets[:-1]), lengths)
    )
    if lowest:
        on &= np.repeat(
            np.minimum.reduceat(relevance, offsets[:-1]) < np.maximum.reduceat(relevance, offsets[:-1]), lengths
        )
    if k is not None:
        on &= place < k
    weight = stage_weights(on, place, offsets, stages)
    given = scores[order].astype(np.float64)
    given -= np.repeat(np.maximum.reduceat(given, offsets[:-1]), lengths)
    value, gradient = likelihood(given, weight, grades, offsets, ties)
    found = np.empty(scores.size, scores.dtype)
    found[order] = gradient
    return value, found


def check_parameters(k: int | None, ties: str, stages: str) -> None:
    for name, given, allowed in (("ties", ties, TIES), ("stages", stages, STAGES)):
        if given not in allowed:
            raise ParameterError(f"{name} is {given!r}, expected one of {', '.join(map(repr, allowed))}")
    if k is not None and (not isinstance(k, (int, np.integer)) or k < 1):
        raise ParameterError(f"k is {k!r}, expected a whole number of at least 1")


def stage_weights(on: Bools, place: Ints, offsets: Ints, stages: str) -> Floats:
    """(documents) what each stage counts in the mean over lists; those of a list sum to 1 / lists, or to 0."""
    lengths, starts = np.diff(offsets), offsets[:-1]
    weight = on.astype(np.float64)
    if stages == "position":  # relative to 2 ** n, which has no number for long lists
        weight *= np.exp2(-(place + 1.0)) - np.exp2(-np.repeat(lengths, lengths).astype(np.float64))
    total = np.add.reduceat(weight, starts)
    return np.asarray(
        weight * np.repeat(np.divide(1.0, total * lengths.size, out=np.zeros(total.size), where=total > 0), lengths)
    )


def likelihood(
    given: Floats, weight: Floats, grades: npt.NDArray[Any], offsets: Ints, ties: str
) -> tuple[float, Floats]:
    """The value and the gradient for lists in their true order, with scores of at most 0."""
    if given.min() < -WIDE:
        return wide_likelihood(given, weight, grades, offsets, ties)
    powers = np.exp(given)
    left, chosen, pull = suffix_sums(powers, offsets), given, weight
    if ties != "random":
        first, last = tie_groups(grades, offsets)
        chosen, pull = taken_in_turns(given, weight, first)
        group = left[first]
        if ties == "efron":  # of d tied documents, the r-th is chosen when a share r / d of all of them has gone
            tied = last - first + 1
            gone = (np.arange(given.size) - first) / tied
            behind = np.append(left, 0.0)[last + 1]
            behind[last + 1 == np.repeat(offsets[1:], np.diff(offsets))] = 0.0
            left = group - gone * (group - behind)
        else:
            left = group
    value = float((weight * (np.log(left) - chosen)).sum())
    # d value / d score = exp(score) * sum over the stages at which it was there of weight / left, less its own weight.
    shares = prefix_sums(weight / left, offsets)
    if ties != "random":
        shares = shares[last]
        if ties == "efron":
            own = prefix_sums(weight * gone / left, offsets)
            shares = shares - (
                own[last] - np.where(first == np.repeat(offsets[:-1], np.diff(offsets)), 0.0, own[first - 1])
            )
    return value, powers * shares - pull


def wide_likelihood(
    given: Floats, weight: Floats, grades: npt.NDArray[Any], offsets: Ints, ties: str
) -> tuple[float, Floats]:
    """The same, with a logarithm in the place of every sum: no score is too small for it."""
    left = along_lists(lambda rows: np.logaddexp.accumulate(rows[:, ::-1], axis=1)[:, ::-1], given, offsets, -np.inf)
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
        stay = np.zeros(given.size)
        first = last = np.arange(given.size)
        chosen, pull = given, weight
        if ties != "random":
            first, last = tie_groups(grades, offsets)
            chosen, pull = taken_in_turns(given, weight, first)
            group = left[first]
            if ties == "efron":
                gone = (np.arange(given.size) - first) / (last - first + 1)
                behind = np.append(left, -np.inf)[last + 1]
                behind[last + 1 == np.repeat(offsets[1:], np.diff(offsets))] = -np.inf
                stay = np.log1p(-gone)
                left = np.logaddexp(stay + group, np.log(gone) + behind)
            else:
                left = group
        each = np.log(weight) - left
    before = along_lists(lambda rows: np.logaddexp.accumulate(rows, axis=1), each, offsets, -np.inf)
    ahead = np.where(first == starts, -np.inf, before[first - 1])
    new = np.flatnonzero(first == np.arange(given.size))
    own = np.repeat(np.logaddexp.reduceat(each + stay, new), np.diff(np.append(new, given.size)))
    return float((weight * (left - chosen)).sum()), np.exp(given + np.logaddexp(ahead, own)) - pull


def tie_groups(grades: npt.NDArray[Any], offsets: Ints) -> tuple[Ints, Ints]:
    """(documents) the places of the first and last document of each one's grade, in lists sorted by grade."""
    new = np.ones(grades.size, np.bool_)
    new[1:] = grades[1:] != grades[:-1]
    new[offsets[:-1]] = True
    starts = np.flatnonzero(new)
    which = np.cumsum(new) - 1
    return starts[which], np.append(starts[1:], grades.size)[which] - 1


def taken_in_turns(given: Floats, weight: Floats, first: Ints) -> tuple[Floats, Floats]:
    """(documents) the score that is chosen at each stage, and the weight with which each document is chosen.

    Tied documents are at each stage of theirs equally often: both are means over them where stages weigh unlike. Where
    they weigh alike the sums are the same with each document at its own.
    """
    if (weight == weight[first]).all():
        return given, weight
    starts = np.flatnonzero(first == np.arange(first.size))
    sizes = np.diff(np.append(starts, first.size))
    middle, share = (np.repeat(np.add.reduceat(values, starts) / sizes, sizes) for values in (given, weight))
    return middle, share


def suffix_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each value and those behind it in its list."""
    return along_lists(lambda rows: np.cumsum(rows[:, ::-1], axis=1)[:, ::-1], values, offsets)


def prefix_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each value and those before it in its list."""
    return along_lists(lambda rows: np.cumsum(rows, axis=1), values, offsets)


def along_lists(function: Callable[[Floats], Floats], values: Floats, offsets: Ints, empty: float = 0.0) -> Floats:
    """(documents) what a function of rows gives for the lists, each a row with `empty` behind it.

    Lists of very different lengths are not laid side by side: the memory is a few times that of the values.
    """
    lengths = np.diff(offsets)
    longest = int(lengths.max())
    if longest * lengths.size <= max(WASTE * values.size, SMALL):
        mask = np.arange(longest) < lengths[:, None]
        table = np.full(mask.shape, empty)
        table[mask] = values
        return np.asarray(function(table)[mask])
    found = np.empty_like(values)
    classes = np.ceil(np.log2(np.maximum(lengths, 1)))  # up to 1, 2, 4, 8 ... documents
    for one in np.unique(classes):
        lists = np.flatnonzero(classes == one)
        places = np.arange(int(lengths[lists].max()))
        mask = places < lengths[lists, None]
        rows = (offsets[lists, None] + places)[mask]
        table = np.full(mask.shape, empty)
        table[mask] = values[rows]
        found[rows] = function(table)[mask]
    return found
