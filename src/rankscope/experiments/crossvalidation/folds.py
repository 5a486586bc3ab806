"""Folds of a data set: their files, and their lists as features."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, SettingError
from rankscope.io.core import columns_of, with_columns
from rankscope.io.letor import read_features
from rankscope.kernels.segments import bounds
from rankscope.learning.features import negative_grade_notes
from rankscope.typing import PathLike

__all__ = [
    "Fold",
    "FoldFiles",
    "FoldSet",
    "find_folds",
    "join_features",
    "read_folds",
    "source_files",
    "without_features",
]


FOLD_NAME = re.compile(r"fold[ _.-]?(\d+)", re.IGNORECASE)
PART_NAME = re.compile(r"s[ _.-]?(\d+)", re.IGNORECASE)
#: Names of the files of a fold, without suffixes, in lower case.
FILE_NAMES = {
    "train": ("train", "trainingset", "training"),
    "valid": ("vali", "valid", "validationset", "validation"),
    "test": ("test", "testset", "testing"),
}
ENDINGS = {".txt", ".dat", ".csv", ".tsv", ".jsonl", ".parquet", ".svm", ".svmlight", ".libsvm", ".gz", ".zst"}
#: A ring needs at least one file to test on, one to validate on and one to train on.
MIN_PARTS = 3
EXPECTED = (
    "expected folders Fold1, Fold2, ..., each with train.txt, vali.txt and test.txt, or at least three files S1.txt, "
    "S2.txt, S3.txt, ..."
)


class FoldFiles(NamedTuple):
    """The files of one fold; the training files are concatenated."""

    name: str
    train: tuple[Path, ...]
    valid: Path
    test: Path


def find_folds(folder: Path) -> tuple[FoldFiles, ...]:
    """The folds of a folder, by number; where it holds both kinds, those in subfolders.

    Names are matched without case and suffixes, also those of compressed files; other files are ignored. In a ring
    of n files, fold k is tested on the file before its own k-th, validated on the one before that, and trained on the
    others: of S1 to S5, Fold1 has S1 S2 S3, S4, S5 and Fold2 has S2 S3 S4, S5, S1.
    Raises InputError where folds, or files of one, are missing or occur twice.
    """
    entries = list_folder(folder)
    folders = paths_by_number([path for path in entries if path.is_dir()], FOLD_NAME, folder)
    if folders:
        check_numbering(folder, folders, "Fold", min_count=2)
        return tuple(files_of_fold(path, number) for number, path in folders.items())
    files = paths_by_number([path for path in entries if path.is_file() and is_data(path)], PART_NAME, folder)
    if not files:
        refuse_single_split(folder, entries)
        contents_text = f"there are {join_names(path.name for path in entries)}" if entries else "the folder is empty"
        raise InputError(f"{folder}: no folds; {contents_text}; {EXPECTED}")
    check_numbering(folder, files, "S", min_count=MIN_PARTS)
    return ring_folds(list(files.values()))


def refuse_single_split(folder: Path, entries: Sequence[Path]) -> None:
    """Raise InputError where a folder holds the files of one fold."""
    file_by_part = {
        part: next((path.name for path in entries if name_without_suffixes(path).lower() in names), None)
        for part, names in FILE_NAMES.items()
    }
    if file_by_part["train"] is None or file_by_part["test"] is None:
        return
    valid_text = f" --valid {folder / file_by_part['valid']}" if file_by_part["valid"] else ""
    raise InputError(
        f"{folder}: {join_names(name for name in file_by_part.values() if name)} are one fold, and there is nothing to "
        f"rotate; use `rankscope train {folder / file_by_part['train']}{valid_text}`, `rankscope predict` and "
        "`rankscope evaluate`, or join the files to one, whose queries are then split at random"
    )


def list_folder(folder: Path) -> list[Path]:
    """The entries of a folder without hidden files. Raises InputError where it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error}), {EXPECTED}") from None


def ring_folds(files: list[Path]) -> tuple[FoldFiles, ...]:
    """Folds in which each file is the test file once and the validation file once."""
    folds = []
    for k in range(len(files)):
        *train, valid, test = files[k:] + files[:k]
        folds.append(FoldFiles(f"Fold{k + 1}", tuple(train), valid, test))
    return tuple(folds)


def paths_by_number(paths: list[Path], pattern: re.Pattern[str], folder: Path) -> dict[int, Path]:
    """The paths whose names match the pattern, by number. Raises InputError where a number occurs twice."""
    path_by_number: dict[int, Path] = {}
    for path in paths:
        match = pattern.fullmatch(name_without_suffixes(path))
        if match is None:
            continue
        number = int(match[1])
        if number in path_by_number:
            raise InputError(
                f"{folder}: {path_by_number[number].name} and {path.name}, expected one of the two; move one away"
            )
        path_by_number[number] = path
    return dict(sorted(path_by_number.items()))


