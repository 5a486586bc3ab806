"""A run joined with its judgments, or a part of one, while its file is read, also where queries are mixed; runs that
cannot be read end all, or are skipped with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from rankscope.data.hits import Hits
from rankscope.data.join import Convention, JoinedPortion, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.rows import RowBatch, Rows, Ungrouped, decode_id
from rankscope.errors import InputError, UnknownName
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
from rankscope.io.scale import ExternalGroupBy
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "ON_ERROR",
    "BatchSource",
    "JoinedRun",
    "Progress",
    "RunPart",
    "check_on_error",
    "complete_join",
    "first_document",
    "for_each_run",
    "join_file",
    "join_rows",
    "join_run_part",
    "join_ungrouped",
    "unknown_document_notes",
]


Progress = Callable[[int], Any]
#: Fewer documents may well be all unjudged.
FEW = 100


class JoinedRun(NamedTuple):
    """One system after the join. path: the file it came from."""

    name: str
    hits: Hits
    notes: tuple[str, ...]
    path: PathLike | None


class RunPart(NamedTuple):
    """What was found in a file, or a part of one.

    tag: what it says that the run is called; empty where it says nothing. apart: how many queries did not have their
    rows together. notes: others. first: the id of the first document.
    """

    portion: JoinedPortion
    tag: str = ""
    apart: int = 0
    notes: tuple[str, ...] = ()
    first: str = ""


def join_file(
    qrels: Qrels, path: PathLike, convention: Convention, input_: str | None, progress: Progress | None
) -> JoinedRun:
    """Join a run file while it is read. Raises InputError."""
    found = join_run_part(qrels, path, convention, input_, progress)
    return complete_join(found, qrels, convention, found.tag or file_stem(path), path)


def join_run_part(
    qrels: Qrels,
    path: PathLike,
    convention: Convention,
    input_: str | None,
    progress: Progress | None,
    *,
    partition: bool = False,
) -> RunPart:
    """Join a run file while it is read; one whose queries are mixed, or a pipe, whole or by way of temporary files.

    partition: whether it is one of the files of a run; messages then name the file, not the run. Raises InputError, but
    nothing for a run without any query of the judgments'.
    """
    _ = qrels.lookup  # built before the run is read, when most memory is free
    name = source_name(path) if partition else ""
    if is_url(path) or is_file(path):  # what can be read again
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            if partition:
                from rankscope.io.scale import refuse_unstreamable

                refuse_unstreamable(source)
            if source.format == "trec" or source.large:
                try:
                    joiner = Joiner(qrels, convention, name or source.run_name)
                    return join_rows(joiner, source.stream_rows(progress=progress), source.run_tag)
                except Ungrouped:
                    progress = None  # which has been told of these bytes
    with open_binary(path) as stream:
        source = open_source(stream, path, input_)
        if source.large:
            return join_ungrouped(Joiner(qrels, convention, name or source.run_name), source, progress)
        file = source.read(ReadRequest("run"))
        found = join_rows(Joiner(qrels, convention, name or file.name or file_stem(path)), [file.rows], file.name)
        return found._replace(apart=file.apart, notes=file.notes)


def join_rows(joiner: Joiner, found: Iterable[Rows], tag: str | None = None) -> RunPart:
    """Join rows as they come. joiner: an empty one."""
    first = ""
    for rows in found:
        first = first or first_document(rows)
        joiner.add(rows)
    return RunPart(joiner.portion(), tag or "", first=first)


def first_document(rows: Rows) -> str:
    """The id of the first document, empty where there is none."""
    return decode_id(decode(rows.docs.slice(slice(1)))[0]) if rows.values.size else ""


def complete_join(found: RunPart, qrels: Qrels, convention: Convention, name: str, path: PathLike | None) -> JoinedRun:
    """A run of which all has been found. Raises InputError for one without any query of the judgments'."""
    joiner = Joiner(qrels, convention, name)
    joiner.merge(found.portion)
    hits = joiner.finish()
    apart = (ungrouped_note(source_name(path), found.apart),) if found.apart and path is not None else ()
    notes = (*apart, *found.notes, *unknown_document_notes(qrels, hits, name, lambda: found.first))
    return JoinedRun(name, hits, notes, path)


def unknown_document_notes(qrels: Qrels, hits: Hits, name: str, first: Callable[[], str]) -> tuple[str, ...]:
    """A note where no document of the run was judged: ids may be written in two ways. first: one of the run's."""
    listed = int(hits.retrieved.sum())
    if hits.rank.size or listed < FEW:
        return ()
    judged = decode_id(decode(qrels._docs.slice(slice(1)))[0])
    return (
        f"run {name!r}: none of its {listed:,} documents was judged (run: {first()!r}; judgments: {judged!r}): check "
        "that ids are written alike",
    )


ON_ERROR = ("stop", "skip")


def check_on_error(on_error: str) -> None:
    """Raises UnknownName for what is neither."""
    if on_error not in ON_ERROR:
        raise UnknownName("value of on_error (--on-error)", str(on_error), ON_ERROR)


def for_each_run(runs: Sequence[Any], join: Callable[[int], JoinedRun], on_error: str) -> list[JoinedRun]:
    """Each run, joined; with "skip" those that cannot be are left out, and the first of the others bears the notes.

    join: of the run at this place; called for one after the other. Raises what it raises: InputError with "stop", and
    where no run is left; with either whatever is no fault of the data.
    """
    found: list[JoinedRun] = []
    notes: list[str] = []
    for place in range(len(runs)):
        try:
            found.append(join(place))
        except InputError as error:
            if on_error == "stop" or (place == len(runs) - 1 and not found):
                raise
            notes.append(f"a run is left out (on_error:skip): {error}")
    if notes:
        found[0] = found[0]._replace(notes=(*notes, *found[0].notes))
    return found


class BatchSource(Protocol):
    """A file, or several, whose rows are read in their order; as of `Source`."""

    name: str

    @property
    def run_tag(self) -> str | None: ...
    def stretches(self, progress: Progress | None = None) -> Iterator[RowBatch]: ...
    def row_called(self, number: int) -> str: ...


def join_ungrouped(joiner: Joiner, source: BatchSource, progress: Progress | None) -> RunPart:
    """Join a run whose queries come in any order. joiner: an empty one.

    Queries are joined in another order than that of the file, with the same result. Raises InputError: of several
    faults that of the query that comes first in the file, as for a run that is read whole.
    """
    first = ""
    faults: list[tuple[int, InputError]] = []
    with ExternalGroupBy(source.name) as regrouped:
        order = regrouped.known.ids
        for rows in regrouped.rows(source.stretches(progress), source.row_called):
            first = first or first_document(rows)
            try:
                joiner.add(rows)
            except InputError as error:
                faults.append(first_fault(rows, joiner, order) or (0, error))
    if faults:
        raise min(faults, key=itemgetter(0))[1]
    joiner.unknown.sort(key=lambda name: order[name.encode("utf-8", "surrogateescape")])
    return RunPart(joiner.portion(), source.run_tag or "", regrouped.apart, first=first)


def first_fault(rows: Rows, joiner: Joiner, order: dict[bytes, int]) -> tuple[int, InputError] | None:
    """The first of these queries that cannot be joined: its place in `order`, and why."""
    search = Joiner(joiner.qrels, joiner.convention, joiner.name)
    search.advice = joiner.advice
    for q, query in enumerate(rows.query_ids):
        try:
            search.add(rows.part(q, q + 1))
        except InputError as error:
            return order[query], error
    return None
