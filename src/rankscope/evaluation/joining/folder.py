"""Joining a run that is a folder: its files, each joined by itself, put together as if they followed each other."""

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
from rankscope.io.scale import DUPLICATE_ADVICE, FolderRun, refuse_systems, run_name_of_tags
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

    def found(place: int) -> RunPart:
        return join_run_part(qrels, files[place].path, convention, input_, progress, partition=True)

    return join_partitions(qrels, folder, files, convention, input_, found, on_error)


def join_partitions(
    qrels: Qrels,
    folder: PathLike,
    files: Sequence[Partition],
    convention: Convention,
    input_: str | None,
    found: Callable[[int], RunPart],
    on_error: str,
) -> JoinedRun:
    """One run of its files. found: what is in the file of this place; called for one after the other.

    Where two files hold a query, all are read once more, by way of temporary files. on_error: a file that cannot be
    read ends it all ("stop"), or is left out with notes ("skip"). Raises InputError: for the first that cannot be read,
    where none can be, and where two files that hold a query are of two systems by their tags.
    """
    name = source_name(folder)
    parts = FolderParts(qrels, convention, name, files)
    faults: list[InputError] = []
    for place in range(len(files)):
        try:
            one = found(place)
        except InputError as error:
            if on_error == "stop":
                raise
            faults.append(error)
            continue
        parts.add(place, one)
    if not parts.good:
        if len(faults) == 1:
            raise faults[0]
        raise InputError(f"{name}: none of its {len(faults)} files can be read, the last: {faults[-1]}")
    if not parts.shared:
        whole = parts.found
    else:
        source = FolderRun(folder, [files[place].path for place in parts.good], input_)
        joiner = Joiner(qrels, convention, name)
        joiner.advice = DUPLICATE_ADVICE
        whole = join_ungrouped(joiner, source, None)
    called, notes = run_name_of_tags(folder, parts.tags)
    joined = complete_join(whole, qrels, convention, called, folder)
    return joined._replace(notes=(*incomplete_notes(name, called, len(files), faults), *notes, *joined.notes))


def incomplete_notes(folder: str, name: str, files: int, faults: Sequence[InputError]) -> tuple[str, ...]:
    """What has to be said of a run some of whose files are left out, and of each of them."""
    if not faults:
        return ()
    return (
        f"{folder}: run {name!r} is incomplete: of its {files:,} partitions {pluralise(len(faults), 'is', 'are')} left "
        "out. Nobody knows which queries these hold; they count as queries without a list, so values and tests of "
        f"{name!r} are not those of the whole run",
        *(f"a partition of {folder} is left out (on_error:skip): {error}" for error in faults),
    )


class FolderParts:
    """What was found in some of the files of a run. good: their places. shared: whether two hold the same query."""

    def __init__(self, qrels: Qrels, convention: Convention, name: str, files: Sequence[Partition]) -> None:
        self.qrels, self.files = qrels, files
        self.joiner = Joiner(qrels, convention, name)
        self.shared = False
        self.good: list[int] = []
        self.tag_of = [""] * len(files)
        self.tagged = np.zeros(len(files), np.bool_)
        # A file that holds each query, one with a tag where there is one; -1 for none. The same of unjudged queries.
        self.holder = np.full(len(qrels.query_ids), -1)
        self.strangers: dict[str, int] = {}
        self.apart, self.first, self.notes = 0, "", tuple[str, ...]()

    @property
    def tags(self) -> list[str]:
        return [tag for tag in self.tag_of if tag]

    @property
    def found(self) -> RunPart:
        """All of them, where none share a query."""
        return RunPart(self.joiner.portion(), "", self.apart, self.notes, self.first)

    def add(self, place: int, one: RunPart) -> None:
        """Raises InputError for a query that a file with another tag holds."""
        self.good.append(place)
        self.tag_of[place], self.tagged[place] = one.tag, bool(one.tag)
        held = self.take(place, one.portion)
        for query, other in held.items():
            refuse_systems(query, self.files[other].path, self.tag_of[other], self.files[place].path, one.tag)
        self.shared |= bool(held)
        if self.shared:
            self.joiner.parts.clear()  # nobody needs them any more
        else:
            self.joiner.merge(one.portion)
            self.apart += one.apart
            self.first = self.first or one.first
            self.notes += one.notes

    def take(self, place: int, portion: JoinedPortion) -> dict[str, int]:
        """Write down who holds these queries; those that another file holds, and which."""
        before = self.holder[portion.queries]
        again = np.flatnonzero(before >= 0)
        ids = self.qrels.query_ids
        held = {ids[q]: other for q, other in zip(portion.queries[again].tolist(), before[again].tolist(), strict=True)}
        self.holder[portion.queries[(before < 0) | ~self.tagged[before]]] = place
        for query in portion.unknown:
            other = self.strangers.get(query, -1)
            if other >= 0:
                held[query] = other
            if other < 0 or not self.tagged[other]:
                self.strangers[query] = place
        return held
