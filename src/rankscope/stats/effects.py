"""How large a difference is: Cohen's d for paired data, probability of superiority, queries won, tied and lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.stats.distributions import noncentral_t_cdf, special
from rankscope.stats.inputs import all_zero, as_differences, check_positive, check_share, constant, levelled, outcomes
from rankscope.stats.paired_tests import flat_notes
from rankscope.typing import Bools, Floats

__all__ = [
    "Effects",
    "effect_sizes",
]


#: Steps that a secant is given; the first of them is no secant yet.
STEPS = 12
#: Of greater t, the noncentralities are t times quantiles of the standard deviation, to 8 digits.
FAR = 1e4
#: How far off a noncentrality may be, relative to its size or, where it is about 0, to NEAR_ZERO.
CLOSE, NEAR_ZERO = 1e-12, 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects:
    """The size of a difference, for each pair; arrays of shape (pairs), or () where one list was given.

    mean: of the differences. cohens_d: mean / s, unbounded. hedges_g: d less the bias of few queries. low, high: the
    interval of d at `confidence_level`. superiority: the probability that the first system is better on a query, ties
    half, in [0, 1]. wins, ties, losses: queries. d, g and their interval are NaN where the differences do not vary
    (`degenerate`); of differences that are all 0, d and g are 0, and their interval is NaN.
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


def effect_sizes(differences: npt.ArrayLike, *, confidence_level: float = 0.95, zone: float = 0.0) -> Effects:
    """How large the difference between two systems is, in several measures; see `Effects`.

    Cohen's d for paired data (d_z) is mean / s of the differences; Hedges' g is d (1 - 3 / (4 (n - 1) - 1)), of two
    queries d times 0; the interval of d holds those noncentral t distributions that t = d sqrt(n) is not too far out
    in. zone: a difference of at most this much is a tie. differences: (queries) or (pairs, queries). Raises
    ParameterError for NaN, for a level outside (0, 1), for a zone below 0.

    Source: Cohen (1988); Hedges (1981); Steiger and Fouladi (1997) for the interval.

    >>> found = effect_sizes([0.1, 0.2, 0.0, 0.3])
    >>> round(float(found.cohens_d), 4), float(found.superiority), int(found.wins), int(found.ties)
    (1.1619, 0.875, 3, 1)
    """
    check_share("confidence_level", confidence_level)
    check_positive("zone", zone, zero=True)
    rows, shape = as_differences(differences)
    wins, losses = outcomes(rows, zone)
    rows, power = levelled(rows)
    n = rows.shape[1]
    flat = constant(rows) | (n == 1)
    d = np.full(len(rows), np.nan)
    if not flat.all():
        d[~flat] = rows[~flat].mean(axis=1) / rows[~flat].std(axis=1, ddof=1)
    low, high = (side.copy() for side in (d, d))
    if not flat.all():
        ends = noncentralities(d[~flat] * np.sqrt(n), n - 1, confidence_level) / np.sqrt(n)
        low[~flat], high[~flat] = ends
    equal = all_zero(rows)
    d[equal] = 0.0
    ties = n - wins - losses
    found = {
        "mean": np.ldexp(rows.mean(axis=1), power),
        "cohens_d": d,
        "hedges_g": d * (1 - 3 / (4 * (n - 1) - 1)),
        "low": low,
        "high": high,
        "superiority": (wins + ties / 2) / n,
    }
    counts = {"wins": wins, "ties": ties, "losses": losses}
    return Effects(
        **{name: value.reshape(shape) for name, value in found.items()},
        **{name: value.reshape(shape) for name, value in counts.items()},
        confidence_level=confidence_level,
        n=n,
        degenerate=flat.reshape(shape),
        notes=flat_notes(rows, flat),
    )


def noncentralities(t: Floats, df: int, confidence_level: float) -> Floats:
    """(2, pairs) the noncentralities under which t is at the upper and at the lower tail; by secants, else bisection.

    Of the two, the lower one makes P(T <= t) = (1 + level) / 2; P falls with the noncentrality.
    """
    shares = np.array([[(1 + confidence_level) / 2], [(1 - confidence_level) / 2]])
    start, width = first_guess(t, df, shares)
    both, share = np.tile(t, 2), np.repeat(shares.ravel(), t.size)
    found = start.ravel().copy()  # as good as it gets beyond FAR, where the distribution function gives up
    near = np.flatnonzero(np.abs(both) <= FAR)
    found[near], sure = by_secants(both[near], df, share[near], found[near], width.ravel()[near])
    lost = near[~sure]
    if lost.size:
        found[lost] = by_bisection(both[lost], df, share[lost])
    return found.reshape(2, t.size)


def first_guess(t: Floats, df: int, shares: Floats) -> tuple[Floats, Floats]:
    """(2, pairs) about where they are, and by how much they move as the normal quantile of the share moves by 1.

    T <= t says Z + shift <= t S, with Z normal and S^2 a chi-square over its df: the shift is a quantile of t S - Z.
    Its distance from the median is about that of Z and that of t S, as the sides of a right angle.
    """
    functions = special()
    tails = np.concatenate([shares[::-1], [[0.5]]])
    with np.errstate(all="ignore"):  # a guess that is not finite is left to the bisection
        lower, upper, middle = np.sqrt(2 * functions.gammaincinv(df / 2, tails[:, 0]) / df)
        ends = np.where(t > 0, [[lower], [upper]], [[upper], [lower]])
        z = functions.ndtri(shares)
        away = np.hypot(z, t * (ends - middle))
        return t * middle - np.sign(z) * away, away / np.abs(z)


def by_secants(t: Floats, df: int, share: Floats, at: Floats, width: Floats) -> tuple[Floats, Bools]:
    """The shift of each t under which P(T <= t) is its share, and whether it is found.

    The normal quantile of P is nearly linear in the shift, and falls by about 1 in a width. Each secant is followed
    until the next would move it by nothing that matters.
    """
    quantile = special().ndtri
    z = quantile(share)
    found, sure = np.full(t.size, np.nan), np.zeros(t.size, np.bool_)
    left = np.arange(t.size)
    before, height_before = at, at
    with np.errstate(all="ignore"):
        for turn in range(STEPS):
            height = quantile(noncentral_t_cdf(df, at, t[left])) - z[left]
            slope = (height - height_before) / (at - before) if turn else -1 / width
            step = -height / slope
            better = at + step
            good = (slope < 0) & np.isfinite(better)
            if turn:  # a secant is off by about the product of the last two steps, in widths
                off = np.abs(step / width[left] * (at - before))
                done = good & (off <= CLOSE * np.minimum(width[left], np.abs(better) + NEAR_ZERO))
                found[left[done]], sure[left[done]] = better[done], True
                good &= ~done
            left, before, height_before, at = left[good], at[good], height[good], better[good]
            if not left.size:
                break
    return found, sure


def by_bisection(t: Floats, df: int, share: Floats) -> Floats:
    """The same by halving an interval that holds it."""
    reach = 10.0 + 2 * np.abs(t) * (1 + 10 / np.sqrt(df))
    low, high = t - reach, t + reach
    for _ in range(60):
        middle = (low + high) / 2
        above = noncentral_t_cdf(df, middle, t) > share
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)
