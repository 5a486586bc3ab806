"""Features for rankers: checked, and in the order of those that a model was trained on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.letor import read_features
from rankscope.typing import Ints

__all__ = [
    "align_to_training",
    "as_features",
    "column_names",
    "default_names",
    "documents_to_score",
    "informative_lists",
    "match_features",
    "match_file",
    "negative_grade_notes",
    "validation_features",
]


def default_names(width: int) -> tuple[str, ...]:
    """The names of features without names of their own: "1", "2", ..."""
    return tuple(str(i + 1) for i in range(width))


def column_names(table: Any, name: str) -> tuple[str, ...]:
    """The column names of a data frame (pandas, polars, ...); none where they are no texts, or it is no frame.

    Raises InputError where some are texts and others are not.
    """
    columns = getattr(table, "columns", None)
    if columns is None or callable(columns):
        return ()
    is_text = [isinstance(column, str) for column in columns]
    if any(is_text) and not all(is_text):
        untitled = next(column for column, has_text in zip(columns, is_text, strict=True) if not has_text)
        raise InputError(
            f"{name}: the name of the column {untitled!r} is not a text, and those of others are; make all texts, as "
            "by X.columns = X.columns.astype(str)"
        )
    return tuple(str(column) for column in columns) if all(is_text) else ()


def align_to_training(features: Features, names: tuple[str, ...], subject: str) -> Features:
    """Put features into the order of these names: by name where both have names, else by position.

    names: of training. subject: of the message about them, as "the model was trained on". Raises InputError for another
    number of features, and for names that are missing.
    """
    width = features.values.shape[1]
    both_named = features.names != default_names(width) and names != default_names(len(names))
    if both_named or set(features.names) == set(names):
        return match_features(features, names)
    if width != len(names):
        raise InputError(f"{features.name}: {width} features, and {subject} {len(names)}; expected the same")
    return features


def match_features(features: Features, names: Sequence[str]) -> Features:
    """The features of these names, in this order, as a trained ranker needs them.

    Parameters
    ----------
    features
        The features to match.
    names
        The names of the features that the model was trained on, its `feature_names_`.

    Returns
    -------
    Features
        The matched features, with a note on those that were skipped or set to 0.

    Raises
    ------
    InputError
        Features are missing, or the model does not know some of them.

    Notes
    -----
    If all names are numbers, as in files of LETOR, which omit zeros, missing features are 0 and unknown ones are an
    error. If they are words, all must be there, unknown ones are skipped, and an empty column is 0.

    Examples
    --------
    >>> test = Features.of([[1.0, 2.0, 3.0]], names=("age", "bm25", "clicks"))
    >>> matched = match_features(test, ("clicks", "bm25"))
    >>> matched.values.tolist(), matched.notes
    ([[3.0, 2.0]], ("features: 'age' skipped: the model was not trained on it",))
    """
    names = tuple(names)
    if features.names == names:
        return features
    present_names = {*features.names}
    trained_names = set(names)
    extra = [name for name in features.names if name not in trained_names]
    empty = [name for name in names if name not in present_names and name in features.empty]
    missing = [name for name in names if name not in present_names and name not in features.empty]
    is_numbered = all(name.isdecimal() for name in names)
    if extra and is_numbered:
        raise InputError(
            f"{features.name}: {pluralise(len(present_names), 'feature')}, {join_names(map(repr, extra))} among them, "
            f"and the model was trained on {len(names)}, {names[0]!r} to {names[-1]!r}; score data with the same "
            "features"
        )
    if missing and not is_numbered:
        raise InputError(
            f"{features.name}: no feature {join_names(map(repr, missing))} among "
            f"{join_names(map(repr, features.names))}, and "
            f"the model was trained on {'it' if len(missing) == 1 else 'them'}; score a table with all {len(names)} "
            "columns"
        )
    notes = []
    if extra:
        pronoun = "it" if len(extra) == 1 else "them"
        notes.append(f"{features.name}: {join_names(map(repr, extra))} skipped: the model was not trained on {pronoun}")
    if missing:
        notes.append(
            f"{features.name}: {len(missing)} of the {pluralise(len(names), 'feature')} that the model was trained on "
            f"{'is' if len(missing) == 1 else 'are'} on no line and set to 0 ({join_names(map(repr, missing))})"
        )
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        notes.append(
            f"{features.name}: {join_names(map(repr, empty))} {verb} no number on any line and "
            f"{'is' if len(empty) == 1 else 'are'} set to 0: the model was trained on "
            f"{'it' if len(empty) == 1 else 'them'}"
        )
    arranged = features.select_features(names)
    return replace(arranged, notes=(*features.notes, *notes), where=None)


def match_file(path: str | os.PathLike[str], features: Features, names: Sequence[str]) -> Features:
    """`match_features` for features from a file: errors name the line, where lines have feature numbers.

    The file is read again for that, since only a reader knows its lines, but not standard input.
    Raises InputError.
    """
    try:
        return match_features(features, names)
    except InputError as error:
        is_numbered = tuple(names) == tuple(map(str, range(1, len(names) + 1)))
        if os.fspath(path) != "-" and is_numbered and features.names[-1].isdecimal():
            try:
                read_features(path, n_features=len(names), relevance="optional")
            except InputError as line_error:
                location, separator, _ = str(line_error).partition(": feature ")
                if separator:
                    raise InputError(f"{location}: {str(error).partition(': ')[2]}") from None
        raise


def as_features(data: Any, grades: Any, queries: Any, sizes: Any, name: str) -> Features:
    """Training or validation data in any of the forms that `fit` takes."""
    if isinstance(data, Features):
        if grades is not None or queries is not None or sizes is not None:
            raise ParameterError(f"{name}: Features know their grades and queries; leave out y, qid and group")
        return data
    if grades is None:
        raise ParameterError(f"{name}: y is missing, expected a grade for each document")
    if queries is None and sizes is None:
        raise ParameterError(f"{name}: the queries are missing; give qid (one per document) or group (sizes)")
    grades = as_numbers(grades, f"{name}: y", "a grade for each document")
    if grades.ndim == 2 and grades.shape[1] == 1:  # one column of a table
        grades = grades[:, 0]
    if sizes is not None:
        sizes = as_numbers(sizes, f"{name}: group", "the size of each group").ravel()
    table = as_numbers(data, f"{name}: X", "a row for each document, a column for each feature")
    return Features.of(table, grades, queries, sizes=sizes, name=name, names=column_names(data, name))


def as_numbers(data: Any, name: str, expected: str) -> npt.NDArray[Any]:
    """The data as an array of numbers. Raises InputError for texts, and rows of different lengths."""
    try:
        array = np.asarray(data)
        return array if array.dtype.kind in "fiub" else array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not a table of numbers, expected {expected}") from None


def validation_features(eval_set: Any, queries: Any, sizes: Any) -> Features | None:
    """The features in `eval_set`: Features, (X, y), (X, y, qid), or a list of one of them, as in LightGBM."""
    name = "validation data"
    if eval_set is None:
        return None
    if isinstance(eval_set, list):
        if len(eval_set) != 1:
            raise ParameterError(f"eval_set holds {len(eval_set)} sets, expected one")
        eval_set = eval_set[0]
        queries, sizes = (
            argument[0] if isinstance(argument, list) and len(argument) == 1 else argument
            for argument in (queries, sizes)
        )
    if isinstance(eval_set, Features):
        return as_features(eval_set, None, queries, sizes, name)
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise ParameterError("eval_set is not a pair of X and y, expected (X, y) with eval_qid, or (X, y, qid)")
    if len(eval_set) == 3:
        return as_features(eval_set[0], eval_set[1], eval_set[2], sizes, name)
    return as_features(eval_set[0], eval_set[1], queries, sizes, name)


def documents_to_score(data: Any, queries: Any = None, sizes: Any = None, *, needs_lists: bool = False) -> Features:
    """Documents for prediction, without grades, from any form that `predict` takes.

    Parameters
    ----------
    data
        `Features`, or a table with one row per document.
    queries, sizes
        The query of each row, or the sizes of the lists, as in `fit`. Rankers that do not use lists only check them.
    needs_lists
        Whether the ranker uses whole lists, so that queries or sizes are required.

    Returns
    -------
    Features
        The documents; `in_given_order` puts scores back into the order of the data.

    Raises
    ------
    ParameterError
        Queries or sizes are given for `Features`, which know their queries; or they are required and missing.
    """
    if isinstance(data, Features):
        if queries is not None or sizes is not None:
            raise ParameterError("features: Features know their queries; leave out qid and group")
        return data
    if needs_lists and queries is None and sizes is None:
        raise ParameterError(
            "features: the queries are missing, and this ranker uses whole lists; give qid (one per document) or "
            "group (sizes)"
        )
    table = as_numbers(data, "features: X", "a row for each document")
    if sizes is not None:
        sizes = as_numbers(sizes, "features: group", "the size of each group").ravel()
    return Features.of(table, None, queries, sizes=sizes, names=column_names(data, "features"))


def negative_grade_notes(features: Features) -> list[str]:
    """A note on documents with grades below 0, which in judgments mean pooled, but not judged."""
    n_negative = int((features.relevance < 0).sum())
    if not n_negative:
        return []
    verb = "has a grade" if n_negative == 1 else "have grades"
    return [
        f"{features.name}: {n_negative:,} of {pluralise(len(features), 'document')} {verb} below 0, which elsewhere "
        "mean pooled, but not judged; rankers learn that such documents are worse than those of grade 0: remove their "
        "lines if nobody judged them"
    ]


def informative_lists(features: Features) -> Ints:
    """The lists whose documents are not all of one grade. Raises InputError where there is none."""
    starts = features.offsets[:-1]
    is_informative = np.maximum.reduceat(features.relevance, starts) > np.minimum.reduceat(features.relevance, starts)
    if not is_informative.any():
        raise InputError(
            f"{features.name}: the documents of every query have one grade, so there is nothing to learn from; "
            "expected two or more grades in some query"
        )
    return np.flatnonzero(is_informative)
