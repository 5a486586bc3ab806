"""Does a mean differ between groups of queries: Welch's test, and Hotelling's where clusters reach over groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.distributions import special
from rankscope.stats.inputs import all_zero, as_differences, scale_rows
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "GroupMeansTest",
    "group_means_test",
]


#: Numbers in a table of lists, clusters and groups: 8 MB.
AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupMeansTest:
    """The result of a test for each list of values; arrays of shape (lists), or () for a single list.

    Attributes
    ----------
    test
        "welch", or "hotelling" where clusters reach over groups.
    statistic, pvalue
        F, at least 0, and its p-value; NaN if the data leave them undefined.
    df_groups
        Degrees of freedom of the groups: their number less 1.
    df_error
        Degrees of freedom of the error.
    n_groups
        How many groups were tested: those of at least two queries or clusters.
    n_skipped
        How many groups are too small to be tested.
    """

    test: str
    statistic: Floats
    pvalue: Floats
    df_groups: int
    df_error: Floats
    n_groups: int
    n_skipped: int


def group_means_test(
    values: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> GroupMeansTest:
    """Test whether the mean is the same in all groups of queries, whose variances may differ.

    Of differences of two systems, it is the test of the interaction: does the difference depend on the group?

    Parameters
    ----------
    values
        Differences or scores, (queries) or (lists, queries).
    groups
        The group of each query, as any labels, (queries).
    clusters
        The cluster of each query, whose values are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    GroupMeansTest
        A high F speaks against equal means. If all values are 0, F is 0 and p = 1. Both are NaN if fewer than two
        groups have two queries (or clusters), if nothing varies in any group, and if two groups without variation have
        different means.

    Raises
    ------
    ParameterError
        A value is NaN, or there are not as many groups as values.

    Notes
    -----
    If every cluster lies in one group, the groups are independent samples, and this is Welch's test, with the jackknife
    variance of each mean and the effective number of its clusters in the place of s^2 / n and n. If clusters reach over
    groups, it is a Wald test of the differences between the means, with their jackknife covariance over clusters, and
    Hotelling's distribution: T^2 (v - q + 1) / (v q) is an F with q and v - q + 1 degrees of freedom, where q is the
    number of groups less 1. v + 1 is the effective number of clusters: that of the shares that clusters have in the
    covariance if all queries are independent. A group of one query or cluster has no variance and is skipped.

    References
    ----------
    Welch (1951), "On the comparison of several mean values: an alternative approach"; agrees with statsmodels
    anova_oneway(use_var="unequal"). Hotelling (1931), "The generalization of Student's ratio"; Pustejovsky and Tipton
    (2018), "Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects
    models", for the form of F.

    Examples
    --------
    >>> result = group_means_test([0.1, 0.2, 0.3, -0.1, 0.0, -0.2], ["head", "head", "head", "tail", "tail", "tail"])
    >>> round(float(result.statistic), 6), round(float(result.pvalue), 4)
    (13.5, 0.0213)
    """
    rows, shape = as_differences(values)
    rows, _ = scale_rows(rows)
    n = rows.shape[1]
    group_codes = codes_of(groups, n, "groups")
    n_all = int(group_codes.max()) + 1
    cluster_codes = np.arange(n) if clusters is None else codes_of(clusters, n, "clusters")
    cells = np.unique(cluster_codes * n_all + group_codes)  # of a cluster and a group
    n_clusters_of = np.bincount(cells % n_all, minlength=n_all)
    is_tested = n_clusters_of > 1
    n_groups = int(is_tested.sum())
    if n_groups < 2:
        nan = np.full(shape, np.nan)
        return GroupMeansTest(
            test="welch", statistic=nan, pvalue=nan, df_groups=0, df_error=nan, n_groups=n_groups, n_skipped=n_all
        )
    in_tested = is_tested[group_codes]
    weight_array = None if weights is None else np.asarray(weights, np.float64)[in_tested]
    sample = rows[:, in_tested]
    group_codes, cluster_codes = (
        np.unique(codes[in_tested], return_inverse=True)[1] for codes in (group_codes, cluster_codes)
    )
    is_nested = np.unique(cluster_codes * n_groups + group_codes).size == cluster_codes.max() + 1
    test = welch if is_nested else hotelling
    statistic, df_error = test(sample, group_codes, None if clusters is None else cluster_codes, weight_array)
    pvalue = np.asarray(special().fdtrc(n_groups - 1, df_error, statistic))
    equal = all_zero(rows)
    statistic[equal], pvalue[equal] = 0.0, 1.0
    return GroupMeansTest(
        test="welch" if is_nested else "hotelling",
        statistic=statistic.reshape(shape),
        pvalue=pvalue.reshape(shape),
        df_groups=n_groups - 1,
        df_error=df_error.reshape(shape),
        n_groups=n_groups,
        n_skipped=n_all - n_groups,
    )


def codes_of(labels: npt.ArrayLike, n: int, name: str) -> Ints:
    """(queries) labels as numbers from 0. Raises ParameterError for another number of them."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ParameterError(f"the {name} have shape {array.shape}, expected one for each of {n} queries")
    return np.asarray(np.unique(array, return_inverse=True)[1], np.int64)


