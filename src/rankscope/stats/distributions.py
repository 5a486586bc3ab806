"""Distribution functions: SciPy's special functions, loaded when first needed, and Tukey's studentised range.

scipy.stats would take twice as long to import, and has the studentised range one slow integral a value.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["noncentral_t_cdf", "range_quantile", "range_sf", "special", "t_pvalue"]

Floats = npt.NDArray[np.float64]

#: Nodes of Gauss and Legendre for the inner integral (over z, -8 to 8) and the outer (over the scale).
INNER, OUTER = 160, 96
#: Values whose integrals are taken at once.
AT_ONCE = 32
#: Beyond, the scale is as good as known.
MANY = 1e6


def special() -> Any:
    """The module scipy.special."""
    import scipy.special  # type: ignore[import-untyped]  # a quarter of a second

    return scipy.special


def t_pvalue(statistic: Floats, df: npt.ArrayLike, alternative: str) -> Floats:
    """The p-value of Student's t."""
    stdtr = special().stdtr
    if alternative == "two-sided":
        return np.asarray(2.0 * stdtr(df, -np.abs(statistic)))
    return np.asarray(stdtr(df, -statistic if alternative == "greater" else statistic))


def noncentral_t_cdf(df: npt.ArrayLike, shift: Floats, t: Floats) -> Floats:
    """P(T < t) of the noncentral t; 0 or 1 where SciPy gives up, far out in a tail."""
    found = np.asarray(special().nctdtr(df, shift, t))
    return np.where(np.isfinite(found), found, (shift < t).astype(np.float64))


def range_sf(q: npt.ArrayLike, m: int, df: float = np.inf) -> Floats:
    """P(Q > q) of the studentised range of m normal means, with df degrees of freedom; to 1e-9.

    Q = W / S with W the range of m standard normal values and S^2 a chi-square over its df:
    P(W > w) = 1 - m int phi(z) (Phi(z) - Phi(z - w))^(m - 1) dz, averaged over the density of S.
    Source: Tukey (1953); agrees with scipy.stats.studentized_range.
    """
    asked = np.atleast_1d(np.asarray(q, np.float64))
    if df > MANY:
        return tail_of_range(asked, m).reshape(np.shape(q))
    scale, weight = scale_nodes(df)
    flat = asked.ravel()
    tails = np.empty(flat.size)
    for start in range(0, flat.size, AT_ONCE):  # of bounded memory
        part = slice(start, start + AT_ONCE)
        tails[part] = tail_of_range(flat[part, None] * scale, m) @ weight
    return np.clip(tails, 0.0, 1.0).reshape(np.shape(q))


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
    between = ndtr(z) - ndtr(z - w[..., None])
    return np.asarray(1.0 - (between ** (m - 1)) @ density)


@cache
def gauss(n: int) -> tuple[Floats, Floats]:
    """Nodes and weights of an integral over (-1, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def scale_nodes(df: float) -> tuple[Floats, Floats]:
    """Nodes of S = sqrt(chi2 / df) between quantiles beyond which nothing matters, and their probabilities."""
    functions = special()
    low, high = (float(np.sqrt(2 * functions.gammaincinv(df / 2, u) / df)) for u in (1e-14, 1 - 1e-14))
    nodes, weights = gauss(OUTER)
    s = low + (high - low) * (nodes + 1) / 2
    log_density = (
        np.log(2.0) + df / 2 * np.log(df / 2) - functions.gammaln(df / 2) + (df - 1) * np.log(s) - df * s * s / 2
    )
    return s, np.asarray((high - low) / 2 * weights * np.exp(log_density))
