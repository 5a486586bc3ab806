"""Features in the order of those that a model was trained on, found by their names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from rankscope.data.features import Features
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.features import read_features

__all__ = ["match_features", "match_file"]


def match_features(features: Features, names: Sequence[str]) -> Features:
    """The features of these names, in this order: what `Ranker.predict`, which goes by place, is to be given.

    names: those that the model was trained on, its `feature_names_`. Where all are numbers, as in LETOR's files, a
    file leaves out what is 0: features that are missing are 0, with a note, and others are refused. Where they are
    words, all must be there, and others are left out, with a note; a column that is there and empty is 0, with a note.

    Raises InputError, naming the features, for those that are missing or too many.

    >>> test = Features.of([[1.0, 2.0, 3.0]], names=("age", "bm25", "clicks"))
    >>> found = match_features(test, ("clicks", "bm25"))
    >>> found.values.tolist(), found.notes
    ([[3.0, 2.0]], ("features: 'age' left out: the model was not trained on it",))
    """
    names = tuple(names)
    if features.names == names:
        return features
    here = {*features.names}
    known = set(names)
    beyond = [name for name in features.names if name not in known]
    empty = [name for name in names if name not in here and name in features.empty]
    missing = [name for name in names if name not in here and name not in features.empty]
    numbered = all(name.isdecimal() for name in names)
    if beyond and numbered:
        raise InputError(
            f"{features.name}: {pluralise(len(here), 'feature')}, {join_names(map(repr, beyond))} among them, and the "
            f"model was trained on {len(names)}, {names[0]!r} to {names[-1]!r}; score data with the same features"
        )
    if missing and not numbered:
        raise InputError(
            f"{features.name}: no feature {join_names(map(repr, missing))} among {join_names(map(repr, features.names))}, and "
            f"the model was trained on {'it' if len(missing) == 1 else 'them'}; score a table with all {len(names)} "
            "columns"
        )
    notes = []
    if beyond:
        them = "it" if len(beyond) == 1 else "them"
        notes.append(f"{features.name}: {join_names(map(repr, beyond))} left out: the model was not trained on {them}")
    if missing:
        notes.append(
            f"{features.name}: {pluralise(len(missing), 'feature')} of the {len(names)} that the model was trained on "
            f"stand on no line and are taken for 0 ({join_names(map(repr, missing))})"
        )
    if empty:
        have = "has" if len(empty) == 1 else "have"
        notes.append(
            f"{features.name}: {join_names(map(repr, empty))} {have} no number on any line and "
            f"{'is' if len(empty) == 1 else 'are'} taken for 0: the model was trained on "
            f"{'it' if len(empty) == 1 else 'them'}"
        )
    found = features.arranged(names)
    return replace(found, notes=(*features.notes, *notes), where=None)


def match_file(path: str | os.PathLike[str], features: Features, names: Sequence[str]) -> Features:
    """The same for features that were read from a file: an error names the line, where lines have numbers.

    The file is read once more for that, since only a reader knows its lines; never standard input, which is gone.
    Raises InputError.
    """
    try:
        return match_features(features, names)
    except InputError as error:
        numbered = tuple(names) == tuple(map(str, range(1, len(names) + 1)))
        if os.fspath(path) != "-" and numbered and features.names[-1].isdecimal():
            try:
                read_features(path, n_features=len(names), relevance="optional")
            except InputError as found:
                place, known, _ = str(found).partition(": feature ")
                if known:
                    raise InputError(f"{place}: {str(error).partition(': ')[2]}") from None
        raise
