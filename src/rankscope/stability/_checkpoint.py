"""A folder that holds the results of a long study so far, so that it can be continued."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankscope.errors import InputError, OutputError
from rankscope.io.core import damaged_file_error, is_temporary, read_arrays, write_arrays, write_new
from rankscope.stability.conditions import Condition
from rankscope.stability.outcome import Outcome

__all__ = [
    "Checkpoint",
]


#: Says what the folder is of.
HEAD = "study.json"


class Checkpoint:
    """One file a finished condition, and one that says of which study; each written whole or not at all.

    path: a folder, made where there is none. settings: all that changes the numbers, and a digest of the data; a folder
    of others is refused.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.settings = dict(settings)

    def open(self) -> None:
        """Make the folder, or see that it is of this study. Raises InputError and OutputError."""
        known = saved_settings(self.path)
        if known is not None:
            differs = [key for key in self.settings if known.get(key) != self.settings[key]]
            if differs:
                key = differs[0]
                raise InputError(
                    f"{self.path}: is the checkpoint of another study ({key} {shorten(known.get(key))}, here "
                    f"{shorten(self.settings[key])}); name another folder, or ask for the same study"
                )
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.path}: no folder can be made there ({error.strerror}); choose another") from None
        others = [one.name for one in self.path.iterdir() if not is_temporary(one)]
        if others and HEAD not in others:
            raise InputError(f"{self.path}: is no checkpoint, and not empty; name a new folder")
        if not write_new(self.path / HEAD, json.dumps(self.settings, indent=1) + "\n"):
            self.open()  # another process was quicker, and may be of another study

    def file_of(self, condition: Condition) -> Path:
        return self.path / f"splits{condition.splits}-systems{condition.systems}-entities{condition.entities}.npz"

    def load(self, condition: Condition) -> Outcome | None:
        """What was found under this condition, or None. Raises InputError for a file that is damaged."""
        path = self.file_of(condition)
        if not path.exists():
            return None
        try:
            return Outcome(**read_arrays(path))
        except TypeError:  # other arrays
            raise damaged_file_error(path) from None

    def save(self, condition: Condition, outcome: Outcome) -> None:
        """Write what was found."""
        write_arrays(self.file_of(condition), outcome.arrays())


def saved_settings(path: str | Path) -> dict[str, Any] | None:
    """What a checkpoint is of; None where there is none. Raises InputError for one that cannot be read."""
    head = Path(path) / HEAD
    if not head.exists():
        return None
    try:
        found = json.loads(head.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no JSON"
        raise InputError(f"{head}: cannot be read ({why}); name another folder, or remove this one") from None
    if not isinstance(found, dict):
        raise InputError(f"{head}: is no checkpoint's; name another folder, or remove this one")
    return found


def shorten(value: object) -> str:
    return str(value) if len(str(value)) < 60 else f"{str(value)[:57]}..."
