"""Run files joined by several workers: whole files, and pieces of large ones that hold whole queries each."""

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
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.folders import join_partitions
from rankscope.evaluation.run_files import Found, Joined, Progress, find_in, find_in_file, joined_of
from rankscope.evaluation.skipped import each_run
from rankscope.evaluation.sources import join_any, size_of
from rankscope.io.blocks import BLOCK
from rankscope.io.folders import Partition, partitions
from rankscope.io.ranges import Range, RangeReader, cuts
from rankscope.io.read import file_stem, open_source
from rankscope.io.shares import Share, share_rows
from rankscope.io.stamps import Stamp, stamp
from rankscope.io.streams import is_folder, open_binary, open_raw
from rankscope.io.trec import RUN, Ungrouped, stream_rows
from rankscope.io.urls import is_url
from rankscope.parallel import run_units
from rankscope.parallel.cluster import current
from rankscope.parallel.cluster_unit import in_unit, unseen

__all__ = ["cut_up", "join_in_pieces", "join_unit"]

#: Bytes of a piece: at most, and at least.
MOST, LEAST = 16 << 20, 4 << 20
#: The same of a piece that goes to a cluster: each costs the scheduler some milliseconds.
SENT = 1 << 30
#: Pieces for each worker, so that none waits long for the others at the end.
EACH = 4


class Unit(NamedTuple):
    """What a worker joins: a file, or a part of one.

    place: of the file among all. partition: whether the run has others. input_: its format, where it was said. size:
    bytes.
    """

    place: tuple[int, int]
    path: str
    part: Range | Share | None
    partition: bool
    input_: str | None
    size: int


#: What comes back of a unit; None where the file has to be joined from its beginning.
Outcome = Found | InputError | None


class Pieces(NamedTuple):
    """A file in units. path: as it was named. tag, was: of the run, and which file it is, where there are several."""

    path: Any
    units: list[Unit]
    tag: str = ""
    was: Stamp = None


class Cut(NamedTuple):
    """One of the runs: its files, in units; without any where it is not joined by workers.

    partitions: where the run is a folder.
    """

    run: Any
    files: list[Pieces]
    partitions: list[Partition] | None = None

    @property
    def units(self) -> list[Unit]:
        return [unit for file in self.files for unit in file.units]


