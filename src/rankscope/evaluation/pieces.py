"""Run files joined by several workers: whole files, and pieces of large ones that hold whole queries each."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import abspath
from typing import Any, NamedTuple, cast

from rankscope.data.join import Convention, Joiner, Portion
from rankscope.data.qrels import Qrels
from rankscope.data.rows import name_of
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.skipped import each_run
from rankscope.evaluation.sources import Joined, Progress, join_any, size_of, stranger_notes
from rankscope.io.blocks import BLOCK
from rankscope.io.ranges import Range, RangeReader, cuts
from rankscope.io.read import file_stem, open_source
from rankscope.io.streams import open_binary, open_raw
from rankscope.io.trec import RUN, Ungrouped, stream_rows
from rankscope.io.urls import is_url
from rankscope.parallel import run_units
from rankscope.parallel.cluster import current
from rankscope.parallel.cluster_unit import in_unit, unseen

__all__ = ["join_in_pieces"]

#: Bytes of a piece: at most, and at least.
MOST, LEAST = 32 << 20, 4 << 20
#: The same of a piece that goes to a cluster: each costs the scheduler some milliseconds.
SENT = 1 << 30
#: Pieces for each worker, so that none waits long for the others at the end.
EACH = 4


class Unit(NamedTuple):
    """What a worker joins: a file, or a part of one.

    place: of the run among all. input_: its format, where it was said. size: bytes.
    """

    place: int
    path: str
    part: Range | None
    input_: str | None
    size: int


class Found(NamedTuple):
    """What a worker found. name, notes: of the run, where the unit is the whole of it."""

    portion: Portion
    name: str = ""
    notes: tuple[str, ...] = ()


#: What comes back of a unit; None where the run has to be joined from the beginning of its file.
Outcome = Found | InputError | None


class Cut(NamedTuple):
    """One of the runs, in units; without any where it is not joined by workers.

    name: what the run of several units is called. first: one of its documents, for notes.
    """

    run: Any
    units: list[Unit]
    name: str = ""
    first: str = ""


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
    said. on_error: see `each_run`.
    """
    size = min(MOST if current() is None else SENT, max(LEAST, sum(map(size_of, runs)) // (workers * EACH)))
    cut = [cut_up(place, run, input_, size) for place, run in enumerate(runs)]
    if current() is None and sum(len(one.units) for one in cut) < 2:  # nothing to share
        return each_run(runs, lambda place: join_any(qrels, runs[place], convention, input_, progress), on_error)
    _ = qrels.lookup, qrels.grades, qrels.codes  # made once, for all workers that are forked
    failed: set[int] = set()
    todo = (unit for one in cut for unit in one.units if unit.place not in failed)
    units = run_units(join_unit, todo, workers=workers, shared=(qrels, convention))
    with closing(cast("Generator[tuple[int, Outcome]]", units)) as results:  # whatever is raised, workers end
        by_run = groupby(results, key=itemgetter(0))

        def joined(place: int) -> Joined:
            one = cut[place]
            if one.units:
                ours = (found for _, found in next(by_run)[1])
                whole = None
                try:
                    whole = put_together(qrels, convention, one, ours, progress)
                finally:
                    if whole is None:
                        failed.add(place)
                if whole is not None:
                    return whole
            return join_any(qrels, one.run, convention, input_, None if one.units else progress)

        return each_run(runs, joined, on_error)


def cut_up(place: int, run: Any, input_: str | None, size: int) -> Cut:
    """A run in units of about so many bytes where it is a plain file in TREC's lines, else of the whole file."""
    total = size_of(run)
    if not total:
        return Cut(run, [])
    path = fspath(run)
    if current() is not None and not is_url(path):
        path = abspath(path)  # the folder of a cluster's worker is another one
    if total > size:
        try:
            with open_binary(path) as stream:
                source = open_source(stream, path, input_)
                if source.format == "trec" and source.size:
                    parts = cuts(stream, source.size, size)
                    units = [Unit(place, path, part, input_, part.size) for part in parts]
                    if len(units) > 1:
                        return Cut(run, units, source.tag or file_stem(path), name_of(b"".join(source.first_line[2:3])))
        except RankscopeError:  # which is raised again when its turn comes
            return Cut(run, [])
    return Cut(run, [Unit(place, path, None, input_, total)])


def join_unit(shared: tuple[Qrels, Convention], unit: Unit) -> tuple[int, Outcome]:
    """The place of the run, and what was found. On a cluster a file that cannot be seen there is told at once."""
    qrels, convention = shared
    try:
        if unit.part is None:
            joined = join_any(qrels, unit.path, convention, unit.input_, None)
            return unit.place, Found(Portion.of(joined.hits, qrels), joined.name, joined.notes)
        joiner = Joiner(qrels, convention, unit.path)
        with open_raw(unit.path) as file:
            for rows in stream_rows(RangeReader(file, unit.part), unit.path, RUN, BLOCK):
                joiner.add(rows)
        return unit.place, Found(joiner.portion())
    except (RankscopeError, Ungrouped, OSError) as error:
        return unit.place, unseen(unit.path, error) if in_unit() else None


def put_together(
    qrels: Qrels, convention: Convention, cut: Cut, found: Iterable[Outcome], progress: Progress | None
) -> Joined | None:
    """One run from its units; None where it has to be joined from the beginning. Raises what a unit has to say."""
    joiner = Joiner(qrels, convention, cut.name)
    name, notes = cut.name, tuple[str, ...]()
    strangers: set[str] = set()
    for unit, one in zip(cut.units, found, strict=False):  # where one fails, those behind it may be left out
        if isinstance(one, InputError):
            raise one
        if (
            one is None
            or not joiner.missing[one.portion.queries].all()
            or not strangers.isdisjoint(one.portion.unknown)
        ):
            return None
        if unit.part is None:
            name, notes = one.name, tuple(note.replace(unit.path, fspath(cut.run)) for note in one.notes)
        strangers.update(one.portion.unknown)
        joiner.merge(one.portion)
        if progress is not None:
            progress(unit.size)
    if not joiner.answered:  # no query in common: the message is made from the whole
        return None
    hits = joiner.finish()
    if len(cut.units) > 1:
        notes = stranger_notes(qrels, hits, name, lambda: cut.first)
    return Joined(name, hits, notes, cut.run)
