"""Presets by arithmetic: what a reference tool's name stands for."""

from __future__ import annotations

from math import log2

import pytest
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists

import rankscope as rs
from rankscope.measures.presets import PRESETS


def test_gdeval_has_exponential_gain_and_grades_up_to_4() -> None:
    """gdeval.pl of the TREC Web Track: nDCG@20 and ERR@20, whatever the highest grade that was given."""
    case = as_lists([2, None, 1], (2,))
    scores = rs.evaluate(*case, preset="gdeval")
    dcg = 3 / log2(2) + 1 / log2(4)
    ideal = 3 / log2(2) + 3 / log2(3) + 1 / log2(4)
    # S = 3/16 and 1/16
    err = 3 / 16 + 1 / 3 * (1 - 3 / 16) * (1 / 16)
    assert scores.measure_names == ("nDCG(gain='exp')@20", "ERR(gmax=4)@20")
    assert scores.values[0, :, 0].tolist() == pytest.approx([dcg / ideal, err], rel=1e-13)
    assert "preset:gdeval" in scores.signature()


def test_gdeval_counts_only_the_first_20() -> None:
    case = as_lists([0] * 20 + [1])
    assert rs.evaluate(*case, preset="gdeval").values.tolist() == [[[0.0], [0.0]]]
    case = as_lists([0] * 19 + [1])
    assert rs.evaluate(*case, preset="gdeval").values[0, :, 0].tolist() == pytest.approx(
        [1 / log2(21), 1 / 20 * 1 / 16]
    )


def test_what_the_user_names_overrules_the_preset() -> None:
    scores = rs.evaluate(*as_lists([2, 1]), ["nDCG(gain='linear')@5", "ERR(gmax=2)", "nDCG@5", "AP"], preset="gdeval")
    assert scores.measure_names == ("nDCG@5", "ERR(gmax=2)", "nDCG(gain='exp')@5", "AP")


def test_gdeval_refuses_grades_above_4() -> None:
    with pytest.raises(rs.ParameterError, match=r"gmax is 4, .*judged 5"):
        rs.evaluate(*as_lists([5]), preset="gdeval")


@pytest.mark.parametrize("preset", ["trec_eval", "trec_eval-9"])
def test_trec_eval_prints_its_official_measures(preset: str) -> None:
    """`-m official`, but for runid and num_q, which are no measures here."""
    names = rs.evaluate(*as_lists([1, 0]), preset=preset).measure_names
    assert names[:8] == ("NumRet", "NumRel", "NumRelRet", "AP", "GMAP", "Rprec", "Bpref", "RR")
    rounding = "(rounding='plus_point_nine')" if preset == "trec_eval-9" else ""
    assert names[8:19] == tuple(f"IPrec{rounding}@{i / 10}" for i in range(11))
    assert names[19:] == tuple(f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000))


@pytest.mark.parametrize("preset", ["trec_eval", "trec_eval-9"])
def test_trec_eval_takes_its_own_persistence_and_highest_grade_for_rbp(preset: str) -> None:
    case = as_lists([1, None, 0])
    names = rs.evaluate(*case, ["RBP", "RBP(p=0.5)", "RBP(rel=1)", "RBPResidual"], preset=preset).measure_names
    assert names == ("RBP(p=0.9, gmax='query')", "RBP(p=0.5, gmax='query')", "RBP(p=0.9, rel=1)", "RBPResidual(p=0.9)")


def test_recall_rounds_half_up_in_version_10_and_after_adding_point_nine_in_version_9() -> None:
    """R = 4, recall .3: floor(1.2 + .5) = 1 document, floor(1.2 + .9) = 2 documents."""
    case = as_lists([1, 0, 0, 1, 1, 1])
    values = [rs.evaluate(*case, "iprec_at_recall.0.3", preset=p).values.item() for p in ("trec_eval", "trec_eval-9")]
    assert_same_numbers(values, [1 / 1, max(2 / 4, 3 / 5, 4 / 6)])


def test_only_those_that_measure_with_trec_eval_9_compare_in_float32() -> None:
    run = {"q": {"a": 1.0 + 2.0**-40, "b": 1.0}}
    assert {name for name in PRESETS if rs.evaluate({"q": {"a": 1}}, run, "RR", preset=name).overall("RR") == 0.5} == {
        *("trec_eval-9", "ir_measures", "mteb", "beir"),
    }


def test_scores_beyond_float32_are_tied_and_no_warning() -> None:
    """As float32 both are infinite, so tied; the higher id goes first. trec_eval 9 does the same."""
    case = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2e300, "b": 1e300}}
    assert rs.evaluate(*case, "RR").overall("RR") == 1
    assert rs.evaluate(*case, "RR", preset="trec_eval-9").overall("RR") == 1 / 2


def test_ir_measures_takes_grades_up_to_4_for_err_and_version_9s_recall() -> None:
    case = as_lists([1, 0, 0, 1, 1, 1])
    scores = rs.evaluate(*case, ["ERR@20", "ERR(gmax=2)", "IPrec@0.3", "nERR"], preset="ir_measures")
    names = ("ERR(gmax=4)@20", "ERR(gmax=2)", "IPrec(rounding='plus_point_nine')@0.3", "nERR")
    assert scores.measure_names == names
    assert_same_numbers(scores.overall("IPrec@0.3"), max(2 / 4, 3 / 5, 4 / 6))


@pytest.mark.parametrize("preset", ["trec_eval", "trec_eval-9"])
def test_gains_that_trec_evals_names_give_leave_other_grades_their_own(preset: str) -> None:
    """`ndcg.1=3`: a document of grade 2 gains 2. Our gains={1: 3} refuses it, lest it be forgotten."""
    case = as_lists([1, 2])
    scores = rs.evaluate(*case, ["dcg.1=3"], preset=preset)
    assert scores.measure_names == ("DCG(gains={1: 3.0}, others='gain')",)
    assert scores.overall("dcg.1=3") == pytest.approx(3 / log2(2) + 2 / log2(3), rel=1e-15)
    with pytest.raises(rs.ParameterError, match=r"judged 2, .*gains=\{1: 3\}"):
        rs.evaluate(*case, "DCG(gains={1: 3})", preset=preset)


def test_a_misspelt_preset_gets_the_nearest_one() -> None:
    with pytest.raises(rs.UnknownName, match=r"'trec-eval'; .*trec_eval\?"):
        rs.evaluate(*as_lists([1]), preset="trec-eval")
