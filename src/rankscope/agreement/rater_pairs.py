"""Decisions of raters on pairs of translations, and how often two of them are the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.agreement.pair_counts import pair_places
from rankscope.data.rankings import Rankings
from rankscope.kernels.segments import place_in_group
from rankscope.typing import Floats, Ints

__all__ = ["CHANCE", "Decisions", "count_agreements", "decisions_on_pairs", "kappas", "count_repeated_judgments"]

#: How often two decisions agree by chance.
CHANCE = ("pooled", "third")


class Decisions(NamedTuple):
    """Decisions on pairs of translations: the pair (unit), segment and judge of each, -1, 0 or 1, sorted by unit."""

    unit: Ints
    segment: Ints
    judge: Ints
    sign: Ints
    segments: int


def decisions_on_pairs(rankings: Rankings, gold: str) -> Decisions:
    """All decisions of the judgments of one language pair; a unit is a segment and two systems in one order."""
    table = rankings.table(gold)
    system = np.full(table.shape, -1, np.int64)
    system[rankings.judgment, place_in_group(rankings.offsets)] = rankings.system.codes
    first, second = pair_places(table.shape[1])
    apart = table[:, first] - table[:, second]
    there = ~np.isnan(apart)
    _, segment = np.unique(rankings.segment.codes, return_inverse=True)
    of = np.broadcast_to(np.arange(len(rankings))[:, None], apart.shape)[there]
    a, b = system[:, first][there], system[:, second][there]
    sign = np.sign(apart[there]).astype(np.int64) * np.where(a < b, 1, -1)
    k = len(rankings.systems)
    key = (segment[of] * k + np.minimum(a, b)) * k + np.maximum(a, b)
    order = np.argsort(key, kind="stable")
    _, unit = np.unique(key[order], return_inverse=True)
    segments = int(segment.max(initial=-1)) + 1
    return Decisions(unit.astype(np.int64), segment[of][order], rankings.judge.codes[of][order], sign[order], segments)


def count_repeated_judgments(rankings: Rankings, gold: str) -> int:
    """How many judgments say what an earlier one said: of pair, segment, judge, the same systems in order and ranks."""
    table = rankings.table(gold)
    system = np.full(table.shape, -1.0)
    system[rankings.judgment, place_in_group(rankings.offsets)] = rankings.system.codes
    labels = [part.codes for part in (rankings.pair, rankings.segment, rankings.judge)]
    rows = np.column_stack((*labels, system, np.where(np.isnan(table), np.inf, table)))
    return len(rows) - len(np.unique(rows, axis=0))


def count_agreements(made: Decisions, within: bool) -> Floats:
    """(segments, 4) agreeing pairs of decisions, all of them, ties among the decisions, decisions.

    Pairs of one judge are counted in groups of unit and judge; those between judges are all less these.
    """
    alike = pairs_by_segment(made, made.unit)
    judge = np.unique(np.stack((made.unit, made.judge)), axis=1, return_inverse=True)[1].ravel()
    own = pairs_by_segment(made, judge)
    ties = np.bincount(made.segment[made.sign == 0], minlength=made.segments)
    decisions = np.bincount(made.segment, minlength=made.segments)
    return np.column_stack((*(own if within else alike - own), ties, decisions)).astype(np.float64)


def pairs_by_segment(made: Decisions, group: Ints) -> Floats:
    """(2, segments) pairs of decisions of one group that agree, and all of them."""
    size = int(group.max(initial=-1)) + 1
    counts = np.bincount(group * 3 + made.sign + 1, minlength=3 * size).reshape(size, 3).astype(np.float64)
    segment = np.zeros(size, np.int64)
    segment[group] = made.segment
    many = counts.sum(axis=1)
    kinds = (counts * (counts - 1) / 2).sum(axis=1), many * (many - 1) / 2
    return np.stack([np.bincount(segment, kind, made.segments) for kind in kinds])


def kappas(sums: Floats, chance: str) -> tuple[Floats, Floats, Floats]:
    """(..., 4) sums to agreement, chance and kappa; NaN where there is none."""
    agree, n, ties, decisions = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = agree / n
        tied = ties / decisions
        by_chance = tied**2 + (1 - tied) ** 2 / 2 if chance == "pooled" else np.full_like(share, 1 / 3)
        kappa = np.where(by_chance < 1, (share - by_chance) / (1 - by_chance), np.nan)
    return share, by_chance, kappa
