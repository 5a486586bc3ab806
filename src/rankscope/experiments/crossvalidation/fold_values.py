"""Values of rankers on the lists of all folds, one a query, and the ranks of documents of each grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.grades import has_fractions
from rankscope.data.scores import Scores, summarise
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.judged_lists import FullyJudgedLists, check_measure
from rankscope.evaluation.scoring import undefined_note
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Grades, Ints

__all__ = [
    "DEFAULT_MEASURES",
    "RANK_RANGES",
    "FoldLists",
    "FoldValues",
    "count_ranks",
    "grade_rows",
    "plan_measures",
]


#: The default measures.
DEFAULT_MEASURES = ("nDCG@10", "AP")
NO_SCORES: Mapping[tuple[int, int], Floats] = MappingProxyType({})


def plan_measures(
    measures: str | Measure | Sequence[str | Measure] | None, rel: float, no_relevant: str | None
) -> Plan:
    """The measures and conventions. Raises UnknownName and ParameterError for those that such lists cannot have."""
    plan = make_plan(DEFAULT_MEASURES if measures is None else measures, rel=rel, ties="file", no_relevant=no_relevant)
    for measure in plan.measures:
        check_measure(measure)
    return plan


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldValues:
    """scores: each model's value on each query, the mean over seeds; the queries of one fold after the other.

    fold: (queries) the index of the fold of each. by_seed: (seeds, models, measures) the value over all queries; of a
    blend of all seeds, whose scores are its own, that of blends of one seed each.
    """

    scores: Scores
    fold: Ints
    by_seed: Floats

    def of_fold(self, fold: int) -> Floats:
        """(models, measures) the values over the queries of a fold."""
        return summarise(self.scores.values[:, :, self.fold == fold], self.kinds)

    @property
    def overall(self) -> Floats:
        """(models, measures) the values over all queries."""
        return summarise(self.scores.values, self.kinds)

    @property
    def kinds(self) -> list[str]:
        return [measure.summary for measure in self.scores.measures]

    @property
    def deviation(self) -> Floats:
        """(models, measures) the standard deviation over seeds; NaN of one seed."""
        if len(self.by_seed) < 2:
            return np.full(self.by_seed.shape[1:], np.nan)
        return np.asarray(self.by_seed.std(axis=0, ddof=1))


class FoldLists:
    """The lists of one kind ("test" or "valid") of all folds, which turn scores of documents into values.

    Ties are broken at random, in the same order for all rankers and measures.
    """

    def __init__(self, parts: Sequence[Features], folds: Sequence[str], plan: Plan, max_grade: float) -> None:
        self.plan = plan
        self.folds = tuple(folds)
        self.lists = [
            FullyJudgedLists(part.relevance, part.offsets, max_grade=max_grade, rel=plan.convention.rel, by_lot=True)
            for part in parts
        ]
        self.ids = query_ids(parts, folds)
        sizes = [len(part.query_ids) for part in parts]
        self.fold = np.repeat(np.arange(len(parts)), sizes)

    def values(self, fold: int, scores: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """(measures, queries of the fold) the values, and a mask of those that are undefined."""
        hits = self.lists[fold].hits(scores)
        self.plan.refuse_levels_above_grades(hits)  # known after the first call
        return self.plan.values(hits, self.folds[fold])

    def measure(
        self,
        scores: Mapping[tuple[int, int, int], Floats],
        shape: tuple[int, int],
        settings: Mapping[str, str],
        models: tuple[str, ...],
        combined_scores: Mapping[tuple[int, int], Floats] = NO_SCORES,
    ) -> FoldValues:
        """The values of scores of documents by (seed, model, fold).

        shape: numbers of seeds and models. combined_scores: by (model, fold), the scores of a ranker of all seeds
        together, which replace the mean of the values by seed.
        """
        n_measures = len(self.plan.measures)
        values_by_seed = np.empty((*shape, n_measures, len(self.ids)))
        undefined = np.zeros((n_measures, len(self.ids)), np.bool_)
        for (seed, model, fold), document_scores in scores.items():
            in_fold = self.fold == fold
            values_by_seed[seed, model][:, in_fold], undefined[:, in_fold] = self.values(fold, document_scores)
        self.refuse_empty(values_by_seed)
        mean_values = values_by_seed.mean(axis=0)
        for (model, fold), document_scores in combined_scores.items():
            mean_values[model][:, self.fold == fold] = self.values(fold, document_scores)[0]
        kinds: list[str] = [measure.summary for measure in self.plan.measures]
        hits = self.lists[0].hits(next(iter(scores.values())))
        query_scores = Scores(
            systems=models,
            measures=self.plan.measures,
            query_ids=self.ids,
            values=mean_values,
            missing=np.zeros((shape[1], len(self.ids)), np.bool_),
            undefined=undefined,
            settings={
                **settings,
                "ties": "by lot",
                "no_relevant": self.plan.no_relevant,
                "queries": str(len(self.ids)),
            },
            measure_settings=self.plan.measure_settings(hits),
            notes=tuple(undefined_note(undefined, self.plan)),
            aliases=self.plan.aliases,
        )
        return FoldValues(
            scores=query_scores,
            fold=self.fold,
            by_seed=np.array([summarise(seed_values, kinds) for seed_values in values_by_seed]),
        )

    def refuse_empty(self, values_by_seed: Floats) -> None:
        """Raise InputError where a measure has no value at all."""
        for m, measure in enumerate(self.plan.names):
            if np.isnan(values_by_seed[:, :, m]).all():
                raise InputError(
                    f"no query has a value of {measure}; check that the data have grades: with no_relevant='drop', a "
                    "query without relevant documents has no value"
                )


def query_ids(parts: Sequence[Features], folds: Sequence[str]) -> tuple[str, ...]:
    """The ids of all queries; with the fold's name before them where an id occurs more than once."""
    ids = [query for part in parts for query in part.query_ids]
    if len(set(ids)) == len(ids):
        return tuple(ids)
    prefixed_ids = [f"{fold}/{query}" for part, fold in zip(parts, folds, strict=True) for query in part.query_ids]
    return tuple(prefixed_ids)


