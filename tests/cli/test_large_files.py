"""`rankscope evaluate` on runs that are too large for memory, as small ones that are taken for such."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.io.tables import formats as tables
from rankscope.io.trec import format as trec_files

QRELS = "q1 0 d1 1\nq2 0 d1 1\n"
RUN = "q1 Q0 d1 1 2 bm25\nq2 Q0 d2 1 2 bm25\nq1 Q0 d2 2 1 bm25\n"
TABLE = "query_id,doc_id,score\nq1,d1,2\nq2,d2,2\nq1,d2,1\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(trec_files, "TREC", replace(trec_files.TREC, small_size=0))
    monkeypatch.setattr(tables, "CSV", replace(tables.CSV, small_size=0))
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.qrels", QRELS), ("bm25.run", RUN), ("bm25.csv", TABLE)):
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("run", ["bm25.run", "bm25.csv"])
def test_queries_that_are_not_together_are_brought_together_with_a_note(
    files: Path, cli: Callable[..., Any], run: str
) -> None:
    done = cli("evaluate", "a.qrels", run, "-m", "RR", "--by-query")
    assert done.code == 0
    assert mentions((done.out + done.err).splitlines(), f"note: {run}: ", "1 query", "merged")
    assert "0.5" in done.out


@pytest.mark.parametrize("run", ["bm25.run", "bm25.csv"])
@pytest.mark.parametrize("skip", [(), ("bm25.run", "bm25.csv", "--on-error", "skip")], ids=["stop", "skip"])
def test_a_temporary_folder_that_cannot_be_written_is_one_line_and_2(
    files: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, run: str, skip: tuple[str, ...]
) -> None:
    """Also where runs that cannot be read are left out: these could be."""
    monkeypatch.setattr(tempfile, "tempdir", str(files / "gone"))
    done = cli("evaluate", "a.qrels", run, "-o", "out.csv", *skip)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert mentions(done.err, f"{run}: ", "temporary", files / "gone")
    assert not (files / "out.csv").exists()
