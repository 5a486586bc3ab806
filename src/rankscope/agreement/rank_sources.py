"""What stands for rankings: Rankings, or a file; and which of its columns are people's and the machine's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from rankscope.agreement.sources import detect_kind, first_bytes, read_judgments
from rankscope.data.frames import find_column
from rankscope.data.rankings import Rankings
from rankscope.data.wording import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.jcml import read_jcml
from rankscope.io.ranking_tables import GOLD_COLUMNS
from rankscope.io.streams import source_name
from rankscope.typing import PathLike

__all__ = ["Source", "select_columns", "holds_rankings", "load_rankings"]

Source = Rankings | str | os.PathLike[str]
#: What the machine's column is called where nobody says.
PREDICTED = ("predicted", "predicted_rank")


def holds_rankings(path: PathLike) -> bool:
    """Whether a file holds judgments: XML, a CSV of WMT, pairs, or a table with a column of people; a run is none."""
    kind = detect_kind(path)
    if kind in ("wmt", "jcml", "appraise", "pairs"):
        return True
    lines = [line for line in first_bytes(path).splitlines() if line.strip() and not line.startswith(b"#")]
    if kind != "table" or not lines or not (lines[0].startswith(b"{") or b"," in lines[0] or b"\t" in lines[0]):
        return False
    words = re.findall(r"[\w.-]+", lines[0].decode("utf-8", "replace").lower())
    return not {"segment", "better", *GOLD_COLUMNS}.isdisjoint(words)


def load_rankings(source: Source, predicted: str | Sequence[str] | None, gold: str | None) -> Rankings:
    """The rankings, of any file that `read_judgments` reads. Raises InputError."""
    if isinstance(source, Rankings):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError(f"rankings are of type {type(source).__name__}, expected Rankings or the path of a file")
    machine = [predicted] if isinstance(predicted, str) else list(predicted or ())
    kind = "" if os.path.isdir(source) else detect_kind(source)
    if predicted is not None and gold is not None:
        wanted = list(dict.fromkeys([gold, *machine]))
        if kind == "jcml":
            return read_jcml(source, wanted)
        if kind == "table":
            from rankscope.io.preferences import read_judged_table  # polars reads tables

            return read_judged_table(source, wanted)
    found = read_judgments(source, gold=gold, needed=machine)
    if not isinstance(found, Rankings):
        raise InputError(
            f"{source_name(source)}: scores, one a translation, expected rankings with a column of people and one of a "
            "machine; `rankscope agree segments` takes scores"
        )
    return found


def select_columns(
    rankings: Rankings, predicted: str | Sequence[str] | None, gold: str | None
) -> tuple[str, tuple[str, ...]]:
    """The column of people, and those of machines. Raises UnknownName, and ParameterError where one must be named."""
    there = list(rankings.columns)
    if gold is None:
        gold = find_column(there, GOLD_COLUMNS)
        if gold is None:
            raise ParameterError(f"which column holds people's ranks? Name one as gold (--gold): {join_names(there)}")
    elif gold not in there:
        raise UnknownName("column of these rankings", gold, there)
    if predicted is None:
        others = [name for name in there if name != gold]
        usual = [name for name in PREDICTED if name in others]
        if not usual and len(others) != 1:
            found = f": {join_names(others)}" if others else "; no other column holds numbers only"
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
