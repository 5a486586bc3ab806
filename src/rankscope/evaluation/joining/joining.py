"""`Joining`: joins runs of any kind with judgments, objects, files and folders, while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner, RunPart
from rankscope.data.qrels import Qrels
from rankscope.data.rows import RowBatch, Rows, Ungrouped
from rankscope.data.run import Run
from rankscope.data.spans import SpanQrels
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining.folder import FolderParts
from rankscope.evaluation.joining.inputs import LETOR, as_qrels
from rankscope.evaluation.joining.joined import JoinedRun, Progress, unknown_document_notes
from rankscope.io.core import (
    ReadRequest,
    file_stem,
    is_file,
    is_folder,
    is_path,
    is_url,
    list_partitions,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
)
from rankscope.io.rank_column import rising_score_note
from rankscope.typing import PathLike

if TYPE_CHECKING:
    from rankscope.io.letor import LetorLabels

__all__ = [
    "Joining",
    "PartOfFile",
    "hits_of",
    "join_ungrouped",
    "no_part",
]


#: Index of a file of a run -> what a worker found in it; None where no worker did, or where it could not.
PartOfFile = Callable[[int], RunPart | None]


def no_part(*indices: int) -> RunPart | None:
    """There are no workers."""
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class Joining:
    """Joins runs with the same judgments, one after the other.

    Attributes
    ----------
    qrels
        The judgments.
    convention
        How lists are ranked, and what counts as relevant.
    input
        Format of the runs. Default: detected from their content.
    labels
        The label file whose lines the runs follow, for LETOR's prediction files.
    on_error
        For a file of a folder that cannot be read: "stop" raises, "skip" skips it with notes.
    progress
        Called with the number of bytes just read.
    depth
        How many documents of each list to keep with their ids.
    """

    qrels: Qrels
    convention: Convention
    input: str | None = None
    labels: LetorLabels | None = None
    on_error: str = "stop"
    progress: Progress | None = None
    depth: int = 0

    @classmethod
    def of(
        cls,
        qrels: Any,
        plan: Plan,
        input_: str | None = None,
        *,
        on_error: str = "stop",
        progress: Progress | None = None,
        depth: int = 0,
    ) -> Joining:
        """With judgments that are read now: of LETOR the label file. Raises InputError."""
        labels = None
        if input_ in LETOR:
            from rankscope.io.letor import label_qrels, read_labels

            labels = read_labels(qrels, progress=progress)
        return cls(
            qrels=as_qrels(qrels, plan) if labels is None else label_qrels(labels),
            convention=plan.convention,
            input=input_,
            labels=labels,
            on_error=on_error,
            progress=progress,
            depth=depth,
        )

    def join_run(self, run: Any, part_of_file: PartOfFile = no_part) -> JoinedRun:
        """Join one run of any kind. part_of_file: what workers found in its files. Raises InputError."""
        if isinstance(self.qrels, SpanQrels):
            from rankscope.io.span_tables import read_span_run

            span_run = read_span_run(run, self.qrels.gold)
            joined = self.join_object(span_run, run if is_path(run) else None)
            return joined._replace(notes=span_run.notes)  # which say what was merged
        if self.labels is not None:
            from rankscope.io.letor import prediction_run

            return self.join_object(prediction_run(self.labels, run, ranks=self.input == "letor-ranks"), run)
        if is_folder(run):
            return self._join_folder(run, part_of_file)
        if not is_path(run):
            return self.join_object(run if isinstance(run, Run) else Run(run))
        part = part_of_file(0)
        joiner = self.read_file(run) if part is None else self.joiner("", [part])
        return self._complete(joiner, joiner.tag or file_stem(run), run)._replace(last_tag=joiner.last_tag)

    def read_file(self, path: PathLike, *, partition: bool = False) -> Joiner:
        """Join a run file while it is read; a pipe, or a file of mixed queries, is read whole or by temporary files.

        partition: whether it is one of the files of a run; messages then name the file, not the run. Raises InputError,
        but not for a run without any query of the judgments.
        """
        _ = self.qrels.lookup  # built before the run is read, when most memory is free
        progress, name = self.progress, source_name(path) if partition else ""
        if is_url(path) or is_file(path):  # it can be read again
            with open_binary(path) as stream:
                source = open_source(stream, path, self.input)
                if partition:
                    from rankscope.io.large_runs import refuse_unstreamable

                    refuse_unstreamable(source)
                if source.format == "trec" or source.is_large:
                    joiner = self.joiner(name or source.run_name)
                    try:
                        for rows in source.stream_rows(progress=progress):
                            joiner.add(rows)
                        joiner.tag, joiner.rank_note = source.run_tag or "", rising_score_note(source)
                        joiner.last_tag = source.last_tag or ""
                        joiner.notes = (*joiner.notes, *source.notes)
                        return joiner
                    except Ungrouped:
                        progress = None  # these bytes were already reported
        with open_binary(path) as stream:
            source = open_source(stream, path, self.input)
            if source.is_large:
                joiner = self.joiner(name or source.run_name)
                join_ungrouped(joiner, source, progress)
                joiner.notes = (*joiner.notes, *source.notes)
            else:
                file = source.read(ReadRequest("run"))
                joiner = self.joiner(name or file.name or file_stem(path))
                joiner.add(file.rows)
                joiner.tag, joiner.n_ungrouped, joiner.notes = file.name or "", file.n_ungrouped, file.notes
            joiner.rank_note, joiner.last_tag = rising_score_note(source), source.last_tag or ""
            return joiner

    def _join_folder(self, folder: PathLike, part_of_file: PartOfFile) -> JoinedRun:
        """Join the files of a folder, one after the other, as if they followed each other.

        If two files hold the same query, all are read again, by way of temporary files. Raises InputError: for the
        first file that cannot be read; for a folder without any that can; or for two files that hold the same query,
        and belong to two systems by their tags.
        """
        files = list_partitions(folder)
        parts = FolderParts(self.joiner(source_name(folder)), files)
        for file_index, file in enumerate(files):
            try:
                part = part_of_file(file_index) or self.read_file(file.path, partition=True).part()
            except InputError as error:
                if self.on_error == "stop":
                    raise
                parts.faults.append(error)
                continue
            parts.add(file_index, part)
        joiner = parts.joiner
        parts.refuse_unreadable()
        if parts.shares_queries:
            from rankscope.io.large_runs import DUPLICATE_ADVICE, FolderRun

            joiner = self.joiner(source_name(folder))
            joiner.advice = DUPLICATE_ADVICE
            join_ungrouped(joiner, FolderRun(folder, [files[index].path for index in parts.readable], self.input), None)
        name, notes = parts.name_and_notes(folder)
        joined = self._complete(joiner, name, folder)
        return joined._replace(notes=(*notes, *joined.notes))

    def join_object(self, run: Run, path: PathLike | None = None) -> JoinedRun:
        """Join a run that is in memory, or given in pieces. path: the file it came from."""
        joiner = self.joiner(run.name)
        joiner.notes = run.notes
        if run.mapping is not None:
            joiner.add_mapping(run.mapping)
            return self._complete(joiner, run.name, path, chain.from_iterable(run.mapping.values()))
        for rows in run.row_portions():
            joiner.add(rows)
        return self._complete(joiner, run.name, path)

    def joiner(self, name: str, parts: Iterable[RunPart] = ()) -> Joiner:
        """What collects the hits of a run. parts: of it, that were collected already."""
        joiner = Joiner(self.qrels, self.convention, name, self.depth)
        for part in parts:
            joiner.merge(part)
        return joiner

    def _complete(
        self, joiner: Joiner, name: str, path: PathLike | None, documents: Iterable[str] | None = None
    ) -> JoinedRun:
        """The joined run of all its rows. documents: of the run, else those that the joiner knows.

        Raises InputError for a run without any query of the judgments.
        """
        joiner.name = name
        hits = joiner.finish()
        grouping_notes = (
            (ungrouped_note(source_name(path), joiner.n_ungrouped),) if joiner.n_ungrouped and path is not None else ()
        )
        rank_notes = (joiner.rank_note,) if joiner.rank_note else ()
        unknown_documents = unknown_document_notes(self.qrels, hits, name, documents or joiner.first_docs)
        notes = (*grouping_notes, *joiner.notes, *rank_notes, *joiner.merge_notes(), *unknown_documents)
        return JoinedRun(
            name, hits, notes, path, top_lists=joiner.top_lists(), unjudged_queries=tuple(joiner.unjudged_queries)
        )


class BatchSource(Protocol):
    """One or several files whose rows are read in order, as by `Source`."""

    name: str

    @property
    def run_tag(self) -> str | None: ...
    def row_batches(self, progress: Progress | None = None) -> Iterator[RowBatch]: ...
    def row_name(self, number: int) -> str: ...


def join_ungrouped(joiner: Joiner, source: BatchSource, progress: Progress | None) -> None:
    """Join a run whose queries come in any order, by way of temporary files.

    Parameters
    ----------
    joiner
        An empty joiner, which collects the hits.
    source
        The run.
    progress
        Called with the number of bytes just read.

    Raises
    ------
    InputError
        Of several errors that of the query that comes first in the file, as for a run that is read whole.
    """
    from rankscope.io.large_runs import ExternalGroupBy

    faults: list[tuple[int, InputError]] = []
    with ExternalGroupBy(source.name) as grouped_rows:
        query_numbers = grouped_rows.query_ids.ids
        for rows in grouped_rows.rows(source.row_batches(progress), source.row_name):
            try:
                joiner.add(rows)
            except InputError as error:
                faults.append(first_fault(rows, joiner, query_numbers) or (0, error))
    if faults:
        raise min(faults, key=itemgetter(0))[1]
    joiner.unjudged_queries.sort(key=lambda name: query_numbers[name.encode("utf-8", "surrogateescape")])
    joiner.tag, joiner.n_ungrouped = source.run_tag or "", grouped_rows.n_ungrouped


def first_fault(rows: Rows, joiner: Joiner, query_numbers: dict[bytes, int]) -> tuple[int, InputError] | None:
    """The first of these queries that cannot be joined: its number in `query_numbers`, and the error."""
    trial_joiner = Joiner(joiner.qrels, joiner.convention, joiner.name)
    trial_joiner.advice = joiner.advice
    for q, query in enumerate(rows.query_ids):
        try:
            trial_joiner.add(rows.part(q, q + 1))
        except InputError as error:
            return query_numbers[query], error
    return None


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
    return Joining(qrels=as_qrels(qrels), convention=convention or Convention()).join_run(run).hits
