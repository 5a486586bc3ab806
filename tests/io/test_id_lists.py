"""Lists of ids: runs without scores and judgments without grades, from memory and from JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError

GOLD = {"q1": ["d1", "d3"], "q2": ["d9"], "q3": []}
LISTS = {"q1": ["d2", "d1"], "q2": ["d9", "d4"], "q3": ["d1"]}
MEASURES = ["RR", "AP", "nDCG@2", "R@2"]

ids = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=4)
#: Queries that are not called like a column of a table.
queries = ids.filter(lambda name: name.strip().lower() not in ("qid", "q_id", "pid", "did", "doc", "rel", "sim"))
lists = st.dictionaries(queries, st.lists(ids, unique=True, max_size=5), min_size=1, max_size=4).filter(
    lambda data: any(data.values())
)


def values(qrels: Any, run: Any) -> list[float]:
    return rs.evaluate(qrels, run, MEASURES).values.ravel().tolist()


def test_the_first_id_is_the_best_and_gold_ids_are_relevant() -> None:
    scores = rs.evaluate(GOLD, LISTS, ["RR", "R@2"])
    assert scores.matrix("RR").tolist() == [[0.5, 1.0, 0.0]]
    assert scores.matrix("R@2").tolist() == [[0.5, 1.0, 0.0]]


@given(gold=lists, ranked=lists)
@examples(60)
def test_lists_are_dicts_with_falling_scores_and_relevance_1(gold: Any, ranked: Any) -> None:
    gold, ranked = {**gold, "shared": ["a"]}, {**ranked, "shared": ["b", "a"]}
    as_scores = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in ranked.items()}
    as_grades = {query: dict.fromkeys(docs, 1) for query, docs in gold.items()}
    assert values(gold, ranked) == values(as_grades, as_scores)
    assert values({query: set(docs) for query, docs in gold.items()}, ranked) == values(as_grades, as_scores)


def record(query: str, docs: list[str], name: str) -> dict[str, Any]:
    return {"query_id": query, name: docs}


WRITTEN: dict[str, Callable[[dict[str, list[str]], str], str]] = {
    "object": lambda data, _: json.dumps(data),
    "object on lines": lambda data, _: json.dumps(data, indent=1),
    "records": lambda data, name: "\n".join(json.dumps(record(*item, name)) for item in data.items()),
    "list of records": lambda data, name: json.dumps([record(*item, name) for item in data.items()]),
}


@pytest.mark.parametrize("form", WRITTEN)
@given(ranked=lists)
@examples(25)
def test_every_form_in_a_file_is_the_same_run(form: str, ranked: Any, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("lists") / "run.json"
    path.write_text(WRITTEN[form](ranked, "retrieved_ids"), encoding="utf-8")
    expected = rs.Run(ranked).frame()
    found = rs.read_run(path, input="lists")
    assert found.frame().equals(expected)
    assert found.query_ids == tuple(ranked)
    assert rs.read_run(path).frame().equals(expected) or form.startswith("object")


#: Texts without and with what JSON escapes, and with what ends or separates lists.
plain = st.text(st.sampled_from("ab1]}[{,:. é𝄞"), min_size=1, max_size=3)
awkward = st.text(st.sampled_from('ab1]}[{",: \\\n\t\x7fé\u2028𝄞'), max_size=3) | ids
styles = st.sampled_from([(", ", ": "), (",", ":"), (",  ", " : "), (" , ", ":\t")])
#: A byte of a file, and what takes its place.
damages = st.tuples(st.integers(0, 200), st.sampled_from(['"', "]", "\\", ",", "x", "\n", ""]))


def records_of(texts: Any) -> Any:
    """Strategy of the lines of a log."""
    extras = st.none() | st.integers() | texts | st.lists(texts, max_size=2) | st.fixed_dictionaries({"id": texts})
    record = st.fixed_dictionaries(
        {"query_id": texts, "retrieved_ids": st.lists(texts, max_size=4)},
        optional={"question": texts, "answer": extras, "expected_ids": st.lists(texts, max_size=2)},
    )
    return st.lists(record, min_size=1, max_size=4)


def outcome(path: Path, length: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a run holds, or why it is refused. length: from which length of lines on lists are read at once."""
    monkeypatch.setattr("rankscope.io.id_lists.LONG", length)
    try:
        run = rs.read_run(path)
    except InputError as error:
        return str(error)
    return run.query_ids, run.frame().rows()


