"""Judgments and runs of any kind, joined into hits: objects, paths, folders."""

from __future__ import annotations

import os
from typing import Any

from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.spans import SpanQrels, Spans
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining.joined import (
    JoinedRun,
    Progress,
    complete_join,
    join_file,
    join_rows,
    unknown_document_notes,
)
from rankscope.io.core import (
    is_file,
    is_folder,
    is_path,
    is_url,
    readable_partitions,
    url_size,
)
from rankscope.io.read import read_qrels
from rankscope.typing import PathLike

__all__ = [
    "as_qrels",
    "hits_of",
    "join_run",
    "join_run_object",
]


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


def join_run(
    qrels: Qrels,
    run: Any,
    convention: Convention,
    input_: str | None,
    progress: Progress | None,
    on_error: str = "stop",
) -> JoinedRun:
    """Join one run of any kind. on_error: for the partitions of a folder, see `join_folder`. Raises InputError."""
    if isinstance(qrels, SpanQrels):
        from rankscope.io.span_tables import read_span_run

        span_run = read_span_run(run, qrels.gold)
        joined = join_run_object(qrels, span_run, convention, run if is_path(run) else None)
        return joined._replace(notes=span_run.notes)  # which say what was merged
    if is_folder(run):
        from rankscope.evaluation.joining.folder import join_folder

        return join_folder(qrels, run, convention, input_, progress, on_error)
    if is_path(run):
        return join_file(qrels, run, convention, input_, progress)
    if not isinstance(run, Run):
        run = Run(run)
    return join_run_object(qrels, run, convention, None)


def join_run_object(qrels: Qrels, run: Run, convention: Convention, path: PathLike | None) -> JoinedRun:
    """Join a run that is in memory, or given in pieces."""
    mapping = run.mapping
    if mapping is None:
        run_part = join_rows(Joiner(qrels, convention, run.name), run.row_portions())
        return complete_join(run_part._replace(notes=run.notes), qrels, convention, run.name, path)
    joiner = Joiner(qrels, convention, run.name)
    joiner.add_mapping(mapping)
    hits = joiner.finish()
    notes = unknown_document_notes(qrels, hits, run.name, lambda: (doc for docs in mapping.values() for doc in docs))
    return JoinedRun(run.name, hits, (*run.notes, *joiner.merge_notes(), *notes), path)


def hits_of(qrels: Qrels | PathLike | Any, run: Run | PathLike | Any, convention: Convention | None = None) -> Hits:
    """The hits of one run: every judged document that it retrieved, with its rank.

    Parameters
    ----------
    qrels
        Judgments, as for `evaluate`.
    run
        A run, as for `evaluate`.
    convention
        How ties are broken, and the lowest relevance that counts as relevant. Default: that of `evaluate`.

    Returns
    -------
    Hits
        Judged documents and their ranks by query. A query without a list has no hits.

    Raises
    ------
    InputError
        Judgments or the run cannot be read.

    Examples
    --------
    >>> hits = hits_of({"q": {"d1": 2, "d2": 0, "d3": 1}}, {"q": {"d4": 3.0, "d1": 2.0, "d2": 1.0}})
    >>> hits.rank.tolist(), hits.relevance.tolist(), hits.grades.tolist()
    ([2.0, 3.0], [2, 0], [2, 1, 0])
    """
    return join_run(as_qrels(qrels), run, convention or Convention(), None, None).hits
