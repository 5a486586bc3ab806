"""`compat.ranx.fuse` beside what ranx 0.3.21 gave (tests/reference/ranx/record_fusion.py), and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.paths import TESTS

from rankscope.compat import ranx
from rankscope.compat.ranx.fusion import LEARNED, METHOD_NAMES, NORMS
from rankscope.errors import InputError, ParameterError, UnknownName

RECORDED = json.loads((TESTS / "reference" / "ranx" / "recorded_fusion.json").read_text("utf-8"))
#: The parameters with which a method was recorded.
PARAMS: dict[str, dict[str, Any]] = {
    "gmnz": {"gamma": 0.5},
    "logn_isr": {"sigma": 0.01},
    "rbc": {"phi": 0.8},
    "rrf": {"k": 60},
    **{method: {"weights": RECORDED["weights"]} for method in ("mixed", "wmnz", "wsum", "w_bordafuse", "w_condorcet")},
}
CASES = [case for case in RECORDED["cases"] if case[0] not in LEARNED]
ONE, OTHER = {"q": {"a": 3.0, "b": 2.0}}, {"q": {"b": 5.0, "c": 4.0}}


def runs(*dicts: dict[str, dict[str, float]]) -> list[ranx.Run]:
    return [ranx.Run(content, name=f"run{i}") for i, content in enumerate(dicts)]


@pytest.mark.parametrize(("method", "norm", "inputs", "expected"), CASES, ids=[f"{m} {norm}" for m, norm, *_ in CASES])
def test_fused_runs_are_those_of_ranx(method: str, norm: str, inputs: str, expected: Any) -> None:
    given = runs(*RECORDED[inputs])
    fused = ranx.fuse(given, norm=norm, method=method, params=PARAMS.get(method))
    assert fused.get_query_ids() == sorted(expected)
    for query, scores in expected.items():
        assert fused[query] == pytest.approx(scores, rel=0, abs=1e-9)
        assert list(fused[query].values()) == sorted(fused[query].values(), reverse=True)
    assert [run.to_dict() for run in given] == [run.to_dict() for run in runs(*RECORDED[inputs])]


def test_every_method_of_ranx_is_fused_or_says_where_it_is_learned() -> None:
    assert {*METHOD_NAMES, *LEARNED} == {method for method, *_ in RECORDED["cases"]}
    assert set(NORMS) == {norm for _, norm, *_ in RECORDED["cases"]}
    for method, ours in LEARNED.items():
        with pytest.raises(ParameterError, match=rf"fusion\.train.*'{ours}'"):
            ranx.fuse(runs(ONE, OTHER), method=method)


def test_the_fused_run_is_a_run_of_ranx_with_a_name() -> None:
    fused = ranx.fuse(runs(ONE, OTHER), norm=None, method="sum")
    assert (fused.name, fused.sorted, fused["q"]) == ("comb_sum", True, {"b": 7.0, "c": 4.0, "a": 3.0})
    assert ranx.fuse(runs(ONE, OTHER), method="max", params={"name": "mine"}).name == "mine"
    assert ranx.evaluate({"q": {"c": 1}}, fused, "mrr") == 0.5


def test_a_query_without_documents_stays() -> None:
    fused = ranx.fuse(runs({**ONE, "e": {}}, {**OTHER, "e": {}}), method="rrf")
    assert (fused.get_query_ids(), fused["e"]) == (["e", "q"], {})


def test_what_cannot_be_fused_is_refused() -> None:
    both = runs(ONE, OTHER)
    with pytest.raises(AssertionError, match="1 run"):
        ranx.fuse(both[:1])
    with pytest.raises(AssertionError, match=r"runs 1 and 2 .*\(r\)"):
        ranx.fuse(runs(ONE, {**OTHER, "r": {"a": 1.0}}), method="sum")
    with pytest.raises(UnknownName, match="did you mean mnz"):
        ranx.fuse(both, method="mnzz")
    with pytest.raises(UnknownName, match="did you mean zmuv"):
        ranx.fuse(both, norm="zmvu", method="sum")
    with pytest.raises(ParameterError, match=r"wsum needs 'weights'"):
        ranx.fuse(both)
    with pytest.raises(ParameterError, match=r"rrf has no parameter 'gamma', expected k, name"):
        ranx.fuse(both, method="rrf", params={"gamma": 1})
    for weights in ([1.0], [0, 0], 5, ["x", 1]):
        for method in ("wsum", "mixed"):
            with pytest.raises(ParameterError, match="weight"):
                ranx.fuse(both, method=method, params={"weights": weights})
    bad: Any
    for bad in (both[0], [ONE, OTHER], "ab"):
        with pytest.raises(InputError, match="list of objects of Run"):
            ranx.fuse(bad)
