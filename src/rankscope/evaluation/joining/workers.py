"""Run files joined by several workers: complete files, and pieces of large ones cut between queries."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain, groupby
from operator import itemgetter
from os import fspath
from os.path import abspath
from typing import Any, NamedTuple, cast

from rankscope.data.join import RunPart
from rankscope.data.rows import Ungrouped
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.joining.inputs import run_size
from rankscope.evaluation.joining.joining import Joining, no_part
from rankscope.io.core import (
    BLOCK,
    FileStamp,
    columns_of,
    file_stamp,
    is_folder,
    is_url,
    list_partitions,
    open_binary,
    open_raw,
    open_source,
    with_columns,
)
from rankscope.io.large_runs import ByteRange, ParquetSplit, RangeReader, cut_at_queries, split_rows
from rankscope.io.rank_column import column_note
from rankscope.io.trec import RUN, stream_rows
from rankscope.parallel import run_units
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.unit import in_cluster_unit, invisible_file_error
from rankscope.typing import PathLike

__all__ = [
    "join_in_workers",
    "join_task",
    "merge_tasks",
    "tasks_of_run",
]


#: The most and the fewest bytes of a piece.
MAX_PIECE_BYTES, MIN_PIECE_BYTES = 16 << 20, 4 << 20
#: The most bytes of a piece that goes to a cluster, where each costs the scheduler some milliseconds.
MAX_CLUSTER_PIECE_BYTES = 1 << 30
#: Pieces for each worker, so that none waits long for the others at the end.
PIECES_PER_WORKER = 4
#: Bytes that are read in the time that a file takes to open. Small files share a unit of work.
FILE_COST = 64 << 10


class JoinTask(NamedTuple):
    """What a worker joins: a file, or a piece of one.

    Attributes
    ----------
    file_key
        Indices of the run, and of the file in it.
    source, path
        The file as the user named it, and as a worker opens it.
    partition
        Whether the file is one of a folder.
    size
        In bytes, of the file or the piece.
    piece, tag, stamp, rank_note
        Of a file that is cut: what to join of it, the run's name, what identifies the file, a note on its ranks.
    """

    file_key: tuple[int, int]
    source: PathLike
    path: str
    partition: bool
    size: int
    piece: ByteRange | ParquetSplit | None = None
    tag: str = ""
    stamp: FileStamp = None
    rank_note: str = ""


#: The result of a task; None where the file has to be joined from its beginning.
TaskOutcome = RunPart | InputError | None


@contextmanager
def join_in_workers(
    joining: Joining, runs: Sequence[Any], workers: int
) -> Iterator[Callable[[int, int], RunPart | None]]:
    """Join the files of all runs in workers. Leaving the block ends them.

    Parameters
    ----------
    joining
        How they are joined.
    runs
        The runs.
    workers
        Number of workers.

    Yields
    ------
    part_of_file
        (index of the run, index of the file in it) -> its part; None where workers do not join it. Called in order;
        files may be skipped. Raises InputError.

    Notes
    -----
    Parts are the same, to the last bit, as without workers, however files are cut. A file that a worker cannot join is
    joined here from its beginning, so that errors and notes are the same as well, in the order of the runs. The
    exception is a file that a worker of a cluster cannot see.
    """
    piece_size = min(
        MAX_PIECE_BYTES if current_cluster() is None else MAX_CLUSTER_PIECE_BYTES,
        max(MIN_PIECE_BYTES, sum(map(run_size, runs)) // (workers * PIECES_PER_WORKER)),
    )
    tasks_by_file: dict[tuple[int, int], list[JoinTask]] = {}
    for run_index, run in enumerate(runs):
        for task in tasks_of_run(run_index, run, joining.input, piece_size):
            tasks_by_file.setdefault(task.file_key, []).append(task)
    if current_cluster() is None and sum(map(len, tasks_by_file.values())) < 2:  # nothing to distribute
        yield no_part
        return
    _ = joining.qrels.lookup, joining.qrels.grades, joining.qrels.codes  # computed once for all forked workers
    silent_joining = replace(joining, progress=None)  # workers cannot report; what they read is reported here
    failed: set[tuple[int, int]] = set()
    pending = (task for tasks in tasks_by_file.values() for task in tasks if task.file_key not in failed)
    outcomes = run_units(join_tasks, batches_of(pending, MIN_PIECE_BYTES), workers=workers, shared=silent_joining)
    # Closing it ends the workers if something raises.
    with closing(cast("Generator[list[tuple[tuple[int, int], TaskOutcome]]]", outcomes)) as results:
        results_by_file = groupby(chain.from_iterable(results), key=itemgetter(0))

        def part_of_file(run_index: int, file_index: int) -> RunPart | None:
            tasks = tasks_by_file.get((run_index, file_index))
            if tasks is None:
                return None
            first = tasks[0]
            part = None
            try:
                part = merge_tasks(joining, tasks, outcomes_of_file(results_by_file, first.file_key))
                if len(tasks) > 1 and file_stamp(first.source) != first.stamp:  # the file was changed meanwhile
                    part = None
            finally:
                if part is None:
                    failed.add(first.file_key)
            return part or silent_joining.read_file(first.source, partition=first.partition).part()

        yield part_of_file


def outcomes_of_file(results_by_file: Iterator[Any], file_key: tuple[int, int]) -> Iterator[TaskOutcome]:
    """The outcomes of one file. results_by_file: in the order of the files; files before this one are skipped.

    Each file has an outcome: its first task is always sent.
    """
    return next(((outcome for _, outcome in results) for key, results in results_by_file if key == file_key), iter(()))


def tasks_of_run(run_index: int, run: Any, input_: str | None, piece_size: int) -> list[JoinTask]:
    """The tasks of a run: pieces of its files where they can be cut, else complete files.

    Parameters
    ----------
    run_index
        Index of the run.
    run
        The run.
    input_
        Format of the run. None: detected from the content.
    piece_size
        About how many bytes a piece has.

    Returns
    -------
    list
        Empty for a run that workers do not join, or that cannot be read: its error is raised when it is its turn.
    """
    if is_folder(run):
        try:
            files = list_partitions(run)
        except RankscopeError:
            return []
        whole_files = [
            JoinTask((run_index, file_index), file.path, worker_path(file.path), True, file.size)
            for file_index, file in enumerate(files)
        ]
        return [piece for task in whole_files for piece in cut_task(task, input_, piece_size)]
    n_bytes = run_size(run)
    if not n_bytes:
        return []
    return cut_task(JoinTask((run_index, 0), run, worker_path(run), False, n_bytes), input_, piece_size)


def worker_path(file: PathLike) -> str:
    """The path by which a worker opens a file: a cluster's runs in another folder."""
    path = fspath(file)
    if current_cluster() is None or is_url(path):
        return path
    return fspath(with_columns(abspath(path), columns_of(file)))


