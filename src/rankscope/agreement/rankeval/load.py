"""Rankings and experiments: sources and files of them, and which columns are people's and the machine's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from rankscope.agreement.load import detect_kind, first_bytes, read_judgments
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.row_input import find_column
from rankscope.data.text import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import source_name
from rankscope.io.translation import GOLD_COLUMNS, read_jcml
from rankscope.typing import PathLike

__all__ = [
    "Source",
    "Sources",
    "holds_rankings",
    "load_experiments",
    "load_rankings",
    "select_columns",
]


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
            from rankscope.io.preferences import read_judged_table

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


Sources = Source | Sequence[Source] | Mapping[str, Source]
#: What the column is called.
EXPERIMENT = "experiment"
#: Stands between an experiment and a judge, and in no name.
BETWEEN = "\x1f"


def load_experiments(
    rankings: Sources, predicted: str | Sequence[str] | None, gold: str | None
) -> Iterator[tuple[str, Source, Rankings]]:
    """The name of each, its source, and its rankings; a single source has no name. Raises InputError."""
    for name, source in sources_by_name(rankings).items():
        if isinstance(source, (str, os.PathLike)) and may_be_several(source):
            for part, found in experiments_in_table(source, predicted, gold).items():
                yield f"{name} {part}".strip(), source, found
            continue
        yield name, source, load_rankings(source, predicted, gold)


def may_be_several(source: str | os.PathLike[str]) -> bool:
    """Whether a file is a table in which the column may be."""
    if os.path.isdir(source) or detect_kind(source) != "table":
        return False
    head = first_bytes(source)
    return head.startswith(b"PAR1") or (EXPERIMENT.encode() in head.lower() and holds_rankings(source))


def experiments_in_table(
    source: str | os.PathLike[str], predicted: str | Sequence[str] | None, gold: str | None
) -> dict[str, Rankings]:
    """The rankings of each experiment in a table, in the order in which they first stand; "" without such a column.

    The table is read as one, so that what is wrong is told with its line: meanwhile judges have the experiment's name.
    """
    import polars as pl

    from rankscope.io.tables import read_named_table
    from rankscope.io.translation import EXPECTED_ITEMS, ITEM_COLUMNS, rankings_from_table, text_column

    machine = [predicted] if isinstance(predicted, str) else list(predicted or ())
    table = read_named_table(source, EXPECTED_ITEMS)
    column = find_column(table.frame.columns, (EXPERIMENT,))
    if column is None or column in (gold, *machine):
        if source_name(source) != "<stdin>":
            return {"": load_rankings(source, predicted, gold)}
        return {"": rankings_from_table(table, None, gold=gold, needed=machine)}
    judge = find_column(table.frame.columns, ITEM_COLUMNS["judge"]) or "judge"
    names = text_column(table, column, "experiment")
    judges = text_column(table, judge, "judge") if judge in table.frame.columns else [""] * len(names)
    both = pl.Series(judge, [f"{name}{BETWEEN}{who}" for name, who in zip(names, judges, strict=True)])
    wanted = None if predicted is None or gold is None else list(dict.fromkeys([gold, *machine]))
    table = table._replace(frame=table.frame.drop(column).with_columns(both))
    found = rankings_from_table(table, wanted, gold=gold, needed=machine)
    parted = [name.partition(BETWEEN) for name in found.judge.names]
    owner = Labels.of([name for name, _, _ in parted])
    who = Labels.of([judge for _, _, judge in parted])
    of_judgment = owner.codes[found.judge.codes]
    found = replace(found, judge=who.take(found.judge.codes))
    parts = {name: found.select(of_judgment == code) for code, name in enumerate(owner.names)}
    # What was noted of the table is said once.
    return {name or "-": part if i == 0 else replace(part, notes=()) for i, (name, part) in enumerate(parts.items())}


def sources_by_name(rankings: Sources) -> dict[str, Source]:
    """Each source by its name; of one the name is not shown."""
    if isinstance(rankings, (Rankings, str, os.PathLike)):
        return {"": rankings}
    if isinstance(rankings, Mapping):
        if not rankings or not all(isinstance(name, str) for name in rankings):
            raise ParameterError("rankings is a mapping without names, expected at least one name with its rankings")
        return dict(rankings)
    sources = list(rankings)
    if not sources:
        raise ParameterError("rankings is empty, expected Rankings or a file")
    if len(sources) == 1:
        return {"": sources[0]}
    stems = [
        PurePath(source_name(one)).name.partition(".")[0] if isinstance(one, (str, os.PathLike)) else f"#{i + 1}"
        for i, one in enumerate(sources)
    ]
    if len(set(stems)) < len(stems):  # as in a/dev.jcml and b/dev.jcml
        stems = [
            source_name(one) if isinstance(one, (str, os.PathLike)) else f"#{i + 1}" for i, one in enumerate(sources)
        ]
    if len(set(stems)) < len(stems):
        raise ParameterError("rankings names one file twice, expected each once")
    return dict(zip(stems, sources, strict=True))
