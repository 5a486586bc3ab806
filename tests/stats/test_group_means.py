"""Do means differ between groups of queries: Welch's test, and Hotelling's where clusters reach over groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from scipy import stats as oracle
from statsmodels.stats.oneway import anova_oneway

from rankscope.errors import ParameterError
from rankscope.stats import group_means_test

RNG = np.random.default_rng


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


# Groups that are independent samples


@pytest.mark.parametrize("sizes", [(5, 5), (30, 4), (3, 9, 20), (2, 2, 2, 2), (40, 25, 8, 3, 2)])
def test_without_clusters_it_is_welchs_test(sizes: tuple[int, ...]) -> None:
    rng = RNG(len(sizes) * sum(sizes))
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    values = rng.normal(size=groups.size) * (1 + groups) + 0.3 * groups
    found = group_means_test(values, groups)
    expected = anova_oneway(values, groups, use_var="unequal", welch_correction=True)
    close([found.statistic, found.pvalue], [expected.statistic, expected.pvalue])
    close([found.df_groups, found.df_error], expected.df)
    assert (found.test, found.n_groups, found.n_skipped) == ("welch", len(sizes), 0)


def test_of_two_groups_f_is_the_square_of_welchs_t() -> None:
    rng = RNG(3)
    a, b = rng.normal(0, 1, 12), rng.normal(0.5, 3, 7)
    found = group_means_test([*a, *b], ["a"] * 12 + ["b"] * 7)
    expected = oracle.ttest_ind(a, b, equal_var=False)
    close([found.statistic, found.pvalue, found.df_error], [expected.statistic**2, expected.pvalue, expected.df])


def test_a_worked_example() -> None:
    """Means .2 and -.1, each with variance .01 of three values: F = .3^2 / (2 x .01 / 3) = 13.5 with 1 and 4."""
    found = group_means_test([0.1, 0.2, 0.3, -0.1, 0.0, -0.2], [0, 0, 0, 1, 1, 1])
    close([found.statistic, found.df_groups, found.df_error], [13.5, 1, 4])
    close(found.pvalue, oracle.f.sf(13.5, 1, 4))


def mean_without(values: Any, weights: Any, out: Any) -> float:
    return float((values * weights)[~out].sum() / weights[~out].sum())


def jackknife(values: Any, clusters: Any, weights: Any) -> tuple[float, float, float]:
    """Mean, jackknife variance over clusters and effective number of clusters, in a plain loop."""
    names = list(dict.fromkeys(clusters.tolist()))
    mean = float((values * weights).sum() / weights.sum())
    squares = [(mean_without(values, weights, clusters == name) - mean) ** 2 for name in names]
    sums = np.array([weights[clusters == name].sum() for name in names])
    return mean, (len(names) - 1) / len(names) * sum(squares), sums.sum() ** 2 / (sums**2).sum()


def welch_by_formula(means: Any, variances: Any, numbers: Any) -> tuple[float, float]:
    """Welch (1951), equations 23 to 25."""
    k, w = len(means), 1 / np.asarray(variances)
    centre = (w * means).sum() / w.sum()
    doubt = ((1 - w / w.sum()) ** 2 / (np.asarray(numbers) - 1)).sum()
    top = (w * (np.asarray(means) - centre) ** 2).sum() / (k - 1)
    return top / (1 + 2 * (k - 2) / (k**2 - 1) * doubt), (k**2 - 1) / (3 * doubt)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_clusters_within_groups_and_weights_give_welchs_test_on_jackknife_variances(
    weighted: bool, clustered: bool
) -> None:
    rng = RNG(11)
    clusters = np.repeat(np.arange(24), rng.integers(1, 6, 24)) if clustered else np.arange(70)
    groups = np.array(["a", "b", "c"])[clusters % 3]
    weights = rng.uniform(0.5, 4, clusters.size) if weighted else np.ones(clusters.size)
    values = rng.normal(size=clusters.size) + rng.normal(size=clusters.max() + 1)[clusters] + (groups == "b")
    options: dict[str, Any] = {"clusters": clusters if clustered else None, "weights": weights if weighted else None}
    found = group_means_test(values, groups, **options)
    parts = [jackknife(values[groups == g], clusters[groups == g], weights[groups == g]) for g in "abc"]
    expected, df = welch_by_formula(*map(np.array, zip(*parts, strict=True)))
    close([found.statistic, found.df_error], [expected, df])
    close(found.pvalue, oracle.f.sf(expected, 2, df))
    assert found.test == "welch"


# Clusters that reach over groups


def crossed(seed: int, n_groups: int = 3, n_clusters: int = 15) -> tuple[Any, Any, Any]:
    """Values, groups and clusters; a cluster may lack a group."""
    rng = RNG(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(2, 9, n_clusters))
    groups = rng.integers(0, n_groups, clusters.size)
    values = rng.normal(size=clusters.size) + 0.7 * rng.normal(size=n_clusters)[clusters]
    return values, groups, clusters


def wald_by_jackknife(values: Any, groups: Any, clusters: Any, weights: Any) -> float:
    """The Wald statistic of all differences from the first group, one cluster after the other removed."""
    names = np.unique(groups)

    def means(kept: Any) -> Any:
        return np.array(
            [np.average(values[kept & (groups == g)], weights=weights[kept & (groups == g)]) for g in names]
        )

    everything = np.ones(values.size, bool)
    whole, all_clusters = means(everything), np.unique(clusters)
    gaps = np.array([means(clusters != cluster) - whole for cluster in all_clusters])
    covariance = (all_clusters.size - 1) / all_clusters.size * gaps.T @ gaps
    contrast = np.hstack([-np.ones((names.size - 1, 1)), np.eye(names.size - 1)])
    differences = contrast @ whole
    return float(differences @ np.linalg.inv(contrast @ covariance @ contrast.T) @ differences)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_over_groups_give_a_wald_test_with_the_jackknife_covariance(seed: int, weighted: bool) -> None:
    values, groups, clusters = crossed(seed, n_groups=2 + seed % 3)
    weights = RNG(seed).uniform(1, 3, values.size) if weighted else np.ones(values.size)
    found = group_means_test(values, groups, clusters=clusters, weights=weights if weighted else None)
    q, df = found.df_groups, float(found.df_error) + found.df_groups - 1
    wald = wald_by_jackknife(values, groups, clusters, weights)
    close(found.statistic, wald * found.df_error / (df * q))
    close(found.pvalue, oracle.f.sf(found.statistic, q, found.df_error))
    assert (found.test, q) == ("hotelling", 1 + seed % 3)


def test_each_cluster_with_a_query_in_each_group_is_hotellings_test() -> None:
    """With one query of each cluster in each group, it is his test of paired means, with G - 1 degrees of freedom."""
    rng = RNG(5)
    table = rng.normal(size=(12, 3)) + rng.normal(size=(12, 1))
    clusters, groups = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
    found = group_means_test(table.ravel(), groups, clusters=clusters)
    differences = table[:, 1:] - table[:, :1]
    mean, covariance = differences.mean(axis=0), np.cov(differences.T)
    t2 = 12 * mean @ np.linalg.solve(covariance, mean)
    close(found.statistic, t2 * (12 - 2) / (2 * 11))
    close([found.df_groups, found.df_error], [2, 10])


def test_of_two_groups_in_each_cluster_it_is_the_paired_t_test() -> None:
    rng = RNG(6)
    a, b = rng.normal(size=(2, 9))
    found = group_means_test([*a, *b], [0] * 9 + [1] * 9, clusters=[*range(9)] * 2)
    expected = oracle.ttest_rel(a, b)
    close([found.statistic, found.pvalue, found.df_error], [expected.statistic**2, expected.pvalue, 8])


def test_a_cluster_of_which_one_query_is_elsewhere_hardly_changes_the_degrees_of_freedom() -> None:
    """5 clusters against 40 carry as much as Welch and Satterthwaite say, whether or not one of them crosses."""
    groups, clusters = np.repeat([0, 1], [25, 200]), np.repeat(np.arange(45), 5)
    values = RNG(7).normal(size=225)
    within = group_means_test(values, groups, clusters=clusters)
    groups = groups.copy()
    groups[0] = 1
    across = group_means_test(values, groups, clusters=clusters)
    assert (within.test, across.test) == ("welch", "hotelling")
    assert 4 < across.df_error < 6


# Many lists, labels and units


@pytest.mark.parametrize("clustered", [False, True])
def test_lists_are_tested_each_for_itself(clustered: bool) -> None:
    values, groups, clusters = crossed(1)
    rows = RNG(2).normal(size=(7, values.size))
    options = {"clusters": clusters if clustered else None}
    found = group_means_test(rows, groups, **options)
    single = [group_means_test(row, groups, **options) for row in rows]
    assert found.pvalue.shape == (7,)
    for name in ("statistic", "pvalue", "df_error"):
        close(getattr(found, name), [getattr(one, name) for one in single])


@pytest.mark.parametrize("factor", [1.0, -3.0, 2.0**-700, 2.0**700])
def test_names_order_and_unit_change_nothing(factor: float) -> None:
    values, groups, clusters = crossed(3)
    order = RNG(4).permutation(values.size)
    found = group_means_test(values, groups, clusters=clusters)
    names = np.array(["tail", "head", "other"])[groups]
    again = group_means_test(values[order] * factor, names[order], clusters=[f"c{c}" for c in clusters[order]])
    close([again.statistic, again.pvalue], [found.statistic, found.pvalue])


def test_a_shift_of_all_values_changes_nothing() -> None:
    values, groups, clusters = crossed(3)
    found, shifted = (group_means_test(x, groups, clusters=clusters) for x in (values, values + 5))
    close(shifted.statistic, found.statistic)


# Where there is nothing to test


def test_groups_of_one_query_or_cluster_are_skipped() -> None:
    values = RNG(1).normal(size=13)
    found = group_means_test(values, [0] * 6 + [1] * 6 + [2])
    assert (found.n_groups, found.n_skipped, found.df_groups) == (2, 1, 1)
    assert_same_numbers(found.pvalue, group_means_test(values[:12], [0] * 6 + [1] * 6).pvalue)
    clusters = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
    found = group_means_test(values, [0] * 4 + [1] * 2 + [2] * 7, clusters=clusters)
    assert (found.n_groups, found.n_skipped) == (2, 1)


@pytest.mark.parametrize("groups", [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 2, 3]])
def test_with_fewer_than_two_groups_of_two_there_is_no_test(groups: list[int]) -> None:
    found = group_means_test([0.1, 0.4, 0.2, 0.3], groups)
    assert np.isnan([found.statistic, found.pvalue, found.df_error]).all()
    assert found.n_groups < 2


def test_too_few_clusters_over_many_groups_have_no_test() -> None:
    groups, clusters = np.tile(np.arange(4), 3), np.repeat(np.arange(3), 4)
    assert np.isnan(group_means_test(RNG(1).normal(size=12), groups, clusters=clusters).pvalue)


@pytest.mark.parametrize("clusters", [None, [0, 1, 2, 0, 1, 2]])
def test_what_never_differs_has_p_1_and_what_never_varies_none(clusters: Any) -> None:
    found = group_means_test(np.array([[0.0] * 6, [0.3] * 6]), [0, 0, 0, 1, 1, 1], clusters=clusters)
    assert (found.statistic[0], found.pvalue[0]) == (0.0, 1.0)
    assert np.isnan([found.statistic[1], found.pvalue[1]]).all()


@pytest.mark.parametrize("clusters", [None, [0, 1, 2, 3, 0, 1, 2, 3]])
def test_two_groups_without_variation_and_with_two_means_have_no_test(clusters: Any) -> None:
    assert np.isnan(group_means_test([0.0] * 4 + [0.5] * 4, [0] * 4 + [1] * 4, clusters=clusters).pvalue)


def test_a_mean_without_variation_is_a_known_number() -> None:
    """A system that changes nothing in the tail: what is left is a t-test of the head against 0."""
    head = RNG(9).normal(0.3, 1, 15)
    found = group_means_test([*head, *[0.0] * 20], ["head"] * 15 + ["tail"] * 20)
    expected = oracle.ttest_1samp(head, 0)
    assert found.statistic == pytest.approx(expected.statistic**2, rel=1e-6)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-6)
    clusters = [*range(15), *range(15), *range(5)]
    across = group_means_test([*head, *[0.0] * 20], ["head"] * 15 + ["tail"] * 20, clusters=clusters)
    assert across.test == "hotelling"
    assert across.statistic == pytest.approx(expected.statistic**2, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "mentioned"),
    [
        (([0.1, 0.2], [0]), "groups have shape (1,), expected one for each of 2 queries"),
        (([0.1, 0.2], [0, 1], [0]), "clusters have shape (1,), expected one for each of 2 queries"),
        (([0.1, np.nan], [0, 1]), "NaN or infinite"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[Any, ...], mentioned: str) -> None:
    values, groups, *clusters = arguments
    with pytest.raises(ParameterError) as raised:
        group_means_test(values, groups, clusters=clusters[0] if clusters else None)
    assert mentioned in str(raised.value)


# What the level promises

RUNS = 10_000
UNEQUAL = np.repeat(np.arange(20), [30, *[1, 2, 3, 4, 5] * 4][:20])
DESIGNS: dict[str, tuple[Any, Any, float, float]] = {
    "3 groups of 20 queries": (np.repeat([0, 1, 2], 20), None, 0.0, 0.0),
    "groups of 40, 20 and 8 queries": (np.repeat([0, 1, 2], [40, 20, 8]), None, 0.0, 0.0),
    "2 groups of 10 clusters of 5": (np.repeat([0, 1], 50), np.repeat(np.arange(20), 5), 0.5, 0.0),
    "3 groups of 8 clusters of 5": (np.repeat([0, 1, 2], 40), np.repeat(np.arange(24), 5), 0.5, 0.0),
    "20 clusters of 6 over 3 groups": (np.tile([0, 0, 1, 1, 2, 2], 20), np.repeat(np.arange(20), 6), 0.5, 0.0),
    "10 clusters of 6 over 3 groups": (np.tile([0, 0, 1, 1, 2, 2], 10), np.repeat(np.arange(10), 6), 0.3, 0.3),
    "20 clusters of 10, 9 to 1": (np.tile([0] * 9 + [1], 20), np.repeat(np.arange(20), 10), 0.3, 0.2),
}


def size_of(groups: Any, clusters: Any, shared: float, by_group: float, seed: int) -> float:
    """How often the test claims at level 5 % that equal means differ.

    shared: of the variance, that of clusters. by_group: that of the queries that a cluster has in a group.
    """
    rng = RNG(seed)
    codes = np.arange(groups.size) if clusters is None else clusters
    n_groups = groups.max() + 1
    values = np.sqrt(1 - shared - by_group) * rng.normal(size=(RUNS, groups.size))
    values += np.sqrt(shared) * rng.normal(size=(RUNS, codes.max() + 1))[:, codes]
    values += np.sqrt(by_group) * rng.normal(size=(RUNS, (codes.max() + 1) * n_groups))[:, codes * n_groups + groups]
    return float((group_means_test(values, groups, clusters=clusters).pvalue <= 0.05).mean())


#: Measured with these seeds: 4.86, 5.40, 4.97, 4.61, 4.84, 4.94 and 4.77 %, each with a standard error of .22.
@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_equal_groups_are_told_apart_as_often_as_the_level_says(design: str) -> None:
    groups, clusters, shared, by_group = DESIGNS[design]
    size, error = size_of(groups, clusters, shared, by_group, seed=len(design)), np.sqrt(0.05 * 0.95 / RUNS)
    assert 0.04 - 3 * error <= size <= 0.06 + 3 * error, f"{100 * size:.2f} % (standard error {100 * error:.2f})"


@pytest.mark.slow
def test_very_unequal_clusters_make_it_careful_and_never_too_sure() -> None:
    """One cluster of 30 queries and 19 of 1 to 5."""
    for nested in (True, False):
        clusters = np.concatenate([UNEQUAL, UNEQUAL + 20]) if nested else UNEQUAL
        groups = np.repeat([0, 1], UNEQUAL.size) if nested else RNG(1).integers(0, 2, UNEQUAL.size)
        size = size_of(groups, clusters, 0.3, 0.0, seed=5)
        assert 0.015 < size <= 0.06, f"{100 * size:.2f} %, clusters {'within' if nested else 'over'} groups"


@pytest.mark.slow
def test_taken_as_independent_clusters_within_groups_are_told_apart_far_too_often() -> None:
    """The test of the tests: what clusters are for can be seen at this size."""
    groups, clusters, shared, _ = DESIGNS["2 groups of 10 clusters of 5"]
    rng = RNG(1)
    values = (
        np.sqrt(1 - shared) * rng.normal(size=(RUNS, 100)) + np.sqrt(shared) * rng.normal(size=(RUNS, 20))[:, clusters]
    )
    assert (group_means_test(values, groups).pvalue <= 0.05).mean() > 0.2
