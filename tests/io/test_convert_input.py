"""`convert`: what a file holds, arguments that do not fit, bad input, and nothing half-written."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# --- judgments or a run ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 0 a 1\n", "qrels"),
        ("# a comment\n\n1 Q0 a 1 1 t\n", "run"),
        ("1 Q0 a 1 1\n", "run"),
        ("query_id,doc_id,relevance\n1,a,1\n", "qrels"),
        ("qid\tdocno\trel\n1\ta\t1\n", "qrels"),
        ("query_id,doc_id,score\n1,a,.5\n", "run"),
        ('{"query_id": "1", "doc_id": "a", "label": 1}\n', "qrels"),
        ('{"query_id": "1", "doc_id": "a", "sim": 0.5}\n', "run"),
        ('{"1": {"a": 0.5}}', "run"),
        ('{"1": {"s": {"a": 1}}}', "qrels"),
    ],
)
def test_judgments_and_runs_are_told_by_content(tmp_path: Path, text: str, kind: str) -> None:
    source = put(tmp_path / "in", text)
    rs.convert(source, tmp_path / "out.txt")
    assert len((tmp_path / "out.txt").read_text().split()) == (4 if kind == "qrels" else 6)
    other = ".run" if kind == "qrels" else ".qrels"
    with pytest.raises(rs.ParameterError, match=r"named as .*in holds .*--to trec"):
        rs.convert(source, tmp_path / f"out{other}")
    assert not (tmp_path / f"out{other}").exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"a": 1, "b": 0}}',
        '{"1": {"a": 1.0}}',
        "query-id\tcorpus-id\tscore\n1\ta\t1\n",
        '{"q_id": "1", "doc_id": "a", "score": 1}',
        "query_id,doc_id,score,relevance\n1,a,1,1\n",
    ],
)
def test_what_cannot_be_told_is_asked_for_unless_the_target_says_it(tmp_path: Path, text: str) -> None:
    source = put(tmp_path / "in", text)
    for name in ("out.csv", "out.txt"):
        with pytest.raises(rs.ParameterError, match="--kind qrels or --kind run"):
            rs.convert(source, tmp_path / name)
    rs.convert(source, tmp_path / "out.qrels")
    rs.convert(source, tmp_path / "out.run")
    assert (tmp_path / "out.qrels").read_text().startswith("1 0 a 1\n")
    assert (tmp_path / "out.run").read_text().startswith("1 Q0 a 1 1.0 in\n")
    rs.convert(source, tmp_path / "out.txt", kind="qrels")
    assert (tmp_path / "out.txt").read_text() == (tmp_path / "out.qrels").read_text()


def test_columns_that_are_left_out_are_named(tmp_path: Path) -> None:
    source = put(tmp_path / "in", "rank,query_id,doc_id,score,title\n1,1,a,2,x\n")
    (note,) = rs.convert(source, tmp_path / "out.run")
    assert mentions(note, f"{source}: ", "'rank', 'title'")


# --- LETOR ----------------------------------------------------------------------------------------

LABELS = "2 qid:7 1:0.9 #docid = A\n0 qid:7 1:0.2 #docid = B\n1 qid:3 1:0.1 #docid = A\n"


def test_letor_labels_become_judgments_and_predictions_a_run(tmp_path: Path) -> None:
    labels, scores = put(tmp_path / "test.txt", LABELS), put(tmp_path / "svm.txt", "0.5\n0.25\n-1e-3\n")
    rs.convert(labels, tmp_path / "out.qrels", input="letor")
    assert (tmp_path / "out.qrels").read_text() == "7 0 A 2\n7 0 B 0\n3 0 A 1\n"
    rs.convert(scores, tmp_path / "out.run", input="letor", labels=labels)
    assert (tmp_path / "out.run").read_text() == "7 Q0 A 1 0.5 svm\n7 Q0 B 2 0.25 svm\n3 Q0 A 1 -0.001 svm\n"
    positions = put(tmp_path / "pos.txt", "2\n1\n1\n")
    rs.convert(positions, tmp_path / "out.run", input="letor-ranks", labels=labels)
    assert (tmp_path / "out.run").read_text() == "7 Q0 A 2 -2.0 pos\n7 Q0 B 1 -1.0 pos\n3 Q0 A 1 -1.0 pos\n"


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({}, rs.InputError, r"test.txt:1: .*LETOR .*--input letor"),
        ({"labels": "test.txt"}, rs.ParameterError, "format .*--input letor"),
        ({"input": "letor-ranks"}, rs.ParameterError, "label file .*--labels"),
        ({"input": "letor", "kind": "run"}, rs.ParameterError, "qrels; .*--kind"),
        ({"input": "letr"}, rs.UnknownName, "unknown input format 'letr'"),
        ({"kind": "qrel"}, rs.UnknownName, "unknown kind 'qrel'; did you mean qrels"),
        ({"to": "jsn"}, rs.UnknownName, "unknown output format 'jsn'; did you mean json"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "test.txt", LABELS)
    with pytest.raises(error, match=said):
        rs.convert("test.txt", "out.txt", **options)
    assert os.listdir() == ["test.txt"]


# --- nothing half-written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 0 a\n", "in:1: 3 fields, expected 4"),
        ("0.5\n", "in:1: 1 field, .*4 .*LETOR .*--input letor .*--labels FILE"),
        ("1 0 a 1\n1 0 a 2\n", "occurs twice"),
        ("1 s a 1\n1 t b 2\n1 s a 2\n", "occurs twice"),
        ("1 Q0 a 1 2 t\n1 Q0 a 1 nan t\n", "in:2: score 'nan'"),
        ("query_id,doc_id,score\n1,a,2.5\n1,a,3\n", "in:3: .*'a' .*'1'"),
        ("query_id,doc_id,points\n1,a,2\n", "'relevance' .*'score' .*'query_id'"),
        ("query_id,doc_id\n", "no column 'relevance'"),
        ('{"query_id": 1,\n', "JSON"),
        ("", "empty"),
    ],
)
@pytest.mark.parametrize("name", ["out.json", "out.txt", "out.csv"])
def test_bad_input_leaves_the_target_as_it_was(tmp_path: Path, text: str, said: str, name: str) -> None:
    source = put(tmp_path / "in", text)
    put(tmp_path / name, "old")
    with pytest.raises(rs.InputError, match=said):
        rs.convert(source, tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", name]


def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(rs.OutputError, match="No space left"):
        rs.convert(rs.Run({"q": {"d": 1.0}}), tmp_path / "out.json.gz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out", "no suffix .*--to"),
        ("out.xyz", "the suffix '.xyz'"),
        ("out.gz", "no suffix"),
        ("-", "standard output .*suffix"),
    ],
)
def test_a_target_of_unknown_format_is_refused_before_anything_is_read(name: str, said: str) -> None:
    with pytest.raises(rs.ParameterError, match=said):
        rs.convert("nowhere", name)


def test_what_is_read_is_not_overwritten(tmp_path: Path) -> None:
    source = put(tmp_path / "a.run", "1 Q0 a 1 2 t\n")
    labels = put(tmp_path / "a.txt", LABELS)
    with pytest.raises(rs.ParameterError, match="overwritten"):
        rs.convert(source, tmp_path / "." / "a.run")
    with pytest.raises(rs.ParameterError, match="overwritten"):
        rs.convert(source, labels, input="letor", labels=labels)
    with pytest.raises(rs.ParameterError, match=r"lz4 .*ranx.* csv"):
        rs.convert(source, tmp_path / "a.lz4", to="csv")


def test_a_run_in_memory_is_checked_like_one_in_a_file(tmp_path: Path) -> None:
    twice = rs.Run({"query_id": ["q", "q"], "doc_id": ["d", "d"], "score": [1.0, 2.0]})
    with pytest.raises(rs.InputError, match="occurs twice"):
        rs.convert(twice, tmp_path / "out.run")
    with pytest.raises(rs.InputError, match=r"'x': .*'d' .*'q' .*nan"):
        rs.convert(rs.Run({"q": {"d": float("nan")}}, name="x"), tmp_path / "out.run")
    with pytest.raises(rs.ParameterError, match="belong to a file"):
        rs.convert(twice, tmp_path / "out.run", kind="run")
    with pytest.raises(rs.ParameterError, match=r"\bdict, .*Qrels .*Run"):
        rs.convert({"q": {"d": 1.0}}, tmp_path / "out.run")
    assert not list(tmp_path.iterdir())
    rs.convert(rs.Run({"q": {"d": np.float32(0.1)}}), tmp_path / "out.run")
    assert (tmp_path / "out.run").read_text() == f"q Q0 d 1 {float(np.float32(0.1))!r} run\n"


def test_one_content_gives_one_file_whenever_it_is_written(tmp_path: Path) -> None:
    for name in ("a.run.gz", "b.run.gz"):
        rs.convert(rs.Run({"q": {"d": 1.0}}), tmp_path / name)
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == b"q Q0 d 1 1.0 run\n"


@pytest.mark.parametrize(
    ("query", "doc", "form", "said"),
    [
        ("#1", "d", "trec", "query id '#1' .*comment"),
        ("\ufeffq", "d", "trec", "comment or a byte order"),
        ("\ufeffq", "d", "csv", "byte order mark, which csv and tsv do not keep"),
        ("q q", "d", "trec", "query id 'q q' .*blank"),
        ("q", "d\x0be", "trec", "document id 'd.x0be' .*blank"),
        ("q", "d\0", "trec", "the document id 'd.x00'"),
        ("q", " d", "csv", "document id ' d' .*blank, .*csv and tsv"),
        ("q\t", "d", "tsv", "query id 'q.t' .*blank"),
        ("q", "\udce9", "json", "document id '.udce9' .*UTF-8.*trec"),
        ("\udce9", "d", "parquet", "query id '.udce9' .*UTF-8"),
    ],
)
def test_an_id_that_the_format_cannot_hold_is_refused_by_name(
    tmp_path: Path, query: str, doc: str, form: str, said: str
) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.convert(rs.Run({"q0": {"d0": 1.0}, query: {doc: 2.5}}), tmp_path / "out", to=form)
    assert not list(tmp_path.iterdir())


def test_preferences_are_refused_since_no_format_holds_their_sub_groups(tmp_path: Path) -> None:
    file = put(tmp_path / "people.prefs", "1 ann 0 a 2\n1 ann 0 b 1\n1 ann 1 a 1\n1 ann 1 b 2\n")
    with pytest.raises(rs.InputError, match=r"preferences, .*no format"):
        rs.convert(rs.read_qrels(file, subtopics=True), tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.prefs"]
