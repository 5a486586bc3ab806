"""How large a difference is: Cohen's d for paired data, probability of superiority, queries won, tied and lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.stats.distributions import noncentral_t_cdf
from rankscope.stats.inputs import (
    Bools,
    Floats,
    all_zero,
    as_differences,
    check_positive,
    check_share,
    constant,
    outcomes,
)
from rankscope.stats.paired import flat_notes

__all__ = ["Effects", "effect_sizes"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects:
    """The size of a difference, for each pair; arrays of shape (pairs), or () where one list was given.

    mean: of the differences. cohens_d: mean / s, unbounded. hedges_g: d less the bias of few queries. low, high: the
    interval of d at `confidence_level`. superiority: the probability that the first system is better on a query, ties
    half, in [0, 1]. wins, ties, losses: queries. d, g and their interval are NaN where the differences do not vary
    (`degenerate`); 0 where all are 0.
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
    wins, losses = outcomes(rows, zone)
    ties = n - wins - losses
    found = {
        "mean": rows.mean(axis=1),
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
    """(2, pairs) the noncentralities under which t is at the upper and at the lower tail; by bisection.

    Of the two, the lower one makes P(T <= t) = (1 + level) / 2; P falls with the noncentrality.
    """
    shares = np.array([[(1 + confidence_level) / 2], [(1 - confidence_level) / 2]])
    reach = 10.0 + 2 * np.abs(t) * (1 + 10 / np.sqrt(df))
    low, high = np.broadcast_to(t - reach, (2, t.size)).copy(), np.broadcast_to(t + reach, (2, t.size)).copy()
    for _ in range(60):
        middle = (low + high) / 2
        above = noncentral_t_cdf(df, middle, t) > shares
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)
