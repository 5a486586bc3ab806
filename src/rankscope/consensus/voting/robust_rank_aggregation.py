"""Robust Rank Aggregation: items that stand higher in the lists than chance would put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Note, Solution
from rankscope.consensus.parameters import pvalue_field, unranked_field
from rankscope.data.text import join_names, pluralise
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.stats.distributions import special
from rankscope.typing import Floats, Ints

__all__ = [
    "RobustRank",
]


Weights = Sequence[float] | Mapping[str, float] | None
#: What the scores are -log10 of.
MEANINGS = {
    "exact": "the probability of ranks as high if all lists were in random order",
    "bonferroni": "an upper bound of the probability of ranks as high if all lists were in random order",
    "none": "rho, the smallest probability of ranks as good as the best ranks of the item",
}
#: Numbers in the largest array of a chunk.
NUMBERS = 1 << 21
#: Up to this many different values of rho have exact p-values; more are interpolated between this many.
FEW = 512
#: The least p-value.
SMALLEST = 1e-300
#: The level at which notes count items, shared among them.
LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class RobustRank(Method):
    """Robust rank aggregation: -log10 of the p-value of the ranks of an item; from 0, higher is better.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'worst', 'ignore'. Default: 'worst'.
    pvalue
        Scores are -log10 of the exact p-value, of the Bonferroni bound, or of rho itself (none). One of 'exact',
        'bonferroni', 'none'. Default: 'exact'.

    Raises
    ------
    ParameterError
        `unranked` or `pvalue` is unknown; when it is used, weights that are not all equal (a list cannot count 1.5
        times in a distribution of n lists).

    Notes
    -----
    The ranks of an item are divided by the number of items. If all lists were in random order, the k-th smallest of the
    n shares would have a beta distribution; rho is the smallest of the n probabilities of shares as small. So an item
    at the top of some lists ranks high, whatever the other lists do with it; an item in the middle of all lists does
    not.

    With "worst" an item has the share 1 in lists that lack it, the default of the R package (top lists of a common set
    of items). With "ignore" these lists are skipped for this item, and ranks are divided by the length of the list
    (`full=TRUE` in the package: each list has items of its own). Tied items share the mean of their places.

    "exact" uses the distribution of rho; "bonferroni" multiplies rho by the number of lists, up to 1, the default of
    the package, with which many items tie at 1; "none" uses rho itself. With "exact" and "worst" the order is that of
    rho. `pvalues` returns the p-values themselves. The details are the smallest p-value, and the number of p-values
    below 0.05 divided by the number of items.

    The order shows evidence against chance; it does not test one item against another. With few lists no item may stand
    out: two lists of 10 items give no p-value below 0.01.

    References
    ----------
    Kolde, Laur, Adler and Vilo (2012), Robust rank aggregation for gene list integration and meta-analysis. With
    pvalue="bonferroni" the definitions of R's RobustRankAggreg 1.2.1 (`aggregateRanks`).

    Examples
    --------
    >>> RobustRank().order([["A", "B", "C", "D"], ["A", "C", "B", "D"], ["B", "A", "C", "D"]]).order
    ('A', 'B', 'C', 'D')
    """

    name: ClassVar[str] = "robust-rank"
    work = "binomials"
    least_range: ClassVar[float] = 1.0
    FUNCTIONS = ("rankscope.consensus:RobustRank",)

    unranked: str = unranked_field("worst", ("worst", "ignore"))
    pvalue: str = pvalue_field("exact")

    def describe_score(self) -> str:
        return f"-log10 of {MEANINGS[self.pvalue]}, so that 2 stands for 0.01 and 3 for 0.001"

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        return np.asarray(-np.log10(self.resampled_pvalues(votes, weights)) + 0.0)  # no -0

    def pvalues(self, rankings: Any) -> dict[str, float]:
        """Compute the p-value of each item, above 0 and at most 1; lower is better.

        Parameters
        ----------
        rankings
            Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
            voter; a mapping of voters' names to these; or `Votes`. All voters have the same weight.

        Returns
        -------
        dict
            Item -> the probability that it would have a rho as small if all lists were in random order; or rho itself,
            if `pvalue` is "none". It is not corrected for the number of items.

        Raises
        ------
        InputError
            The rankings are not valid; see `Votes`.
        ParameterError
            Weights of voters differ.

        Examples
        --------
        >>> RobustRank(pvalue="bonferroni").pvalues([["A", "B"], ["A", "B"]])  # the least of 3/4 and 1/4, times 2
        {'A': 0.5, 'B': 1.0}
        >>> {item: round(p, 4) for item, p in RobustRank().pvalues([["A", "B"], ["A", "B"]]).items()}
        {'A': 0.384, 'B': 1.0}
        """
        votes = Votes.of(rankings)
        return dict(zip(votes.items, self.resampled_pvalues(votes, votes.weights[None])[0].tolist(), strict=True))

    def resampled_pvalues(self, votes: Votes, weights: Floats) -> Floats:
        """Compute the p-values of the items for many sets of weights at once.

        Parameters
        ----------
        votes
            The rankings, whose own weights are equal.
        weights
            (draws, voters) how often each voter counts, times the voter's own weight.

        Returns
        -------
        array of shape (draws, items)
            The p-values by the parameter `pvalue`, or rho by "none"; at most 1, lower is better.

        Raises
        ------
        ParameterError
            The voters' own weights differ, or `weights` are no whole multiples of them.
        """
        times = voter_counts(votes, weights)
        shares = rank_shares(votes, self.unranked)
        rho, lists = np.empty((len(times), len(votes.items))), np.empty((len(times), len(votes.items)), np.int64)
        step = max(NUMBERS // shares.size, 1)
        for start in range(0, len(times), step):
            chunk = slice(start, start + step)
            rho[chunk], lists[chunk] = rho_scores(shares, times[chunk])
        np.maximum(rho, SMALLEST, out=rho)  # an underflow to 0 would have no logarithm
        if self.pvalue == "none":
            return rho
        if self.pvalue == "bonferroni":
            # Where no list that was drawn has an item, rho is 1, and so is its p-value.
            return np.minimum(rho * np.maximum(lists, 1), 1.0)
        return exact_pvalues(rho, lists)

    def solve(self, votes: Votes) -> Solution:
        weights = votes.weights[None]
        pvalues = self.resampled_pvalues(votes, weights)[0]
        details = {"smallest p-value": float(pvalues.min())}
        notes: tuple[str, ...] = ()
        if self.pvalue != "none":
            significant = np.flatnonzero(pvalues < LEVEL / pvalues.size)
            details["items higher than chance puts them"] = float(significant.size)
            names = join_names([votes.items[i] for i in significant[np.argsort(pvalues[significant], kind="stable")]])
            notes = (
                Note(
                    f"{significant.size} of {pluralise(pvalues.size, 'item')} rank higher than expected by chance "
                    f"(p-value below {LEVEL:g} / {pvalues.size})"
                    f"{': ' + names if significant.size else ''}"
                ),
            )
        return Solution(self.scores(votes, weights)[0], notes, details)


def voter_counts(votes: Votes, weights: Floats) -> Ints:
    """(draws, voters) how often each voter counts."""
    if np.ptp(votes.weights) > 0:
        low, high = votes.weights.min(), votes.weights.max()
        raise ParameterError(
            f"weights of voters from {low:g} to {high:g}, and Robust Rank Aggregation takes each list once; expected "
            "equal weights, or another method"
        )
    times = weights / votes.weights
    counts = np.rint(times)
    if not np.allclose(times, counts, rtol=0, atol=1e-9):
        raise ParameterError("weights that are no whole multiples of the votes' own, expected how often each counts")
    return counts.astype(np.int64)


def rank_shares(votes: Votes, unranked: str) -> Floats:
    """(voters, items) places as shares of the number of items; NaN where a voter has no say."""
    if unranked == "worst":
        return votes.fill_unranked("worst") / len(votes.items)
    return np.asarray(votes.places / (~np.isnan(votes.places)).sum(axis=1, keepdims=True))


def rho_scores(shares: Floats, times: Ints) -> tuple[Floats, Ints]:
    """(draws, items) rho, and the number of lists.

    Of equal shares, as of a list drawn twice, only the last counts: the chance that at least k of n are below a share
    falls with k. So lists that were drawn more than once need no rows of their own.
    """
    order = np.argsort(shares, axis=0, kind="stable")  # NaN last
    sorted_shares = np.take_along_axis(shares, order, axis=0)
    present = ~np.isnan(sorted_shares)
    draw_counts = np.where(present, times[:, order], 0)  # (draws, voters, items)
    cumulative_counts = np.cumsum(draw_counts, axis=1)
    lists = cumulative_counts[:, -1]
    values, value_index = np.unique(np.where(present, sorted_shares, 1.0), return_inverse=True)
    chance = tail_probabilities(values, value_index.reshape(sorted_shares.shape), cumulative_counts, lists)
    return np.where(draw_counts > 0, chance, 1.0).min(axis=1), lists


def tail_probabilities(values: Floats, value_index: Ints, count: Ints, lists: Ints) -> Floats:
    """(draws, voters, items) the chance that of `lists` random shares at least `count` are at most a value.

    Parameters
    ----------
    values
        The different shares, ascending.
    value_index
        (voters, items) the index of each share among them.
    count
        (draws, voters, items) numbers of shares.
    lists
        (draws, items) numbers of lists.

    Notes
    -----
    The chances are looked up in a table where that is smaller than the result.
    """
    betainc = special().betainc
    totals, total_index = np.unique(lists, return_inverse=True)
    n_counts = int(totals[-1]) + 1
    if values.size * n_counts * totals.size < count.size:
        k, n = np.arange(n_counts)[:, None], totals[:, None, None]
        table = betainc(np.clip(k, 1, np.maximum(n, 1)), np.maximum(n - k + 1, 1), values)
        return np.asarray(table[total_index.reshape(lists.shape)[:, None, :], count, value_index])
    k, n = np.maximum(count, 1), np.maximum(lists[:, None, :], 1)
    return np.asarray(betainc(k, np.maximum(n - k + 1, 1), values[value_index]))


def exact_pvalues(rho: Floats, lists: Ints) -> Floats:
    """The chance that `lists` lists in random order have at most this rho; 1 where no list has the item."""
    pvalues = np.ones(rho.shape)
    for n in np.unique(lists[lists > 0]).tolist():
        in_group = lists == n
        values, value_index = np.unique(rho[in_group], return_inverse=True)
        if values.size <= FEW:
            pvalues[in_group] = null_of_rho(values, n)[value_index]
            continue
        # many values: the chance rises with rho, so that interpolation keeps the order
        nodes = np.exp(np.linspace(np.log(values[0]), np.log(values[-1]), FEW))
        log_pvalues = np.interp(np.log(values), np.log(nodes), np.log(null_of_rho(nodes, n)))
        pvalues[in_group] = np.exp(log_pvalues)[value_index]
    return pvalues


def null_of_rho(rho: Floats, n: int) -> Floats:
    """P(rho of n lists in random order <= each value): the chance that for some k at least k shares are below b_k.

    b_k is where the k-th smallest share has probability rho. Each step k keeps the chance of each number of shares
    below b_k with no bound passed so far, and adds the chance that b_k is the first bound passed. All terms are
    positive, so that small p-values keep their digits.
    """
    functions = special()
    pvalues = np.empty(rho.size)
    step = max(NUMBERS // (n * n), 1)
    for start in range(0, rho.size, step):
        chunk = rho[start : start + step]
        alive, passed, last_bound = np.zeros((chunk.size, n)), np.zeros(chunk.size), np.zeros(chunk.size)
        alive[:, 0] = 1.0  # [i]: i shares are below, no bound passed
        for k in range(1, n + 1):
            bound = np.maximum(functions.betaincinv(k, n - k + 1, chunk), last_bound)
            share = ((bound - last_bound) / np.where(last_bound < 1, 1 - last_bound, 1.0))[:, None]
            i = np.arange(k)
            passed += (alive[:, :k] * functions.betainc(k - i, n - k + 1, share)).sum(axis=1)
            n_more = i[None, :] - i[:, None]  # from i to j shares
            n_ways = np.where(n_more >= 0, functions.binom((n - i)[:, None], np.maximum(n_more, 0)), 0.0)
            s = share[:, :, None]
            chances = n_ways * s ** np.maximum(n_more, 0) * (1 - s) ** (n - i)[None, None, :]
            alive[:, :k] = (alive[:, :k, None] * chances).sum(axis=1)
            last_bound = bound
        pvalues[start : start + step] = passed
    return np.clip(pvalues, SMALLEST, 1.0)
