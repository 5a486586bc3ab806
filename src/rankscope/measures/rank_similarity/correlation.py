"""Rank correlations of two lists of scores: Kendall, AP correlation, weighted tau, Spearman, Goodman and Kruskal."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, UnknownName
from rankscope.kernels.pairs import count_pairs, sort_pairs
from rankscope.typing import Floats

__all__ = [
    "goodman_kruskal_gamma",
    "kendall_tau",
    "spearman",
    "tau_ap",
    "weighted_tau",
]


#: One score for each item, in one order of the items; or scores by item.
Scored = npt.ArrayLike | Mapping[Any, float]


def kendall_tau(x: Scored, y: Scored, *, variant: Literal["a", "b", "c"] = "b", common: bool = False) -> float:
    """Kendall's tau: how much alike two lists of scores order their items; in [-1, 1], higher is more alike.

    Parameters
    ----------
    x, y
        One score per item, or two mappings {item: score}, joined by item; infinite scores are allowed.
    variant
        "a": (C - D) / N; "b": (C - D) / sqrt((N - T_x) (N - T_y)), which reaches 1 with ties, too; "c": (C - D) / (n^2
        (m - 1) / (2 m)), where m is the number of distinct values in the list that has fewer.
    common
        Compare only the items that both mappings hold. Default: other items raise an error.

    Returns
    -------
    float
        If a list has only one value, "b" and "c" are undefined: NaN; "a" is 0.

    Raises
    ------
    InputError
        The lists differ in length, there are fewer than two items, a score is NaN, or mappings hold other items or no
        item in common.
    UnknownName
        The variant does not exist.

    Notes
    -----
    Of the N = n (n - 1) / 2 pairs of items, C are ordered alike, D the other way round, T_x tied in x and T_y in y.
    Takes n log n steps.

    References
    ----------
    Kendall (1938; 1945), Stuart (1953); "b" and "c" agree with scipy.stats.kendalltau.

    Examples
    --------
    >>> kendall_tau([4.0, 3.0, 2.0, 1.0], [9.0, 7.0, 8.0, 1.0])  # one pair of six the other way round
    0.6666666666666666
    >>> kendall_tau({"a": 3, "b": 2, "c": 1}, {"b": 5, "a": 5, "c": 2})
    0.8164965809277261
    """
    if variant not in ("a", "b", "c"):
        raise UnknownName("variant of kendall_tau", str(variant), ("a", "b", "c"))
    a, b = align_scores(x, y, common)
    pairs = count_pairs(a, b)
    surplus = pairs.concordant - pairs.discordant
    if variant == "a":
        return float(surplus / pairs.total)
    n_untied = pairs.concordant + pairs.discordant
    if not n_untied + pairs.tied_x or not n_untied + pairs.tied_y:
        return nan
    if variant == "b":  # one square root of an integer: least rounding
        tau = surplus / sqrt((n_untied + pairs.tied_y) * (n_untied + pairs.tied_x))
    else:
        n_values = min(np.unique(a).size, np.unique(b).size)
        tau = 2 * surplus / (a.size**2 * (n_values - 1) / n_values)
    return float(min(1.0, max(-1.0, tau)))


def goodman_kruskal_gamma(x: Scored, y: Scored, *, common: bool = False) -> float:
    """Goodman and Kruskal's gamma: Kendall's tau over the pairs tied in neither list; in [-1, 1], higher is more alike.

    Parameters
    ----------
    x, y, common
        As for `kendall_tau`.

    Returns
    -------
    float
        (C - D) / (C + D), of the C pairs ordered alike and the D ordered the other way round; NaN if every pair is
        tied.

    Raises
    ------
    InputError
        As for `kendall_tau`.

    References
    ----------
    Goodman and Kruskal (1954).

    Examples
    --------
    >>> goodman_kruskal_gamma([3, 2, 2, 1], [4, 3, 1, 2])  # 4 pairs alike, 1 not, 1 tied
    0.6
    """
    pairs = count_pairs(*align_scores(x, y, common))
    n_untied = pairs.concordant + pairs.discordant
    return float((pairs.concordant - pairs.discordant) / n_untied) if n_untied else nan


def spearman(x: Scored, y: Scored, *, common: bool = False) -> float:
    """Spearman's rho: Pearson's correlation of the ranks; in [-1, 1], higher is more alike.

    Parameters
    ----------
    x, y, common
        As for `kendall_tau`.

    Returns
    -------
    float
        Tied items share the mean of their ranks. NaN if a list has only one value.

    Raises
    ------
    InputError
        As for `kendall_tau`.

    References
    ----------
    Spearman (1904); agrees with scipy.stats.spearmanr.

    Examples
    --------
    >>> spearman([4.0, 3.0, 2.0, 1.0], [9.0, 7.0, 8.0, 1.0])  # 1 - 6 (0 + 1 + 1 + 0) / (4 (16 - 1))
    0.8
    """
    arranged = sort_pairs(*align_scores(x, y, common))
    a, b = (doubled_ranks(codes).astype(np.float64) for codes in (arranged.x, arranged.y))
    squared_norms = float(a @ a) * float(b @ b)
    return min(1.0, max(-1.0, float(a @ b) / sqrt(squared_norms))) if squared_norms else nan


def doubled_ranks(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Twice the distance of each mean rank from the middle of all ranks: whole numbers."""
    group_sizes = np.bincount(codes)
    return np.asarray((2 * (np.cumsum(group_sizes) - group_sizes) + group_sizes - codes.size)[codes], np.int64)


