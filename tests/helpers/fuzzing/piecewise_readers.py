"""Ways in which a run is read piece by piece: what they take they read as the reader of whole files does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

import rankscope as rs
from rankscope import Convention
from rankscope.data.join import Joiner, RunPart
from rankscope.evaluation.joining import Joining
from rankscope.evaluation.joining.joining import join_ungrouped
from rankscope.evaluation.joining.workers import join_task, merge_tasks, tasks_of_run
from rankscope.io.core import get_format, open_binary, open_source
from rankscope.io.tables import formats as table_stretches

__all__ = ["as_partition", "by_workers", "regrouped"]

QRELS = rs.Qrels({"q": {"a": 1, "b": 0}, "r": {"c": 2}})
JOINING = Joining(qrels=QRELS, convention=Convention())
#: Bytes and rows of a piece.
SMALL = 40


def refuse_other_rows(found: RunPart, path: Path) -> None:
    """Raise AssertionError where what was found is not what is in the file; InputError where that cannot be read."""
    whole = JOINING.read_file(path).part()
    for one, other in zip(ordered(found), ordered(whole), strict=True):
        assert np.array_equal(one, other), (found, whole)


def ordered(found: RunPart) -> tuple[np.ndarray, ...]:
    """Of whatever order of queries the same."""
    by_query = np.argsort(found.queries, kind="stable")
    hits = found.hits[:, np.lexsort(found.hits[::-1])]
    return hits, found.queries[by_query], found.retrieved[by_query], np.sort(found.unjudged_queries)


def by_workers(path: Path) -> None:
    """Ranges of TREC's lines and shares of Parquet, put together."""
    tasks = tasks_of_run(0, path, None, SMALL)
    with patch.object(table_stretches, "SLICE", 3):
        found = merge_tasks(JOINING, tasks, [join_task(JOINING, task)[1] for task in tasks])
    if found is not None:
        refuse_other_rows(found, path)


def regrouped(path: Path) -> None:
    """By way of temporary files, in any format that can be read piece by piece."""
    with open_binary(path) as stream, patch.multiple(table_stretches, BLOCK=SMALL, SLICE=3):
        source = open_source(stream, path, None)
        if get_format(source.format).row_batches is None:
            return
        joiner = Joiner(QRELS, Convention(), "run")
        join_ungrouped(joiner, source, None)
    refuse_other_rows(joiner.part(), path)


def as_partition(path: Path) -> None:
    """One of the files of a folder, which is one run; also where those that cannot be read are left out."""
    (path.parent / "part-0").write_bytes(b"p Q0 a 1 2.5 t\nq0 Q0 b 2 1.5 t\nq Q0 z 1 1 t\n")
    replace(JOINING, on_error="skip").join_run(path.parent)
    rs.read_run(path.parent)
    JOINING.join_run(path.parent)
