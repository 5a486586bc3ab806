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
    "Trial",
]


#: The key of the first line that identifies a log of a search.
MARK = "rankscope_search"
FORM = 1


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A trial of a search.

    Attributes
    ----------
    model
        The name of the ranker.
    number
        The number of the trial, from 1.
    changed
        The parameters that differ from the given ones.
    value
        The measure over all validation lists; NaN if training failed.
    by_fold
        The same for each fold.
    best_epoch, seconds
        Means over folds; seconds are CPU time.
    error
        Why training failed, if it did.
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
        """The trial as a line of the log; NaN becomes null."""
        fields = {
            "trial": self.number,
            "model": self.model,
            "changed": dict(self.changed),
            "value": null_if_nan(self.value),
            "by_fold": [null_if_nan(value) for value in self.by_fold],
            "best_epoch": null_if_nan(self.best_epoch),
            "seconds": null_if_nan(round(self.seconds, 3)),
            **({"error": self.error} if self.error else {}),
        }
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Trial:
        """The trial of a line of the log. Raises KeyError, TypeError or ValueError for other content."""
        return cls(
            model=str(fields["model"]),
            number=int(fields["trial"]),
            changed={
                key: tuple(value) if isinstance(value, list) else value for key, value in fields["changed"].items()
            },
            value=nan_if_null(fields["value"]),
            by_fold=tuple(nan_if_null(value) for value in fields["by_fold"]),
            best_epoch=nan_if_null(fields["best_epoch"]),
            seconds=nan_if_null(fields["seconds"]),
            error=str(fields.get("error", "")),
        )


def null_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def nan_if_null(value: Any) -> float:
    return math.nan if value is None else float(value)


class SearchLog:
    """The trials of a search, with a file or without. about: all that a trial's numbers depend on, by name.

    An incomplete last line, as after a power failure, is skipped, and its trial is repeated. Raises InputError for a
    file that is no log, that is damaged elsewhere, or that is the log of another search, which it leaves as it is;
    OutputError where it cannot be written.
    """

    def __init__(self, path: PathLike | None, about: Mapping[str, Any]) -> None:
        self.path = None if path is None else os.fspath(path)
        self.settings = {MARK: FORM, **json.loads(json.dumps(about))}
        self.trials: dict[tuple[str, int], Trial] = {}
        if self.path is None:
            return
        check_writable(self.path)
        if is_special(self.path):
            raise OutputError(f"{self.path}: is not a regular file, and a log must be read again; name a file")
        first_line = json.dumps(self.settings) + "\n"
        if not os.path.exists(self.path) and write_new(self.path, first_line):
            return
        content = read_log(self.path)  # also where another process created it first
        if not content.strip():
            write_chunks(self.path, [first_line.encode()])
            return
        valid_size = self.read_trials(content.splitlines(keepends=True))
        if valid_size < len(content):
            write_chunks(self.path, [content[:valid_size]])

    def read_trials(self, lines: list[bytes]) -> int:
        """Read the trials; the number of bytes of complete lines."""
        self.check_settings(lines[0])
        valid_size = len(lines[0])
        for line_number, line in enumerate(lines[1:], 2):
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("it does not end")
                trial = Trial.read(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
                if line_number == len(lines):
                    break
                raise InputError(
                    f"{self.path}:{line_number}: not a line of a log, expected a trial as JSON; delete the line to "
                    "repeat its trial"
                ) from None
            self.trials.setdefault((trial.model, trial.number), trial)
            valid_size += len(line)
        return valid_size

    def check_settings(self, first_line: bytes) -> None:
        """Raise InputError where the first line belongs to another search."""
        try:
            header = json.loads(first_line)
            log_format = header[MARK]
        except (KeyError, TypeError, ValueError, RecursionError):
            self.fail("is not the log of a search")
        if log_format != FORM:
            self.fail(f"is a log of format {log_format!r}, and this version of rankscope writes format {FORM}")
        for key in dict.fromkeys((*self.settings, *header)):
            ours, theirs = self.settings.get(key), header.get(key)
            if ours != theirs:
                self.fail(f"is the log of another search: {difference(key, theirs, ours)}")

    def fail(self, problem: str) -> NoReturn:
        raise InputError(f"{self.path}: {problem}; use another log file, or the same settings") from None

    def add(self, trial: Trial) -> None:
        """Add a trial; it is on disk when this returns."""
        self.trials[trial.model, trial.number] = trial
        if self.path is None:
            return
        try:
            with open(self.path, "ab") as file:
                file.write(trial.line())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error.strerror or error}); earlier trials are kept: search "
                "again with the same log when it can be written"
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
    """The difference between two searches in words."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(theirs) != list(ours):
            return f"of {join_names(theirs)}, and here it is of {join_names(ours)}"
        name = next(name for name in ours if ours[name] != theirs[name])
        their_settings, our_settings = theirs[name].split(" | "), ours[name].split(" | ")
        differences = [
            " ".join(setting for setting in settings if setting not in other_settings)
            for settings, other_settings in ((their_settings, our_settings), (our_settings, their_settings))
        ]
        return f"{name} has {differences[0] or 'less'} there, and {differences[1] or 'less'} here"
    if key == "digest":
        return "the training or validation lists have changed"
    return f"its {key} is {json.dumps(theirs)}, and here it is {json.dumps(ours)}"
