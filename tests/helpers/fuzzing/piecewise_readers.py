"""Ways in which a run is read piece by piece: what they take they read as the reader of whole files does."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np

import rankscope as rs
from rankscope import Convention
from rankscope.data.join import Joiner
from rankscope.evaluation.joining import RunPart, join_folder
from rankscope.evaluation.joining.joined import join_run_part, join_ungrouped
from rankscope.evaluation.joining.workers import join_task, merge_tasks, tasks_of_file
from rankscope.io.core import get_format, open_binary, open_source
from rankscope.io.tables import formats as table_stretches

__all__ = ["as_partition", "by_workers", "regrouped"]

QRELS = rs.Qrels({"q": {"a": 1, "b": 0}, "r": {"c": 2}})
#: Bytes and rows of a piece.
SMALL = 40


def refuse_other_rows(found: RunPart, path: Path) -> None:
    """Raise AssertionError where what was found is not what is in the file; InputError where that cannot be read."""
    whole = join_run_part(QRELS, path, Convention(), None, None)
    for one, other in zip(ordered(found), ordered(whole), strict=True):
        assert np.array_equal(one, other), (found, whole)


def ordered(found: RunPart) -> tuple[np.ndarray, ...]:
    """Of whatever order of queries the same."""
    portion = found.portion
    by_query = np.argsort(portion.queries, kind="stable")
    hits = portion.hits[:, np.lexsort(portion.hits[::-1])]
    return hits, portion.queries[by_query], portion.retrieved[by_query], np.sort(portion.unjudged_queries)


def by_workers(path: Path) -> None:
    """Ranges of TREC's lines and shares of Parquet, put together."""
    shared = (QRELS, Convention())
    file = tasks_of_file((0, 0), path, None, SMALL, path.stat().st_size, False)
    with patch.object(table_stretches, "SLICE", 3):
        found = merge_tasks(*shared, file, [join_task(shared, unit)[1] for unit in file.tasks], None)
    if found is not None:
        refuse_other_rows(found, path)


def regrouped(path: Path) -> None:
    """By way of temporary files, in any format that can be read piece by piece."""
    with open_binary(path) as stream, patch.multiple(table_stretches, BLOCK=SMALL, SLICE=3):
        source = open_source(stream, path, None)
        if get_format(source.format).row_batches is None:
            return
        found = join_ungrouped(Joiner(QRELS, Convention(), "run"), source, None)
    refuse_other_rows(found, path)


def as_partition(path: Path) -> None:
    """One of the files of a folder, which is one run; also where those that cannot be read are left out."""
    (path.parent / "part-0").write_bytes(b"p Q0 a 1 2.5 t\nq0 Q0 b 2 1.5 t\nq Q0 z 1 1 t\n")
    join_folder(QRELS, path.parent, Convention(), None, None, "skip")
    rs.read_run(path.parent)
    join_folder(QRELS, path.parent, Convention(), None, None)
