"""Experiments: several sources of rankings, or a table with a column that says of which experiment each row is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from rankscope.agreement.rank_sources import Source, holds_rankings, load_rankings
from rankscope.agreement.sources import detect_kind, first_bytes
from rankscope.data.frames import find_column
from rankscope.data.rankings import Labels, Rankings
from rankscope.errors import ParameterError
from rankscope.io.streams import source_name

__all__ = ["Sources", "load_experiments"]

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

    from rankscope.io.named_tables import read_named_table
    from rankscope.io.ranking_tables import EXPECTED_ITEMS, ITEM_COLUMNS, rankings_from_table, text_column

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
