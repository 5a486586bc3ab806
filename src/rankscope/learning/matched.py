"""Features in the order of those that a model was trained on, found by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.data.features import Features
from rankscope.data.wording import counted, listed
from rankscope.errors import InputError

__all__ = ["match_features"]


def match_features(features: Features, names: Sequence[str]) -> Features:
    """The features of these names, in this order: what `Ranker.predict`, which goes by place, is to be given.

    names: those that the model was trained on, its `feature_names_`. Where all are numbers, as in LETOR's files, a
    file leaves out what is 0: features that are missing are 0, with a note, and others are refused. Where they are
    words, all must be there, and others are left out, with a note.

    Raises InputError, naming the features, for those that are missing or too many.

    >>> test = Features.of([[1.0, 2.0, 3.0]], names=("age", "bm25", "clicks"))
    >>> found = match_features(test, ("clicks", "bm25"))
    >>> found.values.tolist(), found.notes
    ([[3.0, 2.0]], ("features: 'age' left out: the model was not trained on it",))
    """
    names = tuple(names)
    if features.names == names:
        return features
    places = {name: i for i, name in enumerate(features.names)}
    known = set(names)
    beyond = [name for name in features.names if name not in known]
    missing = [name for name in names if name not in places]
    numbered = all(name.isdecimal() for name in names)
    if beyond and numbered:
        raise InputError(
            f"{features.name}: {counted(len(places), 'feature')}, {listed(map(repr, beyond))} among them, and the "
            f"model was trained on {len(names)}, {names[0]!r} to {names[-1]!r}; score data with the same features"
        )
    if missing and not numbered:
        raise InputError(
            f"{features.name}: no feature {listed(map(repr, missing))} among {listed(map(repr, places))}, and the "
            f"model was trained on {'it' if len(missing) == 1 else 'them'}; score a table with all {len(names)} columns"
        )
    notes = []
    if beyond:
        them = "it" if len(beyond) == 1 else "them"
        notes.append(f"{features.name}: {listed(map(repr, beyond))} left out: the model was not trained on {them}")
    if missing:
        notes.append(
            f"{features.name}: {counted(len(missing), 'feature')} of the {len(names)} that the model was trained on "
            f"stand on no line and are taken for 0 ({listed(map(repr, missing))})"
        )
    values = np.zeros((len(features), len(names)), features.values.dtype)
    here = [i for i, name in enumerate(names) if name in places]
    values[:, here] = features.values[:, [places[names[i]] for i in here]]
    return replace(features, values=values, names=names, notes=(*features.notes, *notes), where=None)
