"""`convert` loses nothing: from every format to every other, or one clear line says what cannot be kept."""

from __future__ import annotations

import csv
import io
import json
import struct
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.strategies import DOC_IDS, QUERY_IDS
from hypothesis import example, given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data.rows import Rows, decode_id
from rankscope.io.convert import read_content
from rankscope.io.core import FORMATS, ReadRequest, render, writable_formats
from rankscope.io.trec import format as trec_format
from rankscope.io.trec.format import ranks_of_rows
from rankscope.kernels.text import decode, encode, hashes

Lists = dict[str, dict[str, Any]]

#: Formats that can be written here.
FORMS = [
    form
    for form in writable_formats()
    if form != "letor" and (form != "lz4" or (find_spec("lz4") and find_spec("cbor2")))  # letor: see below
]

SCORES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1 + 0.2, 1e16, 1e22, 1e-7, 2.0**53 + 2]
)
GRADES = st.integers(-3, 5) | st.integers(-(2**53) + 1, 2**53 - 1)
#: Ids that some format cannot hold, or that a careless writer breaks.
ODD = ("a b", " a", "a\t", "a\nb", "\r", "#1", "\ufeffq", 'a"b', '"', "a,b", "'", "\\", "\udce9", "\x00", "\u2028", "{")
PLAIN_IDS = st.sampled_from([*DOC_IDS, *QUERY_IDS]) | st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1
).filter(lambda id_: not id_.startswith(("#", "\ufeff")))
ANY_IDS = PLAIN_IDS | st.sampled_from(ODD) | st.text(min_size=1)


def lists(ids: st.SearchStrategy[str], values: st.SearchStrategy[Any], least: int = 1) -> st.SearchStrategy[Lists]:
    documents = st.dictionaries(ids, values, min_size=least, max_size=6)
    return st.dictionaries(ids, documents, min_size=1, max_size=4).filter(lambda data: any(data.values()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("convert")


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def entries(path: Path, form: str, kind: str) -> list[tuple[Any, ...]]:
    """(query, subtopic, document, value) of each row, as the library reads them."""
    content = read_content(path, form, ReadRequest(kind, keep_all=True))
    rows = content.rows
    query = np.repeat(np.arange(len(rows.query_ids)), np.diff(rows.offsets)).tolist()
    subtopics = [None] * len(query) if rows.subtopics is None else list(map(decode_id, decode(rows.subtopics)))
    docs = map(decode_id, decode(rows.docs))
    values = map(bits, rows.values.tolist()) if kind == "run" else rows.values.tolist()
    return list(zip([decode_id(rows.query_ids[q]) for q in query], subtopics, docs, values, strict=True))


def flat(data: Lists, kind: str) -> list[tuple[Any, ...]]:
    return [(q, None, d, bits(v) if kind == "run" else v) for q, docs in data.items() for d, v in docs.items()]


def naive(path: Path, form: str, kind: str) -> list[tuple[Any, ...]]:
    """As `entries`, with the standard library and a loop over lines."""
    value: Callable[[Any], Any] = (lambda v: bits(float(v))) if kind == "run" else int
    column = "score" if kind == "run" else "relevance"
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    if form == "trec":
        lines = [line.split(" ") for line in text.split("\n")[:-1]]
        return [(f[0], None, f[2], value(f[4 if kind == "run" else 3])) for f in lines]
    if form == "json":
        return flat(
            {q: {d: float(v) if kind == "run" else v for d, v in m.items()} for q, m in json.loads(text).items()}, kind
        )
    if form == "jsonl":
        records = [json.loads(line) for line in text.split("\n")[:-1]]
    else:
        records = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if form == "tsv" else ","))
    return [(r["query_id"], None, r["doc_id"], value(r[column])) for r in records]


def there_and_on(folder: Path, data: rs.Qrels | rs.Run, first: str, kind: str) -> dict[str, Path]:
    """Written in the first format, and from there in every one."""
    a = folder / "a"
    rs.convert(data, a, to=first)
    for second in FORMS:
        rs.convert(a, folder / second, to=second, kind=kind, input=first)
    return {second: folder / second for second in FORMS}


