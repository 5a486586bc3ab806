"""Judgments and runs in tables: what a reader of tables gets wrong without a word, and what the user calls columns."""

import io
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from rankscope.data.rows import concatenate_queries
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import open_binary, open_source
from rankscope.io.tables import formats

ROWS = [("q1", "d1", 2.0), ("q1", "d2", 1.0)]


def read(folder, content, name="run.csv", **options):
    path = folder / name
    path.write_bytes(content)
    return rs.read_run(path, **options).frame().rows()


def read_in_blocks(path):
    with open_binary(path) as stream:
        return (
            rs.Run.from_rows(concatenate_queries(open_source(stream, path, None).stream_rows(), str), name="run")
            .frame()
            .rows()
        )


def with_query(query):
    return [(query, doc, score) for _, doc, score in ROWS]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"\xef\xbb\xbfquery_id,doc_id,score\r\nq1,d1,2\r\nq1,d2,1\r\n", ROWS),
        (b"# a, b\n\nquery_id,doc_id,score\nq1,d1,2\nq1,d2,1", ROWS),
        (b"query_id,doc_id,score\nq1,d1,2\n\nq1,d2,1\n , , \n", ROWS),
        (b"query_id;doc_id;score\nq1;d1;2,0\nq1;d2;1\n", ROWS),
        (b"query_id;doc_id;score\nq1;1,5;2,5\n", [("q1", "1,5", 2.5)]),
        (b'query_id,doc_id,score\nq1,a"b,2\n', [("q1", 'a"b', 2.0)]),
        (b'query_id,doc_id,score\nq1,"d\n1",2\n', [("q1", "d\n1", 2.0)]),
        (b"query_id,doc_id,score\n#q1,d1,2\n#q1,d2,1\n", with_query("#q1")),
        (b"query_id,doc_id,score\n1e3,d1,2\n1e3,d2,1\n", with_query("1e3")),
        (b"query_id,doc_id,score\n007,d1,2\n007,d2,1\n", with_query("007")),
        (b",query_id,doc_id,score\n0,q1,d1,2\n1,q1,d2,1\n", ROWS),
        (b"\xef\xbb\xbfquery_id,doc_id,score\nq1,d1,2\n\xef\xbb\xbf\xef\xbb\xbfq1,d2,1\n", ROWS),
    ],
    ids=["bom-crlf", "comments", "blank", "semicolons", "comma-in-id", "bare-quote", "line-end-in-field", "hash", "1e3",
         "zeros", "index", "joined"],
)  # fmt: skip
def test_tables_are_read_as_they_are_written(tmp_path, monkeypatch, content, rows):
    assert read(tmp_path, content) == rows
    monkeypatch.setattr(formats, "BLOCK", 45)
    assert read_in_blocks(tmp_path / "run.csv") == rows


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.csv", b"query_id,doc_id,score\nq1,d1,1\nq1,d2\n", r":3: 2 fields, expected 3"),
        ("run.csv", b"query_id,doc_id,score,tag\nq1,d1,1,x\nq1,d2,2\n", r":3: 3 fields, expected 4"),
        ("run.csv", b"query_id,doc_id,score\nq1,d1,1\nq1,d2,3,4\n", r":3: 4 fields, expected 3"),
        ("run.csv", b"query_id,doc_id,score,score\nq1,d1,1,2\n", r":1: two columns are called 'score'"),
        ("run.csv", b"query_id,doc_id,score,Score\nq1,d1,1,2\n", r":1: the columns 'score' and 'Score' differ in case"),
        ("run.csv", b"query_id,doc_id,score\nq1,d1,nan\n", r":2: score is nan, expected a finite number"),
        ("run.csv", b"query_id,doc_id,score\nq1,d1,1e999\n", r":2: score is .*inf.*, expected a finite number"),
        ("run.csv", b"query_id,doc_id,score\nq1,d1,2\nq1,d2,\n", r":3: score is empty, expected a finite number"),
        ("run.csv", b"query_id,doc_id,score\nq1,,2\n", r":2: doc_id is empty, expected an id"),
        ("run.csv", b"query_id,doc_id,score\nq1,d1,2\nq1,d2,high\n", r":3: score is 'high', expected a finite number"),
        ("run.csv", b'query_id,doc_id,score\nq1,"d\n1",2\nq1,d2,x\n', r":4: score is 'x'"),
        ("run.csv", "query_id,doc_id,score\nq1,d1,2\nq1,\xe9,1\n".encode("latin1"), r":3: this is not UTF-8"),
        ("run.csv", b'query_id,doc_id,score\nq1,d1,2\n{"query_id": "q1"}\n', r":3: 1 field, expected 3"),
        ("run.jsonl", b'{"query_id":"q","doc_id":"d","score":NaN}\n', r":1: the value NaN"),
        ("run.jsonl", b'{"query_id":1.5,"doc_id":"d","score":1}\n', r":1: column 'query_id' holds Float64"),
        ("run.jsonl", b'{"query_id":"q","doc_id":"d","score":"a"}\n', r":1: score is 'a', expected a finite number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(tmp_path, monkeypatch, name, content, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, content, name)
    monkeypatch.setattr(formats, "BLOCK", 50)
    with pytest.raises(InputError, match=message):
        read_in_blocks(tmp_path / name)


def test_a_hundred_thousand_columns_are_refused_in_one_line(tmp_path):
    header = ",".join(["query_id", "doc_id", "score", *(f"c{i}" for i in range(100_000))])
    with pytest.raises(InputError, match="100,003 columns, expected at most") as error:
        read(tmp_path, f"{header}\nq1,d1,2\n".encode())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("scores", "expected"), [([2, 1.5], [2.0, 1.5]), ([True, 2.5], [1.0, 2.5]), ([2, "1.5"], [2.0, 1.5])]
)
def test_numbers_of_several_types(scores, expected):
    table = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": scores}
    assert rs.Run(table).frame()["score"].to_list() == expected


