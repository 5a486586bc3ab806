"""A run left out of the pool: judgments of what it alone found are gone, for all runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError, UnknownName

QRELS = {"q": {"a": 1, "b": 1, "c": 1, "d": 0, "p": -1}}
RUNS = [
    rs.Run({"q": {"a": 4.0, "b": 3.0, "u": 2.0}}, name="one"),
    rs.Run({"q": {"c": 4.0, "a": 3.0, "p": 2.0}}, name="two"),
    rs.Run({"q": {"c": 4.0, "d": 3.0, "a": 2.0}}, name="three"),
]


def test_a_run_without_which_relevant_documents_are_not_known_falls() -> None:
    found = rs.judging.leave_out(RUNS, QRELS, "P@2", cutoff=3)
    assert found.systems == ("one", "three", "two")
    assert found.mean.tolist() == [1.0, 0.5, 1.0]
    assert found.rank.tolist() == [1, 3, 1]
    # b is of `one` alone, d (not relevant) of `three` alone; c and a are of several, u and p not judged.
    assert found.only_here.tolist() == [1, 1, 0]
    assert found.only_here_relevant.tolist() == [1, 0, 0]
    assert found.mean_without.tolist() == [0.5, 0.5, 1.0]
    assert found.rank_without.tolist() == [2, 3, 1]
    assert_same_numbers(found.unjudged.tolist(), [1 / 3, 0, 1 / 3])
    assert_same_numbers(found.unjudged_without.tolist(), [2 / 3, 1 / 3, 1 / 3])
    assert mentions(found.sentence(), "fall", "P@2", "rank 1 to 2")


def test_what_stands_below_the_depth_was_not_put_into_the_pool() -> None:
    # At depth 1 c is of two and three, a of one alone.
    found = rs.judging.leave_out(RUNS, QRELS, "P@2", depth=1)
    assert found.only_here.tolist() == [1, 0, 0]
    assert found.mean_without.tolist() == [0.5, 0.5, 1.0]


documents = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 9).map(float), min_size=1)


@examples(20)
@given(
    lists=st.lists(st.lists(documents, min_size=2, max_size=2), min_size=2, max_size=4),
    grades=st.lists(
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1), min_size=2, max_size=2
    ),
    depth=st.integers(1, 5),
    measure=st.sampled_from(["nDCG@3", "AP", "infAP", "P@2"]),
)
def test_it_is_what_evaluating_without_those_judgments_gives(
    lists: list[Any], grades: list[dict[str, int]], depth: int, measure: str
) -> None:
    runs = [rs.Run({f"q{q}": docs for q, docs in enumerate(two)}, name=f"run {r}") for r, two in enumerate(lists)]
    found = rs.judging.leave_out(runs, {f"q{q}": docs for q, docs in enumerate(grades)}, measure, depth=depth, cutoff=3)

    def near(r: int, q: int) -> set[str]:
        docs = lists[r][q]
        return set(sorted(sorted(docs, reverse=True), key=lambda doc: -docs[doc])[:depth])

    for r in range(len(runs)):
        kept = {}
        for q, judged in enumerate(grades):
            others = set().union(*(near(o, q) for o in range(len(runs)) if o != r))
            alone = {doc for doc in near(r, q) - others if judged.get(doc, -1) >= 0}
            kept[f"q{q}"] = {doc: grade for doc, grade in judged.items() if doc not in alone}
            kept[f"q{q}"]["elsewhere"] = -1  # so that no query is without a line
        scores = rs.evaluate(kept, runs, [measure])
        assert np.isclose(found.mean_without[r], scores.overall(measure, f"run {r}"))
        values = np.round(scores.summary(measure), 12)
        assert found.rank_without[r] == 1 + (values > values[r]).sum()


@pytest.mark.parametrize(
    ("runs", "options", "error", "message"),
    [
        (RUNS[:1], {}, ParameterError, "one run, .*two"),
        (RUNS, {"measure": "NDGC@10"}, UnknownName, "did you mean nDCG@10"),
        (RUNS, {"measure": ["AP", "RR"]}, ParameterError, "measure is .*expected a text"),
        (RUNS, {"depth": 0}, ParameterError, "depth is 0"),
        (RUNS, {"cutoff": 0}, ParameterError, "cutoff is 0"),
        (RUNS, {"measure": "StRecall@10"}, ParameterError, "by subtopic"),
        (["-", "-"], {}, ParameterError, "runs are read twice"),
    ],
)
def test_what_cannot_be_left_out_is_refused(
    runs: list[Any], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rs.judging.leave_out(runs, QRELS, **options)


def test_judgments_of_other_queries_are_refused() -> None:
    with pytest.raises(InputError):
        rs.judging.leave_out(RUNS, {"other": {"a": 1}}, "P@2")
