"""Documents that nobody judged, and curves over the list."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.evaluation.curves import LEVELS, RANKS, curve_measures, curve_sections
from rankscope.evaluation.unjudged import CUTOFFS, unjudged_measures, unjudged_shares

QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "d": 2}}
# q1: judged, unjudged, judged (1 0 1); q2: unjudged, judged
FULL = rs.Run({"q1": {"a": 3.0, "x": 2.0, "c": 1.0}, "q2": {"y": 2.0, "d": 1.0}}, name="full")
NONE = rs.Run({"q1": {"x": 3.0, "y": 2.0}, "q2": {"x": 2.0, "y": 1.0}}, name="none")


def holes(runs: object, cutoffs: tuple[int, ...] = (1, 2)) -> object:
    return unjudged_shares(rs.evaluate(QRELS, runs, unjudged_measures(cutoffs), unjudged="bounds"), cutoffs)


def test_the_share_of_unjudged_documents_and_the_bounds_of_precision_are_means_over_queries() -> None:
    found = holes([FULL, NONE])
    # full: q1 judged first, one of two unjudged; q2 unjudged first, one of two
    assert found.unjudged.tolist() == [[(0 + 1) / 2, (1 / 2 + 1 / 2) / 2], [1, 1]]
    assert found.precision[0].tolist() == [(1 + 0) / 2, (1 / 2 + 1 / 2) / 2]
    assert found.low[0].tolist() == found.precision[0].tolist()
    assert found.high[0].tolist() == [(1 + 1) / 2, (2 / 2 + 2 / 2) / 2]
    assert found.high[1].tolist() == [1, 1]


def test_the_tidy_table_has_a_row_a_system_and_cutoff() -> None:
    found = holes([FULL, NONE])
    assert found.frame().columns == ["system", "cutoff", "unjudged", "precision", "low", "high"]
    assert next(iter(found.records())) == ("full", 1, 0.5, 0.5, 0.5, 1.0)
    assert "unjudged:bounds" in found.signature()


def test_the_sentence_warns_where_systems_have_unequal_holes() -> None:
    assert mentions(str(holes([FULL, NONE])), "Up to 100.0 %", "(none)")
    assert "may be unfair" in holes([FULL, NONE]).sentence()
    assert "may be unfair" not in holes([FULL]).sentence()


def test_where_all_is_judged_it_says_so() -> None:
    judged = rs.Run({"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 2.0, "d": 1.0}}, name="judged")
    assert mentions(holes([judged]).sentence(), "Every", 2, "judged")


def test_scores_without_bounds_are_refused() -> None:
    with pytest.raises(rs.ParameterError, match="evaluate with unjudged='bounds'"):
        unjudged_shares(rs.evaluate(QRELS, FULL, unjudged_measures()))


def test_curves_are_means_of_interpolated_precision_and_of_ndcg() -> None:
    scores = rs.evaluate(QRELS, [FULL, NONE], curve_measures())
    precision, gain = (section.figure.data for section in curve_sections(scores))
    assert precision["levels"] == LEVELS
    first = [row[0] for row in precision["precision"]]
    assert first == [scores.overall("IPrec@0.0", name) for name in ("full", "none")]
    assert gain["ranks"] == RANKS
    assert_same_numbers(gain["gain"][0][RANKS.index(10)], scores.overall("nDCG@10", "full"))
    # q1: both relevant documents found, at ranks 1 and 3; q2: its one at rank 2
    assert precision["precision"][0][-1] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert CUTOFFS == (5, 10, 20, 50, 100)
