"""Writing features: reading them again gives the same arrays; what a format cannot hold is refused or told."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

import rankscope as rs
from rankscope import Features, read_features, write_features
from rankscope.errors import InputError, OutputError, ParameterError
from rankscope.io.letor import feature_writer as feature_text
from rankscope.io.letor import read_labels

FORMS = ("txt", "csv", "tsv", "jsonl", "parquet", "txt.gz", "csv.zst", "dat")


def made(values, dtype=np.float32, **more) -> Features:
    table = np.array(values, dtype)
    return Features.of(table, np.arange(len(table)) % 3, sizes=[len(table)], **more)


def same(a: Features, b: Features) -> bool:
    return (
        all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in ("values", "relevance", "offsets"))
        and (a.query_ids, a.names) == (b.query_ids, b.names)
        and (a.doc_ids is None or list(a.doc_ids) == b.doc_ids)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


IDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Z", "C"], exclude_characters="#"), min_size=1, max_size=9
)


@pytest.mark.parametrize("form", ["txt", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("width", [32, 64])
@examples(12, quick=5)
@given(st.data())
def test_what_is_written_is_read_again_bit_by_bit(folder, form, width, data):
    numbers = st.floats(width=width, allow_nan=False, allow_infinity=False)
    queries = data.draw(st.lists(st.tuples(IDS, st.integers(1, 3)), min_size=1, max_size=4, unique_by=lambda x: x[0]))
    columns = data.draw(st.integers(1, 4))
    n = sum(size for _, size in queries)
    row = st.lists(numbers, min_size=columns, max_size=columns)
    features = Features.of(
        np.array(data.draw(st.lists(row, min_size=n, max_size=n)), f"f{width // 8}"),
        data.draw(st.lists(st.integers(-3, 2**40), min_size=n, max_size=n)),
        sizes=[size for _, size in queries],
        query_ids=tuple(name for name, _ in queries),
        doc_ids=data.draw(st.none() | st.lists(IDS, min_size=n, max_size=n)),
    )
    path = folder / f"features.{form}"
    assert write_features(features, path) == ()
    assert same(features, read_features(path, dtype=f"float{width}"))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_arrays(form, tmp_path, monkeypatch):
    monkeypatch.setattr(feature_text, "PIECE", 4)  # several pieces
    features = made([[0.5, 1], [-2.25, 3e-9], [0, 7]], doc_ids=["d1", "d2", "d3"])
    path = tmp_path / f"train.{form}"
    assert rs.write_features(features, path) == ()
    assert same(features, read_features(path))
    assert read_features(path).name.startswith("train")


def test_a_line_is_a_grade_a_query_all_features_and_a_comment(tmp_path):
    path = tmp_path / "train.txt"
    values = [[0.1, 100, -0.0, 0], [1e-9, 1.5, 10, 3.4e38]]
    write_features(made(values, query_ids=("q-7",), doc_ids=["D1", "D2"], comments=["inc = 1", ""]), path)
    assert path.read_text() == (
        "0 qid:q-7 1:0.1 2:100 3:-0 4:0 #docid = D1 inc = 1\n1 qid:q-7 1:1e-9 2:1.5 3:10 4:3.4e+38 #docid = D2\n"
    )
    write_features(made([[0.5], [1]], comments=["", "hand made"]), path)
    assert path.read_text() == "0 qid:1 1:0.5\n1 qid:1 1:1 # hand made\n"


def test_lines_keep_comments_and_documents(tmp_path):
    given_ = tmp_path / "given.txt"
    given_.write_bytes(b"2 qid:a 1:1 #docid = D\xff inc = 1 \r\n0 qid:a 1:2 #docid = E\n")
    for again in ("a.txt", "b.txt"):
        features = read_features(given_)
        write_features(features, tmp_path / again)
        found = read_features(tmp_path / again)
        assert same(features, found)
        assert (features.comments, found.doc_ids) == (found.comments, ["D\udcff", "E"])
        given_ = tmp_path / again
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()


def test_other_readers_find_the_same(tmp_path):
    features = made(np.random.default_rng(2).normal(size=(20, 5)), doc_ids=[f"d{i}" for i in range(20)])
    path = tmp_path / "train.txt"
    write_features(features, path)
    table, grades, queries = load_svmlight_file(str(path), query_id=True, zero_based=False, dtype=np.float32)
    assert_same_bits(table.toarray(), features.values)
    assert (grades.tolist(), set(queries.tolist())) == (features.relevance.tolist(), {1})
    assert read_labels(path).relevance.tolist() == features.relevance.tolist()


@pytest.mark.parametrize(
    ("names", "written", "note"),
    [
        (("0", "1"), "0:5 1:6", None),
        (("2", "7"), "2:5 7:6", "numbers ... up to 7"),
        (("a", "b"), "1:5 2:6", "('a', ...) ... from 1 to 2"),
        (("2", "1"), "1:5 2:6", "('2', ...) ... from 1 to 2"),
    ],
)
def test_lines_have_numbers_for_names(names, written, note, tmp_path):
    path = tmp_path / "a.txt"
    said = write_features(made([[5, 6]], names=names), path)
    assert len(said) == (note is not None)
    assert note is None or mentions(said, *note.split(" ... "))
    assert path.read_text() == f"0 qid:1 {written}\n"


def test_standard_output_is_a_hyphen(capfdbinary):
    write_features(made([[1, 0.5]]), "-")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"0 qid:1 1:1 2:0.5\n"


def test_tables_say_that_they_keep_no_comments(tmp_path):
    features = made([[1.0]], comments=["c"])
    (note,) = write_features(features, tmp_path / "a.csv")
    assert mentions(note, "comments", "tables")
    assert (tmp_path / "a.csv").read_text() == "query_id,relevance,1\n1,0,1.0\n"


REFUSED = {
    "a blank in a query": ("txt", {"query_ids": ("a b",)}, "query id 'a b' ... a blank"),
    "a # in a query": ("txt", {"query_ids": ("a#",)}, "query id 'a#' ... a #"),
    "an empty query": ("csv", {"query_ids": ("",)}, "query id '' ... empty"),
    "a blank in a document": ("txt", {"doc_ids": ["a b"]}, "document id 'a b' ... a blank"),
    "a blank at an end": ("csv", {"doc_ids": ["a "]}, "document id 'a ' ... a blank"),
    "no UTF-8": ("parquet", {"doc_ids": ["\udcff"]}, "document id '\\udcff' "),
    "two lines": ("txt", {"comments": ["a\nb"]}, "comment 'a\\nb' ... line break"),
    "a feature called as a column": (
        "csv",
        {"names": ("Relevance",)},
        "a feature ... 'Relevance'",
    ),
    "a feature called as documents": (
        "jsonl",
        {"names": ("docno",)},
        "a feature ... 'docno'",
    ),
    "a feature called as a second column of grades": (
        "jsonl",
        {"names": ("grade",)},
        "a feature ... 'grade'",
    ),
}


@pytest.mark.parametrize(("form", "more", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_format_cannot_hold_is_refused_and_nothing_written(form, more, message, tmp_path):
    with pytest.raises(InputError) as caught:
        write_features(made([[1.0]], **more), tmp_path / f"a.{form}")
    assert mentions(caught.value, *message.split(" ... "))
    assert not list(tmp_path.iterdir())


def test_what_is_no_features_and_where_nothing_can_be_written_is_refused(tmp_path: Path):
    with pytest.raises(ParameterError, match="a list, expected Features"):
        write_features([[1.0]], tmp_path / "a.txt")
    with pytest.raises(OutputError, match="does not exist"):
        write_features(made([[1.0]]), tmp_path / "none" / "a.txt")
