"""Analysis of variance of a score matrix: how much of it is due to systems, to queries, and to neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_scores, levelled_table
from rankscope.typing import Floats

__all__ = ["Anova", "residuals", "two_way_anova"]


@dataclass(frozen=True, kw_only=True)
class Anova:
    """The table of a two-way analysis of variance without replication, and what follows from it.

    ss_, df_, ms_: sum of squares, degrees of freedom and mean square of systems, queries, error. statistic, pvalue: F
    and p of "all systems are equal"; statistic_queries, pvalue_queries: of "all queries are equal". omega_squared: the
    share of variance due to systems, estimated without the bias of their number (below 0 where F is below 1).
    sigma: residual standard deviation, sqrt(ms_error), the unit of standardised effects (mean_i - mean_j) / sigma.
    """

    ss_systems: float
    ss_queries: float
    ss_error: float
    df_systems: int
    df_queries: int
    df_error: int
    ms_systems: float
    ms_queries: float
    ms_error: float
    statistic: float
    pvalue: float
    statistic_queries: float
    pvalue_queries: float
    omega_squared: float
    sigma: float
    notes: tuple[str, ...]


def residuals(scores: Floats) -> Floats:
    """(systems, queries) what neither the system nor the query explains: x_ij - mean_i - mean_j + mean.

    Exact zeros where only rounding is left.
    """
    left = scores - scores.mean(axis=1, keepdims=True)
    left -= left.mean(axis=0)
    return np.where(np.abs(left).max() <= 1e-13 * np.abs(scores).max(), 0.0, left)


def two_way_anova(scores: npt.ArrayLike) -> Anova:
    """Two-way analysis of variance, systems by queries, one score each.

    x_ij = mean + system_i + query_j + error_ij; F = ms_systems / ms_error with m - 1 and (m - 1)(n - 1) degrees of
    freedom. scores: (systems, queries), at least 2 of each. Of two systems, F is the square of the paired t. Where
    systems and queries explain all (no error), F is NaN and p is NaN, or 1 where systems do not differ at all.
    Raises ParameterError for NaN.

    Source: Fisher (1925); Tague-Sutcliffe and Blustein (1995); omega squared: Maxwell and Delaney (2004).

    >>> found = two_way_anova([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6]])
    >>> round(found.statistic, 4), round(found.pvalue, 4)
    (6.25, 0.1296)
    """
    x = as_scores(scores)
    m, n = x.shape
    x, power = levelled_table(x)
    centred = x - x.mean()
    ss_systems = float(n * (centred.mean(axis=1) ** 2).sum())
    ss_queries = float(m * (centred.mean(axis=0) ** 2).sum())
    ss_error = float((residuals(x) ** 2).sum())
    df_systems, df_queries, df_error = m - 1, n - 1, (m - 1) * (n - 1)
    ms_systems, ms_queries, ms_error = ss_systems / df_systems, ss_queries / df_queries, ss_error / df_error
    noise = x.size * (1e-13 * float(np.abs(x).max())) ** 2  # what rounding leaves of a sum of squares that is 0
    (f_systems, p_systems), (f_queries, p_queries) = (
        f_test(mean_square if mean_square > noise else 0.0, df, ms_error, df_error)
        for mean_square, df in ((ms_systems, df_systems), (ms_queries, df_queries))
    )
    total = ss_systems + ss_queries + ss_error + ms_error
    with np.errstate(over="ignore"):  # sums of squares beyond float64 are infinite, what is made of their ratios is not
        told = np.ldexp([ss_systems, ss_queries, ss_error, ms_systems, ms_queries, ms_error], 2 * power).tolist()
    return Anova(
        ss_systems=told[0],
        ss_queries=told[1],
        ss_error=told[2],
        df_systems=df_systems,
        df_queries=df_queries,
        df_error=df_error,
        ms_systems=told[3],
        ms_queries=told[4],
        ms_error=told[5],
        statistic=f_systems,
        pvalue=p_systems,
        statistic_queries=f_queries,
        pvalue_queries=p_queries,
        omega_squared=(ss_systems - df_systems * ms_error) / total if total > 0 else 0.0,
        sigma=float(np.ldexp(np.sqrt(ms_error), power)),
        notes=() if ms_error > 0 else ("systems and queries explain every score: there is no error to test against",),
    )


def f_test(mean_square: float, df: int, ms_error: float, df_error: int) -> tuple[float, float]:
    if ms_error > 0:
        statistic = mean_square / ms_error
        return statistic, float(special().fdtrc(df, df_error, statistic))
    return (0.0, 1.0) if mean_square == 0 else (float("nan"), float("nan"))
