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
    file_stamp,
    file_stem,
    is_folder,
    is_url,
    list_partitions,
    open_binary,
    open_raw,
    open_source,
)
from rankscope.io.scale import ByteRange, ParquetSplit, RangeReader, cut_at_queries, split_rows
from rankscope.io.trec import RUN, stream_rows
from rankscope.parallel import run_units
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.cluster_unit import in_unit, invisible_file_error

__all__ = [
    "join_in_workers",
    "join_task",
    "tasks_of_run",
]


#: Bytes of a piece: at most, and at least.
MOST, LEAST = 16 << 20, 4 << 20
#: The same of a piece that goes to a cluster: each costs the scheduler some milliseconds.
SENT = 1 << 30
#: Pieces for each worker, so that none waits long for the others at the end.
EACH = 4


class JoinTask(NamedTuple):
    """What a worker joins: a file, or a part of one.

    place: of the file among all. partition: whether the run has others. input_: its format, where it was said. size:
    bytes.
    """

    place: tuple[int, int]
    path: str
    part: ByteRange | ParquetSplit | None
    partition: bool
    input_: str | None
    size: int


#: What comes back of a unit; None where the file has to be joined from its beginning.
TaskOutcome = RunPart | InputError | None


class FileTasks(NamedTuple):
    """A file in units. path: as it was named. tag, was: of the run, and which file it is, where there are several."""

    path: Any
    units: list[JoinTask]
    tag: str = ""
    was: FileStamp = None


class RunTasks(NamedTuple):
    """One of the runs: its files, in units; without any where it is not joined by workers.

    partitions: where the run is a folder.
    """

    run: Any
    files: list[FileTasks]
    partitions: list[Partition] | None = None

    @property
    def units(self) -> list[JoinTask]:
        return [unit for file in self.files for unit in file.units]


