"""What is done where a number could mean different things, and that the scores say so."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists

import rankscope as rs

FIFTY = {f"q{i:02d}": {"a": 1} for i in range(50)}
THREE = {f"q{i:02d}": {"a": 1.0} for i in range(3)}


class TestMissingQueries:
    def test_a_run_that_answers_3_of_50_queries_does_not_score_as_if_there_were_3(self) -> None:
        scores = rs.evaluate(FIFTY, THREE, ["AP", "RR", "nDCG@10", "P@1"])
        for measure in ("AP", "RR", "nDCG@10", "P@1"):
            assert scores.overall(measure) == 3 / 50
        assert mentions(scores.notes, "run ", 47, 50, "missing:zero")
        assert mentions(scores.signature(), "missing:zero | no_relevant:zero", "| queries:50")

    def test_dropped_they_are_left_out_and_the_note_says_so(self) -> None:
        scores = rs.evaluate(FIFTY, THREE, "AP", missing="drop")
        assert scores.overall("AP") == 3 / 3
        assert np.isnan(scores.matrix("AP")).sum() == 47
        assert mentions(scores.notes, "run ", 47, 50, "missing:drop")
        assert "missing:drop" in scores.signature()

    def test_refused_they_are_counted_and_named(self) -> None:
        message = r"47 of 50 .*'run' \(q03, q04, q05, \.\.\.\); .*missing='drop'"
        with pytest.raises(rs.InputError, match=message):
            rs.evaluate(FIFTY, THREE, "AP", missing="error")

    def test_refused_is_not_refused_where_none_is_missing(self) -> None:
        run = {q: {"x": 1.0} for q in FIFTY}
        scores = rs.evaluate(FIFTY, run, "AP", missing="error")
        assert scores.overall("AP") == 0
        assert scores.notes == ()

    def test_each_system_has_its_own(self) -> None:
        runs = [rs.Run(THREE, name="three"), rs.Run({q: {"a": 1.0} for q in FIFTY}, name="all")]
        scores = rs.evaluate(FIFTY, runs, "AP", missing="drop")
        assert scores.summary("AP").tolist() == [1, 1]
        assert [note for note in scores.notes if "three" in note] == list(scores.notes)

    def test_an_empty_list_is_a_list(self) -> None:
        scores = rs.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {}, "r": {"a": 1.0}}, "AP", missing="drop")
        assert scores.matrix("AP").tolist() == [[0, 1]]

    def test_a_measure_where_lower_is_better_has_its_worst_value(self) -> None:
        """Whoever reads nothing leaves all that RBP could still gain."""
        scores = rs.evaluate(FIFTY, THREE, "RBPResidual(p=0.5)")
        assert scores.matrix("RBPResidual(p=0.5)")[0, 3:].tolist() == [1.0] * 47


class TestNothingRelevant:
    QRELS: ClassVar = {"q": {"a": 1}, "r": {"a": 0, "b": -1}, "s": {"a": -2}}
    RUN: ClassVar = {"q": {"a": 1.0}, "r": {"a": 1.0}, "s": {"a": 1.0}}

    def test_by_default_the_value_is_what_the_measure_says(self) -> None:
        scores = rs.evaluate(self.QRELS, self.RUN, ["AP", "Judged", "NumRet"])
        assert scores.matrix("AP").tolist() == [[1, 0, 0]]
        assert scores.matrix("Judged").tolist() == [[1, 1, 0]]
        assert mentions(scores.notes, 2, "as the measure says", "no_relevant:zero")

    def test_dropped_they_are_left_out_of_measures_that_need_something_relevant(self) -> None:
        scores = rs.evaluate(self.QRELS, self.RUN, ["AP", "Judged", "NumRet"], no_relevant="drop")
        assert scores.overall("AP") == 1
        assert_same_numbers(scores.overall("Judged"), (1 + 1 + 0) / 3)
        assert scores.overall("NumRet") == 3
        assert mentions(scores.notes, 2, "no_relevant:drop")
        assert "no_relevant:drop" in scores.signature()

    def test_as_one_they_count_as_1(self) -> None:
        scores = rs.evaluate(self.QRELS, self.RUN, ["AP", "NumRet"], no_relevant="one")
        assert scores.matrix("AP").tolist() == [[1, 1, 1]]
        assert scores.matrix("NumRet").tolist() == [[1, 1, 1]]
        assert mentions(scores.notes, 2, 1, "no_relevant:one")

    def test_what_is_relevant_follows_rel(self) -> None:
        qrels = {"q": {"a": 1}, "r": {"a": 2}}
        scores = rs.evaluate(
            qrels, {"q": {"a": 1.0}, "r": {"a": 1.0}}, ["AP", "AP(rel=1)", "nDCG"], rel=2, no_relevant="drop"
        )
        assert scores.overall("AP") == 1 / 1
        np.testing.assert_array_equal(scores.matrix("AP"), [[np.nan, 1]])
        assert scores.matrix("AP(rel=1)").tolist() == [[1, 1]]
        assert scores.matrix("nDCG").tolist() == [[1, 1]]
        assert mentions(scores.notes, 1, " AP", "no_relevant:drop")

    def test_a_missing_query_without_relevant_documents_is_dropped_once(self) -> None:
        scores = rs.evaluate(self.QRELS, {"q": {"a": 1.0}}, "AP", missing="drop", no_relevant="one")
        np.testing.assert_array_equal(scores.matrix("AP"), [[1, np.nan, np.nan]])

    def test_where_all_have_some_there_is_no_note(self) -> None:
        assert rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", no_relevant="drop").notes == ()


class TestTies:
    @pytest.mark.parametrize("relevant", ["a", "b"])
    def test_one_rule_for_all_measures_with_a_relevant_and_another_document_tied(self, relevant: str) -> None:
        """By falling id b is first: either every measure sees the relevant document on rank 1, or none does."""
        qrels = {"q": {"a": int(relevant == "a"), "b": int(relevant == "b")}}
        names = ["P@1", "RR", "RR@1", "nDCG@1", "AP@1", "R@1", "Success@1", "Rprec", "ERR@1", "DCG@1", "Bpref", "infAP"]
        scores = rs.evaluate(qrels, {"q": {"a": 1.0, "b": 1.0}}, names)
        first = relevant == "b"
        expected = dict.fromkeys(names, 1.0 if first else 0.0)
        expected["RR"] = 1 / 1 if first else 1 / 2
        expected["ERR@1"] = 1 / 2 if first else 0.0  # (2^1 - 1) / 2^1
        expected["infAP"] = 1.0 if first else 1 / 2 + 1 / 2 * (1 / 1) * 0.00001 / (1 + 2 * 0.00001)
        assert {name: scores.overall(name) for name in names} == pytest.approx(expected, rel=1e-13)

    def test_ids_are_compared_by_their_bytes(self) -> None:
        """é is C3 A9 and comes after every ASCII letter; 10 is before 2; a prefix is before what it begins."""
        docs = ["2", "10", "é", "z", "Z", "ab", "abc", "\uffee", "\U0001f600"]
        order = ["\U0001f600", "\uffee", "é", "z", "abc", "ab", "Z", "2", "10"]
        for query in docs:
            rr = rs.evaluate({"q": {query: 1}}, {"q": dict.fromkeys(docs, 0.5)}, "RR").overall("RR")
            assert rr == 1 / (order.index(query) + 1), query

    def test_in_the_order_of_the_input_with_ties_file(self) -> None:
        run = {"q": {"x": 0.5, "b": 1.0, "c": 1.0, "a": 1.0}}
        for place, doc in enumerate(["b", "c", "a", "x"], 1):
            assert rs.evaluate({"q": {doc: 1}}, run, "RR", ties="file").overall("RR") == 1 / place
        assert "ties:file" in rs.evaluate({"q": {"a": 1}}, run, "RR", ties="file").signature()

    def test_refused_with_ties_error_where_a_judged_document_is_among_them(self) -> None:
        run = rs.Run({"q": {"x": 1.0, "b": 0.5, "a": 0.5, "y": 0.5}}, name="tied")
        with pytest.raises(rs.InputError, match=r"'tied': .*'a' .*'q' .*\b2 more"):
            rs.evaluate({"q": {"a": 1}}, run, "RR", ties="error")

    def test_not_refused_where_only_unjudged_documents_are_tied(self) -> None:
        run = {"q": {"x": 1.0, "y": 1.0, "a": 0.5}}
        assert rs.evaluate({"q": {"a": 1}}, run, "RR", ties="error").overall("RR") == 1 / 3

    def test_zero_and_minus_zero_are_tied(self) -> None:
        assert rs.evaluate({"q": {"a": 1}}, {"q": {"a": 0.0, "b": -0.0}}, "RR").overall("RR") == 1 / 2
        assert rs.evaluate({"q": {"b": 1}}, {"q": {"a": 0.0, "b": -0.0}}, "RR").overall("RR") == 1 / 1

    def test_a_preset_may_be_given_another_rule(self) -> None:
        run = {"q": {"a": 1.0, "b": 1.0}}
        assert rs.evaluate({"q": {"a": 1}}, run, "RR", preset="trec_eval", ties="file").overall("RR") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "skip"}, "missing is 'skip', .*'zero', 'drop', 'error'"),
        ({"no_relevant": "nan"}, "no_relevant is 'nan', .*'zero', 'drop', 'one'"),
        ({"ties": "random"}, "unknown tie rule 'random'"),
        ({"ties": "doc_id_dsc"}, r"did you mean doc_id_desc\?"),
        ({"rel": 0}, "rel is 0, .*above 0"),
        ({"preset": "trec"}, r"unknown preset 'trec'; did you mean trec_eval\?"),
    ],
)
@pytest.mark.parametrize("way", ["evaluate", "Evaluator"])
def test_an_unknown_convention_is_refused_before_anything_is_read(
    way: str, options: dict[str, object], message: str
) -> None:
    files = ("no such file",) if way == "Evaluator" else ("no such file", "no such file")
    prepare = getattr(rs, way)
    with pytest.raises(rs.ParameterError, match=message):
        prepare(*files, "AP", **options)


def test_the_default_measures_are_those_of_the_design() -> None:
    assert rs.evaluate(*as_lists([1])).measure_names == ("nDCG@10", "AP", "RR", "P@10", "R@100")


@pytest.mark.parametrize("measures", [[], ()], ids=["list", "tuple"])
def test_no_measures_are_refused(measures: list[str]) -> None:
    with pytest.raises(rs.ParameterError, match="no measures"):
        rs.evaluate(*as_lists([1]), measures)


@pytest.mark.parametrize("measures", [5, 0.5], ids=str)
def test_what_is_no_measure_and_no_list_of_them_is_refused(measures: object) -> None:
    with pytest.raises(rs.ParameterError, match="measure"):
        rs.evaluate(*as_lists([1]), measures)


@pytest.mark.parametrize(
    ("preset", "order"),
    [
        ("catboost", "the least relevant first"),
        ("sentence-transformers", "by rising id"),
        ("tensorflow-ranking", "at random"),
        ("lightgbm", ""),  # in file order, as here
        (None, ""),
    ],
)
def test_a_note_counts_ties_that_the_tool_of_a_preset_orders_otherwise(preset: str | None, order: str) -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 2}}
    tied, untied = {"q": {"a": 1.0, "b": 1.0, "x": 1.0, "c": 2.0}}, {"q": {"a": 1.0, "b": 3.0, "x": 1.5, "c": 2.0}}
    evaluator = rs.Evaluator(qrels, ["nDCG@3"], preset=preset)
    for scores, n in (
        (rs.evaluate(qrels, tied, "nDCG@3", preset=preset), 2),
        (evaluator(tied), 2),
        (evaluator.evaluate_many([tied, untied, tied]), 4),
    ):
        assert mentions(scores.notes, n, preset, order, "ties:") == bool(order)
    assert not mentions(evaluator(untied).notes, "ties:")
