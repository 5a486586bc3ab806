"""The log of a search: a line of JSON for each trial."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from rankscope.data.text import join_names
from rankscope.errors import InputError, OutputError
from rankscope.io.core import check_writable, is_special, write_chunks, write_new
from rankscope.typing import PathLike

__all__ = [
    "SearchLog",
    "Setting",
]


#: What the first line has that no other file of lines of JSON has.
MARK = "rankscope_search"
FORM = 1


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A trial. number: from 1; changed: parameters that are not as they were given. value: the measure over all
    validation lists, NaN where training failed, which `error` tells; by_fold: of each. best_epoch, seconds (of CPU):
    means over folds.
    """

    model: str
    number: int
    changed: Mapping[str, Any]
    value: float
    by_fold: tuple[float, ...]
    best_epoch: float
    seconds: float
    error: str = ""

    def line(self) -> bytes:
        """As the log has it; NaN as null."""
        found = {
            "trial": self.number,
            "model": self.model,
            "changed": dict(self.changed),
            "value": null_if_nan(self.value),
            "by_fold": [null_if_nan(value) for value in self.by_fold],
            "best_epoch": null_if_nan(self.best_epoch),
            "seconds": null_if_nan(round(self.seconds, 3)),
            **({"error": self.error} if self.error else {}),
        }
        return json.dumps(found).encode() + b"\n"

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Setting:
        """Raises KeyError, TypeError or ValueError for a line that is none."""
        return cls(
            model=str(found["model"]),
            number=int(found["trial"]),
            changed={key: tuple(x) if isinstance(x, list) else x for key, x in found["changed"].items()},
            value=nan_if_null(found["value"]),
            by_fold=tuple(nan_if_null(value) for value in found["by_fold"]),
            best_epoch=nan_if_null(found["best_epoch"]),
            seconds=nan_if_null(found["seconds"]),
            error=str(found.get("error", "")),
        )


def null_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def nan_if_null(value: Any) -> float:
    return math.nan if value is None else float(value)


class SearchLog:
    """What was tried, in a file where one is named. about: all that a trial's numbers depend on, by name.

    A last line that is cut off, as when a machine stops, is left out, and its trial done again. Raises InputError for a
    file that is no log, that is damaged elsewhere, or that is the log of another search, which it leaves as it is;
    OutputError where it cannot be written.
    """

    def __init__(self, path: PathLike | None, about: Mapping[str, Any]) -> None:
        self.path = None if path is None else os.fspath(path)
        self.about = {MARK: FORM, **json.loads(json.dumps(about))}
        self.found: dict[tuple[str, int], Setting] = {}
        if self.path is None:
            return
        check_writable(self.path)
        if is_special(self.path):
            raise OutputError(f"{self.path}: is no file, and a log is read again; name a file")
        head = json.dumps(self.about) + "\n"
        if not os.path.exists(self.path) and write_new(self.path, head):
            return
        content = read_log(self.path)  # also where another process was quicker
        if not content.strip():
            write_chunks(self.path, [head.encode()])
            return
        good = self.take(content.splitlines(keepends=True))
        if good < len(content):
            write_chunks(self.path, [content[:good]])

    def take(self, lines: list[bytes]) -> int:
        """Read all; how many bytes of them are whole lines."""
        self.compare(lines[0])
        size = len(lines[0])
        for place, line in enumerate(lines[1:], 2):
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("it does not end")
                setting = Setting.read(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
                if place == len(lines):
                    break
                raise InputError(
                    f"{self.path}:{place}: is no line of a log, expected a trial as JSON; delete the line, and its "
                    "trial is done again"
                ) from None
            self.found.setdefault((setting.model, setting.number), setting)
            size += len(line)
        return size

    def compare(self, first: bytes) -> None:
        """Raise InputError where the first line is not that of this search."""
        try:
            there = json.loads(first)
            known = there[MARK]
        except (KeyError, TypeError, ValueError, RecursionError):
            self.refuse("is no log of a search")
        if known != FORM:
            self.refuse(f"is a log of form {known!r}, and this version of rankscope writes {FORM}")
        for key in dict.fromkeys((*self.about, *there)):
            ours, theirs = self.about.get(key), there.get(key)
            if ours != theirs:
                self.refuse(f"is the log of another search: {difference(key, theirs, ours)}")

    def refuse(self, why: str) -> NoReturn:
        raise InputError(f"{self.path}: {why}; name another file for the log, or search as it did") from None

    def add(self, setting: Setting) -> None:
        """Keep a trial: on the disk before anything else is done."""
        self.found[setting.model, setting.number] = setting
        if self.path is None:
            return
        try:
            with open(self.path, "ab") as file:
                file.write(setting.line())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error.strerror or error}); the trials before are there, so search "
                "again with the same log once it can be"
            ) from None


def read_log(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}), expected a log; check the path"
        ) from None


def difference(key: str, theirs: Any, ours: Any) -> str:
    """What two searches differ in, in words."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(theirs) != list(ours):
            return f"of {join_names(theirs)}, and here it is of {join_names(ours)}"
        name = next(name for name in ours if ours[name] != theirs[name])
        before, now = theirs[name].split(" | "), ours[name].split(" | ")
        apart = [" ".join(part for part in one if part not in other) for one, other in ((before, now), (now, before))]
        return f"{name} has {apart[0] or 'less'} there, and {apart[1] or 'less'} here"
    if key == "digest":
        return "the training or validation lists are not those that they were"
    return f"its {key} is {json.dumps(theirs)}, and here it is {json.dumps(ours)}"
