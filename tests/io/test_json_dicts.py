"""JSON dicts of dicts, plain, compressed and as ranx saves them: read like any other file, and refused in one line."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscope as rs
from rankscope.errors import RankscopeError
from rankscope.io.core import sniff
from rankscope.io.json_dicts import pack_lz4

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JUDGED = {"007": {"d1": 2, "d2": 0}, "10": {"d1": 1}}
LISTED = {"007": {"d2": 3.5, "d1": 2.5}, "10": {"d1": -1e-3, "é": 1e300}}
BY_SUBTOPIC = {"1": {"a": {"d1": 1, "d2": 0}, "b": {"d1": 1}}}


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    def write(content: Any, name: str = "data.json") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


def test_queries_may_be_called_like_columns(put: Callable[..., Path]) -> None:
    judged = {"query": {"d1": 1}, "doc": {"d2": 1, "0": 2}}
    assert sorted(rs.read_qrels(put(judged)).frame().rows()) == [("doc", "0", 2), ("doc", "d2", 1), ("query", "d1", 1)]
    with pytest.raises(RankscopeError, match="columns of a table"):
        rs.read_qrels(put({"query": {"0": 1, "1": 1}, "doc": {"0": 7, "1": 8}, "score": {"0": 1, "1": 0}}))


def lists_of(run: rs.Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, doc, score in run.frame().rows():
        found.setdefault(query, {})[doc] = score
    return found


@pytest.mark.parametrize(
    "pack",
    [
        lambda data: json.dumps(data).encode(),
        lambda data: json.dumps(data, indent=2, ensure_ascii=False).encode(),
        lambda data: b"\xef\xbb\xbf \n" + json.dumps(data, indent="\t").encode() + b"\r\n",
        lambda data: gzip.compress(json.dumps(data).encode()),
        lambda data: zstd.compress(json.dumps(data).encode()),
    ],
    ids=["a line", "indented, UTF-8", "byte order mark and blanks", "gzip", "zstd"],
)
def test_a_dict_of_dicts_is_told_by_content_and_read_as_it_is(put: Callable[..., Path], pack: Any) -> None:
    run = rs.read_run(put(pack(LISTED), "bm25.json.gz"))
    assert (run.name, run.query_ids) == ("bm25", ("007", "10"))
    assert lists_of(run) == LISTED
    assert rs.read_qrels(put(pack(JUDGED))).frame().rows() == [("007", "d1", 2), ("007", "d2", 0), ("10", "d1", 1)]


def test_a_file_gives_the_same_values_as_the_dict_that_it_holds(put: Callable[..., Path]) -> None:
    measures = ["AP", "nDCG@10", "RR"]
    for judged, listed in ((JUDGED, LISTED), ({**JUDGED, "9": {}}, {**LISTED, "9": {}}), (JUDGED, {"10": {"d1": 3}})):
        from_dicts = rs.evaluate(judged, listed, measures).frame()
        from_files = rs.evaluate(put(judged, "q.json"), put(listed, "run.json"), measures).frame()
        assert from_files.equals(from_dicts)


def test_judgments_by_subtopic_are_seen_by_themselves(put: Callable[..., Path]) -> None:
    qrels = rs.read_qrels(put(BY_SUBTOPIC))
    assert sorted(qrels.frame().rows()) == [("1", "a", "d1", 1), ("1", "a", "d2", 0), ("1", "b", "d1", 1)]
    run = {"1": {"d2": 2.0, "d1": 1.0}}
    assert rs.evaluate(put(BY_SUBTOPIC), run, "StRecall@2").overall("StRecall@2") == 2 / 2
    with pytest.raises(rs.InputError, match="no column 'subtopic'"):
        rs.read_qrels(put(JUDGED), subtopics=True)


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        (b'{"q": {"d": 1}}', "json"),
        (b'{"q": {}}', "json"),
        (b"{}", "json"),
        (b'{\n"q": {"d": 1}}', "json"),
        (b'{"q": {\n"d": 1}}', "json"),
        (b'\xef\xbb\xbf\n\n  {"q"\n:{"d":1}}', "json"),
        (b'{"q\\"": {"d": 1, "e', "json"),
        (b"\x04\x22\x4d\x18....", "lz4"),
        (b'[{"query_id": "q"}]', "json"),
        (b"[q] Q0 d 1 2.5 t", "trec"),
        (b'{"query_id": "q", "doc_id": "d", "score": 1}', "jsonl"),
        (b'{"q": {"d": 1}, "p": 3}', "json"),
        (b'{"qid": {"d": 1}, "p": {}}', "json"),
        (b'{"a": 1, "b": 2}', "jsonl"),
        (b'{"query_id": "q", "doc_id": "d", "more": {"a": {}}}\n{', "jsonl"),
        (b'{"query_id": "q", "text": "cut', "jsonl"),
        (b"{a Q0 d 1 2.5 t", "trec"),
        (b'{"a":' * 20_000, "json"),
    ],
)
def test_objects_in_an_object_are_told_from_an_object_a_line(text: bytes, format_: str) -> None:
    assert sniff(text, "x") == format_


REFUSED = {
    "no JSON": (b'{"q": {"d": 1},\n"p": {"d" 2}}', r"data.json:2: .*\(Expecting ':' delimiter\)"),
    "cut": (b'{"q": {"d": 1', r"data.json:1: .*JSON"),
    "no UTF-8": (b'{"q": {"d": 1,\n"\xe9": 2}}', r"data.json:2: .*UTF-8"),
    "a list": (b'[{"query_id": "q"}]', r"not an object"),
    "numbers by query": (b'{"q": 0.5, "p": 0.25}', r"objects without query_id"),
    "no objects": (b'{"q": {"d": 1}, "p": 3}', r"'p' has 3"),
    "nothing": (b"{}", "no documents"),
    "no documents": (b'{"q": {}}', "no documents"),
    "a text": (b'{"q": {"d": 1, "e": "2"}}', "score .*'e' .*'q' is '2'"),
    "true": (b'{"q": {"d": true}}', "'d' .*'q' is True"),
    "null": (b'{"q": {"d": null}}', "'d' .*'q' is None"),
    "NaN": (b'{"q": {"d": NaN}}', "the value NaN"),
    "too large": (b'{"q": {"d": 1e999}}', "'d' .*'q' is inf"),
    "a whole number too large": (b'{"q": {"d": 1%s}}' % (b"0" * 400), "expected a finite number"),
    "a list of numbers": (b'{"q": {"d": [1]}}', r"is \[1\]"),
    "a document twice": (b'{"q": {"d": 1, "e": 2, "d": 3}}', "'d' .*twice"),
    "a query twice": (b'{"q": {"d": 1}, "q": {"e": 2}}', "'q' .*twice"),
    "an empty query": (b'{"": {"d": 1}}', "query id '' .*empty"),
    "an empty document": (b'{"q": {"": 1}}', "document id '' .*empty"),
    "half a character": (b'{"q": {"\\ud800": 1}}', "document id '.*ud800' .*Unicode"),
    "subtopics": (b'{"q": {"1": {"d": 1}}}', "'q' .*objects of objects"),
    "deep": (b'{"a":' * 100_000, "data.json: .*JSON"),
    "no LZ4": (b"\x04\x22\x4d\x18 and more", "ranx's .lz4"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_run_is_refused_in_one_line_that_names_the_file(put: Callable[..., Path], case: str) -> None:
    if case == "no LZ4":
        pytest.importorskip("lz4.frame")
        pytest.importorskip("cbor2")
    content, said = REFUSED[case]
    with pytest.raises(rs.InputError, match=said) as caught:
        rs.read_run(put(content))
    assert "\n" not in str(caught.value)
    assert "data.json" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"q": {"d": 2**53}}, "expected a finite number below 2"),
        ({"q": {"1": {"d": 1}, "e": 1}}, "'e' of query 'q' has 1"),
        ({"q": {"1": {"d": 1}}, "p": {"e": 1}}, "'e' of query 'p' has 1"),
        ({"q": {"1": {"d": 1}, "2": {}}}, "'2' of query 'q' has {}"),
        ({"q": {"1": {"d": "x"}}}, "relevance .*'d' .*'1' .*'q' is 'x'"),
        ({"q": {"": {"d": 1}}}, "the subtopic id ''"),
    ],
)
def test_what_are_no_judgments_is_refused(put: Callable[..., Path], data: Any, said: str) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.read_qrels(put(data))


def test_grades_written_as_decimals_are_whole_numbers(put: Callable[..., Path]) -> None:
    assert rs.read_qrels(put({"q": {"d": 2.0}})).frame().rows() == [("q", "d", 2)]


# --- ranx's .lz4 ----------------------------------------------------------------------------------


def test_files_as_ranx_saves_them_are_read(put: Callable[..., Path]) -> None:
    frame, cbor = pytest.importorskip("lz4.frame"), pytest.importorskip("cbor2")
    # ranx/io.py, save_lz4: lz4.frame.open(path, "wb").write(lz4.frame.compress(cbor2.dumps(content), ...))
    content = frame.compress(frame.compress(cbor.dumps(LISTED), compression_level=16))
    run = rs.read_run(put(content, "bm25.lz4"))
    assert (run.name, lists_of(run)) == ("bm25", LISTED)
    assert cbor.loads(frame.decompress(frame.decompress(pack_lz4(LISTED, "x")))) == LISTED
    assert lists_of(rs.read_run(put(frame.compress(json.dumps(LISTED).encode())))) == LISTED


@pytest.mark.parametrize("missing", ["lz4", "cbor2"])
def test_without_its_libraries_an_lz4_file_says_what_to_install(
    put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    real = importlib.import_module

    def without(name: str) -> Any:
        if name.split(".")[0] == missing:
            raise ImportError(name)
        return object() if name in ("lz4.frame", "cbor2") else real(name)

    monkeypatch.setattr(importlib, "import_module", without)
    path = put(b"\x04\x22\x4d\x18", "run.lz4")
    for use in (lambda: rs.read_run(path), lambda: rs.convert(rs.Run(LISTED), path)):
        with pytest.raises(RankscopeError, match=rf"run.lz4: .* and {missing} is not installed"):
            use()
    assert path.read_bytes() == b"\x04\x22\x4d\x18"
