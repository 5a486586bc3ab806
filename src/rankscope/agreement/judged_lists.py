"""The judgments of one language pair as tables, and which of their lists a statistic is taken of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Labels, Rankings
from rankscope.data.segment_scores import SegmentScores
from rankscope.errors import InputError
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.typing import Floats, Ints

__all__ = ["GOLD", "JudgmentTables", "tables_by_metric", "rankings_from_scores"]


#: What the column of people is called where their scores become judgments.
GOLD = "human"


@dataclass(frozen=True, eq=False)
class JudgmentTables:
    """One language pair: what people and one metric say of each translation; lower is better on both sides.

    gold, metric: (judgments, items), NaN where there is no value. segment, system: (judgments) and (judgments, items)
    whole numbers from 0; a system is -1 where the list has no item. segments, systems: how many there are.
    """

    gold: Floats
    metric: Floats
    segment: Ints
    system: Ints
    segments: int
    systems: int

    @cached_property
    def both(self) -> npt.NDArray[np.bool_]:
        """(judgments, items) where there are both values."""
        return ~(np.isnan(self.gold) | np.isnan(self.metric))

    @property
    def missing(self) -> int:
        """Translations that people judged and the metric has no score of."""
        return int(np.count_nonzero(~np.isnan(self.gold) & np.isnan(self.metric)))

    def flat(self) -> tuple[Floats, Floats, Ints, Ints]:
        """(items with both values) gold, metric, segment, system."""
        of = np.broadcast_to(self.segment[:, None], self.both.shape)
        return self.gold[self.both], self.metric[self.both], of[self.both], self.system[self.both]

    def by_segment(self, values: Floats) -> Floats:
        """Sums of the judgments of each segment; values: (judgments) or (judgments, columns)."""
        found = np.zeros((self.segments, *values.shape[1:]))
        np.add.at(found, self.segment, values)
        return found

    def by_system(self) -> tuple[Floats, Floats]:
        """(systems, most items of one) gold and metric, a row a system, filled up with NaN."""
        gold, metric, _, system = self.flat()
        order = stable_order(system)
        offsets = bounds(np.bincount(system, minlength=self.systems))
        found = np.full((2, self.systems, int(np.diff(offsets).max(initial=0))), np.nan)
        found[:, system[order], place_in_group(offsets)] = np.stack((gold, metric))[:, order]
        return found[0], found[1]


def tables_by_metric(rankings: Rankings, gold: str, metrics: tuple[str, ...]) -> list[JudgmentTables]:
    """The tables of judgments of one language pair, for each metric."""
    _, segment = np.unique(rankings.segment.codes, return_inverse=True)
    people = rankings.table(gold)
    system = np.full(people.shape, -1, np.int64)
    _, codes = np.unique(rankings.system.codes, return_inverse=True)
    system[rankings.judgment, place_in_group(rankings.offsets)] = codes
    counts = int(segment.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    return [JudgmentTables(people, rankings.table(name), segment.astype(np.int64), system, *counts) for name in metrics]


def rankings_from_scores(people: SegmentScores) -> Rankings:
    """Scores that people gave as judgments: one a segment, over the systems that have a score, in the column GOLD.

    Raises InputError where no segment has a score.

    >>> from rankscope.data.segment_scores import PairScores
    >>> people = SegmentScores("MQM", {"en-de": PairScores.of({"A": [-1, 0], "B": [-5, None]})}, score=True)
    >>> found = rankings_from_scores(people)
    >>> len(found), found.columns[GOLD].tolist()
    (2, [-1.0, -5.0, 0.0])
    """
    pairs, segments, lengths, systems, values = [], [], [], [], []
    codes: dict[str, int] = {}
    names: dict[str, int] = {}
    for place, scores in enumerate(people.pairs.values()):
        table = scores.values.T
        there = ~np.isnan(table)
        kept = there.any(axis=1)
        own = np.array([codes.setdefault(name, len(codes)) for name in scores.systems], np.int64)
        of = np.array([names.setdefault(name, len(names)) for name in scores.segments], np.int64)
        segments.append(of[kept])
        pairs.append(np.full(int(kept.sum()), place, np.int64))
        lengths.append(there[kept].sum(axis=1))
        systems.append(np.broadcast_to(own, table.shape)[there])
        values.append(table[there])
    if not sum(part.size for part in values):
        raise InputError(f"{people.metric} has no score of any segment, expected what people say of translations")
    pair = np.concatenate(pairs)
    return Rankings(
        pair=Labels(tuple(people.pairs), pair),
        segment=Labels(tuple(names), np.concatenate(segments)),
        judge=Labels(("",), np.zeros(pair.size, np.int64)),
        offsets=bounds(np.concatenate(lengths).astype(np.int64)),
        system=Labels(tuple(codes), np.concatenate(systems)),
        columns={GOLD: np.concatenate(values)},
        scores=frozenset([GOLD] if people.score else []),
        notes=people.notes,
    )
