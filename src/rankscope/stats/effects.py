"""Effect sizes of a difference: Cohen's d for paired data, probability of superiority, wins, ties and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.distributions import noncentral_t_cdf, special
from rankscope.stats.inputs import (
    all_zero,
    as_differences,
    check_positive,
    check_share,
    count_outcomes,
    is_constant,
    scale_rows,
)
from rankscope.stats.paired_tests import degenerate_notes
from rankscope.typing import Bools, Floats

__all__ = [
    "Effects",
    "effect_sizes",
]


#: Most steps of the secant method; the first step is not a secant yet.
STEPS = 12
#: For greater t, the noncentralities are t times quantiles of the standard deviation, to 8 digits.
FAR = 1e4
#: Largest error of a noncentrality, relative to its size or, near 0, to NEAR_ZERO.
CLOSE, NEAR_ZERO = 1e-12, 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects:
    """The size of a difference for each pair; arrays of shape (pairs), or () for a single list.

    Attributes
    ----------
    mean
        Mean of the differences.
    cohens_d
        Cohen's d, mean / s, unbounded. d, g and the interval are NaN if the differences do not vary; if all are 0, d
        and g are 0 and the interval is NaN.
    hedges_g
        Hedges' g: d without the bias of few queries.
    low, high
        Interval of d at `confidence_level`.
    confidence_level
        Level of the interval.
    superiority
        Probability that the first system is better on a query, ties counting half; in [0, 1].
    wins, ties, losses
        Numbers of queries.
    n
        Number of queries in all.
    degenerate
        Whether the differences do not vary.
    notes
        What a reader should know.
    """

    mean: Floats
    cohens_d: Floats
    hedges_g: Floats
    low: Floats
    high: Floats
    confidence_level: float
    superiority: Floats
    wins: npt.NDArray[np.int64]
    ties: npt.NDArray[np.int64]
    losses: npt.NDArray[np.int64]
    n: int
    degenerate: Bools
    notes: tuple[str, ...]


def effect_sizes(
    differences: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    zone: float = 0.0,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Effects:
    """Effect sizes of the difference between two systems.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    confidence_level
        Level of the interval of d, in (0, 1).
    zone
        A difference of at most this much is a tie.
    clusters
        The cluster of each query, whose differences are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    Effects
        Mean, d, g, probability of superiority, wins, ties and losses.

    Raises
    ------
    ParameterError
        A difference is NaN, the level is outside (0, 1), or the zone is below 0.

    Notes
    -----
    Cohen's d for paired data (d_z) is mean / s of the differences. Hedges' g is d times gamma(m / 2) / (sqrt(m / 2)
    gamma((m - 1) / 2)) with m = n - 1, which takes out the bias of d, and 0 for two queries. The interval of d holds
    those values whose noncentral t distribution makes t = d sqrt(n) not too extreme; with clusters or weights t is that
    of `t_test`, and m its degrees of freedom. Weights count for the mean and s; superiority, wins, ties and losses
    count queries.

    References
    ----------
    Cohen (1988); Hedges (1981), equation 6e; Steiger and Fouladi (1997) for the interval.

    Examples
    --------
    >>> result = effect_sizes([0.1, 0.2, 0.0, 0.3])
    >>> round(float(result.cohens_d), 4), float(result.superiority), int(result.wins), int(result.ties)
    (1.1619, 0.875, 3, 1)
    """
    check_share("confidence_level", confidence_level)
    check_positive("zone", zone, zero=True)
    rows, shape = as_differences(differences)
    wins, losses = count_outcomes(rows, zone)
    rows, exponent = scale_rows(rows)
    n = rows.shape[1]
    mean, d, df = rows.mean(axis=1), np.full(len(rows), np.nan), n - 1.0
    if clusters is None and weights is None:
        degenerate = is_constant(rows) | (n == 1)
        sd = rows[~degenerate].std(axis=1, ddof=1) if not degenerate.all() else np.zeros(0)
        root = np.full(sd.size, np.sqrt(n))
    else:
        units = cluster_sums(rows, clusters, weights)
        mean, degenerate, df = units.means, units.degenerate, units.df
        sd = weighted_deviations(rows[~degenerate], weights)
        root = sd / units.standard_errors[~degenerate]
    d[~degenerate] = mean[~degenerate] / sd
    low, high = d.copy(), d.copy()
    if not degenerate.all():
        low[~degenerate], high[~degenerate] = noncentralities(d[~degenerate] * root, df, confidence_level) / root
    equal = all_zero(rows)
    d[equal] = 0.0
    ties = n - wins - losses
    effects = {
        "mean": np.ldexp(mean, exponent),
        "cohens_d": d,
        "hedges_g": d * bias_factor(df),
        "low": low,
        "high": high,
        "superiority": (wins + ties / 2) / n,
    }
    counts = {"wins": wins, "ties": ties, "losses": losses}
    return Effects(
        **{name: value.reshape(shape) for name, value in effects.items()},
        **{name: value.reshape(shape) for name, value in counts.items()},
        confidence_level=confidence_level,
        n=n,
        degenerate=degenerate.reshape(shape),
        notes=degenerate_notes(rows, degenerate, clustered=clusters is not None),
    )


def bias_factor(df: float) -> float:
    """By what d is multiplied so that it has no bias; 0 for one degree of freedom, where no factor would do."""
    gammaln = special().gammaln
    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2)) if df > 1 else 0.0


def weighted_deviations(rows: Floats, weights: npt.ArrayLike | None) -> Floats:
    """(pairs) the standard deviation of queries, without the bias of few; weights: (queries)."""
    queries = cluster_sums(rows, None, weights)
    squares = (rows - queries.means[:, None]) ** 2
    n_effective = effective_number(queries.weights)
    variance = (squares @ queries.weights) / queries.total * n_effective / (n_effective - 1)
    return np.asarray(np.sqrt(variance))


def noncentralities(t: Floats, df: float, confidence_level: float) -> Floats:
    """(2, pairs) the noncentralities under which t is at the upper and at the lower tail; by secants, else bisection.

    Parameters
    ----------
    t
        (pairs) values of t.
    df
        Degrees of freedom.
    confidence_level
        Confidence level.

    Notes
    -----
    Of the two, the lower one makes P(T <= t) = (1 + level) / 2; P falls with the noncentrality.
    """
    shares = np.array([[(1 + confidence_level) / 2], [(1 - confidence_level) / 2]])
    guess, width = first_guess(t, df, shares)
    t_twice, share_twice = np.tile(t, 2), np.repeat(shares.ravel(), t.size)
    shifts = guess.ravel().copy()  # the result beyond FAR, where the distribution function fails
    in_reach = np.flatnonzero(np.abs(t_twice) <= FAR)
    guesses, widths = shifts[in_reach], width.ravel()[in_reach]
    shifts[in_reach], converged = by_secants(t_twice[in_reach], df, share_twice[in_reach], guesses, widths)
    unconverged = in_reach[~converged]
    if unconverged.size:
        shifts[unconverged] = by_bisection(t_twice[unconverged], df, share_twice[unconverged])
    return shifts.reshape(2, t.size)


def first_guess(t: Floats, df: float, shares: Floats) -> tuple[Floats, Floats]:
    """Rough noncentralities, and by how much they change as the normal quantile of the share changes by 1.

    Parameters
    ----------
    t
        The statistics, (pairs).
    df
        Degrees of freedom.
    shares
        P(T <= t) at the two ends, (2, 1).

    Returns
    -------
    tuple of arrays of shape (2, pairs)
        The guesses and their changes.

    Notes
    -----
    T <= t means Z + shift <= t S, with Z normal and S^2 a chi-square over its df: the shift is a quantile of t S - Z.
    Its distance from the median is about the hypotenuse of the distance of Z and that of t S.
    """
    functions = special()
    tails = np.concatenate([shares[::-1], [[0.5]]])
    with np.errstate(all="ignore"):  # bisection replaces a guess that is not finite
        lower, upper, middle = np.sqrt(2 * functions.gammaincinv(df / 2, tails[:, 0]) / df)
        ends = np.where(t > 0, [[lower], [upper]], [[upper], [lower]])
        z = functions.ndtri(shares)
        distance = np.hypot(z, t * (ends - middle))
        return t * middle - np.sign(z) * distance, distance / np.abs(z)


def by_secants(t: Floats, df: float, share: Floats, shift: Floats, width: Floats) -> tuple[Floats, Bools]:
    """The shift of each t under which P(T <= t) is its share, and whether the search converged.

    Parameters
    ----------
    t
        (pairs) values of t.
    df
        Degrees of freedom.
    share
        (pairs) probabilities.
    shift
        (pairs) where the search starts.
    width
        (pairs) about by how much a shift moves the normal quantile by 1.

    Notes
    -----
    The normal quantile of P is nearly linear in the shift, and falls by about 1 in a width. Secant steps end when the
    next would be negligible.
    """
    quantile = special().ndtri
    z = quantile(share)
    roots, converged = np.full(t.size, np.nan), np.zeros(t.size, np.bool_)
    open_rows = np.arange(t.size)
    previous_shift, previous_height = shift, shift
    with np.errstate(all="ignore"):
        for step_index in range(STEPS):
            height = quantile(noncentral_t_cdf(df, shift, t[open_rows])) - z[open_rows]
            slope = (height - previous_height) / (shift - previous_shift) if step_index else -1 / width
            step = -height / slope
            next_shift = shift + step
            usable = (slope < 0) & np.isfinite(next_shift)
            if step_index:  # a secant is off by about the product of the last two steps, in widths
                next_error = np.abs(step / width[open_rows] * (shift - previous_shift))
                tolerance = CLOSE * np.minimum(width[open_rows], np.abs(next_shift) + NEAR_ZERO)
                is_close = usable & (next_error <= tolerance)
                roots[open_rows[is_close]], converged[open_rows[is_close]] = next_shift[is_close], True
                usable &= ~is_close
            previous_shift, previous_height = shift[usable], height[usable]
            open_rows, shift = open_rows[usable], next_shift[usable]
            if not open_rows.size:
                break
    return roots, converged


def by_bisection(t: Floats, df: float, share: Floats) -> Floats:
    """The same by bisection of an interval that holds the shift."""
    half_width = 10.0 + 2 * np.abs(t) * (1 + 10 / np.sqrt(df))
    low, high = t - half_width, t + half_width
    for _ in range(60):
        middle = (low + high) / 2
        is_above = noncentral_t_cdf(df, middle, t) > share
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return np.asarray((low + high) / 2)
