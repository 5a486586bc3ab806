"""Data of every figure, of any names: a function a figure, called as it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def correlation_matrix(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = np.corrcoef(rng.normal(size=(len(names), 30))).reshape(len(names), len(names))
    return {"measures": names, "values": values, "statistic": "Kendall's tau"}


def confusion_matrix(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"labels": names, "counts": rng.integers(0, 99, (len(names), len(names))), "normalise": "row"}


def human_against_metric(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    human = rng.uniform(0.3, 0.7, len(names))
    return {
        "systems": names,
        "human": human,
        "scores": 20 + 20 * human + rng.normal(0, 1, len(names)),
        "metric": "BLEU",
        "outliers": names[:1],
    }


def rank_shares(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    shares = rng.dirichlet(np.arange(5, 0, -1), len(names)) * 100
    return {"metrics": names, "ranks": [1, 2, 3, 4, 5], "shares": shares}


def f1_against_mcc(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"samples": 20}


def precision_recall(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    levels = np.linspace(0, 1, 11)
    return {"systems": names, "levels": levels, "precision": rng.random((len(names), 1)) * (1 - levels)}


def gain_curve(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    gain = rng.random((len(names), 20)).cumsum(axis=1)
    return {"systems": names, "ranks": np.arange(1, 21), "gain": gain, "measure": "DCG"}


def power_curve(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    n = np.arange(2, 100)
    return {"measure": names[0], "n": n, "power": 1 - 0.98**n, "n_now": max(queries, 1), "n_needed": 80}


def feature_bars(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    worth = np.sort(rng.uniform(-0.01, 0.1, len(names)))[::-1]
    return {"features": names, "worth": worth, "deviation": worth * 0 + 0.01, "measure": "nDCG@10", "of": "listnet"}


def grade_places(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ranges = ["1", "2-3", "4-5"]
    return {"grades": names, "ranges": ranges, "shares": rng.dirichlet([1.0] * 3, len(names)), "of": "listnet"}


def query_differences(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = rng.random((2, queries))
    return {
        "measure": "AP",
        "system_a": names[-1],
        "system_b": names[0],
        "query_ids": [f"q{i}" for i in range(queries)],
        "differences": values[0] - values[1],
        "values_a": values[0],
        "values_b": values[1],
    }


def group_differences(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    differences = rng.normal(0.02, 0.05, len(names) + 1)
    return {
        "measure": names[0],
        "system_a": names[0],
        "system_b": names[-1],
        "groups": names,
        "differences": differences,
        "low": differences - 0.03,
        "high": differences + 0.03,
        "n_queries": rng.integers(2, 50, len(names) + 1),
    }


def waterfall(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    steps = rng.normal(0.02, 0.05, 3)
    return {
        "measure": names[0],
        "system_a": names[0],
        "system_b": names[-1],
        "value_a": 0.4 + steps.sum(),
        "value_b": 0.4,
        "terms": ["relevant documents found", "relevant documents lost", "more unjudged documents ahead"],
        "contributions": steps,
    }


def significance_matrix(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    means, chances = np.sort(rng.random(len(names)))[::-1], rng.random((len(names), len(names))) * 0.1
    return {
        "systems": names,
        "differences": means[:, None] - means,
        "pvalues": np.minimum(chances, chances.T),
        "alpha": 0.05,
    }


def win_matrix(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ability = rng.normal(size=len(names))
    rates = 1 / (1 + np.exp(ability[None, :] - ability[:, None]))
    np.fill_diagonal(rates, np.nan)
    return {"systems": names, "rates": rates, "counts": np.full(rates.shape, queries)}


def condition_lines(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = 30 / np.sqrt([5, 10, 20, 40]) * rng.uniform(0.8, 1.2, (len(names), 1))
    return {
        "x": [5, 10, 20, 40],
        "x_title": "queries per set",
        "measures": names,
        "values": values,
        "y_title": "error rate (%)",
        "lows": values * 0.9,
        "highs": values * 1.1,
    }


def measure_lines(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    experiments = [f"run {i}" for i in range(queries)]
    values = rng.random((len(names), queries))
    return {"experiments": experiments, "measures": names, "values": values, "order_by": names[-1]}


def asl_curves(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"measures": names, "asls": rng.random((len(names), 45)) ** 3, "alpha": [0.05]}


def asl_rates(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    rates = np.sort(rng.uniform(20, 90, (len(names), 2)), axis=1)
    return {"measures": names, "alpha": [0.01, 0.05], "rates": rates, "lows": rates - 8, "highs": rates + 8}


def swap_curve(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    edges = np.linspace(0, 0.19, 20)
    rates = 50 * np.exp(-edges * rng.uniform(15, 40, (len(names), 1)))
    return {"measures": names, "edges": edges, "rates": rates, "alpha": [0.05]}


def error_against_tie(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    errors, ties = rng.uniform(8, 25, len(names)), rng.uniform(5, 20, len(names))
    return {
        "measures": names,
        "error_rates": errors,
        "tie_rates": ties,
        "error_sds": errors / 10,
        "tie_sds": ties / 10,
    }


def leaderboard(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    means = rng.uniform(0.2, 0.8, len(names))
    return {
        "systems": names,
        "means": means,
        "low": means - 0.1,
        "high": means + 0.1,
        "measure": "nDCG@10",
        "letters": ["a"] * len(names),
        "baseline": names[0],
    }


def distribution(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"measure": "AP", "systems": names, "values": rng.random((len(names), queries))}


def rank_intervals(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ranks = np.arange(1.0, len(names) + 1)
    return {"items": names, "ranks": ranks, "low": np.maximum(ranks - 1, 1), "high": ranks + rng.integers(1, 3)}


def confidence_sequence(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    days = [f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}" for day in range(min(len(names), 300))]
    means = rng.normal(0.1, 0.02, len(days))
    width = 1 / np.sqrt(np.arange(1, len(days) + 1))
    return {
        "days": days,
        "means": means,
        "low": means - width,
        "high": means + width,
        "pair": (names[0], names[-1]),
    }
