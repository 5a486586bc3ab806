"""RunPool: runs joined by document, with one number for every document of every query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, Rows
from rankscope.data.run import Run
from rankscope.data.text import pluralise_queries
from rankscope.data.tie_breaking import rank_rows
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import load_run
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


#: Ids up to this length are copied by words of eight bytes, padded to the longest.
SHORT = 64
#: Strings compared at a time, so that they stay in the processor's cache.
STRINGS_AT_ONCE = 32_768


class GatheredIds(NamedTuple):
    """Strings, and their words as a table, (strings, words), where they are short."""

    fields: Fields
    table: npt.NDArray[np.uint64] | None

    def match(self, strings: Fields, index: Ints) -> bool:
        """Whether each of the strings equals the one at its index."""
        if self.table is None:
            return bool(equal(strings, self.fields.take(index)).all())
        n_words, flat_table = self.table.shape[1], self.table.ravel()
        for start in range(0, index.size, STRINGS_AT_ONCE):
            block = slice(start, start + STRINGS_AT_ONCE)
            block_strings, block_index = strings.slice(block), index[block]
            if (self.fields.lengths.take(block_index) != block_strings.lengths).any():
                return False
            block_index = block_index * n_words
            for j in range((int(block_strings.lengths.max(initial=0)) + 7) // 8):
                if (flat_table.take(block_index + j) != words(block_strings, j)).any():
                    return False
        return True


def gather_ids(id_lists: Sequence[Fields], positions: Sequence[Ints], n_ids: int) -> GatheredIds:
    """Lists of ids as one list. positions: for each list, the index of each of its ids in the result."""
    lengths = np.zeros(n_ids, np.int64)
    for ids, position in zip(id_lists, positions, strict=True):
        lengths[position] = ids.lengths
    longest = int(lengths.max(initial=0))
    if longest > SHORT:
        return GatheredIds(copy_ids(id_lists, positions, lengths), None)
    n_words = max((longest + 7) // 8, 1)
    table = np.zeros((n_ids + 2 * (PADDING // 8 + 1), n_words), "<u8")
    padding_rows = PADDING // 8 + 1
    for ids, position in zip(id_lists, positions, strict=True):
        for j in range((int(ids.lengths.max(initial=0)) + 7) // 8):
            table[padding_rows + position, j] = words(ids, j)
    fields = Fields(table.view(np.uint8).ravel(), (padding_rows + np.arange(n_ids)) * (8 * n_words), lengths)
    return GatheredIds(fields, table[padding_rows : padding_rows + n_ids])


def copy_ids(id_lists: Sequence[Fields], positions: Sequence[Ints], lengths: Ints) -> Fields:
    """As `gather_ids`, byte by byte, where padding to the longest could take too much memory."""
    starts = np.cumsum(lengths) - lengths + PADDING
    buffer = np.zeros(int(lengths.sum()) + 2 * PADDING, np.uint8)
    for ids, position in zip(id_lists, positions, strict=True):
        buffer[ranges(starts[position], ids.lengths)] = ids.buffer[ranges(ids.starts, ids.lengths)]
    return Fields(buffer, starts, lengths)


#: Most cells of a table, so that it stays in the processor's cache.
CELLS = 400_000
#: The value of empty cells: above every packed key.
NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class PooledRun:
    """A run in the pool; functions call it `entry`.

    Attributes
    ----------
    document
        (rows) the pool's number of each row's document.
    query
        (lists) the pool's number of each list's query.
    lengths
        (lists) how many documents each list has.
    rank
        (rows) from 1, the best.
    scores
        (rows) higher is better.
    checksum
        Checksum of the content, by which runs are put in order before they are summed.
    """

    document: Ints
    query: Ints
    lengths: Ints
    rank: Ints
    scores: Floats
    checksum: int


@dataclass(frozen=True, slots=True, eq=False)
class RunPool:
    """The documents of all runs, with a number for every document of every query.

    Attributes
    ----------
    query_ids
        The queries, by the pool's numbers.
    order
        (queries) their numbers in the order of first occurrence.
    offsets
        (queries + 1) where the documents of each query begin.
    docs
        (documents) their ids.
    entries
        The runs, in the order of the caller.
    """

    query_ids: list[bytes]
    order: Ints
    offsets: Ints
    docs: Fields
    entries: tuple[PooledRun, ...]

    @property
    def size(self) -> int:
        """The number of documents, over all queries."""
        return int(self.offsets[-1])

    def of_query(self, values: npt.NDArray[np.float64]) -> Floats:
        """(documents) from (queries)."""
        return np.repeat(values, np.diff(self.offsets))


def pool_runs(runs: Sequence[Rows], inverted: bool = False) -> RunPool:
    """Join runs by document. inverted: lower scores are better; the pool then holds them with the other sign.

    Raises InputError for a document twice in a list.
    """
    interner: dict[bytes, int] = {}
    query_numbers = []
    for rows in runs:
        numbers = [interner.setdefault(query_id, len(interner)) for query_id in rows.query_ids]
        query_numbers.append(np.array(numbers, np.int64))
    query_ids = list(interner)
    n_rows = np.zeros((len(runs), len(query_ids)), np.int64)
    for run_rows, run_queries, rows in zip(n_rows, query_numbers, runs, strict=True):
        run_rows[run_queries] = np.diff(rows.offsets)
    row_documents, n_documents, queries_by_size = number_documents(
        runs, query_numbers, n_rows, [rows.hashes for rows in runs]
    )
    docs = first_ids(runs, row_documents, int(n_documents.sum()))
    if docs is None:  # two documents share a hash: use exact numbers of the ids
        exact = Interner()
        exact_keys = [exact.codes(rows.docs).astype(np.uint64) << np.uint64(24) for rows in runs]
        for rows, run_queries in zip(runs, query_numbers, strict=True):
            rows.refuse_duplicates(rows.keys(run_queries))
        row_documents, n_documents, queries_by_size = number_documents(
            runs, query_numbers, n_rows, [np.array(keys) for keys in exact_keys]
        )
        docs = first_ids(runs, row_documents, int(n_documents.sum()))
        if docs is None:
            raise InputError("two documents of a query cannot be told apart; report this")
    new_numbers = np.empty(queries_by_size.size, np.int64)
    new_numbers[queries_by_size] = np.arange(queries_by_size.size)
    entries = tuple(
        pooled_run(rows, documents, new_numbers[run_queries], inverted)
        for rows, documents, run_queries in zip(runs, row_documents, query_numbers, strict=True)
    )
    return RunPool([query_ids[i] for i in queries_by_size.tolist()], new_numbers, bounds(n_documents), docs, entries)


def pooled_run(rows: Rows, documents: Ints, query: Ints, inverted: bool) -> PooledRun:
    """A run with its lists ranked. documents: (rows), query: (lists) their numbers in the pool."""
    scores = -rows.values if inverted else rows.values.astype(np.float64, copy=False)
    all_rows = np.arange(scores.size)
    ranking = rank_rows(scores, rows.offsets, all_rows, group_of(rows.offsets), "doc_id_desc", rows.docs.take, str)
    lengths = np.diff(rows.offsets)
    return PooledRun(documents, query, lengths, ranking.rank, scores, content_checksum(rows))


def content_checksum(rows: Rows) -> int:
    """A checksum of the rows that does not depend on their order; runs are summed in the order of their checksums."""
    query_hashes = np.repeat(hashes(as_fields(rows.query_ids)), np.diff(rows.offsets))
    bits = np.ascontiguousarray(rows.values, np.float64).view(np.uint64) | np.uint64(1)
    return int(((rows.hashes ^ query_hashes) * bits).sum(dtype=np.uint64))


def number_documents(
    runs: Sequence[Rows], query_numbers: Sequence[Ints], n_rows: Ints, keys: Sequence[Words]
) -> tuple[list[Ints], Ints, Ints]:
    """Number the documents of all runs.

    Parameters
    ----------
    runs
        The rows of each run.
    query_numbers
        For each run, the number of the query of each list.
    n_rows
        How many rows each run has for each query, (runs, queries).
    keys
        For each run, a key of the document of each row.

    Returns
    -------
    tuple
        For each run the number of each row's document; how many documents each query has; and the queries, both in the
        order of the numbers.

    Notes
    -----
    Queries of similar size are the lines of a table, whose cells pack a document's key and the row's column into one
    number: sorting the lines, which NumPy does in the processor's cache, groups the rows of one document.
    """
    totals = n_rows.sum(axis=0)
    first_columns = np.cumsum(n_rows, axis=0) - n_rows
    row_documents = [np.empty(rows.values.size, np.int64) for rows in runs]
    all_lengths, all_queries, next_number = [], [], 0
    for queries in size_classes(totals):
        width = int(totals[queries].max(initial=1))
        line_of_query = np.full(totals.size, -1)
        line_of_query[queries] = np.arange(queries.size)
        bits = np.uint64(max(width.bit_length(), 1))
        mask = (np.uint64(1) << bits) - np.uint64(1)
        table = np.full(queries.size * width, NOTHING)
        run_cells = []
        for rows, run_queries, run_columns, run_keys in zip(runs, query_numbers, first_columns, keys, strict=True):
            lists = np.flatnonzero(line_of_query[run_queries] >= 0)
            lengths = rows.offsets[lists + 1] - rows.offsets[lists]
            # A slice where the lists are adjacent, which is the usual case.
            selected_rows: slice | Ints = ranges(rows.offsets[lists], lengths)
            if lists.size and lists[-1] - lists[0] + 1 == lists.size:
                selected_rows = slice(int(rows.offsets[lists[0]]), int(rows.offsets[lists[-1] + 1]))
            column = ranges(run_columns[run_queries[lists]], lengths)
            cells = np.repeat(line_of_query[run_queries[lists]] * width, lengths) + column
            table[cells] = (run_keys[selected_rows] & ~mask) | column.astype(np.uint64)
            run_cells.append((selected_rows, cells))
        cell_documents, n_documents = number_table_rows(
            table.reshape(queries.size, width), totals[queries], bits, next_number
        )
        for documents, (selected_rows, cells) in zip(row_documents, run_cells, strict=True):
            documents[selected_rows] = cell_documents[cells]
        all_lengths.append(n_documents)
        all_queries.append(queries)
        next_number += int(n_documents.sum())
    return row_documents, np.concatenate(all_lengths), np.concatenate(all_queries)


def number_table_rows(table: Words, n_filled: Ints, bits: np.uint64, base: int) -> tuple[Ints, Ints]:
    """For each cell the number of its document, from `base` on; and for each line its number of documents."""
    n_lines, width = table.shape
    table.sort(axis=1)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    column = (table & mask).view(np.int64)
    table >>= bits
    is_first = np.ones(table.shape, np.bool_)
    np.not_equal(table[:, 1:], table[:, :-1], out=is_first[:, 1:])
    is_full = bool((n_filled == width).all())
    if not is_full:
        is_filled = np.arange(width) < n_filled[:, None]
        is_first &= is_filled
    first_cells = np.flatnonzero(is_first)
    document = np.repeat(np.arange(base, base + first_cells.size), np.diff(np.append(first_cells, is_first.size)))
    cell_documents = np.empty(n_lines * width, np.int64)
    column += (np.arange(n_lines) * width)[:, None]
    if is_full:
        cell_documents[column.ravel()] = document
    else:
        cell_documents[column[is_filled]] = document[is_filled.ravel()]
    return cell_documents, is_first.sum(axis=1)


def size_classes(totals: Ints) -> Iterator[Ints]:
    """Chunks of queries of similar size, so that most cells of their table are filled."""
    classes = np.frexp(np.maximum(totals, 1).astype(np.float64))[1]
    if totals.size and 2 * int(totals.sum()) >= totals.size * int(totals.max()):
        classes[:] = 0
    for size_class in np.unique(classes):
        queries = np.flatnonzero(classes == size_class)
        chunk_size = max(1, CELLS // max(1, int(totals[queries].max())))
        for start in range(0, queries.size, chunk_size):
            yield queries[start : start + chunk_size]


def first_ids(runs: Sequence[Rows], row_documents: Sequence[Ints], n_documents: int) -> Fields | None:
    """The id of each document, from the first run that has it; None if two ids have one number."""
    has_id = np.zeros(n_documents, np.bool_)
    id_lists: list[Fields] = []
    positions: list[Ints] = []
    for rows, documents in zip(runs, row_documents, strict=True):
        in_run = np.zeros(n_documents, np.bool_)
        in_run[documents] = True
        if np.count_nonzero(in_run) < documents.size:
            rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
            return None
        new_rows = np.flatnonzero(~has_id[documents])
        has_id |= in_run
        id_lists.append(rows.docs.take(new_rows))
        positions.append(documents[new_rows])
    ids = gather_ids(id_lists, positions, n_documents)
    is_exact = all(ids.match(rows.docs, documents) for rows, documents in zip(runs, row_documents, strict=True))
    return ids.fields if is_exact else None


def runs_per_query(pool: RunPool, entries: Sequence[PooledRun]) -> Ints:
    """(queries) how many runs have a list for each."""
    queries = np.concatenate([entry.query[entry.lengths > 0] for entry in entries])
    return np.bincount(queries, minlength=len(pool.query_ids))


class PoolSubset(NamedTuple):
    """Some queries of a pool. documents: (documents of the part) their numbers in the whole pool."""

    pool: RunPool
    documents: Ints


def pool_subset(pool: RunPool, is_kept: Bools) -> PoolSubset:
    """The pool as if the runs had answered these queries alone. is_kept: (queries) by the pool's numbers."""
    if is_kept.all():
        return PoolSubset(pool, np.arange(pool.size))
    queries = np.flatnonzero(is_kept)
    lengths = np.diff(pool.offsets)[queries]
    documents = ranges(pool.offsets[queries], lengths)
    new_documents, new_queries = np.full(pool.size, -1), np.full(is_kept.size, -1)
    new_documents[documents], new_queries[queries] = np.arange(documents.size), np.arange(queries.size)
    order = new_queries[pool.order]
    ids = [pool.query_ids[i] for i in queries.tolist()]
    entries = tuple(subset_of_run(entry, new_documents, new_queries) for entry in pool.entries)
    return PoolSubset(RunPool(ids, order[order >= 0], bounds(lengths), pool.docs.take(documents), entries), documents)