def check_numbering(folder: Path, path_by_number: dict[int, Path], prefix: str, *, min_count: int) -> None:
    """Raise InputError where a number in between is missing, or there are too few."""
    first, last = min(path_by_number), max(path_by_number)
    missing_names = [f"{prefix}{number}" for number in range(first, last) if number not in path_by_number]
    names = join_names(path.name for path in path_by_number.values())
    if missing_names:
        raise InputError(f"{folder}: {names}, but no {join_names(missing_names)}; {EXPECTED}")
    if len(path_by_number) < min_count:
        raise InputError(f"{folder}: only {names}, {EXPECTED}")


def files_of_fold(folder: Path, number: int) -> FoldFiles:
    """The three files of a fold in its folder."""
    data_files = [path for path in list_folder(folder) if path.is_file() and is_data(path)]
    file_of_part = {}
    for part, names in FILE_NAMES.items():
        paths = [path for path in data_files if name_without_suffixes(path).lower() in names]
        if len(paths) != 1:
            problem = f"{join_names(path.name for path in paths)} at once" if paths else f"no {names[0]}.txt"
            file_names = join_names(path.name for path in data_files)
            contents_text = f"there are {file_names}" if data_files else "there is no file of data"
            raise InputError(
                f"{folder}: {problem}; expected one file {' or '.join(f'{name}.txt' for name in names[:2])}; "
                f"{contents_text}"
            )
        file_of_part[part] = paths[0]
    return FoldFiles(f"Fold{number}", (file_of_part["train"],), file_of_part["valid"], file_of_part["test"])


def name_without_suffixes(path: Path) -> str:
    """The name without its suffixes, also that of compression."""
    name = Path(path.name)
    while name.suffix.lower() in ENDINGS:
        name = name.with_suffix("")
    return name.name


def is_data(path: Path) -> bool:
    """Whether a path may be a file of features, by its suffix."""
    return path.suffix.lower() in ENDINGS or not path.suffix


#: Number of folds that the queries of one file are split into.
DEFAULT_FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Fold:
    """train: one or more parts, concatenated when they are needed."""

    name: str
    train: tuple[Features, ...]
    valid: Features
    test: Features


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldSet:
    """The folds of a data set.

    Attributes
    ----------
    name
        The name of the data.
    how
        How the folds were made, for the signature.
    folds
        The folds.
    notes
        Notes on the data.
    """

    name: str
    how: str
    folds: tuple[Fold, ...]
    notes: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.folds[0].test.names

    @property
    def max_grade(self) -> float:
        """The highest grade of all lists."""
        return max(
            highest_grade(part.relevance) for fold in self.folds for part in (*fold.train, fold.valid, fold.test)
        )


def read_folds(
    source: PathLike | Features,
    *,
    folds: int | None = None,
    rng: int = 0,
    cache: bool = False,
    progress: Callable[[int], Any] | None = None,
) -> FoldSet:
    """The folds of a folder, or of one file or Features whose queries are split at random, equal for equal `rng`.

    folds: their number where queries are split, at least 3, default 5; a folder has its own. cache, progress: as in
    `read_features`. Raises InputError for files that are missing or do not fit, ParameterError for arguments.
    """
    if isinstance(source, Features):
        return cut_folds(source, folds, rng)
    path = Path(source)
    if not os.path.isdir(path):
        return cut_folds(read_features(source, cache=cache or None, progress=progress), folds, rng)
    if folds is not None:
        raise SettingError("folds", "--folds", f"is {folds}, and {path} is a folder, which has its own; leave it out")
    files = find_folds(path)
    paths = dict.fromkeys(data_path for fold in files for data_path in (*fold.train, fold.valid, fold.test))
    features_by_path = {
        data_path: read_features(with_columns(data_path, columns_of(source)), cache=cache or None, progress=progress)
        for data_path in paths
    }
    notes = tuple(note for part in features_by_path.values() for note in (*part.notes, *negative_grade_notes(part)))
    notes += tuple(
        note
        for path, part in features_by_path.items()
        for note in empty_column_notes(path, part, features_by_path.values())
    )
    parts = [without_texts(features) for features in features_by_path.values()]
    aligned = dict(zip(features_by_path, align_parts(parts, list(features_by_path)), strict=True))
    data_folds = tuple(
        Fold(name=fold.name, train=tuple(aligned[train_path] for train_path in fold.train), valid=aligned[fold.valid],
             test=aligned[fold.test])
        for fold in files
    )  # fmt: skip
    return FoldSet(
        name=path.resolve().name,
        how=str(len(data_folds)),
        folds=data_folds,
        notes=(*notes, *shared_query_notes(data_folds), *same_test_notes(data_folds)),
    )


def empty_column_notes(path: Path, part: Features, parts: Iterable[Features]) -> list[str]:
    """A note on columns that hold no number in one file and some in another."""
    used_names = {name for other_part in parts for name in other_part.names}
    return [
        f"{path.name}: {name!r} has no number on any line and is set to 0" for name in part.empty if name in used_names
    ]