def cut_task(task: JoinTask, input_: str | None, piece_size: int) -> list[JoinTask]:
    """The pieces of a file: several for a plain file of TREC lines, or Parquet on disk. task: the whole file."""
    if task.size <= piece_size:
        return [task]
    try:
        stamp = file_stamp(task.source)
        with open_binary(task.path) as stream:
            source = open_source(stream, task.path, input_)
            pieces: Sequence[ByteRange | ParquetSplit] = ()
            if source.format == "trec" and source.size:
                pieces = cut_at_queries(stream, source.size, piece_size)
            elif source.format == "parquet" and source.size and not is_url(task.path) and source.can_stream:
                n_pieces = -(-task.size // piece_size)
                pieces = [ParquetSplit(number, n_pieces) for number in range(n_pieces)]
            if len(pieces) < 2:
                return [task]
            uncut = task._replace(tag=source.run_tag or "", stamp=stamp, rank_note=column_note(source))
            sizes = [piece.size if isinstance(piece, ByteRange) else task.size // len(pieces) for piece in pieces]
            return [uncut._replace(piece=piece, size=size) for piece, size in zip(pieces, sizes, strict=True)]
    except RankscopeError:  # raised again when it is this run's turn
        return [task]


def batches_of(tasks: Iterable[JoinTask], n_bytes: int) -> Iterator[list[JoinTask]]:
    """Consecutive tasks in batches of about so many bytes. A worker takes a batch at a time: of tiny files, many."""
    batch: list[JoinTask] = []
    cost = 0
    for task in tasks:
        task_cost = max(task.size, FILE_COST)
        if batch and cost + task_cost > n_bytes:
            yield batch
            batch, cost = [], 0
        batch.append(task)
        cost += task_cost
    if batch:
        yield batch


def join_tasks(joining: Joining, tasks: Sequence[JoinTask]) -> list[tuple[tuple[int, int], TaskOutcome]]:
    """The key of the file and the outcome of each task."""
    return [join_task(joining, task) for task in tasks]


def join_task(joining: Joining, task: JoinTask) -> tuple[tuple[int, int], TaskOutcome]:
    """The key of the file, and the outcome. On a cluster a file that cannot be seen there is an InputError at once."""
    try:
        if task.piece is None:
            return task.file_key, joining.read_file(task.path, partition=task.partition).part()
        joiner = joining.joiner(task.path)
        joiner.tag, joiner.rank_note = task.tag, task.rank_note
        if isinstance(task.piece, ParquetSplit):
            for rows in split_rows(task.path, task.piece):
                joiner.add(rows)
            return task.file_key, joiner.part()
        with open_raw(task.path) as file:
            reader = RangeReader(file, task.piece)
            for rows in stream_rows(reader, task.path, RUN, BLOCK):
                joiner.add(rows)
            joiner.notes = tuple(reader.notes)
            return task.file_key, joiner.part()
    except (RankscopeError, Ungrouped, OSError) as error:
        return task.file_key, invisible_file_error(task.path, error) if in_cluster_unit() else None


def merge_tasks(joining: Joining, tasks: Sequence[JoinTask], outcomes: Iterable[TaskOutcome]) -> RunPart | None:
    """Merge the outcomes of a file; None where it has to be joined from its beginning. Raises the error of a task."""
    joiner, n_merged = joining.joiner(""), 0
    unknown_queries: set[str] = set()
    for task, outcome in zip(tasks, outcomes, strict=False):  # after a failure the tasks behind it may be missing
        if isinstance(outcome, InputError):
            raise outcome
        if outcome is None:
            return None
        if joining.progress is not None:
            joining.progress(task.size)
        if not joiner.missing[outcome.queries].all() or not unknown_queries.isdisjoint(outcome.unjudged_queries):
            return None  # two pieces hold the same query
        unknown_queries.update(outcome.unjudged_queries)
        joiner.merge(outcome)
        n_merged += 1
    return joiner.part() if n_merged else None
