"""The files of a run that is a folder, each joined by itself and merged as if they followed each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.join import Joiner, RunPart
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.io.core import Partition, source_name
from rankscope.io.large_runs import refuse_two_systems, run_name_of_tags
from rankscope.typing import PathLike

__all__ = [
    "FolderParts",
]


class FolderParts:
    """The files of a run that were joined so far.

    Attributes
    ----------
    joiner
        Collects the files, unless two hold the same query.
    files
        All files.
    readable
        Indices of those that were joined.
    faults
        The errors of the others.
    shares_queries
        Whether two files hold the same query.
    tag_of
        The tag of each file; empty where there is none.
    """

    def __init__(self, joiner: Joiner, files: Sequence[Partition]) -> None:
        self.joiner, self.files = joiner, files
        self.readable: list[int] = []
        self.faults: list[InputError] = []
        self.shares_queries = False
        self.tag_of = [""] * len(files)
        self.has_tag = np.zeros(len(files), np.bool_)
        # Index of a file that holds each query, preferably one with a tag; -1 for none. The same for unjudged queries.
        self.file_of_query = np.full(len(joiner.qrels.query_ids), -1)
        self.file_of_unknown_query: dict[str, int] = {}

    def add(self, file_index: int, part: RunPart) -> None:
        """Raises InputError for a query that a file with another tag holds."""
        self.readable.append(file_index)
        self.tag_of[file_index], self.has_tag[file_index] = part.tag, bool(part.tag)
        other_files = self.register_queries(file_index, part)
        for query, other_file in other_files.items():
            refuse_two_systems(
                query, self.files[other_file].path, self.tag_of[other_file], self.files[file_index].path, part.tag
            )
        self.shares_queries |= bool(other_files)
        if self.shares_queries:
            self.joiner.hit_tables.clear()  # no longer needed
        else:
            self.joiner.merge(part)

    def register_queries(self, file_index: int, part: RunPart) -> dict[str, int]:
        """Record that this file holds these queries; returns the queries that another file holds, with its index."""
        holders = self.file_of_query[part.queries]
        repeated = np.flatnonzero(holders >= 0)
        query_ids = self.joiner.qrels.query_ids
        other_files = {
            query_ids[q]: other_file
            for q, other_file in zip(part.queries[repeated].tolist(), holders[repeated].tolist(), strict=True)
        }
        self.file_of_query[part.queries[(holders < 0) | ~self.has_tag[holders]]] = file_index
        for query in part.unjudged_queries:
            other_file = self.file_of_unknown_query.get(query, -1)
            if other_file >= 0:
                other_files[query] = other_file
            if other_file < 0 or not self.has_tag[other_file]:
                self.file_of_unknown_query[query] = file_index
        return other_files

    def refuse_unreadable(self) -> None:
        """Raise InputError where no file can be read."""
        if not self.readable:
            if len(self.faults) == 1:
                raise self.faults[0]
            raise InputError(
                f"{self.joiner.name}: none of its {len(self.faults)} files can be read, the last: {self.faults[-1]}"
            )

    def name_and_notes(self, folder: PathLike) -> tuple[str, tuple[str, ...]]:
        """The run's name, and notes on its tags and on files that are skipped."""
        name, notes = run_name_of_tags(folder, filter(None, self.tag_of))
        return name, (*incomplete_notes(source_name(folder), name, len(self.files), self.faults), *notes)


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
