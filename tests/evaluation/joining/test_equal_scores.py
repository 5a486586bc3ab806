"""A run whose lists have one score each gets a note: its order is that of the tie rule."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

import rankscope as rs

JUDGMENTS = {f"q{q}": {"d0": 1, "d3": 0} for q in range(3)}


def lists(*scores: float) -> dict[str, dict[str, float]]:
    return {query: {f"d{i}": score for i, score in enumerate(scores)} for query in JUDGMENTS}


@pytest.mark.parametrize("ties", ["doc_id_desc", "file", "average"])
def test_equal_scores_in_all_lists_get_a_note(ties: str) -> None:
    notes = rs.evaluate(JUDGMENTS, rs.Run(lists(1, 1, 1, 1), name="flat"), "P@1", ties=ties).notes
    assert mentions(notes, "'flat'", "each of 3 lists", "the same score", f"ties:{ties}")
    alone = {**lists(1, 1, 1, 1), "q2": {"d0": 1.0}}  # a list of one document has nothing to order
    assert mentions(rs.evaluate(JUDGMENTS, alone, "P@1", ties=ties).notes, "each of 2 lists") is False  # 8 documents
    longer = {**lists(1, 1, 1, 1, 1), "q2": {"d0": 1.0}}
    assert mentions(rs.evaluate(JUDGMENTS, longer, "P@1", ties=ties).notes, "each of 2 lists")


@pytest.mark.parametrize(
    "run",
    [
        lists(2, 1, 1, 1),
        lists(4, 3, 2, 1),
        {**lists(1, 1, 1, 1), "q2": {"d0": 1.0, "d1": 2.0}},
        {"q0": {f"d{i}": 1.0 for i in range(20)}},  # one list
    ],
)
def test_other_lists_do_not(run: dict[str, dict[str, float]]) -> None:
    assert not mentions(rs.evaluate(JUDGMENTS, run, "P@1").notes, "the same score")
