"""Agreement of many rankings of the same items: Kendall's W, and the mean tau of each with all others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import draw, permuted_means
from rankscope.kernels.rounding_ties import NOISE
from rankscope.kernels.sign_sums import sums_by_list, sums_by_pair
from rankscope.stats.correlation_values import rank_rows
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator, check_count, refuse_pairs
from rankscope.typing import Floats

__all__ = [
    "Concordance",
    "MeanTaus",
    "concordance_test",
    "mean_taus",
]


#: Most lists of 2, 3, ... items of which all permutations of ranks are counted.
EXACT = {2: 100, 3: 40, 4: 15, 5: 6}
#: Most ranks (lists x items) for a permutation test; for more, chi-square is close.
PERMUTED = 1000


@dataclass(frozen=True, kw_only=True)
class Concordance:
    """Kendall's W of some lists, and its test of the hypothesis that each list has its ranks at random.

    Attributes
    ----------
    w
        In [0, 1], higher is better; 1 if all lists order the items alike, NaN if no list tells two items apart.
    statistic
        Chi-square, lists x (items - 1) x W.
    pvalue
        p-value, by `method`.
    method
        "exact" (all permutations of the ranks), "permutation" (`n_resamples` of them at random) or "chi2".
    lists, items
        Numbers of lists and items.
    n_resamples
        Number of permutations, 0 if there were none.
    """

    w: float
    statistic: float
    pvalue: float
    method: str
    lists: int
    items: int
    n_resamples: int = 0


def concordance_test(ranks: npt.ArrayLike, *, n_resamples: int = 9999, rng: Any = None) -> Concordance:
    """Kendall's coefficient of concordance W, corrected for ties, and its p-value.

    Parameters
    ----------
    ranks
        Ranks, (lists, items): any finite numbers, of which only the order counts; at least 2 lists and 2 items.
    n_resamples
        Number of random permutations; 0 for none.
    rng
        Seed or `numpy.random.Generator`.

    Returns
    -------
    Concordance
        If no list tells two items apart, W is NaN and p is 1.

    Raises
    ------
    ParameterError
        A rank is NaN, or the shape is wrong.

    Notes
    -----
    W = 12 S / (m^2 (n^3 - n) - m T), with m lists of n items: S is the sum of squared deviations of the items' rank
    sums, T the sum of t^3 - t over groups of t tied items. p is exact for few lists of at most 5 items; for up to 1,000
    ranks in all it comes from `n_resamples` permutations; otherwise from chi-square with n - 1 degrees of freedom,
    which for few lists is too large rather than too small.

    References
    ----------
    Kendall and Smith (1939); Kendall and Gibbons (1990), chapter 6; chi-square and p are those of Friedman's test of
    the items.

    Examples
    --------
    >>> result = concordance_test([[1, 2, 3], [1, 3, 2], [2, 1, 3]])  # rank sums 4, 6, 8: S = 4 + 0 + 4
    >>> round(result.w, 4), round(12 * 8 / (9 * 24), 4), result.method
    (0.4444, 0.4444, 'exact')
    """
    check_count("n_resamples", n_resamples, 0)
    table = as_ranks(ranks)
    n_lists, n_items = table.shape
    centred = rank_rows(table).doubled_ranks  # whole numbers: sums of them are exact
    between, within = float((centred.sum(axis=0) ** 2).sum()), float((centred**2).sum())
    if within == 0:
        return Concordance(w=np.nan, statistic=0.0, pvalue=1.0, method="exact", lists=n_lists, items=n_items)
    w = between / (n_lists * within)
    statistic = n_lists * (n_items - 1) * w
    if n_lists <= EXACT.get(n_items, 0):
        method, pvalue, n_drawn = "exact", exact_share(centred, between), 0
    elif n_resamples and n_lists * n_items <= PERMUTED:
        means = permuted_means(centred.T, draw(as_generator(rng), n_resamples))
        threshold = between / n_lists**2 * (1 - NOISE)
        n_extreme = sum(int(((chunk_means**2).sum(axis=1) >= threshold).sum()) for chunk_means in means)
        method, pvalue, n_drawn = "permutation", (1 + n_extreme) / (1 + n_resamples), n_resamples
    else:
        method, pvalue, n_drawn = "chi2", float(special().chdtrc(n_items - 1, statistic)), 0
    return Concordance(
        w=w, statistic=statistic, pvalue=pvalue, method=method, lists=n_lists, items=n_items, n_resamples=n_drawn
    )


def exact_share(centred: Floats, observed: float) -> float:
    """The share of all permutations of each list's ranks whose squared rank sums add up to at least `observed`.

    Lists are added one by one. Items are exchangeable, so rank sums that differ by a permutation are one state, and a
    few thousand states stand for all permutations.
    """
    n_items = centred.shape[1]
    orders = np.array(list(permutations(range(n_items))))
    base = int(2 * np.abs(centred).sum(axis=0).max() + 2 * np.abs(centred).max() + 1) * 2
    powers = float(base) ** np.arange(n_items)
    states: Floats = np.sort(centred[:1], axis=1)
    probabilities: Floats = np.ones(1)
    for row in centred[1:]:
        permuted_ranks = row[orders]
        sums = np.sort((states[:, None, :] + permuted_ranks[None]).reshape(-1, n_items), axis=1)
        weights = np.repeat(probabilities / len(permuted_ranks), len(permuted_ranks))
        _, first_rows, state_index = np.unique(sums @ powers, return_index=True, return_inverse=True)
        states, probabilities = sums[first_rows], np.asarray(np.bincount(state_index.ravel(), weights), np.float64)
    return float(min(1.0, probabilities[(states**2).sum(axis=1) >= observed - 0.5].sum()))


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanTaus:
    """Kendall's tau-b between lists, in [-1, 1]; NaN for a list that ties all items, which no mean includes.

    Attributes
    ----------
    mean
        Mean over all pairs of lists.
    with_others
        Mean of each list with the others, (lists).
    with_reference
        Tau-b of each list with the reference, (lists); NaN without a reference.
    """

    mean: float
    with_others: Floats
    with_reference: Floats


def mean_taus(ranks: npt.ArrayLike, reference: npt.ArrayLike | None = None) -> MeanTaus:
    """Mean Kendall's tau-b of each list with all others, of all pairs of lists, and of each with a reference.

    Parameters
    ----------
    ranks
        Ranks, (lists, items): any finite numbers, of which only the order counts; at least 2 lists and 2 items.
    reference
        One more list, (items).

    Returns
    -------
    MeanTaus
        In [-1, 1], higher is better.

    Raises
    ------
    ParameterError
        A rank is NaN, or the shapes do not fit.
    InputError
        There are more than 6,000 items.

    Notes
    -----
    Tau-b is a product of two vectors of signs, one sign per pair of items, each of length 1. So all means come from the
    sum of these vectors, in lists x items^2 steps, and no two lists are compared.

    References
    ----------
    Kendall (1945); agrees with the mean of scipy.stats.kendalltau over all pairs of lists.

    Examples
    --------
    >>> result = mean_taus([[1, 2, 3], [1, 3, 2], [2, 1, 3]], reference=[1, 2, 3])
    >>> result.with_others.round(4).tolist(), round(result.mean, 4)  # taus 1/3, 1/3 and -1/3
    ([0.3333, 0.0, 0.0], 0.1111)
    >>> result.with_reference.round(4).tolist()
    [1.0, 0.3333, 0.3333]
    """
    table = as_ranks(ranks)
    n_lists, n_items = table.shape
    refuse_pairs(n_items, "items", "leave some out")
    length = sign_list_lengths(table)
    weights = 1 / np.where(length > 0, length, np.inf)
    sign_sums = sums_by_pair(table, weights)
    tables, norms = [sign_sums], [1.0]
    if reference is not None:
        reference_ranks = np.asarray(reference, np.float64)
        if reference_ranks.shape != (n_items,) or not np.isfinite(reference_ranks).all():
            raise ParameterError(
                f"reference has shape {reference_ranks.shape}, expected {n_items} finite numbers, one an item"
            )
        tables.append(sums_by_pair(reference_ranks[None], np.ones(1)))
        norms.append(float(sign_list_lengths(reference_ranks[None])[0]))
    sums = sums_by_list(table, np.stack(tables)) * weights
    has_tau = length > 0
    n_defined = int(has_tau.sum())
    with_others = np.full(n_lists, np.nan)
    if n_defined > 1:
        with_others[has_tau] = np.clip((sums[0, has_tau] - 1) / (n_defined - 1), -1, 1)
    with_reference = np.full(n_lists, np.nan)
    if len(tables) > 1 and norms[1] > 0:
        with_reference[has_tau] = np.clip(sums[1, has_tau] / norms[1], -1, 1)
    mean = float(with_others[has_tau].mean()) if n_defined > 1 else np.nan
    return MeanTaus(mean=mean, with_others=with_others, with_reference=with_reference)


def as_ranks(ranks: npt.ArrayLike) -> Floats:
    """(lists, items). Raises ParameterError for another shape, fewer than two of either, NaN and infinite values."""
    try:
        table = np.asarray(ranks, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("the ranks are not a table of numbers; expected an array of float64") from None
    if table.ndim != 2 or min(table.shape) < 2:
        raise ParameterError(f"the ranks have shape {table.shape}, expected (lists, items) with at least 2 of each")
    if not np.isfinite(table).all():
        raise ParameterError("some ranks are NaN or infinite, expected finite numbers; give unranked items a place")
    return table


def sign_list_lengths(table: Floats) -> Floats:
    """(lists) the length of each list of signs: the root of the number of untied pairs of items."""
    n_items = table.shape[1]
    return np.asarray(np.sqrt(n_items * (n_items - 1) // 2 - rank_rows(table).n_tied_pairs))
