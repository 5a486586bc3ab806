"""Judgments by subtopic in memory: mappings, columns, frames; what they hold, give back and refuse."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.strategies import DOC_IDS, QUERY_IDS
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.kernels.text import decode

Judged = dict[str, dict[str, dict[str, int]]]
Row = tuple[str, str, str, int]

COLUMNS = ("query_id", "subtopic", "doc_id", "relevance")
#: They share prefixes beyond the eight and sixteen bytes that are compared at a time.
SUBTOPIC_IDS = ("1", "10", "2", "a-subtopic-with-a-long-name-1", "a-subtopic-with-a-long-name-10", "ü", "\U0001f600")
SMALL: Judged = {
    "q2": {"s1": {"a": 1}},
    "q1": {"s1": {"a": 1, "b": 0}, "s2": {"b": 2, "c": -1}},
}


def rows_of(judged: Judged) -> list[Row]:
    return [(q, s, d, r) for q, of in judged.items() for s, docs in of.items() for d, r in docs.items()]


def columns_of(rows: list[Row]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def shown(qrels: rs.Qrels) -> list[Row]:
    assert qrels.frame().columns == list(COLUMNS)
    return [(q, s, d, int(r)) for q, s, d, r in qrels.frame().rows()]


@st.composite
def judgments(draw: st.DrawFn) -> Judged:
    docs = st.dictionaries(st.sampled_from(DOC_IDS), st.sampled_from([-1, 0, 1, 3]), min_size=1, max_size=8)
    subtopics = st.dictionaries(st.sampled_from(SUBTOPIC_IDS), docs, min_size=1, max_size=5)
    return draw(st.dictionaries(st.sampled_from(QUERY_IDS), subtopics, min_size=1, max_size=4))


# --- what they hold -------------------------------------------------------------------------------


def test_the_frame_has_queries_by_rising_and_documents_by_falling_id_and_subtopics_as_they_came() -> None:
    judged = {"q9": {"x": {"a": 1}}, "q10": {"s2": {"a": 1, "c": 0}, "s1": {"b": 2, "c": -1, "a": 0}}}
    assert shown(rs.Qrels(judged)) == [
        *(("q10", "s2", "c", 0), ("q10", "s1", "c", -1), ("q10", "s1", "b", 2)),
        *(("q10", "s2", "a", 1), ("q10", "s1", "a", 0), ("q9", "x", "a", 1)),
    ]


@examples(100)
@given(judgments())
def test_nothing_is_lost_or_added(judged: Judged) -> None:
    qrels = rs.Qrels(judged)
    assert sorted(shown(qrels)) == sorted(rows_of(judged))
    assert qrels.query_ids == tuple(sorted(judged, key=str.encode))
    assert len(qrels) == len(rows_of(judged))
    assert repr(qrels) == f"Qrels({len(judged)} queries, {len(rows_of(judged))} judgments)"


@examples(100)
@given(judgments())
def test_each_judgment_knows_its_document_and_its_subtopic(judged: Judged) -> None:
    """Subtopics have one number each within a query, and documents their place among the judged ones."""
    qrels = rs.Qrels(judged)
    by = qrels.subtopics
    assert by is not None
    for q, query in enumerate(qrels.query_ids):
        entries = slice(int(by.offsets[q]), int(by.offsets[q + 1]))
        merged = qrels.document_places[q]
        names = {place: doc for doc, place in merged.items()}
        numbers = dict(zip(decode(by.ids)[entries], by.subtopic[entries].tolist(), strict=True))
        assert sorted(numbers.values()) == list(range(len(judged[query])))
        found = {
            (id_.decode(), names[place], relevance)
            for id_, place, relevance in zip(
                decode(by.ids)[entries], by.judged[entries].tolist(), by.relevance[entries].tolist(), strict=True
            )
        }
        assert found == {(s, d, r) for s, docs in judged[query].items() for d, r in docs.items()}
        assert (np.diff(by.judged[entries]) >= 0).all()


@examples(60)
@given(judgments(), st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(judged: Judged, seed: int) -> None:
    rows = rows_of(judged)
    random.Random(seed).shuffle(rows)
    qrels, shuffled = rs.Qrels(judged), rs.Qrels(columns_of(rows))
    assert sorted(shown(shuffled)) == sorted(shown(qrels))
    assert shuffled.relevance.tolist() == qrels.relevance.tolist()
    assert shuffled.offsets.tolist() == qrels.offsets.tolist()


def highest(judged: Judged) -> dict[str, dict[str, int]]:
    return {
        q: {d: max(docs[d] for docs in of.values() if d in docs) for docs in of.values() for d in docs}
        for q, of in judged.items()
    }


@examples(100)
@given(judgments(), st.lists(st.sampled_from(DOC_IDS), min_size=1, max_size=9, unique=True))
def test_other_measures_see_the_highest_relevance_of_each_document(judged: Judged, listed: list[str]) -> None:
    run = {q: {doc: float(-i) for i, doc in enumerate(listed)} for q in judged}
    measures = ["AP", "nDCG@5", "Bpref", "infAP", "Judged@3", "ERR", "RBP", "NumRel(rel=2)", "Q"]
    found = rs.evaluate(rs.Qrels(judged), run, measures).values
    np.testing.assert_allclose(found, rs.evaluate(rs.Qrels(highest(judged)), run, measures).values, rtol=1e-13)


def test_plain_judgments_have_no_subtopics() -> None:
    assert rs.Qrels({"q": {"a": 1}}).subtopics is None
    assert rs.Qrels({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]}).subtopics is None


def test_a_selection_keeps_the_judgments_of_its_queries_in_its_order() -> None:
    by = rs.Qrels(SMALL).subtopics
    assert by is not None
    chosen = by.select(np.array([1, 0, 1]))
    assert np.diff(chosen.offsets).tolist() == [1, 4, 1]
    assert decode(chosen.ids)[0] == decode(chosen.ids)[-1] == b"s1"
    assert chosen.query.tolist() == [0, 1, 1, 1, 1, 2]
    assert by.select(np.array([], np.intp)).offsets.tolist() == [0]


# --- what they can be made of ---------------------------------------------------------------------


def as_pandas(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def as_pyarrow(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


FORMS: list[Callable[[dict[str, list[Any]]], Any]] = [dict, pl.DataFrame, as_pandas, as_pyarrow]


@pytest.mark.parametrize("form", FORMS, ids=["columns", "polars", "pandas", "pyarrow"])
def test_frames_and_columns_are_the_same_as_the_mapping(form: Callable[[dict[str, list[Any]]], Any]) -> None:
    assert shown(rs.Qrels(form(columns_of(rows_of(SMALL))))) == shown(rs.Qrels(SMALL))


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "Subtopic", " SUBTOPIC "])
def test_the_column_may_have_another_name(name: str) -> None:
    columns = columns_of(rows_of(SMALL))
    columns[name] = columns.pop("subtopic")
    assert shown(rs.Qrels(columns)) == shown(rs.Qrels(SMALL))


def test_numbers_can_name_subtopics() -> None:
    numbered = {"query_id": [1, 1], "subtopic": np.array([1, 10]), "doc_id": ["a", "a"], "relevance": [1, 0]}
    assert shown(rs.Qrels(numbered)) == [("1", "1", "a", 1), ("1", "10", "a", 0)]


def test_the_frame_makes_the_same_judgments_again() -> None:
    qrels = rs.Qrels(SMALL)
    assert shown(rs.Qrels(qrels.frame())) == shown(qrels)


def test_a_column_of_subtopics_in_a_run_is_left_alone() -> None:
    run = {"query_id": ["q1"], "subtopic": [None], "doc_id": ["b"], "score": [1.0]}
    assert rs.evaluate(rs.Qrels(SMALL), rs.Run(run), "StRecall@1").values.ravel().tolist() == [1 / 2, 0]


# --- what is refused ------------------------------------------------------------------------------


def columns_with(*rows: tuple[object, ...]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            columns_with(("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "1", "a", 0)),
            r"row 2: .*'a' .*'1' .*'q' .*twice.* qrels: row 0",
        ),
        (
            columns_with(*[("q", "1", "a", 1), ("p", "1", "a", 1)] * 2),
            r"row 3: .*'a' .*'1' .*'p' .*twice.* qrels: row 1",
        ),
        (columns_with(("q", "1", "a", 1), ("q", "", "a", 1)), r"row 1: .*subtopic is empty"),
        (columns_with(("q", "1", "a", 1), ("q", None, "b", 1)), r"row 1: .*subtopic is empty"),
        (columns_with(("q", 1.5, "a", 1)), r"column 'subtopic' .*Float64"),
        (columns_with(("q", "1", "a", math.inf)), "row 0: relevance is inf"),
        ({"q": {"1": {"a": math.inf}}}, "document 'a' .*'1' .*'q' is inf"),
        ({"q": {"": {"a": 1}}}, r"subtopic id '' is"),
        ({"q": {"1": {"": 1}}}, r"document id '' is"),
        ({"q": {"1": {"a": 1}, "2": {}}}, r"'2' .*'q' has {}, .*{document: relevance}"),
        ({"p": {"1": {"a": 1}}, "q": {"1": {}}}, r"'q' has no judgments"),
        ({"p": {"1": {"a": 1}}, "q": {}}, r"'q' has no judgments"),
        (
            {"q1": {"1": {"a": 1}}, "q2": {"a": 1}},
            r"'a' .*'q2' has 1, .*{document: relevance} .*subtopic",
        ),
        ({"q1": {"a": 1}, "q2": {"1": {"a": 1}}}, r"'a' .*'q1' has 1, .*subtopic"),
        ({"q1": {"1": {"a": 1}, "b": 1}}, r"'b' .*'q1' has 1, .*{document: relevance}"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(data: Any, said: str) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.Qrels(data)


@pytest.mark.parametrize("call", [rs.evaluate, lambda qrels, run, names: rs.Evaluator(qrels, names)(run)])
@pytest.mark.parametrize("made", [rs.Qrels, dict])
def test_a_measure_of_diversity_refuses_judgments_of_queries_only(call: Any, made: Any) -> None:
    said = "alpha_nDCG@10 .*column subtopic, .*read_qr"
    with pytest.raises(rs.InputError, match=said):
        call(made({"q": {"a": 1}}), {"q": {"a": 1.0}}, ["AP", "alpha_nDCG@10", "StRecall@10"])


def test_a_note_says_where_no_query_has_more_than_one_subtopic() -> None:
    one = {"q1": {"s1": {"a": 1}}, "q2": {"s2": {"b": 1}}}
    run = {"q1": {"a": 1.0}}
    assert mentions(rs.evaluate(rs.Qrels(one), run, "StRecall@5").notes, "one subtopic")
    assert not mentions(rs.evaluate(rs.Qrels(one), run, "AP").notes, "one subtopic")
    assert not mentions(rs.evaluate(rs.Qrels(SMALL), run, "StRecall@5").notes, "one subtopic")
