"""Power of a comparison of systems, and the number of queries that it needs."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, frexp, ldexp
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.distributions import noncentral_t_cdf, special
from rankscope.stats.inputs import check_alternative, check_choice, check_count, check_positive, check_share
from rankscope.typing import Floats

__all__ = [
    "anova_power",
    "difference_for_t",
    "queries_for_anova",
    "queries_for_interval",
    "queries_for_t",
    "t_power",
]


#: Largest number of queries that is searched.
MAX_QUERIES = 10**8


def t_power(
    n: npt.ArrayLike,
    difference: float,
    sd: float,
    *,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    cluster_size: float = 1.0,
    design_effect: float = 1.0,
) -> Floats:
    """The power of the paired t-test: the probability of detecting a true difference, in [0, 1].

    Parameters
    ----------
    n
        Numbers of queries, at least 2 (2 clusters), of any shape.
    difference
        True mean difference.
    sd
        Standard deviation of the differences, above 0.
    alpha
        Significance level, in (0, 1).
    alternative
        "two-sided", "greater" or "less".
    cluster_size
        How many queries an effective cluster has, at least 1: in clusters of several sizes the sum of their squares
        over that of the sizes. 1: queries are independent.
    design_effect
        By how much the variance of a mean exceeds that of independent queries, above 0.

    Returns
    -------
    array
        The power for each n: P(|T| > critical t) of the noncentral t with n - 1 degrees of freedom and noncentrality
        difference sqrt(n) / sd; the wrong side counts, too. With clusters: n / cluster_size - 1 degrees of freedom and
        noncentrality difference sqrt(n / design_effect) / sd.

    Raises
    ------
    ParameterError
        The level is outside (0, 1), sd is not above 0, or n is below 2 clusters.

    References
    ----------
    Cohen (1988); agrees with statsmodels TTestPower and R's power.t.test(strict = TRUE). The design effect: Kish
    (1965); Donner and Klar (2000), "Design and analysis of cluster randomization trials".

    Examples
    --------
    >>> round(float(t_power(34, 0.5, 1.0)), 4)
    0.8078
    >>> round(float(t_power(75, 0.5, 1.0, cluster_size=5, design_effect=2.2)), 4)  # 15 clusters, correlation .3
    0.7748
    """
    check_alternative(alternative)
    check_share("alpha", alpha)
    check_positive("sd", sd)
    if not np.isfinite(difference):
        raise ParameterError(f"difference is {difference!r}, expected a finite number")
    check_clusters(cluster_size, design_effect)
    n_queries = np.asarray(n, np.float64)
    n_units = n_queries / cluster_size
    if (~(n_units >= 2)).any():
        unit_text = "2 queries" if cluster_size == 1 else f"2 clusters of {cluster_size:g} queries"
        raise ParameterError(f"n is {np.min(n_queries):g}, expected at least {unit_text}")
    functions = special()
    shift = difference * np.sqrt(n_queries / design_effect) / sd
    tail = alpha / 2 if alternative == "two-sided" else alpha
    critical = -functions.stdtrit(n_units - 1, tail)
    # P(T > c) under shift is P(T < -c) under -shift.
    above, below = (noncentral_t_cdf(n_units - 1, sign * shift, -critical) for sign in (-1, 1))
    return np.asarray({"two-sided": above + below, "greater": above, "less": below}[alternative])


def check_clusters(cluster_size: float, design_effect: float) -> None:
    """Raise ParameterError for sizes below 1, and for effects that are not above 0."""
    check_positive("design_effect", design_effect)
    if not (cluster_size >= 1 and np.isfinite(cluster_size)):
        raise ParameterError(f"cluster_size is {cluster_size!r}, expected a number of at least 1")


def smallest_enough(is_enough: Callable[[int], bool], first: int, description: str) -> int:
    """The smallest number from `first` on that is enough; `is_enough` stays true once it is."""
    high = first
    while not is_enough(high):
        if high >= MAX_QUERIES:
            raise ParameterError(f"{description} takes more than {MAX_QUERIES:,} queries; ask for less")
        high *= 2
    low = first - 1
    if high > first:
        low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def queries_for_t(
    difference: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    cluster_size: float = 1.0,
    design_effect: float = 1.0,
) -> int:
    """The smallest number of queries with which the paired t-test detects a true difference with this power.

    Parameters
    ----------
    difference
        True mean difference, not 0; its sign counts if `alternative` is one-sided.
    sd
        Standard deviation of the differences, above 0.
    power
        Probability of detecting the difference, in (0, 1).
    alpha
        Significance level, in (0, 1).
    alternative
        "two-sided", "greater" or "less".
    cluster_size, design_effect
        As of `t_power`.

    Returns
    -------
    int
        About (z_(1 - alpha/2) + z_power)^2 sd^2 / difference^2 + z_(1 - alpha/2)^2 / 2, times
        `design_effect`; at least 2 clusters.

    Raises
    ------
    ParameterError
        An argument is out of range, or no number of queries is enough.

    Examples
    --------
    >>> queries_for_t(0.05, 0.167)
    90
    """
    check_share("power", power)
    if alternative != "two-sided" and difference * (1 if alternative == "greater" else -1) <= 0:
        check_alternative(alternative)
        raise ParameterError(
            f"difference is {difference!r} and alternative {alternative!r}, which no number of queries can find; "
            "expected a difference on that side of 0"
        )
    check_positive("the size of the difference", abs(difference))
    check_clusters(cluster_size, design_effect)
    options: dict[str, Any] = {"cluster_size": cluster_size, "design_effect": design_effect}
    return smallest_enough(
        lambda n: bool(t_power(n, difference, sd, alpha=alpha, alternative=alternative, **options) >= power),
        ceil(2 * cluster_size),
        f"a difference of {difference:g} at a standard deviation of {sd:g}",
    )


def difference_for_t(
    n: int,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    cluster_size: float = 1.0,
    design_effect: float = 1.0,
) -> float:
    """The smallest true difference that the paired t-test detects with this power, with n queries; above 0.

    Parameters
    ----------
    n
        Number of queries, at least 2 (2 clusters).
    sd
        Standard deviation of the differences, above 0.
    power
        Probability of detecting the difference, in (alpha, 1).
    alpha
        Significance level, in (0, 1).
    alternative
        "two-sided", "greater" or "less"; if it is one-sided, the difference lies on the tested side.
    cluster_size, design_effect
        As of `t_power`.

    Returns
    -------
    float
        About (z_(1 - alpha/2) + z_power) sd sqrt(design_effect / n). `t_power` of it is `power`.

    Raises
    ------
    ParameterError
        An argument is out of range, or the power is not above the level.

    Examples
    --------
    >>> round(difference_for_t(90, 0.167), 4)
    0.0499
    """
    check_share("power", power)
    check_alternative(alternative)
    if power <= alpha:
        raise ParameterError(f"power is {power:g} and alpha {alpha:g}; expected a power above alpha")
    side = "two-sided" if alternative == "two-sided" else "greater"
    options: dict[str, Any] = {"cluster_size": cluster_size, "design_effect": design_effect}

    def is_enough(effect: float) -> bool:
        return bool(t_power(n, effect, 1.0, alpha=alpha, alternative=side, **options) >= power)

    check_positive("sd", sd)
    high = 1.0
    while not is_enough(high):
        high *= 2
    low = 0.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high * sd


def anova_power(
    n: int, systems: int, difference: float, sd: float, *, alpha: float = 0.05, design: str = "two-way"
) -> float:
    """The power of an analysis of variance of systems whose best and worst differ by `difference`; in [0, 1].

    Parameters
    ----------
    n
        Number of queries, at least 2.
    systems
        Number of systems m, at least 2.
    difference
        Difference between the best and the worst system (Sakai's minD).
    sd
        Standard deviation: of the residuals for "two-way", of the scores of one system for "one-way".
    alpha
        Significance level, in (0, 1).
    design
        "two-way" (the same queries for all systems) or "one-way".

    Returns
    -------
    float
        The power in the worst case, with all other systems in the middle.

    Raises
    ------
    ParameterError
        There are fewer than 2 systems or queries, or an argument is out of range.

    Notes
    -----
    F is noncentral with lambda = n difference^2 / (2 sd^2) and m - 1 and (m - 1)(n - 1) degrees of freedom ("two-way"),
    or m - 1 and m (n - 1) ("one-way").

    References
    ----------
    Sakai (2016), topic set size design; F is computed exactly, not by an approximation.

    Examples
    --------
    >>> round(anova_power(50, 2, 0.1, 0.2), 4)
    0.6882
    """
    check_count("n", n, 2)
    check_count("systems", systems, 2)
    check_positive("difference", difference)
    check_positive("sd", sd)
    check_share("alpha", alpha)
    check_choice("design", design, ("one-way", "two-way"))
    functions = special()
    df = systems - 1
    df_error = df * (n - 1) if design == "two-way" else systems * (n - 1)
    exponent = frexp(sd)[1]  # scaling by powers of 2 changes no digit, and no square is 0 or infinite
    shift = n * ldexp(min(difference, 1e6 * sd), -exponent) ** 2 / (2 * ldexp(sd, -exponent) ** 2)
    if shift > 1e5:  # the power is 1, and its sum would be slow
        return 1.0
    critical = functions.fdtri(df, df_error, 1 - alpha)
    return float(1 - functions.ncfdtr(df, df_error, shift, critical))


def queries_for_anova(
    systems: int, difference: float, sd: float, *, power: float = 0.8, alpha: float = 0.05, design: str = "two-way"
) -> int:
    """The smallest number of queries with which an analysis of variance detects with this power that systems differ.

    Parameters
    ----------
    systems
        Number of systems, at least 2.
    difference
        Difference between the best and the worst system (Sakai's minD).
    sd
        Standard deviation, as for `anova_power`.
    power
        Probability of detecting the difference, in (0, 1).
    alpha
        Significance level, in (0, 1).
    design
        "two-way" (the same queries for all systems) or "one-way".

    Returns
    -------
    int
        Number of queries.

    Raises
    ------
    ParameterError
        An argument is out of range, or no number of queries is enough.

    References
    ----------
    Sakai (2016), topic set size design by one-way ANOVA.

    Examples
    --------
    >>> queries_for_anova(10, 0.1, 0.2, design="one-way")
    127
    """
    check_share("power", power)
    return smallest_enough(
        lambda n: anova_power(n, systems, difference, sd, alpha=alpha, design=design) >= power,
        2,
        f"a difference of {difference:g} at a standard deviation of {sd:g}",
    )


def queries_for_interval(
    width: float,
    sd: float,
    *,
    confidence_level: float = 0.95,
    cluster_size: float = 1.0,
    design_effect: float = 1.0,
) -> int:
    """The smallest number of queries whose t interval of the mean difference is at most `width` wide, for this sd.

    Parameters
    ----------
    width
        Width of the interval, above 0.
    sd
        Standard deviation of the differences, above 0.
    confidence_level
        Level of the interval, in (0, 1).
    cluster_size, design_effect
        As of `t_power`.

    Returns
    -------
    int
        The smallest n with 2 t sd sqrt(design_effect / n) <= width, with n / cluster_size - 1 degrees of freedom.

    Raises
    ------
    ParameterError
        The width or sd is not above 0.

    References
    ----------
    Sakai (2016), with the width for the given sd instead of its expectation.

    Examples
    --------
    >>> queries_for_interval(0.1, 0.2)
    64
    """
    check_positive("width", width)
    check_positive("sd", sd)
    check_share("confidence_level", confidence_level)
    check_clusters(cluster_size, design_effect)
    stdtrit = special().stdtrit
    share = (1 + confidence_level) / 2
    return smallest_enough(
        lambda n: bool(2 * stdtrit(n / cluster_size - 1, share) * sd / np.sqrt(n / design_effect) <= width),
        ceil(2 * cluster_size),
        f"an interval of width {width:g}",
    )
