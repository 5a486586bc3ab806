"""Loading of rankings and experiments from files or objects, and the choice of people's and the machine's columns."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from rankscope.agreement.load import read_judgments
from rankscope.agreement.settings import judgment_settings_of
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.tables import find_column
from rankscope.data.text import join_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import source_name
from rankscope.io.translation import GOLD_COLUMNS, detect_kind, first_bytes, read_jcml
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
#: Default names of the machine's column.
PREDICTED = ("predicted", "predicted_rank")


def holds_rankings(path: PathLike) -> bool:
    """Whether a file holds judgments: XML, a CSV of WMT, pairs, or a table with a column of people; False for a run."""
    kind = detect_kind(path)
    if kind in ("wmt", "jcml", "appraise", "pairs"):
        return True
    lines = [line for line in first_bytes(path).splitlines() if line.strip() and not line.startswith(b"#")]
    if kind != "table" or not lines or not (lines[0].startswith(b"{") or b"," in lines[0] or b"\t" in lines[0]):
        return False
    words = re.findall(r"[\w.-]+", lines[0].decode("utf-8", "replace").lower())
    return not {"segment", "better", *GOLD_COLUMNS}.isdisjoint(words)


def load_rankings(
    source: Source, predicted: Sequence[str] | None, gold: str | None, names: Mapping[str, str] | None = None
) -> Rankings:
    """The rankings, of any file that `read_judgments` reads. names: what its columns are called. Raises InputError."""
    if isinstance(source, Rankings):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError(f"rankings are of type {type(source).__name__}, expected Rankings or the path of a file")
    predicted_columns = list(predicted or ())
    kind = "" if os.path.isdir(source) else detect_kind(source)
    if predicted is not None and gold is not None:
        columns = list(dict.fromkeys([gold, *predicted_columns]))
        if kind == "jcml":
            return read_jcml(source, columns)
        if kind == "table":
            from rankscope.io.preferences import read_judged_table

            return read_judged_table(source, columns, names=names)
    judgments = read_judgments(source, judgment_settings_of(gold=gold, columns=names), predicted_columns)
    if not isinstance(judgments, Rankings):
        raise InputError(
            f"{source_name(source)}: scores, one a translation, expected rankings with a column of people and one of a "
            "machine; `rankscope agree segments` takes scores"
        )
    return judgments


def select_columns(
    rankings: Rankings, predicted: Sequence[str] | None, gold: str | None
) -> tuple[str, tuple[str, ...]]:
    """The column of people, and those of machines. Raises UnknownName, and ParameterError where one must be named."""
    columns = list(rankings.columns)
    if gold is None:
        gold = find_column(columns, GOLD_COLUMNS)
        if gold is None:
            raise ParameterError(f"which column holds people's ranks? Name one as gold (--gold): {join_names(columns)}")
    elif gold not in columns:
        raise UnknownName("column of these rankings", gold, columns)
    if predicted is None:
        others = [name for name in columns if name != gold]
        defaults = [name for name in PREDICTED if name in others]
        if not defaults and len(others) != 1:
            listing = f": {join_names(others)}" if others else "; no other column holds numbers only"
            raise ParameterError(f"which column is to be measured? Name one as predicted (--predicted){listing}")
        return gold, ((defaults or others)[0],)
    if not predicted:
        raise ParameterError("predicted names no column, expected at least one")
    for name in predicted:
        if name not in columns:
            raise UnknownName("column of these rankings", str(name), columns)
        if name == gold:
            raise ParameterError(f"predicted and gold are both {name!r}, expected two columns")
    return gold, tuple(predicted)


Sources = Source | Sequence[Source] | Mapping[str, Source]
#: The name of the column of experiments.
EXPERIMENT = "experiment"
#: Separates an experiment and a judge; no name contains it.
SEPARATOR = "\x1f"


def load_experiments(
    rankings: Sources, predicted: Sequence[str] | None, gold: str | None, names: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Source, Rankings]]:
    """The name of each experiment, its source, and its rankings; a single source has no name.

    names: what the columns of tables are called. Raises InputError.
    """
    for name, source in sources_by_name(rankings).items():
        if isinstance(source, (str, os.PathLike)) and may_be_several(source):
            for experiment, experiment_rankings in experiments_in_table(source, predicted, gold, names).items():
                yield f"{name} {experiment}".strip(), source, experiment_rankings
            continue
        yield name, source, load_rankings(source, predicted, gold, names)


def may_be_several(source: str | os.PathLike[str]) -> bool:
    """Whether a file is a table that may have a column of experiments."""
    if os.path.isdir(source) or detect_kind(source) != "table":
        return False
    head = first_bytes(source)
    return head.startswith(b"PAR1") or (EXPERIMENT.encode() in head.lower() and holds_rankings(source))


def experiments_in_table(
    source: str | os.PathLike[str],
    predicted: Sequence[str] | None,
    gold: str | None,
    names: Mapping[str, str] | None,
) -> dict[str, Rankings]:
    """The rankings of each experiment in a table, in order of first appearance; "" without such a column.

    The table is read as a whole, so that errors name the line: meanwhile the names of judges hold the experiment, too.
    """
    import polars as pl

    from rankscope.io.tables import read_table
    from rankscope.io.translation import ITEMS, rankings_from_table

    predicted_columns = list(predicted or ())
    table = read_table(source, ITEMS, names or {})
    column = find_column(table.frame.columns, (EXPERIMENT,))
    if column is None or column in (gold, *predicted_columns):
        if source_name(source) != "<stdin>":
            return {"": load_rankings(source, predicted, gold, names)}
        return {"": rankings_from_table(table, None, gold=gold, needed=predicted_columns)}
    judge = table.columns.get("judge", "judge")
    experiment_names = table.names(column, required=False).to_list()
    judges = table.names(judge, required=False).to_list() if "judge" in table else [""] * len(experiment_names)
    labelled_judges = pl.Series(
        judge, [f"{name}{SEPARATOR}{judge_name}" for name, judge_name in zip(experiment_names, judges, strict=True)]
    )
    columns = None if predicted is None or gold is None else list(dict.fromkeys([gold, *predicted_columns]))
    frame = table.frame.drop(column).with_columns(labelled_judges)
    table = replace(table, frame=frame, columns={**table.columns, "judge": judge})
    rankings = rankings_from_table(table, columns, gold=gold, needed=predicted_columns)
    name_parts = [name.partition(SEPARATOR) for name in rankings.judge.names]
    experiments = Labels.of([name for name, _, _ in name_parts])
    judge_labels = Labels.of([judge for _, _, judge in name_parts])
    experiment_codes = experiments.codes[rankings.judge.codes]
    rankings = replace(rankings, judge=judge_labels.take(rankings.judge.codes))
    by_experiment = {name: rankings.select(experiment_codes == code) for code, name in enumerate(experiments.names)}
    # Notes on the table are given once.
    return {
        name or "-": experiment_rankings if i == 0 else replace(experiment_rankings, notes=())
        for i, (name, experiment_rankings) in enumerate(by_experiment.items())
    }


def sources_by_name(rankings: Sources) -> dict[str, Source]:
    """The sources by name; a single source has an empty name."""
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
        PurePath(source_name(item)).name.partition(".")[0] if isinstance(item, (str, os.PathLike)) else f"#{i + 1}"
        for i, item in enumerate(sources)
    ]
    if len(set(stems)) < len(stems):  # as in a/dev.jcml and b/dev.jcml
        stems = [
            source_name(item) if isinstance(item, (str, os.PathLike)) else f"#{i + 1}" for i, item in enumerate(sources)
        ]
    if len(set(stems)) < len(stems):
        raise ParameterError("rankings names one file twice, expected each once")
    return dict(zip(stems, sources, strict=True))
