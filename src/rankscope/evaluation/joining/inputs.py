"""Judgments and runs as they are given: judgments of any kind as a Qrels, sizes of runs, and checks of both."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from rankscope.data.qrels import Qrels
from rankscope.data.spans import SpanQrels, Spans
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.evaluation.conventions import Plan
from rankscope.io.core import (
    check_single_stdin,
    is_file,
    is_folder,
    is_path,
    is_url,
    readable_partitions,
    source_name,
    url_size,
)
from rankscope.io.read import read_qrels
from rankscope.measures.names import parse_measures
from rankscope.typing import PathLike

__all__ = [
    "LETOR",
    "as_qrels",
    "check_inputs",
    "n_workers",
    "refuse_measures",
    "run_size",
    "worth_parallelising",
]


#: Dashes that word processors put in place of hyphens.
DASHES = ("\N{EN DASH}", "\N{EM DASH}", "\N{MINUS SIGN}")
#: Inputs of two files that belong together: labels, and predictions in the order of their lines.
LETOR = {"letor": "a label file, then files of scores", "letor-ranks": "a label file, then files of rank positions"}
#: From this number of bytes of run files on, several workers are faster than one.
PARALLEL_BYTES = 48 << 20


def run_size(run: Any) -> int:
    """The bytes of a file that can be read again from any position, or of all files of a folder; 0 for other runs."""
    if is_folder(run):
        return sum(partition.size for partition in readable_partitions(run))
    if is_url(run):
        return url_size(str(run))
    return os.path.getsize(run) if is_file(run) else 0


def as_qrels(qrels: Qrels | PathLike | Any, plan: Plan | None = None) -> Qrels:
    """A Qrels from a path, a Qrels or what `Qrels(...)` takes, with subtopics where a measure needs them."""
    if plan is not None and plan.overlap is not None:
        from rankscope.io.span_tables import read_gold_spans

        return qrels if isinstance(qrels, SpanQrels) else read_gold_spans(qrels, plan.overlap)
    subtopics = plan is not None and plan.needs_subtopics
    if is_path(qrels):
        return read_qrels(qrels, subtopics=subtopics)
    if isinstance(qrels, Spans):
        raise InputError(
            "the gold spans need the share that a retrieved span must cover; say --overlap 0.5 (overlap=0.5)"
        )
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    if plan is not None and subtopics and judgments.subtopics is None:
        name = next(str(measure) for measure in plan.measures if measure.needs_subtopics)
        raise InputError(
            f"{name} needs judgments by subtopic, and the qrels have none; expected a column subtopic, or "
            "read_qrels(path, subtopics=True) for lines `query subtopic document relevance`"
        )
    return judgments


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


def check_inputs(qrels: Any, runs: Sequence[Any], input_: str | None) -> None:
    """Raise for inputs that cannot be read, before any is: two of standard input, LETOR's that are no files."""
    check_single_stdin([qrels, *runs])
    refuse_measures(runs)
    if input_ is not None and input_ in LETOR:
        for path in (qrels, *runs):
            if not is_path(path):
                raise ParameterError(f"input={input_!r} needs paths ({LETOR[input_]}), not a {type(path).__name__}")
