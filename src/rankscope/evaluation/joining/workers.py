"""Run files joined by several workers: complete files, and pieces of large ones cut between queries."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import abspath
from typing import Any, NamedTuple, cast

from rankscope.data.join import Convention, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Ungrouped
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.joining.folder import join_partitions
from rankscope.evaluation.joining.joined import (
    JoinedRun,
    Progress,
    RunPart,
    complete_join,
    for_each_run,
    join_rows,
    join_run_part,
)
from rankscope.evaluation.joining.run_input import join_run, run_size
from rankscope.io.core import (
    BLOCK,
    FileStamp,
    Partition,
    columns_of,
    file_stamp,
    file_stem,
    is_folder,
    is_url,
    list_partitions,
    open_binary,
    open_raw,
    open_source,
    with_columns,
)
from rankscope.io.large_runs import ByteRange, ParquetSplit, RangeReader, cut_at_queries, split_rows
from rankscope.io.rank_column import rising_score_note
from rankscope.io.trec import RUN, stream_rows
from rankscope.parallel import run_units
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.cluster_unit import in_unit, invisible_file_error

__all__ = [
    "join_in_workers",
    "join_task",
    "tasks_of_run",
]


#: The most and the fewest bytes of a piece.
MAX_PIECE_BYTES, MIN_PIECE_BYTES = 16 << 20, 4 << 20
#: The most bytes of a piece that goes to a cluster, where each costs the scheduler some milliseconds.
MAX_CLUSTER_PIECE_BYTES = 1 << 30
#: Pieces for each worker, so that none waits long for the others at the end.
PIECES_PER_WORKER = 4


class JoinTask(NamedTuple):
    """What a worker joins: a file, or a part of one.

    place: (run, file) indices. partition: whether the file is one of a folder. input_: its format, where given. size:
    in bytes.
    """

    file_key: tuple[int, int]
    path: str
    piece: ByteRange | ParquetSplit | None
    partition: bool
    input_: str | None
    size: int


#: The result of a task; None where the file has to be joined from its beginning.
TaskOutcome = RunPart | InputError | None


class FileTasks(NamedTuple):
    """The tasks of one file. path: as the user named it. tag, stamp, rank_note: of a file that is cut into pieces."""

    path: Any
    tasks: list[JoinTask]
    tag: str = ""
    stamp: FileStamp = None
    rank_note: str = ""


class RunTasks(NamedTuple):
    """The tasks of one run, by file; none where it is not joined by workers.

    partitions: the files of a run that is a folder.
    """

    run: Any
    files: list[FileTasks]
    partitions: list[Partition] | None = None

    @property
    def tasks(self) -> list[JoinTask]:
        return [unit for file in self.files for unit in file.tasks]


def join_in_workers(
    qrels: Qrels,
    runs: Sequence[Any],
    convention: Convention,
    input_: str | None,
    workers: int,
    progress: Progress | None,
    on_error: str = "stop",
) -> list[JoinedRun]:
    """Join all runs in workers: the same result, to the last bit, as one by one, however files are cut.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        The runs.
    convention
        How the lists are ranked.
    input_
        Format of the files. Default: detected from their content.
    workers
        Number of workers.
    progress
        Called with the number of bytes just read.
    on_error
        "stop" raises for a run that cannot be read, "skip" skips it with notes; likewise for the files of a folder.

    Notes
    -----
    A file that a worker cannot join is joined here from its beginning, so that errors and notes are the same as without
    workers, in the order of the runs. The exception is a file that a worker of a cluster cannot see.
    """
    piece_size = min(
        MAX_PIECE_BYTES if current_cluster() is None else MAX_CLUSTER_PIECE_BYTES,
        max(MIN_PIECE_BYTES, sum(map(run_size, runs)) // (workers * PIECES_PER_WORKER)),
    )
    run_tasks = [tasks_of_run(run_index, run, input_, piece_size) for run_index, run in enumerate(runs)]
    if current_cluster() is None and sum(len(tasks.tasks) for tasks in run_tasks) < 2:  # nothing to distribute
        return for_each_run(
            runs, lambda run_index: join_run(qrels, runs[run_index], convention, input_, progress, on_error), on_error
        )
    _ = qrels.lookup, qrels.grades, qrels.codes  # computed once for all forked workers
    failed: set[tuple[int, int]] = set()
    pending = (unit for tasks in run_tasks for unit in tasks.tasks if unit.file_key not in failed)
    outcomes = run_units(join_task, pending, workers=workers, shared=(qrels, convention))
    # Closing it ends the workers if something raises.
    with closing(cast("Generator[tuple[tuple[int, int], TaskOutcome]]", outcomes)) as results:
        results_by_file = groupby(results, key=itemgetter(0))

        def join_one_file(file_key: tuple[int, int]) -> RunPart:
            tasks = run_tasks[file_key[0]]
            file = tasks.files[file_key[1]]
            run_part = None
            try:
                run_part = merge_tasks(qrels, convention, file, outcomes_of_file(results_by_file, file_key), progress)
                if len(file.tasks) > 1 and file_stamp(file.path) != file.stamp:  # the file was changed meanwhile
                    run_part = None
            finally:
                if run_part is None:
                    failed.add(file_key)
            partition = tasks.partitions is not None
            return run_part or join_run_part(qrels, file.path, convention, input_, None, partition=partition)

        def join_one_run(run_index: int) -> JoinedRun:
            tasks = run_tasks[run_index]
            if not tasks.files:
                return join_run(qrels, tasks.run, convention, input_, progress, on_error)
            if tasks.partitions is None:
                run_part = join_one_file((run_index, 0))
                return complete_join(run_part, qrels, convention, run_part.tag or file_stem(tasks.run), tasks.run)

            def join_partition(file_index: int) -> RunPart:
                return join_one_file((run_index, file_index))

            return join_partitions(qrels, tasks.run, tasks.partitions, convention, input_, join_partition, on_error)

        return for_each_run(runs, join_one_run, on_error)


def outcomes_of_file(results_by_file: Iterator[Any], file_key: tuple[int, int]) -> Iterator[TaskOutcome]:
    """The outcomes of one file. results_by_file: in the order of the files; files before this one are skipped.

    Each file has an outcome: its first task is always sent.
    """
    return next(((outcome for _, outcome in results) for key, results in results_by_file if key == file_key), iter(()))


def tasks_of_run(run_index: int, run: Any, input_: str | None, piece_size: int) -> RunTasks:
    """The tasks of a run: pieces of about `piece_size` bytes where its files can be cut, else complete files."""
    if is_folder(run):
        try:
            files = list_partitions(run)
        except RankscopeError:  # raised again when it is this run's turn
            return RunTasks(run, [])
        file_tasks = [
            tasks_of_file((run_index, file_index), partition.path, input_, piece_size, partition.size, True)
            for file_index, partition in enumerate(files)
        ]
        return RunTasks(run, file_tasks, files)
    n_bytes = run_size(run)
    return RunTasks(run, [tasks_of_file((run_index, 0), run, input_, piece_size, n_bytes, False)] if n_bytes else [])


def tasks_of_file(
    file_key: tuple[int, int], file: Any, input_: str | None, piece_size: int, n_bytes: int, partition: bool
) -> FileTasks:
    """The tasks of a file: several for a plain file of TREC lines, or Parquet on disk. n_bytes: its size."""
    path = fspath(file)
    if current_cluster() is not None and not is_url(path):
        path = fspath(with_columns(abspath(path), columns_of(file)))  # a cluster's worker runs in another folder
    single_task = FileTasks(file, [JoinTask(file_key, path, None, partition, input_, n_bytes)])
    if n_bytes <= piece_size:
        return single_task
    try:
        stamp = file_stamp(file)
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            pieces: Sequence[ByteRange | ParquetSplit] = ()
            if source.format == "trec" and source.size:
                pieces = cut_at_queries(stream, source.size, piece_size)
            elif source.format == "parquet" and source.size and not is_url(path) and source.can_stream:
                pieces = [
                    ParquetSplit(number, -(-n_bytes // piece_size)) for number in range(-(-n_bytes // piece_size))
                ]
            if len(pieces) < 2:
                return single_task
            sizes = [piece.size if isinstance(piece, ByteRange) else n_bytes // len(pieces) for piece in pieces]
            units = [
                JoinTask(file_key, path, piece, partition, input_, size)
                for piece, size in zip(pieces, sizes, strict=True)
            ]
            return FileTasks(file, units, source.run_tag or "", stamp, rising_score_note(source))
    except RankscopeError:  # raised again when it is this run's turn
        return single_task


def join_task(shared: tuple[Qrels, Convention], task: JoinTask) -> tuple[tuple[int, int], TaskOutcome]:
    """The key of the file, and the outcome. On a cluster a file that cannot be seen there is an InputError at once."""
    qrels, convention = shared
    try:
        if task.piece is None:
            return task.file_key, join_run_part(
                qrels, task.path, convention, task.input_, None, partition=task.partition
            )
        joiner = Joiner(qrels, convention, task.path)
        if isinstance(task.piece, ParquetSplit):
            return task.file_key, join_rows(joiner, split_rows(task.path, task.piece))
        with open_raw(task.path) as file:
            return task.file_key, join_rows(joiner, stream_rows(RangeReader(file, task.piece), task.path, RUN, BLOCK))
    except (RankscopeError, Ungrouped, OSError) as error:
        return task.file_key, invisible_file_error(task.path, error) if in_unit() else None


def merge_tasks(
    qrels: Qrels, convention: Convention, file: FileTasks, outcomes: Iterable[TaskOutcome], progress: Progress | None
) -> RunPart | None:
    """Merge the outcomes of a file; None where it has to be joined from its beginning. Raises the error of a task."""
    joiner = Joiner(qrels, convention, "")
    unknown_queries: set[str] = set()
    run_part, first_docs = None, tuple[str, ...]()
    for task, outcome in zip(file.tasks, outcomes, strict=False):  # after a failure the tasks behind it may be missing
        if isinstance(outcome, InputError):
            raise outcome
        if outcome is None:
            return None
        run_part, first_docs = outcome, first_docs or outcome.first_docs
        if progress is not None:
            progress(task.size)
        if task.piece is None:
            break
        if not joiner.missing[outcome.portion.queries].all() or not unknown_queries.isdisjoint(
            outcome.portion.unjudged_queries
        ):
            return None
        unknown_queries.update(outcome.portion.unjudged_queries)
        joiner.merge(outcome.portion)
    if run_part is None or len(file.tasks) == 1:
        return run_part
    return RunPart(joiner.portion(), file.tag, first_docs=first_docs, rank_note=file.rank_note)