def source_files(source: PathLike) -> list[str]:
    """The files of a source. Raises InputError where a folder has no folds."""
    path = Path(source)
    if not os.path.isdir(path):
        return [str(source)]
    return list(
        dict.fromkeys(str(data_path) for fold in find_folds(path) for data_path in (*fold.train, fold.valid, fold.test))
    )


def without_texts(features: Features) -> Features:
    """Features without ids and comments, which training does not need and which are slow to send to a worker."""
    return replace(features, doc_ids=None, comments=None, order=None, notes=(), where=None)


def cut_folds(source: Features, folds: int | None, rng: int) -> FoldSet:
    """Folds of queries split at random into parts of equal size; each part is for testing and for validation once."""
    features, name = without_texts(source), source.name
    folds = DEFAULT_FOLDS if folds is None else folds
    n = len(features.query_ids)
    if n < folds:
        raise InputError(f"{name}: {pluralise_queries(n)}, expected at least as many as folds, which are {folds}")
    shuffled_queries = np.random.default_rng(rng).permutation(n)
    parts = [
        replace(features.select(np.sort(query_index)), name=f"part {k + 1} of {name}", where=None)
        for k, query_index in enumerate(np.array_split(shuffled_queries, folds))
    ]
    data_folds = []
    for k in range(folds):
        *train, valid, test = parts[k:] + parts[:k]
        data_folds.append(Fold(name=f"Fold{k + 1}", train=tuple(train), valid=valid, test=test))
    return FoldSet(
        name=name,
        how=f"{folds},cut at random",
        folds=tuple(data_folds),
        notes=(*source.notes, *negative_grade_notes(source)),
    )


def align_parts(parts: Sequence[Features], paths: Sequence[Path]) -> list[Features]:
    """All parts with the same features: missing last numbers are filled with zeros, names put in one order.

    Raises InputError where names differ.
    """
    names = list(dict.fromkeys(name for part in parts for name in part.names))
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    else:
        for part, path in zip(parts, paths, strict=True):
            missing_features = [name for name in names if name not in part.names and name not in part.empty]
            if missing_features:
                raise InputError(
                    f"{path}: no feature {join_names(missing_features)}, which other files have; expected the same"
                )
    return [with_features(part, tuple(names)) for part in parts]


def with_features(part: Features, names: tuple[str, ...]) -> Features:
    """The part with these features in this order; missing ones are zeros."""
    if part.names == names:
        return part
    column_index = {name: i for i, name in enumerate(names)}
    values = np.zeros((len(part), len(names)), part.values.dtype)
    values[:, [column_index[name] for name in part.names]] = part.values
    return replace(part, values=values, names=names, where=None)


def join_features(parts: Sequence[Features], name: str) -> Features:
    """The queries of several parts, one after the other. All must have the same features.

    Where queries of two parts have one name, the number of the part goes before all names: they may be different ones.
    """
    if len(parts) == 1:
        return parts[0]
    names = [query for part in parts for query in part.query_ids]
    if len(set(names)) < len(names):
        names = [f"{part_number}:{query}" for part_number, part in enumerate(parts, 1) for query in part.query_ids]
    return Features(
        values=np.concatenate([part.values for part in parts]),
        relevance=np.concatenate([part.relevance for part in parts]),
        offsets=bounds(np.concatenate([np.diff(part.offsets) for part in parts])),
        query_ids=tuple(names),
        names=parts[0].names,
        name=name,
    )


def shared_query_notes(folds: Sequence[Fold]) -> list[str]:
    """A note where queries of the test lists have ids of training or validation queries."""
    notes = []
    for fold in folds:
        training_queries = {query for part in (*fold.train, fold.valid) for query in part.query_ids}
        n_shared = sum(query in training_queries for query in fold.test.query_ids)
        if n_shared:
            notes.append(
                f"{fold.name}: {pluralise(n_shared, 'query id', 'query ids')} of the test lists are also in the "
                "training or validation lists; if these are the same queries, the test values are too high"
            )
    return notes


def same_test_notes(folds: Sequence[Fold]) -> list[str]:
    """A note where folds have the same test lists."""
    folds_by_lists: dict[tuple[Any, ...], list[str]] = {}
    for fold in folds:
        test = fold.test
        key = (test.query_ids, test.offsets.tobytes(), test.relevance.tobytes(), test.values.tobytes())
        folds_by_lists.setdefault(key, []).append(fold.name)
    return [
        f"{join_names(names)} have the same test lists: each of their queries counts {len(names)} times, so "
        "differences look more certain than they are"
        for names in folds_by_lists.values()
        if len(names) > 1
    ]


def without_features(fold: Fold, excluded_names: Sequence[str]) -> Fold:
    """A fold whose lists lack these features."""
    if not excluded_names:
        return fold
    names = [name for name in fold.test.names if name not in set(excluded_names)]
    return Fold(
        name=fold.name,
        train=tuple(part.select_features(names) for part in fold.train),
        valid=fold.valid.select_features(names),
        test=fold.test.select_features(names),
    )
