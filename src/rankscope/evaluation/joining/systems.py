"""All systems of one evaluation, joined: runs, in one process or several, and tables of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from rankscope.data.entities import EntityRanks, hits_of_entities
from rankscope.data.qrels import Qrels
from rankscope.data.spans import SpanQrels
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining.inputs import LETOR, check_inputs, n_workers
from rankscope.evaluation.joining.joined import JoinedRun, Progress
from rankscope.evaluation.joining.joining import Joining, no_part
from rankscope.io.core import is_path, list_folders_once
from rankscope.typing import PathLike

__all__ = [
    "ENTITY",
    "join_all",
    "join_entities",
]


#: A table of ranks, judgments and runs in one.
ENTITY = "entity-ranks"


@list_folders_once()
def join_all(
    qrels: Qrels | PathLike | Any,
    runs: Sequence[Any],
    plan: Plan,
    input_: str | None = None,
    progress: Progress | None = None,
    workers: int | None = 1,
    on_error: str = "stop",
    depth: int = 0,
) -> list[JoinedRun]:
    """Join all systems. The result does not depend on the number of workers.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        The runs.
    plan
        The settings of the evaluation.
    input_
        Format of the runs. Default: detected from their content.
    progress
        Called with the number of bytes just read.
    workers
        Number of processes. None for all cores where the run files are long enough for that to pay.
    on_error
        "stop" raises for a run that cannot be read; "skip" skips it, and the first of the others gets a note. Likewise
        for the files of a folder.
    depth
        How many documents of each list to keep with their ids.

    Raises
    ------
    InputError
        Judgments or a run cannot be read, or no run is left.
    """
    worker_count = n_workers(workers, runs)
    check_inputs(qrels, runs, input_)
    joining = Joining.of(qrels, plan, input_, on_error=on_error, progress=progress, depth=depth)
    in_workers: Any = nullcontext(no_part)
    if worker_count > 1 and input_ not in LETOR and not isinstance(joining.qrels, SpanQrels):
        from rankscope.evaluation.joining.workers import join_in_workers

        in_workers = join_in_workers(joining, runs, worker_count)
    joined_runs: list[JoinedRun] = []
    notes = list(joining.qrels.notes)
    with in_workers as part_of_file:
        for run_index, run in enumerate(runs):
            try:
                joined_runs.append(joining.join_run(run, partial(part_of_file, run_index)))
            except InputError as error:
                if on_error == "stop" or (run_index == len(runs) - 1 and not joined_runs):
                    raise
                notes.append(f"a run is skipped (on_error:skip): {error}")
    if notes:
        joined_runs[0] = joined_runs[0]._replace(notes=(*notes, *joined_runs[0].notes))
    return joined_runs


def join_entities(
    table: EntityRanks | PathLike | Any, plan: Plan, total_ranks: int | None, systems: Sequence[str] = ()
) -> list[JoinedRun]:
    """The systems of a table of ranks, which needs no join. systems: those to read; all by default."""
    if is_path(table):
        from rankscope.io.tables import read_entity_ranks

        table = read_entity_ranks(table, total_ranks, least=plan.least_rank, systems=systems)
    elif not isinstance(table, EntityRanks):
        raise ParameterError(f"input={ENTITY!r} needs a path or an EntityRanks, not a {type(table).__name__}")
    else:
        table = table.select(systems) if systems else table
        if total_ranks is not None and total_ranks != table.total_ranks:
            table = replace(table, total_ranks=total_ranks, where=None)
    if (table.ranks < 1).any():
        strict_measure = next((measure for measure in plan.measures if not measure.ranks_below_1), None)
        if strict_measure is not None:
            raise InputError(
                f"{table.name}: a rank is below 1, which {strict_measure} does not know; correct it, or choose "
                "measures that the preset dunaiski has of its own"
            )
    joined_runs = [JoinedRun(name, hits, (), None) for name, hits in hits_of_entities(table)]
    return [joined_runs[0]._replace(notes=table.notes), *joined_runs[1:]]