def subset_of_run(entry: PooledRun, new_documents: Ints, new_queries: Ints) -> PooledRun:
    """A run restricted to some queries. new_documents, new_queries: new numbers by the old ones, -1 if removed."""
    kept_lists = new_queries[entry.query] >= 0
    kept_rows = np.repeat(kept_lists, entry.lengths)
    return PooledRun(
        document=new_documents[entry.document[kept_rows]],
        query=new_queries[entry.query[kept_lists]],
        lengths=entry.lengths[kept_lists],
        rank=entry.rank[kept_rows],
        scores=entry.scores[kept_rows],
        checksum=entry.checksum,  # of the whole run, so that subsets are summed in the same order
    )


def check_runs(runs: Any) -> None:
    """Raise ParameterError for anything but a list of runs, and for more than one on standard input."""
    if is_path(runs) or isinstance(runs, (Run, Mapping)) or not isinstance(runs, Sequence):
        raise ParameterError("runs is not a list, expected a list of runs")
    if not runs:
        raise ParameterError("no runs given, expected at least one")
    check_single_stdin(runs)


class LoadedPool(NamedTuple):
    """A pool with the names of its runs, and notes."""

    names: tuple[str, ...]
    notes: tuple[str, ...]
    pool: RunPool


def load_pool(runs: Sequence[Run | PathLike | Any], *, input: str | None = None, inverted: bool = False) -> LoadedPool:
    """Read runs and join them by document. inverted: lower scores are better. Raises InputError as `fuse`."""
    loaded_runs = [load_run(run, input) for run in runs]
    names, notes = numbered_names([run.name for run in loaded_runs])
    pool = pool_runs([finite_rows(run, name) for run, name in zip(loaded_runs, names, strict=True)], inverted=inverted)
    run_notes = dict.fromkeys(note for run in loaded_runs for note in run.notes)
    return LoadedPool(tuple(names), (*run_notes, *notes, *lacking_queries_note(pool)), pool)