def join_in_pieces(
    qrels: Qrels,
    runs: Sequence[Any],
    convention: Convention,
    input_: str | None,
    workers: int,
    progress: Progress | None,
    on_error: str = "stop",
) -> list[Joined]:
    """All runs, joined by so many workers: the same, to the last bit, as one by one, however files are cut.

    What a worker cannot join is joined here, from the beginning of its file: so whatever is raised, or noted, is what
    would be without workers, in the order of the runs. But of a file that a worker of a cluster cannot see, this is
    said. on_error: see `each_run`, and of the files of a folder `join_partitions`.
    """
    size = min(MOST if current() is None else SENT, max(LEAST, sum(map(size_of, runs)) // (workers * EACH)))
    cut = [cut_up(place, run, input_, size) for place, run in enumerate(runs)]
    if current() is None and sum(len(one.units) for one in cut) < 2:  # nothing to share
        return each_run(
            runs, lambda place: join_any(qrels, runs[place], convention, input_, progress, on_error), on_error
        )
    _ = qrels.lookup, qrels.grades, qrels.codes  # made once, for all workers that are forked
    failed: set[tuple[int, int]] = set()
    todo = (unit for one in cut for unit in one.units if unit.place not in failed)
    units = run_units(join_unit, todo, workers=workers, shared=(qrels, convention))
    with closing(cast("Generator[tuple[tuple[int, int], Outcome]]", units)) as results:  # if it raises, workers end
        by_file = groupby(results, key=itemgetter(0))

        def found(place: tuple[int, int]) -> Found:
            file, partition = cut[place[0]].files[place[1]], cut[place[0]].partitions is not None
            whole = None
            try:
                whole = put_together(qrels, convention, file, outcomes(by_file, place), progress)
                if len(file.units) > 1 and stamp(file.path) != file.was:  # its pieces are not of one file
                    whole = None
            finally:
                if whole is None:
                    failed.add(place)
            return whole or find_in_file(qrels, file.path, convention, input_, None, partition=partition)

        def joined(place: int) -> Joined:
            one = cut[place]
            if not one.files:
                return join_any(qrels, one.run, convention, input_, progress, on_error)
            if one.partitions is None:
                whole = found((place, 0))
                return joined_of(whole, qrels, convention, whole.tag or file_stem(one.run), one.run)
            return join_partitions(
                qrels, one.run, one.partitions, convention, input_, lambda file: found((place, file)), on_error
            )

        return each_run(runs, joined, on_error)


def outcomes(by_file: Iterator[Any], place: tuple[int, int]) -> Iterator[Outcome]:
    """Those of the file of this place. by_file: in their order; those before, which nobody asked for, are passed over.

    Each file has one: its first unit is always sent.
    """
    return next(((one for _, one in results) for found, results in by_file if found == place), iter(()))


def cut_up(place: int, run: Any, input_: str | None, size: int) -> Cut:
    """A run in units of about so many bytes where its files can be cut, else of whole files."""
    if is_folder(run):
        try:
            files = partitions(run)
        except RankscopeError:  # which is raised again when its turn comes
            return Cut(run, [])
        cut = [cut_file((place, i), one.path, input_, size, one.size, True) for i, one in enumerate(files)]
        return Cut(run, cut, files)
    total = size_of(run)
    return Cut(run, [cut_file((place, 0), run, input_, size, total, False)] if total else [])


def cut_file(place: tuple[int, int], file: Any, input_: str | None, size: int, total: int, partition: bool) -> Pieces:
    """A file in units where it is a plain one of TREC's lines, or Parquet on disk. total: its bytes."""
    path = fspath(file)
    if current() is not None and not is_url(path):
        path = abspath(path)  # the folder of a cluster's worker is another one
    whole = Pieces(file, [Unit(place, path, None, partition, input_, total)])
    if total <= size:
        return whole
    try:
        was = stamp(file)
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            parts: Sequence[Range | Share] = ()
            if source.format == "trec" and source.size:
                parts = cuts(stream, source.size, size)
            elif source.format == "parquet" and source.size and not is_url(path):
                parts = [Share(number, -(-total // size)) for number in range(-(-total // size))]
            if len(parts) < 2:
                return whole
            sizes = [part.size if isinstance(part, Range) else total // len(parts) for part in parts]
            units = [Unit(place, path, part, partition, input_, n) for part, n in zip(parts, sizes, strict=True)]
            return Pieces(file, units, source.run_tag or "", was)
    except RankscopeError:  # which is raised again when its turn comes
        return whole


def join_unit(shared: tuple[Qrels, Convention], unit: Unit) -> tuple[tuple[int, int], Outcome]:
    """The place of the file, and what was found. On a cluster a file that cannot be seen there is told at once."""
    qrels, convention = shared
    try:
        if unit.part is None:
            return unit.place, find_in_file(qrels, unit.path, convention, unit.input_, None, partition=unit.partition)
        joiner = Joiner(qrels, convention, unit.path)
        if isinstance(unit.part, Share):
            return unit.place, find_in(joiner, share_rows(unit.path, unit.part))
        with open_raw(unit.path) as file:
            return unit.place, find_in(joiner, stream_rows(RangeReader(file, unit.part), unit.path, RUN, BLOCK))
    except (RankscopeError, Ungrouped, OSError) as error:
        return unit.place, unseen(unit.path, error) if in_unit() else None


def put_together(
    qrels: Qrels, convention: Convention, file: Pieces, found: Iterable[Outcome], progress: Progress | None
) -> Found | None:
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
    return Found(joiner.portion(), file.tag, first=first)
