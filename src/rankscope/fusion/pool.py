"""Runs side by side: every document of every query has one number, whichever runs retrieved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.ranking import rank_rows
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.rows import Interner, Rows
from rankscope.data.run import Run
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import read_run
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import PADDING, Fields, as_fields, equal, hashes, words
from rankscope.typing import Bools, Floats, Ints, PathLike, Words

__all__ = [
    "GatheredIds",
    "LoadedPool",
    "PoolSubset",
    "PooledRun",
    "RunPool",
    "check_runs",
    "gather_ids",
    "load_pool",
    "pool_runs",
    "pool_subset",
]


#: Ids up to this length are copied eight bytes at a time, padded to the longest.
SHORT = 64
#: Strings that are compared at a time, so that they stay in the processor's cache.
STRINGS_AT_ONCE = 32_768


class GatheredIds(NamedTuple):
    """Strings, and their words as a table, (strings, words), where they are short."""

    fields: Fields
    table: npt.NDArray[np.uint64] | None

    def hold(self, others: Fields, place: Ints) -> bool:
        """Whether each of the others is the string at its place."""
        if self.table is None:
            return bool(equal(others, self.fields.take(place)).all())
        columns, flat = self.table.shape[1], self.table.ravel()
        for start in range(0, place.size, STRINGS_AT_ONCE):
            part = slice(start, start + STRINGS_AT_ONCE)
            some, cell = others.slice(part), place[part]
            if (self.fields.lengths.take(cell) != some.lengths).any():
                return False
            cell = cell * columns
            for j in range((int(some.lengths.max(initial=0)) + 7) // 8):
                if (flat.take(cell + j) != words(some, j)).any():
                    return False
        return True


def gather_ids(parts: Sequence[Fields], at: Sequence[Ints], total: int) -> GatheredIds:
    """The parts' strings as one. at: for each part, the place of each of its strings among the total."""
    lengths = np.zeros(total, np.int64)
    for part, place in zip(parts, at, strict=True):
        lengths[place] = part.lengths
    longest = int(lengths.max(initial=0))
    if longest > SHORT:
        return GatheredIds(copy_ids(parts, at, lengths), None)
    columns = max((longest + 7) // 8, 1)
    table = np.zeros((total + 2 * (PADDING // 8 + 1), columns), "<u8")
    first = PADDING // 8 + 1
    for part, place in zip(parts, at, strict=True):
        for j in range((int(part.lengths.max(initial=0)) + 7) // 8):
            table[first + place, j] = words(part, j)
    fields = Fields(table.view(np.uint8).ravel(), (first + np.arange(total)) * (8 * columns), lengths)
    return GatheredIds(fields, table[first : first + total])


def copy_ids(parts: Sequence[Fields], at: Sequence[Ints], lengths: Ints) -> Fields:
    """The same byte by byte, where padding to the longest could take too much memory."""
    starts = np.cumsum(lengths) - lengths + PADDING
    buffer = np.zeros(int(lengths.sum()) + 2 * PADDING, np.uint8)
    for part, place in zip(parts, at, strict=True):
        buffer[ranges(starts[place], part.lengths)] = part.buffer[ranges(part.starts, part.lengths)]
    return Fields(buffer, starts, lengths)


#: Cells of a table, so that it stays in the processor's cache.
CELLS = 400_000
#: Behind every packed key: places of a table that hold no row.
NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class PooledRun:
    """A run in the pool. place: (rows) the number of each row's document; query: (lists) the pool's number of each
    list; lengths: (lists) of the lists; rank: (rows) from 1; scores: (rows); mark: what the run's content comes to.
    """

    place: Ints
    query: Ints
    lengths: Ints
    rank: Ints
    scores: Floats
    mark: int


@dataclass(frozen=True, slots=True, eq=False)
class RunPool:
    """Documents of all runs. query_ids: by the pool's numbers; order: in which they were first seen; offsets: where
    each one's documents begin; docs: (documents) their ids; entries: the runs, in the order in which they were given.
    """

    query_ids: list[bytes]
    order: Ints
    offsets: Ints
    docs: Fields
    entries: tuple[PooledRun, ...]

    @property
    def size(self) -> int:
        """How many documents there are, over all queries."""
        return int(self.offsets[-1])

    def of_query(self, values: npt.NDArray[np.float64]) -> Floats:
        """(documents) from (queries)."""
        return np.repeat(values, np.diff(self.offsets))


def pool_runs(runs: Sequence[Rows], inverted: bool = False) -> RunPool:
    """Put runs side by side. inverted: lower scores are better; the pool then holds them with the other sign.

    Raises InputError for a document twice in a list.
    """
    interner: dict[bytes, int] = {}
    numbers = [np.array([interner.setdefault(q, len(interner)) for q in rows.query_ids], np.int64) for rows in runs]
    ids = list(interner)
    sizes = np.zeros((len(runs), len(ids)), np.int64)
    for line, number, rows in zip(sizes, numbers, runs, strict=True):
        line[number] = np.diff(rows.offsets)
    places, lengths, by_size = number_documents(runs, numbers, sizes, [rows.hashes for rows in runs])
    docs = first_ids(runs, places, int(lengths.sum()))
    if docs is None:  # two documents with one hash: by exact numbers of the ids, then
        exact = Interner()
        found = [exact.codes(rows.docs).astype(np.uint64) << np.uint64(24) for rows in runs]
        for rows, number in zip(runs, numbers, strict=True):
            rows.refuse_duplicates(rows.keys(number))
        places, lengths, by_size = number_documents(runs, numbers, sizes, [np.array(one) for one in found])
        docs = first_ids(runs, places, int(lengths.sum()))
        if docs is None:
            raise InputError("two documents of a query cannot be told apart; report this")
    slot = np.empty(by_size.size, np.int64)
    slot[by_size] = np.arange(by_size.size)
    entries = tuple(
        pooled_run(rows, place, slot[number], inverted)
        for rows, place, number in zip(runs, places, numbers, strict=True)
    )
    return RunPool([ids[i] for i in by_size.tolist()], slot, bounds(lengths), docs, entries)


def pooled_run(rows: Rows, place: Ints, query: Ints, inverted: bool) -> PooledRun:
    scores = -rows.values if inverted else rows.values.astype(np.float64, copy=False)
    every = np.arange(scores.size)
    found = rank_rows(scores, rows.offsets, every, group_of(rows.offsets), "doc_id_desc", rows.docs.take, str)
    lengths = np.diff(rows.offsets)
    return PooledRun(place, query, lengths, found.rank, scores, content_mark(rows))


def content_mark(rows: Rows) -> int:
    """A number that the rows give, whatever their order: runs are summed in its order, not in that of the arguments."""
    of_query = np.repeat(hashes(as_fields(rows.query_ids)), np.diff(rows.offsets))
    bits = np.ascontiguousarray(rows.values, np.float64).view(np.uint64) | np.uint64(1)
    return int(((rows.hashes ^ of_query) * bits).sum(dtype=np.uint64))


def number_documents(
    runs: Sequence[Rows], numbers: Sequence[Ints], sizes: Ints, keys: Sequence[Words]
) -> tuple[list[Ints], Ints, Ints]:
    """For each run the number of each row's document; how many documents each query has; the queries in the order of
    the numbers.

    Queries of about one size are the lines of a table, in which a document's key and the row's place in its line are
    one number: sorting the lines, which NumPy does in the processor's cache, brings rows of one document together.
    """
    totals = sizes.sum(axis=0)
    begins = np.cumsum(sizes, axis=0) - sizes
    places = [np.empty(rows.values.size, np.int64) for rows in runs]
    all_lengths, all_queries, base = [], [], 0
    for queries in size_classes(totals):
        width = int(totals[queries].max(initial=1))
        line = np.full(totals.size, -1)
        line[queries] = np.arange(queries.size)
        bits = np.uint64(max(width.bit_length(), 1))
        mask = (np.uint64(1) << bits) - np.uint64(1)
        table = np.full(queries.size * width, NOTHING)
        spots = []
        for rows, number, begin, key in zip(runs, numbers, begins, keys, strict=True):
            lists = np.flatnonzero(line[number] >= 0)
            lengths = rows.offsets[lists + 1] - rows.offsets[lists]
            # A slice where the lists stand together, which is the usual case.
            own: slice | Ints = ranges(rows.offsets[lists], lengths)
            if lists.size and lists[-1] - lists[0] + 1 == lists.size:
                own = slice(int(rows.offsets[lists[0]]), int(rows.offsets[lists[-1] + 1]))
            column = ranges(begin[number[lists]], lengths)
            spot = np.repeat(line[number[lists]] * width, lengths) + column
            table[spot] = (key[own] & ~mask) | column.astype(np.uint64)
            spots.append((own, spot))
        place, found = number_lines(table.reshape(queries.size, width), totals[queries], bits, base)
        for target, (own, spot) in zip(places, spots, strict=True):
            target[own] = place[spot]
        all_lengths.append(found)
        all_queries.append(queries)
        base += int(found.sum())
    return places, np.concatenate(all_lengths), np.concatenate(all_queries)


def number_lines(table: Words, filled: Ints, bits: np.uint64, base: int) -> tuple[Ints, Ints]:
    """For each cell the number of its document, from `base` on, and for each line how many documents it has."""
    lines, width = table.shape
    table.sort(axis=1)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    column = (table & mask).view(np.int64)
    table >>= bits
    new = np.ones(table.shape, np.bool_)
    np.not_equal(table[:, 1:], table[:, :-1], out=new[:, 1:])
    full = bool((filled == width).all())
    if not full:
        inside = np.arange(width) < filled[:, None]
        new &= inside
    starts = np.flatnonzero(new)
    number = np.repeat(np.arange(base, base + starts.size), np.diff(np.append(starts, new.size)))
    place = np.empty(lines * width, np.int64)
    column += (np.arange(lines) * width)[:, None]
    if full:
        place[column.ravel()] = number
    else:
        place[column[inside]] = number[inside.ravel()]
    return place, new.sum(axis=1)


def size_classes(totals: Ints) -> Iterator[Ints]:
    """Queries of about one size, some at a time: of no part is the table much larger than what stands in it."""
    classes = np.frexp(np.maximum(totals, 1).astype(np.float64))[1]
    if totals.size and 2 * int(totals.sum()) >= totals.size * int(totals.max()):
        classes[:] = 0
    for one in np.unique(classes):
        queries = np.flatnonzero(classes == one)
        step = max(1, CELLS // max(1, int(totals[queries].max())))
        for a in range(0, queries.size, step):
            yield queries[a : a + step]


def first_ids(runs: Sequence[Rows], places: Sequence[Ints], documents: int) -> Fields | None:
    """The id of each document, from the first run that has it; None where two ids were given one number."""
    known = np.zeros(documents, np.bool_)
    parts: list[Fields] = []
    at: list[Ints] = []
    for rows, place in zip(runs, places, strict=True):
        seen = np.zeros(documents, np.bool_)
        seen[place] = True
        if np.count_nonzero(seen) < place.size:
            rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
            return None
        new = np.flatnonzero(~known[place])
        known |= seen
        parts.append(rows.docs.take(new))
        at.append(place[new])
    ids = gather_ids(parts, at, documents)
    return ids.fields if all(ids.hold(rows.docs, place) for rows, place in zip(runs, places, strict=True)) else None


def runs_per_query(pool: RunPool, entries: Sequence[PooledRun]) -> Ints:
    """(queries) how many runs have a list for each."""
    return np.bincount(np.concatenate([e.query[e.lengths > 0] for e in entries]), minlength=len(pool.query_ids))


class PoolSubset(NamedTuple):
    """Some queries of a pool. documents: (documents of the part) their numbers in the whole pool."""

    pool: RunPool
    documents: Ints


def pool_subset(pool: RunPool, kept: Bools) -> PoolSubset:
    """The pool as if the runs had answered these queries alone. kept: (queries) by the pool's numbers."""
    if kept.all():
        return PoolSubset(pool, np.arange(pool.size))
    queries = np.flatnonzero(kept)
    lengths = np.diff(pool.offsets)[queries]
    documents = ranges(pool.offsets[queries], lengths)
    document, query = np.full(pool.size, -1), np.full(kept.size, -1)
    document[documents], query[queries] = np.arange(documents.size), np.arange(queries.size)
    order = query[pool.order]
    ids = [pool.query_ids[i] for i in queries.tolist()]
    entries = tuple(subset_of_run(entry, document, query) for entry in pool.entries)
    return PoolSubset(RunPool(ids, order[order >= 0], bounds(lengths), pool.docs.take(documents), entries), documents)


def subset_of_run(entry: PooledRun, document: Ints, query: Ints) -> PooledRun:
    """What is left of a run. document, query: new numbers by the old ones, -1 for what goes."""
    lists = query[entry.query] >= 0
    rows = np.repeat(lists, entry.lengths)
    return PooledRun(
        place=document[entry.place[rows]],
        query=query[entry.query[lists]],
        lengths=entry.lengths[lists],
        rank=entry.rank[rows],
        scores=entry.scores[rows],
        mark=entry.mark,  # of the whole run, so that parts are summed in the order of the whole
    )


def check_runs(runs: Any) -> None:
    """Raise ParameterError for what is no list of runs, and for more than one on standard input."""
    if is_path(runs) or isinstance(runs, (Run, Mapping)) or not isinstance(runs, Sequence):
        raise ParameterError("runs is no list, expected a list of runs")
    if not runs:
        raise ParameterError("no runs given, expected at least one")
    check_single_stdin(runs)


class LoadedPool(NamedTuple):
    """Runs side by side, by their names, and what is to be said of them."""

    names: tuple[str, ...]
    notes: tuple[str, ...]
    pool: RunPool


def load_pool(runs: Sequence[Run | PathLike | Any], *, input: str | None = None, inverted: bool = False) -> LoadedPool:
    """Read runs and put them side by side. inverted: lower scores are better. Raises InputError as `fuse`."""
    read = [read_run(run, input=input) if is_path(run) else run if isinstance(run, Run) else Run(run) for run in runs]
    names, notes = numbered_names([run.name for run in read])
    pool = pool_runs([finite_rows(run, shown) for run, shown in zip(read, names, strict=True)], inverted=inverted)
    own = dict.fromkeys(note for run in read for note in run.notes)
    return LoadedPool(tuple(names), (*own, *notes, *lacking_queries_note(pool)), pool)


def numbered_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of which no two are alike, and a note where some had to be numbered."""
    found: list[str] = []
    taken = set(names)
    reached: dict[str, int] = {}  # the last number of each name
    for name in names:
        new, number = name, reached.get(name, 0) + 1
        while number > 1 and (new := f"{name}-{number}") in taken:
            number += 1
        reached[name] = number
        taken.add(new)
        found.append(new)
    alike = sorted(name for name, number in reached.items() if number > 1)
    return found, [f"several runs are called {', '.join(alike)}: numbered as they were given"] if alike else []


def finite_rows(run: Run, name: str) -> Rows:
    """The rows of a run. Raises InputError for a score that is not finite."""
    rows = run._rows if run._rows is not None else rows_from_dicts(run._mapping or {}, f"run {name!r}", "score")
    if not np.isfinite(rows.values).all():
        row = int(np.flatnonzero(~np.isfinite(rows.values))[0])
        where = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{where}: a score is {rows.values[row]}, expected a finite number; correct it")
    return rows


def lacking_queries_note(pool: RunPool) -> list[str]:
    """A note on queries that some runs lack. Raises InputError where no two runs have a query in common."""
    runs = len(pool.entries)
    having = runs_per_query(pool, pool.entries)
    if runs > 1 and int(having.max(initial=0)) < 2:
        raise InputError(
            f"no query is in two of the {runs} runs ({pluralise_queries(having.size)} in all); check that their "
            "queries are written alike"
        )
    lacked = int((having < runs).sum())
    if not lacked:
        return []
    verb = "is" if lacked == 1 else "are"
    return [f"{lacked:,} of {pluralise_queries(having.size)} {verb} not in every run: fused from those that have it"]