@given(
    records=records_of(plain) | records_of(awkward),
    style=styles,
    ensure_ascii=st.booleans(),
    damage=st.none() | st.none() | damages,
)
@examples(300)
def test_long_lists_are_read_at_once_as_all_json_is(
    records: Any, style: Any, ensure_ascii: bool, damage: Any, tmp_path_factory: Any
) -> None:
    lines = [json.dumps(each, separators=style, ensure_ascii=ensure_ascii) for each in records]
    text = "\n".join(lines) + "\n"
    if damage is not None:
        at, replacement = damage[0] % len(text), damage[1]
        text = text[:at] + replacement + text[at + 1 :]
    path = tmp_path_factory.mktemp("lists") / "run.jsonl"
    path.write_text(text, encoding="utf-8", newline="\n")
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert outcome(path, 0, monkeypatch) == outcome(path, 10**9, monkeypatch)


names = st.text(st.sampled_from("ab1,:. é𝄞"), min_size=1, max_size=3)
some_lists = st.dictionaries(names, st.lists(names, unique=True, max_size=5), min_size=1).filter(
    lambda data: any(data.values())
)


@given(ranked=some_lists, style=st.sampled_from([(", ", ": "), (",", ":")]))
@examples(100)
def test_long_lists_of_ids_need_no_reader_of_all_json(ranked: Any, style: Any, tmp_path_factory: Any) -> None:
    lines = [
        json.dumps({**record(*item, "retrieved_ids"), "answer": "[so"}, separators=style, ensure_ascii=False)
        for item in ranked.items()
    ]
    path = tmp_path_factory.mktemp("lists") / "run.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("rankscope.io.id_lists.LONG", 0)
        monkeypatch.setattr("rankscope.io.id_lists.frame_of_records", None)
        assert rs.read_run(path).frame().equals(rs.Run(ranked).frame())