def join_in_workers(
    qrels: Qrels,
    runs: Sequence[Any],
    convention: Convention,
    input_: str | None,
    workers: int,
    progress: Progress | None,
    on_error: str = "stop",
) -> list[JoinedRun]:
    """All runs, joined by so many workers: the same, to the last bit, as one by one, however files are cut.

    What a worker cannot join is joined here, from the beginning of its file: so whatever is raised, or noted, is what
    would be without workers, in the order of the runs. But of a file that a worker of a cluster cannot see, this is
    said. on_error: see `for_each_run`, and of the files of a folder `join_partitions`.
    """
    size = min(MOST if current_cluster() is None else SENT, max(LEAST, sum(map(run_size, runs)) // (workers * EACH)))
    cut = [tasks_of_run(place, run, input_, size) for place, run in enumerate(runs)]
    if current_cluster() is None and sum(len(one.units) for one in cut) < 2:  # nothing to share
        return for_each_run(
            runs, lambda place: join_run(qrels, runs[place], convention, input_, progress, on_error), on_error
        )
    _ = qrels.lookup, qrels.grades, qrels.codes  # made once, for all workers that are forked
    failed: set[tuple[int, int]] = set()
    todo = (unit for one in cut for unit in one.units if unit.place not in failed)
    units = run_units(join_task, todo, workers=workers, shared=(qrels, convention))
    with closing(cast("Generator[tuple[tuple[int, int], TaskOutcome]]", units)) as results:  # if it raises, workers end
        by_file = groupby(results, key=itemgetter(0))

        def found(place: tuple[int, int]) -> RunPart:
            file, partition = cut[place[0]].files[place[1]], cut[place[0]].partitions is not None
            whole = None
            try:
                whole = merge_tasks(qrels, convention, file, outcomes_of_file(by_file, place), progress)
                if len(file.units) > 1 and file_stamp(file.path) != file.was:  # its pieces are not of one file
                    whole = None
            finally:
                if whole is None:
                    failed.add(place)
            return whole or join_run_part(qrels, file.path, convention, input_, None, partition=partition)

        def joined(place: int) -> JoinedRun:
            one = cut[place]
            if not one.files:
                return join_run(qrels, one.run, convention, input_, progress, on_error)
            if one.partitions is None:
                whole = found((place, 0))
                return complete_join(whole, qrels, convention, whole.tag or file_stem(one.run), one.run)
            return join_partitions(
                qrels, one.run, one.partitions, convention, input_, lambda file: found((place, file)), on_error
            )

        return for_each_run(runs, joined, on_error)


def outcomes_of_file(by_file: Iterator[Any], place: tuple[int, int]) -> Iterator[TaskOutcome]:
    """Those of the file of this place. by_file: in their order; those before, which nobody asked for, are passed over.

    Each file has one: its first unit is always sent.
    """
    return next(((one for _, one in results) for found, results in by_file if found == place), iter(()))


def tasks_of_run(place: int, run: Any, input_: str | None, size: int) -> RunTasks:
    """A run in units of about so many bytes where its files can be cut, else of whole files."""
    if is_folder(run):
        try:
            files = list_partitions(run)
        except RankscopeError:  # which is raised again when its turn comes
            return RunTasks(run, [])
        cut = [tasks_of_file((place, i), one.path, input_, size, one.size, True) for i, one in enumerate(files)]
        return RunTasks(run, cut, files)
    total = run_size(run)
    return RunTasks(run, [tasks_of_file((place, 0), run, input_, size, total, False)] if total else [])


def tasks_of_file(
    place: tuple[int, int], file: Any, input_: str | None, size: int, total: int, partition: bool
) -> FileTasks:
    """A file in units where it is a plain one of TREC's lines, or Parquet on disk. total: its bytes."""
    path = fspath(file)
    if current_cluster() is not None and not is_url(path):
        path = abspath(path)  # the folder of a cluster's worker is another one
    whole = FileTasks(file, [JoinTask(place, path, None, partition, input_, total)])
    if total <= size:
        return whole
    try:
        was = file_stamp(file)
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            parts: Sequence[ByteRange | ParquetSplit] = ()
            if source.format == "trec" and source.size:
                parts = cut_at_queries(stream, source.size, size)
            elif source.format == "parquet" and source.size and not is_url(path):
                parts = [ParquetSplit(number, -(-total // size)) for number in range(-(-total // size))]
            if len(parts) < 2:
                return whole
            sizes = [part.size if isinstance(part, ByteRange) else total // len(parts) for part in parts]
            units = [JoinTask(place, path, part, partition, input_, n) for part, n in zip(parts, sizes, strict=True)]
            return FileTasks(file, units, source.run_tag or "", was)
    except RankscopeError:  # which is raised again when its turn comes
        return whole


def join_task(shared: tuple[Qrels, Convention], unit: JoinTask) -> tuple[tuple[int, int], TaskOutcome]:
    """The place of the file, and what was found. On a cluster a file that cannot be seen there is told at once."""
    qrels, convention = shared
    try:
        if unit.part is None:
            return unit.place, join_run_part(qrels, unit.path, convention, unit.input_, None, partition=unit.partition)
        joiner = Joiner(qrels, convention, unit.path)
        if isinstance(unit.part, ParquetSplit):
            return unit.place, join_rows(joiner, split_rows(unit.path, unit.part))
        with open_raw(unit.path) as file:
            return unit.place, join_rows(joiner, stream_rows(RangeReader(file, unit.part), unit.path, RUN, BLOCK))
    except (RankscopeError, Ungrouped, OSError) as error:
        return unit.place, invisible_file_error(unit.path, error) if in_unit() else None


def merge_tasks(
    qrels: Qrels, convention: Convention, file: FileTasks, found: Iterable[TaskOutcome], progress: Progress | None
) -> RunPart | None:
    """A file from its units; None where it has to be joined from its beginning. Raises what a unit has to say."""
    joiner = Joiner(qrels, convention, "")
    strangers: set[str] = set()
    whole, first = None, ""
    for unit, one in zip(file.units, found, strict=False):  # where one fails, those behind it may be left out
        if isinstance(one, InputError):
            raise one
        if one is None:
            return None
        whole, first = one, first or one.first
        if progress is not None:
            progress(unit.size)
        if unit.part is None:
            break
        if not joiner.missing[one.portion.queries].all() or not strangers.isdisjoint(one.portion.unknown):
            return None
        strangers.update(one.portion.unknown)
        joiner.merge(one.portion)
    if whole is None or len(file.units) == 1:
        return whole
    return RunPart(joiner.portion(), file.tag, first=first)