def welch(rows: Floats, groups: Ints, clusters: Ints | None, weights: Floats | None) -> tuple[Floats, Floats]:
    """(lists) F and its degrees of freedom of the error, of groups that are independent samples."""
    units = [
        cluster_sums(
            rows[:, groups == group],
            None if clusters is None else clusters[groups == group],
            None if weights is None else weights[groups == group],
        )
        for group in range(int(groups.max()) + 1)
    ]
    n_groups = len(units)
    means = np.array([own.means for own in units])  # (groups, lists)
    variances, is_undefined = floored_variances(rows, means, np.array([own.standard_errors**2 for own in units]))
    precision = 1 / variances
    share = precision / precision.sum(axis=0)
    centre = (share * means).sum(axis=0)
    between = (precision * (means - centre) ** 2).sum(axis=0) / (n_groups - 1)
    doubt = ((1 - share) ** 2 / np.array([own.df for own in units])[:, None]).sum(axis=0)
    statistic = between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * doubt)
    df_error = (n_groups**2 - 1) / (3 * doubt)
    return np.where(is_undefined, np.nan, statistic), np.where(is_undefined, np.nan, df_error)


def floored_variances(rows: Floats, means: Floats, variances: Floats) -> tuple[Floats, Bools]:
    """(groups, lists) variances of the means, those of 0 next to 0; and (lists) where they allow no test.

    A mean without variance is known, as it is in the limit of the formulas. There is no test if no mean has any, or if
    two means without it differ.
    """
    scale = np.abs(rows).max(axis=1)
    is_known = variances <= (100 * NOISE * scale) ** 2
    known_means = np.where(is_known, means, np.nan)
    spread = np.where(
        is_known.any(axis=0),
        np.fmax.reduce(known_means, axis=0) - np.fmin.reduce(known_means, axis=0),
        0.0,
    )
    is_undefined = is_known.all(axis=0) | (spread > 100 * NOISE * scale)
    floor = np.where(is_undefined, 1.0, NOISE * variances.max(axis=0))
    return np.maximum(variances, floor), is_undefined


def hotelling(rows: Floats, groups: Ints, clusters: Ints | None, weights: Floats | None) -> tuple[Floats, Floats]:
    """(lists) F and its degrees of freedom of the error, where clusters reach over groups."""
    assert clusters is not None  # without clusters, each query is in one group
    n_groups, n_clusters = int(groups.max()) + 1, int(clusters.max()) + 1
    cell_codes, cell_of = np.unique(clusters * n_groups + groups, return_inverse=True)
    cells = cluster_sums(rows, cell_of, weights)
    table_weights = np.zeros((n_clusters, n_groups))
    table_weights.ravel()[cell_codes] = cells.weights
    df = effective_clusters(clusters, groups, weights, n_clusters, n_groups) - 1
    n_contrasts = n_groups - 1
    df_error = df - n_contrasts + 1
    if df_error <= 0:
        return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    statistic = np.empty(len(rows))
    step = max(1, AT_ONCE // table_weights.size)
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        sums = np.zeros((len(rows[block]), *table_weights.shape))
        sums.reshape(len(sums), -1)[:, cell_codes] = cells.sums[block]
        statistic[block] = wald(rows[block], sums, table_weights)
    return statistic * df_error / (df * n_contrasts), np.where(np.isnan(statistic), np.nan, df_error)


def wald(rows: Floats, sums: Floats, weights: Floats) -> Floats:
    """(lists) T^2 of the differences between the means of groups, with their jackknife covariance over clusters.

    sums: (lists, clusters, groups). weights: (clusters, groups).
    """
    n_clusters, total = len(weights), weights.sum(axis=0)
    means = sums.sum(axis=1) / total
    gaps = (sums - means[:, None] * weights) / (total - weights)  # the means less those without a cluster
    covariance = (n_clusters - 1) / n_clusters * np.einsum("lcg,lch->lgh", gaps, gaps)
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    floored, is_undefined = floored_variances(rows, means.T, variances.T)
    covariance = covariance + (floored.T - variances)[:, :, None] * np.eye(len(total))
    differences = means[:, 1:] - means[:, :1]
    contrasts = covariance[:, 1:, 1:] - covariance[:, 1:, :1] - covariance[:, :1, 1:] + covariance[:, :1, :1]
    size = np.sqrt(np.diagonal(contrasts, axis1=1, axis2=2))
    correlation = contrasts / size[:, :, None] / size[:, None, :]
    is_singular = np.linalg.eigvalsh(np.nan_to_num(correlation))[:, 0] <= 100 * NOISE
    correlation[is_singular | is_undefined] = np.eye(len(total) - 1)
    standardised = differences / size
    solution = np.linalg.solve(correlation, standardised[:, :, None])[:, :, 0]
    return np.where(is_singular | is_undefined, np.nan, (standardised * solution).sum(axis=1))


def effective_clusters(clusters: Ints, groups: Ints, weights: Floats | None, n_clusters: int, n_groups: int) -> float:
    """How many clusters of one weight carry as much as these for the differences between groups.

    The covariance of the differences is a sum over clusters. If queries are independent and vary alike, the part of a
    cluster in it, for all differences together, is the sum over groups of its share in the variance of the mean, times
    1 less the precision of that mean among those of all groups.
    """
    weight = np.ones(groups.size) if weights is None else weights
    squares = np.bincount(clusters * n_groups + groups, weight**2, minlength=n_clusters * n_groups)
    squares = squares.reshape(n_clusters, n_groups)
    total_squares = squares.sum(axis=0)
    precision = np.bincount(groups, weight, minlength=n_groups) ** 2 / total_squares
    return effective_number((squares / total_squares * (1 - precision / precision.sum())).sum(axis=1))
