"""What `rankscope stability` gives to programs: Parquet, and the ablation's own table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused

import rankscope as rs

QUICK = ("--iterations", "3", "--resamples", "30", "--seed", "1", "-m", "AP", "-m", "P@5")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: judgments of 12 queries, and three runs."""
    rng = np.random.default_rng(3)
    judged = {f"q{q}": {f"d{d}": int(rng.random() < 0.3) for d in range(30)} for q in range(12)}
    lines = [f"{q} 0 {d} {grade}" for q, docs in judged.items() for d, grade in docs.items()]
    (tmp_path / "qrels").write_text("\n".join(lines) + "\n")
    for name, noise in (("a.run", 0.5), ("b.run", 1.0), ("c.run", 4.0)):
        rows = [
            f"{q} Q0 {d} 1 {grade + noise * rng.random():.6f} {name[0]}"
            for q, docs in judged.items()
            for d, grade in docs.items()
        ]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tidy_table_can_be_had_as_parquet(cli: Callable[..., Any], files: Path) -> None:
    done = cli("stability", "qrels", "a.run", "b.run", "c.run", *QUICK, "--format", "parquet", "-o", "out.parquet")
    assert (done.code, done.out, done.err) == (0, "", "")
    found = pl.read_parquet("out.parquet")
    study = rs.stability.study("qrels", ["a.run", "b.run", "c.run"], ["AP", "P@5"], iterations=3, n_resamples=30, rng=1)
    assert found.equals(study.frame())


def test_parquet_is_not_printed(cli: Callable[..., Any], files: Path) -> None:
    done = cli("stability", "qrels", "a.run", "b.run", *QUICK, "--format", "parquet")
    assert (done.code, done.out) == (2, "")
    assert_refused(done, "parquet", "-o")


def test_the_ablation_has_a_table_of_its_own(cli: Callable[..., Any], files: Path) -> None:
    call = ("stability", "qrels", "a.run", "b.run", "c.run", *QUICK)
    alone = cli(*call, "--print", "ablation", "--format", "csv")
    assert alone.out.startswith("kind,measure,level,kept,")
    assert {line.split(",")[0] for line in alone.out.splitlines()[1:]} == {"all", "random", "depth"}
    assert mentions(cli(*call, "--ablation").out.splitlines(), "judgments", "at random")
    refused = cli(*call, "--ablation", "--format", "csv")
    assert (refused.code, refused.out) == (2, "")
    assert "replace --ablation by --print ablation" in refused.err


def test_levels_that_no_p_can_reach_are_left_empty_and_said(cli: Callable[..., Any], files: Path) -> None:
    """Of sets of 3, a resample of one query alone is 3^-2 of all, and counts as extreme."""
    call = ("stability", "qrels", "a.run", "b.run", "c.run", *QUICK[:6], "-m", "AP")
    done = cli(*call, "--set-size", "3", "--alpha", ".05")
    assert mentions(" ".join(done.out.split()), "below 0.11")
    assert mentions(done.out.splitlines(), "note: ", 0.05, "sets of 3")
