"""Bayesian comparison of two systems, with a region in which a difference does not matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, chunks, draw
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.distributions import special
from rankscope.stats.inputs import (
    as_differences,
    as_generator,
    check_count,
    check_positive,
    is_constant,
    is_real,
    scale_rows,
)
from rankscope.stats.paired_tests import degenerate_notes
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Posterior",
    "bayes_signed_rank_test",
    "bayes_t_test",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior:
    """Probabilities that sum to 1, for each pair; arrays of shape (pairs), or () for a single list.

    Attributes
    ----------
    test
        Name of the test.
    worse, equal, better
        Probabilities that the first system is worse than the second by more than `rope`, within it, or better by more.
    rope
        Region of practical equivalence.
    n
        Number of queries.
    n_resamples
        Number of samples, 0 if a formula gives the probabilities.
    error
        Standard error of the probabilities from sampling (the largest of the three), 0 for a formula.
    degenerate
        Whether there is only one difference, or all differences are equal, so that they have no spread.
    notes
        What a reader should know.
    """

    test: str
    worse: Floats
    equal: Floats
    better: Floats
    rope: float
    n: int
    n_resamples: int
    error: Floats
    degenerate: Bools
    notes: tuple[str, ...]


def bayes_t_test(differences: npt.ArrayLike, *, rope: float = 0.0, correlation: float = 0.0) -> Posterior:
    """The Bayesian correlated t-test: where the mean difference lies, given the data and no other knowledge.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    rope
        Region of practical equivalence: a difference of at most this much does not matter.
    correlation
        Correlation of the differences, in [0, 1): 0 for queries; for folds of a cross-validation the share of the data
        that is tested (Nadeau and Bengio).

    Returns
    -------
    Posterior
        If all differences are equal, all probability is where they lie, flagged as degenerate; a single query gives
        NaN, flagged.

    Raises
    ------
    ParameterError
        A difference is NaN, the rope is below 0, or the correlation is outside [0, 1).

    Notes
    -----
    The mean difference follows Student's t with n - 1 degrees of freedom about the observed mean, with scale s sqrt(1 /
    n + correlation / (1 - correlation)). With rope=0, 1 - better is the one-sided p of the t-test.

    References
    ----------
    Corani and Benavoli (2015); Benavoli et al. (2017). Differs from baycomp, which adds the correlation of folds
    unasked.

    Examples
    --------
    >>> result = bayes_t_test([0.1, 0.2, 0.0, 0.3], rope=0.05)
    >>> round(float(result.worse), 4), round(float(result.equal), 4), round(float(result.better), 4)
    (0.0267, 0.0829, 0.8904)
    """
    check_positive("rope", rope, zero=True)
    if not is_real(correlation) or not 0 <= correlation < 1:
        raise ParameterError(f"correlation is {correlation!r}, expected a number from 0 to below 1")
    rows, shape = as_differences(differences)
    rows, exponent = scale_rows(rows)
    with np.errstate(over="ignore"):  # no difference is beyond an infinite rope
        scaled_rope = np.ldexp(float(rope), -exponent)
    n = rows.shape[1]
    degenerate = is_constant(rows) | (n == 1)
    mean = rows.mean(axis=1)
    scale = rows.std(axis=1, ddof=min(1, n - 1)) * np.sqrt(1 / n + correlation / (1 - correlation))
    worse, better = (mean < -scaled_rope).astype(np.float64), (mean > scaled_rope).astype(np.float64)
    stdtr = special().stdtr
    varying = ~degenerate
    worse[varying] = stdtr(n - 1, (-scaled_rope[varying] - mean[varying]) / scale[varying])
    better[varying] = stdtr(n - 1, (mean[varying] - scaled_rope[varying]) / scale[varying])
    if n == 1:
        worse[:], better[:] = np.nan, np.nan
    return Posterior(
        test="bayes t",
        worse=worse.reshape(shape),
        equal=np.maximum(1 - worse - better, 0.0).reshape(shape),
        better=better.reshape(shape),
        rope=float(rope),
        n=n,
        n_resamples=0,
        error=np.zeros(shape),
        degenerate=degenerate.reshape(shape),
        notes=degenerate_notes(rows, degenerate),
    )


def bayes_signed_rank_test(
    differences: npt.ArrayLike,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Posterior:
    """The Bayesian signed rank test: in which region the mean of two differences lies most often.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    rope
        Region of practical equivalence: a difference of at most this much does not matter.
    prior
        Weight of the prior, a difference of 0; above 0.
    n_resamples
        Number of samples of the posterior.
    rng
        Seed or `numpy.random.Generator`; the same seed gives the same result.

    Returns
    -------
    Posterior
        Each probability is the share of samples in which that region has the greatest weight.

    Raises
    ------
    ParameterError
        A difference is NaN, the rope is below 0, or the prior is not above 0.

    Notes
    -----
    Each sample weights the n differences, and one of 0 for the prior, by a Dirichlet distribution with 1 for each and
    `prior` for the 0. The weights of all pairs of differences whose mean is below -rope, within the rope, and above are
    summed, and the sample goes to the region with the greatest sum (shared if sums are equal). With rope=0 only pairs
    of opposite differences are within. All pairs of systems get the same weights.

    References
    ----------
    Benavoli et al. (2014); Benavoli et al. (2017).

    Examples
    --------
    >>> result = bayes_signed_rank_test([0.1, 0.2, 0.0, 0.3, 0.2, 0.1], rope=0.01, n_resamples=1000, rng=1)
    >>> bool(result.better > 0.95), float(result.worse)
    (True, 0.0)
    """
    check_positive("rope", rope, zero=True)
    check_positive("prior", prior)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(differences)
    draws = draw(as_generator(rng), n_resamples)
    probabilities = regions(rows, rope, prior, draws)
    degenerate = is_constant(rows) | (rows.shape[1] == 1)
    error = np.sqrt(probabilities * (1 - probabilities) / n_resamples).max(axis=0)
    worse, equal, better = (probability.reshape(shape) for probability in probabilities)
    return Posterior(
        test="bayes signed rank",
        worse=worse,
        equal=equal,
        better=better,
        rope=float(rope),
        n=rows.shape[1],
        n_resamples=n_resamples,
        error=error.reshape(shape),
        degenerate=degenerate.reshape(shape),
        notes=degenerate_notes(rows, degenerate),
    )


def regions(rows: Floats, rope: float, prior: float, draws: Draws) -> Floats:
    """(3, pairs) the probabilities of below, within and above the rope.

    Parameters
    ----------
    rows
        (pairs, queries) differences.
    rope
        Half the width of the region in which a difference does not matter.
    prior
        Weight of the prior, which is one difference of 0.
    draws
        Seeds of the samples.

    Notes
    -----
    Differences are sorted, so for each of them, those that have a mean above the rope with it begin at a known index:
    their weight is a difference of cumulated weights, and no table of all pairs is needed.
    """
    n_pairs, n = rows.shape
    values = np.hstack([rows, np.zeros((n_pairs, 1))])
    order = np.argsort(values, axis=1, kind="stable")
    below_index, above_index = region_bounds(np.take_along_axis(values, order, axis=1), rope)
    concentrations = np.append(np.ones(n), prior)
    votes = np.zeros((n_pairs, 3))
    for stream, n_samples in chunks(draws, values.size):
        gammas = stream.standard_gamma(concentrations, size=(n_samples, n + 1))
        gammas /= gammas.sum(axis=1, keepdims=True)
        weights = gammas[:, order]  # (samples, pairs, n + 1)
        cumulated = np.zeros((n_samples, n_pairs, n + 2))
        np.cumsum(weights, axis=2, out=cumulated[:, :, 1:])
        flat_sums = cumulated.reshape(n_samples, -1)
        below = (weights * flat_sums[:, below_index]).sum(axis=2)
        above = (weights * (cumulated[:, :, -1:] - flat_sums[:, above_index])).sum(axis=2)
        region_weights = np.stack([below, 1 - below - above, above], axis=2)
        is_heaviest = region_weights >= region_weights.max(axis=2, keepdims=True) - NOISE
        votes += (is_heaviest / is_heaviest.sum(axis=2, keepdims=True)).sum(axis=0)
    return np.asarray(votes.T / draws.n_resamples)


def region_bounds(sorted_values: Floats, rope: float) -> tuple[Ints, Ints]:
    """(pairs, n) for each value v of a list, two indices in the flat table of all lists' cumulated weights: the end of
    the values v' with a mean below -rope, v + v' < -2 rope, and the start of those with a mean above rope.
    """
    noise = NOISE * np.abs(sorted_values).max(axis=1, keepdims=True)
    row_offsets = (sorted_values.shape[1] + 1) * np.arange(len(sorted_values))[:, None]
    below = values_before(sorted_values, -2 * rope - noise - sorted_values, ties=False)
    above = values_before(sorted_values, 2 * rope + noise - sorted_values, ties=True)
    return below + row_offsets, above + row_offsets


def values_before(values: Floats, thresholds: Floats, ties: bool) -> Ints:
    """(pairs, n) how many values of its list are below each threshold, or with `ties` at most it.

    A search in all lists at once: values and thresholds are sorted together, thresholds before equal values, or behind
    them.
    """
    n = values.shape[1]
    order = np.argsort(np.hstack([values, thresholds] if ties else [thresholds, values]), axis=1, kind="stable")
    n_seen = np.cumsum(order < n if ties else order >= n, axis=1, dtype=np.int64)
    counts = np.empty_like(n_seen)
    np.put_along_axis(counts, order, n_seen, axis=1)
    return counts[:, n:] if ties else counts[:, :n]