#: The last rank of each range, without the open last range; and the names of the ranges.
LAST_RANKS = (1, 3, 5, 10, 20)
RANK_RANGES = ("1", "2-3", "4-5", "6-10", "11-20", "21+")


#: Grades that are fractions get a row each if they are at most so many, and else as many bins of equal width.
MAX_FRACTIONS = 10


def grade_rows(grades: Grades) -> tuple[Grades, bool]:
    """The grades that get a row in a table by grade, and whether each is the lowest of a bin.

    grades: all different ones, in rising order.

    >>> grade_rows(np.arange(0, 1, 0.0625))[0].tolist()
    [0.0, 0.125, 0.1875, 0.3125, 0.375, 0.5, 0.5625, 0.6875, 0.75, 0.875]
    """
    if not has_fractions(grades) or grades.size <= MAX_FRACTIONS:
        return grades, False
    edges = np.linspace(grades[0], grades[-1], MAX_FRACTIONS + 1)[:-1]
    return grades[np.unique(np.searchsorted(edges, grades, side="right"), return_index=True)[1]], True


def count_ranks(lists: FullyJudgedLists, scores: npt.NDArray[np.floating[Any]], grades: Grades) -> Ints:
    """(grades, ranges) how many documents of each grade are ranked within each of `RANK_RANGES`.

    grades: in rising order, all that there are, or the lowest of each bin.

    >>> lists = FullyJudgedLists(np.array([0, 2, 0, 1]), np.array([0, 4]))
    >>> count_ranks(lists, np.array([0.1, 0.9, 0.5, 0.3]), np.arange(3)).tolist()
    [[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    """
    row = np.searchsorted(grades, lists.relevance[lists.order(scores)], side="right") - 1
    column = np.searchsorted(LAST_RANKS, lists.rank)
    counts = np.bincount(row * len(RANK_RANGES) + column, minlength=len(grades) * len(RANK_RANGES))
    return counts.reshape(len(grades), len(RANK_RANGES)).astype(np.int64)