def test_lines_with_long_lists_keep_their_places(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    docs = {query: [f"{query}-{i}" for i in range(200)] for query in ("q1", "q2", "q3")}
    lines = [json.dumps({"question": "] who?", **record(*item, "retrieved_ids")}) for item in docs.items()]
    path.write_text("\n".join([lines[0], "", *lines[1:]]))
    assert rs.read_run(path).frame().equals(rs.Run(docs).frame())
    path.write_text("\n".join([lines[0], "", lines[1].replace("q2-7", "q2-5")]) + "\n")
    with pytest.raises(InputError, match=r"run\.jsonl:3: document 'q2-5' of query 'q2' occurs twice, first at .*:3"):
        rs.evaluate({"q2": ["q2-5"]}, path, "RR")


@pytest.mark.parametrize("form", WRITTEN)
def test_the_content_tells_the_format(form: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(WRITTEN[form](LISTS, "retrieved_context_ids"))
    (tmp_path / "gold").write_text(WRITTEN[form](GOLD, "reference_context_ids"))
    assert values(tmp_path / "gold", tmp_path / "run") == values(GOLD, LISTS)


@pytest.mark.parametrize("query", ["query_id", "id", "user_input", "question"])
def test_one_file_may_hold_what_was_retrieved_and_what_was_expected(query: str, tmp_path: Path) -> None:
    rows = [
        {query: name, "retrieved_contexts": ["a text"], "retrieved_ids": LISTS[name], "expected_ids": GOLD[name]}
        for name in LISTS
    ]
    path = tmp_path / "rag.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert values(path, path) == values(GOLD, LISTS)


def test_an_id_is_the_query_and_its_question_is_not(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.jsonl", tmp_path / "run.jsonl"
    asked = [{"id": name, "question": f"What is {name}?", "gold_doc_ids": docs} for name, docs in GOLD.items()]
    gold.write_text("\n".join(map(json.dumps, asked)))
    run.write_text("\n".join(json.dumps({"id": name, "retrieved": docs}) for name, docs in LISTS.items()))
    assert values(gold, run) == values(GOLD, LISTS)
    assert values(rs.Qrels(asked), run) == values(GOLD, LISTS)
    columns = {"query_id": "question"}
    assert rs.read_qrels(gold, columns=columns).query_ids[0] == "What is q1?"
    assert rs.Qrels(asked, columns=columns).query_ids[0] == "What is q1?"


@pytest.mark.parametrize("name", ["query", "qid", "question_id"])
def test_a_record_s_own_id_is_not_its_query(name: str) -> None:
    assert rs.Run([{"id": 1, name: "q", "retrieved_ids": ["a"]}]).query_ids == ("q",)


@pytest.mark.parametrize("make", [list, pl.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()])
def test_records_and_frames_hold_lists_too(make: Callable[[Any], Any]) -> None:
    if make not in (list, pl.DataFrame):
        pytest.importorskip("pyarrow")
    run = make([record(*item, "ranking") for item in LISTS.items()])
    gold = make([record(*item, "relevant_ids") for item in GOLD.items()])
    assert values(rs.Qrels(gold), rs.Run(run)) == values(GOLD, LISTS)


def test_numbers_beside_the_ids_are_scores_and_grades() -> None:
    run = rs.Run([{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [0.25, 0.5]}])
    assert run.frame()["score"].to_list() == [0.25, 0.5]
    qrels = rs.Qrels([{"query_id": "q", "relevant_ids": ["a", "b"], "grades": [3, 0]}])
    assert qrels.relevance.tolist() == [3, 0]


GRADED = [("q1", [("d1", 0.5), ("d3", 2)]), ("q2", [("d9", 1)]), ("q3", [])]


@pytest.mark.parametrize(
    ("id_name", "number"), [("id", "grade"), ("chunk_id", "relevance"), ("doc_id", ""), ("corpus_id", "")]
)
@pytest.mark.parametrize("is_list", [False, True])
def test_objects_in_the_place_of_ids_are_ids_and_grades(
    id_name: str, number: str, is_list: bool, tmp_path: Path
) -> None:
    records = [
        {"question": query, "gold_chunks": [{id_name: doc, "text": "x", **({number: grade} if number else {})}
                                            for doc, grade in pairs]}
        for query, pairs in GRADED
    ]  # fmt: skip
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(records) if is_list else "\n\n".join(map(json.dumps, records)))
    expected = {query: {doc: grade if number else 1 for doc, grade in pairs} for query, pairs in GRADED}
    assert values(str(path), LISTS) == values(rs.Qrels({**expected, "q3": {"d8": 0}}), LISTS)


def test_objects_of_a_run_are_ids_and_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    chunks = [{"id": "d2", "score": 0.1}, {"id": "d1", "score": 0.9}]
    path.write_text(json.dumps({"question": "q1", "retrieved_chunks": chunks}))
    assert rs.evaluate({"q1": ["d1"]}, str(path), "RR").overall("RR") == 1.0


@pytest.mark.parametrize(
    ("objects", "parts"),
    [
        ('[{"name": "d1"}]', (":2: gold_ids holds", "expected an object with an id")),
        ('[{"id": "d1", "grade": 1}, {"id": "d2"}]', (":2: gold_ids has an object without a relevance",)),
        ('[{"id": "d1"}, "d2"]', (":2: gold_ids holds 'd2'", "expected an object with an id")),
        ('[{"id": "d1", "id": "d2"}]', (":2: gold_ids holds",)),
        ('[{"id": ["d1"]}]', (":2: gold_ids holds",)),
    ],
)
def test_objects_without_an_id_or_only_some_with_a_grade_are_refused(
    objects: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(f'{{"question": "q0", "gold_ids": []}}\n{{"question": "q1", "gold_ids": {objects}}}\n')
    with pytest.raises(InputError) as error:
        rs.evaluate(str(path), LISTS, "RR")
    assert all(part in str(error.value) for part in parts), error.value


def test_whole_numbers_are_ids(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"query_id": 7, "retrieved_ids": [3, 1]}\n')
    assert rs.read_run(path).frame().rows() == [("7", "3", -1.0), ("7", "1", -2.0)]


def test_an_empty_list_is_an_empty_ranking_and_not_a_missing_one() -> None:
    scores = rs.evaluate({"q": ["a"], "r": ["b"]}, {"q": [], "r": ["b"]}, "RR", missing="drop")
    assert (scores.query_ids, scores.matrix("RR").tolist()) == (("q", "r"), [[0.0, 1.0]])


WRONG = {
    '{"q": ["a", "a"]}': ("'a'", "'q'", "twice"),
    '{"q": ["a"], "r": {"a": 1}}': ("'r'", "[document, ...]"),
    '{"q": ["a", 1]}': ("document id 1",),
    '{"q": [["a", 0.5]]}': ("document id ['a', 0.5]",),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": "q", "retrieved_ids": ["b"]}': (":2:", "'q'", "already"),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": "r", "retrieved_ids": "b"}': (":2:", "'b'", "list"),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": "r"}': (":2:", "retrieved_ids", "empty"),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": "r", "retrieved_ids": [{"id": "b"}]}': (
        ":1: retrieved_ids holds 'a'",
    ),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": ["r"], "retrieved_ids": ["b"]}': (":2:", '["r"]'),
    '{"query_id": "q", "retrieved_ids": ["a", null]}': (":1:", "empty"),
    '{"query_id": "q", "retrieved_ids": ["a"]}\n{"query_id": "r", "retrie': (":2:", "JSON"),
    '{"query_id": "q", "retrieved_ids": ["a"], "scores": [1, 2]}': (":1:", "1 ids", "2 numbers"),
    '{"query_id": "q", "retrieved_ids": []}': ("empty",),
    '{"name": "q", "retrieved_ids": ["a"]}': ("query_id", "'name'"),
    '{"query_id": "q", "expected_ids": ["a"]}': ("retrieved_ids", "'expected_ids'"),
    '{"query_id": "q", "retrieved_ids": "a b"}': (":1:", "'a b'", "list"),
    '{"id": "q", "hits_of_mine": ["a"]}': ("--columns retrieved_ids=hits_of_mine",),
    "query_id,retrieved_ids\nq,\"['a', 'b']\"": (":1:", "JSON"),
}


@pytest.mark.parametrize("content", WRONG)
def test_a_wrong_file_is_refused_with_its_line(content: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        rs.evaluate(GOLD, path, "RR")
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert all(part in message for part in WRONG[content]), message


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({"q": {"a", "b"}}, "has a set"),
        ({"q": ["a", 1]}, "document id 1"),
        ({"q": []}, "no documents"),
        ({"q": "ab"}, "'q' is a str"),
        ({"q": ["a"], "r": {"b": 1}}, "'q' is a list"),
        ([{"query_id": "q", "retrieved_ids": "a b"}], "retrieved_ids holds no lists"),
    ],
)
def test_wrong_data_are_refused(data: Any, part: str) -> None:
    with pytest.raises(InputError, match=part):
        rs.Run(data)


def test_columns_that_are_lists_are_a_table() -> None:
    run = rs.Run({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    assert run.frame().rows() == [("q", "a", 1.0), ("q", "b", 2.0)]


@given(order=st.permutations(["a", "b", "c"]))
@examples(6)
def test_ranks_stand_for_scores(order: list[str], tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("ranks") / "run.csv"
    rows = sorted((doc, rank) for rank, doc in enumerate(order, 1))
    path.write_text("query_id,doc_id,rank\n" + "".join(f"q,{doc},{rank}\n" for doc, rank in rows))
    gold = {"q": ["a"]}
    expected = rs.evaluate(gold, {"q": order}, MEASURES).values
    np.testing.assert_array_equal(rs.evaluate(gold, path, MEASURES).values, expected)
    np.testing.assert_array_equal(rs.evaluate(gold, rs.Run(pl.read_csv(path)), MEASURES).values, expected)


def test_scores_come_before_ranks(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,rank,score\nq,a,1,0.5\nq,b,2,0.7\n")
    assert rs.read_run(path).frame()["score"].to_list() == [0.5, 0.7]
