"""Hits: the ranks at which judged documents were retrieved, and the grades of all judged documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import LEAST_FRACTION, has_fractions, highest_grade
from rankscope.data.subtopics import Subtopics
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, count_before, group_of, place_in_group, sum_by_group
from rankscope.typing import Bools, Floats, Grades, Ints, Words

__all__ = [
    "Hits",
]


T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class Hits:
    """All that a measure needs to know of one system: the h judged documents retrieved for q queries.

    Attributes
    ----------
    query_ids
        The queries.
    offsets
        Where the hits of each query begin, (q + 1).
    rank
        Rank of each hit from 1 after ties are broken; with ties="average" the mean of `first` and `last`. Hits are
        ordered by query, then rank.
    first, last
        First and last rank of the documents with the score of the hit.
    relevance
        Grade of each hit, negative grades included; int64 where all grades are whole numbers, else float64.
    judged
        Index of each hit among the judged documents of its query.
    retrieved
        Number of documents retrieved, judged or not, (q).
    missing
        Whether the run has no list for the query: an empty ranking, (q).
    grades, grade_offsets
        Grades of all judged documents of each query in falling order, and where they begin, (q + 1).
    max_grade
        Highest grade of the whole input.
    rel
        Lowest grade that counts as relevant.
    collection_size
        Number of documents in the collection, if it is known.
    ties, precision
        How the lists were ranked.
    subtopics
        Judgments by subtopic; None if judgments are of queries only.
    lists
        Hashes of the retrieved lists, (q, depths); None if none are kept (`Convention.list_depths`).
    _memory
        What was computed from the hits.
    _qrels_memory
        What was computed from the judgments alone, shared by all runs of one Qrels.

    Notes
    -----
    No array can be written to: what measures compute from them is shared. `hits_of` makes hits.

    Examples
    --------
    >>> import rankscope as rs
    >>> hits = rs.hits_of({"q": {"d1": 2, "d2": 0, "d3": 1}}, {"q": {"d4": 3.0, "d1": 2.0, "d2": 1.0}})
    >>> hits.sum(hits.relevant(1) / hits.rank) / hits.n_relevant(1)  # average precision: one of two, at rank 2
    array([0.25])
    """

    query_ids: tuple[str, ...]
    offsets: Ints
    rank: Floats
    first: Floats
    last: Floats
    relevance: Grades
    judged: Ints
    retrieved: Ints
    missing: Bools
    grades: Grades
    grade_offsets: Ints
    max_grade: float
    rel: float = 1
    collection_size: int | None = None
    ties: str = "doc_id_desc"
    precision: str = "float64"
    subtopics: Subtopics | None = None
    lists: Words | None = None
    _memory: dict[Any, Any] = field(default_factory=dict, repr=False)
    _qrels_memory: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        fields = self.__dict__
        for name in ARRAYS:
            fields[name].setflags(write=False)

    def __len__(self) -> int:
        """How many queries."""
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Hits({pluralise_queries(len(self))}, {pluralise(self.rank.size, 'hit')})"

    def cached(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute`, cached for these hits.

        Parameters
        ----------
        key
            What is computed, with all settings that change it.
        compute
            Called once for a key.
        """
        if key not in self._memory:
            self._memory[key] = freeze(compute())
        return cast(T, self._memory[key])

    def cached_on_qrels(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute`, which uses the judgments alone, cached for all runs of one Qrels.

        Parameters
        ----------
        key
            What is computed, with all settings that change it.
        compute
            Called once for a key.
        """
        if key not in self._qrels_memory:
            self._qrels_memory[key] = freeze(compute())
        return cast(T, self._qrels_memory[key])

    @cached_property
    def query(self) -> Ints:
        """(hits) the index of each hit's query."""
        return freeze(group_of(self.offsets))

    @property
    def grade_query(self) -> Ints:
        """(judged) the index of the query of each grade."""
        return group_of(self.grade_offsets)

    @property
    def least_gain(self) -> float:
        """The lowest grade above 0 that there can be: 1 where grades are whole numbers."""
        return LEAST_FRACTION if has_fractions(self.grades) else 1

    def sum(self, values: Floats | Bools) -> Floats:
        """The sum of one value per hit for each query; 0 without hits.

        Parameters
        ----------
        values
            One value per hit, (hits).

        Returns
        -------
        array of shape (queries)
            The sums.
        """
        return sum_by_group(values, self.query, len(self))

    def relevant(self, rel: float | None = None) -> Bools:
        """Whether each hit is relevant.

        Parameters
        ----------
        rel
            Lowest grade that counts. Default: that of these hits.

        Returns
        -------
        array of shape (hits)
            True or False.
        """
        min_relevance = self.rel if rel is None else rel
        return self.cached(("relevant", min_relevance), lambda: self.relevance >= min_relevance)

    def relevant_above(self, rel: float | None = None) -> Ints:
        """How many relevant documents of the query rank above each hit.

        Parameters
        ----------
        rel
            Lowest grade that counts. Default: that of these hits.

        Returns
        -------
        array of shape (hits)
            The counts.
        """
        min_relevance = self.rel if rel is None else rel
        return self.cached(("relevant_above", min_relevance), lambda: self.count_above(self.relevant(min_relevance)))

    def count_above(self, marked: Bools) -> Ints:
        """How many marked hits of the query rank above each hit.

        Parameters
        ----------
        marked
            Whether each hit is marked, (hits).

        Returns
        -------
        array of shape (hits)
            The counts.
        """
        return count_before(marked, self.offsets)

    def n_relevant(self, rel: float | None = None) -> Floats:
        """The number of judged documents of each query that are relevant.

        Parameters
        ----------
        rel
            Lowest grade that counts. Default: that of these hits.

        Returns
        -------
        array of shape (queries)
            The counts.
        """
        min_relevance = self.rel if rel is None else rel
        return self.cached_on_qrels(
            ("n_relevant", min_relevance),
            lambda: sum_by_group(self.grades >= min_relevance, self.grade_query, len(self)),
        )

    def n_nonrelevant(self, rel: float | None = None) -> Floats:
        """The number of documents of each query judged not relevant: grades from 0 to below `rel`.

        Parameters
        ----------
        rel
            Lowest grade that counts as relevant. Default: that of these hits.

        Returns
        -------
        array of shape (queries)
            The counts.
        """
        min_relevance = self.rel if rel is None else rel
        return sum_by_group((self.grades >= 0) & (self.grades < min_relevance), self.grade_query, len(self))

    def select(self, queries: npt.ArrayLike) -> Hits:
        """The hits of some queries.

        Parameters
        ----------
        queries
            Indices, repeats allowed, in this order; or a mask over all queries.

        Returns
        -------
        Hits
            Their hits.
        """
        index = np.asarray(queries)
        if index.dtype == np.bool_:
            if index.shape != (len(self),):
                raise ParameterError(f"the mask has shape {index.shape}, expected one flag a query: ({len(self)},)")
            index = np.flatnonzero(index)
        if index.size and index.dtype.kind not in "iu":
            raise ParameterError(f"queries of type {index.dtype}, expected whole numbers or a mask")
        if index.size and not 0 <= index.min() <= index.max() < len(self):
            raise ParameterError(f"queries {index.min()} to {index.max()}, expected indices from 0 to {len(self) - 1}")
        index = index.astype(np.intp)
        n_hits, n_grades = np.diff(self.offsets)[index], np.diff(self.grade_offsets)[index]
        rows = ranges(self.offsets[index], n_hits)
        return self._with(
            rows,
            query_ids=tuple(self.query_ids[i] for i in index),
            offsets=bounds(n_hits),
            retrieved=self.retrieved[index],
            missing=self.missing[index],
            grades=self.grades[ranges(self.grade_offsets[index], n_grades)],
            grade_offsets=bounds(n_grades),
            subtopics=None if self.subtopics is None else self.subtopics.select(index),
            lists=None if self.lists is None else self.lists[index],
            _qrels_memory={},
        )

    def cut(self, depth: int) -> Hits:
        """The hits as if the lists ended at rank `depth`.

        Parameters
        ----------
        depth
            Number of documents of each list.

        Returns
        -------
        Hits
            The hits up to there.
        """
        if not isinstance(depth, (int, np.integer)) or depth < 1:
            raise ParameterError(f"the depth is {depth!r}, expected a whole number of at least 1")
        if self.ties == "average" and ((self.first <= depth) & (self.last > depth)).any():
            raise ParameterError(
                f"depth {depth} cuts through documents of one score, and with ties='average' none of them comes first; "
                "choose another tie rule (doc_id_desc or file)"
            )
        depth = min(int(depth), np.iinfo(np.int64).max)
        is_within = self.rank <= depth
        return self._with(
            np.flatnonzero(is_within),
            last=np.minimum(self.last[is_within], depth),
            offsets=bounds(self.sum(is_within).astype(np.int64)),
            retrieved=np.minimum(self.retrieved, depth),
        )

    def judged_only(self) -> Hits:
        """The hits as if documents not judged (negative grades too) had not been retrieved."""
        is_judged = self.relevance >= 0
        rows = np.flatnonzero(is_judged)
        n_hits = self.sum(is_judged).astype(np.int64)
        offsets = bounds(n_hits)
        rank = place_in_group(offsets) + 1.0
        # Tied hits are still neighbours: first and last are recomputed from the new ranks.
        query_index = np.repeat(np.arange(len(self)), n_hits)
        starts_tie = np.ones(rows.size, np.bool_)
        starts_tie[1:] = (self.first[rows][1:] != self.first[rows][:-1]) | (query_index[1:] != query_index[:-1])
        tie_index = np.cumsum(starts_tie) - 1
        first = rank[starts_tie][tie_index] if rows.size else rank
        last = first + np.bincount(tie_index, minlength=0)[tie_index] - 1 if rows.size else rank
        if self.ties == "average":
            rank = (first + last) / 2
        return self._with(rows, rank=rank, first=first, last=last, offsets=offsets, retrieved=n_hits)

    def filled(self, grade: float, depth: int | None = None) -> Hits:
        """The hits as if every document of the lists without a judgment (negative grades, too) were judged `grade`.

        Parameters
        ----------
        grade
            The grade.
        depth
            Keep only so many documents of each list.

        Returns
        -------
        Hits
            The judgments (`grades`) stay as they are, and documents that were not judged have the index -1 among the
            judged ones.
        """
        if self.ties == "average":
            raise ParameterError("with ties='average' a list has no one order to fill; choose doc_id_desc or file")
        lengths = self.retrieved if depth is None else np.minimum(self.retrieved, depth)
        offsets = bounds(lengths)
        rank: Floats = (place_in_group(offsets) + 1).astype(np.float64)
        is_float = has_fractions(self.relevance) or isinstance(grade, float)
        relevance: Grades = np.full(rank.size, grade, np.float64 if is_float else np.int64)
        judged = np.full(rank.size, -1)
        hit_index = np.flatnonzero(self.rank <= lengths[self.query])
        positions = offsets[self.query[hit_index]] + self.rank[hit_index].astype(np.int64) - 1
        relevance[positions] = np.where(self.relevance[hit_index] < 0, grade, self.relevance[hit_index])
        judged[positions] = self.judged[hit_index]
        return replace(
            self,
            rank=rank,
            first=rank,
            last=rank,
            relevance=relevance,
            judged=judged,
            offsets=offsets,
            retrieved=lengths,
            _memory={},
        )

    def rejudged(
        self, *, relevance: Grades, places: Ints, grades: Grades, grade_offsets: Ints, memory: dict[Any, Any]
    ) -> Hits:
        """The hits as if the same lists had been joined with other judgments of the same documents, or of some of them.

        Parameters
        ----------
        relevance
            New grade of each judged document, by query, then `judged`.
        places
            Its index among the newly judged documents of its query, -1 if it is not judged.
        grades, grade_offsets
            All new grades, as in the class.
        memory
            What is computed from the new judgments alone: one dict, empty at first, for all runs.

        Returns
        -------
        Hits
            Without judgments by subtopic. Hits of `filled` have no indices of documents and cannot be judged anew.
        """
        document_index = self.grade_offsets[self.query] + self.judged
        rows = np.flatnonzero(places[document_index] >= 0)
        if self.ties == "average":  # tied ones by falling grade, as the join has them
            rows = rows[np.lexsort((-relevance[document_index[rows]], self.first[rows], self.query[rows]))]
        document_index = document_index[rows]
        return self._with(
            rows,
            relevance=relevance[document_index],
            judged=places[document_index],
            offsets=bounds(np.bincount(self.query[rows], minlength=len(self))),
            grades=grades,
            grade_offsets=grade_offsets,
            max_grade=highest_grade(grades) if grades.size else self.max_grade,
            subtopics=None,
            _qrels_memory=memory,
        )

    @staticmethod
    def concat(hits_list: Sequence[Hits]) -> Hits:
        """The queries of all parts, one after the other."""
        if not hits_list:
            raise ParameterError("no hits to put together, expected at least one part")
        first = hits_list[0]
        if len({(part.rel, part.collection_size, part.ties, part.precision) for part in hits_list}) > 1:
            raise ParameterError("hits of different conventions (rel, ties, precision) cannot be put together")

        def concatenated(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in hits_list])

        arrays: dict[str, Any] = {name: concatenated(name) for name in (*PER_HIT, "retrieved", "missing", "grades")}
        return replace(
            first,
            query_ids=tuple(query_id for part in hits_list for query_id in part.query_ids),
            offsets=bounds(np.concatenate([np.diff(part.offsets) for part in hits_list])),
            grade_offsets=bounds(np.concatenate([np.diff(part.grade_offsets) for part in hits_list])),
            max_grade=max(part.max_grade for part in hits_list),
            subtopics=Subtopics.concat([part.subtopics for part in hits_list]),
            _memory={},
            _qrels_memory={},
            **arrays,
        )

    def _with(self, rows: npt.NDArray[np.intp], **changes: Any) -> Hits:
        """These hits, and the changed arrays."""
        for name in PER_HIT:
            changes.setdefault(name, getattr(self, name)[rows])
        changes.setdefault("lists", None)  # other lists than those of the run
        return replace(self, _memory={}, **changes)


def freeze(value: T) -> T:
    """The value itself; an array is made read-only."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value


PER_HIT = ("rank", "first", "last", "relevance", "judged")
ARRAYS = (*PER_HIT, "offsets", "retrieved", "missing", "grades", "grade_offsets")
