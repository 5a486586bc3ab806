"""The files of a run that is a folder, read as if they followed each other in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankscope.data.rows import RowBatch, RowNumbers, Rows, decode_id, gather_rows
from rankscope.data.run import Run
from rankscope.data.text import join_names as enumerated
from rankscope.errors import InputError
from rankscope.io.core import (
    FORMATS,
    Source,
    file_stem,
    get_format,
    list_partitions,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
)
from rankscope.io.core.formats import Progress
from rankscope.typing import PathLike

__all__ = [
    "DUPLICATE_ADVICE",
    "FolderRun",
    "read_folder",
    "refuse_systems",
    "refuse_unstreamable",
    "run_name_of_tags",
]


#: What to do where a query holds a document in two partitions.
DUPLICATE_ADVICE = "remove one of the two, or name the files where each is a run of its own"
#: Rows of one partition, at most: a row is known by a number that holds that of its partition, too.
MOST = 1 << 40


class FolderRun:
    """The files of one run, read one after the other. tags: those that were met, in their order."""

    def __init__(self, folder: PathLike, paths: Sequence[str], input_: str | None) -> None:
        self.name = source_name(folder)
        self.paths, self.input_ = paths, input_
        self.called: list[tuple[str, str]] = []  # of each file, how its rows are named, and its name
        self.of_file: list[str | None] = []  # its tag

    @property
    def run_tag(self) -> str | None:
        """What all of those that have a tag say that the run is called."""
        return self.tags[0] if len(self.tags) == 1 else None

    @property
    def tags(self) -> list[str]:
        return list(dict.fromkeys(tag for tag in self.of_file if tag))

    def stretches(self, progress: Progress | None = None) -> Iterator[RowBatch]:
        """All rows. Raises InputError that names file and line."""
        for place, path in enumerate(self.paths):
            with open_binary(path) as stream:
                source = open_source(stream, path, self.input_)
                refuse_unstreamable(source)
                self.called.append((get_format(source.format).row_called, source.name))
                self.of_file.append(source.run_tag)
                for piece in source.stretches(progress):
                    yield piece._replace(numbers=piece.numbers + place * MOST)

    def row_called(self, number: int) -> str:
        """How messages name the row of this number among `stretches`."""
        place, row = divmod(number, MOST)
        form, name = self.called[place]
        return form.format(name, row)


def refuse_unstreamable(source: Source) -> None:
    """Raise InputError for a file that cannot be read piece by piece."""
    if get_format(source.format).stretches is None:
        known = [name for name in FORMATS if get_format(name).stretches is not None]
        raise InputError(
            f"{source.name}: {source.format} as one of the files of a run, expected one of {', '.join(known)}; name "
            "the file itself, or convert it"
        )


def run_name_of_tags(folder: PathLike, tags: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """What a run is called: its tag, where all partitions that have one agree, else as its folder; a note if not."""
    found = list(dict.fromkeys(tags))
    if len(found) == 1:
        return found[0], ()
    name = file_stem(folder)
    if not found:
        return name, ()
    said = enumerated(map(repr, found))
    return name, (f"{source_name(folder)}: its files bear several tags ({said}); the run is called {name!r}",)


def refuse_systems(query: str, one: str, tag: str | None, other: str, its_tag: str | None) -> None:
    """Raise InputError where two files hold a query and say that they are of two systems."""
    if tag and its_tag and tag != its_tag:
        raise InputError(
            f"{other}: query {query!r} stands in {one} too, with another tag ({its_tag!r}, there {tag!r}), and a "
            "folder is one run; name the files if they are runs of their own"
        )


def read_folder(folder: PathLike, input_: str | None = None, name: str | None = None) -> tuple[Run, bool]:
    """The whole run, and whether its files name it. name: in the place of theirs. Raises InputError."""
    found = FolderRun(folder, [one.path for one in list_partitions(folder)], input_)
    rows, apart = gather_rows(found.stretches(), found.row_called)
    called, notes = run_name_of_tags(folder, found.tags)
    refuse_several(rows, found)
    if apart:
        notes = (ungrouped_note(found.name, apart), *notes)
    return Run.from_rows(rows, name=name or called, notes=notes), len(found.tags) == 1


def refuse_several(rows: Rows, found: FolderRun) -> None:
    """Raise InputError for a query that two files with different tags hold. rows: all of them."""
    tags = found.tags
    if len(tags) < 2:
        return
    assert isinstance(rows.where, RowNumbers)
    file = rows.where.numbers[np.searchsorted(rows.where.starts, rows.docs.starts)] // MOST
    tag = np.array([tags.index(tag) if tag else -1 for tag in found.of_file])[file]
    tagged = np.flatnonzero(tag >= 0)
    query = np.repeat(np.arange(len(rows.query_ids)), np.diff(rows.offsets))[tagged]
    first = tagged[np.searchsorted(query, query)]
    others = np.flatnonzero(tag[tagged] != tag[first])
    if others.size:
        one, other = file[[first[others[0]], tagged[others[0]]]].tolist()
        id_ = decode_id(rows.query_ids[int(query[others[0]])])
        refuse_systems(id_, found.paths[one], found.of_file[one], found.paths[other], found.of_file[other])
