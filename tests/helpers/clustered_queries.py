"""Queries in clusters: values whose correlation is known, and what is said of them, by plain loops."""

from __future__ import annotations

import numpy as np
from helpers.score_tables import score_table

#: Sizes of clusters: the five designs of equal ones, and the one of unequal ones, that simulations use.
DESIGNS = {
    "20 of 5": [5] * 20,
    "10 of 10": [10] * 10,
    "50 of 2": [2] * 50,
    "8 of 6": [6] * 8,
    "25 of 4": [4] * 25,
}
#: One of 30, and 19 of 1 to 5.
UNEQUAL = [30, *(1 + place % 5 for place in range(19))]


def codes_of(sizes):
    """(queries) the cluster of each query, in no order of clusters."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return codes[np.random.default_rng(len(codes)).permutation(len(codes))]


def clustered_values(rng, codes, correlation, lists):
    """(lists, queries) normal values of mean 0 and deviation 1; those of one cluster have this correlation."""
    between = rng.normal(size=(lists, codes.max() + 1))[:, codes]
    within = rng.normal(size=(lists, codes.size))
    return np.sqrt(correlation) * between + np.sqrt(1 - correlation) * within


def clustered_scores(values, codes=None, weights=None, measures="AP"):
    """Scores of (systems, queries) with these clusters and weights of the queries."""
    scores = score_table(values, measures)
    table = {"query": list(scores.query_ids)}
    if codes is not None:
        table["cluster"] = [f"c{code}" for code in codes]
    if weights is not None:
        table["weight"] = [float(weight) for weight in weights]
    return scores.with_queries(table)


def naive_mean(d, weights):
    return sum(x * w for x, w in zip(d, weights, strict=True)) / sum(weights)


def naive_error(d, codes, weights=None):
    """The standard error of a (weighted) mean by the jackknife: one cluster left out after the other."""
    weights = [1.0] * len(d) if weights is None else weights
    clusters = sorted(set(codes))
    mean = naive_mean(d, weights)
    squares = 0.0
    for cluster in clusters:
        kept = [i for i, code in enumerate(codes) if code != cluster]
        squares += (naive_mean([d[i] for i in kept], [weights[i] for i in kept]) - mean) ** 2
    return ((len(clusters) - 1) / len(clusters) * squares) ** 0.5


def naive_squares(d, codes):
    """Mean squares between and within clusters, and the size that stands for all (Donner 1986)."""
    n, clusters = len(d), sorted(set(codes))
    mean = sum(d) / n
    members = [[x for x, code in zip(d, codes, strict=True) if code == cluster] for cluster in clusters]
    between = sum(len(part) * (sum(part) / len(part) - mean) ** 2 for part in members) / (len(clusters) - 1)
    within = sum((x - sum(part) / len(part)) ** 2 for part in members for x in part) / (n - len(clusters))
    size = (n - sum(len(part) ** 2 for part in members) / n) / (len(clusters) - 1)
    return between, within, size


def naive_correlation(d, codes):
    between, within, size = naive_squares(d, codes)
    return (between - within) / (between + (size - 1) * within)
