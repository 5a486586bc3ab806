"""Repeated measurements, the systems of a wide table, and columns that belong to the queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import InputError, RankscopeError, UnknownName

LONG = """item,model,epoch,value,language,cluster,weight,note
1,a,1,0.5,en,007,2,x
1,a,2,1,en,007,2,y
2,a,1,0.25,de,008,1,x
1,b,1,0.75,en,007,2,x
2,b,1,,de,008,1,x
2,b,2,0.5,de,008,1,x
"""


def read(folder: Path, text: str, name: str = "scores.csv", **options: Any) -> rs.Scores:
    path = folder / name
    path.write_text(text)
    return rs.read_scores(path, **options)


# Repeats


def test_repeats_are_refused_with_both_lines_and_averaged_if_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, LONG)
    assert mentions(raised.value, "scores.csv:3", "scores.csv:2", "--repeats mean")
    scores = read(tmp_path, LONG, repeats="mean")
    assert scores.matrix("score").tolist() == [[0.75, 0.25], [0.75, 0.5]]  # an empty cell is no measurement
    assert "repeats:mean" in scores.signature()
    assert any(mentions(note, "averaged", 5, 4, "1 to 2") for note in scores.notes)
    assert "repeats" not in read(tmp_path, "item,a,b\n1,1,2\n", repeats="mean").signature()  # nothing to average


@pytest.mark.parametrize(
    "text",
    [
        "item,seed,a,b\n1,1,1,0\n1,2,0,0.5\n2,1,1,1\n2,2,1,1\n",
        "item,seed,system,F1\n1,1,a,1\n1,2,a,0\n2,1,a,1\n2,2,a,1\n1,1,b,0\n1,2,b,0.5\n2,1,b,1\n2,2,b,1\n",
        '{"item": 1, "a": 1, "b": 0}\n{"item": 2, "a": 1, "b": 1}\n{"item": 1, "a": 0, "b": 0.5}\n',
    ],
)
def test_repeats_of_all_forms(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"scores\.csv:\d: .* first is at .*scores\.csv:\d"):
        read(tmp_path, text)
    assert read(tmp_path, text, repeats="mean").values[:, 0].tolist() == [[0.5, 1.0], [0.25, 1.0]]


def test_files_of_one_system_are_repeats_too_and_each_measurement_counts_once(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("item,a\n1,0\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("item,a\n1,0.75\n3,1\n")
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    scores = rs.read_scores(paths, repeats="mean")
    assert scores.values[0, 0].tolist() == [0.25, 1.0, 1.0]
    (tmp_path / "1.csv").write_text("item,a\n1,0\n2,1\n")
    with pytest.raises(InputError) as raised:
        rs.read_scores(paths)
    assert mentions(raised.value, "'a'", "1.csv", "2.csv", "--repeats mean")


def test_means_are_those_of_polars() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"system": rng.choice(["a", "b"], 200), "query": rng.integers(0, 9, 200), "value": rng.random(200)}
    )
    scores = rs.Scores.of(frame, repeats="mean")
    expected = frame.group_by("system", "query").agg(pl.mean("value"))
    for system, query, value in expected.iter_rows():
        found = scores.values[scores.systems.index(system), 0, scores.query_ids.index(str(query))]
        assert found == pytest.approx(value, rel=1e-12)


def test_a_column_that_may_name_systems_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, "item,variant,points\n1,x,1\n1,y,0\n")
    assert mentions(raised.value, "--columns system=variant")


# Systems of a wide table


def test_systems_says_which_columns_are_systems(tmp_path: Path) -> None:
    text = "item,length,bm25,cost,dense\n1,10,0.5,1,0.25\n2,20,1,2,0.75\n"
    assert read(tmp_path, text).systems == ("length", "bm25", "cost", "dense")
    assert any(mentions(note, "'length'", "as systems") for note in read(tmp_path, text).notes)
    scores = read(tmp_path, text, systems=["dense", "bm25"])
    assert (scores.systems, scores.values[:, 0].tolist()) == (("dense", "bm25"), [[0.25, 0.75], [0.5, 1.0]])
    assert scores.query_columns == {"length": (10.0, 20.0), "cost": (1.0, 2.0)}
    assert not any("as systems" in note for note in scores.notes)
    with pytest.raises(UnknownName, match=r"'densee'.*'?dense"):
        read(tmp_path, text, systems=["densee", "bm25"])


def test_systems_also_chooses_rows_files_and_keys(tmp_path: Path) -> None:
    assert read(tmp_path, LONG, systems="b", repeats="mean").systems == ("b",)
    (tmp_path / "x.csv").write_text("item,c,d\n1,1,2\n")
    read(tmp_path, "item,a,b\n1,1,2\n")
    both = rs.read_scores([tmp_path / "scores.csv", tmp_path / "x.csv"], systems=["d", "a"])
    assert (both.systems, both.values.ravel().tolist()) == (("d", "a"), [2.0, 1.0])
    assert rs.Scores.of({"a": {"q": 1.0}, "b": {"q": 0.5}}, systems="b").systems == ("b",)
    rs.write_scores(both, tmp_path / "s.parquet")
    assert rs.read_scores(tmp_path / "s.parquet", systems="a").systems == ("a",)


# Columns of queries


def test_columns_of_queries_are_kept(tmp_path: Path) -> None:
    scores = read(tmp_path, LONG, repeats="mean")
    assert scores.query_columns == {"language": ("en", "de"), "cluster": ("007", "008"), "weight": (2.0, 1.0)}
    assert any(mentions(note, "'note'", "'epoch'", "left out") for note in scores.notes)
    rs.write_scores(scores, tmp_path / "s.parquet")
    again = rs.read_scores(tmp_path / "s.parquet")
    assert dict(again.query_columns) == dict(scores.query_columns)
    assert pl.read_parquet(tmp_path / "s.parquet")["language"].to_list() == ["en", "de"] * 2
    frame = scores.frame()
    assert frame.columns == ["system", "measure", "query", "value", "cluster", "weight", "language"]
    assert rs.Scores.of(frame).query_columns == scores.query_columns
    assert again.select(systems=[0]).query_columns == scores.query_columns


def test_columns_of_queries_by_form_and_by_name(tmp_path: Path) -> None:
    wide = read(tmp_path, "item,topic of it,group,a,b\n1,x,1,0.5,1\nall,,,0.5,1\n2,,2,0.5,1\n")
    assert wide.query_columns == {"group": ("1", "2"), "topic of it": ("x", None)}
    named = read(tmp_path, "item,lang,a,b\n1,7,0.5,1\n2,8,0.5,1\n", columns={"group": "lang"})
    assert (named.systems, named.query_columns) == (("a", "b"), {"group": ("7", "8")})
    twice = read(tmp_path, "item,lang,group,a\n1,x,u,1\n2,y,v,1\n", columns={"group": "lang"})
    assert twice.query_columns == {"group": ("x", "y")}
    assert any(mentions(note, "'group'", "left out") for note in twice.notes)
    measures = read(tmp_path, "item,system,F1,lang\n1,a,0.5,x\n1,b,1,x\n")
    assert measures.query_columns == {"lang": ("x",)}
    with pytest.raises(InputError, match=r"scores\.csv:2: weight is 'x'"):
        read(tmp_path, "item,weight,a,b\n1,x,1,2\n2,1,1,1\n")


def test_a_column_that_differs_within_a_query_or_between_files_is_left_out_with_a_note(tmp_path: Path) -> None:
    scores = read(tmp_path, "system,query,value,length,low\na,1,1,10,x\nb,1,0,12,x\n")
    assert scores.query_columns == {}
    assert mentions(scores.notes[0], "'length'", "'low'", "left out")
    (tmp_path / "2.csv").write_text("system,query,value,lang,length\nc,1,1,en,5\nc,2,1,de,6\n")
    (tmp_path / "3.csv").write_text("system,query,value,lang,length\nd,1,1,en,7\nd,3,1,,8\n")
    joined = rs.read_scores([tmp_path / "2.csv", tmp_path / "3.csv"])
    assert joined.query_columns == {"lang": ("en", "de", None)}
    assert any(mentions(note, "'length'", "different", "left out") for note in joined.notes)


# What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map\tq1\t0.5\nitem,a,b\n1,1,2\n", ":2: "),  # mixed forms
        ('{"item": 1, "a": 0.5, "b": 1}\n{"system": "a", "query": "2", "value": 1}\n', ":1: system is empty"),
        ("item,a,b\n1,1,2\nmap\tq1\t0.5\n", ":3: 1 field"),
        ("a M t1 1\na M t2 2\nb M t1\na M all 2\n", ":1: "),
        ("item,a\n1,x\n2,y\n", ":1: no column of numbers"),
        ("item,a,b\n1,nan,2\n", ":2: a is "),
        ("item,a,b\n1,1e999,2\n", ":2: a is "),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RankscopeError) as raised:
        read(tmp_path, text)
    assert f"scores.csv{message}" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("n_columns", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_far_too_many_columns_are_one_line(tmp_path: Path, n_columns: int) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, "item," + ",".join(f"s{i}" for i in range(n_columns)) + "\n" + "1" + ",1" * n_columns + "\n")
    assert mentions(raised.value, "scores.csv", "columns")
    assert len(str(raised.value)) < 500
