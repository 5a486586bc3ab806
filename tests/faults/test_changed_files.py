"""Files that change, or are exchanged for others, while they are read: never a result of some of each."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError
from rankscope.evaluation import conventions_table as named
from rankscope.evaluation.joining import workers as pieces
from rankscope.io.tables import formats as table_stretches

QUERIES, DEPTH = 40, 20
CHANGED = r": changed while it was read, expected a file that does not change; try again when nothing writes to it$"
Exchange = Callable[[], None]


def qrels() -> rs.Qrels:
    return rs.Qrels({f"q{q:02d}": {"d00": 1} for q in range(QUERIES)})


def write(path: Path, first: bool) -> None:
    """A run whose only judged document is the first of all its lists, or the last; the files are equally long."""
    queries = np.repeat([f"q{q:02d}" for q in range(QUERIES)], DEPTH)
    docs = np.tile([f"d{d:02d}" for d in range(DEPTH)], QUERIES)
    scores = np.tile(np.arange(10, 10 + DEPTH)[:: -1 if first else 1], QUERIES)
    if path.suffix == ".parquet":
        import polars as pl

        pl.DataFrame({"query": queries, "doc": docs, "score": scores.astype(np.float64)}).write_parquet(path)
    else:
        lines = zip(queries.tolist(), docs.tolist(), scores.tolist(), strict=True)
        path.write_text("".join(f"{query} Q0 {doc} 1 {score} t\n" for query, doc, score in lines), "utf-8")


def value(path: object, workers: int | None = None) -> float:
    return rs.evaluate(qrels(), path, ["RR"], workers=workers).overall("RR")


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / f"run.{request.param}"
    write(path, first=True)
    return path


@pytest.fixture
def exchange(run: Path) -> Exchange:
    """Another file takes its place, once, as whoever writes files whole does it."""
    other = run.with_name(f"other{run.suffix}")
    write(other, first=False)

    def exchanging() -> None:
        if other.exists():
            os.replace(other, run)

    return exchanging


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are large from a few hundred bytes on."""
    for name in ("MAX_PIECE_BYTES", "MIN_PIECE_BYTES"):
        monkeypatch.setattr(pieces, name, 800)
    monkeypatch.setattr(table_stretches, "SLICE", 100)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("run", ["trec", "parquet"], indirect=True)
@pytest.mark.parametrize("folder", [False, True], ids=["a file", "a partition"])
def test_pieces_of_two_files_are_not_put_together(
    folder: bool, run: Path, exchange: Exchange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What workers found in pieces of both is thrown away, and the file read from its beginning."""
    asked = []

    def one_by_one(function: Any, units: Any, *, shared: Any, **_: Any) -> Iterator[Any]:
        for unit in units:
            asked.append(unit)
            yield function(shared, unit)
            exchange()

    monkeypatch.setattr(pieces, "run_units", one_by_one)
    named_ = run
    if folder:
        (tmp_path / "folder").mkdir()
        named_ = tmp_path / "folder"
        monkeypatch.setattr(os, "replace", lambda old, _, replace=os.replace: replace(old, named_ / run.name))
        run.rename(named_ / run.name)
    before = value(named_)
    assert before == 1
    assert value(named_, workers=2) == pytest.approx(1 / DEPTH)
    assert len(asked) > 2
    assert value(named_) == pytest.approx(1 / DEPTH)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("run", ["parquet"], indirect=True)
def test_parquet_that_is_exchanged_between_its_slices_is_told(
    run: Path, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = table_stretches.ParquetRows(str(run), str(run), {})
    assert rows.read_batch(0).values.size == 100
    exchange()
    with pytest.raises(InputError, match=CHANGED):
        rows.read_batch(100)


@pytest.mark.parametrize("run", ["trec"], indirect=True)
def test_a_file_that_is_exchanged_is_read_as_it_was_opened(
    run: Path, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankscope.evaluation.joining import joining

    def opened(*args: Any, real: Any = joining.open_source, **kwargs: Any) -> Any:
        source = real(*args, **kwargs)
        exchange()
        return source

    monkeypatch.setattr(joining, "open_source", opened)
    assert value(run) == 1
    assert value(run) == pytest.approx(1 / DEPTH)


@pytest.mark.parametrize("run", ["trec"], indirect=True)
@pytest.mark.parametrize("how", ["exchanged", "written to", "gone"])
def test_conventions_of_two_files_are_not_compared(
    how: str, run: Path, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    def join_all(*args: Any, real: Any = named.join_all) -> Any:
        joined = real(*args)
        if how == "exchanged":
            exchange()
        elif how == "gone":
            run.unlink()
        else:
            with run.open("a", encoding="utf-8") as file:
                file.write("q00 Q0 more 21 1 t\n")
        return joined

    monkeypatch.setattr(named, "join_all", join_all)
    with pytest.raises(InputError, match=CHANGED):
        rs.compare_conventions(qrels(), run, "RR")


@pytest.mark.parametrize("run", ["trec"], indirect=True)
@pytest.mark.parametrize("command", ["leave one out", "two judges", "a fusion and its measures", "a report"])
def test_what_is_read_twice_is_read_of_one_file(
    command: str, run: Path, exchange: Exchange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is exchanged as soon as it has been read for the first time."""
    judged, other = tmp_path / "qrels", tmp_path / "second.run"
    judged.write_text("".join(f"q{q:02d} 0 d00 1\nq{q:02d} 0 d01 0\n" for q in range(QUERIES)), "utf-8")
    other.write_text(run.read_text("utf-8").replace(" t\n", " u\n"), "utf-8")
    runs = [str(run), str(other)]

    def seen(module: Any, name: str) -> None:
        real = getattr(module, name)

        def calling(*args: Any, **kwargs: Any) -> Any:
            found = real(*args, **kwargs)
            exchange()
            return found

        monkeypatch.setattr(module, name, calling)

    if command == "leave one out":
        seen(importlib.import_module("rankscope.judging.pooling.leave_one_run_out"), "read_lists")
        with pytest.raises(InputError, match=CHANGED):
            rs.judging.leave_out(runs, qrels(), "RR", depth=5)
    elif command == "two judges":
        seen(importlib.import_module("rankscope.comparison.judges.ranking_effect"), "plan_and_join")
        with pytest.raises(InputError, match=CHANGED):
            rs.agree_judgments(judged, judged, runs, ["RR"])
    elif command == "a report":
        seen(importlib.import_module("rankscope.reporting.report"), "plan_and_join")
        with pytest.raises(InputError, match=CHANGED):
            rs.report(judged, runs, ["RR"], figures=False)
    else:
        module = importlib.import_module("rankscope.cli.fuse")
        seen(module, "fuse_untrained")
        args = [*runs, "--evaluate", str(judged), "-m", "RR", "-o", str(tmp_path / "fused.run")]
        with pytest.raises(InputError, match=CHANGED):
            module.fuse.main(args, standalone_mode=False)
        assert not (tmp_path / "fused.run").exists()


@pytest.mark.parametrize("run", ["trec"], indirect=True)
def test_files_that_stay_are_compared_under_all_conventions(run: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    run.rename(tmp_path / "folder" / run.name)
    assert len(rs.compare_conventions(qrels(), tmp_path / "folder", "RR").rows) > 2
