"""All systems of one evaluation, joined: runs, LETOR's prediction files, tables of ranks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankscope.data.entities import EntityRanks, hits_of_entities
from rankscope.data.join import Convention, join
from rankscope.data.qrels import Qrels
from rankscope.data.spans import SpanQrels
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining.joined import (
    JoinedRun,
    Progress,
    for_each_run,
)
from rankscope.evaluation.joining.run_input import as_qrels, join_run, run_size
from rankscope.io.core import (
    check_single_stdin,
    is_path,
    list_folders_once,
    source_name,
)
from rankscope.measures.names import parse_measures
from rankscope.typing import PathLike

__all__ = [
    "ENTITY",
    "LETOR",
    "join_all",
    "join_entities",
    "n_workers",
    "worth_parallelising",
]


#: Dashes that word processors put in place of hyphens.
DASHES = ("\N{EN DASH}", "\N{EM DASH}", "\N{MINUS SIGN}")
#: Inputs of two files that belong together: labels, and predictions in the order of their lines.
LETOR = {"letor": "a label file, then files of scores", "letor-ranks": "a label file, then files of rank positions"}
#: From this number of bytes of run files on, several workers are faster than one.
PARALLEL_BYTES = 48 << 20
#: A table of ranks, judgments and runs in one.
ENTITY = "entity-ranks"


@list_folders_once()
def join_all(
    qrels: Qrels | PathLike | Any,
    runs: Sequence[Any],
    plan: Plan,
    input_: str | None,
    progress: Progress | None,
    workers: int | None = None,
    on_error: str = "stop",
) -> list[JoinedRun]:
    """Join all systems. workers: None for all cores where the run files are long enough for that to pay.

    The result does not depend on the number of workers. on_error: see `for_each_run`.
    """
    worker_count = n_workers(workers, runs)
    check_single_stdin([qrels, *runs])
    refuse_measures(runs)
    if input_ in LETOR:
        return join_letor(qrels, runs, plan.convention, input_, progress, on_error)
    judgments = as_qrels(qrels, plan)
    if worker_count > 1 and not isinstance(judgments, SpanQrels):
        from rankscope.evaluation.joining.workers import join_in_workers

        joined = join_in_workers(judgments, runs, plan.convention, input_, worker_count, progress, on_error)
    else:
        joined = for_each_run(
            runs,
            lambda run_index: join_run(judgments, runs[run_index], plan.convention, input_, progress, on_error),
            on_error,
        )
    if judgments.notes:
        joined[0] = joined[0]._replace(notes=(*judgments.notes, *joined[0].notes))
    return joined


def worth_parallelising(runs: Sequence[Any]) -> bool:
    """Whether all these run files together are long enough for several workers."""
    return sum(map(run_size, runs)) >= PARALLEL_BYTES


def n_workers(workers: int | None, runs: Sequence[Any], *, guarded: bool = False) -> int:
    """How many workers these runs get; see `workers_for`. Raises ParameterError."""
    parallel_pays = workers is None and worth_parallelising(runs)
    is_serial = type(workers) is int and workers == 1
    if "rankscope.parallel" not in sys.modules and (is_serial or (workers is None and not parallel_pays)):
        return 1  # no cluster was named either
    from rankscope.parallel import workers_for

    return workers_for(workers, parallel_pays, guarded=guarded)


def refuse_measures(runs: Sequence[Any]) -> None:
    """Raise for a missing file with the name of a measure (-m was forgotten) or a dash in place of a hyphen."""
    for run in runs:
        if is_path(run) and source_name(run) != "<stdin>" and not os.path.exists(run):
            if source_name(run).startswith(DASHES):
                raise InputError(f"{run}: no such file; options begin with a hyphen (-), not with this dash; retype it")
            try:
                parse_measures(source_name(run))
            except RankscopeError:
                continue  # the reader raises for the missing file
            raise InputError(f"{run}: no such file; {run} is a measure: write -m {run}")


def join_entities(table: EntityRanks | PathLike | Any, plan: Plan, total_ranks: int | None) -> list[JoinedRun]:
    """The systems of a table of ranks, which needs no join."""
    if is_path(table):
        from rankscope.io.tables import read_entity_ranks

        table = read_entity_ranks(table, total_ranks, least=plan.least_rank)
    elif not isinstance(table, EntityRanks):
        raise ParameterError(f"input={ENTITY!r} needs a path or an EntityRanks, not a {type(table).__name__}")
    elif total_ranks is not None and total_ranks != table.total_ranks:
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


def join_letor(
    labels: PathLike | Any,
    runs: Sequence[Any],
    convention: Convention,
    input_: str,
    progress: Progress | None,
    on_error: str,
) -> list[JoinedRun]:
    """Prediction files and the label file whose lines they follow."""
    for path in (labels, *runs):
        if not is_path(path):
            raise ParameterError(f"input={input_!r} needs paths ({LETOR[input_]}), not a {type(path).__name__}")
    from rankscope.io.letor import label_qrels, prediction_run, read_labels

    letor_labels = read_labels(labels, progress=progress)
    judgments = label_qrels(letor_labels)

    def join_predictions(run_index: int) -> JoinedRun:
        run = prediction_run(letor_labels, runs[run_index], ranks=input_ == "letor-ranks")
        return JoinedRun(run.name, join(judgments, run, convention), run.notes, runs[run_index])

    return for_each_run(runs, join_predictions, on_error)
