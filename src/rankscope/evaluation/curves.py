"""Curves over the list: precision at levels of recall, and nDCG by cutoff."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.data.scores import Scores
from rankscope.data.section import Figure, Section

__all__ = [
    "curve_measures",
    "curve_sections",
]


LEVELS = tuple(i / 10 for i in range(11))
RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100)


def precision_name(level: float) -> str:
    """The measure at a level of recall."""
    return f"IPrec@{level}"


def gain_name(rank: int) -> str:
    """The measure at a cutoff."""
    return f"nDCG@{rank}"


def curve_measures() -> list[str]:
    """The measures that `curve_sections` needs."""
    return [*map(precision_name, LEVELS), *map(gain_name, RANKS)]


def curve_sections(scores: Scores) -> list[Section]:
    """Interpolated precision by recall and nDCG by cutoff, as means over queries; missing measures are skipped."""
    sections = []
    data: dict[str, Any]
    if precision_name(0.0) in scores.measure_names:
        precision = np.stack([scores.summary(precision_name(level)) for level in LEVELS], axis=1)
        data = {"systems": scores.systems, "levels": LEVELS, "precision": tuple(map(tuple, precision.tolist()))}
        sections.append(
            Section(
                title="Precision by recall",
                sentence="Interpolated precision at each level of recall.",
                figure=Figure("precision_recall", data),
                folded=True,
            )
        )
    if gain_name(1) in scores.measure_names:
        gain = np.stack([scores.summary(gain_name(rank)) for rank in RANKS], axis=1)
        data = {"systems": scores.systems, "ranks": RANKS, "gain": tuple(map(tuple, gain.tolist())), "measure": "nDCG"}
        sections.append(
            Section(
                title="nDCG by cutoff",
                sentence="nDCG by how many documents of the list count.",
                figure=Figure("gain_curve", data),
                folded=True,
            )
        )
    return sections
