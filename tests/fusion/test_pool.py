"""Fused scores measured in place give the values that the written run has; parts of a pool are pools."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.judged_runs import lists_of, some_judgments, some_runs
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.evaluation.conventions import make_plan
from rankscope.fusion.fuse_runs import fused_run
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import load_pool, pool_subset
from rankscope.fusion.tuning import Candidate
from rankscope.fusion.tuning.cross_fitting import measured_pool

JUDGED = some_judgments()
QRELS = rs.Qrels(JUDGED)
RUNS = some_runs(JUDGED, more=0)
MEASURES = ("nDCG@10", "nDCG@3", "AP", "RR", "P@5", "Bpref", "ERR@10", "R@5", "MinRank", "RBP(p=0.8)")


@pytest.mark.parametrize("measure", MEASURES)
def test_values_are_those_of_the_fused_run(measure: str) -> None:
    plan = make_plan([measure])
    names, _, pool = load_pool(RUNS)
    measured = measured_pool(pool, QRELS, plan)
    order = [rs.Qrels(JUDGED).query_ids.index(query) for query in measured.empty_hits.query_ids]
    for candidate, parameters in (
        (Candidate("rrf", "none", {}), {"k": 60}),
        (Candidate("comb-max", "min-max", {}), {}),
        (Candidate("comb-sum", "borda", {}), {"weights": [0.0, 1.0, 0.0]}),
    ):
        scores = candidate.fuse(pool, parameters, normalise_pool(pool, candidate.normalise, names))
        fused = fused_run(pool, scores, "fused", ())
        expected = rs.evaluate(QRELS, [fused], [measure]).matrix(measure)[0][order]
        assert_same_bits(measured.values(scores), expected)
    for i, run in enumerate(RUNS):
        expected = rs.evaluate(QRELS, [run], [measure]).matrix(measure)[0][order]
        assert_same_bits(measured.run_values(i), expected)


def test_a_part_of_a_pool_is_the_pool_of_these_queries() -> None:
    names, _, pool = load_pool(RUNS)
    kept = np.arange(len(pool.query_ids)) % 3 == 1
    part = pool_subset(pool, kept)
    chosen = {query.decode() for query, one in zip(pool.query_ids, kept.tolist(), strict=True) if one}
    fewer = [rs.Run({q: docs for q, docs in lists_of(run).items() if q in chosen}, name=run.name) for run in RUNS]
    assert part.pool.query_ids == [query for query, one in zip(pool.query_ids, kept.tolist(), strict=True) if one]
    for method, how in (("rrf", "none"), ("borda", "none"), ("comb-mnz", "z-score"), ("comb-sum", "borda")):
        candidate, parameters = Candidate(method, how, {}), {"k": 60} if method == "rrf" else {}
        scores = candidate.fuse(part.pool, parameters, normalise_pool(part.pool, how, names))
        expected = rs.fusion.fuse(fewer, method, normalise=None if how == "none" else how)
        assert_same_bits(lists_of(fused_run(part.pool, scores, "part", ())), lists_of(expected))
        whole = candidate.fuse(pool, parameters, normalise_pool(pool, how, names))
        assert_same_bits(scores, whole[part.documents])


def test_all_queries_are_the_pool_itself() -> None:
    pool = load_pool(RUNS).pool
    part = pool_subset(pool, np.ones(len(pool.query_ids), np.bool_))
    assert part.pool is pool
    assert part.documents.tolist() == list(range(pool.size))
