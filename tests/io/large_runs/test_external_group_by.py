"""Runs that are larger than memory give what they give when they are held in memory: small ones, in small pieces."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.joining import join_one
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Convention, Qrels, read_run
from rankscope.errors import OutputError, RankscopeError
from rankscope.evaluation.joining import Joining
from rankscope.io.core import zstd_module
from rankscope.io.large_runs import external_group_by as regrouped
from rankscope.io.tables import formats as table_stretches
from rankscope.io.tables import formats as tables
from rankscope.io.trec import format as trec_files

QRELS = Qrels({"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 2, "é": 1}, "7": {"d3": 1}})
FORMATS = ("trec", "csv", "tsv", "jsonl", "parquet")
PACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstd_module().compress}
COLUMNS = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
#: q1 twice, and more than one query in between.
MIXED = [("q1", "d1", 3.0), ("q2", "d1", 1.0), ("x", "d9", 1.0), ("q1", "d2", 1.0), ("q1", "d3", 1.0), ("q2", "é", 1.0)]

Row = tuple[str, str, float]
Size = Callable[[int], None]

QUERIES = st.sampled_from(["q1", "q2", "7", "x", "q1-long-enough-to-fill-several-words"])
DOCS = st.sampled_from(["d1", "d2", "d3", "é", "d4", "another-document-of-some-length"])
SCORES = st.sampled_from([0.1, 1.0, 1.0000000001, 2.5, -3.0, 1e-7])
PIECES = st.integers(1, 400)


@st.composite
def runs(draw: st.DrawFn) -> list[Row]:
    """No document twice in a query; query by query, or in any order."""
    found = draw(st.dictionaries(st.tuples(QUERIES, DOCS), SCORES, min_size=1, max_size=20))
    rows = [(q, d, s) for (q, d), s in found.items()]
    return sorted(rows, key=lambda row: row[0]) if draw(st.booleans()) else rows


def written(rows: list[Row], form: str) -> bytes:
    """The run as a file of this format."""
    if form == "trec":
        return "".join(f"{q} Q0 {d} 1 {s!r} tag\n" for q, d, s in rows).encode()
    frame = pl.DataFrame(rows, COLUMNS, orient="row")
    if form == "jsonl":
        return frame.write_ndjson().encode()
    if form != "parquet":
        return frame.write_csv(separator=tables.SEPARATORS[form]).encode()
    file = io.BytesIO()
    frame.write_parquet(file, row_group_size=7)
    return file.getvalue()


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Size:
    """Every file is too large to be held whole. Returns what sets the size of pieces: bytes, and rows of Parquet."""
    monkeypatch.setattr(trec_files, "TREC", replace(trec_files.TREC, small_size=0))
    for name in ("CSV", "TSV", "JSONL", "PARQUET"):
        monkeypatch.setattr(tables, name, replace(getattr(tables, name), small_size=0))

    def size(n: int) -> None:
        monkeypatch.setattr(trec_files, "BLOCK", n)
        monkeypatch.setattr(table_stretches, "BLOCK", n)
        monkeypatch.setattr(table_stretches, "SLICE", n)
        monkeypatch.setattr(
            regrouped.ExternalGroupBy.__init__, "__defaults__", (3, 8 * n)
        )  # files, bytes of the largest

    return size


def found(join: Callable[[], Any]) -> Any:
    """All that came of it, in bits and words."""
    try:
        joined = join()
    except RankscopeError as error:
        return str(error)
    columns = [getattr(joined.hits, field.name) for field in fields(joined.hits) if not field.name.startswith("_")]
    shown = [(x.dtype.str, x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x for x in columns]
    return joined.name, joined.notes, joined.path, shown


def in_memory(path: Path, convention: Convention | None = None) -> Any:
    convention = convention or Convention()
    return found(lambda: Joining(qrels=QRELS, convention=convention).join_object(read_run(path), path))


def in_pieces(path: Path, convention: Convention | None = None) -> Any:
    return found(lambda: join_one(QRELS, path, convention))


@pytest.mark.parametrize("form", FORMATS)
@examples(20, quick=5)
@given(
    rows=runs(),
    size=PIECES,
    packed=st.sampled_from(sorted(PACKED)),
    ties=st.sampled_from(["doc_id_desc", "file", "average", "error"]),
    precision=st.sampled_from(["float64", "float32"]),
)
def test_pieces_of_any_size_give_what_the_whole_gives(
    tmp_path: Path, pieces: Size, form: str, rows: list[Row], size: int, packed: str, ties: str, precision: str
) -> None:
    path = tmp_path / f"run.{form}{packed}"
    path.write_bytes(PACKED[packed](written(rows, form)))
    pieces(size)
    convention = Convention(ties=ties, precision=precision)
    assert in_pieces(path, convention) == in_memory(path, convention)


@pytest.mark.parametrize("form", FORMATS)
@examples(8, quick=4)
@given(rows=runs(), size=PIECES, again=st.integers(0, 19))
def test_a_document_that_stands_twice_is_named_with_both_its_lines(
    tmp_path: Path, pieces: Size, form: str, rows: list[Row], size: int, again: int
) -> None:
    path = tmp_path / f"run.{form}"
    rows = [*rows, (*rows[again % len(rows)][:2], 0.5)]
    path.write_bytes(written(rows, form))
    pieces(size)
    said = in_pieces(path)
    assert said == in_memory(path)
    assert "occurs twice, first at" in said


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("largest", [1, 10_000])
def test_of_several_faults_that_of_the_first_query_is_told(
    tmp_path: Path, pieces: Size, form: str, largest: int
) -> None:
    path = tmp_path / f"run.{form}"
    rows = [(f"x{i % 7}", f"d{i}", 1.0) for i in range(21)]  # three files: x3 is joined before x1, and x1 before x5
    path.write_bytes(written([*rows, ("x3", "d3", 1.0), ("x5", "d5", 1.0), ("x1", "d1", 1.0)], form))
    pieces(largest)
    said = in_pieces(path)
    assert said == in_memory(path)
    assert mentions(said, "'d1'", "'x1'", "twice")


#: What a line of a table is replaced by, and a word of what is then said.
FAULTS = {
    "csv": {"q1,d9": "2 fields", "q1,d9,high": "'high'", ",d9,1": "query_id is empty", "q1,,1": "doc_id is empty"},
    "tsv": {"q1\td9\t1\t2": "4 fields", "q1\td9\tnan": "score is nan"},
    "jsonl": {
        '{"query_id": "q1", "doc_id": "d9"}': "score is empty",
        '{"query_id": "q1", "doc_id": "d9", "score": "high"}': "'high'",
        "[1, 2]": "not a JSON object",
        '{"query_id": "q1"': "not a JSON object",
    },
    "trec": {"q1 Q0 d9 1": "4 fields", "q1 Q0 d9 1 high tag": "'high'"},
}


@pytest.mark.parametrize(
    ("form", "line", "word"), [(f, line, w) for f, kinds in FAULTS.items() for line, w in kinds.items()]
)
@pytest.mark.parametrize("size", [1, 40, 10_000])
@pytest.mark.parametrize("rows", [MIXED, sorted(MIXED)], ids=["mixed", "grouped"])
def test_a_faulty_line_is_named_as_in_a_file_that_is_read_whole(
    tmp_path: Path, pieces: Size, form: str, line: str, word: str, size: int, rows: list[Row]
) -> None:
    path = tmp_path / f"run.{form}"
    lines = written(rows, form).decode().splitlines()
    path.write_text("\n".join([*lines[:5], line, *lines[5:]]) + "\n", encoding="utf-8")
    pieces(size)
    said = in_pieces(path)
    assert said == in_memory(path)
    assert ":6: " in said
    assert word in said


@pytest.mark.parametrize("size", [1, 7, 30, 1000])
def test_quotation_marks_comments_and_line_ends_are_read_as_in_the_whole(
    tmp_path: Path, pieces: Size, size: int
) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(
        b'\xef\xbb\xbf# one\r\n\r\nquery_id,"doc_id",score\r\nq1,"d\n1",1\r\nq1,"a ""b"", c",2\r\nq1, d2 ,0.5\r\n'
        b'q2,"x\n\n\ny,1\n",3\r\n"q1","d1",4'
    )
    pieces(size)
    together = in_pieces(path)
    assert together == in_memory(path)
    assert mentions(together[1][0], 1, "together")


@pytest.mark.parametrize("size", [1, 60, 1000])
def test_objects_may_have_their_names_in_any_order_and_whole_numbers_for_texts(
    tmp_path: Path, pieces: Size, size: int
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"query_id": 7, "doc_id": "d3", "score": 1}\n\n{"doc_id": "12", "score": 0.5, "more": [1], "query_id": 7}\n'
        '{"query_id": "q1", "doc_id": 12, "score": "0.25"}\n'
    )
    pieces(size)
    assert in_pieces(path) == in_memory(path)
    assert len(in_pieces(path)) == 4


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("form", FORMATS)
def test_a_pipe_is_brought_together_too(
    tmp_path: Path, pieces: Size, monkeypatch: pytest.MonkeyPatch, form: str, packed: str
) -> None:
    content = PACKED[packed](written(MIXED, form))

    def piped(join: Callable[[Any], Any]) -> Any:
        held = io.BufferedReader(io.BytesIO(content))  # as raw a stream as any
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(held))
        return join("-")

    pieces(50)
    assert piped(in_pieces) == piped(in_memory)
    assert mentions(piped(in_pieces)[1][0], "<stdin>: ", 2, "together")


@pytest.mark.parametrize("form", FORMATS)
def test_queries_that_the_judgments_lack_are_named_in_the_order_of_the_file(
    tmp_path: Path, pieces: Size, form: str
) -> None:
    path = tmp_path / f"run.{form}"
    path.write_bytes(written([(f"x{i % 7}", f"d{i}", 1.0) for i in range(30)], form))
    pieces(20)
    said = in_pieces(path)
    assert said == in_memory(path)
    assert mentions(said, "x0, x1, x2, ...")


def test_a_run_whose_documents_are_all_unjudged_gets_the_same_note(tmp_path: Path, pieces: Size) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(written([(f"q{1 + i % 2}", f"other{i}", 1.0) for i in range(200)], "csv"))
    pieces(300)
    assert in_pieces(path) == in_memory(path)
    assert mentions(in_pieces(path)[1][1], 200, "judged", "'other0'")


@pytest.mark.parametrize("form", FORMATS)
def test_small_files_are_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a temporary file for a small run")

    path = tmp_path / f"run.{form}"
    path.write_bytes(written(MIXED, form))
    monkeypatch.setattr(regrouped.tempfile, "TemporaryFile", refuse)
    assert in_pieces(path) == in_memory(path)


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        ("trec", b"# nothing\n\n", "no data"),
        ("csv", b"# nothing\n\n", "comments only"),
        ("csv", b"# nothing\nquery_id,doc_id,score\n", "a header and no rows"),
        ("jsonl", b"\n\n\n", "the file is empty"),
        ("parquet", written([], "parquet"), "a table without rows"),
    ],
)
@pytest.mark.parametrize("size", [4, 1000])
def test_files_without_rows_are_refused(
    tmp_path: Path, pieces: Size, form: str, content: bytes, said: str, size: int
) -> None:
    path = tmp_path / "run"
    path.write_bytes(content)
    pieces(size)
    assert said in found(lambda: join_one(QRELS, path, input=form))
    assert said in found(lambda: read_run(path, input=form))


def test_parquet_whose_row_groups_are_empty_is_read(tmp_path: Path, pieces: Size) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "run.parquet"
    table = pa.table({"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "score": [2.0, 1.0]})
    with pq.ParquetWriter(path, table.schema) as writer:
        for part in (table.slice(0, 0), table.slice(0, 1), table.slice(0, 0), table.slice(1, 1)):
            writer.write_table(part)
    pieces(1)
    assert in_pieces(path) == in_memory(path)
    assert in_pieces(path)[3][2][1] == (2,)


@pytest.mark.parametrize("packed", PACKED)
def test_parquet_that_is_cut_short_is_refused(tmp_path: Path, pieces: Size, packed: str) -> None:
    path = tmp_path / f"run.parquet{packed}"
    path.write_bytes(PACKED[packed](written(MIXED, "parquet")[:-20]))
    pieces(3)
    said = in_pieces(path)
    assert said.startswith(f"{path}: ")
    assert mentions(said, " parquet (")
    assert "\n" not in said


def test_other_tables_are_refused_in_pieces_too(tmp_path: Path, pieces: Size) -> None:
    path = tmp_path / "saved.parquet"
    pl.DataFrame({"system": ["a"], "measure": ["AP"], "query": ["q1"], "value": [0.5]}).write_parquet(path)
    pieces(3)
    assert "these are saved scores" in in_pieces(path)
    assert in_pieces(path) == in_memory(path)


def test_a_line_without_end_is_refused(tmp_path: Path, pieces: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(written(MIXED, "csv") + b'q1,"' + b"d" * 500)
    pieces(100)
    monkeypatch.setattr(table_stretches, "MAX_LINE_BYTES", 300)
    assert mentions(in_pieces(path), ":8: ", "line end")


def test_a_full_disk_is_one_clear_line(tmp_path: Path, pieces: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    path = tmp_path / "run.txt"
    path.write_bytes(written([(f"q{i % 3}", f"d{i}", 1.0) for i in range(20_000)], "trec"))
    pieces(1 << 16)
    monkeypatch.setattr(regrouped.tempfile, "TemporaryFile", lambda **_: full.open("r+b", buffering=1 << 16))
    with pytest.raises(OutputError, match=r"run\.txt: .*temporary folder.*\(No space"):
        join_one(QRELS, path)


@pytest.mark.parametrize("form", ["trec", "parquet"])
def test_a_temporary_folder_that_is_not_there_is_one_clear_line(
    tmp_path: Path, pieces: Size, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = tmp_path / f"run.{form}.gz"
    path.write_bytes(gzip.compress(written(MIXED, form)))
    pieces(50)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(OutputError, match=r"gone\).*\(No such file.*TMPDIR"):
        join_one(QRELS, path)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("content", [MIXED, [*MIXED, MIXED[0]]], ids=["read", "refused"])
def test_nothing_is_left_in_the_temporary_folder(
    tmp_path: Path, pieces: Size, monkeypatch: pytest.MonkeyPatch, form: str, content: list[Row]
) -> None:
    path = tmp_path / f"run.{form}.gz"
    path.write_bytes(gzip.compress(written(content, form)))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    pieces(40)
    in_pieces(path)
    assert list(scratch.iterdir()) == []


def test_progress_counts_each_byte_once(tmp_path: Path, pieces: Size) -> None:
    for form in FORMATS:
        path = tmp_path / f"run.{form}"
        path.write_bytes(written(sorted(MIXED), form))
        pieces(30)
        told: list[int] = []
        join_one(QRELS, path, progress=told.append)
        assert sum(told) == path.stat().st_size, form
