"""What rankers are worth on the lists of all folds: one value a query, averaged over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.scores import Scores, summarise
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.engine import undefined_note
from rankscope.evaluation.lists import FullyJudgedLists, check_measure
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Ints

__all__ = ["DEFAULT_MEASURES", "FoldLists", "FoldValues", "plan_measures"]


#: What is measured where nobody says.
DEFAULT_MEASURES = ("nDCG@10", "AP")
NO_SCORES: Mapping[tuple[int, int], Floats] = MappingProxyType({})


def plan_measures(measures: str | Measure | Sequence[str | Measure] | None, rel: int, no_relevant: str | None) -> Plan:
    """The measures and conventions. Raises UnknownName and ParameterError for those that such lists cannot have."""
    plan = make_plan(DEFAULT_MEASURES if measures is None else measures, rel=rel, ties="file", no_relevant=no_relevant)
    for measure in plan.measures:
        check_measure(measure)
    return plan


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldValues:
    """scores: each model's value on each query, the mean over seeds; the queries of one fold after the other.

    fold: (queries) the place of the fold of each. by_seed: (seeds, models, measures) the value over all queries; of a
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
    """The lists of one kind ("test" or "valid") of all folds; scores of their documents go in, values come out.

    Documents of one score are put in an order by lot, the same for all rankers and measures.
    """

    def __init__(self, parts: Sequence[Features], folds: Sequence[str], plan: Plan, max_grade: int) -> None:
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
        """(measures, queries of the fold) the values, and where nothing relevant was judged."""
        return self.plan.values(self.lists[fold].hits(scores), self.folds[fold])

    def measured(
        self,
        scores: Mapping[tuple[int, int, int], Floats],
        shape: tuple[int, int],
        settings: Mapping[str, str],
        models: tuple[str, ...],
        whole: Mapping[tuple[int, int], Floats] = NO_SCORES,
    ) -> FoldValues:
        """scores: of (seed, model, fold), the documents'. shape: numbers of seeds and models. whole: of (model, fold),
        those of a ranker that all seeds make together, in the place of the mean of the values by seed.
        """
        measures = len(self.plan.measures)
        each = np.empty((*shape, measures, len(self.ids)))
        undefined = np.zeros((measures, len(self.ids)), np.bool_)
        for (seed, model, fold), found in scores.items():
            each[seed, model][:, self.fold == fold], undefined[:, self.fold == fold] = self.values(fold, found)
        self.refuse_empty(each)
        together = each.mean(axis=0)
        for (model, fold), found in whole.items():
            together[model][:, self.fold == fold] = self.values(fold, found)[0]
        kinds: list[str] = [measure.summary for measure in self.plan.measures]
        hits = self.lists[0].hits(next(iter(scores.values())))
        made = Scores(
            systems=models,
            measures=self.plan.measures,
            query_ids=self.ids,
            values=together,
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
            asked=self.plan.asked,
        )
        return FoldValues(scores=made, fold=self.fold, by_seed=np.array([summarise(part, kinds) for part in each]))

    def refuse_empty(self, each: Floats) -> None:
        """Raise where a measure has no value at all."""
        for m, measure in enumerate(self.plan.names):
            if np.isnan(each[:, :, m]).all():
                raise InputError(
                    f"no query has a value of {measure}; are the grades there? a query without relevant documents has "
                    "none with no_relevant='drop'"
                )


def query_ids(parts: Sequence[Features], folds: Sequence[str]) -> tuple[str, ...]:
    """The ids of all queries; with the fold's name before them where one id is there more than once."""
    plain = [query for part in parts for query in part.query_ids]
    if len(set(plain)) == len(plain):
        return tuple(plain)
    named = [f"{fold}/{query}" for part, fold in zip(parts, folds, strict=True) for query in part.query_ids]
    return tuple(named)