def test_ids_that_pandas_made_fractions_are_refused():
    with pytest.raises(InputError, match=r"pandas makes 1\.0 of 1 where a cell is empty"):
        rs.Run({"query_id": [1.0, 2.0], "doc_id": ["a", "b"], "score": [1, 2]})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_by_the_names_that_the_user_says(tmp_path, separator):
    lines = [("frage", "treffer", "wert", "rank"), ("q1", "d1", "2", "5"), ("q1", "d2", "1", "6")]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(map(separator.join, lines)))
    columns = {"query_id": "frage", "doc_id": "treffer", "score": "wert"}
    run = rs.read_run(path, columns=columns)
    assert run.frame().rows() == ROWS
    by_rank = rs.read_run(path, columns={"query_id": "frage", "doc_id": "treffer", "rank": "rank"})
    assert by_rank.frame()["score"].to_list() == [-5.0, -6.0]
    table = pl.read_csv(path, separator=separator)
    assert rs.Run(table, columns=columns).frame().rows() == ROWS
    assert rs.Run(table.to_dict(as_series=False), columns=columns).frame().rows() == ROWS
    qrels = tmp_path / "qrels.tsv"
    qrels.write_text("frage\ttreffer\tnote\nq1\td2\t1\n")
    names = {**columns, "relevance": "note"}
    assert rs.evaluate(qrels, path, "RR", columns=names).overall("RR") == 0.5
    judgments = pl.read_csv(qrels, separator="\t")
    assert rs.evaluate(judgments, table, "RR", columns=names).overall("RR") == 0.5
    assert rs.Qrels(judgments, columns=names).frame().rows() == rs.read_qrels(qrels, columns=names).frame().rows()


def test_lists_by_the_names_that_the_user_says(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        "".join(json.dumps({"frage": f"q{i}", "treffer": ["a", "b"], "soll": ["b"]}) + "\n" for i in (1, 2))
    )
    names = {"query_id": "frage", "retrieved_ids": "treffer", "relevant_ids": "soll"}
    assert rs.evaluate(path, path, "RR", columns=names).overall("RR") == 0.5


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"query_id": "nothing"}, InputError, "no column 'nothing', which columns .--columns. names, among 'frage'"),
        ({"topic": "frage"}, ParameterError, "columns .--columns. has 'topic', expected some of query_id, doc_id"),
        ({"query_id": "frage"}, InputError, "no column 'doc_id' among .* or say which it is: --columns doc_id=NAME"),
    ],
)
def test_names_that_do_not_fit(tmp_path, columns, error, message):
    path = tmp_path / "run.csv"
    path.write_text("frage,treffer,score\nq1,d1,1\n")
    with pytest.raises(error, match=message):
        rs.read_run(path, columns=columns)


