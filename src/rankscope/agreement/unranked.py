"""Items that a person left out of a ranking: -1 says so, which is no rank, and least of all the best one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.wording import pluralise
from rankscope.errors import InputError
from rankscope.typing import Bools

__all__ = ["NOT_RANKED", "not_ranked", "ranked_only", "refuse_item"]

#: What data say of an item that a person left out ("not ranked").
NOT_RANKED = -1


def not_ranked(rankings: Rankings, gold: str) -> Bools:
    """(items) those to which people gave no rank: NaN, or -1. Raises InputError for another rank below 0."""
    values = rankings.column(gold)
    below = (values < 0) & (values != NOT_RANKED)
    if below.any():
        refuse_item(
            rankings,
            int(np.flatnonzero(below)[0]),
            gold,
            "expected a rank of at least 0, or -1 for not ranked; correct it, or say that higher is better if these "
            "are scores (--higher)",
        )
    return np.asarray(np.isnan(values) | (values == NOT_RANKED), np.bool_)


def ranked_only(rankings: Rankings, gold: str) -> Rankings:
    """The same with NaN for -1 in people's ranks, counted in a note; scores stay as they are.

    Raises InputError for another rank below 0.

    >>> found = ranked_only(Rankings.of([{"A": -1, "B": 2}]), "rank")
    >>> found.columns["rank"].tolist(), found.notes
    ([nan, 2.0], ('1 item is not ranked (rank is -1) and left out',))
    """
    if gold in rankings.scores:
        return rankings
    values = rankings.column(gold)
    absent = not_ranked(rankings, gold) & ~np.isnan(values)
    if not absent.any():
        return rankings
    found = rankings.with_column(gold, np.where(absent, np.nan, values), score=False)
    said = pluralise(int(absent.sum()), "item is", "items are")
    return replace(found, notes=(*found.notes, f"{said} not ranked ({gold} is -1) and left out"))


def refuse_item(rankings: Rankings, item: int, name: str, expected: str) -> None:
    """Raise InputError for the value of an item, with its judgment, segment and system."""
    judgment = int(rankings.judgment[item])
    value = rankings.columns[name][item]
    said = f"is {value:g}" + (" (not ranked)" if value == NOT_RANKED else "")
    if np.isnan(value):
        said = "has no value"
    raise InputError(
        f"judgment {judgment + 1} (segment {rankings.segment.names[rankings.segment.codes[judgment]]}), system "
        f"{rankings.system.names[rankings.system.codes[item]]!r}: {name} {said}, {expected}"
    )
