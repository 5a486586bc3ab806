"""Listwise losses: ListNet, softmax cross-entropy, ListMLE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.gain import gain_exponential, gain_linear
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.kernels.softmax import log_softmax, softmax
from rankscope.learning.losses.finite import finite_loss
from rankscope.learning.losses.gains import finite_gains
from rankscope.typing import Bools, Floats, Ints, Reals

__all__ = [
    "TIES",
    "listmle",
    "listnet",
    "softmax_cross_entropy",
]


GAINS = {"linear": gain_linear, "exp": gain_exponential}


@finite_loss
def listnet(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    k: int = 1,
    rng: np.random.Generator | int | None = None,
    curvature: npt.NDArray[np.float64] | None = None,
) -> tuple[float, Reals]:
    """ListNet: the cross-entropy of the distributions that grades and scores give to the first k of each list.

    Lower is better; at least the entropy of the grades' distribution, reached if scores are the grades plus a constant.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    k
        Number of top ranks. With 1 the distributions are softmax(relevance) and softmax(scores).
    rng
        Seed or generator of the draws, which k above 1 needs.
    curvature
        (documents) The second derivatives by each score are added to it, with k = 1 only.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        k is below 1.

    Notes
    -----
    With k = 1 the gradient of a list is softmax(scores) - softmax(relevance). With k above 1 the distributions are
    those of Plackett and Luce over the ordered k documents, of which there are n (n - 1) ...: one draw for each list
    from the grades' distribution stands for all of them, so value and gradient are right on average.

    References
    ----------
    Cao et al. (2007), "Learning to rank: from pairwise approach to listwise approach", section 4; draws: Luo et al.
    (2015), "Stochastic top-k ListNet".

    Examples
    --------
    >>> value, gradient = listnet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.round(6).tolist()  # log 2; 1/2 - e / (1 + e)
    (0.693147, [-0.231059, 0.231059])
    """
    if k != 1:
        return sampled_top_k(scores, relevance, offsets, k, np.random.default_rng(rng))
    n_lists = offsets.size - 1
    log_shares = log_softmax(scores, offsets)
    target_shares = softmax(relevance.astype(scores.dtype), offsets)
    if curvature is not None:
        curvature += softmax_curvature(log_shares) / n_lists
    return float(-(target_shares * log_shares).sum(dtype=np.float64) / n_lists), np.asarray(
        (np.exp(log_shares) - target_shares) / scores.dtype.type(n_lists)
    )


def sampled_top_k(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, k: int, rng: np.random.Generator
) -> tuple[float, Reals]:
    """Minus the log-likelihood of the first k of an order that is drawn from the grades."""
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k is {k!r}, expected a whole number of at least 1")
    keys = relevance + rng.gumbel(size=relevance.size)  # their falling order is a sample of Plackett and Luce
    order = np.lexsort((-keys, group_of(offsets)))
    stage_weights = (place_in_group(offsets) < k) / (offsets.size - 1)
    sorted_scores = scores[order].astype(np.float64)
    sorted_scores -= np.repeat(np.maximum.reduceat(sorted_scores, offsets[:-1]), np.diff(offsets))
    value, gradient = likelihood(sorted_scores, stage_weights, -np.arange(scores.size), offsets, "random")
    document_gradient = np.empty(scores.size, scores.dtype)
    document_gradient[order] = gradient
    return value, document_gradient


@finite_loss
def softmax_cross_entropy(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    gain: str = "linear",
    curvature: npt.NDArray[np.float64] | None = None,
) -> tuple[float, Reals]:
    """The cross-entropy of the shares of gain and softmax(scores) of each list; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    gain
        The gain of a document, whose share of its list counts: its grade ("linear") or 2 ** grade - 1 ("exp").
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        gain is another text.

    Notes
    -----
    A list without a grade above 0 has the value 0.

    References
    ----------
    Bruch et al. (2019), "An analysis of the softmax cross entropy loss for learning-to-rank with binary relevance",
    equation 2; exp: XE-NDCG of Bruch (2021) without its draws.

    Examples
    --------
    >>> value, gradient = softmax_cross_entropy(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.tolist()  # log 2
    (0.693147, [-0.5, 0.5])
    """
    if gain not in tuple(GAINS):  # so that unhashable values are refused as well
        raise ParameterError(f"gain is {gain!r}, expected one of {', '.join(map(repr, GAINS))}")
    n_lists, lengths = offsets.size - 1, np.diff(offsets)
    gains = finite_gains(relevance, GAINS[gain])
    gain_totals = np.repeat(np.add.reduceat(gains, offsets[:-1]), lengths)
    target_shares = np.divide(gains, gain_totals, out=np.zeros(gains.size), where=gain_totals > 0).astype(scores.dtype)
    log_shares = log_softmax(scores, offsets)
    if curvature is not None:
        curvature += softmax_curvature(log_shares) * (gain_totals > 0) / n_lists
    gradient = (np.exp(log_shares) * (gain_totals > 0) - target_shares) / scores.dtype.type(n_lists)
    return float(-(target_shares * log_shares).sum(dtype=np.float64) / n_lists), np.asarray(gradient, scores.dtype)


def softmax_curvature(log_shares: Reals) -> Reals:
    """Second derivatives of the logarithm of the sum of exp(scores), from the logarithms of softmax(scores)."""
    shares = np.exp(log_shares)
    return np.asarray(shares * (1 - shares))


#: Treatment of documents of one grade: a random order, Efron's average, or Breslow's bound of it.
TIES = ("random", "efron", "breslow")
#: Weights of the stages of a list: equal, or 2 ** (documents behind) - 1.
STAGES = ("equal", "position")
#: Where the scores of a list differ by more, sums of exp(score) are computed as logarithms, which is slower.
MAX_SPREAD = 600.0
#: Lists share one table where that has at most so many times as many cells as there are documents, or so few cells.
MAX_PADDING, SMALL_TABLE = 4, 1 << 16


@finite_loss
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
    """ListMLE: minus the log-likelihood of the documents in the order of falling grade; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    k
        Use only the first k stages (top-k ListMLE). Default: all.
    ties
        Order of documents of one grade: drawn anew at each call ("random"), or all orders at once by Efron's ("efron")
        or Breslow's ("breslow") approximation.
    stages
        Weights of the stages: "equal", or "position", which weighs stage i of n with 2 ** (n - i) - 1, scaled to sum to
        1 (p-ListMLE).
    lowest
        Whether the documents of a list's lowest grade are chosen from each other as well.
    rng
        Seed or generator of the order of ties.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        A parameter has another value.

    Notes
    -----
    At each stage the next document is chosen among the remaining ones with probability softmax(scores). The value of a
    list is the mean over its stages; a list of one grade has the value 0. With the approximations for ties, each tied
    document is equally often at each of their stages, also if stages have different weights or only some of them count.
    All orders of the documents of the lowest grade sum to probability 1. They are skipped by default: as draws they
    only pull all their scores together, and dominate lists of mostly irrelevant documents.

    References
    ----------
    Xia et al. (2008), "Listwise approach to learning to rank"; top k: Xia et al. (2009); position-aware: Lan et al.
    (2014); ties: Efron (1977), Breslow (1974), whose partial likelihood is that of Plackett and Luce.

    Examples
    --------
    >>> value, gradient = listmle(np.zeros(3), np.array([2, 1, 0]), np.array([0, 3]))
    >>> round(value, 6), gradient.round(6).tolist()  # (log 3 + log 2) / 2; shares of 1/3 and 1/2
    (0.89588, [-0.333333, -0.083333, 0.416667])
    """
    check_parameters(k, ties, stages)
    list_index, lengths = group_of(offsets), np.diff(offsets)
    keys = np.random.default_rng(rng).random(scores.size) if ties == "random" else np.arange(scores.size)
    order = np.lexsort((keys, -relevance, list_index))
    grades, position = relevance[order], place_in_group(offsets)
    is_counted = (
        np.ones(scores.size, np.bool_)
        if lowest
        else grades > np.repeat(np.minimum.reduceat(relevance, offsets[:-1]), lengths)
    )
    if lowest:
        is_counted &= np.repeat(
            np.minimum.reduceat(relevance, offsets[:-1]) < np.maximum.reduceat(relevance, offsets[:-1]), lengths
        )
    if k is not None:
        is_counted &= position < k
    weight = stage_weights(is_counted, position, offsets, stages)
    sorted_scores = scores[order].astype(np.float64)
    sorted_scores -= np.repeat(np.maximum.reduceat(sorted_scores, offsets[:-1]), lengths)
    value, gradient = likelihood(sorted_scores, weight, grades, offsets, ties)
    document_gradient = np.empty(scores.size, scores.dtype)
    document_gradient[order] = gradient
    return value, document_gradient


def check_parameters(k: int | None, ties: str, stages: str) -> None:
    for name, value, choices in (("ties", ties, TIES), ("stages", stages, STAGES)):
        if value not in choices:
            raise ParameterError(f"{name} is {value!r}, expected one of {', '.join(map(repr, choices))}")
    if k is not None and (not isinstance(k, (int, np.integer)) or k < 1):
        raise ParameterError(f"k is {k!r}, expected a whole number of at least 1")


def stage_weights(is_counted: Bools, position: Ints, offsets: Ints, stages: str) -> Floats:
    """(documents) the weight of each stage in the mean over lists; those of a list sum to 1 / lists, or to 0."""
    lengths, starts = np.diff(offsets), offsets[:-1]
    weight = is_counted.astype(np.float64)
    if stages == "position":  # relative to 2 ** n, which overflows for long lists
        weight *= np.exp2(-(position + 1.0)) - np.exp2(-np.repeat(lengths, lengths).astype(np.float64))
    list_totals = np.add.reduceat(weight, starts)
    return np.asarray(
        weight
        * np.repeat(
            np.divide(1.0, list_totals * lengths.size, out=np.zeros(list_totals.size), where=list_totals > 0), lengths
        )
    )


def likelihood(
    sorted_scores: Floats, weight: Floats, grades: npt.NDArray[Any], offsets: Ints, ties: str
) -> tuple[float, Floats]:
    """The value and the gradient for lists in their true order, with scores of at most 0."""
    if sorted_scores.min() < -MAX_SPREAD:
        return wide_likelihood(sorted_scores, weight, grades, offsets, ties)
    exp_scores = np.exp(sorted_scores)
    remaining, chosen_scores, chosen_weights = suffix_sums(exp_scores, offsets), sorted_scores, weight
    if ties != "random":
        first, last = tie_groups(grades, offsets)
        chosen_scores, chosen_weights = average_over_ties(sorted_scores, weight, first)
        group_remaining = remaining[first]
        if ties == "efron":  # the r-th (from 0) of d tied documents is chosen when a share r / d of them is gone
            group_sizes = last - first + 1
            gone_share = (np.arange(sorted_scores.size) - first) / group_sizes
            remaining_after = np.append(remaining, 0.0)[last + 1]
            remaining_after[last + 1 == np.repeat(offsets[1:], np.diff(offsets))] = 0.0
            remaining = group_remaining - gone_share * (group_remaining - remaining_after)
        else:
            remaining = group_remaining
    value = float((weight * (np.log(remaining) - chosen_scores)).sum())
    # d value / d score = exp(score) * sum of weight / remaining while it remains, less its own weight.
    weight_sums = prefix_sums(weight / remaining, offsets)
    if ties != "random":
        weight_sums = weight_sums[last]
        if ties == "efron":
            gone_weight_sums = prefix_sums(weight * gone_share / remaining, offsets)
            weight_sums = weight_sums - (
                gone_weight_sums[last]
                - np.where(first == np.repeat(offsets[:-1], np.diff(offsets)), 0.0, gone_weight_sums[first - 1])
            )
    return value, exp_scores * weight_sums - chosen_weights


def wide_likelihood(
    sorted_scores: Floats, weight: Floats, grades: npt.NDArray[Any], offsets: Ints, ties: str
) -> tuple[float, Floats]:
    """The same with logarithms of all sums, so that no score is too small."""
    log_remaining = along_lists(
        lambda rows: np.logaddexp.accumulate(rows[:, ::-1], axis=1)[:, ::-1], sorted_scores, offsets, -np.inf
    )
    list_starts = np.repeat(offsets[:-1], np.diff(offsets))
    with np.errstate(divide="ignore"):  # log(0) is -inf here
        log_stay = np.zeros(sorted_scores.size)
        first = last = np.arange(sorted_scores.size)
        chosen_scores, chosen_weights = sorted_scores, weight
        if ties != "random":
            first, last = tie_groups(grades, offsets)
            chosen_scores, chosen_weights = average_over_ties(sorted_scores, weight, first)
            group_log_remaining = log_remaining[first]
            if ties == "efron":
                gone_share = (np.arange(sorted_scores.size) - first) / (last - first + 1)
                log_remaining_after = np.append(log_remaining, -np.inf)[last + 1]
                log_remaining_after[last + 1 == np.repeat(offsets[1:], np.diff(offsets))] = -np.inf
                log_stay = np.log1p(-gone_share)
                log_remaining = np.logaddexp(log_stay + group_log_remaining, np.log(gone_share) + log_remaining_after)
            else:
                log_remaining = group_log_remaining
        log_stage_weights = np.log(weight) - log_remaining
    log_prefix_sums = along_lists(
        lambda rows: np.logaddexp.accumulate(rows, axis=1), log_stage_weights, offsets, -np.inf
    )
    log_before = np.where(first == list_starts, -np.inf, log_prefix_sums[first - 1])
    group_starts = np.flatnonzero(first == np.arange(sorted_scores.size))
    log_within = np.repeat(
        np.logaddexp.reduceat(log_stage_weights + log_stay, group_starts),
        np.diff(np.append(group_starts, sorted_scores.size)),
    )
    return float((weight * (log_remaining - chosen_scores)).sum()), np.exp(
        sorted_scores + np.logaddexp(log_before, log_within)
    ) - chosen_weights


def tie_groups(grades: npt.NDArray[Any], offsets: Ints) -> tuple[Ints, Ints]:
    """(documents) indices of the first and the last document of the same grade, in lists sorted by grade."""
    starts_group = np.ones(grades.size, np.bool_)
    starts_group[1:] = grades[1:] != grades[:-1]
    starts_group[offsets[:-1]] = True
    group_starts = np.flatnonzero(starts_group)
    group_index = np.cumsum(starts_group) - 1
    return group_starts[group_index], np.append(group_starts[1:], grades.size)[group_index] - 1


def average_over_ties(sorted_scores: Floats, weight: Floats, first: Ints) -> tuple[Floats, Floats]:
    """(documents) the score that is chosen at each stage, and the weight with which each document is chosen.

    Tied documents are equally often at each of their stages, so both are means over them where the weights of stages
    differ. Where the weights are equal, the sums are the same with each document at its own stage.
    """
    if (weight == weight[first]).all():
        return sorted_scores, weight
    group_starts = np.flatnonzero(first == np.arange(first.size))
    group_sizes = np.diff(np.append(group_starts, first.size))
    mean_scores, mean_weights = (
        np.repeat(np.add.reduceat(values, group_starts) / group_sizes, group_sizes)
        for values in (sorted_scores, weight)
    )
    return mean_scores, mean_weights


def suffix_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each value and those behind it in its list."""
    return along_lists(lambda rows: np.cumsum(rows[:, ::-1], axis=1)[:, ::-1], values, offsets)


def prefix_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each value and those before it in its list."""
    return along_lists(lambda rows: np.cumsum(rows, axis=1), values, offsets)


def along_lists(function: Callable[[Floats], Floats], values: Floats, offsets: Ints, empty: float = 0.0) -> Floats:
    """(documents) apply a function of rows to the lists, each a row of a table padded with `empty`.

    Lists of very different lengths get tables of their own: the memory is a few times that of the values.
    """
    lengths = np.diff(offsets)
    longest = int(lengths.max())
    if longest * lengths.size <= max(MAX_PADDING * values.size, SMALL_TABLE):
        mask = np.arange(longest) < lengths[:, None]
        table = np.full(mask.shape, empty)
        table[mask] = values
        return np.asarray(function(table)[mask])
    results = np.empty_like(values)
    size_classes = np.ceil(np.log2(np.maximum(lengths, 1)))  # up to 1, 2, 4, 8 ... documents
    for size_class in np.unique(size_classes):
        lists = np.flatnonzero(size_classes == size_class)
        positions = np.arange(int(lengths[lists].max()))
        mask = positions < lengths[lists, None]
        rows = (offsets[lists, None] + positions)[mask]
        table = np.full(mask.shape, empty)
        table[mask] = values[rows]
        results[rows] = function(table)[mask]
    return results
