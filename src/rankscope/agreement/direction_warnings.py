"""Warnings about scores whose direction may be wrong: named like error rates, or strongly against people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.error_names import is_error_name
from rankscope.data.text import join_names
from rankscope.typing import Floats

__all__ = [
    "direction_notes",
]


#: How far a statistic is on the way from its value by chance to its worst value, from 0 to 1, for a warning.
STRONG = 0.5


def direction_notes(
    metrics: Sequence[str], higher: Sequence[str], values: Floats, *, chance: float, gold: str | None = None
) -> list[str]:
    """Notes on metrics whose name or value suggests that the other direction is better.

    Parameters
    ----------
    metrics
        Names of the metrics.
    higher
        The names that were read as higher is better.
    values
        Values of a statistic with its sign, (metrics) or (metrics, pairs).
    chance
        Value of the statistic by chance: 0.5 for an accuracy, 0 for a correlation.
    gold
        Name of the human scores, if their direction may be wrong instead.

    Examples
    --------
    >>> direction_notes(["BLEU", "TER"], ["BLEU", "TER"], np.array([0.8, -0.9]), chance=0.0)
    ['TER disagrees with people (-0.9000); higher is read as better: if lower is better, use --lower TER']
    >>> direction_notes(["WER"], ["WER"], np.array([0.3]), chance=0.0)
    ['WER is named like an error rate, but higher is read as better: if lower is better, use --lower WER']
    """
    table = values.reshape(len(metrics), -1)
    worst = chance - STRONG * (0.5 if chance else 1.0)
    against = {
        name: float(row[~np.isnan(row)].mean())
        for name, row in zip(metrics, table, strict=True)
        if not np.isnan(row).all() and row[~np.isnan(row)].mean() <= worst
    }
    if gold is not None and len(against) == len(metrics) > 1:
        assumed, opposite = ("higher", "lower") if gold in higher else ("lower", "higher")
        return [
            f"all metrics disagree with people; {assumed} {gold} is read as better: if {opposite} is better, use "
            f"--{opposite} {gold}"
        ]
    notes = []
    for name, value in against.items():
        assumed, opposite = ("higher", "lower") if name in higher else ("lower", "higher")
        notes.append(
            f"{name} disagrees with people ({value:.4f}); {assumed} is read as better: if {opposite} is better, use "
            f"--{opposite} {name}"
        )
    error_rates = [name for name in metrics if name in higher and name not in against and is_error_name(name)]
    if error_rates:
        phrase = "is named like an error rate" if len(error_rates) == 1 else "are named like error rates"
        notes.append(
            f"{join_names(error_rates)} {phrase}, but higher is read as better: if lower is better, use "
            f"--lower {','.join(error_rates)}"
        )
    return notes
