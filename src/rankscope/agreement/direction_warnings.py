"""Warnings about scores whose direction may be wrong: named as error rates are, or strongly against people."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rankscope.data.text import join_names
from rankscope.typing import Floats

__all__ = [
    "direction_notes",
]


#: Error rates of translation and of speech, in whatever case, with words behind them (TER-refA).
ERRORS = re.compile(r"([hcmpsw]?ter[pm]?|[cmpsw]er|cder|charac?ter|tercom|inv-?wer|errors?)($|[^a-z])", re.I)
#: A statistic so much nearer to its worst value than to that of chance, from 0 to 1.
STRONG = 0.5


def direction_notes(
    metrics: Sequence[str], higher: Sequence[str], values: Floats, *, chance: float, gold: str | None = None
) -> list[str]:
    """Sentences that ask whether lower is better, where name or value of a metric let one think so.

    higher: the names of which higher was taken as better. values: (metrics) or (metrics, pairs) of a statistic, with
    its sign; chance: what a coin has of it, 0.5 of an accuracy, 0 of correlations. gold: what people's scores are
    called, where these could be the ones, too.

    >>> direction_notes(["BLEU", "TER"], ["BLEU", "TER"], np.array([0.8, -0.9]), chance=0.0)
    ['TER disagrees with people (-0.9000), and higher is taken as better in it: is lower better? --lower TER']
    >>> direction_notes(["WER"], ["WER"], np.array([0.3]), chance=0.0)
    ['WER is called as an error rate is, and higher is taken as better in it: is lower better? --lower WER']
    """
    table = values.reshape(len(metrics), -1)
    worst = chance - STRONG * (0.5 if chance else 1.0)
    against = {
        name: float(row[~np.isnan(row)].mean())
        for name, row in zip(metrics, table, strict=True)
        if not np.isnan(row).all() and row[~np.isnan(row)].mean() <= worst
    }
    if gold is not None and len(against) == len(metrics) > 1:
        up, other = ("higher", "lower") if gold in higher else ("lower", "higher")
        return [
            f"all metrics disagree with people, for whom {up} {gold} is taken as better: is {other} better? "
            f"--{other} {gold}"
        ]
    notes = []
    for name, value in against.items():
        up, other = ("higher", "lower") if name in higher else ("lower", "higher")
        notes.append(
            f"{name} disagrees with people ({value:.4f}), and {up} is taken as better in it: is {other} better? "
            f"--{other} {name}"
        )
    called = [name for name in metrics if name in higher and name not in against and ERRORS.match(name)]
    if called:
        said, them = ("is called as an error rate is", "it")
        if len(called) > 1:
            said, them = ("are called as error rates are", "them")
        notes.append(
            f"{join_names(called)} {said}, and higher is taken as better in {them}: is lower better? "
            f"--lower {','.join(called)}"
        )
    return notes
