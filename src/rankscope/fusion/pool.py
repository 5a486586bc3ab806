"""Many runs side by side: every document of every query has one number, whichever runs retrieved it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.data.ranking import rank_rows
from rankscope.data.rows import Interner, Rows
from rankscope.errors import InputError
from rankscope.fusion.ids import gather_ids
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields, as_fields, hashes
from rankscope.typing import Floats, Ints, Words

__all__ = ["PooledRun", "RunPool", "pool_runs"]


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
