"""Measures of diversity that take each subtopic alone, and the mean of all: AP-IA, P-IA, subtopic recall.

They agree with ndeval, the tool of the TREC Web Track.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.segments import sum_by_group
from rankscope.measures.base import ratio
from rankscope.measures.subtopics import Diversity
from rankscope.typing import Floats

__all__ = ["AP_IA", "P_IA", "StRecall"]


@dataclass(frozen=True, kw_only=True)
class AP_IA(Diversity):
    """Average precision of each subtopic, averaged over those that have a relevant document; in [0, 1].

    Higher is better. Without relevant documents: 0.
    """

    name: ClassVar[str] = "AP_IA"
    source: ClassVar[str] = "Agrawal et al. (2009); ndeval MAP-IA"

    def values(self, hits: Hits) -> Floats:
        seen, aspects = self.seen(hits), self.aspects(hits)
        relevant = np.bincount(aspects.subtopic, minlength=aspects.n_codes)[seen.subtopic]
        precision = (seen.before + 1.0) / seen.rank / relevant
        return ratio(sum_by_group(precision, seen.query, len(hits)), aspects.n_subtopics)


@dataclass(frozen=True, kw_only=True)
class P_IA(Diversity):
    """Precision of each subtopic in the first k, averaged over those that have a relevant document; in [0, 1].

    Higher is better. Without relevant documents: 0.
    """

    name: ClassVar[str] = "P_IA"
    source: ClassVar[str] = "Agrawal et al. (2009); ndeval P-IA"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        seen = self.seen(hits)
        found = sum_by_group(self.within(seen, self.cutoff), seen.query, len(hits))
        return ratio(found / self.cutoff, self.aspects(hits).n_subtopics)


@dataclass(frozen=True, kw_only=True)
class StRecall(Diversity):
    """Subtopic recall: the share of subtopics that the first k hold a relevant document of; in [0, 1].

    Higher is better. Of the subtopics that have one. Without relevant documents: 0.
    """

    name: ClassVar[str] = "StRecall"
    source: ClassVar[str] = "Zhai et al. (2003); ndeval strec"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        seen = self.seen(hits)
        new = self.within(seen, self.cutoff) & (seen.before == 0)
        return ratio(sum_by_group(new, seen.query, len(hits)), self.aspects(hits).n_subtopics)
