"""Plans for queries in clusters and with weights: worked designs, plain loops, and whether the power is there."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.clustered_queries import (
    UNEQUAL,
    clustered_scores,
    clustered_values,
    codes_of,
    naive_error,
    naive_squares,
)
from helpers.messages import mentions
from helpers.planning_tables import rows
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.score_tables import score_table
from helpers.simulated_rates import show

import rankscope as rs
from rankscope import plan
from rankscope.comparison.plan.cluster_design import ClusterDesign
from rankscope.errors import ParameterError
from rankscope.stats import difference_for_t, queries_for_interval, queries_for_t, t_power, t_test

EQUAL = codes_of([5] * 20)


def pair_of(codes, correlation=0.3, seed=3, weights=None):
    """Two systems on clustered queries, and the differences between them."""
    rng = np.random.default_rng(seed)
    values = 0.5 + 0.05 * clustered_values(rng, codes, correlation, 2)
    return clustered_scores(values, codes, weights), values[0] - values[1]


def test_equal_clusters_are_planned_as_their_means():
    """With clusters of one size the need is that of the t-test of the means of clusters."""
    scores, d = pair_of(EQUAL)
    sd = np.array([d[code == EQUAL].mean() for code in range(20)]).std(ddof=1)
    found = rows(plan(scores, difference=0.02))
    n_clusters = queries_for_t(0.02, sd)
    assert found["t"][2:] == (5 * n_clusters, n_clusters)
    assert found["t"][1] == pytest.approx(float(t_power(n_clusters, 0.02, sd)))
    assert found["t achieved"] == (0.02, pytest.approx(float(t_power(20, 0.02, sd))), 100, 20)
    assert found["t detectable"][0] == pytest.approx(difference_for_t(20, sd))
    assert found["interval"][2] == 5 * queries_for_interval(0.04, sd)


def test_unequal_clusters_are_planned_by_the_formulas():
    codes = codes_of(UNEQUAL)
    scores, d = pair_of(codes)
    (one,) = plan(scores, difference=0.02).plans
    between, within, size = naive_squares(d, codes)
    correlation = (between - within) / (between + (size - 1) * within)
    n, sizes = len(d), np.bincount(codes)
    of_a_query = (sizes**2).sum() / n
    effect = 1 + (of_a_query - 1) * correlation
    # The two components of the variance, from the sum of squares about the mean.
    variance = ((d - d.mean()) ** 2).sum() / (n - effect)
    assert_same_numbers(
        [one.design.correlation, one.design.design_effect, one.sd, one.design.size],
        [correlation, effect, variance**0.5, of_a_query],
    )
    power = t_power(n / of_a_query, 0.02, (variance * effect / of_a_query) ** 0.5)
    assert one.row("t achieved").power == pytest.approx(float(power))


def test_the_correlation_of_several_systems_is_that_of_all_pairs_together():
    values = 0.5 + 0.05 * clustered_values(np.random.default_rng(4), EQUAL, 0.3, 4)
    for baseline, pairs in ((None, [(i, j) for i in range(4) for j in range(i)]), ("a", [(i, 0) for i in (1, 2, 3)])):
        (one,) = plan(clustered_scores(values, EQUAL), difference=0.02, baseline=baseline).plans
        squares = [naive_squares((values[i] - values[j]).tolist(), EQUAL.tolist()) for i, j in pairs]
        between, within, size = (sum(column) for column in zip(*squares, strict=True))
        size /= len(pairs)
        assert_same_numbers(one.design.correlation, (between - within) / (between + (size - 1) * within))


@pytest.mark.parametrize("codes", [None, EQUAL], ids=["alone", "clustered"])
@pytest.mark.parametrize("n_systems", [2, 4])
def test_weights_are_planned_by_the_error_of_the_mean_at_hand(codes, n_systems):
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 20, 100)
    of_clusters = EQUAL if codes is not None else np.arange(100)
    values = 0.5 + 0.05 * clustered_values(rng, of_clusters, 0.3, n_systems)
    found = plan(clustered_scores(values, codes, weights), difference=0.02)
    pairs = [(i, j) for i in range(n_systems) for j in range(i)]
    variance = np.mean([naive_error(values[i] - values[j], of_clusters, weights) ** 2 for i, j in pairs])
    cluster_weights = np.bincount(of_clusters, weights)
    effective = cluster_weights.sum() ** 2 / (cluster_weights**2).sum()
    power = t_power(effective, 0.02, (variance * effective) ** 0.5)
    assert rows(found)["t achieved"][1] == pytest.approx(float(power))


def test_without_a_difference_clusters_are_counted_too():
    scores, _ = pair_of(EQUAL)
    (section,) = plan(scores).sections()
    assert [row[:2] for row in section.table.rows] == [
        ("50", "10"),
        ("125", "25"),
        ("250", "50"),
        ("500", "100"),
        ("1,250", "250"),
    ]
    (one,) = plan(scores).plans
    for _, method, difference, _, n, n_clusters in plan(scores).records():
        assert method.startswith("t detectable")
        assert n == 5 * n_clusters
        assert difference == pytest.approx(difference_for_t(n, one.sd, **one.design.for_power))


def test_clusters_of_a_query_each_and_equal_weights_change_no_number():
    values = 0.5 + 0.05 * np.random.default_rng(6).normal(size=(3, 40))
    plain = rows(plan(clustered_scores(values, weights=None, codes=np.arange(40)), difference=0.02))
    for method, row in rows(plan(clustered_scores(values, weights=[3.0] * 40), difference=0.02)).items():
        assert_same_numbers(row, plain[method][:3])
        assert plain[method][2] == plain[method][3]
    independent = rows(plan(score_table(values), difference=0.02))
    assert set(independent) - set(plain) == {"one-way ANOVA", "two-way ANOVA"}
    for method in plain:
        assert_same_numbers(plain[method][:3], independent[method])


def test_queries_of_a_cluster_that_differ_more_than_others_are_no_better_than_independent_ones():
    d = np.tile([0.1, -0.1, 0.0, 0.05, -0.05], 20) + np.linspace(-0.001, 0.001, 100)
    values = np.stack([0.5 + d, np.full(100, 0.5)])
    (one,) = plan(clustered_scores(values, np.repeat(np.arange(20), 5)), difference=0.02).plans
    assert one.design.correlation < 0
    assert (one.design.design_effect, one.sd) == (1.0, pytest.approx(d.std(ddof=1)))


@pytest.mark.parametrize("per_cluster", [1.0, 3.25, 5.0, 2.6, 1.0000001])
def test_numbers_of_queries_and_of_clusters_go_both_ways(per_cluster):
    design = ClusterDesign(n_clusters=8, per_cluster=per_cluster)
    for n_clusters in range(1, 60):
        n = design.queries_of(n_clusters)
        assert design.clusters_of(n) == n_clusters
        assert n - 1 < n_clusters * per_cluster <= n + 1e-9
    for n in range(1, 200):
        assert design.queries_of(design.clusters_of(n)) >= n > design.queries_of(design.clusters_of(n) - 1)


def test_the_answer_is_in_clusters_too():
    scores, _ = pair_of(EQUAL)
    section = plan(scores, difference=0.02).sections()[0]
    n_clusters = rows(plan(scores, difference=0.02))["t"][3]
    sentence = section.sentence
    assert mentions(sentence, "100 queries in 20 clusters", f"{5 * n_clusters} queries, {n_clusters} clusters of 5")
    assert f": {n_clusters - 20} more clusters of 5 queries." in sentence
    assert any(mentions(note, "analyses of variance", "left out") for note in section.notes)
    assert any(mentions(note, "20 clusters of 5 queries", "correlate", "carry as much as") for note in section.notes)
    unequal = plan(pair_of(codes_of(UNEQUAL))[0], difference=0.02).sections()[0].sentence
    assert f"of {np.mean(UNEQUAL):.1f} queries on average" in unequal


def test_the_signature_names_the_clusters():
    scores, _ = pair_of(EQUAL)
    assert "| clusters:20 |" in plan(scores, difference=0.02).signature()


def test_fewer_queries_at_hand_than_two_clusters_are_refused():
    scores, _ = pair_of(EQUAL)
    with pytest.raises(ParameterError) as error:
        plan(scores, difference=0.02, n_queries=9)
    assert mentions(error.value, "n_queries (--at-hand) is 9", "at least 10")
    assert rows(plan(scores, difference=0.02, n_queries=10))["t achieved"][2:] == (10, 2)


def test_one_cluster_that_outweighs_the_rest_gives_no_number():
    codes = np.array([0] * 30 + [1, 2])
    found = plan(pair_of(codes)[0], difference=0.02)
    assert all(np.isnan(row.power) for row in found.plans[0].rows)
    assert mentions(found.sections()[0].sentence, "3 clusters", "largest outweighs", "measure more clusters")


def test_the_same_mean_in_every_weighted_cluster_gives_no_number():
    d = np.tile([0.1, -0.1], 10)
    values = np.stack([0.5 + d, np.full(20, 0.5)])
    found = plan(clustered_scores(values, np.repeat(np.arange(10), 2), [1.0] * 20), difference=0.02)
    assert mentions(found.sections()[0].sentence, "the same in every cluster")


def test_ids_that_look_clustered_get_a_note():
    rng = np.random.default_rng(1)
    values = {name: {f"q{i}_{j}": rng.random() for i in range(5) for j in range(4)} for name in "ab"}
    scores = rs.Scores.of(values, measures="AP")
    assert any(mentions(note, "q0_0", "--cluster-by") for note in plan(scores, difference=0.1).notes)
    with_clusters = plan(scores.with_queries(cluster_by="^[^_]+"), difference=0.1)
    assert not any("look clustered" in note for note in with_clusters.notes)
    assert_same_bits(with_clusters.plans[0].design.n_clusters, 5)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("sizes", ["of 5", "of 1 to 10"])
def test_the_planned_clusters_have_the_power_that_was_promised(sizes, correlation):
    """Planned from 20,000 clusters, so that only the formula errs; then 10,000 experiments of that size."""
    rng = np.random.default_rng(7)

    def draw_codes(n_clusters):
        return np.repeat(np.arange(n_clusters), 5 if sizes == "of 5" else rng.integers(1, 11, n_clusters))

    codes = draw_codes(20_000)
    d = clustered_values(rng, codes, correlation, 1)
    row = plan(clustered_scores(np.concatenate([d, 0 * d]), codes, measures="DCG"), difference=0.3).plans[0].row("t")
    n_clusters = round(row.n_queries / (codes.size / 20_000))
    n_significant = n_experiments = 0
    for _ in range(200):  # each with clusters of its own
        codes = draw_codes(n_clusters)
        p = t_test(clustered_values(rng, codes, correlation, 50) + 0.3, clusters=codes).pvalue
        n_significant, n_experiments = n_significant + int((p <= 0.05).sum()), n_experiments + 50
    power = n_significant / n_experiments
    error = np.sqrt(power * (1 - power) / n_experiments)
    show("power", f"{n_clusters} clusters, promised {row.power:.3f}, found {power:.3f} ({error:.3f})")
    # The critical value of unequal clusters is that of fewer clusters than carry the error: up to .02 more power.
    slack = 0.005 if sizes == "of 5" else 0.025
    assert row.power - 3 * error - 0.005 <= power <= row.power + 3 * error + slack
