"""Where a definition ends: nothing relevant, nothing retrieved, the highest grade, the rest of the collection."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists

import rankscope as rs
from rankscope.measures.names import trec_name


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = (), **options: object) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure, **options).overall(measure)


class TestTheRestOfTheCollection:
    """Utility's d counts what was neither retrieved nor relevant."""

    def test_is_what_the_size_of_the_collection_leaves(self) -> None:
        hits = rs.hits_of(*as_lists([1, 0, None], (1, 1)))
        in_100 = replace(hits, collection_size=100)
        # 3 retrieved, 1 of them relevant; 2 relevant missed; 100 - 3 - 2 others missed
        expected = 1 * 1 - 1 * 2 + 0 * 2 + 0.25 * (100 - 3 - 2)
        assert rs.parse_measure("Utility(d=0.25)")(in_100).tolist() == [expected]
        assert rs.parse_measure("utility.1,-1,0,0.25")(in_100).tolist() == [expected]

    def test_cannot_be_known_without_that_size(self) -> None:
        with pytest.raises(rs.ParameterError, match=r"Utility: d .*number of documents"):
            value("Utility(d=0.25)", [1, 0])
        assert value("Utility(d=0)", [1, 0]) == 0


@pytest.mark.parametrize(
    "measure",
    [
        *("nDCG", "DCG", "IdealDCG", "G", "nDCGRel", "RnDCG", "IPrec@0.5", "AvgIPrec", "BinG", "Yaap", "SetRelP"),
        *("F@5", "F(beta=0)@5", "AUC", "AUC@5", "nERR", "nERR@5", "AP(norm='min')@5", "AP(norm='found')"),
        *("AP(norm='found')@5", "nDCG(ideal='listed')", "nDCG(discount='jk')@5"),
    ],
)
def test_without_relevant_documents_or_any_at_all_the_value_is_0(measure: str) -> None:
    assert value(measure, [0, None, -1], (0,)) == 0
    assert value(measure, [], (0,)) == 0


@pytest.mark.parametrize("recall", [0.0, 0.5, 1.0])
def test_of_an_empty_list_interpolated_precision_is_0_and_not_nan(recall: float) -> None:
    assert value(f"IPrec@{recall}", [], (1, 1)) == 0
    assert value("AvgIPrec", [], (1, 1)) == 0


def test_recalls_are_decimals_and_not_multiples_of_a_tenth() -> None:
    """.7 * 45 + .5 is a little below 32 in float64, .1 * 7 * 45 + .5 is not: 31 relevant documents are enough."""
    assert int(0.7 * 45 + 0.5) == 31 < int(0.1 * 7 * 45 + 0.5) == 32
    case = as_lists([1] * 31, (1,) * 14)
    assert rs.evaluate(*case, "IPrec@0.7").values.item() == 1
    assert_same_numbers(rs.evaluate(*case, "AvgIPrec").values.item(), 8 / 11)


class TestHighestGrade:
    def test_is_that_of_the_whole_qrels_also_of_other_queries(self) -> None:
        qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
        scores = rs.evaluate(qrels, {"q1": {"a": 1.0}}, ["ERR", "RBP(p=0.5)"])
        assert scores.matrix("ERR")[0].tolist() == [1 / 8, 0.0]
        assert_same_numbers(scores.matrix("RBP(p=0.5)")[0].tolist(), [(1 - 0.5) * 1 / 3, 0.0])
        assert "gmax:3" in scores.signature("ERR")
        assert "gmax:3" in scores.signature("RBP(p=0.5)")

    def test_of_each_query_is_asked_for_by_its_name(self) -> None:
        """As rbp of trec_eval 10: q1's highest grade is 1, q2's is 4, q3 has none above 0."""
        qrels = {"q1": {"a": 1}, "q2": {"b": 2, "c": 4}, "q3": {"d": 0, "e": -1}}
        run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"d": 1.0}}
        scores = rs.evaluate(qrels, run, "RBP(p=0.5, gmax='query')")
        assert scores.values[0, 0].tolist() == [(1 - 0.5) * 1 / 1, (1 - 0.5) * 2 / 4, 0]
        assert "gmax:query" in scores.signature()
        assert trec_name(rs.parse_measure("RBP(p=0.9, gmax='query')")) == "rbp"

    @pytest.mark.parametrize("measure", ["ERR(gmax=2)", "nERR(gmax=2)", "RBP(p=0.5, gmax=2)"])
    def test_below_a_judged_grade_is_refused(self, measure: str) -> None:
        with pytest.raises(rs.ParameterError, match=r"gmax is 2, .*judged 3"):
            value(measure, [3])

    def test_may_be_given_higher(self) -> None:
        assert value("ERR(gmax=5)", [3]) == 7 / 32
        assert value("RBP(p=0.5, gmax=6)", [3]) == pytest.approx(0.5 * 3 / 6)

    def test_of_qrels_without_anything_relevant_gives_0(self) -> None:
        assert value("ERR", [0, -1]) == 0
        assert value("RBP(p=0.5)", [0, -1]) == 0

    @pytest.mark.parametrize("grade", [1000, 1030, 5000])
    def test_may_be_so_large_that_its_power_of_2_is_no_float64(self, grade: int) -> None:
        # (2^g - 1) / 2^g is 1 to the last digit. The gain 2^g - 1 itself has no float64 above g = 1023.
        assert value("ERR", [grade]) == 1.0
        assert value("nDCG", [grade, 1]) == 1.0

    def test_of_only_very_negative_grades_gives_0(self) -> None:
        assert value("ERR", [-5000]) == 0


@pytest.mark.parametrize(
    "measure",
    [
        *("nDCG(gain='exp')", "DCG(gain='exp')@5", "IdealDCG(gain='exp')"),
        *("G(gain='exp')", "nDCGRel(gain='exp')", "RnDCG(gain='exp')"),
    ],
)
def test_an_exponential_gain_beyond_float64_is_refused(measure: str) -> None:
    assert value("nDCG(gain='exp')", [900]) == 1.0
    assert value(measure, [900]) > 0
    with pytest.raises(rs.ParameterError, match=r"judged 901, .*2\^901 .*float64; .*900"):
        value(measure, [901])