def test_mappings_have_no_columns():
    for data in ({"q": {"d": 1}}, {"q": ["d"]}):
        with pytest.raises(ParameterError, match="columns is for tables"):
            rs.Run(data, columns={"query_id": "x"})


def test_large_parquet_with_lists_is_read_at_once(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    lists = [[f"doc{i}" for i in rng.permutation(400)] for _ in range(20)]
    table = pl.DataFrame({"query_id": [f"q{i}" for i in range(20)], "retrieved_ids": lists})
    path = tmp_path / "run.parquet"
    table.write_parquet(path)
    monkeypatch.setattr(formats, "PARQUET", replace(formats.PARQUET, small_size=100))
    qrels = {f"q{i}": {"doc7": 1} for i in range(20)}
    expected = np.mean([1 / (ids.index("doc7") + 1) for ids in lists])
    assert rs.evaluate(qrels, path, "RR").overall("RR") == pytest.approx(expected, rel=1e-15)


def test_rows_of_json_lists_count_from_1(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('[{"query_id": "q1", "retrieved_ids": ["a"]}, {"query_id": "q1", "retrieved_ids": ["b"]}]')
    with pytest.raises(InputError, match="row 2: query 'q1' has a list already"):
        rs.read_run(path)


def test_parquet_of_a_document_a_row_is_read_in_batches(tmp_path):
    buffer = io.BytesIO()
    pl.DataFrame({"topic": ["q1", "q1"], "hit": ["d1", "d2"], "sim": [2, 1]}).write_parquet(buffer)
    path = tmp_path / "run.parquet"
    path.write_bytes(buffer.getvalue())
    assert rs.read_run(path, columns={"doc_id": "hit"}).frame().rows() == ROWS


REPEATED = '{"query_id": "q2", "doc_id": "d1", "score": 1, "score": 5}'
LINE = '{"query_id": "q1", "doc_id": "d1", "score": 2}'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.csv", "query_id,doc_id,score,score\nq1,d1,2,9\n", "run.csv:1: two columns are called 'score'"),
        ("run.jsonl", f"{LINE}\n\n{REPEATED}\n", "run.jsonl:3: the key 'score' occurs twice"),
        ("run.jsonl", f'{LINE}\n{{"a": null, {REPEATED[1:]}\n', "run.jsonl:2: the key 'score' occurs twice"),
        ("run.jsonl", f'{LINE}\n{{"a": {{"score": 1}}, {REPEATED[1:]}\n', "run.jsonl:2: the key 'score' occurs twice"),
        ("run.json", f"[{LINE}, {REPEATED}]", "'score' occurs twice"),
        (
            "l.jsonl",
            '{"id": "q", "retrieved_ids": ["a"], "retrieved_ids": ["b"]}\n',
            "l.jsonl:1: the key 'retrieved_ids'",
        ),
    ],
)
def test_two_columns_or_keys_of_one_name_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        rs.read_run(path)


@pytest.mark.parametrize(
    "more", ['"text": "he said \\"score\\": 5"', '"a": {"score": 7}', '"a": null', '"b": [{"score": 1}]']
)
def test_a_name_of_a_key_may_stand_in_a_value(tmp_path, monkeypatch, more):
    content = "".join(f'{{"query_id": "q1", {more}, "doc_id": "d{n}", "score": {3 - n}}}\n' for n in (1, 2)).encode()
    assert read(tmp_path, content, "run.jsonl") == ROWS
    monkeypatch.setattr(formats, "BLOCK", 45)
    assert read_in_blocks(tmp_path / "run.jsonl") == ROWS


def test_a_key_that_occurs_twice_is_refused_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "BLOCK", 60)
    (tmp_path / "run.jsonl").write_text(f"{LINE}\n{LINE}\n{REPEATED}\n")
    with pytest.raises(InputError, match=r"run.jsonl:3: the key 'score' occurs twice"):
        read_in_blocks(tmp_path / "run.jsonl")
