"""How often verdicts and tests of a judge are wrong, in simulated judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.simulated_rates import show

from rankscope.comparison.judges import JudgeSettings
from rankscope.comparison.judges.bias import favour_of
from rankscope.comparison.judges.group_bias import difference_of_means
from rankscope.comparison.judges.verdict import BESIDE, REPLACES, verdicts_by_use

pytestmark = pytest.mark.slow

REPEATS, MARGIN = 400, 0.05


def drawn_changes(shape: str, mean: float, n: int, rng: np.random.Generator) -> Any:
    """(4, n) changes of four systems, of which the first has this mean and the others 0."""
    if shape == "normal":
        noise = rng.normal(0, 0.1, (4, n))
    elif shape == "skewed":
        noise = 0.1 * (rng.exponential(size=(4, n)) - 1)
    elif shape == "two values":
        noise = rng.choice([-0.1, 0.1], (4, n))
    else:  # few queries change
        noise = np.where(rng.random((4, n)) < 0.2, rng.normal(0, 0.2, (4, n)), 0.0)
    noise[0] += mean
    return noise


@pytest.mark.parametrize("shape", ["normal", "skewed", "two values", "few change"])
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_a_verdict_is_seldom_wrong_at_the_margin(shape: str, n: int, is_clustered: bool) -> None:
    rng = np.random.default_rng([n, len(shape)])
    counts = {BESIDE: 0, REPLACES: 0}
    for _ in range(REPEATS):
        changes = drawn_changes(shape, MARGIN, n, rng)
        sample: dict[str, Any] = {"clusters": None, "weights": None}
        if is_clustered:  # each query three times
            changes, sample["clusters"] = np.repeat(changes, 3, axis=1), np.repeat(np.arange(n), 3)
        verdict = verdicts_by_use(
            "AP",
            tuple("abcd"),
            changes,
            JudgeSettings(margin=MARGIN, n_resamples=300, seed=int(rng.integers(1000))),
            sample,
        )[0].verdict
        if verdict in counts:
            counts[verdict] += 1
    rates = {name: count / REPEATS for name, count in counts.items()}
    show(f"{shape}, {n} queries, clusters {is_clustered}", rates)
    # At the margin itself, either verdict is wrong; the standard error of a rate of .05 is .011.
    assert rates[BESIDE] < 0.075
    assert rates[REPLACES] < 0.075


@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("sizes", [(10, 10), (5, 25)])
def test_drift_is_seldom_seen_where_there_is_none(spread: float, sizes: tuple[int, int]) -> None:
    rng, n_wrong, n_queries = np.random.default_rng(7), 0, sum(sizes)
    for _ in range(4 * REPEATS):
        n_documents = rng.integers(5, 40, n_queries)
        units = np.repeat(np.arange(n_queries), n_documents)
        shift = spread * rng.normal(size=n_queries)
        values = np.round(shift[units] + rng.normal(0, 0.7, units.size))
        n_wrong += difference_of_means(values, units < sizes[0], units, 0.95)[1] < 0.05
    rate = n_wrong / (4 * REPEATS)
    show(f"spread {spread}, {sizes} queries", rate)
    assert rate < 0.075


@pytest.mark.parametrize("n_queries", [15, 50])
@pytest.mark.parametrize("by_query", [0.0, 0.4])
def test_favour_is_seldom_seen_where_there_is_none(n_queries: int, by_query: float) -> None:
    """The family finds better documents, and the judge is lenient and noisy, but favours nobody."""
    rng, n_wrong, n_docs = np.random.default_rng(9), 0, 20
    query = np.repeat(np.arange(n_queries), n_docs)
    for _ in range(REPEATS):
        grades_a = rng.integers(0, 4, query.size)
        readings = grades_a + 0.2 + by_query * rng.normal(size=n_queries)[query] + rng.normal(0, 0.5, query.size)
        grades_b = np.clip(np.round(readings), 0, 3).astype(np.int64)
        is_top = rng.random(query.size) < 0.1 + 0.2 * grades_a
        sample = Sample(grades_a, grades_b, query)
        n_wrong += favour_of(is_top, sample, 0.95)[1] < 0.05  # type: ignore[arg-type]
    rate = n_wrong / REPEATS
    show(f"{n_queries} queries, spread {by_query}", rate)
    assert rate < 0.085


class Sample:
    """What `favour_of` reads of the common documents."""

    clusters = None

    def __init__(self, a: Any, b: Any, query: Any) -> None:
        self.grades, self.query = (a, b), query
