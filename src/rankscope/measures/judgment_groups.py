"""Means over judgment groups: a measure by the judgments of each group of a query alone (a user, say), averaged.

They agree with trec_eval, which has them as *_avgjg. The groups are what diversity calls subtopics.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.segments import bounds
from rankscope.measures.base import Binary, Measure
from rankscope.measures.binary import AP, P, Rprec
from rankscope.typing import Bools, Floats

__all__ = [
    "AP_JG",
    "P_JG",
    "JudgmentGroups",
    "Rprec_JG",
    "mean_over_groups",
]


def hits_by_group(hits: Hits) -> list[tuple[Bools, Hits]]:
    """Whether each query has a first, second, ... group, and the hits with the judgments of that group alone.

    Raises ParameterError where judgments are not by group.
    """
    judgments = hits.subtopics
    if judgments is None:
        raise ParameterError("the judgments hold no groups, which this measure needs; add a column subtopic")
    if judgments.subgroup is not None:
        raise ParameterError(
            "the judgments are preferences by sub-group, expected one grade of a document in each group; use Prefs, "
            "PrefsPair or PrefsJG"
        )
    by_group = []
    for number in range(int(judgments.subtopic.max(initial=0)) + 1):
        rows = np.flatnonzero(judgments.subtopic == number)
        queries, relevance = judgments.query[rows], judgments.relevance[rows]
        n_judged = np.bincount(queries, minlength=len(hits))
        offsets = bounds(n_judged)
        documents = hits.grade_offsets[queries] + judgments.judged[rows]
        group_relevance = np.full(hits.grades.size, -1, relevance.dtype)
        group_places = np.full(hits.grades.size, -1)
        group_relevance[documents] = relevance
        group_places[documents] = np.arange(rows.size) - offsets[queries]
        group_hits = hits.rejudged(
            relevance=group_relevance,
            places=group_places,
            grades=relevance[np.lexsort((-relevance, queries))],
            grade_offsets=offsets,
            memory=hits.cached_on_qrels(("judgment group", number), dict),
        )
        by_group.append((n_judged > 0, group_hits))
    return by_group


def mean_over_groups(hits: Hits, measure: Callable[[Hits], Floats]) -> Floats:
    """The mean of a measure over the judgment groups of each query.

    Parameters
    ----------
    hits
        The hits, whose judgments are by subtopic.
    measure
        Gives a value for each query, from the hits of one group.

    Returns
    -------
    array of shape (queries)
        The means.
    """
    by_group = hits.cached("hits by judgment group", lambda: hits_by_group(hits))
    values = [np.where(has_group, measure(group_hits), 0.0) for has_group, group_hits in by_group]
    n_groups = np.sum([has_group for has_group, _ in by_group], axis=0)
    mean: Floats = np.sum(values, axis=0) / n_groups
    return mean


@dataclass(frozen=True, kw_only=True)
class JudgmentGroups(Binary):
    """Base of means over judgment groups."""

    needs_subtopics: ClassVar[bool] = True

    @abstractmethod
    def of_group(self) -> Measure:
        """The measure of each group."""

    def values(self, hits: Hits) -> Floats:
        return mean_over_groups(hits, self.of_group())


@dataclass(frozen=True, kw_only=True)
class AP_JG(JudgmentGroups):
    """Average precision by the judgments of each group, averaged over groups; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    A group (a user, say) is a subtopic of the judgments. One without relevant documents counts as 0.

    References
    ----------
    trec_eval map_avgjg.
    """

    name: ClassVar[str] = "AP_JG"
    source: ClassVar[str] = "trec_eval map_avgjg"

    def of_group(self) -> Measure:
        return AP(rel=self.rel)


@dataclass(frozen=True, kw_only=True)
class P_JG(JudgmentGroups):
    """Precision in the first k by the judgments of each group, averaged over groups; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read.

    Notes
    -----
    A group (a user, say) is a subtopic of the judgments. One without relevant documents counts as 0.

    References
    ----------
    trec_eval P_avgjg.
    """

    name: ClassVar[str] = "P_JG"
    source: ClassVar[str] = "trec_eval P_avgjg"
    cutoff: int

    def of_group(self) -> Measure:
        return P(rel=self.rel, cutoff=self.cutoff)


@dataclass(frozen=True, kw_only=True)
class Rprec_JG(JudgmentGroups):
    """R-precision by the judgments of each group, averaged over groups; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    mult
        The precision is that of this multiple of R documents, R the number of relevant ones of the group.

    Notes
    -----
    A group (a user, say) is a subtopic of the judgments. One without relevant documents counts as 0.

    References
    ----------
    trec_eval Rprec_mult_avgjg.
    """

    name: ClassVar[str] = "Rprec_JG"
    source: ClassVar[str] = "trec_eval Rprec_mult_avgjg"
    mult: float = 1.0

    def check(self) -> None:
        self.of_group()

    def of_group(self) -> Measure:
        return Rprec(rel=self.rel, mult=self.mult)
