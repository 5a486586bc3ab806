"""Two judges of queries in clusters: intervals by cluster, by plain loops; and what weights do."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.clustered_queries import naive_error, naive_mean
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers
from scipy import stats

import rankscope as rs
from rankscope import agree_judgments
from rankscope.comparison.judges.bias import clustered_mean
from rankscope.errors import InputError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.measures.rank_similarity import kendall_tau

#: 24 queries in 8 clusters of 2 to 4.
SIZES = [2, 3, 4, 2, 4, 3, 2, 4]
IDS = [f"c{cluster}_{i}" for cluster, size in enumerate(SIZES) for i in range(size)]
CLUSTERS = [query.split("_")[0] for query in IDS]
BY_ID = {"cluster_by": "^[^_]+"}


def judges(seed=1):
    """Two judges of 8 documents of each query; the second is the stricter the higher the cluster's number."""
    rng = np.random.default_rng(seed)
    first, second = {}, {}
    for query in IDS:
        grades = rng.integers(0, 3, 8)
        shift = (int(query[1]) % 3) - 1
        first[query] = {f"d{i}": int(grade) for i, grade in enumerate(grades)}
        second[query] = {
            f"d{i}": int(np.clip(grade + shift * (rng.random() < 0.6), 0, 2)) for i, grade in enumerate(grades)
        }
    return first, second


def runs(seed=2, n=4):
    rng = np.random.default_rng(seed)
    return [
        rs.Run({query: {f"d{i}": float(rng.random() - i * s / 10) for i in range(8)} for query in IDS}, name=f"s{s}")
        for s in range(n)
    ]


def rows_of(found, statistic):
    return {row[1:4]: row[4:] for row in found.records() if row[0] == statistic}


def half_width(error, codes, weights=None):
    weights = [1.0] * len(codes) if weights is None else weights
    sums = dict.fromkeys(codes, 0.0)
    for code, weight in zip(codes, weights, strict=True):
        sums[code] += weight
    df = sum(sums.values()) ** 2 / sum(x * x for x in sums.values()) - 1
    return stats.t.ppf(0.975, df) * error


def test_biases_have_the_jackknifes_error_over_clusters():
    a, b = judges()
    found = agree_judgments(a, b, queries=BY_ID)
    differences = [
        (a[q][d], b[q][d] - a[q][d], cluster) for q, cluster in zip(IDS, CLUSTERS, strict=True) for d in a[q]
    ]
    for grade in (None, 0, 1, 2):
        chosen = [row for row in differences if grade is None or row[0] == grade]
        d, codes = [float(row[1]) for row in chosen], [row[2] for row in chosen]
        mean, half = sum(d) / len(d), half_width(naive_error(d, codes), codes)
        value, low, high, n = rows_of(found, "bias")["" if grade is None else str(grade), "", ""]
        assert_same_numbers([value, low, high, n], [mean, mean - half, mean + half, len(d)])


def test_a_cluster_of_each_query_gives_nearly_the_interval_of_queries():
    """The jackknife (CV3) in the place of CR1: equal where queries have as many documents."""
    rng = np.random.default_rng(3)
    query = np.repeat(np.arange(25), 8)
    values = np.repeat(rng.normal(0, 1, 25), 8) + rng.normal(0, 0.5, 200)
    plain, clustered = (clustered_mean(values, query, 0.95, codes) for codes in (None, np.arange(25)))
    assert_same_numbers(tuple(clustered), tuple(plain))


def test_changes_of_means_have_the_jackknifes_error_and_weights_count():
    a, b = judges()
    systems = runs()
    weights = [float(1 + i % 5) for i in range(24)]
    table = {"query": IDS, "cluster": CLUSTERS, "weight": weights}
    for queries, w in ((BY_ID, [1.0] * 24), ({"queries": table}, weights)):
        (effect,) = agree_judgments(a, b, systems, "P@3", queries=queries, n_resamples=50).effects
        by_judge = [rs.evaluate(qrels, systems, "P@3").matrix("P@3") for qrels in (a, b)]
        change = by_judge[1] - by_judge[0]
        for i in range(4):
            assert_same_numbers(effect.mean_a[i], naive_mean(by_judge[0][i], w))
            for found, d in (
                (effect.changes[i], change[i]),
                (effect.changes_beyond_others[i], change[i] - np.delete(change, i, axis=0).mean(axis=0)),
            ):
                mean, half = naive_mean(d, w), half_width(naive_error(d, CLUSTERS, w), CLUSTERS, w)
                assert_same_numbers(found.tolist(), [mean, mean - half, mean + half])


def test_intervals_of_tau_draw_whole_clusters():
    a, b = judges()
    systems = runs()
    (effect,) = agree_judgments(a, b, systems, "AP", queries=BY_ID, n_resamples=80, rng=4).effects
    by_judge = [rs.evaluate(qrels, systems, "AP").matrix("AP") for qrels in (a, b)]
    members = [[i for i, c in enumerate(CLUSTERS) if c == cluster] for cluster in dict.fromkeys(CLUSTERS)]
    taus = []
    for row in np.concatenate(list(bootstrap_indices(draw(np.random.default_rng(4), 80), len(members)))):
        queries = [i for g in row for i in members[g]]
        taus.append(kendall_tau(*(values[:, queries].mean(axis=1) for values in by_judge)))
    assert_same_numbers(list(effect.tau_b_ends), np.quantile(taus, [0.025, 0.975]).tolist())


def test_the_tastes_of_systems_are_by_cluster_too():
    a, b = judges()
    plain = agree_judgments(a, b, runs(), "AP", n_resamples=20)
    found = agree_judgments(a, b, runs(), "AP", n_resamples=20, queries=BY_ID)
    for name in ("same_at_10", "bias_at_10"):
        for key, (value, low, high, n) in rows_of(found, name).items():
            expected = rows_of(plain, name)[key]
            assert_same_numbers((value, n), (expected[0], expected[3]))
            assert high - low > expected[2] - expected[1]
    assert_same_bits(found.chance_corrected.kappa.agreement, plain.chance_corrected.kappa.agreement)


def test_clusters_are_noted_and_in_the_signature():
    a, b = judges()
    found = agree_judgments(a, b, queries=BY_ID)
    assert found.n_clusters == 8
    assert "| clusters:8 |" in found.signature()
    assert any("8 clusters of 2 to 4 queries" in note for note in found.notes)
    assert mentions(str(found), "documents of a cluster of queries")
    with_runs = agree_judgments(a, b, runs(), "AP", queries=BY_ID, n_resamples=20)
    assert with_runs.signature().count("clusters:8") == 1
    plain = agree_judgments(a, b)
    assert any(mentions(note, "look clustered", "c2_0", "--cluster-by") for note in plain.notes)
    weighted = agree_judgments(a, b, queries={"queries": {"query": IDS, "weight": range(1, 25)}})
    assert any("weights of queries" in note for note in weighted.notes)


def test_what_is_wrong_with_the_queries_is_told():
    a, b = judges()
    with pytest.raises(InputError, match="one cluster"):
        agree_judgments(a, b, queries={"cluster_by": "^c"})
    with pytest.raises(UnknownName, match="clusters"):
        agree_judgments(a, b, queries={"clusters": "^c"})
