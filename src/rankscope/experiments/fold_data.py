"""Folds as features: each file read once, all with the same features, cut into what is trained on and tested on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.wording import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.fold_files import MIN_PARTS, find_folds
from rankscope.io.features import read_features
from rankscope.kernels.segments import bounds
from rankscope.typing import PathLike

__all__ = ["Fold", "FoldSet", "join_features", "read_folds", "source_files", "without_features"]

#: Into so many folds the queries of one file are cut.
DEFAULT_FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Fold:
    """train: one or more parts, put together when they are needed."""

    name: str
    train: tuple[Features, ...]
    valid: Features
    test: Features

    def training_data(self) -> Features:
        """All that is trained on."""
        return join_features(self.train, f"training data of {self.name}")


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldSet:
    """name: what they were made from. how: how they were cut, for the signature. notes: what a reader should know."""

    name: str
    how: str
    folds: tuple[Fold, ...]
    notes: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.folds[0].test.names

    @property
    def max_grade(self) -> int:
        """The highest of all."""
        return max(int(part.relevance.max()) for fold in self.folds for part in (*fold.train, fold.valid, fold.test))


def read_folds(
    source: PathLike | Features,
    *,
    folds: int | None = None,
    rng: int = 0,
    cache: bool = False,
    progress: Callable[[int], Any] | None = None,
) -> FoldSet:
    """A folder with folds, or one file or Features whose queries are cut into folds at random, equal for equal `rng`.

    folds: how many the queries are cut into, at least 3, default 5; a folder has its own. cache, progress: as
    `read_features` has them. Raises InputError for files that are missing or do not fit, ParameterError for arguments.
    """
    if isinstance(source, Features):
        return cut_folds(
            without_texts(source), source.name, DEFAULT_FOLDS if folds is None else folds, rng, source.notes
        )
    path = Path(source)
    if not os.path.isdir(path):
        found = read_features(source, cache=cache or None, progress=progress)
        return cut_folds(without_texts(found), found.name, DEFAULT_FOLDS if folds is None else folds, rng, found.notes)
    if folds is not None:
        raise ParameterError(f"folds is {folds}, and {path} is a folder, which has its own; leave folds out")
    files = find_folds(path)
    paths = dict.fromkeys(one for fold in files for one in (*fold.train, fold.valid, fold.test))
    read = {one: read_features(one, cache=cache or None, progress=progress) for one in paths}
    notes = tuple(note for found in read.values() for note in found.notes)
    notes += tuple(note for path, part in read.items() for note in empty_column_notes(path, part, read.values()))
    fitted = dict(zip(read, align_parts([without_texts(found) for found in read.values()], list(read)), strict=True))
    made = tuple(
        Fold(name=fold.name, train=tuple(fitted[p] for p in fold.train), valid=fitted[fold.valid],
             test=fitted[fold.test])
        for fold in files
    )  # fmt: skip
    return FoldSet(
        name=path.resolve().name,
        how=str(len(made)),
        folds=made,
        notes=(*notes, *shared_query_notes(made), *same_test_notes(made)),
    )


def empty_column_notes(path: Path, part: Features, parts: Iterable[Features]) -> list[str]:
    """A note on columns that hold no number in one file and some in another."""
    others = {name for one in parts for name in one.names}
    return [
        f"{path.name}: {name!r} has no number on any line and is taken for 0" for name in part.empty if name in others
    ]


def source_files(source: PathLike) -> list[str]:
    """The files that will be read. Raises InputError where a folder has no folds."""
    path = Path(source)
    if not os.path.isdir(path):
        return [str(source)]
    return list(dict.fromkeys(str(one) for fold in find_folds(path) for one in (*fold.train, fold.valid, fold.test)))


def without_texts(features: Features) -> Features:
    """Without texts, which nobody learns from and which take long to send to a worker."""
    return replace(features, doc_ids=None, comments=None, order=None, notes=(), where=None)


def cut_folds(features: Features, name: str, folds: int, rng: int, notes: Sequence[str]) -> FoldSet:
    """Queries dealt out at random into parts of equal size; each part is tested on once and validated on once."""
    good = isinstance(folds, (int, np.integer)) and not isinstance(folds, bool) and folds >= MIN_PARTS
    if not good:
        raise ParameterError(
            f"folds is {folds!r}, expected a whole number of at least {MIN_PARTS}: one part is tested on, one validated "
            "on, the others are trained on"
        )
    n = len(features.query_ids)
    if n < folds:
        raise InputError(f"{name}: {pluralise_queries(n)}, expected at least as many as folds, which are {folds}")
    dealt = np.random.default_rng(rng).permutation(n)
    parts = [
        replace(features.select(np.sort(part)), name=f"part {k + 1} of {name}", where=None)
        for k, part in enumerate(np.array_split(dealt, folds))
    ]
    made = []
    for k in range(folds):
        *train, valid, test = parts[k:] + parts[:k]
        made.append(Fold(name=f"Fold{k + 1}", train=tuple(train), valid=valid, test=test))
    return FoldSet(name=name, how=f"{folds},cut at random", folds=tuple(made), notes=tuple(notes))


def align_parts(parts: Sequence[Features], paths: Sequence[Path]) -> list[Features]:
    """All with the same features: a file that leaves out the last numbers, or orders names otherwise, is put right.

    Raises InputError where names differ.
    """
    names = list(dict.fromkeys(name for part in parts for name in part.names))
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    else:
        for part, path in zip(parts, paths, strict=True):
            absent = [name for name in names if name not in part.names and name not in part.empty]
            if absent:
                raise InputError(f"{path}: no feature {join_names(absent)}, which other files have; expected the same")
    return [with_columns(part, tuple(names)) for part in parts]


def with_columns(part: Features, names: tuple[str, ...]) -> Features:
    """With these features in this order; zeros for those that are not there."""
    if part.names == names:
        return part
    place = {name: i for i, name in enumerate(names)}
    values = np.zeros((len(part), len(names)), part.values.dtype)
    values[:, [place[name] for name in part.names]] = part.values
    return replace(part, values=values, names=names, where=None)


def join_features(parts: Sequence[Features], name: str) -> Features:
    """The queries of several, one after the other. All must have the same features.

    Where queries of two parts have one name, all are named by the place of their part, too: they may be different ones.
    """
    if len(parts) == 1:
        return parts[0]
    names = [query for part in parts for query in part.query_ids]
    if len(set(names)) < len(names):
        names = [f"{place}:{query}" for place, part in enumerate(parts, 1) for query in part.query_ids]
    return Features(
        values=np.concatenate([part.values for part in parts]),
        relevance=np.concatenate([part.relevance for part in parts]),
        offsets=bounds(np.concatenate([np.diff(part.offsets) for part in parts])),
        query_ids=tuple(names),
        names=parts[0].names,
        name=name,
    )


def shared_query_notes(folds: Sequence[Fold]) -> list[str]:
    """A note where queries of the test lists have the ids of queries that the ranker saw."""
    notes = []
    for fold in folds:
        seen = {query for part in (*fold.train, fold.valid) for query in part.query_ids}
        both = sum(query in seen for query in fold.test.query_ids)
        if both:
            notes.append(
                f"{fold.name}: {pluralise(both, 'query id', 'query ids')} of the test lists stand in the training or "
                "validation lists, too; if these are the same queries, the test is no test"
            )
    return notes


def same_test_notes(folds: Sequence[Fold]) -> list[str]:
    """A note where folds have one and the same test lists."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for fold in folds:
        test = fold.test
        key = (test.query_ids, test.offsets.tobytes(), test.relevance.tobytes(), test.values.tobytes())
        found.setdefault(key, []).append(fold.name)
    return [
        f"{join_names(names)} have the same test lists: each of their queries counts {len(names)} times, as if there were "
        "as many, and differences look surer than they are"
        for names in found.values()
        if len(names) > 1
    ]


def without_features(fold: Fold, left_out: Sequence[str]) -> Fold:
    """A fold whose lists lack these features."""
    if not left_out:
        return fold
    names = [name for name in fold.test.names if name not in set(left_out)]
    return Fold(
        name=fold.name,
        train=tuple(part.arranged(names) for part in fold.train),
        valid=fold.valid.arranged(names),
        test=fold.test.arranged(names),
    )
