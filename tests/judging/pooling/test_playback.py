"""Judging played back with judgments that are known."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.errors import ParameterError, UnknownName

RUNS = [
    rs.Run({"q": dict(zip("abcd", (4.0, 3.0, 2.0, 1.0), strict=True))}, name="A"),
    rs.Run({"q": dict(zip("efgh", (4.0, 3.0, 2.0, 1.0), strict=True))}, name="B"),
]
QRELS = {"q": {"a": 1, "b": 2, "f": 1, "e": 0}}


def test_the_curve_counts_relevant_documents_by_documents_judged() -> None:
    found = rs.judging.play_back(RUNS, QRELS, ["depth", "mtf", "bandit"], depth=4)
    assert found.n_relevant == 3
    assert found.relevant("depth").tolist() == [0, 1, 2, 3, 3, 3, 3, 3]  # e a f b ...
    assert found.relevant("mtf").tolist() == [0, 1, 2, 2, 3, 3, 3, 3]  # e a b c f ...
    assert found.relevant("bandit").tolist() == [0, 1, 2, 2, 2, 3, 3, 3]  # e a b c d f ...
    assert_same_numbers(list(found.records())[:2], [("depth", 1, 0, 0.0), ("depth", 2, 1, 1 / 3)])
    assert mentions(found.sentence(), "half", 3, "depth")


def test_a_budget_ends_it_and_rel_says_what_counts() -> None:
    found = rs.judging.play_back(RUNS, QRELS, "mtf", 4, depth=4, rel=2)
    assert found.n_relevant == 1
    assert found.relevant("mtf").tolist() == [0, 0, 0, 1]  # e a f b: a run is left at once


def test_what_cannot_be_played_back_is_refused() -> None:
    with pytest.raises(ParameterError, match="no method given"):
        rs.judging.play_back(RUNS, QRELS, [])
    with pytest.raises(ParameterError, match="belong to one method"):
        rs.judging.play_back(RUNS, QRELS, ["mtf", "bandit"], rate=0.5)
    with pytest.raises(UnknownName, match="pooling method 'best'"):
        rs.judging.play_back(RUNS, QRELS, "best")
    with pytest.raises(UnknownName, match="method played back"):
        rs.judging.play_back(RUNS, QRELS, "mtf").relevant("hedge")
