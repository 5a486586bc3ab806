"""`rankscope mt-experiment`: a folder in, the published tables out; what is written, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.demo.collection import write_files
from rankscope.demo.translations import FOLDER, translation_files

QUICK = ("--protocol", "cv", "--features", "nine", "--losses", "RankNet", "--seeds", "1", "--workers", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'rankscope[mt]'")
    root = tmp_path_factory.mktemp("translations")
    write_files(root, translation_files(2003))
    return root / FOLDER


def test_it_prints_the_table_and_writes_everything_into_a_folder(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    done = cli("mt-experiment", "--data", folder, *QUICK, "--resamples", "50", "-o", tmp_path / "new/found")
    assert (done.code, done.err) == (0, "")
    assert mentions(done.out.split("\n\n")[1], "5-fold")
    assert mentions(done.out.splitlines(), "RankNet ", "(de-en)", " tau ")
    written = tmp_path / "new/found"
    rows = list(csv.DictReader(io.StringIO((written / "cv-tables.csv").read_text())))
    assert list(rows[0]) == ["table", "metric", "pair", "published", "found", "low", "high"]
    assert (
        (written / "cv-tests.csv").read_text().startswith("direction,first,second,difference,low,high,p,p_corrected\n")
    )
    page = (written / "cv-page.html").read_text()
    assert "Models against each other" in page
    with gzip.open(written / "cv-scores/RankNet.seg.scr.gz", "rt") as lines:
        assert lines.readline().split("\t")[:5] == ["RankNet", "de-en", "wmt12", "apex", "1"]
    assert len(list((written / "cache").iterdir())) == 2
    again = cli("mt-experiment", "--data", folder, *QUICK, "--cache", written / "cache", "--format", "csv")
    assert [row["found"] for row in csv.DictReader(io.StringIO(again.out))][:2] == [row["found"] for row in rows][:2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--hidden", "x"), "'--hidden': 'x', expected sizes of layers as 64 or 64,32, or 0 for none"),
        (("--pairs", "de-fr"), "unknown language pair of WMT12 'de-fr'; did you mean"),
        (("--losses", "lambdarank"), "unknown loss 'lambdarank'; known: ListMLE, ListNet, RankNet, pointwise"),
        (("--features", "ten"), "unknown set of features 'ten'; did you mean"),
        (("--protocol", "wmt15"), "'wmt15' is not one of"),
        (("--plot", "x.gif"), "x.gif"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    cli: Callable[..., Any], tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = cli("mt-experiment", "--data", tmp_path, *more)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_a_folder_that_is_a_file_is_refused_before_the_work(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = cli("mt-experiment", "--data", folder, *QUICK, "-o", tmp_path / "file")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert mentions(done.err, tmp_path / "file", "no folder")


def test_a_folder_that_was_made_in_vain_is_taken_away(cli: Callable[..., Any], tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    for output in (tmp_path / "new/found", kept):
        done = cli("mt-experiment", "--data", tmp_path / "nowhere", *QUICK, "-o", output)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert list(tmp_path.iterdir()) == [kept]  # which was there before


def test_texts_that_do_not_fit_are_refused_with_file_and_count(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, translation_files(2003))
    outputs = tmp_path / FOLDER / "wmt12/plain/system-outputs/newstest2012/de-en/newstest2012.de-en.brisk"
    text = outputs.read_bytes()
    for changed, said in (
        (text + b"one more\n", ("newstest2012.de-en.brisk: 61 lines", 60)),
        (b"\xff" + text, ("newstest2012.de-en.brisk:1: ", "UTF-8")),
    ):
        outputs.write_bytes(changed)
        done = cli("mt-experiment", "--data", tmp_path / FOLDER, *QUICK)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert mentions(done.err, *said)
