"""`rankscope crossvalidate`: a folder or a file in, a table of rankers out; what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.folds import rankers

import rankscope as rs
from rankscope.demo.letor import feature_files
from rankscope.reporting.tables import RESULT_FORMATS

QUICK = ("--loss", "linear:listnet", "--loss", "linear:squared", "--seeds", "1", "--epochs", "3", "--workers", "1")


def letor(text: str, queries: range) -> str:
    """Some queries of the demo's table, by place, in LETOR's form."""
    lines = []
    for row in csv.DictReader(io.StringIO(text)):
        query, _, grade, *values = row.values()
        if int(query[1:]) in queries:
            features = " ".join(f"{i}:{value}" for i, value in enumerate(values, 1))
            lines.append(f"{grade} qid:{query} {features} #docid = {row['doc_id']}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def text() -> str:
    return feature_files(2003)["demo-features.csv"]


@pytest.fixture(scope="module")
def texts(text: str) -> dict[str, str]:
    """The files: one, and two layouts of folds."""
    few = "\n".join(text.splitlines()[:200]) + "\n"
    parts = {first: letor(text, range(first, first + 6)) for first in (1, 7, 13, 19)}
    subsets = {f"subsets/S{i}.txt": part for i, part in enumerate(parts.values(), 1)}
    own = {
        f"own/Fold{k}/{name}.txt": parts[first]
        for k, firsts in enumerate(((1, 13, 19), (7, 19, 1)), 1)
        for name, first in zip(("train", "vali", "test"), firsts, strict=True)
    }
    return {"few.csv": few, **subsets, **own}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> Path:
    """The working folder, with these files in it."""
    monkeypatch.chdir(tmp_path)
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("source", "folds"), [("few.csv", 5), ("subsets", 4), ("own", 2)])
def test_each_kind_of_source_gives_a_row_for_each_ranker(
    cli: Callable[..., Any], folder: Path, source: str, folds: int
) -> None:
    done = cli("crossvalidate", source, *QUICK)
    assert (done.code, done.err) == (0, "")
    assert f"2 rankers on {folds} folds, 1 seed\n" in done.out
    for measure in ("nDCG@10", "AP"):
        for ranker in ("linear:listnet", "linear:squared"):
            assert re.search(rf"^{measure}  +{ranker} +0\.\d{{4}} +- +0\.\d{{4}} +\d$", done.out, re.MULTILINE)


def test_the_command_is_the_function(cli: Callable[..., Any], folder: Path) -> None:
    done = cli("crossvalidate", "few.csv", *QUICK, "--folds", "3", "--seed", "4", "-m", "RR", "--format", "csv")
    found = rs.experiments.cross_validate(
        "few.csv", rankers("linear:listnet", "linear:squared", epochs=3), "RR", folds=3, seeds=1, rng=4
    )
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [tuple(row.values())[:4] for row in rows] == [record[:4] for record in found.records()]
    assert [float(row["value"]) for row in rows] == pytest.approx([record[4] for record in found.records()])
    assert list(rows[0]) == ["model", "fold", "part", "measure", "value"]


@pytest.mark.parametrize("form", RESULT_FORMATS)
def test_every_format_is_printed(cli: Callable[..., Any], folder: Path, form: str) -> None:
    done = cli("crossvalidate", "few.csv", *QUICK, "--folds", "3", "-m", "RR", "--format", form)
    assert (done.code, done.err) == (0, "")
    assert "linear:listnet" in done.out.replace("\\", "")


def test_a_page_has_figures_of_folds_features_places_and_epochs(cli: Callable[..., Any], folder: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    page = folder / "page.html"
    alone = ("--loss", "linear:listnet", "--seeds", "1", "--epochs", "3", "--folds", "3", "-m", "RR", "--workers", "1")
    done = cli("crossvalidate", "few.csv", *alone, "--importance", "--format", "html", "-o", page)
    assert (done.code, done.out) == (0, "")
    for text in (
        "fold by fold",
        "importance of features",
        "ranks of documents by grade",
        "validation by epoch",
    ):
        assert text in page.read_text("utf-8")
    assert "text_match" in page.read_text("utf-8")


def test_importance_is_shown_where_it_is_asked_for(cli: Callable[..., Any], folder: Path) -> None:
    common = ("crossvalidate", "few.csv", *QUICK, "--folds", "3")
    assert "importance of features" not in cli(*common).out
    table = cli(*common, "--importance").out.partition("importance of features")[2]
    assert "text_match" in table
    assert "image_size" in table


def test_a_cache_is_kept_and_does_not_disturb(cli: Callable[..., Any], folder: Path) -> None:
    first = cli("crossvalidate", "subsets", *QUICK, "--cache")
    assert len(list((folder / "subsets").glob("*.rscache"))) == 4
    assert cli("crossvalidate", "subsets", *QUICK, "--cache") == first == cli("crossvalidate", "subsets", *QUICK)


def test_json_holds_the_same_rows(cli: Callable[..., Any], folder: Path) -> None:
    rows = json.loads(cli("crossvalidate", "own", *QUICK, "-m", "AP", "--format", "json").out)
    assert {row["fold"] for row in rows} == {"Fold1", "Fold2", "all"}
    assert len(rows) == 2 * 3 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("none.txt", "none.txt: no such file"),
        ("empty", "empty: no folds; the folder is empty; expected folders Fold1, Fold2, ..., each with train.txt"),
        ("broken", "Fold2: no test.txt; expected one file test.txt or testset.txt; there are train.txt and vali.txt"),
        ("own --folds 3", "folds is 3, and own is a folder, which has its own; leave it out"),
        ("few.csv --folds 2", "Invalid value for '--folds': 2 is not in the range x>=3"),
        ("few.csv --folds 99", "queries, expected at least as many as folds, which are 99"),
        ("few.csv --loss listnett", "unknown loss 'listnett'; did you mean listnet?"),
        ("few.csv --loss listnet --loss listnet", "the loss listnet is given twice, expected each once"),
        ("few.csv -m nDGC@10", "unknown measure 'nDGC@10'; did you mean nDCG@10?"),
        ("few.csv -m alpha_nDCG@10", "alpha_nDCG@10 needs judgments by subtopic"),
        ("few.csv -m NumRet", "of NumRet neither higher nor lower is better"),
        ("few.csv --seeds 0", "Invalid value for '--seeds'"),
        ("few.csv --hidden x", "'--hidden': 'x', expected sizes of layers"),
        ("few.csv --stop-on XY", "unknown measure 'XY'"),
        (
            "few.csv --baseline ranknet",
            "unknown ranker 'ranknet'; known: listnet; the baseline must be one of the rankers",
        ),
        ("few.csv --workers 0", "workers is 0, expected a whole number from 1"),
        ("few.csv -o few.csv --format csv", "few.csv"),
        ("subsets -o subsets/S2.txt --format csv", "S2.txt"),
        ("few.csv --format parquet", "parquet cannot be printed"),
        ("malformed", "S2.txt:2: "),
        ("one-grade", "listnet, Fold1: "),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    cli: Callable[..., Any], folder: Path, text: str, arguments: str, said: str
) -> None:
    (folder / "empty").mkdir()
    for k in (1, 2):
        (folder / "broken" / f"Fold{k}").mkdir(parents=True)
        for name in ("train", "vali", "test")[: 4 - k]:
            (folder / "broken" / f"Fold{k}" / f"{name}.txt").write_text(letor(text, range(1, 3)))
    for name, line in (("malformed", "1 qid:9 1:x\n"), ("one-grade", "")):
        (folder / name).mkdir()
        for i in (1, 2, 3):
            more = line if i == 2 else ""
            (folder / name / f"S{i}.txt").write_text(f"0 qid:{i} 1:0.5\n{more}0 qid:{i} 1:0.25\n")
    done = cli("crossvalidate", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err
