"""Folds of a data set: which files make which, and their lists as features."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.io.letor import read_features
from rankscope.kernels.segments import bounds
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
#: What the files of a fold are called, before their endings and in small letters.
FILE_NAMES = {
    "train": ("train", "trainingset", "training"),
    "valid": ("vali", "valid", "validationset", "validation"),
    "test": ("test", "testset", "testing"),
}
ENDINGS = {".txt", ".dat", ".csv", ".tsv", ".jsonl", ".parquet", ".svm", ".svmlight", ".libsvm", ".gz", ".zst"}
#: So many files at least make a ring: one to test on, one to validate on, one to train on.
MIN_PARTS = 3
EXPECTED = (
    "expected folders Fold1, Fold2, ..., each with train.txt, vali.txt and test.txt, or at least three files S1.txt, "
    "S2.txt, S3.txt, ..."
)


class FoldFiles(NamedTuple):
    """The files of one fold; those of training are put together."""

    name: str
    train: tuple[Path, ...]
    valid: Path
    test: Path


def find_folds(folder: Path) -> tuple[FoldFiles, ...]:
    """The folds of a folder, by number; where it holds both kinds, those in folders of their own.

    Names are read without regard to capitals and endings, compressed files too; other files are left alone. In a ring
    of n files, fold k is tested on the file before its own k-th, validated on the one before that, and trained on the
    others: of S1 to S5, Fold1 has S1 S2 S3, S4, S5 and Fold2 has S2 S3 S4, S5, S1.
    Raises InputError, naming what was found, where folds, or files of one, are missing or there twice.
    """
    inside = list_folder(folder)
    folders = paths_by_number([path for path in inside if path.is_dir()], FOLD_NAME, folder)
    if folders:
        check_numbering(folder, folders, "Fold", least=2)
        return tuple(files_of_fold(path, number) for number, path in folders.items())
    files = paths_by_number([path for path in inside if path.is_file() and is_data(path)], PART_NAME, folder)
    if not files:
        found = f"there are {join_names(path.name for path in inside)}" if inside else "the folder is empty"
        raise InputError(f"{folder}: no folds; {found}; {EXPECTED}")
    check_numbering(folder, files, "S", least=MIN_PARTS)
    return ring_folds(list(files.values()))


def list_folder(folder: Path) -> list[Path]:
    """What is in a folder, but for hidden files. Raises InputError where that cannot be seen."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error}), {EXPECTED}") from None


def ring_folds(files: list[Path]) -> tuple[FoldFiles, ...]:
    """Each file is tested on once, and validated on once."""
    folds = []
    for k in range(len(files)):
        *train, valid, test = files[k:] + files[:k]
        folds.append(FoldFiles(f"Fold{k + 1}", tuple(train), valid, test))
    return tuple(folds)


def paths_by_number(paths: list[Path], form: re.Pattern[str], folder: Path) -> dict[int, Path]:
    """Those whose names have this form, by number. Raises InputError where one is there twice."""
    found: dict[int, Path] = {}
    for path in paths:
        match = form.fullmatch(name_without_suffixes(path))
        if match is None:
            continue
        number = int(match[1])
        if number in found:
            raise InputError(f"{folder}: {found[number].name} and {path.name}, expected one of the two; move one away")
        found[number] = path
    return dict(sorted(found.items()))


def check_numbering(folder: Path, found: dict[int, Path], word: str, *, least: int) -> None:
    """Raise where one is missing in between, or there are too few."""
    first, last = min(found), max(found)
    absent = [f"{word}{number}" for number in range(first, last) if number not in found]
    names = join_names(path.name for path in found.values())
    if absent:
        raise InputError(f"{folder}: {names}, but no {join_names(absent)}; {EXPECTED}")
    if len(found) < least:
        raise InputError(f"{folder}: only {names}, {EXPECTED}")


def files_of_fold(folder: Path, number: int) -> FoldFiles:
    """The three files of a fold in a folder of its own."""
    there = [path for path in list_folder(folder) if path.is_file() and is_data(path)]
    found = {}
    for part, names in FILE_NAMES.items():
        paths = [path for path in there if name_without_suffixes(path).lower() in names]
        if len(paths) != 1:
            what = f"{join_names(path.name for path in paths)} at once" if paths else f"no {names[0]}.txt"
            besides = f"there are {join_names(path.name for path in there)}" if there else "there is no file of data"
            raise InputError(
                f"{folder}: {what}; expected one file {' or '.join(f'{name}.txt' for name in names[:2])}; {besides}"
            )
        found[part] = paths[0]
    return FoldFiles(f"Fold{number}", (found["train"],), found["valid"], found["test"])


def name_without_suffixes(path: Path) -> str:
    """The name without its endings, that of compression too."""
    name = Path(path.name)
    while name.suffix.lower() in ENDINGS:
        name = name.with_suffix("")
    return name.name


def is_data(path: Path) -> bool:
    """Whether it may be a file of features: caches, sheets of results and the like are not."""
    return path.suffix.lower() in ENDINGS or not path.suffix


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
            f"folds is {folds!r}, expected a whole number of at least {MIN_PARTS}: one part is tested on, one "
            "validated on, the others are trained on"
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
        f"{join_names(names)} have the same test lists: each of their queries counts {len(names)} times, as if there "
        "were as many, and differences look surer than they are"
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