def utf8(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """With ids as bytes: two escaped bytes and the character that they spell are one id."""
    return [tuple(x.encode("utf-8", "surrogateescape") if isinstance(x, str) else x for x in row) for row in rows]


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("first", FORMS)
@examples(8, quick=3)
@given(lists(PLAIN_IDS, SCORES))
@example({"q": {"b": 0.0, "a": -0.0, "c": 5e-324}, "p": {"x": 0.1 + 0.2}})
def test_a_run_comes_through_any_two_formats_bit_by_bit_in_its_order(folder: Path, first: str, data: Lists) -> None:
    written = there_and_on(folder, rs.Run(data, name="my run"), first, "run")
    for second, path in written.items():
        assert entries(path, second, "run") == flat(data, "run"), second
    if first == "trec":
        assert written[first].read_bytes() == (folder / "a").read_bytes()
    assert entries(folder / "a", first, "run") == flat(data, "run")
    if first not in ("parquet", "lz4"):
        assert naive(folder / "a", first, "run") == flat(data, "run")


@pytest.mark.parametrize("first", FORMS)
@examples(6, quick=3)
@given(lists(PLAIN_IDS, GRADES))
def test_judgments_come_through_any_two_formats(folder: Path, first: str, data: Lists) -> None:
    for second, path in there_and_on(folder, rs.Qrels(data), first, "qrels").items():
        assert sorted(entries(path, second, "qrels")) == sorted(flat(data, "qrels")), second
    assert sorted(entries(folder / "a", first, "qrels")) == sorted(flat(data, "qrels"))
    if first not in ("parquet", "lz4"):
        assert sorted(naive(folder / "a", first, "qrels")) == sorted(flat(data, "qrels"))


BY_SUBTOPIC = st.dictionaries(
    st.sampled_from(QUERY_IDS),
    st.dictionaries(
        st.sampled_from(["1", "2", "é", "10"]),
        st.dictionaries(st.sampled_from(DOC_IDS), GRADES, min_size=1, max_size=4),
        min_size=1,
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize("first", FORMS)
@examples(4, quick=2)
@given(BY_SUBTOPIC)
def test_judgments_by_subtopic_come_through_any_two_formats(folder: Path, first: str, data: dict[str, Lists]) -> None:
    expected = sorted((q, s, d, v) for q, by in data.items() for s, docs in by.items() for d, v in docs.items())
    for second, path in there_and_on(folder, rs.Qrels(data), first, "qrels").items():
        assert sorted(entries(path, second, "qrels")) == expected, second
    assert sorted(entries(folder / "a", first, "qrels")) == expected


@examples(200)
@given(lists(ANY_IDS, SCORES), st.sampled_from(FORMS))
@example({"q": {"\udcc3\udca9": 1.0}}, "trec")
@example({"\x00": {"a\x00": 1.0}}, "csv")
@example({"null": {"": 1.0}}, "csv")
def test_whatever_the_ids_are_a_format_keeps_them_or_refuses_them_by_name(folder: Path, data: Lists, form: str) -> None:
    path = folder / "odd"
    path.write_bytes(b"old")
    refused = ""
    try:
        rs.convert(rs.Run(data, name="odd"), path, to=form)
    except rs.InputError as error:
        refused = str(error)
    if refused:
        assert any(f"id {id_!r}" in refused for id_ in [*data, *(doc for docs in data.values() for doc in docs)])
        assert path.read_bytes() == b"old"
    else:
        assert utf8(entries(path, form, "run")) == utf8(flat(data, "run"))


@examples(60)
@given(lists(PLAIN_IDS, SCORES, least=0))
def test_json_keeps_queries_without_documents_and_other_formats_say_that_they_do_not(folder: Path, data: Lists) -> None:
    rs.convert(rs.Run(data), folder / "a.json")
    assert json.loads((folder / "a.json").read_bytes()) == data
    rs.convert(folder / "a.json", folder / "b.json", kind="run")
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()
    empty = [query for query, docs in data.items() if not docs]
    notes = rs.convert(folder / "a.json", folder / "b.run")
    said = [note for note in notes if "no documents" in note]
    assert len(said) == bool(empty)
    listed = f"({', '.join(empty[:3])}{', ...' if len(empty) > 3 else ''})"
    assert not empty or mentions(said, len(empty), "trec", listed)


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("suffix", [s for e in FORMATS.values() for s in e.suffixes if s not in (".qrels", ".lz4")])
def test_suffixes_name_format_and_compression_and_content_tells_them_again(
    tmp_path: Path, suffix: str, packed: str
) -> None:
    data = {"1": {"d2": 2.5, "d1": 0.1 + 0.2}, "0": {"ü": -1e-9}}
    path = tmp_path / f"bm25{suffix}{packed}"
    rs.convert(rs.Run(data, name="bm25"), path)
    run = rs.read_run(path)
    assert run.name == "bm25"
    assert run.frame().rows() == [(q, d, s) for q, docs in data.items() for d, s in docs.items()]
    assert path.read_bytes()[:2] == b"\x1f\x8b" if packed == ".gz" else True
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd" if packed == ".zst" else True
    rs.convert(path, tmp_path / "again.run")
    assert (
        tmp_path / "again.run"
    ).read_text() == "1 Q0 d2 1 2.5 bm25\n1 Q0 d1 2 0.30000000000000004 bm25\n0 Q0 ü 1 -1e-09 bm25\n"


def test_many_rows_take_many_pieces_and_come_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "ROWS_PER_PIECE", 20_000)  # above MIN_FOR_POLARS
    monkeypatch.setattr(trec_format, "PIECE", 20_000)
    rng = np.random.default_rng(5)
    n = 50_000
    scores = rng.integers(0, 2**63, n, dtype=np.uint64).view(np.float64)  # any positive float64
    scores[~np.isfinite(scores)] = 0.5
    columns = {
        "query_id": [f"q{i // 13_000}" for i in range(n)],
        "doc_id": [f"d{i}" for i in range(n)],
        "score": scores,
    }
    rs.convert(rs.Run(columns, name="big"), tmp_path / "big.run")
    before = tmp_path / "big.run"
    for form in FORMS:
        after = tmp_path / f"big.{form}.x"
        rs.convert(before, after, to=form)
        before = after
    rs.convert(before, tmp_path / "end.run")
    first, last = ((tmp_path / name).read_bytes() for name in ("big.run", "end.run"))
    assert [line.rsplit(b" ", 1)[0] for line in first.splitlines()] == [
        line.rsplit(b" ", 1)[0] for line in last.splitlines()
    ]
    found = np.array([float(line.split()[4]) for line in first.splitlines()])
    assert (found.view(np.uint64) == scores.view(np.uint64)).all()


# --- ranks, names, the second column ---------------------------------------------------------------


@given(st.lists(st.lists(st.sampled_from([1.5, 0.0, -0.0, -2.0, 7.0]), max_size=8), min_size=1, max_size=5))
def test_ranks_are_those_of_a_stable_sort_by_falling_score(data: list[list[float]]) -> None:
    flat_ = [score for scores in data for score in scores]
    docs = encode([f"d{i}" for i in range(len(flat_))])
    offsets = np.cumsum([0, *map(len, data)])
    rows = Rows([b"%d" % i for i in range(len(data))], offsets, docs, hashes(docs), np.array(flat_, np.float64), str)
    expected: list[int] = []
    for scores in data:
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        expected += [order.index(i) + 1 for i in range(len(scores))]
    assert ranks_of_rows(rows).tolist() == expected


def test_lines_keep_their_order_and_get_the_rank_that_their_score_gives(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("2 Q0 a 9 1 my tag\n2 Q0 b 9 3e0 my tag\n1 Q0 c 9 .5 my tag\n2 Q0 d 9 3 my tag\n")
    notes = rs.convert(tmp_path / "in", tmp_path / "out.run")
    assert (tmp_path / "out.run").read_text() == (
        "2 Q0 a 3 1.0 my tag\n2 Q0 b 1 3.0 my tag\n2 Q0 d 2 3.0 my tag\n1 Q0 c 1 0.5 my tag\n"
    )
    assert len(notes) == 1
    assert mentions(notes, f"{tmp_path / 'in'}: ", 1, "merged")


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n", False),
        ("1 Q0 a 1 2 x y\r\n\r\n# z\r\n1\tQ0 b 2 1  x y \t\r\n", False),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 y\n", True),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 yx\n", True),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1\n", True),
        ("1 Q0 a 1 2 " + "x" * 500 + "\n1 Q0 b 2 1 x", True),
        ("1 Q0 a 1 2\n1 Q0 b 2 1\n", False),
        ("1 Q0 a 1 2 x\n2 Q0 b 2 1 x\n1 Q0 c 3 0 y\n", True),
        ("".join(f"1 Q0 d{i} 1 2 x\n" for i in range(70_000)), False),
        ("".join(f"1 Q0 d{i} 1 2 x\n" for i in range(70_000)) + "1 Q0 e 1 1 y", True),
        ("".join(f"1 Q0 d{i} 1 2 {'y' if i == 65_535 else 'x'}\n" for i in range(70_000)), True),
    ],
)
def test_tags_that_differ_from_line_to_line_are_noted(tmp_path: Path, text: str, several: bool) -> None:
    (tmp_path / "in").write_bytes(text.encode())
    notes = rs.convert(tmp_path / "in", tmp_path / "out.run")
    assert mentions(notes, "several tags", "first") == several


