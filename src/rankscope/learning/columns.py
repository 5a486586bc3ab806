"""Names of features: those of a table's columns, and whether they are those that a ranker was trained on."""

from __future__ import annotations

from typing import Any

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.learning.matched import match_features

__all__ = ["align_to_training", "column_names", "default_names"]


def default_names(width: int) -> tuple[str, ...]:
    """The names that so many features have where nobody named them."""
    return tuple(str(i + 1) for i in range(width))


def column_names(table: Any, name: str) -> tuple[str, ...]:
    """The names that a data frame (pandas, polars, ...) has for its columns; none where they are no texts, or no frame.

    Raises InputError where some are texts and others are not.
    """
    columns = getattr(table, "columns", None)
    if columns is None or callable(columns):
        return ()
    texts = [isinstance(one, str) for one in columns]
    if any(texts) and not all(texts):
        other = next(one for one, text in zip(columns, texts, strict=True) if not text)
        raise InputError(
            f"{name}: the column {other!r} has no text for a name, and others have; expected all alike, as by "
            "X.columns = X.columns.astype(str)"
        )
    return tuple(str(one) for one in columns) if all(texts) else ()


def align_to_training(features: Features, names: tuple[str, ...], who: str) -> Features:
    """With the features of these names, in this order: found by name where both have names, else taken by place.

    names: those that were trained on. who: of these, as "the model was trained on". Raises InputError for another
    number of features, and for names that are missing.
    """
    width = features.values.shape[1]
    named = features.names != default_names(width) and names != default_names(len(names))
    if named or set(features.names) == set(names):
        return match_features(features, names)
    if width != len(names):
        raise InputError(f"{features.name}: {width} features, and {who} {len(names)}; expected the same")
    return features
