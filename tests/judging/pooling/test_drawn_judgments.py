"""Measures of runs from documents that were drawn with chances."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.errors import InputError, ParameterError

QUERIES, DEPTH = 8, 20


def collection(seed: int = 1) -> tuple[list[rs.Run], dict[str, dict[str, int]]]:
    """Two runs of 20 documents of each query, and grades of all."""
    rng = np.random.default_rng(seed)
    grades = {f"q{q}": {f"d{d:02}": int(rng.random() < 0.6 - 0.015 * d) * 2 for d in range(30)} for q in range(QUERIES)}
    runs = []
    for name, noise in (("good", 4.0), ("bad", 12.0)):
        lists = {}
        for query, documents in grades.items():
            scores = {doc: -place + noise * rng.normal() for place, doc in enumerate(documents)}
            lists[query] = dict(sorted(scores.items(), key=lambda item: -item[1])[:DEPTH])
        runs.append(rs.Run(lists, name=name))
    return runs, grades


def graded(pool: Any, grades: dict[str, dict[str, int]]) -> pl.DataFrame:
    rows = pool.documents().rows(named=True)
    return pl.DataFrame([row | {"relevance": grades[row["query_id"]][row["doc_id"]]} for row in rows])


def test_with_all_documents_judged_it_is_what_evaluate_says() -> None:
    runs, grades = collection()
    rows = [{"query": q, "doc": d, "relevance": g, "chance": 1.0} for q, of in grades.items() for d, g in of.items()]
    for measure in ("P@5", "DCG@10", "RBP@20"):
        found = rs.judging.estimate_drawn(runs, pl.DataFrame(rows), measure, depth=DEPTH)
        expected = rs.evaluate(grades, runs, measure)
        order = [list(expected.systems).index(system) for system in found.systems]
        assert_same_numbers(found.values, expected.matrix(measure)[order])
        assert_same_numbers(found.error, [0.0, 0.0])
        scores = rs.Scores.of(found.by_query())
        assert_same_numbers(scores.matrix(found.measure), expected.matrix(measure)[order])


@pytest.mark.parametrize("with_earlier", [False, True])
def test_values_are_a_ratio_of_sums_over_chances(with_earlier: bool) -> None:
    runs, grades = collection()
    judged = {q: dict(list(of.items())[:3]) for q, of in grades.items()} if with_earlier else None
    pool = rs.judging.pool(runs, depth=DEPTH, budget=60, chances=True, judged=judged, method="mtf", rng=4)
    drawn = graded(pool, grades)
    found = rs.judging.estimate_drawn(runs, drawn, "P@5", judged=judged, depth=DEPTH, rel=2)
    chance = {(row["query_id"], row["doc_id"]): row["chance"] for row in drawn.rows(named=True)}
    chance |= {(q, d): 1.0 for q, of in (judged or {}).items() for d in of}
    assert found.n_sure == (24 if with_earlier else 0)
    for system, values, error in zip(found.systems, found.values, found.error, strict=True):
        (run,) = (run for run in runs if run.name == system)
        rows = [(row[0], row[1]) for row in run.frame().sort("query_id", "score", descending=[False, True]).rows()]
        first = [(q, d) for q in grades for d in [d for p, d in rows if p == q][:5]]
        bring = {pair: float(grades[pair[0]][pair[1]] >= 2) for pair in first}
        drawn_pairs = [pair for pair in first if pair in chance]
        share = sum(bring[x] / chance[x] for x in drawn_pairs) / sum(1 / chance[x] for x in drawn_pairs)
        expected = [share + sum((bring[x] - share) / chance[x] for x in drawn_pairs if x[0] == q) / 5 for q in grades]
        assert_same_numbers(values, expected)
        squares = sum(((bring[x] - share) / chance[x] / 5) ** 2 * (1 - chance[x]) for x in drawn_pairs)
        assert_same_numbers(error, squares**0.5 / QUERIES)


def test_a_run_that_was_not_pooled_is_doubted() -> None:
    runs, grades = collection()
    stranger = rs.Run({q: {f"x{k}": -float(k) for k in range(DEPTH)} for q in grades}, name="stranger")
    pool = rs.judging.pool(runs, depth=DEPTH, budget=150, chances=True, rng=1)
    drawn = graded(pool, grades)
    assert not mentions(rs.judging.estimate_drawn(runs, drawn, "P@5", depth=DEPTH).notes, "no chance")
    notes = rs.judging.estimate_drawn([*runs, stranger], drawn, "P@5", depth=DEPTH).notes
    assert mentions(notes, "stranger", "no chance")


@pytest.mark.parametrize(
    ("change", "options", "error", "name"),
    [
        ({"relevance": pl.lit(-1)}, {}, InputError, "relevance is -1"),
        ({"chance": pl.lit(0.0)}, {}, InputError, "chance is 0"),
        ({}, {"measure": "nDCG@10"}, ParameterError, "nDCG@10 .* such as DCG@10"),
        ({}, {"measure": "AP"}, ParameterError, "AP .* by infAP from a random sample"),
        ({}, {"measure": "R@10"}, ParameterError, "RBP with a cutoff$"),
        ({}, {"measure": "P@30"}, ParameterError, "rank 30"),
        ({}, {"measure": "DCG"}, ParameterError, "no cutoff"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    change: dict[str, Any], options: dict[str, Any], error: type[Exception], name: str
) -> None:
    runs, grades = collection()
    drawn = graded(rs.judging.pool(runs, depth=DEPTH, budget=60, chances=True, rng=1), grades).with_columns(**change)
    with pytest.raises(error, match=name):
        rs.judging.estimate_drawn(runs, drawn, **{"measure": "P@5", "depth": DEPTH} | options)


def test_a_document_that_stands_twice_and_a_table_without_chances_are_refused() -> None:
    runs, grades = collection()
    drawn = graded(rs.judging.pool(runs, depth=DEPTH, budget=60, chances=True, rng=1), grades)
    with pytest.raises(InputError, match="second time"):
        rs.judging.estimate_drawn(runs, pl.concat([drawn, drawn[:1]]), "P@5", depth=DEPTH)
    with pytest.raises(InputError, match="no column 'chance'"):
        rs.judging.estimate_drawn(runs, drawn.drop("chance"), "P@5", depth=DEPTH)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hedge", "mtf"])
def test_over_draws_means_are_right_and_errors_are_those_that_are_made(method: str) -> None:
    runs, grades = collection()
    judged = {q: dict(list(of.items())[:2]) for q, of in grades.items()}
    truth = rs.evaluate(grades, runs, "P@10").matrix("P@10").mean(axis=1)
    means, errors = [], []
    for seed in range(200):
        pool = rs.judging.pool(runs, depth=DEPTH, budget=100, chances=True, judged=judged, method=method, rng=seed)
        found = rs.judging.estimate_drawn(runs, graded(pool, grades), "P@10", judged=judged, depth=DEPTH)
        means.append(found.values.mean(axis=1)[[found.systems.index(run.name) for run in runs]])
        errors.append(found.error[[found.systems.index(run.name) for run in runs]])
    spread = np.std(means, axis=0)
    assert (np.abs(np.mean(means, axis=0) - truth) < 4 * spread / 200**0.5 + 0.1 * spread).all()
    ratio = np.sqrt(np.mean(np.square(errors), axis=0)) / spread
    assert ((ratio > 0.85) & (ratio < 1.3)).all()