def test_a_name_that_the_format_cannot_hold_is_noted_unless_the_file_bears_it(tmp_path: Path) -> None:
    (tmp_path / "in.run").write_text("1 Q0 a 1 2.5 bm25\n")
    assert rs.convert(tmp_path / "in.run", tmp_path / "bm25.csv.gz") == ()
    (note,) = rs.convert(tmp_path / "in.run", tmp_path / "out.csv")
    assert mentions(note, "'bm25'", "csv")
    assert rs.convert(tmp_path / "out.csv", tmp_path / "out.json") == ()  # a name that no file holds is not lost


@pytest.mark.parametrize("name", ["", " a", "a\n", "a\rb", "a\0"])
def test_a_name_that_cannot_end_a_line_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(rs.InputError, match="cannot end TREC's lines"):
        rs.convert(rs.Run({"q": {"d": 1.0}}, name=name), tmp_path / "out.run")
    assert not list(tmp_path.iterdir())


def test_the_second_column_is_kept_where_it_says_something(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    (tmp_path / "in").write_text("1 0 a 1\n1 Q0 b 2\n")
    assert rs.convert(tmp_path / "in", out) == ()
    assert out.read_text() == "query_id,doc_id,relevance\n1,a,1\n1,b,2\n"
    (tmp_path / "in").write_text("1 0.5 a 1\n1 4.5 b 2\n")
    rs.convert(tmp_path / "in", out)
    assert out.read_text() == "query_id,subtopic,doc_id,relevance\n1,0.5,a,1\n1,4.5,b,2\n"
    rs.convert(out, tmp_path / "back.qrels")
    assert (tmp_path / "back.qrels").read_text() == "1 0.5 a 1\n1 4.5 b 2\n"
    out.write_text("query_id,subtopic,doc_id,relevance\n1,0,a,1\n")
    (note,) = rs.convert(out, tmp_path / "back.qrels")
    assert mentions(note, "subtopics", "0 or Q0", "TREC")


def test_the_oracle_of_these_tests_can_fail(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("q Q0 d 1 0.1 t\n")
    assert entries(tmp_path / "a", "trec", "run") != flat({"q": {"d": 0.1 + 1e-17 * 2}}, "run")
    assert all(x != y for x, y in pairwise([bits(0.0), bits(-0.0)]))


def test_letor_files_come_back_as_they_were(tmp_path: Path) -> None:
    labels, predictions = tmp_path / "test.txt", tmp_path / "svm.txt"
    labels.write_text("2 qid:10 #docid = A\n0 qid:10 #docid = B\n1 qid:9 #docid = A\n")
    predictions.write_text("0.5\n0.1\n-3.0\n")
    rs.convert(labels, tmp_path / "test.qrels", input="letor")
    rs.convert(predictions, tmp_path / "svm.run", input="letor", labels=labels)
    assert rs.convert(tmp_path / "test.qrels", tmp_path / "again.txt", to="letor") == ()
    assert sorted((tmp_path / "again.txt").read_text().splitlines()) == sorted(labels.read_text().splitlines())
    (note,) = rs.convert(tmp_path / "svm.run", tmp_path / "again.scores", to="letor")
    assert mentions(note, "predictions", "score")
    assert (tmp_path / "again.scores").read_text() == predictions.read_text()


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q#1": {"a": 1}}, "'q#1' .*#"),
        ({"q": {"a b": 1}}, "'a b' .*blank"),
        ({"q": {"s": {"a": 1}}}, "by subtopic, .*LETOR"),
    ],
)
def test_what_letor_cannot_hold_is_refused(qrels: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.convert(rs.Qrels(qrels), tmp_path / "out.txt", to="letor")
    assert not (tmp_path / "out.txt").exists()
