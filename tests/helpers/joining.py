"""Runs joined with judgments in one call, in this process or by workers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rankscope import Convention, Qrels
from rankscope.evaluation.joining import JoinedRun, Joining, Progress
from rankscope.evaluation.joining.workers import join_in_workers

__all__ = ["join_one", "join_with_workers"]


def join_one(qrels: Qrels, run: Any, convention: Convention | None = None, **options: Any) -> JoinedRun:
    """One run, in this process. options: input, on_error and progress."""
    return Joining(qrels=qrels, convention=convention or Convention(), **options).join_run(run)


def join_with_workers(
    qrels: Qrels, runs: Sequence[Any], convention: Convention, workers: int = 1, progress: Progress | None = None
) -> list[JoinedRun]:
    """All runs, as workers join them; a single one works in this process."""
    joining = Joining(qrels=qrels, convention=convention, progress=progress)
    with join_in_workers(joining, runs, workers) as part_of_file:
        return [joining.join_run(run, partial(part_of_file, index)) for index, run in enumerate(runs)]
