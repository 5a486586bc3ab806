"""Features from tables: which columns are what, what is missing, what is refused where."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import read_features
from rankscope.errors import InputError, ParameterError

CSV = b"qid,label,docno,b,a,note\n007,2,d1,0.5,1,x\nq,0,d2,,-3,y\n007,1,d3,0.25,1e2,z\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def call(content: bytes, name: str = "test.csv") -> str:
        (tmp_path / name).write_bytes(content)
        return name

    return call


def parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


ROWS = [
    {"qid": "007", "label": 2, "docno": "d1", "b": 0.5, "a": 1, "note": "x"},
    {"qid": "q", "label": 0, "docno": "d2", "b": None, "a": -3, "note": "y"},
    {"qid": "007", "label": 1, "docno": "d3", "b": 0.25, "a": 100, "note": "z"},
]
FORMS = {
    "csv": CSV,
    "tsv": CSV.replace(b",", b"\t"),
    "csv with a comment, blanks and CR LF": b"# made by hand\n" + CSV.replace(b",", b" ,").replace(b"\n", b"\r\n"),
    "jsonl": "\n".join(map(json.dumps, ROWS)).encode(),
    "parquet": parquet(pl.DataFrame(ROWS)),
    "parquet with NaN": parquet(pl.DataFrame(ROWS).with_columns(pl.col("b").fill_null(float("nan")))),
    "gzip": gzip.compress(CSV),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_all_forms_of_tables_hold_the_same(content, write):
    found = read_features(write(content))
    assert found.names[:2] == ("b", "a")
    assert found.values.tolist() == [[0.5, 1.0], [0.25, 100.0], [0.0, -3.0]]
    assert (found.query_ids, found.offsets.tolist(), found.relevance.tolist()) == (("007", "q"), [0, 2, 3], [2, 1, 0])
    assert (found.doc_ids, found.order is not None and found.order.tolist()) == (["d1", "d3", "d2"], [0, 2, 1])
    assert len(found.notes) == 3
    assert mentions(found.notes[0], "test.csv: ", "'note'", "no numbers")
    assert mentions(found.notes[1], "test.csv: ", 1, "missing", 0, "'b'")
    assert mentions(found.notes[2], "test: ", 1, "together")


@pytest.mark.parametrize("query", ["query_id", "qid", "query", "QID"])
@pytest.mark.parametrize("grade", ["relevance", "label", "grade", "rel", "Relevance"])
def test_columns_of_queries_and_grades_have_several_names(query, grade, write):
    found = read_features(write(f"f,{query},{grade},score\n1,a,2,3\n".encode()))
    assert (found.names, found.values.tolist(), found.relevance.tolist()) == (("f", "score"), [[1, 3]], [2])
    assert found.doc_ids is None


def test_columns_are_taken_by_name_in_the_order_that_is_asked_for(write):
    found = read_features(write(CSV), columns=["a", "b"])
    assert (found.names, found.values[0].tolist()) == (("a", "b"), [1.0, 0.5])


def test_columns_of_json_lines_stand_as_in_the_first_object_and_then_by_name(write):
    names = [f"f{i}" for i in range(40)][::-1]
    first = json.dumps({"qid": "1", **{name: i for i, name in enumerate(names)}, "rel": 1})
    found = read_features(write(f'{first}\n{{"qid": "1", "rel": 0, "z": 1, "y": 2}}\n'.encode()))
    assert found.names == (*names, "y", "z")
    assert found.values[0].tolist() == [*range(40), 0, 0]


def test_float32_is_what_float64_rounds_to(write):
    path = write(b"qid,rel,f\n1,1,0.1\n1,1,16777217\n")
    assert_same_bits(read_features(path).values, read_features(path, dtype="float64").values.astype("f4"))
    assert read_features(path, dtype="float64").values[0, 0] == 0.1


def test_a_table_is_told_from_lines_whatever_its_name(write):
    assert read_features(write(b"1 qid:1 1:2\n", "a.csv")).values.tolist() == [[2]]
    assert read_features(write(b"qid\trel\tf\n1\t0\t2\n", "a.txt")).values.tolist() == [[2]]


HEAD = b"qid,rel,f\n"
REFUSED = {
    "a cell": (HEAD + b"1,1,2\n1,1,x\n", "test.csv:3: f is 'x'"),
    "an infinity": (HEAD + b"1,1,inf\n1,1,1\n", "test.csv:2: f is 'inf'"),
    "beyond float32": (
        HEAD + b"1,1,1\n1,1,-1e39\n",
        "test.csv:3: f is -1e+39, beyond 3.4e38",
    ),
    "a grade": (HEAD + b"1,9e99,1\n", "test.csv:2: grade 9e+99"),
    "no grade": (HEAD + b"1,1,1\n1,,1\n", "test.csv:3: grade None"),
    "no query": (HEAD + b",1,1\n", "test.csv:2: qid is empty"),
    "no column of queries": (b"q_,rel,f\n1,1,1\n", "test.csv:1: no column 'query_id' among 'q_', 'rel', 'f'"),
    "no column of grades": (b"qid,f\n1,1\n", "test.csv:1: no column 'relevance' among 'qid', 'f'"),
    "a row that is too short": (HEAD + b"1,1,1\n1,1\n", "test.csv:3: 2 fields, expected 3 (qid, rel, f)"),
    "two columns of grades": (
        b"# x\nqid,label,grade,f\n1,2,2,0.5\n",
        "test.csv:2: column 'grade' beside 'label'",
    ),
    "two columns of queries": (b"query_id,QID,rel,f\na,1,2,0.5\n", "test.csv:1: column 'QID' beside 'query_id'"),
    "two columns of documents": (b"qid,rel,docid,doc,f\na,1,x,1,1\n", "test.csv:1: column 'doc' beside 'docid'"),
    "a column without a name": (
        b",qid,rel,f\n0,1,1,1\n",
        "test.csv:1: column 1 has no name",
    ),
    "two columns of one name": (b"qid,rel,f,f \n1,1,1,2\n", "test.csv:1: two columns ... 'f'"),
    "the index of pandas": (
        parquet(pl.DataFrame({"qid": ["1"], "rel": [1], "f": [1], "__index_level_0__": [7]})),
        "test.csv: column 4 ... (__index_level_0__)",
    ),
    "semicolons": (b"qid;rel;f\n1;1;0,5\n", "test.csv: ... semicolons ... commas"),
    "a cache": (b"rankscope features 3\n\0\0", "test.csv: ... cache"),
    "no features": (b"qid,rel,note\n1,1,x\n", "test.csv:1: no column of numbers"),
    "no rows": (HEAD, "test.csv: a header and no rows"),
    "uneven": (HEAD + b"1,1,1\n1,1,1,1\n", "test.csv:3: 4 fields, expected 3 (qid, rel, f)"),
    "json": (b'{"qid": "1", "rel": 1, "f": 1}\n{"qid"\n', "test.csv:2: not a JSON object"),
    "parquet": (b"PAR1 and no more", "test.csv: ... parquet"),
    "too many": (b"qid,rel,f,g,h\n1,1,1,1,1\n", "test: 3 features, ... 2 (n_features)"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_of_features_is_refused_with_file_and_line(content, message, write):
    with pytest.raises(InputError) as caught:
        read_features(write(content), n_features=2)
    assert mentions(caught.value, *message.split(" ... "))


def test_columns_say_which_to_keep_of_those_that_could_be_grades(write):
    path = write(b"qid,label,grade,f\n1,2,3,0.5\n1,0,1,1\n")
    found = read_features(path, columns=["f"])
    assert (found.names, found.relevance.tolist()) == (("f",), [2, 0])  # our name for it that comes first
    assert read_features(path, columns=["f", "grade"]).values.tolist() == [[0.5, 3], [1, 1]]
    assert read_features(path, columns=["f"], cache=True).names == ("f",)  # the cache holds all columns
    with pytest.raises(InputError, match=r"^test\.csv: .*'grade'"):
        read_features(path, cache=True)


def test_texts_of_queries_and_documents_are_no_second_column_of_their_names(write):
    found = read_features(write(b"qid,query,doc_id,doc,rel,f\n1,red shoes,d1,a shoe,1,2\n"))
    assert (found.names, found.query_ids, found.doc_ids) == (("f",), ("1",), ["d1"])
    assert len(found.notes) == 1
    assert mentions(found.notes, "test.csv: ", "'query' and 'doc'", "no numbers")


BOOLEANS = {
    "csv": b"qid,rel,f,g\n1,1,true,1\n1,0,False,2\n1,0,,3\n",
    "jsonl": b'{"qid":"1","rel":1,"f":true,"g":1}\n{"qid":"1","rel":0,"f":false,"g":2}\n{"qid":"1","rel":0,"g":3}\n',
    "parquet": parquet(pl.DataFrame({"qid": ["1"] * 3, "rel": [1, 0, 0], "f": [True, False, None], "g": [1, 2, 3]})),
}


@pytest.mark.parametrize("content", BOOLEANS.values(), ids=BOOLEANS)
def test_true_and_false_are_one_and_zero(content, write):
    found = read_features(write(content))
    assert (found.names, found.values.tolist()) == (("f", "g"), [[1, 1], [0, 2], [0, 3]])
    assert len(found.notes) == 1
    assert mentions(found.notes, "test.csv: ", 1, "missing", 0, "'f'")


def test_a_column_of_texts_that_begins_with_true_is_no_column_of_numbers(write):
    assert read_features(write(b"qid,rel,f,g\n1,1,true,1\n1,0,maybe,2\n")).names == ("g",)


def test_a_table_may_be_without_grades_where_they_are_optional(write):
    path = write(b"qid,f\n1,1\n1,2\n")
    found = read_features(path, relevance="optional", cache=True)
    assert (found.relevance.tolist(), found.graded) == ([0, 0], False)
    assert read_features(path, relevance="optional", cache=True).graded is False
    with pytest.raises(InputError, match=r"^test\.csv: .*\('relevance'\)"):
        read_features(path, cache=True)
    with pytest.raises(ParameterError, match=r"relevance 'no', .*'needed' or 'optional'"):
        read_features(path, relevance="no")


def test_empty_columns_are_remembered_and_may_be_asked_for(write):
    path = write(b"qid,rel,a,note,b\n1,1,,x,1\n1,0,NaN,y,2\n")
    for cache in (None, True, True):
        found = read_features(path, cache=cache)
        assert (found.names, found.empty) == (("b",), ("a",))
        assert read_features(path, columns=["a", "b"], cache=cache).values.tolist() == [[0, 1], [0, 2]]


def test_large_numbers_that_float32_brings_together_are_noted(write):
    times = "".join(f"1,0,{1_700_000_000 + i},{i}\n" for i in range(0, 20000, 50))
    path = write(f"qid,rel,time,f\n1,1,,1\n{times}".encode())
    found = read_features(path)
    assert np.unique(found.values[:, 0]).size < 200  # of 401
    highest = f"{found.values.max():.10g}"
    said = ("test: ", "'time'", 1700000000, highest, "steps", 128, "float32", "dtype='float64'")
    assert mentions(found.notes, *said)
    assert not any("steps" in note for note in read_features(path, dtype="float64", cache=True).notes)
    assert any("steps" in note for note in read_features(path, cache=True).notes)  # rounded from the cache of float64
    lines = "".join(f"0 qid:1 1:{1_700_000_000 + i} 2:{i * 100}\n" for i in range(0, 20000, 50))
    notes = read_features(write(lines.encode(), "lines.txt")).notes
    assert len(notes) == 1
    assert mentions(notes, "lines: ", "'1'", 1700000000)


def test_progress_hears_of_all_bytes(write):
    heard: list[int] = []
    read_features(write(CSV), progress=heard.append)
    assert heard == [len(CSV)]


def test_a_column_without_any_number_is_left_out_and_one_of_some_is_not(write):
    found = read_features(write(b"qid,rel,a,b,c\n1,1,,,1\n1,0,,2,1\n"))
    assert (found.names, found.values.tolist()) == (("b", "c"), [[0, 1], [2, 1]])
    assert np.isfinite(found.values).all()
