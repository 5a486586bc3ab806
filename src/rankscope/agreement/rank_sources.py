"""What stands for rankings: Rankings, or a file; and which of its columns are people's and the machine's."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from rankscope.data.rankings import Rankings
from rankscope.data.wording import listed
from rankscope.errors import ParameterError, UnknownName
from rankscope.io.jcml import read_jcml
from rankscope.io.ranking_tables import read_ranking_table
from rankscope.io.streams import open_binary, source_name

__all__ = ["Source", "columns_of", "holds_rankings", "source_of"]

Source = Rankings | str | os.PathLike[str]
#: So many bytes tell what a file is.
START = 1 << 12
#: What the columns are called where nobody says.
GOLD = ("rank", "gold")
PREDICTED = ("predicted", "predicted_rank")


def is_xml(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as XML does."""
    # In UTF-16 every second byte is 0.
    start = first_bytes(path).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return start.startswith(b"<")


def first_bytes(path: str | os.PathLike[str]) -> bytes:
    """Some of the first, unpacked; of standard input they can still be read afterwards, and so are not unpacked."""
    if source_name(path) == "<stdin>":
        stream: Any = None if sys.stdin is None else sys.stdin.buffer
        return b"" if stream is None else bytes(stream.peek(START)[:START])
    with open_binary(path) as file:
        return file.read(START)


def holds_rankings(path: str | os.PathLike[str]) -> bool:
    """Whether a file is JCML, or a table with a column of people; a run is neither."""
    if is_xml(path):
        return True
    lines = [line for line in first_bytes(path).splitlines() if line.strip() and not line.startswith(b"#")]
    if not lines or not (lines[0].startswith(b"{") or b"," in lines[0] or b"\t" in lines[0]):
        return False
    words = re.findall(r"[\w.-]+", lines[0].decode("utf-8", "replace"))
    return not {"segment", *GOLD}.isdisjoint(words)


def source_of(source: Source, predicted: str | Sequence[str] | None, gold: str | None) -> Rankings:
    """The rankings. Raises InputError."""
    if isinstance(source, Rankings):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError(f"rankings are of type {type(source).__name__}, expected Rankings or the path of a file")
    wanted = None
    if predicted is not None and gold is not None:
        wanted = list(dict.fromkeys([gold, *([predicted] if isinstance(predicted, str) else predicted)]))
    return read_jcml(source, wanted) if is_xml(source) else read_ranking_table(source, wanted)


def columns_of(
    rankings: Rankings, predicted: str | Sequence[str] | None, gold: str | None
) -> tuple[str, tuple[str, ...]]:
    """The column of people, and those of machines. Raises UnknownName, and ParameterError where one must be named."""
    there = list(rankings.columns)
    if gold is None:
        gold = next((name for name in GOLD if name in there), None)
        if gold is None:
            raise ParameterError(f"which column holds people's ranks? Name one as gold (--gold): {listed(there)}")
    elif gold not in there:
        raise UnknownName("column of these rankings", gold, there)
    if predicted is None:
        others = [name for name in there if name != gold]
        usual = [name for name in PREDICTED if name in others]
        if not usual and len(others) != 1:
            found = f": {listed(others)}" if others else "; no other column holds numbers only"
            raise ParameterError(f"which column is to be measured? Name one as predicted (--predicted){found}")
        return gold, ((usual or others)[0],)
    names = (predicted,) if isinstance(predicted, str) else tuple(dict.fromkeys(predicted))
    if not names:
        raise ParameterError("predicted names no column, expected at least one")
    for name in names:
        if name not in there:
            raise UnknownName("column of these rankings", str(name), there)
        if name == gold:
            raise ParameterError(f"predicted and gold are both {name!r}, expected two columns")
    return gold, names
