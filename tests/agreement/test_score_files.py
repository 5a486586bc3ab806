"""Scores by measures in the place of judgments and metrics; names of columns; folders of metric scores alone."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.agreement import compare_metrics, raters, segments, systems
from rankscope.data.metric_scores import PairScores
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.io.translation import list_mt_scores

SYSTEMS, ITEMS = ("A", "B", "C"), ("1", "2", "3", "4")
VALUES = {
    "human": [[1, 2, 3, 2], [2, 3, 3, 1], [4, 3, 4, 5]],
    "m1": [[0.1, 0.2, 0.4, 0.3], [0.3, 0.2, 0.3, 0.2], [0.4, 0.6, 0.5, 0.7]],
    "m2": [[3, 1, 2, 2], [1, 1, 2, 1], [1, 4, 1, 2]],
}
LONG = "engine,prompt,metric,value\n" + "".join(
    f"{system},{item},{name},{VALUES[name][s][i]}\n"
    for name in VALUES
    for s, system in enumerate(SYSTEMS)
    for i, item in enumerate(ITEMS)
)
NAMES = {"system": "engine", "query": "prompt"}


def of_segments(name):
    return rs.MetricScores(name, {"": PairScores(SYSTEMS, ITEMS, np.array(VALUES[name], float))})


EXPECTED = {
    "systems": systems(of_segments("human"), [of_segments("m1"), of_segments("m2")], rng=1),
    "metrics": compare_metrics(of_segments("human"), [of_segments("m1"), of_segments("m2")], rng=1, n_resamples=50),
    "segments": segments(of_segments("human"), [of_segments("m1"), of_segments("m2")], rng=1),
}


def same(found, name):
    assert found.frame().equals(EXPECTED[name].frame(), null_equal=True)


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(LONG)
    return path


def test_a_file_of_scores_by_measures_is_judgments_and_metrics(scores):
    same(systems(scores, columns=NAMES, rng=1), "systems")
    same(compare_metrics(scores, columns=NAMES, rng=1, n_resamples=50), "metrics")
    same(segments(scores, columns=NAMES, rng=1), "segments")


def test_scores_are_taken_as_they_are_and_as_they_were_saved(scores, tmp_path):
    found = rs.read_scores(scores, columns=NAMES)
    same(systems(found, rng=1), "systems")
    same(compare_metrics(found, rng=1, n_resamples=50), "metrics")
    rs.write_scores(found, tmp_path / "saved.parquet")
    same(systems(tmp_path / "saved.parquet", rng=1), "systems")
    metrics = rs.read_scores(scores, columns=NAMES, measures=["m1", "m2"])
    same(systems(of_segments("human"), metrics, rng=1), "systems")
    same(systems(of_segments("human"), [metrics], rng=1), "systems")


def test_the_measure_of_people_may_be_called_otherwise_and_lower_may_be_better(scores):
    found = systems(scores, columns=NAMES, gold="m1", lower="m2", rng=1)
    assert mentions(found.signature(), "gold:m1", "higher:m1,human", "lower:m2")
    assert {row[0] for row in found.records()} == {"human", "m2"}


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (LONG, {"gold": "m3"}, "measure of the judgments 'm3'"),
        (LONG.replace("human", "m0"), {}, "which measure holds the human judgments.* such as --gold m0"),
        (LONG.replace("human", "people's score"), {}, "such as --gold people's score"),
        (LONG + "A,1,m1,0.5\n", {}, ":38: a second value .* the first is at .*:14"),
        (LONG.replace("0.7", "inf"), {}, ":25: value is inf, expected a finite number"),
        (LONG.replace("0.7", "high"), {}, ":25: value is 'high', expected a finite number"),
        (LONG + "a,1,m1,0.5\n", {}, "'a' differs from 'A' in case only"),
        (LONG + "A,9\n", {}, ":38: 2 fields, expected 4"),
        (LONG, {"columns": {"query": "what", "system": "engine"}}, "no column 'what', which columns"),
        (LONG, {"duplicates": "drop"}, "duplicates has no effect"),
    ],
)
def test_wrong_scores_by_measures_are_refused(tmp_path, content, options, message):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    with pytest.raises(RankscopeError, match=message):
        systems(path, **{"columns": NAMES, **options})


def test_scores_name_no_raters(scores):
    with pytest.raises(ParameterError, match="scores"):
        raters(rs.read_scores(scores, columns=NAMES))


JUDGED = "prompt no,engine,llm,gold\n" + "".join(
    f"{item},{system},{VALUES['m1'][s][i]},{VALUES['human'][s][i]}\n"
    for s, system in enumerate(SYSTEMS)
    for i, item in enumerate(ITEMS)
)
COLUMNS = {"segment": "prompt no", "system": "engine"}


def test_columns_of_judged_tables_are_named(tmp_path):
    named, usual = tmp_path / "named.csv", tmp_path / "usual.csv"
    named.write_text(JUDGED)
    usual.write_text(JUDGED.replace("prompt no,engine", "segment,system"))
    for analyse in (systems, segments):
        found = analyse(named, columns=COLUMNS, higher=["llm", "gold"], rng=1)
        assert found.frame().equals(analyse(usual, higher=["llm", "gold"], rng=1).frame(), null_equal=True)


def test_columns_of_tables_of_systems_are_named_where_they_are(tmp_path):
    people, metric = tmp_path / "people.csv", tmp_path / "metric.csv"
    people.write_text("engine,human\nA,1\nB,2\nC,3\n")
    metric.write_text("system,BLEU\nA,1\nB,3\nC,2\n")
    found = systems(people, metric, columns={"system": "engine"}, interval="none")
    assert next(iter(found.records()))[3] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"segment": "what"}, r":1: no column 'what', which columns \(--columns\) names, among 'prompt no', 'engine'"),
        ({"sysem": "engine"}, "has 'sysem', expected some of segment, system"),
        ({"system": "engine"}, ":3: a second row of system 'A', .*--columns segment=NAME"),
    ],
)
def test_wrong_names_of_columns_are_refused(tmp_path, columns, message):
    path = tmp_path / "judged.csv"
    path.write_text(JUDGED)
    with pytest.raises((InputError, ParameterError), match=message):
        systems(path, columns=columns)


def test_columns_need_a_table(tmp_path):
    path = tmp_path / "darr.txt"
    path.write_text("17 de-en A de-en B\n17 de-en C de-en A\n")
    with pytest.raises(ParameterError, match="is not a table, so columns"):
        raters(path, columns=COLUMNS)
    with pytest.raises(ParameterError, match="not a file, so columns"):
        systems(of_segments("human"), of_segments("m1"), columns=COLUMNS)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("segment,system,gold,Gold", "the columns 'gold' and 'Gold' differ in case"),
        ("segment,system,gold,gold", "two columns are called 'gold'"),
        ("segment,system,,gold", ":1: column 3 has no name"),
    ],
)
def test_columns_that_cannot_be_told_apart_are_refused(tmp_path, header, message):
    path = tmp_path / "judged.csv"
    path.write_text(f"{header}\n1,A,1,2\n1,B,2,1\n")
    with pytest.raises(InputError, match=message):
        systems(path)


def test_a_folder_with_nothing_but_scores_needs_no_root(tmp_path, monkeypatch):
    root = tmp_path / "mt"
    for name in VALUES:
        kind = "human-scores/en-de." if name == "human" else "metric-scores/en-de/"
        path = root / f"{kind}{name}.seg.score"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{s}\t{x}\n" for s, row in zip(SYSTEMS, VALUES[name], strict=True) for x in row))
    people, folder = root / "human-scores" / "en-de.human.seg.score", root / "metric-scores" / "en-de"
    expected = systems(people, root, rng=1).frame()
    assert systems(people, folder, rng=1).frame().equals(expected, null_equal=True)
    assert systems(people, sorted(folder.iterdir()), rng=1).frame().equals(expected, null_equal=True)
    assert systems(people, folder.parent, rng=1).frame().equals(expected, null_equal=True)
    monkeypatch.chdir(folder.parent)
    assert [(file.pair, file.name) for file in list_mt_scores(".")] == [("en-de", "m1"), ("en-de", "m2")]
    monkeypatch.chdir(folder)
    assert [(file.pair, file.name) for file in list_mt_scores(".")] == [("en-de", "m1"), ("en-de", "m2")]
    (folder / "README").write_text("other files make it another folder\n")
    with pytest.raises(InputError, match=r"no metric-scores/PAIR/METRIC\.seg\.score in this folder"):
        systems(people, folder)
