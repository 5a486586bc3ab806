"""Evaluator.evaluate_many: many runs in one call, with the numbers, notes and settings of single calls."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases, random_case
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation import batch

NAMES = ["AP", "nDCG@3", "RR", "P@2", "Bpref", "infAP", "ERR", "RBP(p=0.8)", "Judged@5", "SetF", "NumRet", "NumRel"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"ties": "file"},
    {"ties": "average"},
    {"missing": "drop", "no_relevant": "drop"},
    {"no_relevant": "one"},
    {"preset": "trec_eval-9"},
    {"unjudged": "skip"},
    {"unjudged": "bounds"},
    {"duplicates": "max"},
]
AVERAGED = ["AP", "nDCG@3", "RR", "P@2", "ERR"]


def named(runs: dict[str, Any]) -> list[rs.Run]:
    return [rs.Run(run, name=name) for name, run in runs.items()]


def same_as_one_by_one(qrels: Any, runs: dict[str, Any], names: list[str], options: dict[str, Any]) -> rs.Scores:
    evaluator = rs.Evaluator(qrels, names, **options)
    many = evaluator.evaluate_many(runs)
    expected = rs.evaluate(qrels, named(runs), names, **options)
    for index, run in enumerate(runs.values()):
        assert_same_bits(many.values[index], evaluator(run).values[0])
    assert_same_bits(many.values, expected.values)
    assert (many.systems, many.query_ids, many.measures) == (tuple(runs), expected.query_ids, expected.measures)
    assert many.missing.tolist() == expected.missing.tolist()
    assert many.undefined.tolist() == expected.undefined.tolist()
    assert many.unjudged_systems == expected.unjudged_systems
    assert (many.bounds is None) == (expected.bounds is None)
    assert many.signature() == expected.signature()
    assert many.fingerprint == expected.fingerprint
    # A call with a mapping does not look for other spellings of ids, and so has no note on them.
    assert [note for note in expected.notes if "was judged" not in note] == list(many.notes)
    return many


@examples(60)
@given(first=cases(), second=cases(), options=st.sampled_from(OPTIONS))
def test_it_gives_what_single_calls_give(first: Case, second: Case, options: dict[str, Any]) -> None:
    other = {**second.run, next(iter(first.qrels)): {"d": 1.0, "z": 2.0}}
    runs = {"a": first.run, "b": other, "c": {q: {} for q in first.qrels}, "d": first.run}
    names = AVERAGED if options.get("ties") == "average" else NAMES
    same_as_one_by_one(first.qrels, runs, names, options)


@pytest.mark.parametrize("cells", [1, 30, 1 << 16])
def test_the_number_of_runs_at_a_time_changes_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "CELLS", cells)
    qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0}, "q3": {"x": 1}}
    rng = np.random.default_rng(1)
    runs = {
        f"r{i}": {q: dict(zip("abcdx", rng.integers(0, 3, 5).astype(float), strict=True)) for q in ("q2", "q1")}
        for i in range(7)
    }
    many = same_as_one_by_one(qrels, runs, [*NAMES, "MeanRank"], {})
    assert any("has no list for 1 of 3 queries" in note for note in many.notes)


def test_systems_none_of_whose_documents_is_judged_are_known() -> None:
    judged = {"q": {"a": 1.0}}
    unjudged = {"q": {f"x{i}": float(i) for i in range(100)}}
    many = same_as_one_by_one({"q": {"a": 1}}, {"good": judged, "other": unjudged}, ["RR"], {})
    assert many.unjudged_systems == ("other",)


def test_runs_of_any_kind_are_taken_and_named() -> None:
    case = random_case(3, 4)
    evaluator = rs.Evaluator(case.qrels, ["RR"])
    frame = rs.Run(case.run).frame()
    many = evaluator.evaluate_many([case.run, rs.Run(case.run, name="mine"), frame])
    assert many.systems == ("run 1", "mine", "run 3")
    assert np.ptp(many.values, axis=0).max() == 0
    assert evaluator.evaluate_many(iter([case.run, case.run])).systems == ("run 1", "run 2")
    assert evaluator.evaluate_many({"x": frame, "y": case.run}).systems == ("x", "y")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"q": {"a": float("nan")}}, "run 'bad': the score of document 'a' is nan"),
        ({"q": {"": 1.0}}, "run 'bad': the document id ''"),
        ({"z": {"a": 1.0}}, "run 'bad' and the qrels have no query in common"),
        ({"q": {"a": 1.0}, 3: {"a": 1.0}}, "run 'bad': the query id 3"),
        ({"q": {"a": "1"}}, "run 'bad': the score of document 'a' is '1'"),
    ],
)
def test_a_wrong_run_is_named(bad: Any, message: str) -> None:
    good = {"q": {"a": 1.0}}
    with pytest.raises(InputError, match=re.escape(message)):
        rs.Evaluator({"q": {"a": 1}}, ["RR"]).evaluate_many({"good": good, "bad": bad, "more": good})


@pytest.mark.parametrize("runs", [{"q": {"a": 1.0}}, {}, [], "a.run", rs.Run({"q": {"a": 1.0}}), 3])
def test_what_is_not_several_runs_is_refused(runs: Any) -> None:
    with pytest.raises(ParameterError, match="expected"):
        rs.Evaluator({"q": {"a": 1}}, ["RR"]).evaluate_many(runs)


def test_two_runs_of_one_name_are_refused() -> None:
    run = rs.Run({"q": {"a": 1.0}}, name="x")
    with pytest.raises(ParameterError, match="two runs have one name"):
        rs.Evaluator({"q": {"a": 1}}, ["RR"]).evaluate_many([run, run])


def test_queries_missing_from_a_run_can_be_an_error() -> None:
    evaluator = rs.Evaluator({"q": {"a": 1}, "r": {"a": 1}}, ["RR"], missing="error")
    both = {"q": {"a": 1.0}, "r": {"a": 1.0}}
    with pytest.raises(InputError, match="1 of 2 queries have no list in run 'bad'"):
        evaluator.evaluate_many({"good": both, "bad": {"q": {"a": 1.0}}})
