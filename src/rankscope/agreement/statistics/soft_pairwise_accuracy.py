"""Soft pairwise accuracy: is a metric as sure as people which of two systems is better?"""

from __future__ import annotations

import zlib

import numpy as np

from rankscope.agreement.statistics.kendall import pair_indices
from rankscope.kernels.resample import Draws, draw, flip_sums
from rankscope.kernels.rounding_ties import NOISE
from rankscope.typing import Floats

__all__ = [
    "pair_pvalues",
    "soft_draws",
    "soft_pairwise_accuracies",
]


#: The default number of sign swaps behind each p-value.
SOFT_RESAMPLES = 1000


def soft_draws(seed: int, pair: str, n_resamples: int = SOFT_RESAMPLES) -> Draws:
    """The sign swaps for one language pair: the same ones for people and for every metric.

    They do not depend on which other metrics there are, on their order, or on the test between metrics. So a metric
    always has the same soft pairwise accuracy.

    Parameters
    ----------
    seed
        Random seed.
    pair
        The language pair.
    n_resamples
        Number of swaps.

    Examples
    --------
    >>> soft_draws(1, "de-en", 5).seeds[0].entropy == soft_draws(1, "de-en", 7).seeds[0].entropy
    True
    """
    # A separate stream: the language pair's own stream draws its segments.
    seeds = [seed, zlib.crc32(pair.encode("utf-8", "surrogateescape")), 1]
    return draw(np.random.default_rng(seeds), n_resamples)


def pair_pvalues(stack: Floats, draws: Draws) -> Floats:
    """One-sided p-values of a sign-swap test that the first system of a pair is better, (matrices, pairs).

    p = (1 + c) / (1 + B), where c of the B resamples have a sum at least as high as the observed one; sums that are
    equal up to rounding count. In each resample, the sign of each segment's difference is swapped with probability 1/2.
    The signs are the same for all pairs and all matrices, so people and metrics share them.

    Parameters
    ----------
    stack
        Scores, (matrices, systems, segments), NaN if there is none. A pair is compared on the segments in which both
        systems have scores.
    draws
        The random swaps.

    Returns
    -------
    array
        (matrices, pairs) the p-values; 1 if all differences are 0 or no segment is in common.

    Examples
    --------
    >>> from rankscope.kernels.resample import draw
    >>> better = np.array([[[3.0, 4.0, 5.0, 4.0]] * 2, [[1.0, 2.0, 1.0, 2.0], [2.0, 4.0, 5.0, 4.0]]])
    >>> pair_pvalues(better, draw(np.random.default_rng(1), 99)).tolist()[0]
    [1.0]
    """
    n_matrices, n_systems, n_segments = stack.shape
    first, second = pair_indices(n_systems)
    if np.isnan(stack).any():
        return masked_pvalues(stack, draws)
    # The mean of a segment cancels in every difference, and would only cost digits.
    centred = stack - stack.mean(axis=1, keepdims=True)
    observed = centred.sum(axis=2)
    absolute_sums = np.abs(centred).sum(axis=2)
    rounding = NOISE * (absolute_sums[:, first] + absolute_sums[:, second])
    threshold = observed[:, first] - observed[:, second] - rounding
    n_exceeding = np.zeros(threshold.shape)
    for sums in flip_sums(centred.reshape(-1, n_segments), draws):
        by_system = np.ascontiguousarray(sums.T).reshape(n_matrices, n_systems, -1)
        for matrix in range(n_matrices):
            differences = by_system[matrix, first] - by_system[matrix, second]
            n_exceeding[matrix] += np.count_nonzero(differences >= threshold[matrix, :, None], axis=1)
    return np.asarray((1 + n_exceeding) / (1 + draws.n_resamples))


def masked_pvalues(stack: Floats, draws: Draws) -> Floats:
    """The p-values of `pair_pvalues` with missing scores: a list of differences for each pair."""
    first, second = pair_indices(stack.shape[1])
    pvalues = np.empty((len(stack), first.size))
    for i, matrix in enumerate(stack):
        differences = np.nan_to_num(matrix[first] - matrix[second])
        threshold = differences.sum(axis=1) - NOISE * np.abs(differences).sum(axis=1)
        n_exceeding = np.zeros(first.size)
        for sums in flip_sums(differences, draws):
            n_exceeding += np.count_nonzero(sums >= threshold, axis=0)
        pvalues[i] = (1 + n_exceeding) / (1 + draws.n_resamples)
    return pvalues


def soft_pairwise_accuracies(gold: Floats, stack: Floats, draws: Draws) -> Floats:
    """1 minus the mean over pairs of systems of |p of people - p of the metric|, (matrices), in [0, 1]; NaN if no pair.

    The toolkit mt-metrics-eval computes p = c / B from sums in float32, so its mean difference is larger by the factor
    (1 + B) / B.

    Parameters
    ----------
    gold
        Human scores, (systems, segments), or a stack of them.
    stack
        Scores of the metric, (matrices, systems, segments), NaN at the same cells.
    draws
        The random swaps; see `pair_pvalues`.

    References
    ----------
    Thompson et al. (2024), "Improving statistical significance in human evaluation of automatic metrics via soft
    pairwise accuracy".
    """
    if stack.shape[1] < 2:
        return np.full(len(stack), np.nan)
    gold_pvalues, metric_pvalues = (
        pair_pvalues(gold if gold.ndim == 3 else gold[None], draws),
        pair_pvalues(stack, draws),
    )
    return np.asarray(1 - np.abs(gold_pvalues - metric_pvalues).mean(axis=1))
