"""Distribution functions: SciPy's special functions, loaded when first needed, and Tukey's studentised range.

scipy.stats would take twice as long to import, and has the studentised range one slow integral a value.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats

__all__ = [
    "noncentral_t_cdf",
    "range_quantile",
    "range_sf",
    "special",
    "t_pvalue",
]


#: Nodes of Gauss and Legendre for the inner integral (over z, -8 to 8) and the outer (over the scale).
INNER, OUTER = 160, 96
#: Values integrated at once.
AT_ONCE = 32
#: Most values that have one integral each; for more, polynomials with 64 to FEW nodes are tried.
FEW = 512
#: Largest last coefficients of such a polynomial, and its largest error at some of the values.
SMALL, CLOSE = 1e-12, 1e-11
#: More degrees of freedom are treated as infinite: the scale is known.
MANY = 1e6


def special() -> Any:
    """The module scipy.special."""
    import scipy.special

    return scipy.special


def t_pvalue(statistic: Floats, df: npt.ArrayLike, alternative: str) -> Floats:
    """The p-value of Student's t."""
    stdtr = special().stdtr
    if alternative == "two-sided":
        return np.asarray(2.0 * stdtr(df, -np.abs(statistic)))
    return np.asarray(stdtr(df, -statistic if alternative == "greater" else statistic))


def noncentral_t_cdf(df: npt.ArrayLike, shift: Floats, t: Floats) -> Floats:
    """P(T < t) of the noncentral t; 0 or 1 where SciPy fails, far out in a tail."""
    probability = np.asarray(special().nctdtr(df, shift, t))
    return np.where(np.isfinite(probability), probability, (shift < t).astype(np.float64))


def range_sf(q: npt.ArrayLike, m: int, df: float = np.inf) -> Floats:
    """P(Q > q) of the studentised range, to 1e-9.

    Parameters
    ----------
    q
        The ranges, of any shape.
    m
        Number of normal means.
    df
        Degrees of freedom.

    Returns
    -------
    array of the shape of q
        The probabilities.

    Notes
    -----
    Q = W / S with W the range of m standard normal values and S^2 a chi-square over its df:
    P(W > w) = 1 - m int phi(z) (Phi(z) - Phi(z - w))^(m - 1) dz, averaged over the density of S. Many values of q are
    interpolated between integrals, to 1e-11 of them.

    References
    ----------
    Tukey (1953); agrees with scipy.stats.studentized_range.
    """
    q_array = np.asarray(q, np.float64)
    flat_q = q_array.ravel()
    if flat_q.size <= FEW:
        return integrals(flat_q, m, df).reshape(q_array.shape)
    values, value_index = np.unique(flat_q, return_inverse=True)
    tails = None
    if values.size > FEW and values[0] >= 0 and np.isfinite(values[-1]):
        tails = interpolated(values, m, df)
    if tails is None:
        tails = integrals(values, m, df)
    return tails[value_index].reshape(q_array.shape)


def integrals(q: Floats, m: int, df: float) -> Floats:
    """`range_sf` of some values, by one integral each, in blocks that bound memory."""
    tails = np.empty(q.size)
    if df > MANY:
        for start in range(0, q.size, FEW):
            tails[start : start + FEW] = tail_of_range(q[start : start + FEW], m)
    else:
        scale, weight = scale_nodes(df)
        for start in range(0, q.size, AT_ONCE):
            block = slice(start, start + AT_ONCE)
            tails[block] = tail_of_range(q[block, None] * scale, m) @ weight
    return np.clip(tails, 0.0, 1.0)


def interpolated(q: Floats, m: int, df: float) -> Floats | None:
    """`range_sf` of many values, from few integrals; None if no polynomial is close.

    Parameters
    ----------
    q
        The values in ascending order.
    m, df
        As in `range_sf`.

    Notes
    -----
    u = q / (q + c) maps all q from 0 on to [0, 1), and the tail is a smooth function of u, also where it falls as a
    power of q. Chebyshev nodes over the range of u are doubled, keeping the old ones, until the last coefficients
    vanish. Then some of the values are compared with their integrals.
    """
    c = float(np.sqrt(8 * np.log(max(m, 2))))  # of the order of the range
    u = q / (q + c)
    n = FEW // 8
    values = integrals(chebyshev_points(np.arange(n + 1) / n, u[-1], c), m, df)
    while True:
        coefficients = np.fft.rfft(np.concatenate([values, values[-2:0:-1]])).real / n
        coefficients[[0, -1]] /= 2
        if np.abs(coefficients[-n // 8 :]).max() < SMALL:
            break
        if 2 * n > FEW:
            return None
        doubled = np.empty(2 * n + 1)
        doubled[::2], doubled[1::2] = values, integrals(chebyshev_points((np.arange(n) + 0.5) / n, u[-1], c), m, df)
        n, values = 2 * n, doubled
    tails = np.polynomial.chebyshev.chebval(2 * u / u[-1] - 1, coefficients)
    checked = np.linspace(0, q.size - 1, AT_ONCE).round().astype(np.intp)
    if np.abs(tails[checked] - integrals(q[checked], m, df)).max() > CLOSE:
        return None
    return np.minimum.accumulate(np.clip(tails, 0.0, 1.0))  # p never rises with the range, not even by rounding


def chebyshev_points(share: Floats, end: float, c: float) -> Floats:
    """The q at Chebyshev nodes of u over [0, end]; share: in [0, 1], from the last node (0) to the first (1)."""
    u = end * (np.cos(np.pi * share) + 1) / 2
    return np.asarray(c * u / (1 - u))


def range_quantile(p: float, m: int, df: float = np.inf) -> float:
    """The q that the studentised range of m means stays below with probability p; by bisection, to 1e-10."""
    low, high = 0.0, 8.0
    while range_sf(high, m, df) > 1 - p:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_sf(middle, m, df) > 1 - p else (low, middle)
        if high - low < 1e-11 * high:
            break
    return (low + high) / 2


def tail_of_range(w: Floats, m: int) -> Floats:
    """P(range of m standard normal values > w)."""
    ndtr = special().ndtr
    nodes, weights = gauss(INNER)
    z = 8.5 * nodes
    density = 8.5 * weights * m * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    within_range = ndtr(z) - ndtr(z - w[..., None])
    return np.asarray(1.0 - (within_range ** (m - 1)) @ density)


@cache
def gauss(n: int) -> tuple[Floats, Floats]:
    """Nodes and weights of an integral over (-1, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def scale_nodes(df: float) -> tuple[Floats, Floats]:
    """Nodes of S = sqrt(chi2 / df) between extreme quantiles, and their probabilities."""
    functions = special()
    low, high = (float(np.sqrt(2 * functions.gammaincinv(df / 2, u) / df)) for u in (1e-14, 1 - 1e-14))
    nodes, weights = gauss(OUTER)
    s = low + (high - low) * (nodes + 1) / 2
    log_density = (
        np.log(2.0) + df / 2 * np.log(df / 2) - functions.gammaln(df / 2) + (df - 1) * np.log(s) - df * s * s / 2
    )
    return s, np.asarray((high - low) / 2 * weights * np.exp(log_density))
