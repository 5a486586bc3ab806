"""Judgments that stand twice, of one judge on one segment with the same values: kept, dropped or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.wording import pluralise
from rankscope.errors import InputError
from rankscope.kernels.segments import place_in_group
from rankscope.stats.inputs import check_choice

__all__ = ["handle_duplicates"]

DUPLICATES = ("keep", "drop", "refuse")


def handle_duplicates(rankings: Rankings, duplicates: str, name: str) -> Rankings:
    """The judgments, with those that repeat an earlier one kept, dropped or refused, and counted in a note.

    Two judgments are the same where pair, segment and judge are, and the same systems have the same values in every
    column, in whatever order they stand. name: of the file, for notes and errors. Raises InputError, ParameterError.

    >>> from rankscope.data.rankings import Labels
    >>> twice = replace(Rankings.of([{"A": 1, "B": 2}, {"B": 2, "A": 1}]), segment=Labels.of(["7", "7"]))
    >>> found = handle_duplicates(twice, "drop", "it")
    >>> len(found), found.notes
    (1, ('it: 1 judgment repeats an earlier one: dropped',))
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    if not len(rankings):
        return rankings
    # Whole numbers for the values, since NaN is not even itself in a row.
    values = [np.unique(column, return_inverse=True)[1].ravel() for column in rankings.columns.values()]
    item = np.column_stack([rankings.system.codes, *values])
    _, code = np.unique(item, axis=0, return_inverse=True)  # one number an item: its system and all of its values
    code = code.ravel()
    ordered = code[np.lexsort((code, rankings.judgment))]
    lengths = np.diff(rankings.offsets)
    table = np.full((len(rankings), int(lengths.max(initial=0))), -1, np.int64)
    table[rankings.judgment, place_in_group(rankings.offsets)] = ordered
    key = np.column_stack([rankings.pair.codes, rankings.segment.codes, rankings.judge.codes, table])
    _, first, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
    earlier = first[which.ravel()]
    again = np.flatnonzero(earlier != np.arange(len(rankings)))
    if not again.size:
        return rankings
    if duplicates == "refuse":
        i = int(again[0])
        raise InputError(
            f"{name}: judgment {i + 1} (segment {rankings.segment.names[rankings.segment.codes[i]]}) is the same as "
            f"judgment {int(earlier[i]) + 1}, expected each once; remove it, or let repeated ones be kept or dropped "
            '(duplicates="keep" or "drop")'
        )
    said = f"{name}: {pluralise(again.size, 'judgment repeats', 'judgments repeat')} an earlier one: "
    if duplicates == "keep":
        return replace(rankings, notes=(*rankings.notes, f"{said}kept"))
    found = rankings.select(np.setdiff1d(np.arange(len(rankings)), again))
    return replace(found, notes=(*found.notes, f"{said}dropped"))
