"""No place in a fused run hangs on the last bits of a sum: the order of runs, queries and documents changes nothing,
nor does the scale of their scores."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope.consensus import METHODS as CONSENSUS
from rankscope.fusion import METHODS, NORMALISATIONS

Lists = dict[str, dict[str, float]]
DOCUMENTS = [f"d{i}" for i in range(24)]
#: Decimals, whose sums round: .1 + .5 is not quite .2 + .4 in every order.
SCORES = [round(0.1 * k, 1) for k in range(1, 12)]
FACTORS = (3.0, 0.1, 1 / 7, 1e9 / 3)


def some_runs(seed: int, runs: int = 5, queries: int = 24) -> list[Lists]:
    lot = random.Random(seed)
    return [
        {f"q{q}": {doc: lot.choice(SCORES) for doc in lot.sample(DOCUMENTS, 18)} for q in range(queries)}
        for _ in range(runs)
    ]


def scores_of(run: rs.Run) -> Lists:
    found: Lists = {}
    for query, doc, score in run.frame().select("query_id", "doc_id", "score").iter_rows():
        found.setdefault(query, {})[doc] = score
    return found


def ranks(run: rs.Run) -> dict[str, dict[str, int]]:
    """Of each document of a query, one more than those above it: documents of one score share a rank."""
    found = {}
    for query, scores in scores_of(run).items():
        values = np.array(list(scores.values()))
        found[query] = dict(zip(scores, (1 + (values[:, None] < values).sum(axis=1)).tolist(), strict=True))
    return found


def turned(runs: list[Lists], lot: random.Random) -> list[Lists]:
    """The same, queries and documents in another order."""

    def mixed(one: dict[str, Any]) -> dict[str, Any]:
        return dict(lot.sample(list(one.items()), len(one)))

    return [mixed({query: mixed(docs) for query, docs in run.items()}) for run in runs]


def scaled(runs: list[Lists], factor: float) -> list[Lists]:
    return [{q: {doc: factor * score for doc, score in docs.items()} for q, docs in run.items()} for run in runs]


def ways() -> list[tuple[str, str | None, int]]:
    found = []
    for name, known in METHODS.items():
        hows: list[str | None] = [None]
        if known.uses_scores:
            hows = [how for how in NORMALISATIONS if how != "min-max-inverted"]
        found += [(name, how, runs) for how in hows for runs in (2, 5)]
    return found


@pytest.mark.parametrize(("method", "how", "count"), ways())
def test_order_and_scale_of_what_is_fused_change_no_rank(method: str, how: str | None, count: int) -> None:
    runs = some_runs(4, count)
    lot = random.Random(4)
    expected = ranks(rs.fusion.fuse(runs, method, normalise=how))
    for factor in FACTORS:
        other = turned(scaled(lot.sample(runs, len(runs)), factor), lot)
        assert ranks(rs.fusion.fuse(other, method, normalise=how)) == expected


@pytest.mark.parametrize("method", [name for name, known in METHODS.items() if known.takes_weights])
def test_weights_of_another_scale_change_no_rank(method: str) -> None:
    weights = [0.1, 0.7, 0.2, 0.3, 0.6]
    runs = some_runs(0)
    expected = ranks(rs.fusion.fuse(runs, method, weights=weights))
    for seed, factor in enumerate(FACTORS):
        order = random.Random(seed).sample(range(5), 5)
        moved = rs.fusion.fuse([runs[i] for i in order], method, weights=[factor * weights[i] for i in order])
        assert ranks(moved) == expected


@pytest.mark.parametrize("name", [name for name in CONSENSUS if name != "plackett-luce"])
def test_the_order_of_the_runs_changes_no_consensus(name: str) -> None:
    runs = some_runs(1, 4, queries=6)
    order = random.Random(2).sample(range(4), 4)
    weights = None if name == "robust-rank" else [0.1, 0.2, 0.3, 0.7]
    expected = ranks(rs.fusion.fuse(runs, f"consensus:{name}", weights=weights))
    moved = None if weights is None else [3 * weights[i] for i in order]
    found = rs.fusion.fuse(turned([runs[i] for i in order], random.Random(3)), f"consensus:{name}", weights=moved)
    assert ranks(found) == expected


def test_sums_that_are_equal_in_arithmetic_are_one_score() -> None:
    runs = [{"q": {"a": 0.1, "b": 0.2, "c": 0.3}}, {"q": {"a": 0.5, "b": 0.4, "c": 0.3}}]
    for how in ("none", "max", "sum"):
        scores = scores_of(rs.fusion.fuse(runs, "comb-sum", normalise="none" if how == "none" else how))["q"]
        if how == "none":
            assert len(set(scores.values())) == 1


def test_scores_that_cancel_are_tied_though_rounding_leaves_something() -> None:
    up = {"q": {f"d{i}": 0.1 * i * i for i in range(1, 8)}}
    down = {"q": {doc: -score for doc, score in up["q"].items()}}
    scores = scores_of(rs.fusion.fuse([up, down], "comb-sum", normalise="z-score"))["q"]
    assert len(set(scores.values())) == 1


def test_small_sums_of_one_sign_stay_apart() -> None:
    runs = [{"q": {f"d{i}": 10.0 ** -(4 * i) for i in range(12)}} for _ in range(3)]
    assert len(set(scores_of(rs.fusion.fuse(runs, "comb-sum", normalise="none"))["q"].values())) == 12


def test_what_one_run_says_stays_as_it_is() -> None:
    run = {"q": {"a": 1.0, "b": float(np.nextafter(1.0, 2)), "c": 0.5}}
    assert ranks(rs.fusion.fuse([run], "comb-sum", normalise="none")) == {"q": {"b": 1, "a": 2, "c": 3}}
