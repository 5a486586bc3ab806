"""A folder of partitions in the place of a run, on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.io.core import paths as folders


@pytest.fixture
def partitions(folder: Path) -> Path:
    """The run of the working folder in two partitions, in `bm25.parquet`, although they are text."""
    lines = (folder / "run").read_text().splitlines(keepends=True)
    made = folder / "bm25.parquet"
    made.mkdir()
    for name, text in (("part-0", lines[:2]), ("part-1", lines[2:]), ("_SUCCESS", []), (".part-0.crc", ["\0"])):
        (made / name).write_text("".join(text))
    return made


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bm25.parquet", ("--by-query", "--format", "json")),
        ("bm25.parquet/", ()),
        ("./bm25.parquet", ("--workers", "2")),
    ],
    ids=["by query", "slash", "workers"],
)
def test_a_folder_prints_what_the_file_prints(
    partitions: Path, cli: Callable[..., Any], name: str, options: Any
) -> None:
    expected = cli("evaluate", "qrels", "run", *options)
    assert expected.code == 0
    assert_same_bits(cli("evaluate", "qrels", name, *options), expected)


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "qrels", "other", "-m", "RR"),
        ("fuse", "-o", "out.run", "other"),
        ("pool", "other"),
        ("consensus", "other"),
        ("features", "runs", "-o", "out.run", "qrels", "other"),
        ("evaluate", "qrels", "--conventions", "RR"),
    ],
    ids=lambda command: command[0],
)
def test_whatever_reads_runs_reads_folders(partitions: Path, cli: Callable[..., Any], command: tuple[str, ...]) -> None:
    Path("other").write_text("1 Q0 b 1 2.5 other\n2 Q0 a 2 8.0 other\n")
    written = Path("out.run")
    expected = cli(*command, "run"), written.exists() and written.read_bytes()
    assert expected[0].code == 0
    assert (cli(*command, "bm25.parquet"), written.exists() and written.read_bytes()) == expected


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were listed."""
    found: list[str] = []
    usual = folders.list_disk_folder

    def files_in(folder: str) -> list[tuple[str, str, int]]:
        found.append(folder)
        return usual(folder)

    monkeypatch.setattr(folders, "list_disk_folder", files_in)
    return found


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "qrels", "bm25.parquet", "-m", "RR", "-o", "out.csv", "--format", "csv"),
        ("evaluate", "qrels", "bm25.parquet", "-m", "RR", "--workers", "2"),
        ("compare", "qrels", "run", "bm25.parquet", "-m", "RR"),
        ("fuse", "-o", "out.run", "run", "bm25.parquet"),
        ("pool", "-o", "out.csv", "bm25.parquet"),
        ("convert", "bm25.parquet", "out.run"),
    ],
    ids=["evaluate", "workers", "compare", "fuse", "pool", "convert"],
)
def test_a_command_lists_a_folder_once(
    partitions: Path, cli: Callable[..., Any], listed: list[str], command: tuple[str, ...]
) -> None:
    assert cli(*command).code == 0
    assert listed == ["bm25.parquet"]


def test_a_call_lists_a_folder_once_and_the_next_call_again(partitions: Path, listed: list[str]) -> None:
    assert [rs.evaluate("qrels", partitions, "RR").missing.sum() for _ in range(2)] == [0, 0]
    (partitions / "part-1").unlink()
    assert rs.evaluate("qrels", partitions, "RR").missing.sum() == 1
    assert listed == 3 * [str(partitions)]


def test_a_damaged_partition_ends_it_or_is_told(partitions: Path, cli: Callable[..., Any]) -> None:
    (partitions / "part-1").write_text("2 Q0\n")
    done = cli("evaluate", "qrels", "bm25.parquet", "-o", "out.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rankscope: bm25.parquet/part-1:1: ")
    assert mentions(done.err, "2 fields", 6)
    assert done.err.count("\n") == 1
    assert not Path("out.csv").exists()
    done = cli("evaluate", "qrels", "bm25.parquet", "-m", "RR", "--on-error", "skip")
    assert done.code == 0
    said = done.out + done.err
    assert mentions(said.splitlines(), "note: bm25.parquet: ", "'bm25'", "2 partitions", 1, "incomplete")
    assert mentions(said.splitlines(), "note: ", "on_error:skip", "bm25.parquet/part-1:1: ", "2 fields")
    assert mentions(said.splitlines(), "note: bm25 ", 1, "2 queries", "missing:zero")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("evaluate", "bm25.parquet", "run"), "bm25.parquet: is a directory, expected a file"),
        (("evaluate", "qrels", "nothing"), "nothing: the folder contains nothing, expected the files of a run"),
        (("fuse", "run", "nothing", "-o", "x.run"), "nothing: the folder contains nothing"),
        (("evaluate", "qrels", "."), "./bm25.parquet: a folder inside a folder, expected the files of one run in ."),
        (("evaluate", "qrels", "run", "bm25.parquet", "-o", "bm25.parquet/part-0"), "would be overwritten"),
        (("convert", "bm25.parquet", "bm25.parquet/part-0", "--to", "trec"), "would be overwritten"),
        (("convert", "bm25.parquet", "x.qrels"), "holds a run"),
        (("trec_eval", "qrels", "bm25.parquet"), "is a directory"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_what_is_wrong_with_a_folder_is_one_line(
    partitions: Path, cli: Callable[..., Any], args: tuple[str, ...], said: str
) -> None:
    Path("nothing").mkdir()
    done = cli(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err
