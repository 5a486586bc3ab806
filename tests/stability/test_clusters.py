"""Studies of queries in clusters: sets of whole clusters, tests by cluster, and what is refused."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from helpers.clustered_queries import UNEQUAL, clustered_scores, clustered_values, codes_of, naive_correlation
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.score_tables import score_table
from helpers.simulated_rates import show
from helpers.study_data import lists, ranks_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import count_draws
from rankscope.stability.conditions import Condition
from rankscope.stability.discriminative_power import significance_levels
from rankscope.stability.outcome import bootstrap_swaps, tukey_rates, untested
from rankscope.stability.reliability import half_agreement, halves_of, reliability_of
from rankscope.stability.sampling import Queries, Sample, stream
from rankscope.stats import generalisability, randomised_tukey_hsd, t_test

study = rs.stability.study
LEVELS = (0.01, 0.05, 0.1, 0.3)
SIZES = [3, 1, 4, 2, 2, 5, 1, 3]


def population(seed=1, n_systems=3, sizes=SIZES, missing=()):
    codes = codes_of(sizes)
    values = 0.5 + 0.1 * clustered_values(np.random.default_rng(seed), codes, 0.3, n_systems)
    for system, query in missing:
        values[system, query] = np.nan
    scores = clustered_scores(values, codes)
    return Queries(scores, scores.measures, np.array([1.0])), values, codes


# Sets


def test_sets_are_of_whole_clusters_and_no_cluster_is_in_two_of_them():
    material, values, codes = population()
    query_of = {value: query for query, value in enumerate(values[0].tolist())}
    for condition in (Condition(2, 3, 8), Condition(3, 3, 7), Condition(1, 3, 3)):
        sample = material.sample(condition, 20, 5)
        for i in range(20):
            rows = sample.values[0, i, 0]
            queries = [query_of[value] for value in rows[~np.isnan(rows)].tolist()]
            clusters = {codes[query] for query in queries}
            assert len(clusters) == condition.size
            assert sorted(queries) == [q for q in range(len(codes)) if codes[q] in clusters]
            drawn = stream(5, condition, i, 0).permutation(len(SIZES))[: condition.entities]
            places = {codes[q]: set() for q in queries}
            for place, query in zip(sample.clusters[i], queries, strict=False):
                places[codes[query]].add(int(place))
            # material numbers clusters as they come: place and cluster are one to one
            assert sorted(place for (place,) in places.values()) == list(range(condition.size))
            for side, half in enumerate(sample.disjoint):
                part = drawn[side * condition.size : (side + 1) * condition.size]
                members = np.isin(material.clusters, part)
                assert_same_numbers(half[0, i].tolist(), values[:, members].mean(axis=1).tolist())


def test_queries_of_a_set_without_a_value_or_of_one_cluster_are_not_tested():
    nan = np.nan
    values = np.array([[[[1.0, 2.0, nan], [2.0, 1.0, nan]], [[1.0, nan, 3.0], [1.0, 2.0, 4.0]]]])
    clusters = np.array([[0, 0, 1], [0, 0, 1]])
    sample = Sample(
        values=values, disjoint=(), systems=np.array([[0, 1]] * 2), used=np.zeros((1, 2)), clusters=clusters
    )
    assert untested(sample).tolist() == [[True], [False]]
    assert untested(Sample(values=values * nan, disjoint=(), systems=sample.systems, used=sample.used)).all()


# Tests by cluster


def naive_levels(differences, codes, counts, levels):
    """Sakai (2006) with clusters in the place of queries, resample by resample, and the robust error (CR1)."""
    clusters = sorted(set(codes.tolist()))
    members = [[x for x, code in zip(differences, codes, strict=True) if code == cluster] for cluster in clusters]
    mean = sum(differences) / len(differences)

    def mean_and_t(parts):
        n, n_queries = len(parts), sum(map(len, parts))
        middle = sum(map(sum, parts)) / n_queries
        square = n / (n - 1) * sum(sum(x - middle for x in part) ** 2 for part in parts)
        if square <= 1e-20:
            return middle, math.inf if abs(middle) > 1e-12 else 0.0
        return middle, abs(middle) * n_queries / math.sqrt(square)

    drawn = []
    for row in counts:
        parts = [[x - mean for x in members[g]] for g, n in enumerate(row) for _ in range(int(n))]
        middle, t = mean_and_t(parts)
        drawn.append((t, abs(middle)))
    _, observed = mean_and_t(members)
    asl = (1 + sum(t >= observed * (1 - 1e-12) for t, _ in drawn)) / (1 + len(drawn))
    by_t = sorted(drawn, key=lambda pair: -pair[0])
    needed = []
    for level in levels:
        k = int(level * len(drawn) + 1e-9)
        needed.append(max((x for t, x in by_t if math.isclose(t, by_t[k - 1][0])), default=0.0) if k else math.nan)
    return asl, needed


@examples(40)
@given(st.integers(2, 8), st.integers(1, 4), st.integers(1, 70), st.integers(0, 10**6))
def test_levels_and_differences_needed_are_those_of_a_loop(n_clusters, pairs, b, seed):
    rng = np.random.default_rng(seed)
    codes = codes_of(rng.integers(1, 5, n_clusters))
    differences = clustered_values(rng, codes, 0.3, pairs) + 0.2
    counts = count_draws(rng, b, n_clusters)
    sums = np.array([[row[codes == g].sum() for g in range(n_clusters)] for row in differences])
    asl, needed = significance_levels(sums, counts, LEVELS, np.bincount(codes).astype(float))
    for i in range(pairs):
        level, shifts = naive_levels(differences[i].tolist(), codes, counts, LEVELS)
        assert_same_numbers([asl[i], *needed[i]], [level, *shifts])


def test_clusters_of_one_size_are_tested_as_their_means():
    rng = np.random.default_rng(4)
    means, counts = rng.normal(0.2, 1, (5, 12)), count_draws(rng, 400, 12)
    expected = significance_levels(means, counts, LEVELS)
    assert_same_numbers(significance_levels(3 * means, counts, LEVELS, np.full(12, 3.0)), expected)


def test_equal_and_constant_differences_have_the_levels_that_queries_have():
    counts = count_draws(np.random.default_rng(1), 50, 3)
    sums = np.array([[0.0, 0.0, 0.0], [0.2, 0.4, 0.6]])  # a difference of .2 on each of 1, 2 and 3 queries
    asl, needed = significance_levels(sums, counts, (0.1,), np.array([1.0, 2.0, 3.0]))
    assert asl[0] == 1
    assert np.isnan(asl[1])
    assert needed[0, 0] == 0


def test_swaps_are_those_of_means_over_the_queries_of_drawn_clusters():
    rng = np.random.default_rng(2)
    codes = codes_of(SIZES)
    values = clustered_values(rng, codes, 0.3, 3)
    sums = np.array([[row[codes == g].sum() for g in range(len(SIZES))] for row in values])
    draws = [count_draws(rng, 30, len(SIZES)) for _ in range(2)]
    found = bootstrap_swaps(sums[None], tuple(draws), np.array([0.1]), np.array(SIZES, float))
    n_differences, n_swapped = np.zeros(100, int), np.zeros(100, int)
    for counts in zip(*draws, strict=True):
        means = [np.average(values, axis=1, weights=row[codes]) for row in counts]
        for i in range(3):
            for j in range(i + 1, 3):
                first, second = (m[j] - m[i] for m in means)
                place = min(int(abs(first) / 0.1), 99)
                n_differences[place] += 1
                n_swapped[place] += first * second < 0
    assert found[:, 0].tolist() == [n_differences.tolist(), n_swapped.tolist()]


def test_each_draw_is_tested_by_the_t_of_its_clusters():
    material, values, _ = population(n_systems=2, sizes=[4] * 12)
    found = study(material.scores, alpha=[0.05, 0.3], iterations=10, n_resamples=50, rng=3)
    condition = found.conditions[0]
    significant = []
    for i in range(10):
        queries = np.isin(material.clusters, stream(3, condition, i, 0).permutation(12)[:6])
        p = t_test(values[0, queries] - values[1, queries], clusters=material.clusters[queries]).pvalue
        significant.append([p <= 0.05, p <= 0.3])
    assert_same_numbers(found.outcomes[0].t_rate[0].tolist(), (100 * np.mean(significant, axis=0)).tolist())


# Halves, Tukey and reliability


def test_halves_are_of_whole_clusters():
    """Of clusters of one size they are the halves of their means; of others, means are over queries."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=(2, 4, 36)) + np.arange(4)[None, :, None] / 2
    codes = np.repeat(np.arange(12), 3)
    means = values.reshape(2, 4, 12, 3).mean(axis=3)
    found = half_agreement(values, [2, 5], iterations=30, rng=1, clusters=codes)
    expected = half_agreement(means, [2, 5], iterations=30, rng=1)
    assert_same_numbers([found.tau, found.tau_ap], [expected.tau, expected.tau_ap])
    # Two clusters, of 1 and of 3 queries, and a size of 1: each is a half.
    uneven = np.array([[[1.0, 0.0, 0.0, 3.0], [0.0, 0.9, 0.9, 0.9], [0.5, 0.5, 0.5, 0.5]]])
    one = half_agreement(uneven, [1], iterations=3, rng=1, clusters=[0, 1, 1, 1])
    # By the first a > c > b; by the second, with means 1, .9 and .5, a > b > c: one of three pairs differs.
    assert_same_numbers(one.tau.tolist(), [[1 / 3]])


