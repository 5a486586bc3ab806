"""Predictions of MTEB, questions of LlamaIndex, data sets of BEIR and ir_datasets, made by their documented forms."""

from __future__ import annotations

import json
import sys
import types
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import rankscope as rs

RUN = {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d3": 0.75}}
JUDGED = [("q1", "d1", 2), ("q1", "d4", 1), ("q2", "d3", 1)]
META = {"mteb_model_meta": {"model_name": "org/model", "revision": "r"}}


def put(folder: Path, content: Any, name: str = "file.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


# MTEB


@pytest.mark.parametrize(
    ("data", "input_"),
    [
        ({**META, "default": {"test": RUN}}, None),
        ({**META, "de": {"test": {"q": {"d": 1}}}, "en": {"dev": {"q": {"d": 1}}, "test": RUN}}, "mteb:en/test"),
        ({"default": {"test": RUN}}, "mteb"),
    ],
    ids=["one split", "one of several", "without the model"],
)
def test_predictions_of_mteb_are_a_run(tmp_path: Path, data: Any, input_: str | None) -> None:
    run = rs.read_run(put(tmp_path, data), input=input_)
    assert run.frame().rows() == [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    assert run.name == ("org/model" if "mteb_model_meta" in data else "file")


@pytest.mark.parametrize(
    ("data", "input_", "said"),
    [
        ({**META, "de": {"test": RUN}, "en": {"test": RUN}}, None, r"2 subsets and splits \(de/test, en/test\)"),
        ({**META, "de": {"test": RUN}}, "mteb:de/dev", "no subset and split 'de/dev', expected one of de/test"),
        ({**META, "default": {"test": [0.5, 1.0]}}, None, "only predictions of retrieval"),
        (
            {**META, "default": {"test": {"q": {"d": "x"}}}},
            None,
            "default/test: the score of document 'd' of query 'q'",
        ),
        ({**META, "default": 3}, None, "default: 3, expected"),
        (META, None, "no predictions"),
        ([RUN], "mteb", "expected {subset"),
    ],
)
def test_predictions_that_are_no_run_are_refused(tmp_path: Path, data: Any, input_: str | None, said: str) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.read_run(put(tmp_path, data), input=input_)


# LlamaIndex

QUESTIONS = {"queries": {"q1": "a?", "q2": "b?"}, "corpus": {"d1": "text"}, "mode": "text"}


def test_relevant_documents_of_questions_are_judgments(tmp_path: Path) -> None:
    path = put(tmp_path, {**QUESTIONS, "relevant_docs": {"q1": ["d1", "d4"], "q2": ["d3"]}})
    assert rs.read_qrels(path).frame().rows() == [("q1", "d1", 1), ("q1", "d4", 1), ("q2", "d3", 1)]


@pytest.mark.parametrize(
    ("relevant", "said"),
    [
        (None, "no relevant_docs, expected"),
        ({"q1": "d1"}, "relevant_docs.q1: 'd1', expected a list of ids"),
        ({"q1": ["d1", 7]}, r"relevant_docs.q1\[1\]: the document id 7"),
    ],
)
def test_questions_without_lists_of_documents_are_refused(tmp_path: Path, relevant: Any, said: str) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.read_qrels(put(tmp_path, {**QUESTIONS, "relevant_docs": relevant}))


def test_a_table_of_columns_is_the_same_as_its_rows(tmp_path: Path) -> None:
    columns = {"question": ["q1", "q2"], "retrieved_ids": [["d1", "d2"], ["d3"]], "expected_ids": [["d1"], ["d9"]]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    one, other = put(tmp_path, columns, "columns.json"), put(tmp_path, rows, "rows.json")
    assert rs.read_run(one).frame().rows() == rs.read_run(other).frame().rows() == [
        ("q1", "d1", -1.0), ("q1", "d2", -2.0), ("q2", "d3", -1.0)
    ]  # fmt: skip
    assert rs.read_qrels(one).frame().rows() == [("q1", "d1", 1), ("q2", "d9", 1)]
    with pytest.raises(rs.InputError, match="'question' has 2 cells and 'retrieved_ids' 1"):
        rs.read_run(put(tmp_path, {**columns, "retrieved_ids": [["d1"]]}))


# BEIR


def beir_folder(folder: Path, *splits: str) -> Path:
    put(folder, '{"_id": "d1", "title": "", "text": "x"}\n', "corpus.jsonl")
    put(folder, '{"_id": "q1", "text": "x"}\n', "queries.jsonl")
    for split in splits:
        lines = "".join(f"{query}\t{doc}\t{grade}\n" for query, doc, grade in JUDGED if split == "test" or grade > 1)
        put(folder, "query-id\tcorpus-id\tscore\n" + lines, f"qrels/{split}.tsv")
    return folder


@pytest.mark.parametrize("splits", [("test",), ("dev", "test", "train")])
def test_the_folder_of_a_data_set_stands_for_the_judgments_of_test(tmp_path: Path, splits: tuple[str, ...]) -> None:
    folder = beir_folder(tmp_path / "scifact", *splits)
    assert rs.read_qrels(folder).frame().rows() == JUDGED
    notes = rs.evaluate(folder, [RUN], ["AP"]).notes
    assert [note for note in notes if "those of test" in note] == (
        [f"{folder}: judgments of dev, test and train; those of test are used"] if len(splits) > 1 else []
    )
    rs.convert(folder, tmp_path / "scifact.qrels")
    assert rs.read_qrels(tmp_path / "scifact.qrels").frame().rows() == JUDGED


def test_a_folder_without_judgments_of_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=r"is a directory, expected a file of judgments"):
        rs.read_qrels(tmp_path)
    assert rs.read_qrels(beir_folder(tmp_path / "one", "dev")).frame().rows() == [("q1", "d1", 2)]
    with pytest.raises(rs.InputError, match="judgments of dev and train, expected one split or test"):
        rs.read_qrels(beir_folder(tmp_path / "two", "dev", "train"))


# ir_datasets

Judgment = namedtuple("Judgment", "query_id doc_id relevance iteration")


class Download:
    """Stands for what the package fetches from the network: each kind has a `stream`."""


class WebDownload(Download):
    @contextmanager
    def stream(self) -> Iterator[None]:
        raise AssertionError("downloaded")
        yield


class Dataset:
    def __init__(self, judgments: list[Any] | None, local: bool, wrapped: bool) -> None:
        self.judgments, self.local, self.wrapped = judgments, local, wrapped

    def has_qrels(self) -> bool:
        return self.judgments is not None

    def qrels_iter(self) -> Iterator[Any]:
        if not self.local:
            try:
                with WebDownload().stream():
                    pass
            except AssertionError:
                raise
            except Exception as error:
                if self.wrapped:
                    raise RuntimeError("All download sources failed", [(WebDownload(), error)]) from error
                raise
        yield from (Judgment(*judgment, "0") for judgment in self.judgments or ())


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module in the place of ir_datasets, with one data set of each kind."""
    datasets = {
        "beir/scifact/test": Dataset(JUDGED, True, False),
        "beir/scifact": Dataset(None, True, False),
        "remote/test": Dataset(JUDGED, False, False),
        "mirrored/test": Dataset(JUDGED, False, True),
        "empty/test": Dataset([], True, False),
    }
    module = types.ModuleType("ir_datasets")
    module.load = datasets.__getitem__  # type: ignore[attr-defined]
    module.util = types.SimpleNamespace(download=types.SimpleNamespace(BaseDownload=Download))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return module


@pytest.mark.usefixtures("package")
def test_an_id_of_ir_datasets_stands_for_its_judgments(tmp_path: Path) -> None:
    assert rs.read_qrels("ir:beir/scifact/test").frame().rows() == JUDGED
    values = rs.evaluate("ir:beir/scifact/test", [RUN], ["AP", "nDCG@5"]).values
    path = put(tmp_path, "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in JUDGED), "x.qrels")
    assert values.tolist() == rs.evaluate(path, [RUN], ["AP", "nDCG@5"]).values.tolist()
    rs.convert("ir:beir/scifact/test", tmp_path / "converted.qrels")
    assert rs.read_qrels(tmp_path / "converted.qrels").frame().rows() == JUDGED


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("beir/scifakt", "no data set 'beir/scifakt'; `ir_datasets list`"),
        ("beir/scifact", "the data set has no judgments, expected one with qrels, often beir/scifact/test"),
        (
            "remote/test",
            r"not on this machine, and rankscope downloads nothing; .*ir_datasets export remote/test qrels",
        ),
        ("mirrored/test", "not on this machine, and rankscope downloads nothing"),
        ("empty/test", "holds no judgments"),
    ],
)
def test_nothing_is_downloaded_and_what_is_missing_is_said(id_: str, said: str) -> None:
    stream = WebDownload.stream
    with pytest.raises(rs.InputError, match=said):
        rs.read_qrels(f"ir:{id_}")
    assert WebDownload.stream is stream


def test_without_the_package_an_id_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(rs.ParameterError, match=r"ir:x/y: the package ir_datasets is not installed; install it"):
        rs.evaluate("ir:x/y", [RUN], ["AP"])
