"""Joining one run file with its judgments while it is read, also where its queries are mixed; and a loop over runs that
stops at a run that cannot be read, or skips it with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from rankscope.data.chunks import pattern_of_chunks
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, JoinedPortion, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.rows import RowBatch, Rows, Ungrouped, decode_id, decode_ids
from rankscope.errors import InputError
from rankscope.io.core import (
    ReadRequest,
    file_stem,
    is_file,
    is_url,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
)
from rankscope.io.large_runs import ExternalGroupBy
from rankscope.io.rank_column import rising_score_note
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "BatchSource",
    "JoinedRun",
    "Progress",
    "RunPart",
    "complete_join",
    "first_documents",
    "for_each_run",
    "has_no_judged_document",
    "join_file",
    "join_rows",
    "join_run_part",
    "join_ungrouped",
    "unknown_document_notes",
]


Progress = Callable[[int], Any]
#: The documents by which a mark between document and chunk is looked for.
N_FIRST = 50
#: Runs of fewer documents may well be all unjudged; they get no note.
MIN_NOTED_DOCUMENTS = 100


class JoinedRun(NamedTuple):
    """One system after the join. path: the file it came from."""

    name: str
    hits: Hits
    notes: tuple[str, ...]
    path: PathLike | None


class RunPart(NamedTuple):
    """A file, or a part of one, after the join.

    tag: the run's name in the file; empty where there is none. n_ungrouped: how many queries did not have their rows
    together. notes: other notes. first_docs: the ids of the first documents. rank_note: a note where scores rise with
    the ranks in the file.
    """

    portion: JoinedPortion
    tag: str = ""
    n_ungrouped: int = 0
    notes: tuple[str, ...] = ()
    first_docs: tuple[str, ...] = ()
    rank_note: str = ""


def join_file(
    qrels: Qrels, path: PathLike, convention: Convention, input_: str | None, progress: Progress | None
) -> JoinedRun:
    """Join a run file while it is read. Raises InputError."""
    run_part = join_run_part(qrels, path, convention, input_, progress)
    return complete_join(run_part, qrels, convention, run_part.tag or file_stem(path), path)


def join_run_part(
    qrels: Qrels,
    path: PathLike,
    convention: Convention,
    input_: str | None,
    progress: Progress | None,
    *,
    partition: bool = False,
) -> RunPart:
    """Join a run file while it is read; a pipe, or a file of mixed queries, is read whole or by way of temporary files.

    partition: whether it is one of the files of a run; messages then name the file, not the run. Raises InputError, but
    not for a run without any query of the judgments.
    """
    _ = qrels.lookup  # built before the run is read, when most memory is free
    name = source_name(path) if partition else ""
    if is_url(path) or is_file(path):  # it can be read again
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            if partition:
                from rankscope.io.large_runs import refuse_unstreamable

                refuse_unstreamable(source)
            if source.format == "trec" or source.is_large:
                try:
                    joiner = Joiner(qrels, convention, name or source.run_name)
                    run_part = join_rows(joiner, source.stream_rows(progress=progress), source.run_tag)
                    return run_part._replace(rank_note=rising_score_note(source))
                except Ungrouped:
                    progress = None  # these bytes were already reported
    with open_binary(path) as stream:
        source = open_source(stream, path, input_)
        if source.is_large:
            run_part = join_ungrouped(Joiner(qrels, convention, name or source.run_name), source, progress)
            return run_part._replace(rank_note=rising_score_note(source))
        file = source.read(ReadRequest("run"))
        run_part = join_rows(Joiner(qrels, convention, name or file.name or file_stem(path)), [file.rows], file.name)
        return run_part._replace(n_ungrouped=file.n_ungrouped, notes=file.notes, rank_note=rising_score_note(source))


def join_rows(joiner: Joiner, row_batches: Iterable[Rows], tag: str | None = None) -> RunPart:
    """Join rows as they come. joiner: an empty one."""
    first_docs: tuple[str, ...] = ()
    for rows in row_batches:
        first_docs = first_docs or first_documents(rows)
        joiner.add(rows)
    return RunPart(joiner.portion(), tag or "", first_docs=first_docs)


def first_documents(rows: Rows) -> tuple[str, ...]:
    """The ids of the first documents."""
    return tuple(decode_ids(decode(rows.docs.slice(slice(N_FIRST)))))


def complete_join(
    run_part: RunPart, qrels: Qrels, convention: Convention, name: str, path: PathLike | None
) -> JoinedRun:
    """The joined run of all its rows. Raises InputError for a run without any query of the judgments."""
    joiner = Joiner(qrels, convention, name)
    joiner.merge(run_part.portion)
    hits = joiner.finish()
    ungrouped_notes = (
        (ungrouped_note(source_name(path), run_part.n_ungrouped),) if run_part.n_ungrouped and path is not None else ()
    )
    rank_notes = (run_part.rank_note,) if run_part.rank_note else ()
    document_notes = unknown_document_notes(qrels, hits, name, lambda: run_part.first_docs)
    notes = (*ungrouped_notes, *run_part.notes, *rank_notes, *joiner.merge_notes(), *document_notes)
    return JoinedRun(name, hits, notes, path)


def has_no_judged_document(hits: Hits) -> bool:
    """Whether no document of a run that is not small was judged."""
    return not hits.rank.size and int(hits.retrieved.sum()) >= MIN_NOTED_DOCUMENTS


def unknown_document_notes(
    qrels: Qrels, hits: Hits, name: str, get_first_documents: Callable[[], Iterable[str]]
) -> tuple[str, ...]:
    """A note where no document of the run was judged, as where ids are written in two ways."""
    if not has_no_judged_document(hits):
        return ()
    n_documents = int(hits.retrieved.sum())
    judged_doc = decode_id(decode(qrels.docs.slice(slice(1)))[0])
    first_docs = list(islice(get_first_documents(), N_FIRST))
    pattern = pattern_of_chunks(first_docs, set(decode_ids(decode(qrels.docs))))
    advice = (
        f"are these chunks of judged documents? Then add --doc-of '{pattern}' (doc_of=)"
        if pattern
        else "check that both write ids the same way"
    )
    return (
        f"run {name!r}: none of its {n_documents:,} documents was judged "
        f"(run: {first_docs[0]!r}; judgments: {judged_doc!r}); {advice}",
    )


def for_each_run(runs: Sequence[Any], join: Callable[[int], JoinedRun], on_error: str) -> list[JoinedRun]:
    """Join each run; with "skip" a run that cannot be read is skipped, and the first of the others gets the notes.

    join: joins the run of this index; called for one run after the other. Raises InputError with "stop", and where no
    run is left; other errors of `join` always pass.
    """
    joined_runs: list[JoinedRun] = []
    notes: list[str] = []
    for run_index in range(len(runs)):
        try:
            joined_runs.append(join(run_index))
        except InputError as error:
            if on_error == "stop" or (run_index == len(runs) - 1 and not joined_runs):
                raise
            notes.append(f"a run is skipped (on_error:skip): {error}")
    if notes:
        joined_runs[0] = joined_runs[0]._replace(notes=(*notes, *joined_runs[0].notes))
    return joined_runs


class BatchSource(Protocol):
    """One or several files whose rows are read in order, as by `Source`."""

    name: str

    @property
    def run_tag(self) -> str | None: ...
    def row_batches(self, progress: Progress | None = None) -> Iterator[RowBatch]: ...
    def row_name(self, number: int) -> str: ...


def join_ungrouped(joiner: Joiner, source: BatchSource, progress: Progress | None) -> RunPart:
    """Join a run whose queries come in any order. joiner: an empty one.

    Queries are joined in another order than that of the file, with the same result. Raises InputError: of several
    errors that of the query that comes first in the file, as for a run that is read whole.
    """
    first_docs: tuple[str, ...] = ()
    faults: list[tuple[int, InputError]] = []
    with ExternalGroupBy(source.name) as grouped_rows:
        query_numbers = grouped_rows.query_ids.ids
        for rows in grouped_rows.rows(source.row_batches(progress), source.row_name):
            first_docs = first_docs or first_documents(rows)
            try:
                joiner.add(rows)
            except InputError as error:
                faults.append(first_fault(rows, joiner, query_numbers) or (0, error))
    if faults:
        raise min(faults, key=itemgetter(0))[1]
    joiner.unjudged_queries.sort(key=lambda name: query_numbers[name.encode("utf-8", "surrogateescape")])
    return RunPart(joiner.portion(), source.run_tag or "", grouped_rows.n_ungrouped, first_docs=first_docs)


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
