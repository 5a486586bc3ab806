"""Checkpoints: a folder with the results of a long study so far, so that it can be continued."""

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


#: The file with the settings of the study.
SETTINGS_FILE = "study.json"
#: What the file of a condition begins with. Raise the number when the layout changes.
OUTCOME_MAGIC = b"rankscope study outcome 2\n"


class Checkpoint:
    """A folder with a file for each finished condition and one with the settings, each written whole or not at all.

    Parameters
    ----------
    path
        The folder, which is created where it is missing.
    settings
        All that changes the numbers, and a digest of the data; a folder with other settings is refused.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.settings = dict(settings)

    def open(self) -> None:
        """Create the folder, or check that it belongs to this study. Raises InputError and OutputError."""
        saved = saved_settings(self.path)
        if saved is not None:
            differing_keys = [key for key in self.settings if saved.get(key) != self.settings[key]]
            if differing_keys:
                key = differing_keys[0]
                raise InputError(
                    f"{self.path}: is the checkpoint of another study ({key} {shorten(saved.get(key))}, here "
                    f"{shorten(self.settings[key])}); name another folder, or ask for the same study"
                )
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot create this folder ({error.strerror}); choose another") from None
        entry_names = [entry.name for entry in self.path.iterdir() if not is_temporary(entry)]
        if entry_names and SETTINGS_FILE not in entry_names:
            raise InputError(f"{self.path}: not empty and not a checkpoint; name a new folder")
        if not write_new(self.path / SETTINGS_FILE, json.dumps(self.settings, indent=1) + "\n"):
            self.open()  # another process was faster; its study may be another one

    def file_of(self, condition: Condition) -> Path:
        return self.path / f"splits{condition.splits}-systems{condition.systems}-entities{condition.entities}.arrays"

    def load(self, condition: Condition) -> Outcome | None:
        """The saved outcome of this condition, or None. Raises InputError for a damaged file."""
        path = self.file_of(condition)
        if not path.exists():
            return None
        try:
            return Outcome(**read_arrays(path, OUTCOME_MAGIC))
        except TypeError:  # other arrays
            raise damaged_file_error(path, "it holds other arrays") from None

    def save(self, condition: Condition, outcome: Outcome) -> None:
        """Write the outcome of this condition."""
        write_arrays(self.file_of(condition), OUTCOME_MAGIC, outcome.arrays())


def saved_settings(path: str | Path) -> dict[str, Any] | None:
    """The settings of a checkpoint; None where there is none. Raises InputError for one that cannot be read."""
    head_path = Path(path) / SETTINGS_FILE
    if not head_path.exists():
        return None
    try:
        settings = json.loads(head_path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise InputError(f"{head_path}: cannot be read ({reason}); name another folder, or remove this one") from None
    if not isinstance(settings, dict):
        raise InputError(f"{head_path}: does not belong to a checkpoint; name another folder, or remove this one")
    return settings


def shorten(value: object) -> str:
    return str(value) if len(str(value)) < 60 else f"{str(value)[:57]}..."
