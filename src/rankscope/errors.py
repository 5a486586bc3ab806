"""Exceptions that rankscope raises, as a tree.

::

    RankscopeError            anything this package refuses; the CLI prints it and exits with 2
    ├── InputError            data: a malformed line, a duplicate, no query in common
    ├── ParameterError        an argument out of range or two arguments that exclude each other
    │   ├── SettingError      a setting out of range; the command line names its option
    │   └── UnknownName       a measure, preset or format that does not exist (the nearest one is named)
    └── OutputError           a result could not be written; nothing was left behind

Every message says what was found, where, what was expected and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

__all__ = [
    "InputError",
    "OutputError",
    "ParameterError",
    "RankscopeError",
    "SettingError",
    "UnknownName",
    "in_one_line",
]


#: Characters that end a line, command a terminal, or turn round the text behind them.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
#: Most known names that a message lists if a hint says what lists all.
MAX_LISTED = 8


def in_one_line(text: str) -> str:
    r"""A text with its line breaks, tabs and other control characters written as escapes.

    >>> in_one_line("two\nlines")
    'two\\nlines'
    """
    return text if text.isprintable() else CONTROLS.sub(lambda control: repr(control[0])[1:-1], text)


class RankscopeError(Exception):
    """Base of all errors that a user's input or arguments cause.

    Its text is one line, whatever names and cells of a file stand in it.
    """

    def __str__(self) -> str:
        return in_one_line(super().__str__())


class InputError(RankscopeError, ValueError):
    """The data cannot be read as what it was said to be."""


class ParameterError(RankscopeError, ValueError):
    """An argument has a value that makes no sense here."""


class SettingError(ParameterError):
    """A setting has a wrong value. The message names the argument, and on the command line its option.

    argument: as Python calls it. flag: as the command line calls it. fault: what follows the name in the message.
    option_fault: what follows the name on the command line, if it names other settings.
    """

    def __init__(self, argument: str, flag: str, fault: str, option_fault: str = "") -> None:
        super().__init__(f"{argument} {fault}")
        self.argument, self.flag, self.fault, self.option_fault = argument, flag, fault, option_fault or fault

    def on_command_line(self) -> str:
        """The message with the name of the option."""
        return f"{self.flag} {self.option_fault}"

    def __reduce__(self) -> tuple[Any, ...]:
        return SettingError, (self.argument, self.flag, self.fault, self.option_fault)


class UnknownName(ParameterError):
    """A name that is not known; the message suggests the nearest known one.

    Parameters
    ----------
    kind
        What the name is of, such as "measure".
    name
        The unknown name.
    known
        The known names.
    hint
        What the message adds after a list of known names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        import difflib

        candidates = sorted(known)
        by_lower_case = {c.lower(): c for c in reversed(candidates)}  # nDCG before ndcg
        nearest = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.5)
        listed = ", ".join(candidates) or "none"
        if hint and len(candidates) > MAX_LISTED:
            listed = f"{', '.join(candidates[:MAX_LISTED])} and {len(candidates) - MAX_LISTED} others"
        advice = f"did you mean {by_lower_case[nearest[0]]}?" if nearest else f"known: {listed}{hint}"
        super().__init__(f"unknown {kind} {name!r}; {advice}")

    def __reduce__(self) -> tuple[Any, ...]:
        """From its message, so that it can be sent between processes."""
        return rebuild_unknown_name, (str(self),)


def rebuild_unknown_name(message: str) -> UnknownName:
    error = UnknownName.__new__(UnknownName)
    error.args = (message,)
    return error


class OutputError(RankscopeError, OSError):
    """A result could not be written."""
