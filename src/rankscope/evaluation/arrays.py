"""Arrays in, scores out, for training loops and recommenders: dense (queries, documents), or flat with their lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import (
    EXPECTED_GRADE,
    LEAST_FRACTION,
    all_valid,
    as_grades,
    has_fractions,
    highest_grade,
    invalid_grades,
)
from rankscope.data.hits import Hits, freeze
from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.scoring import (
    below_level_note,
    count_empty_values,
    empty_note,
    most_tied_note,
    n_tied,
    undefined_note,
)
from rankscope.kernels.dense import best_of_rows, count_grades
from rankscope.kernels.segments import bounds
from rankscope.measures.base import Measure
from rankscope.measures.presets import find_preset
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DenseTable",
    "check_arrays",
    "check_relevance",
    "evaluate_arrays",
]


class DenseTable(NamedTuple):
    """The checked arrays, or some rows of them.

    Attributes
    ----------
    scores
        (queries, documents) the scores.
    relevance
        (queries, documents) the grades, 0 where `mask` is False.
    mask
        (queries, documents) where there is a document. None: everywhere.
    lengths
        (queries) number of documents.
    max_grade
        The highest grade of all rows.
    begin
        Index of the first row in the arrays of the caller.
    places
        (queries) where each list begins among the documents of flat arrays, and (documents) where each stands in the
        arrays of the caller. None: dense arrays.
    """

    scores: Floats
    relevance: npt.NDArray[Any]
    mask: Bools | None
    lengths: Ints
    max_grade: float
    begin: int = 0
    places: tuple[Ints, Ints] | None = None

    def select_rows(self, begin: int, end: int) -> DenseTable:
        """Some rows, with scores of -inf where there is no document."""
        rows = slice(begin, end)
        scores, mask = self.scores[rows], None if self.mask is None else self.mask[rows]
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        places = None if self.places is None else (self.places[0][rows], self.places[1])
        return DenseTable(scores, self.relevance[rows], mask, self.lengths[rows], self.max_grade, begin, places)

    def place(self, row: int, column: int) -> str:
        """Where a document stands in the arrays of the caller, in words."""
        if self.places is None:
            return f"row {self.begin + row}, column {column}"
        firsts, documents = self.places
        return f"place {documents[firsts[row] + column]}"


def check_arrays(scores: Any, relevance: Any, mask: Any, precision: str) -> DenseTable:
    """Check the three arrays. Raises InputError."""
    score_matrix = as_array(scores, "scores", 2)
    grade_matrix = as_array(relevance, "relevance", 2, score_matrix.shape)
    present = None if mask is None else as_array(mask, "mask", 2, score_matrix.shape)
    if present is not None and present.dtype != np.bool_:
        raise InputError(f"the mask is of type {present.dtype}, expected booleans: True where there is a document")
    if score_matrix.size == 0 or (present is not None and not present.any()):
        raise InputError(f"scores of shape {score_matrix.shape} hold no document, expected at least one query with one")
    if present is not None and present.all():
        present = None
    rows, columns = score_matrix.shape
    lengths = np.full(rows, columns) if present is None else np.count_nonzero(present, axis=1)
    checked_scores, checked_grades = (
        check_scores(score_matrix, present, precision),
        check_relevance(grade_matrix, present),
    )
    max_grade = highest_grade(checked_grades)
    if max_grade == 0 and present is not None:  # 0 may be the filler of cells without a document
        max_grade = highest_grade(checked_grades[present])
    return DenseTable(checked_scores, checked_grades, present, lengths, max_grade)


class FlatLists(NamedTuple):
    """The checked flat arrays.

    Attributes
    ----------
    scores, relevance
        (documents) the values, list by list.
    offsets
        (lists + 1) where each list begins.
    documents
        (documents) where each document stands in the arrays of the caller.
    ids
        Names of the lists. None: they have none of their own.
    """

    scores: Floats
    relevance: npt.NDArray[Any]
    offsets: Ints
    documents: Ints
    ids: tuple[str, ...] | None

    def tables(self) -> Iterator[tuple[Ints | slice, DenseTable]]:
        """Lists of similar lengths as dense tables that are at most half empty, and which lists they are."""
        lengths, max_grade = np.diff(self.offsets), highest_grade(self.relevance)
        if lengths.min() == lengths.max():
            shape = (lengths.size, int(lengths[0]))
            places = (self.offsets[:-1], self.documents)
            yield (
                slice(None),
                DenseTable(
                    self.scores.reshape(shape), self.relevance.reshape(shape), None, lengths, max_grade, places=places
                ),
            )
            return
        length_classes = np.frexp(np.maximum(lengths - 1, 0))[1]  # 1, 2, up to 4, up to 8, ...
        order = np.argsort(length_classes, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(length_classes[order])) + 1):
            row_lengths, firsts = lengths[rows], self.offsets[rows]
            columns = np.arange(max(int(row_lengths.max()), 1))
            mask = columns < row_lengths[:, None]
            cells = np.where(mask, firsts[:, None] + columns, 0)
            relevance = self.relevance[cells]
            relevance[~mask] = 0
            yield (
                rows,
                DenseTable(
                    self.scores[cells],
                    relevance,
                    None if mask.all() else mask,
                    row_lengths,
                    max_grade,
                    places=(firsts, self.documents),
                ),
            )


def check_flat_arrays(scores: Any, relevance: Any, lists: ListSettings, precision: str) -> FlatLists:
    """Check two arrays of one dimension, and cut them into lists. Raises InputError and ParameterError."""
    score_row = as_array(scores, "scores", 1)
    grade_row = as_array(relevance, "relevance", 1, score_row.shape)
    if not score_row.size:
        raise InputError("scores hold no document, expected at least one list with one")
    offsets, documents, ids = lists.cut(score_row.size)
    checked_scores = check_scores(score_row[np.newaxis], None, precision, is_flat=True)[0]
    checked_grades = check_relevance(grade_row[np.newaxis], None, is_flat=True)[0]
    if documents is None:
        documents = np.arange(score_row.size)
    else:
        checked_scores, checked_grades = checked_scores[documents], checked_grades[documents]
    return FlatLists(checked_scores, checked_grades, offsets, documents, ids)


class ListSettings(NamedTuple):
    """How flat arrays are cut into lists: at most one of three ways.

    Attributes
    ----------
    sizes
        Number of documents of each list.
    offsets
        Where each list begins, and where the last one ends.
    groups
        (documents) the list of each document, by any name.
    """

    sizes: Any = None
    offsets: Any = None
    groups: Any = None

    def chosen(self) -> str | None:
        """The way that is set. Raises ParameterError for two."""
        names = [name for name, value in self._asdict().items() if value is not None]
        if len(names) > 1:
            raise ParameterError(
                f"{' and '.join(names)} are set, and each says where lists begin; expected one of them"
            )
        return names[0] if names else None

    def cut(self, n: int) -> tuple[Ints, Ints | None, tuple[str, ...] | None]:
        """Offsets, the order of the documents (None: as they are), and names of the lists, for n documents."""
        name = self.chosen()
        if name == "groups":
            return self.cut_by_group(n)
        values = as_array(getattr(self, str(name)), str(name), 1)
        if values.dtype.kind == "b" or (values != np.floor(values)).any() or not np.isfinite(values).all():
            raise InputError(f"{name}: type {values.dtype}, expected whole numbers")
        offsets = values.astype(np.int64) if name == "offsets" else bounds(values.astype(np.int64))
        if offsets.size < 2:
            raise InputError(f"{name}: {values.size} numbers, expected those of at least one list")
        if (np.diff(offsets) < 0).any():
            place = int((np.diff(offsets) < 0).argmax())
            meaning = "falls" if name == "offsets" else "is negative"
            raise InputError(f"{name}: number {place + (name == 'offsets')} {meaning}, expected lists of 0 or more")
        if offsets[0] != 0 or offsets[-1] != n:
            span = f"from {offsets[0]} to {offsets[-1]}" if name == "offsets" else f"of {offsets[-1]} in all"
            raise InputError(f"{name}: lists {span}, and there are {n} scores; expected lists that hold each once")
        return offsets, None, None

    def cut_by_group(self, n: int) -> tuple[Ints, Ints | None, tuple[str, ...]]:
        """The same for `groups`: lists in the order in which they begin."""
        try:
            labels = np.asarray(self.groups)
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"groups: no array ({str(error).splitlines()[0]}); pass one name a document") from error
        if labels.shape != (n,):
            raise InputError(f"groups: shape {labels.shape}, expected that of the scores, ({n},): one name a document")
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise InputError(f"groups: place {int(np.isnan(labels).argmax())} is NaN, expected the document's list")
        if labels.dtype.kind == "O":
            labels = labels.astype(str)
        changes = np.flatnonzero(labels[1:] != labels[:-1]) + 1
        firsts = np.concatenate((np.zeros(1, np.int64), changes))
        names, numbers = np.unique(labels[firsts], return_inverse=True)
        if names.size == firsts.size:  # each list stands together
            return np.append(firsts, n), None, tuple(map(str, labels[firsts].tolist()))
        by_first = np.argsort(np.unique(numbers, return_index=True)[1], kind="stable")  # in order of appearance
        place_of = np.empty(names.size, np.int64)
        place_of[by_first] = np.arange(names.size)
        list_of = np.repeat(place_of[numbers], np.diff(np.append(firsts, n)))
        order = np.argsort(list_of, kind="stable")
        return bounds(np.bincount(list_of)), order, tuple(map(str, names[by_first].tolist()))


def as_array(values: Any, argument: str, dimensions: int, shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
    """The values as an array of one or two dimensions."""
    if isinstance(values, np.ma.MaskedArray):  # asarray would drop its mask
        raise InputError(f"{argument}: a masked array is given, expected a plain one; pass x.data, and mask=~x.mask")
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        reason = str(error).split("\n")[0]
        raise InputError(
            f"{argument}: no array ({reason}); pass a NumPy array, as tensor.detach().cpu().numpy()"
        ) from error
    if shape is not None and array.shape != shape:
        raise InputError(f"{argument}: shape {array.shape}, expected that of the scores, {shape}")
    if array.ndim != dimensions:
        expected = "(queries, documents); of one list pass x[None, :], of flat lists sizes, offsets or groups"
        if dimensions == 1:
            expected = "one dimension, as flat lists have"
        raise InputError(f"{argument}: shape {array.shape}, expected {expected}")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{argument}: type {array.dtype}, expected numbers; convert with x.astype(float)")
    return array


def check_scores(scores: npt.NDArray[Any], mask: Bools | None, precision: str, *, is_flat: bool = False) -> Floats:
    """Floats, finite where there is a document."""
    if scores.dtype not in (np.float64, np.float32):
        with np.errstate(over="ignore"):  # values beyond float64 become infinite and are refused
            scores = scores.astype(np.float32 if scores.dtype == np.float16 else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        all_finite = mask is None and np.isfinite(scores.sum())  # NaN and infinity would show in the sum
    is_valid = np.ones((1, 1), np.bool_) if all_finite else np.isfinite(scores)
    if mask is not None:
        is_valid |= ~mask
    if not is_valid.all():
        row, column = first_false(is_valid)
        raise InputError(
            f"scores: {scores[row, column]} at {cell(row, column, is_flat)}, expected a finite number; correct it, or "
            f"leave the document out{'' if is_flat else ' with mask'}"
        )
    if precision == "float32" and scores.dtype != np.float32:
        with np.errstate(over="ignore", invalid="ignore"):  # values beyond float32 are tied, but stay above padding
            scores = scores.astype(np.float32).astype(np.float64).clip(-1e300, 1e300)
    return scores


def check_relevance(relevance: npt.NDArray[Any], mask: Bools | None, *, is_flat: bool = False) -> npt.NDArray[Any]:
    """Whole numbers, of one byte each if they are small, else float64; 0 where there is no document."""
    if relevance.dtype.kind == "b":
        relevance = relevance.view(np.int8)
    if relevance.dtype.kind in "iu" and int(relevance.min()) >= -128 and int(relevance.max()) < 128:
        small_grades = relevance.astype(np.int8, copy=False)
        return small_grades if mask is None else small_grades * mask
    if mask is not None:
        relevance = np.where(mask, relevance, relevance.dtype.type(0))
    if not all_valid(relevance):
        row, column = first_false(~invalid_grades(relevance))
        raise InputError(
            f"relevance: {relevance[row, column]} at {cell(row, column, is_flat)}, expected {EXPECTED_GRADE}; correct "
            f"it, or leave the document out{'' if is_flat else ' with mask'}"
        )
    grades = as_grades(relevance)
    if has_fractions(grades):
        return grades
    fits_int8 = int(grades.min()) >= -128 and int(grades.max()) < 128
    return grades.astype(np.int8) if fits_int8 else grades


def cell(row: int, column: int, is_flat: bool) -> str:
    """Where a value stands, in words."""
    return f"place {column}" if is_flat else f"row {row}, column {column}"


def first_false(flags: Bools) -> tuple[int, int]:
    """Row and column of the first flag that is False."""
    row, column = divmod(int(flags.argmin()), flags.shape[1])
    return row, column


#: Hits of one block, so that the arrays of the measures fit into the processor's cache; and cells of one block.
HITS_PER_BLOCK = 1 << 15
CELLS_PER_BLOCK = 1 << 21


def evaluate_arrays(
    relevance: npt.ArrayLike,
    scores: npt.ArrayLike,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    mask: npt.ArrayLike | None = None,
    sizes: npt.ArrayLike | None = None,
    offsets: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    query_ids: Sequence[str] | None = None,
    name: str = "arrays",
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    no_relevant: str | None = None,
) -> Scores:
    """Evaluate one system whose judgments and scores are arrays: the same numbers as `evaluate`.

    Arrays are dense, a row a query, or flat, one list after another, cut by `sizes`, `offsets` or `groups`. Every
    document counts as retrieved and judged; a list without documents is an empty ranking.

    Parameters
    ----------
    relevance
        Grades, (queries, documents) or flat (documents), fractions too; a negative grade means pooled, but not judged.
        Arrays, lists, or tensors in the computer's own memory.
    scores
        Finite scores of the same shape; higher is better.
    measures
        Measures to compute. Default: nDCG@10 and others, or those of the preset.
    mask
        True where there is a document, in the same shape; all other cells are ignored. Default: True everywhere.
    sizes
        Of flat arrays, the number of documents of each list, as the group of LightGBM and XGBoost.
    offsets
        Of flat arrays, where each list begins, and where the last one ends.
    groups
        Of flat arrays, the list of each document, by any name; documents of a list need not stand together. The names
        are the ids of the queries.
    query_ids
        Ids of the lists. Default: the names in groups, else "0", "1", ...
    name
        Name of the system.
    preset
        Conventions of a reference tool, as in `evaluate`.
    rel
        Lowest grade that counts as relevant.
    ties
        How equal scores are ranked; documents have no ids here, so their order decides. 'file' ranks the first one
        first (the default, unless the preset averages), 'average' gives the expected value over all orders, and 'error'
        refuses ties.
    no_relevant
        Value of a query without relevant documents, as in `evaluate`.

    Returns
    -------
    Scores
        The values of one system.

    Raises
    ------
    InputError
        Arrays have different shapes or wrong types, a score is not finite, or a grade is no finite number.
    ParameterError
        An argument is wrong; the message says what to do.

    Examples
    --------
    >>> import rankscope as rs
    >>> scores = [[0.9, 0.5, 0.7], [0.2, 0.8, 0.0]]
    >>> relevance = [[0, 1, 2], [1, 0, 0]]
    >>> result = rs.evaluate_arrays(relevance, scores, ["RR", "P@1"], mask=[[True, True, True], [True, True, False]])
    >>> result.overall("RR"), result.overall("P@1")
    (0.5, 0.0)
    """
    if ties is None:
        averages = preset is not None and find_preset(preset).conventions.get("ties") == "average"
        ties = "average" if averages else "file"
    if ties == "doc_id_desc":
        raise ParameterError(
            "ties is 'doc_id_desc', but documents in arrays have no ids; expected 'file' (the lower column first)"
        )
    plan = make_plan(measures, preset=preset, rel=rel, ties=ties, no_relevant=no_relevant)
    if plan.needs_subtopics:
        subtopic_measure = next(str(measure) for measure in plan.measures if measure.needs_subtopics)
        raise InputError(f"{subtopic_measure} needs judgments by subtopic, which arrays do not hold; call rs.evaluate")
    if not isinstance(name, str) or not name:
        raise ParameterError(f"name is {name!r}, expected the system's name")
    lists = ListSettings(sizes, offsets, groups)
    if lists.chosen() is None:
        table = check_arrays(scores, relevance, mask, plan.convention.precision)
        ids = check_ids(query_ids, len(table.scores)) if query_ids is not None else default_ids(len(table.scores))
        return score_tables([(slice(None), table)], plan, ids, name)
    if mask is not None:
        raise ParameterError(f"mask is for dense arrays, and {lists.chosen()} for flat ones; leave one of them out")
    flat = check_flat_arrays(scores, relevance, lists, plan.convention.precision)
    n_lists = flat.offsets.size - 1
    ids = check_ids(query_ids, n_lists) if query_ids is not None else flat.ids or default_ids(n_lists)
    return score_tables(flat.tables(), plan, ids, name)


def score_tables(
    tables: Iterable[tuple[Ints | slice, DenseTable]], plan: Plan, ids: tuple[str, ...], name: str
) -> Scores:
    """Apply all measures, to some rows at a time. tables: with the queries that their rows are."""
    n_queries, n_measures = len(ids), len(plan.measures)
    # All documents are listed, so the ideal of the listed ones is that of the judged ones, which needs no sorting.
    computed = replace(plan, measures=tuple(map(with_judged_ideal, plan.measures)))
    values, undefined = np.empty((n_measures, n_queries)), np.empty((n_measures, n_queries), np.bool_)
    n_empty, n_ties, n_hits = np.zeros(n_measures, np.int64), 0, 0
    fractions: list[npt.NDArray[Any]] = []
    for queries, table in tables:
        rows, columns = table.scores.shape
        table_ids = ids if isinstance(queries, slice) else tuple(ids[i] for i in queries.tolist())
        depth, ideal_depth = depths_of(computed, columns)
        rows_per_block = max(min(HITS_PER_BLOCK // max(depth, ideal_depth), CELLS_PER_BLOCK // columns), 1)
        for begin in range(0, rows, rows_per_block):
            end = min(begin + rows_per_block, rows)
            hits = hits_of_table(table.select_rows(begin, end), computed, table_ids[begin:end], depth, ideal_depth)
            where = slice(begin, end) if isinstance(queries, slice) else queries[begin:end]
            block_values, undefined[:, where] = computed.values(hits, name)
            values[:, where] = block_values
            n_empty += count_empty_values(block_values, hits, plan)
            n_ties, n_hits = n_ties + n_tied(hits), n_hits + hits.rank.size
        if has_fractions(table.relevance):
            fractions.append(table.relevance if table.mask is None else table.relevance[table.mask])
    notes = most_tied_note([name], [(n_ties, n_hits)], plan.convention.ties)
    notes += empty_note(n_empty, name, plan) + undefined_note(undefined, plan)
    if fractions and plan.convention.rel == 1:  # else somebody said what counts in any batch
        plan.refuse_levels_above_grades(hits)
        notes += below_level_note(hits, plan, np.concatenate([grades.ravel() for grades in fractions]))
    return Scores(
        systems=(name,),
        measures=plan.measures,
        query_ids=ids,
        values=freeze(values[np.newaxis]),
        missing=freeze(np.zeros((1, n_queries), np.bool_)),
        undefined=freeze(undefined),
        settings=plan.settings(n_queries),
        measure_settings=plan.measure_settings(hits),
        notes=tuple(notes),
        aliases=plan.aliases,
    )


def with_judged_ideal(measure: Measure) -> Measure:
    """The measure, with the ideal of the judged documents where it has that of the listed ones."""
    if getattr(measure, "ideal", None) != "listed":
        return measure
    changes: dict[str, Any] = {"ideal": "judged"}
    return replace(measure, **changes)


def check_ids(query_ids: Sequence[str], n: int) -> tuple[str, ...]:
    """The ids of n queries. Raises ParameterError for an id that is invalid or stands twice."""
    ids = tuple(query_ids)
    if len(ids) != n:
        raise ParameterError(f"{len(ids)} query_ids, expected one for each of the {n} rows of scores")
    if not all(isinstance(id_, str) and id_ for id_ in ids):
        raise ParameterError("query_ids: an id is empty or not a string; use str(...)")
    if len(set(ids)) != n:
        raise ParameterError("query_ids: an id occurs twice, expected one of its own for each row")
    return ids


@lru_cache(maxsize=1)  # a loop needs the same ids again and again
def default_ids(n: int) -> tuple[str, ...]:
    """The numbers of the rows, from 0, as ids."""
    return tuple(map(str, range(n)))


def depths_of(plan: Plan, columns: int) -> tuple[int, int]:
    """How many ranks, and how many grades, the measures use: up to the deepest cutoff, or all."""
    if not all(measure.needs_first_k_only() for measure in plan.measures):
        return columns, columns
    deepest = min(max(getattr(measure, "cutoff", 0) for measure in plan.measures), columns)
    return columns if plan.convention.ties == "error" else deepest, deepest


def hits_of_table(table: DenseTable, plan: Plan, ids: tuple[str, ...], depth: int, ideal_depth: int) -> Hits:
    """Hits of the best documents of each row, with its best grades: as many of each as the measures use."""
    ties = plan.convention.ties
    ranked = rank_table(table, depth, keep_tied=ties == "average")
    if ties == "average" and ranked.first is not ranked.rank:  # they are the same array where nothing is tied
        ranked = average_tied_ranks(ranked, table.relevance)
    if ties == "error" and (tied := ranked.last > ranked.first).any():
        refuse_ties(ranked, int(tied.argmax()), ids, table)
    is_float = has_fractions(table.relevance)
    rel_levels = {
        LEAST_FRACTION if is_float else 1,
        plan.convention.rel,
        *(rel for measure in plan.measures if (rel := getattr(measure, "rel", None))),
    }
    judged = count_grades(table.relevance, table.mask, table.lengths, depth=ideal_depth, levels=rel_levels)
    # The number of relevant documents is counted here, so the grades that the measures use suffice.
    memory: dict[Any, Any] = {("n_relevant", level): freeze(n) for level, n in judged.n_relevant.items()}
    hits = Hits(
        query_ids=ids,
        offsets=ranked.offsets,
        rank=ranked.rank,
        first=ranked.first,
        last=ranked.last,
        relevance=table.relevance[ranked.row, ranked.column].astype(np.float64 if is_float else np.int64, copy=False),
        judged=judged_places(table.mask, ranked),
        retrieved=table.lengths,
        missing=np.zeros(len(ids), np.bool_),
        grades=judged.grades,
        grade_offsets=judged.offsets,
        max_grade=table.max_grade,
        rel=plan.convention.rel,
        ties=ties,
        precision=plan.convention.precision,
        _qrels_memory=memory,
    )
    hits.__dict__["query"] = freeze(ranked.row)  # saves computing it from the offsets
    return hits


class RankedDocuments(NamedTuple):
    """The best documents of each row in order of rank.

    Attributes
    ----------
    row, column
        Where each document stands in the arrays.
    rank
        Its rank from 1.
    first, last
        First and last rank of the documents with its score.
    offsets
        Where each row begins.
    """

    row: Ints
    column: Ints
    rank: Floats
    first: Floats
    last: Floats
    offsets: Ints


def refuse_ties(ranked: RankedDocuments, hit: int, ids: tuple[str, ...], table: DenseTable) -> None:
    """Raise InputError for a document that shares its score."""
    row, n_others = int(ranked.row[hit]), int(ranked.last[hit] - ranked.first[hit])
    raise InputError(
        f"scores: {table.place(row, int(ranked.column[hit]))} (query {ids[row]!r}) shares its score with "
        f"{n_others} more and ties are refused (ties='error'); choose 'file': the lower column first"
    )


def average_tied_ranks(ranked: RankedDocuments, relevance: npt.NDArray[Any]) -> RankedDocuments:
    """Put tied documents at the mean of their ranks, by falling grade, so that columns do not matter."""
    row, column = ranked.row, ranked.column
    order = np.lexsort((-relevance[row, column].astype(np.float64), ranked.first, row))
    first, last = ranked.first[order], ranked.last[order]
    return RankedDocuments(row[order], column[order], (first + last) / 2, first, last, ranked.offsets)


def judged_places(mask: Bools | None, ranked: RankedDocuments) -> Ints:
    """The index of each ranked document among the documents of its row."""
    if mask is None or bool((mask[:, :-1] >= mask[:, 1:]).all()):  # padding only at the end
        return ranked.column
    counts = np.cumsum(mask, axis=1, dtype=np.int32)
    return counts[ranked.row, ranked.column].astype(np.int64) - 1


def rank_table(table: DenseTable, depth: int, *, keep_tied: bool) -> RankedDocuments:
    """Rank the best `depth` documents of each row, the lower column first among equal scores.

    keep_tied: keep all of a group of equal scores that goes beyond the depth.
    """
    best = best_of_rows(table.scores, depth)
    counts = np.minimum(table.lengths, depth)
    if keep_tied and bool((best.last > depth).any()):
        counts = np.minimum(table.lengths, best.last)
        best = best_of_rows(table.scores, int(counts.max()))
    rows, width = best.columns.shape
    rank = np.broadcast_to(np.arange(1.0, width + 1), (rows, width))
    row = np.broadcast_to(np.arange(rows)[:, None], (rows, width))
    within_depth: Any = slice(None) if int(counts.min()) == width else rank <= counts[:, None]
    row, column, rank = row[within_depth].ravel(), best.columns[within_depth].ravel(), rank[within_depth].ravel()
    offsets = bounds(counts)
    tied = (best.scores[:, 1:] == best.scores[:, :-1]) & (best.scores[:, 1:] > -np.inf)
    if not tied.any() and int(best.last.max()) <= width:
        return RankedDocuments(row, column, rank, rank, rank, offsets)
    starts_group = np.ones((rows, width), np.bool_)
    starts_group[:, 1:] = ~tied
    group_starts = np.flatnonzero(starts_group[within_depth])
    group_sizes = np.diff(np.append(group_starts, row.size))
    first = rank[group_starts].repeat(group_sizes)
    last = first + group_sizes.repeat(group_sizes) - 1
    at_edge = (best.scores == best.scores[:, -1:])[within_depth].ravel() & (best.last > width)[row]
    last[at_edge] = best.last[row[at_edge]]
    return RankedDocuments(row, column, rank, first, last, offsets)
