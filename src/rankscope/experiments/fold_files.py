"""Which files of a folder make which fold: Fold1, Fold2, ... with three files each, or S1, S2, ... in a ring."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from rankscope.data.wording import join_names
from rankscope.errors import InputError

__all__ = ["FoldFiles", "find_folds"]

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