def test_sizes_of_halves_count_clusters_and_queries_without_values_leave_theirs():
    codes = np.repeat(np.arange(20), 2)
    values = np.random.default_rng(7).normal(size=(1, 3, 40))
    sizes, halves = halves_of(values, 5, 1, Condition(2, 3, 20), codes)
    assert sizes.tolist() == [5, 10]
    assert not np.isnan(halves[0, 0]).any()
    values[0, 0, codes >= 18] = np.nan
    sizes, halves = halves_of(values, 5, 1, Condition(2, 3, 20), codes)
    assert np.isnan(halves[0, 0]).tolist() == [False, True]  # 18 clusters are left


def test_tukey_permutes_the_systems_of_whole_clusters():
    values = np.random.default_rng(8).normal(size=(4, 12, 3)) + np.arange(4)[:, None, None] / 3
    condition = Condition(2, 4, 12)
    found = tukey_rates(values.reshape(1, 4, 36), LEVELS, 500, 1, condition, np.repeat(np.arange(12), 3))
    p = randomised_tukey_hsd(values.mean(axis=2), n_resamples=500, rng=stream(1, condition, 0, 2)).pvalue
    assert found.tolist() == [[100 * float((p <= level + 1e-12).mean()) for level in LEVELS]]


def test_reliability_is_that_of_the_means_of_clusters():
    _, values, codes = population(n_systems=5, missing=[(0, 3), (2, 7)])
    found = reliability_of([values[None]], 4, codes)
    complete = ~np.isnan(values).any(axis=0)
    clusters = sorted(set(codes[complete]))
    means = np.array([[row[complete & (codes == g)].mean() for g in clusters] for row in values])
    expected = generalisability(means, n_queries=4)
    assert_same_numbers(found[0, [0, 3, 6, 9]].tolist(), [
        expected.relative, expected.absolute, expected.needed_relative, expected.needed_absolute
    ])  # fmt: skip


