"""Of each feature, where in its list a document stands by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.data.features import Features
from rankscope.learning.blend_scores import fractional_rank

__all__ = ["with_list_ranks", "column_count"]

#: What the rank by a feature is called, after the feature's name.
SUFFIX = " (rank)"


def with_list_ranks(features: Features) -> Features:
    """The features and, behind them, of each the rank within the list: in [0, 1], the share of the list's other
    documents whose value is lower, ties as halves; 0 of a document alone.

    >>> found = with_list_ranks(Features.of([[5.0], [9.0], [5.0], [1.0]], sizes=[3, 1]))
    >>> found.values.tolist(), found.names
    ([[5.0, 0.25], [9.0, 1.0], [5.0, 0.25], [1.0, 0.0]], ('1', '1 (rank)'))
    """
    values = features.values
    columns = [fractional_rank(values[:, j].astype(np.float64), features.offsets) for j in range(values.shape[1])]
    table = np.column_stack([values, *(one.astype(values.dtype) for one in columns)])
    return replace(features, values=table, names=(*features.names, *rank_names(features.names)), where=None)


def column_count(features: int, ranks: bool) -> int:
    """How many columns a model sees of so many features."""
    return 2 * features if ranks else features


def rank_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of ranks, none of which is that of a feature."""
    known, found = {*names}, []
    for name in names:
        own = name + SUFFIX
        while own in known:
            own += SUFFIX
        known.add(own)
        found.append(own)
    return tuple(found)
