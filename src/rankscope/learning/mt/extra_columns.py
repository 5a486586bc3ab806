"""Features of one's own: scores of metrics, in the order of the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rankscope.data.segment_scores import SegmentScores, positions_among
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.typing import Floats

__all__ = ["broadcast_columns", "column_of_scores"]


def column_of_scores(scores: SegmentScores, pair: str, systems: Sequence[str], segments: int) -> Floats:
    """(systems, segments) what a metric says of each output. Segments are named 1, 2, ... there.

    Scores of another pair are left out; where either side has no name of a pair, and there is one, it is taken.
    Raises InputError where the metric lacks the pair, a system, or a score.

    >>> from rankscope.data.segment_scores import PairScores
    >>> scores = SegmentScores("COMET", {"de-en": PairScores.of({"B": [0.5, 0.2], "A": [0.4, 0.3]})})
    >>> column_of_scores(scores, "de-en", ["A", "B"], 2).tolist()
    [[0.4, 0.3], [0.5, 0.2]]
    """
    there = scores.pairs
    if pair in there:
        found = there[pair]
    elif len(there) == 1 and "" in (pair, *there):
        found = next(iter(there.values()))
    else:
        raise InputError(
            f"scores of {scores.metric}: none of {pair or 'a pair without name'}, but of {join_names(there)}"
        )
    rows = positions_among(systems, found.systems)
    if (rows < 0).any():
        absent = join_names(name for name, row in zip(systems, rows.tolist(), strict=True) if row < 0)
        raise InputError(f"scores of {scores.metric}: none of {absent}; there are those of {join_names(found.systems)}")
    columns = positions_among([str(i + 1) for i in range(segments)], found.segments)
    values = np.where(columns >= 0, found.values[rows][:, columns], np.nan)
    if np.isnan(values).any():
        system, segment = np.argwhere(np.isnan(values))[0].tolist()
        missing = pluralise(int(np.isnan(values).sum()), "output has", "outputs have")
        raise InputError(
            f"scores of {scores.metric}: {missing} none, first {systems[system]}, segment {segment + 1}; a feature "
            "needs one for each output"
        )
    return values


def broadcast_columns(
    extra: Mapping[str, npt.ArrayLike], shape: tuple[int, int], taken: Mapping[str, object]
) -> dict[str, Floats]:
    """Columns as (systems, segments); of (segments) alone, for every system the same. taken: names they may not have.

    Raises InputError.
    """
    found = {}
    for name, values in extra.items():
        given = np.asarray(values, np.float64)
        if given.shape not in (shape, shape[1:]):
            raise InputError(f"column {name!r} of shape {given.shape}, expected {shape}: systems, segments")
        if name in taken:
            raise InputError(f"column {name!r} has the name of a feature that is found here; rename it")
        found[name] = np.broadcast_to(given, shape)
    return found
