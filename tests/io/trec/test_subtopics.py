"""Files of judgments by subtopic: every format gives the same judgments, and what is wrong is told with its line."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import DOC_IDS
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs

Row = tuple[str, str, str, int]

ROWS: list[Row] = [
    *(("q10", "1", "a", 1), ("q10", "2", "a", 0), ("q10", "2", "b", 2)),
    *(("q9", "1", "b", -1), ("q9", "a-subtopic-with-a-long-name", "b", 3)),
    *(("q9", "a-subtopic-with-a-long-name-2", "c", 1), ("q9", "ü", "c", 1)),
]
NAMES = ("query_id", "subtopic", "doc_id", "relevance")


def shown(qrels: rs.Qrels) -> list[Row]:
    assert qrels.subtopics is not None
    return [(q, s, d, int(r)) for q, s, d, r in qrels.frame().rows()]


def trec(rows: list[Row], separator: str = " ", end: str = "\n") -> bytes:
    return "".join(separator.join(map(str, row)) + end for row in rows).encode()


def table(rows: list[Row], separator: str) -> bytes:
    return trec([NAMES, *rows], separator)  # the header


def jsonl(rows: list[Row]) -> bytes:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows).encode()


def read(folder: Path, content: bytes, *, subtopics: bool = True) -> rs.Qrels:
    (folder / "q").write_bytes(content)
    return rs.read_qrels(folder / "q", subtopics=subtopics)


def mapping(rows: list[Row]) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for query, subtopic, doc, relevance in rows:
        found.setdefault(query, {}).setdefault(subtopic, {})[doc] = relevance
    return found


EXPECTED = shown(rs.Qrels(mapping(ROWS)))


@pytest.mark.parametrize(
    "content",
    [
        trec(ROWS),
        trec(ROWS, "\t"),
        trec(ROWS, "  "),
        trec(ROWS, " ", "\r\n"),
        trec(ROWS).rstrip(b"\n"),
        b"\xef\xbb\xbf# by subtopic\n\n" + trec(ROWS),
        gzip.compress(trec(ROWS)),
        table(ROWS, ","),
        table(ROWS, "\t"),
        table(ROWS, ",").replace(b"subtopic,", b"subtopic_id,", 1),
        jsonl(ROWS),
    ],
    ids=["spaces", "tabs", "two blanks", "CRLF", "no newline", "comment", "gzip", "csv", "tsv", "subtopic_id", "jsonl"],
)
def test_every_format_gives_the_same_judgments(content: bytes, tmp_path: Path) -> None:
    assert shown(read(tmp_path, content)) == EXPECTED


def test_parquet_gives_the_same_judgments(tmp_path: Path) -> None:
    pl.DataFrame(ROWS, schema=list(NAMES), orient="row").write_parquet(tmp_path / "q")
    assert shown(rs.read_qrels(tmp_path / "q", subtopics=True)) == EXPECTED


def test_a_column_subtopic_is_seen_without_being_asked_for(tmp_path: Path) -> None:
    assert shown(read(tmp_path, table(ROWS, ","), subtopics=False)) == EXPECTED


@examples(60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q1", "q10", "q2"]),
            st.sampled_from(["0", "1", "a-subtopic-with-a-long-name-1", "a-subtopic-with-a-long-name-11"]),
            st.sampled_from([doc for doc in DOC_IDS if " " not in doc]),
            st.sampled_from([-1, 0, 1, 2]),
        ),
        min_size=1,
        max_size=30,
        unique_by=lambda row: row[:3],
    )
)
def test_lines_in_any_order_are_read_as_written(tmp_path: Path, rows: list[Row]) -> None:
    """Queries mixed, subtopics mixed, documents apart from themselves."""
    found = read(tmp_path, trec(rows))
    assert sorted(shown(found)) == sorted(rows)
    assert shown(read(tmp_path, table(rows, "\t"))) == shown(found)


def test_a_large_file_is_read_as_a_small_one(tmp_path: Path) -> None:
    """Beyond one block of a megabyte, its lines shuffled."""
    rows = [
        (f"q{q}", f"subtopic-{s}", f"document-with-a-long-id-{d:04d}", (q + s * d) % 4 - 1)
        for q in range(20)
        for s in range(6)
        for d in range(250)
    ]
    expected = rs.Qrels(mapping(rows))
    random.Random(1).shuffle(rows)
    found = read(tmp_path, trec(rows))
    assert sorted(shown(found)) == sorted(shown(expected))
    assert (found.relevance == expected.relevance).all()


def test_ids_that_are_not_utf8_are_kept_apart(tmp_path: Path) -> None:
    found = read(tmp_path, b"q \xff a 1\nq \xfe a 0\nq \xfe \xfd 1\n")
    assert found.subtopics is not None
    assert found.subtopics.subtopic.max() == 1
    run = {"q": {"\udcfd": 2.0, "a": 1.0}}  # as the bytes are in Python
    assert rs.evaluate(found, run, ["StRecall@1", "StRecall@2"]).values.ravel().tolist() == [1 / 2, 1]


# --- evaluated as files ---------------------------------------------------------------------------


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes a file into the working folder; `run` is there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("q10 Q0 b 1 2 t\nq10 Q0 a 2 1 t\nq9 Q0 x 1 2 t\nq9 Q0 c 2 1 t\n")

    def call(name: str, text: str) -> None:
        (tmp_path / name).write_text(text)

    return call


def test_a_path_is_read_by_subtopic_where_a_measure_asks_for_it(write: Callable[[str, str], None]) -> None:
    write("q", trec(ROWS).decode())
    write("q.csv", table(ROWS, ",").decode())
    measures = ["AP", "alpha_nDCG@2", "StRecall@1"]
    expected = rs.evaluate(rs.Qrels(mapping(ROWS)), "run", measures).values
    assert expected[0, 2].tolist() == [1 / 2, 0]
    for path in ("q", "q.csv"):
        assert_same_bits(rs.evaluate(path, "run", measures).values, expected)
        assert_same_bits(rs.Evaluator(path, measures)(rs.read_run("run")).values, expected)
    assert rs.evaluate("q.csv", "run", "AP").values.tolist() == expected[:, :1].tolist()


def test_lines_that_are_not_by_subtopic_are_one_subtopic_and_noted(write: Callable[[str, str], None]) -> None:
    write("q", "q10 0 a 1\nq10 0 b 1\nq9 0 c 1\n")
    scores = rs.evaluate("q", "run", ["StRecall@1", "AP_IA", "AP"])
    assert len(scores.notes) == 1
    assert mentions(scores.notes, "subtopic", "diversity")
    assert scores.matrix("AP_IA").tolist() == scores.matrix("AP").tolist()


# --- what is refused ------------------------------------------------------------------------------

HEADER = "query_id,subtopic,doc_id,relevance\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "q 1 a 1\n# a comment\nq 2 a 1\np 1 a 1\nq 1 a 1\n",
            r"q:5: .*'a' .*'1' .*'q' .*q:1",
        ),
        ("q 1 a 1\nq a 1\n", r"q:2: 3 fields, .*4 \(query subtopic"),
        ("q a 1\n", r"q:1: 3 fields, .*4 \(query subtopic"),
        ("q 1 a x\n", r"q:1: relevance 'x', .*query subtopic"),
        ("q Q0 a 1 2.0 t\n", r"q:1: 6 fields, .*4 .*run, .*judgments"),
        (
            HEADER + "q,1,a,1\nq,2,a,1\nq,1,b,0\nq,2,a,0\n",
            r"q:5: .*'a' .*'2' .*'q' .*q:3",
        ),
        (HEADER + "q,1,a,1\nq,,a,1\n", r"q:3: subtopic is empty"),
        (HEADER + "q,1,a,1\nq,1,,1\n", r"q:3: doc_id is empty"),
        (HEADER + "q,1,a,1\nq,b,1\n", r"q:3: 3 fields, expected 4"),
        ("query_id,doc_id,relevance\nq,a,1\n", r"q: no column 'subtopic'"),
        (
            '{"query_id": "q", "subtopic": 1, "doc_id": "a", "relevance": 1}\n' * 2,
            r"q:2: .*'a' .*'1' .*'q' .*q:1",
        ),
        ('{"query_id": "q", "doc_id": "a", "relevance": 1}\n', r"q: no column 'subtopic'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(write: Callable[[str, str], None], content: str, said: str) -> None:
    write("q", content)
    for call in (lambda: rs.read_qrels("q", subtopics=True), lambda: rs.evaluate("q", "run", ["AP", "StRecall@5"])):
        with pytest.raises(rs.InputError, match=said) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_read_as_judgments_of_queries_it_is_said_what_to_do(write: Callable[[str, str], None]) -> None:
    write("q", trec(ROWS).decode())
    said = r"q:2: .*'a' .*'q10' .*q:1; .*subtopic"
    for call in (lambda: rs.read_qrels("q"), lambda: rs.evaluate("q", "run", "AP")):
        with pytest.raises(rs.InputError, match=said):
            call()
