"""`rankscope evaluate --save`: all values in a file, for later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankscope import read_scores


def test_evaluate_saves_what_it_shows(cli: Any, folder: Path) -> None:
    done = cli("evaluate", "qrels", "run", "--save", "s.parquet")
    assert (done.code, done.err) == (0, "")
    assert str(read_scores("s.parquet")) + "\n" == done.out
    plain = cli("evaluate", "qrels", "run")
    assert plain.out == done.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--save", "s.csv"), "scores are saved as Parquet"),
        (("--save", "s.parquet", "-o", "s.parquet"), "writes no .parquet files"),
        (("--save", "s.parquet", "--conventions", "RR"), "--conventions cannot be combined with --save"),
        (("--save", "x/s.parquet"), "the folder x does not exist"),
        (("--save", "qrels.parquet"), "would be overwritten"),
    ],
)
def test_a_file_to_save_to_that_makes_no_sense_is_refused(
    cli: Any, folder: Path, options: tuple[str, ...], says: str
) -> None:
    (folder / "qrels.parquet").write_bytes((folder / "qrels").read_bytes())
    done = cli("evaluate", "qrels.parquet", "run", *options)
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["qrels", "qrels.parquet", "run"]
