"""A run file joined with judgments while it is read; all of it, or what somebody puts together with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rankscope.data.hits import Hits
from rankscope.data.join import Convention, JoinedPortion, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, decode_id
from rankscope.io.formats import ReadRequest
from rankscope.io.read import file_stem, open_source, ungrouped_note
from rankscope.io.streams import is_file, open_binary, source_name
from rankscope.io.trec import Ungrouped
from rankscope.io.urls import is_url
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "RunPart",
    "JoinedRun",
    "Progress",
    "join_rows",
    "join_run_part",
    "first_document",
    "join_file",
    "complete_join",
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
                from rankscope.io.partitions import refuse_unstreamable  # most runs are files

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
            from rankscope.evaluation.regrouped import join_ungrouped  # few runs need it

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
