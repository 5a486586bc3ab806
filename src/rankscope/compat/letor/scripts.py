"""The conventions of LETOR's scripts: which lines they take, what labels gain, and how many positions they print."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankscope.errors import RankscopeError, in_one_line

__all__ = [
    "UNKNOWN_LABEL",
    "VERSIONS",
    "Script",
    "Stopped",
]


#: The label of a line whose label is in no script's table.
UNKNOWN_LABEL = 10


class Stopped(RankscopeError):
    """The script stops here: it prints the message on standard output and ends with this exit code."""

    def __init__(self, message: str, code: int = 254) -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        """The message as the script prints it, which may quote a line of the file with tabs and carriage returns."""
        return re.sub(r"[^\n\r\t]+", lambda match: in_one_line(match[0]), str(self.args[0]))


@dataclass(frozen=True, kw_only=True)
class Script:
    """The conventions of one script.

    Attributes
    ----------
    pattern
        Form of a line of labels.
    comment
        Text before each value of the comment, the first of which is the document; empty if lines need no comment, and
        each line is a document.
    to_the_end
        Whether nothing may follow the comment.
    gains
        Gains of the labels 0, 1, ...; others gain 0.
    relevant
        The lowest relevant label.
    positions
        The largest number of positions that are printed.
    """

    pattern: re.Pattern[bytes]
    comment: tuple[bytes, ...]
    to_the_end: bool = False
    gains: tuple[float, ...] = (0.0, 1.0, 3.0)
    relevant: int = 1
    positions: int = 10


LINE_BEGIN = rb"(\d+) qid:(\S+)"
#: The preset of each script.
VERSIONS = {
    "letor3": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+)\Z"), comment=(b"#docid = ",), to_the_end=True, positions=16
    ),
    "letor4": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+) inc = (\S+) prob = (\S+)"),
        comment=(b"#docid = ", b" inc = ", b" prob = "),
    ),
    "mslr": Script(pattern=re.compile(LINE_BEGIN), comment=(), gains=(0.0, 1.0, 3.0, 7.0, 15.0), relevant=2),
}