def tau_ap(x: Scored, y: Scored, *, ties: Literal["a", "b"] = "a", common: bool = False) -> float:
    """AP correlation: Kendall's tau in which mistakes near the top weigh more; in [-1, 1], higher is more alike.

    Parameters
    ----------
    x
        The truth: scores as for `kendall_tau`.
    y
        The estimate; exchanging the two changes the value with ties="a".
    ties
        "a": the estimate may have ties, the truth none; the value is the mean over the orders of tied items. "b": both
        may have ties, and neither is the truth: items count above their group only, those of the top group are skipped,
        and the value is the mean of both directions.
    common
        As for `kendall_tau`.

    Returns
    -------
    float
        NaN with ties="b" if a list has only one value.

    Raises
    ------
    InputError
        As for `kendall_tau`, and for ties in x with ties="a".

    Notes
    -----
    Down the ranking by y, 2 / (n - 1) sum over ranks i = 2, ..., n of C_i / (i - 1), less 1, where C_i counts the items
    above rank i whose x is greater than that of the item at i. Without ties in either list "a" is the measure as first
    defined, and "b" its mean in both directions.

    References
    ----------
    Yilmaz, Aslam and Robertson (2008); ties: Urbano and Marrero (2017), and agrees with the R package ircor.

    Examples
    --------
    >>> tau_ap([4.0, 3.0, 2.0, 1.0], [9.0, 7.0, 8.0, 1.0])  # 2/3 (1/1 + 1/2 + 3/3) - 1
    0.6666666666666665
    >>> tau_ap([4.0, 3.0, 2.0, 1.0], [9.0, 7.0, 7.0, 1.0])  # 1 and the value above, each half the time
    0.8333333333333333
    >>> # 2/3 (1/1 + 1/2 + 3/3) - 1 down y, where a tie in x is no agreement; 2/3 (1/1 + 1/1 + 3/3) - 1 down x
    >>> round(tau_ap([4.0, 3.0, 3.0, 1.0], [9.0, 7.0, 8.0, 1.0], ties="b"), 12) == round((2/3 + 1) / 2, 12)
    True
    """
    if ties not in ("a", "b"):
        raise UnknownName("treatment of ties in tau_ap", str(ties), ("a", "b"))
    truth, estimate = align_scores(x, y, common)
    if ties == "b":
        return (ap_above_groups(truth, estimate) + ap_above_groups(estimate, truth)) / 2
    arranged = sort_pairs(-estimate, truth)
    n_tied = int(np.count_nonzero(arranged.tied_y))
    if n_tied:
        raise InputError(
            f"tau_ap: {n_tied} of {truth.size} items of x, the truth, share their score with another; expected no ties "
            "in it with ties='a'; pass ties='b', or exchange the lists if y is the truth"
        )
    group_sizes = np.bincount(arranged.x)
    group_starts = np.cumsum(group_sizes) - group_sizes
    # Items above the group that x ranks higher, on average; within the group, half of those above on average.
    mean_above_group = np.bincount(arranged.x, arranged.discordant_before) / group_sizes
    n_above = np.arange(truth.size)
    share_above = (mean_above_group[arranged.x] + (n_above - group_starts[arranged.x]) / 2)[1:] / n_above[1:]
    return float(2 / (truth.size - 1) * share_above.sum() - 1)


def ap_above_groups(truth: Floats, estimate: Floats) -> float:
    """One direction of tau_AP,b."""
    arranged = sort_pairs(-estimate, truth)
    group_sizes = np.bincount(arranged.x)
    group_starts = (np.cumsum(group_sizes) - group_sizes)[arranged.x]
    below_top_group = group_starts > 0
    if not below_top_group.any():
        return nan
    return float(2 * np.mean(arranged.discordant_before[below_top_group] / group_starts[below_top_group]) - 1)


