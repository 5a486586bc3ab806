"""Scores from two places side by side, and what keeps them apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope import Scores, join_scores
from rankscope.comparison.merge_scores import check_same_collection
from rankscope.errors import InputError, ParameterError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 2}, "3": {"a": 1}}
RUN = rs.Run({"1": {"a": 2.0, "b": 1.0}, "2": {"a": 3.0, "b": 2.0}}, name="one")
OTHER = rs.Run({"1": {"a": 1.0, "b": 2.0}, "3": {"a": 2.0}}, name="other")


def scores(run: rs.Run = RUN, measures: Any = ("RR", "AP"), qrels: Any = QRELS, **options: Any) -> Scores:
    return rs.evaluate(qrels, run, list(measures), **options)


def test_the_systems_of_both_stand_side_by_side() -> None:
    both = join_scores(scores(), scores(OTHER, ("P@5", "AP", "RR")), ["AP"])
    assert (both.systems, both.measure_names, both.query_ids) == (("one", "other"), ("AP",), ("1", "2", "3"))
    assert both.matrix("AP").tolist() == [[1, (1 / 1 + 2 / 2) / 2, 0], [1 / 2, 0, 1]]
    assert both.missing.tolist() == [[False, False, True], [False, True, False]]
    assert_same_numbers(both.summary("AP").tolist(), [(1 + 1 + 0) / 3, (1 / 2 + 0 + 1) / 3])
    assert both.signature() == scores(measures=["AP"]).signature()
    assert both.notes == (*scores().notes, *scores(OTHER).notes)


def test_queries_in_another_order_are_matched_by_their_ids() -> None:
    a = rs.evaluate_arrays([[1, 0], [1, 0]], [[2.0, 1.0], [1.0, 2.0]], "RR", query_ids=["x", "y"], name="a")
    b = rs.evaluate_arrays([[1, 0], [1, 0]], [[1.0, 2.0], [2.0, 1.0]], "RR", query_ids=["y", "x"], name="b")
    both = join_scores(a, b)
    assert both.matrix("RR").tolist() == [[1, 1 / 2], [1, 1 / 2]]
    assert mentions(both.notes, "same judgments", "unknown")


def test_a_baseline_of_the_same_name_is_called_so() -> None:
    assert join_scores(scores(), scores()).systems == ("one", "one (baseline)")
    run = rs.Run(RUN.mapping, name="one (baseline)")
    with pytest.raises(ParameterError, match=r"name .*\bone, one"):
        join_scores(rs.evaluate(QRELS, [RUN, run], "RR"), scores(measures=["RR"]))


def test_bounds_change_no_value_and_are_left_out() -> None:
    both = join_scores(scores(unjudged="bounds"), scores(OTHER))
    assert both.bounds is None
    assert "unjudged" not in both.settings
    assert join_scores(scores(), scores(OTHER, unjudged="bounds")).signature() == both.signature()


def test_another_version_is_told() -> None:
    both = join_scores(scores(), replace(scores(OTHER), version="0.0.1"))
    assert mentions(both.notes, "baseline", "rankscope 0.0.1", rs.__version__)


def refused(b: Scores, says: str, a: Scores | None = None, kind: type[Exception] = InputError) -> None:
    with pytest.raises(kind, match=says) as error:
        check_same_collection(a or scores(), b)
    assert "\n" not in str(error.value)


def test_other_queries_are_refused() -> None:
    two = {q: QRELS[q] for q in ("1", "2")}
    refused(scores(qrels=two), r"1 query .*new scores .*\(3\)")
    more = {**QRELS, **{f"9{i}": {"a": 1} for i in range(5)}}
    refused(scores(qrels=more), r"5 queries .*baseline .*\(90, 91, 92 and 2 ")
    refused(scores(qrels={**two, "4": {"a": 1}}), r"1 query .*new scores .*\(3\); 1 query .*baseline .*\(4\)")
    strange = {f"q{q}": docs for q, docs in QRELS.items()}
    run = rs.Run({"q1": {"a": 1.0}}, name="one")
    refused(scores(run, qrels=strange), r"no queries in common \(1, 2 and 3; q1, q2 and q3\)")


def test_scores_of_no_query_are_refused_like_those_of_others() -> None:
    none = replace(scores(), query_ids=(), values=np.empty((1, 2, 0)), missing=np.empty((1, 0), bool))
    refused(none, r"^3 queries .*new scores .*\(1, 2 and 3\)")
    refused(scores(), r"^3 queries .*baseline .*\(1, 2 and 3\)", a=none)


def test_other_judgments_are_refused() -> None:
    refused(scores(qrels={**QRELS, "3": {"a": 1, "z": 1}}), r"^other grades in 1 query \(3\)")
    refused(scores(qrels={**QRELS, "1": {"a": 2, "b": 0}}), r"^other grades in 1 query \(1\)")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ties": "file"}, "^ties is doc_id_desc .*new scores .*file .*baseline"),
        ({"missing": "drop"}, "^missing is zero .*new scores .*drop .*baseline"),
        ({"no_relevant": "drop"}, "^no_relevant is zero .*new scores .*drop .*baseline"),
        ({"preset": "trec_eval-9"}, "^ties is|^preset is .*new scores .*trec_eval-9 .*baseline"),
        ({"unjudged": "skip"}, "^unjudged is .*new scores .*skip .*baseline"),
        ({"rel": 2}, "^RR: rel is 1 .*new scores .*2 .*baseline"),
    ],
)
def test_other_conventions_are_refused(options: dict[str, Any], says: str) -> None:
    refused(scores(**options), says)


def test_a_measure_that_one_of_them_lacks_is_refused() -> None:
    says = r"no AP .*baseline \(RR, P@5\).* -m AP$"
    refused(scores(measures=("RR", "P@5")), says, kind=ParameterError)
    check_same_collection(scores(measures=("RR",)), scores())
    with pytest.raises(ParameterError, match=r"no P@9 .*today"):
        check_same_collection(scores(), scores(), ["P@9"], names=("today", "yesterday"))


@pytest.mark.parametrize("given", [1, "scores.parquet", None])
def test_what_are_no_scores_is_refused(given: Any) -> None:
    says = f"^scores are .*{type(given).__name__}, .*evaluate"
    for function in (join_scores, check_same_collection):
        for pair in ((given, given), (scores(), given), (given, scores())):
            with pytest.raises(ParameterError, match=says):
                function(*pair)


def test_one_measure_may_be_named_alone_and_as_it_was_asked_for() -> None:
    for name in ("AP", "ap", "map"):
        assert join_scores(scores(measures=["map", "RR"]), scores(OTHER), name).measure_names == ("AP",)
    with pytest.raises(ParameterError, match="'P@9'"):
        join_scores(scores(), scores(OTHER), ["P@9"])


def test_what_was_given_is_left_as_it_was() -> None:
    a, b = scores(), scores(OTHER)
    before = a.values.copy(), b.values.copy()
    join_scores(a, b, ["RR"])
    assert np.array_equal(a.values, before[0])
    assert np.array_equal(b.values, before[1])