# Studies


@pytest.mark.parametrize("missing", [False, True])
def test_clusters_of_a_query_each_give_the_numbers_of_independent_queries(missing):
    values = np.random.default_rng(9).normal(size=(4, 30)) * 0.1 + np.linspace(0.3, 0.6, 4)[:, None]
    if missing:
        values[0, [3, 8]] = values[2, 20] = np.nan
    asked = {"set_size": [5, 12], "systems": [3, 4], "iterations": 8, "n_resamples": 60, "rng": 2}
    plain = study(score_table(values), **asked)
    found = study(clustered_scores(values, np.arange(30)), **asked)
    assert (plain.kind, found.kind) == ("queries", "clusters")
    for one, other in zip(found.outcomes, plain.outcomes, strict=True):
        for name, array in one.arrays().items():
            assert_same_numbers(array, other.arrays()[name])


def test_a_study_of_clusters_says_clusters():
    material, values, codes = population(n_systems=3, sizes=[3] * 16)
    found = study(material.scores, iterations=5, n_resamples=50, rng=1)
    assert [(c.splits, c.entities, c.size) for c in found.conditions] == [(2, 16, 8)]
    text = str(found)
    assert mentions(text, "a random set of 8 clusters", "How many clusters are needed", "clusters:16")
    correlations = [
        naive_correlation((values[i] - values[j]).tolist(), codes.tolist()) for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    note = next(note for note in found.notes if "16 clusters of 3 queries" in note)
    assert min(correlations) < float(note.split("correlate ")[1].split(",")[0]) < max(correlations)
    assert "queries in a set" not in text


def test_workers_change_nothing(monkeypatch):
    material, *_ = population(n_systems=3, sizes=UNEQUAL)
    asked = {"iterations": 12, "n_resamples": 40, "rng": 1}
    alone = [repr(row) for row in study(material.scores, **asked).records()]
    monkeypatch.setattr(import_module("rankscope.stability.studies"), "MIN_PARALLEL_DIFFERENCES", 0)
    assert_same_bits([repr(row) for row in study(material.scores, **asked, workers=2).records()], alone)


def test_judgments_and_runs_have_clusters_too():
    qrels, runs = lists(queries=12)
    table = {"query": [f"q{i}" for i in range(12)], "topic": [f"t{i // 2}" for i in range(12)]}
    asked = {"iterations": 4, "n_resamples": 20, "rng": 1}
    runs = [rs.Run(run, name=name) for name, run in runs.items()]
    found = study(qrels, runs, ["AP", "P@5"], queries={"queries": table, "cluster_by": "topic"}, **asked)
    scores = rs.evaluate(qrels, runs, ["AP", "P@5"]).with_queries(table, cluster_by="topic")
    expected = study(scores, **asked)
    assert not np.isnan(found.outcomes[0].used).any()
    for name, array in found.outcomes[0].arrays().items():
        if name != "used":
            assert_same_bits(array, expected.outcomes[0].arrays()[name])


def test_a_checkpoint_of_other_clusters_is_refused(tmp_path):
    values = 0.5 + 0.1 * np.random.default_rng(1).normal(size=(3, 24))
    asked = {"iterations": 4, "n_resamples": 20, "rng": 1, "checkpoint": tmp_path / "c"}
    scores = [clustered_scores(values, codes) for codes in (np.arange(24) // 2, np.arange(24) % 12)]
    first = study(scores[0], **asked)
    assert_same_bits(list(map(repr, study(scores[0], **asked).records())), list(map(repr, first.records())))
    with pytest.raises(InputError, match="another study"):
        study(scores[1], **asked)


def test_what_a_study_cannot_take_is_refused():
    values = np.random.default_rng(1).random((3, 24))
    codes = np.arange(24) // 4
    with pytest.raises(ParameterError) as error:
        study(clustered_scores(values, weights=np.arange(1, 25)))
    assert mentions(error.value, "weights", "--weight")
    with pytest.raises(ParameterError) as error:
        study(ranks_table(1), queries={"cluster_by": "^."})
    assert mentions(error.value, "table of ranks", "--cluster-by")
    qrels, runs = lists(queries=12)
    runs = [rs.Run(run, name=name) for name, run in runs.items()]
    with pytest.raises(ParameterError) as error:
        study(qrels, runs, preset="dunaiski", queries={"cluster_by": "^q[0-5]"})
    assert mentions(error.value, "'dunaiski'", "--preset", "--cluster-by")
    with pytest.raises(ParameterError) as error:
        study(clustered_scores(values, codes), set_size=7)
    assert mentions(error.value, "--set-size", "6 clusters")
    with pytest.raises(InputError) as error:
        study(clustered_scores(values, np.arange(24) % 3))
    assert mentions(error.value, "3 clusters", "at least 4")


@pytest.mark.slow
def test_exchangeable_systems_in_clusters_are_told_apart_no_more_often_than_the_level_says():
    """20 clusters of 5, correlation .5: of a set of 10 clusters, ASL and t by cluster; by query they err 4 times as
    often.
    """
    rates = {"clusters": [], "queries": []}
    codes = np.repeat(np.arange(20), 5)
    for seed in range(150):
        values = clustered_values(np.random.default_rng(seed), codes, 0.5, 3)
        for name, scores in (
            ("clusters", clustered_scores(values, codes, measures="DCG")),
            ("queries", score_table(values, "DCG")),
        ):
            outcome = study(scores, alpha=0.05, iterations=5, n_resamples=199, rng=seed).outcomes[0]
            rates[name].append([outcome.asl_rate[0, 0], outcome.t_rate[0, 0], outcome.tukey[0, 0]])
    means = {name: np.mean(rows, axis=0) for name, rows in rates.items()}
    errors = {name: np.std(rows, axis=0, ddof=1) / len(rows) ** 0.5 for name, rows in rates.items()}
    show("rates", f"{means}, standard errors {errors}")
    assert (means["clusters"] <= 5 + 3 * errors["clusters"] + 1).all(), (means, errors)
    assert (means["queries"][:2] > 15).all(), means
