"""A folder of a data set in BEIR's form: `corpus.jsonl`, `queries.jsonl` and judgments in `qrels/SPLIT.tsv`."""

from __future__ import annotations

import os
from pathlib import Path

from rankscope.data.text import join_names
from rankscope.errors import InputError
from rankscope.typing import PathLike

__all__ = [
    "judgments_in_folder",
]


FOLDER, SUFFIX = "qrels", ".tsv"
#: The split that is evaluated where a data set has several.
TEST = "test"


def judgments_in_folder(folder: PathLike) -> tuple[str, tuple[str, ...]]:
    """The file of judgments in the folder of a data set, and a note on the choice where there are several.

    Raises InputError where the folder is no data set, or the split cannot be told.
    """
    name = os.fspath(folder)
    paths = sorted(path for path in Path(name, FOLDER).glob(f"*{SUFFIX}") if path.is_file())
    if not paths:
        raise InputError(
            f"{name}: is a directory, expected a file of judgments, or a data set of BEIR with qrels/test.tsv in it; "
            "name the file"
        )
    if len(paths) == 1:
        return str(paths[0]), ()
    test = next((path for path in paths if path.stem == TEST), None)
    splits = join_names([path.stem for path in paths])
    if test is None:
        raise InputError(f"{name}: judgments of {splits}, expected one split or {TEST}; name the file, as {paths[0]}")
    return str(test), (f"{name}: judgments of {splits}; those of {TEST} are used",)
