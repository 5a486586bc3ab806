"""Joining a run that is a folder: each file is joined by itself, then all are merged as if they followed each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankscope.data.join import Convention, JoinedPortion, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.evaluation.joining.joined import (
    JoinedRun,
    Progress,
    RunPart,
    complete_join,
    join_run_part,
    join_ungrouped,
)
from rankscope.io.core import Partition, list_partitions, source_name
from rankscope.io.large_runs import DUPLICATE_ADVICE, FolderRun, refuse_two_systems, run_name_of_tags
from rankscope.typing import PathLike

__all__ = [
    "join_folder",
    "join_partitions",
]


def join_folder(
    qrels: Qrels,
    folder: PathLike,
    convention: Convention,
    input_: str | None,
    progress: Progress | None,
    on_error: str = "stop",
) -> JoinedRun:
    """Join the files of a folder, one after the other. on_error: see `join_partitions`. Raises InputError."""
    files = list_partitions(folder)

    def join_partition(file_index: int) -> RunPart:
        return join_run_part(qrels, files[file_index].path, convention, input_, progress, partition=True)

    return join_partitions(qrels, folder, files, convention, input_, join_partition, on_error)


def join_partitions(
    qrels: Qrels,
    folder: PathLike,
    files: Sequence[Partition],
    convention: Convention,
    input_: str | None,
    join_partition: Callable[[int], RunPart],
    on_error: str,
) -> JoinedRun:
    """Join a run from its files. If two files hold the same query, all are read again, by way of temporary files.

    Parameters
    ----------
    qrels
        The judgments.
    folder
        The run.
    files
        Its files.
    convention
        How the lists are ranked.
    input_
        Format of the files. Default: detected from their content.
    join_partition
        Joins the file of this index; called for one file after the other.
    on_error
        "stop" raises for a file that cannot be read, "skip" skips it with notes.

    Raises
    ------
    InputError
        The first file that cannot be read; none can be read; or two files that hold the same query belong to two
        systems by their tags.
    """
    name = source_name(folder)
    folder_parts = FolderParts(qrels, convention, name, files)
    faults: list[InputError] = []
    for file_index in range(len(files)):
        try:
            run_part = join_partition(file_index)
        except InputError as error:
            if on_error == "stop":
                raise
            faults.append(error)
            continue
        folder_parts.add(file_index, run_part)
    if not folder_parts.readable:
        if len(faults) == 1:
            raise faults[0]
        raise InputError(f"{name}: none of its {len(faults)} files can be read, the last: {faults[-1]}")
    if not folder_parts.shares_queries:
        merged = folder_parts.merged
    else:
        source = FolderRun(folder, [files[file_index].path for file_index in folder_parts.readable], input_)
        joiner = Joiner(qrels, convention, name)
        joiner.advice = DUPLICATE_ADVICE
        merged = join_ungrouped(joiner, source, None)
    run_name, notes = run_name_of_tags(folder, folder_parts.tags)
    joined = complete_join(merged, qrels, convention, run_name, folder)
    return joined._replace(notes=(*incomplete_notes(name, run_name, len(files), faults), *notes, *joined.notes))


def incomplete_notes(folder: str, name: str, n_files: int, faults: Sequence[InputError]) -> tuple[str, ...]:
    """Notes on a run some of whose files are skipped, and on each of these files."""
    if not faults:
        return ()
    return (
        f"{folder}: run {name!r} is incomplete: of its {n_files:,} partitions {pluralise(len(faults), 'is', 'are')} "
        "skipped. Their queries are unknown; they count as queries without a list, so values and tests of "
        f"{name!r} are not those of the whole run",
        *(f"a partition of {folder} is skipped (on_error:skip): {error}" for error in faults),
    )


class FolderParts:
    """The files of a run that were joined so far. good: their indices. shared: whether two hold the same query."""

    def __init__(self, qrels: Qrels, convention: Convention, name: str, files: Sequence[Partition]) -> None:
        self.qrels, self.files = qrels, files
        self.joiner = Joiner(qrels, convention, name)
        self.shares_queries = False
        self.readable: list[int] = []
        self.tag_of = [""] * len(files)
        self.has_tag = np.zeros(len(files), np.bool_)
        # Index of a file that holds each query, preferably one with a tag; -1 for none. The same for unjudged queries.
        self.file_of_query = np.full(len(qrels.query_ids), -1)
        self.file_of_unknown_query: dict[str, int] = {}
        self.n_ungrouped, self.first_docs, self.notes = 0, tuple[str, ...](), tuple[str, ...]()
        self.rank_note = ""

    @property
    def tags(self) -> list[str]:
        return [tag for tag in self.tag_of if tag]

    @property
    def merged(self) -> RunPart:
        """All files together, where none share a query."""
        return RunPart(self.joiner.portion(), "", self.n_ungrouped, self.notes, self.first_docs, self.rank_note)

    def add(self, file_index: int, run_part: RunPart) -> None:
        """Raises InputError for a query that a file with another tag holds."""
        self.readable.append(file_index)
        self.tag_of[file_index], self.has_tag[file_index] = run_part.tag, bool(run_part.tag)
        other_files = self.register_queries(file_index, run_part.portion)
        for query, other_file in other_files.items():
            refuse_two_systems(
                query, self.files[other_file].path, self.tag_of[other_file], self.files[file_index].path, run_part.tag
            )
        self.shares_queries |= bool(other_files)
        if self.shares_queries:
            self.joiner.hit_tables.clear()  # no longer needed
        else:
            self.joiner.merge(run_part.portion)
            self.n_ungrouped += run_part.n_ungrouped
            self.first_docs = self.first_docs or run_part.first_docs
            self.notes += run_part.notes
            self.rank_note = self.rank_note or run_part.rank_note

    def register_queries(self, file_index: int, portion: JoinedPortion) -> dict[str, int]:
        """Record that this file holds these queries; returns the queries that another file holds, with its index."""
        holders = self.file_of_query[portion.queries]
        repeated = np.flatnonzero(holders >= 0)
        query_ids = self.qrels.query_ids
        other_files = {
            query_ids[q]: other_file
            for q, other_file in zip(portion.queries[repeated].tolist(), holders[repeated].tolist(), strict=True)
        }
        self.file_of_query[portion.queries[(holders < 0) | ~self.has_tag[holders]]] = file_index
        for query in portion.unjudged_queries:
            other_file = self.file_of_unknown_query.get(query, -1)
            if other_file >= 0:
                other_files[query] = other_file
            if other_file < 0 or not self.has_tag[other_file]:
                self.file_of_unknown_query[query] = file_index
        return other_files