def weighted_tau(x: Scored, y: Scored, *, by: Literal["both", "x", "y"] = "both", common: bool = False) -> float:
    """Kendall's tau-b in which pairs with items near the top weigh more; in [-1, 1], higher is more alike.

    Parameters
    ----------
    x, y, common
        As for `kendall_tau`.
    by
        Which list ranks; the other one breaks its ties. "both": the mean of the two values.

    Returns
    -------
    float
        NaN if a list has only one value.

    Raises
    ------
    InputError
        As for `kendall_tau`.
    UnknownName
        `by` is another name.

    Notes
    -----
    A pair of the items ranked r and s (from 1) weighs 1/r + 1/s, in the difference of concordant and discordant pairs
    as in both of tau-b's square roots. Takes n log n steps.

    References
    ----------
    Vigna (2015); agrees with scipy.stats.weightedtau (additive hyperbolic weights; by="both" is its rank=True, by="x"
    its rank=None).

    Examples
    --------
    >>> # pairs weigh 1/1 + 1/2, 1/1 + 1/3, 1/2 + 1/3, and the last is the other way round
    >>> round(weighted_tau([3.0, 2.0, 1.0], [9.0, 7.0, 8.0]), 12) == round((3/2 + 4/3 - 5/6) / (3/2 + 4/3 + 5/6), 12)
    True
    """
    if by not in ("both", "x", "y"):
        raise UnknownName("list to rank by in weighted_tau", str(by), ("both", "x", "y"))
    a, b = align_scores(x, y, common)
    by_x = weighted_tau_by_first(a, b) if by != "y" else nan
    by_y = weighted_tau_by_first(b, a) if by != "x" else nan
    return {"both": (by_x + by_y) / 2, "x": by_x, "y": by_y}[by]


def weighted_tau_by_first(x: Floats, y: Floats) -> float:
    """The weighted tau of ranks by falling x, ties by falling y."""
    arranged = sort_pairs(x, y)
    n = x.size
    weight = 1 / (n - np.arange(n))  # `sort_pairs` puts the item ranked last first
    # A pair's weight is the sum of its items' weights: so the total is a sum over items of their pairs.
    discordant = arranged.discordant_before + arranged.discordant_behind
    surplus = float(weight @ (arranged.concordant - discordant))
    untied_x, untied_y = (float(weight @ (n - 1 - n_tied)) for n_tied in (arranged.tied_x, arranged.tied_y))
    if not untied_x or not untied_y:
        return nan
    return min(1.0, max(-1.0, surplus / sqrt(untied_x) / sqrt(untied_y)))


def align_scores(x: Scored, y: Scored, common: bool) -> tuple[Floats, Floats]:
    """Two lists of scores, item by item. Raises InputError as `kendall_tau` says."""
    if isinstance(x, Mapping) or isinstance(y, Mapping):
        if not (isinstance(x, Mapping) and isinstance(y, Mapping)):
            raise InputError("one of x and y is a mapping, the other a list; expected two of one kind")
        x, y = common_items(x, y, common)
    a, b = scores_of(x, "x"), scores_of(y, "y")
    if a.size != b.size:
        raise InputError(
            f"x has {a.size} scores and y {b.size}; expected one per item in both, with the items in the same order; "
            "mappings {item: score} are joined by item"
        )
    if a.size < 2:
        raise InputError(f"there {'is 1 item' if a.size else 'are 0 items'} to compare, expected at least 2")
    return a, b


def common_items(x: Mapping[Any, float], y: Mapping[Any, float], common: bool) -> tuple[list[float], list[float]]:
    """The scores of the items of both, in the order of x."""
    items = [item for item in x if item in y]
    if (x or y) and not items:
        raise InputError(f"no item of x ({len(x)} items) is in y ({len(y)} items); expected items in common")
    if not common and not len(items) == len(x) == len(y):
        example = next(item for item in (*x, *y) if item not in x or item not in y)
        raise InputError(
            f"the items are not the same: {len(x) - len(items)} in x only and {len(y) - len(items)} in y only, such as "
            f"{example!r}; pass common=True to compare the {len(items)} in common"
        )
    return [x[item] for item in items], [y[item] for item in items]


def scores_of(values: npt.ArrayLike, name: str) -> Floats:
    """One list as float64: as it is, or where float64 would make different whole numbers equal, their ranks."""
    if isinstance(values, np.ma.MaskedArray):  # asarray would forget its mask
        raise InputError(f"{name} is a masked array, expected a plain one; leave the masked items out of both lists")
    try:
        array = np.asarray(values)
    except ValueError:  # lists within a list, of several lengths
        raise InputError(f"{name} holds lists of several lengths, expected one number per item") from None
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biuf"):
        problem = f"has {array.ndim} dimensions" if array.ndim != 1 else "holds something that is not a number"
        raise InputError(f"{name} {problem}, expected a list of numbers, one per item")
    scores = array.astype(np.float64)
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.min())), abs(int(array.max()))) > 2**53:
        return np.unique(array, return_inverse=True)[1].astype(np.float64)
    missing = np.flatnonzero(np.isnan(scores))
    if missing.size:
        raise InputError(
            f"{missing.size} of {scores.size} scores of {name} are NaN, the first at index {missing[0]}; expected "
            "numbers; leave these items out of both lists"
        )
    return scores
