"""What `fit` and `predict` are given, in any of its forms, as Features."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.learning.columns import column_names

__all__ = ["as_features", "documents_to_score", "validation_features"]


def as_features(data: Any, grades: Any, queries: Any, sizes: Any, name: str) -> Features:
    """Training or validation data in any of the forms that `fit` takes."""
    if isinstance(data, Features):
        if grades is not None or queries is not None or sizes is not None:
            raise ParameterError(f"{name}: Features know their grades and queries; leave y, qid and group out")
        return data
    if grades is None:
        raise ParameterError(f"{name}: y is missing, expected a grade for each document")
    if queries is None and sizes is None:
        raise ParameterError(f"{name}: the queries are missing; give qid (one a document) or group (sizes)")
    grades = as_numbers(grades, f"{name}: y", "a grade for each document")
    if grades.ndim == 2 and grades.shape[1] == 1:  # a column of a table
        grades = grades[:, 0]
    if sizes is not None:
        sizes = as_numbers(sizes, f"{name}: group", "the size of each group").ravel()
    table = as_numbers(data, f"{name}: X", "a row for each document, a column for each feature")
    return Features.of(table, grades, queries, sizes=sizes, name=name, names=column_names(data, name))


def as_numbers(given: Any, name: str, expected: str) -> npt.NDArray[Any]:
    """What is given as an array of numbers. Raises InputError for texts, and rows of different lengths."""
    try:
        found = np.asarray(given)
        return found if found.dtype.kind in "fiub" else found.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no table of numbers, expected {expected}") from None


def validation_features(eval_set: Any, queries: Any, sizes: Any) -> Features | None:
    """What `eval_set` holds: Features, (X, y), (X, y, qid), or a list of one of them, as LightGBM takes it."""
    name = "validation data"
    if eval_set is None:
        return None
    if isinstance(eval_set, list):
        if len(eval_set) != 1:
            raise ParameterError(f"eval_set holds {len(eval_set)} sets, expected one")
        eval_set = eval_set[0]
        queries, sizes = (one[0] if isinstance(one, list) and len(one) == 1 else one for one in (queries, sizes))
    if isinstance(eval_set, Features):
        return as_features(eval_set, None, queries, sizes, name)
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise ParameterError("eval_set is no pair of X and y, expected (X, y) with eval_qid, or (X, y, qid)")
    if len(eval_set) == 3:
        return as_features(eval_set[0], eval_set[1], eval_set[2], sizes, name)
    return as_features(eval_set[0], eval_set[1], queries, sizes, name)


def documents_to_score(given: Any, queries: Any = None, sizes: Any = None, *, lists: bool = False) -> Features:
    """Documents whose grades need not be known, in any of the forms that `predict` takes.

    queries, sizes: as in `fit`, for rankers that look at the other documents of a list; of the others, they are checked
    and change nothing. lists: whether they must be there. `in_given_order` of what is returned puts scores back.
    Raises ParameterError where Features, which know their queries, come with one of them, and where they are missing.
    """
    if isinstance(given, Features):
        if queries is not None or sizes is not None:
            raise ParameterError("features: Features know their queries; leave qid and group out")
        return given
    if lists and queries is None and sizes is None:
        raise ParameterError(
            "features: the queries are missing, and this ranker looks at whole lists; give qid (one a document) or "
            "group (sizes)"
        )
    table = as_numbers(given, "features: X", "a row for each document")
    if sizes is not None:
        sizes = as_numbers(sizes, "features: group", "the size of each group").ravel()
    return Features.of(table, None, queries, sizes=sizes, names=column_names(given, "features"))
