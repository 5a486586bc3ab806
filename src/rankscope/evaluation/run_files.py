"""A run file joined with judgments while it is read; all of it, or what somebody puts together with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner, Portion
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, name_of
from rankscope.io.formats import Wanted
from rankscope.io.read import apart_note, file_stem, open_source
from rankscope.io.streams import is_file, open_binary, source_name
from rankscope.io.trec import Ungrouped
from rankscope.io.urls import is_url
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "Found",
    "Joined",
    "Progress",
    "find_in",
    "find_in_file",
    "first_of",
    "join_file",
    "joined_of",
    "stranger_notes",
]

Progress = Callable[[int], Any]

#: Fewer documents may well be all unjudged.
FEW = 100


class Joined(NamedTuple):
    """One system after the join. path: the file it came from."""

    name: str
    hits: Hits
    notes: tuple[str, ...]
    path: PathLike | None


class Found(NamedTuple):
    """What was found in a file, or a part of one.

    tag: what it says that the run is called; empty where it says nothing. apart: how many queries did not have their
    rows together. notes: others. first: the id of the first document.
    """

    portion: Portion
    tag: str = ""
    apart: int = 0
    notes: tuple[str, ...] = ()
    first: str = ""


def join_file(
    qrels: Qrels, path: PathLike, convention: Convention, input_: str | None, progress: Progress | None
) -> Joined:
    """Join a run file while it is read. Raises InputError."""
    found = find_in_file(qrels, path, convention, input_, progress)
    return joined_of(found, qrels, convention, found.tag or file_stem(path), path)


def find_in_file(
    qrels: Qrels,
    path: PathLike,
    convention: Convention,
    input_: str | None,
    progress: Progress | None,
    *,
    partition: bool = False,
) -> Found:
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
                from rankscope.io.partitions import refuse_whole  # most runs are files

                refuse_whole(source)
            if source.format == "trec" or source.large:
                try:
                    joiner = Joiner(qrels, convention, name or source.run_name)
                    return find_in(joiner, source.stream_rows(progress=progress), source.run_tag)
                except Ungrouped:
                    progress = None  # which has been told of these bytes
    with open_binary(path) as stream:
        source = open_source(stream, path, input_)
        if source.large:
            from rankscope.evaluation.regrouped import find_regrouped  # few runs need it

            return find_regrouped(Joiner(qrels, convention, name or source.run_name), source, progress)
        file = source.read(Wanted("run"))
        found = find_in(Joiner(qrels, convention, name or file.name or file_stem(path)), [file.rows], file.name)
        return found._replace(apart=file.apart, notes=file.notes)


def find_in(joiner: Joiner, found: Iterable[Rows], tag: str | None = None) -> Found:
    """Join rows as they come. joiner: an empty one."""
    first = ""
    for rows in found:
        first = first or first_of(rows)
        joiner.add(rows)
    return Found(joiner.portion(), tag or "", first=first)


def first_of(rows: Rows) -> str:
    """The id of the first document, empty where there is none."""
    return name_of(decode(rows.docs.slice(slice(1)))[0]) if rows.values.size else ""


def joined_of(found: Found, qrels: Qrels, convention: Convention, name: str, path: PathLike | None) -> Joined:
    """A run of which all has been found. Raises InputError for one without any query of the judgments'."""
    joiner = Joiner(qrels, convention, name)
    joiner.merge(found.portion)
    hits = joiner.finish()
    apart = (apart_note(source_name(path), found.apart),) if found.apart and path is not None else ()
    notes = (*apart, *found.notes, *stranger_notes(qrels, hits, name, lambda: found.first))
    return Joined(name, hits, notes, path)


def stranger_notes(qrels: Qrels, hits: Hits, name: str, first: Callable[[], str]) -> tuple[str, ...]:
    """A note where no document of the run was judged: ids may be written in two ways. first: one of the run's."""
    listed = int(hits.retrieved.sum())
    if hits.rank.size or listed < FEW:
        return ()
    judged = name_of(decode(qrels._docs.slice(slice(1)))[0])
    return (
        f"run {name!r}: none of its {listed:,} documents was judged (run: {first()!r}; judgments: {judged!r}): check "
        "that ids are written alike",
    )
