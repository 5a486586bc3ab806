"""All methods of fusion and all normalisations of ranx 0.3.21 beside ours (tests/reference/ranx/record_fusion.py)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.judged_runs import by_document
from helpers.paths import TESTS

import rankscope as rs
from rankscope.fusion import METHODS, NORMALISATIONS, TRAINED
from rankscope.fusion.judgments import judge_pool
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import load_pool

FOUND = json.loads((TESTS / "reference" / "ranx" / "recorded_fusion.json").read_text("utf-8"))
WEIGHTS = {"weights": FOUND["weights"]}
#: Every method of ranx: ours, and what it is told.
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "anz": ("comb-anz", {}),
    "bayesfuse": ("bayes-fuse", {}),
    "bordafuse": ("borda", {}),
    "condorcet": ("condorcet", {}),
    "gmnz": ("comb-gmnz", {"gamma": 0.5}),
    "isr": ("isr", {}),
    "log_isr": ("log-isr", {}),
    "logn_isr": ("logn-isr", {"sigma": 0.01}),
    "mapfuse": ("map-fuse", {}),
    "max": ("comb-max", {}),
    "med": ("comb-med", {}),
    "min": ("comb-min", {}),
    "mixed": ("mixed", WEIGHTS),
    "mnz": ("comb-mnz", {}),
    "posfuse": ("pos-fuse", {}),
    "probfuse": ("prob-fuse", {"segments": FOUND["segments"]}),
    "rbc": ("rbc", {"p": 0.8}),
    "rrf": ("rrf", {"k": 60}),
    "segfuse": ("seg-fuse", {}),
    "slidefuse": ("slide-fuse", {"window": FOUND["window"]}),
    "sum": ("comb-sum", {}),
    "w_bordafuse": ("borda", WEIGHTS),
    "w_condorcet": ("condorcet", WEIGHTS),
    "wmnz": ("weighted-mnz", WEIGHTS),
    "wsum": ("weighted-sum", WEIGHTS),
}
#: Those of its normalisations that have another name here.
NORMS = {"zmuv": "z-score"}
CASES = FOUND["cases"]


def ours(method: str, how: str, runs: str) -> dict[str, dict[str, float]]:
    name, options = OURS[method]
    if name in METHODS:
        normalise = how if METHODS[name].uses_scores else None
        found: dict[str, dict[str, float]] = {}
        for query, doc, score in rs.fusion.fuse(FOUND[runs], name, normalise=normalise, **options).frame().rows():
            found.setdefault(query, {})[doc] = score
        return found
    turned = how == "min-max-inverted"
    seen, new = load_pool(FOUND["train"], inverted=turned).pool, load_pool(FOUND[runs], inverted=turned).pool
    parameters = TRAINED[name].learn(seen, judge_pool(seen, rs.Qrels(FOUND["qrels"])), options)
    return by_document(new, TRAINED[name].apply(new, parameters, normalise_pool(new, how)))


@pytest.mark.parametrize(("method", "norm", "runs", "expected"), CASES, ids=[f"{m} {norm}" for m, norm, *_ in CASES])
def test_fused_scores_are_those_of_ranx(
    method: str, norm: str, runs: str, expected: dict[str, dict[str, float]]
) -> None:
    found = ours(method, NORMS.get(norm, norm), runs)
    assert found.keys() == expected.keys()
    for query, scores in expected.items():
        assert found[query] == pytest.approx(scores, rel=0, abs=1e-9)


def test_every_method_and_normalisation_of_ranx_has_a_name_here_and_a_case() -> None:
    assert len(OURS) == 25
    assert {method for method, *_ in CASES} == set(OURS)
    assert {NORMS.get(norm, norm) for _, norm, *_ in CASES} == set(NORMALISATIONS) - {"none"}
    assert {name for name, _ in OURS.values()} <= {*METHODS, *TRAINED}
    assert {name for name, _ in OURS.values()} >= set(TRAINED)


def test_methods_that_look_at_scores_have_a_case_for_each_normalisation() -> None:
    for theirs, (name, _) in OURS.items():
        norms = {norm for method, norm, *_ in CASES if method == theirs}
        known = METHODS[name] if name in METHODS else TRAINED[name]
        # SegFuse looks at ranks too, and the shares of Borda put documents behind the list that have no order.
        assert len(norms) == (6 if theirs == "segfuse" else 7 if known.uses_scores else 1)


def test_weighted_sum_is_comb_sum_with_weights() -> None:
    for norm in NORMALISATIONS:
        fused = rs.fusion.fuse(FOUND["runs"], "comb-sum", normalise=norm, **WEIGHTS)
        pool = load_pool(FOUND["runs"], inverted=norm == "min-max-inverted").pool
        found = by_document(pool, TRAINED["weighted-sum"].apply(pool, WEIGHTS, normalise_pool(pool, norm)))
        assert {(q, doc): score for q, doc, score in fused.frame().rows()} == {
            (q, doc): score for q, docs in found.items() for doc, score in docs.items()
        }
