"""A run in a folder: its files are read as if they were one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankscope.data.rows import RowBatch, RowNumbers, Rows, decode_id, gather_rows
from rankscope.data.run import Run
from rankscope.data.text import join_names
from rankscope.errors import InputError
from rankscope.io.core import (
    FORMATS,
    Progress,
    Source,
    file_stem,
    get_format,
    list_partitions,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
)
from rankscope.typing import PathLike

__all__ = [
    "DUPLICATE_ADVICE",
    "FolderRun",
    "read_folder",
    "refuse_two_systems",
    "refuse_unstreamable",
    "run_name_of_tags",
]


#: Advice for a document that a query has in two files.
DUPLICATE_ADVICE = "remove one of the two, or name the files where each is a run of its own"
#: The maximum number of rows of one file: the number of a row also encodes the index of its file.
MAX_FILE_ROWS = 1 << 40


class FolderRun:
    """The files of one run, read one after the other."""

    def __init__(self, folder: PathLike, paths: Sequence[str], format_name: str | None) -> None:
        self.name = source_name(folder)
        self.paths, self.format_name = paths, format_name
        self.row_templates: list[tuple[str, str]] = []  # for each file: how its rows are named, and its name
        self.file_tags: list[str | None] = []  # for each file: its tag

    @property
    def run_tag(self) -> str | None:
        """The tag of the run, if all files with a tag have the same."""
        return self.tags[0] if len(self.tags) == 1 else None

    @property
    def tags(self) -> list[str]:
        """The distinct tags so far, in order."""
        return list(dict.fromkeys(tag for tag in self.file_tags if tag))

    def row_batches(self, progress: Progress | None = None) -> Iterator[RowBatch]:
        """All rows. Raises InputError that names file and line."""
        for file_index, path in enumerate(self.paths):
            with open_binary(path) as stream:
                source = open_source(stream, path, self.format_name)
                refuse_unstreamable(source)
                self.row_templates.append((get_format(source.format).row_template, source.name))
                self.file_tags.append(source.run_tag)
                for batch in source.row_batches(progress):
                    yield batch._replace(numbers=batch.numbers + file_index * MAX_FILE_ROWS)

    def row_name(self, number: int) -> str:
        """How messages name the row with this number in `row_batches`."""
        file_index, row = divmod(number, MAX_FILE_ROWS)
        template, name = self.row_templates[file_index]
        return template.format(name, row)


def refuse_unstreamable(source: Source) -> None:
    """Raise InputError for a format that cannot be read batch by batch."""
    if get_format(source.format).row_batches is None:
        format_names = [name for name in FORMATS if get_format(name).row_batches is not None]
        raise InputError(
            f"{source.name}: {source.format} as one of the files of a run, expected one of {', '.join(format_names)}; "
            "name the file itself, or convert it"
        )


def run_name_of_tags(folder: PathLike, tags: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The name of a run: its tag if all files with a tag agree, else the folder's name, with a note if they differ."""
    distinct_tags = list(dict.fromkeys(tags))
    if len(distinct_tags) == 1:
        return distinct_tags[0], ()
    name = file_stem(folder)
    if not distinct_tags:
        return name, ()
    tag_list = join_names(map(repr, distinct_tags))
    return name, (f"{source_name(folder)}: its files bear several tags ({tag_list}); the run is called {name!r}",)


def refuse_two_systems(
    query: str, first_path: str, first_tag: str | None, second_path: str, second_tag: str | None
) -> None:
    """Raise InputError where two files hold the same query and have different tags."""
    if first_tag and second_tag and first_tag != second_tag:
        raise InputError(
            f"{second_path}: query {query!r} stands in {first_path} too, with another tag ({second_tag!r}, there "
            f"{first_tag!r}), and a folder is one run; name the files if they are runs of their own"
        )


def read_folder(folder: PathLike, format_name: str | None = None, name: str | None = None) -> tuple[Run, bool]:
    """The whole run, and whether its files name it. name: overrides their tag. Raises InputError."""
    folder_run = FolderRun(folder, [partition.path for partition in list_partitions(folder)], format_name)
    rows, n_ungrouped = gather_rows(folder_run.row_batches(), folder_run.row_name)
    run_name, notes = run_name_of_tags(folder, folder_run.tags)
    refuse_shared_queries(rows, folder_run)
    if n_ungrouped:
        notes = (ungrouped_note(folder_run.name, n_ungrouped), *notes)
    return Run.from_rows(rows, name=name or run_name, notes=notes), len(folder_run.tags) == 1


def refuse_shared_queries(rows: Rows, folder_run: FolderRun) -> None:
    """Raise InputError for a query that is in two files with different tags. rows: of all files."""
    tags = folder_run.tags
    if len(tags) < 2:
        return
    assert isinstance(rows.where, RowNumbers)
    file_index = rows.where.numbers[np.searchsorted(rows.where.starts, rows.docs.starts)] // MAX_FILE_ROWS
    tag_index = np.array([tags.index(tag) if tag else -1 for tag in folder_run.file_tags])[file_index]
    tagged_rows = np.flatnonzero(tag_index >= 0)
    query_index = np.repeat(np.arange(len(rows.query_ids)), np.diff(rows.offsets))[tagged_rows]
    first_rows = tagged_rows[np.searchsorted(query_index, query_index)]
    conflicts = np.flatnonzero(tag_index[tagged_rows] != tag_index[first_rows])
    if conflicts.size:
        first_file, second_file = file_index[[first_rows[conflicts[0]], tagged_rows[conflicts[0]]]].tolist()
        id_ = decode_id(rows.query_ids[int(query_index[conflicts[0]])])
        refuse_two_systems(
            id_,
            folder_run.paths[first_file],
            folder_run.file_tags[first_file],
            folder_run.paths[second_file],
            folder_run.file_tags[second_file],
        )
