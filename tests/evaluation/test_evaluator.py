"""Evaluator: prepared once, called again and again, with the numbers of evaluate."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases, random_case, write_trec
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Scores

NAMES = ["AP", "nDCG@3", "RR", "P@2", "Bpref", "infAP", "ERR", "RBP(p=0.8)", "Judged@5", "SetF", "NumRet", "NumRel"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"rel": 2},
    {"ties": "file"},
    {"missing": "drop", "no_relevant": "drop"},
    {"no_relevant": "one"},
    {"preset": "trec_eval-9"},
]


def expect_same(a: Scores, b: Scores) -> None:
    assert_same_bits(a.values, b.values)
    assert (a.systems, a.query_ids, a.measures) == (b.systems, b.query_ids, b.measures)
    # A call with a mapping does not look for other spellings of ids, and so has no note on them.
    assert a.notes == tuple(note for note in b.notes if "was judged" not in note)
    assert a.missing.tolist() == b.missing.tolist()
    assert a.undefined.tolist() == b.undefined.tolist()
    assert a.signature() == b.signature()


@examples(80)
@given(first=cases(), second=cases(), options=st.sampled_from(OPTIONS))
def test_reused_it_gives_the_numbers_of_evaluate(first: Case, second: Case, options: dict[str, Any]) -> None:
    """Whatever was evaluated in between: other queries missing, other lists, nothing of them left behind."""
    if 0 < max(grade for docs in first.qrels.values() for grade in docs.values()) < options.get("rel", 1):
        options = {}  # no document reaches that level, which is refused
    evaluator = rs.Evaluator(first.qrels, NAMES, **options)
    other = {**second.run, next(iter(first.qrels)): {"d": 1.0, "z": 2.0}}
    for run in (first.run, other, first.run, {q: {} for q in first.qrels}, first.run):
        expect_same(evaluator(run), rs.evaluate(first.qrels, run, NAMES, **options))


def test_dict_run_path_and_frame_score_alike(tmp_path: Path) -> None:
    case = random_case(4, 50)
    case.run["q0"].pop("nobody judged this", None)
    case.run["other"] = case.run.pop("not judged")
    qrels, path = write_trec(tmp_path, case, tag="run")
    evaluator = rs.Evaluator(qrels, NAMES)
    expected = rs.evaluate(qrels, path, NAMES)
    frame = rs.Run(case.run).frame()
    columns = {name: frame[name].to_list() for name in frame.columns}
    for form in (
        case.run,
        rs.Run(case.run),
        path,
        str(path),
        frame,
        frame.to_pandas(),
        columns,
        MappingProxyType(case.run),
    ):
        expect_same(evaluator(form), expected)
        expect_same(rs.evaluate(qrels, form, NAMES), expected)


def test_results_of_earlier_calls_stay_what_they_were() -> None:
    evaluator = rs.Evaluator({"q": {"a": 1}, "r": {"a": 1}}, ["RR", "NumRet"])
    first = evaluator({"q": {"a": 1.0}})
    kept = first.values.copy(), first.missing.copy()
    evaluator({"r": {"x": 2.0, "a": 1.0}})
    assert first.values.tolist() == kept[0].tolist() == [[[1, 0], [1, 0]]]
    assert first.missing.tolist() == kept[1].tolist() == [[False, True]]


def test_a_refused_run_leaves_nothing_behind() -> None:
    evaluator = rs.Evaluator({"q": {"a": 1}, "r": {"a": 1}}, "RR")
    for bad in ({"q": {"a": float("nan")}}, {"zz": {"a": 1.0}}, {"q": {"a": 1.0}, 5: {"a": 1.0}}):
        with pytest.raises(rs.InputError):
            evaluator(bad)
    assert evaluator({"r": {"a": 1.0}}).matrix("RR").tolist() == [[0, 1]]


def test_it_says_which_measures_it_has() -> None:
    assert [str(m) for m in rs.Evaluator({"q": {"a": 1}}, ["RR", "ndcg_cut.3"]).measures] == ["RR", "nDCG@3"]
    assert len(rs.Evaluator({"q": {"a": 1}}).measures) == 5


def test_it_keeps_the_name_of_a_run() -> None:
    evaluator = rs.Evaluator({"q": {"a": 1}}, "RR")
    assert evaluator(rs.Run({"q": {"a": 1.0}}, name="bm25")).systems == ("bm25",)
    assert evaluator({"q": {"a": 1.0}}).systems == ("run",)


@examples(40)
@given(case=cases())
def test_it_changes_neither_judgments_nor_runs(case: Case) -> None:
    before = copy.deepcopy(case)
    evaluator = rs.Evaluator(case.qrels, NAMES)
    first = evaluator(case.run)
    expect_same(evaluator(case.run), first)
    assert case == before


def test_a_change_of_the_judgments_afterwards_is_not_seen() -> None:
    """Nothing changes a Qrels once it is made."""
    qrels = {"q": {"a": 1, "b": 0}}
    evaluator = rs.Evaluator(qrels, "RR")
    qrels["q"]["a"] = 0
    qrels["r"] = {"a": 1}
    scores = evaluator({"q": {"a": 2.0, "b": 1.0}})
    assert scores.matrix("RR").tolist() == [[1]]


def test_any_mapping_is_a_run() -> None:
    class Lists(dict[str, Mapping[str, float]]):
        pass

    evaluator = rs.Evaluator({"q": {"a": 1}}, "RR")
    for run in (Lists(q={"a": 1.0}), MappingProxyType({"q": MappingProxyType({"a": 1.0})})):
        assert evaluator(run).overall("RR") == 1