def numbered_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Unique names, repeated ones with numbers, and a note on those."""
    unique_names: list[str] = []
    used_names = set(names)
    last_numbers: dict[str, int] = {}
    for name in names:
        new_name, number = name, last_numbers.get(name, 0) + 1
        while number > 1 and (new_name := f"{name}-{number}") in used_names:
            number += 1
        last_numbers[name] = number
        used_names.add(new_name)
        unique_names.append(new_name)
    repeated_names = sorted(name for name, number in last_numbers.items() if number > 1)
    if not repeated_names:
        return unique_names, []
    return unique_names, [f"several runs are called {', '.join(repeated_names)}: numbered in their order"]


def finite_rows(run: Run, name: str) -> Rows:
    """The rows of a run. Raises InputError for a score that is not finite."""
    rows = run.rows(name=name)
    if not np.isfinite(rows.values).all():
        row = int(np.flatnonzero(~np.isfinite(rows.values))[0])
        location = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{location}: a score is {rows.values[row]}, expected a finite number; correct it")
    return rows


def lacking_queries_note(pool: RunPool) -> list[str]:
    """Notes on queries that some runs lack, or all. Raises InputError where no two runs have a query in common."""
    n_runs = len(pool.entries)
    n_having = runs_per_query(pool, pool.entries)
    if n_runs > 1 and int(n_having.max(initial=0)) < 2:
        raise InputError(
            f"no query is in two of the {n_runs} runs ({pluralise_queries(n_having.size)} in all); check that their "
            "queries are written alike"
        )
    notes = []
    n_lacking = int(((n_having > 0) & (n_having < n_runs)).sum())
    if n_lacking:
        verb, object_ = ("is", "it") if n_lacking == 1 else ("are", "them")
        notes.append(
            f"{n_lacking:,} of {pluralise_queries(n_having.size)} {verb} not in every run: fused from the runs that "
            f"have {object_}"
        )
    n_empty = int((n_having == 0).sum())
    if n_empty:
        has, list_ = ("has", "its fused list is") if n_empty == 1 else ("have", "their fused lists are")
        notes.append(f"{n_empty:,} of {pluralise_queries(n_having.size)} {has} no document in any run: {list_} empty")
    return notes
