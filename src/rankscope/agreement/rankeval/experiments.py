"""Experiments in files and objects: files of rankings, of scores, and runs are told apart by their contents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple, cast

from rankscope.agreement.load import JudgmentSource
from rankscope.agreement.settings import JudgmentSettings
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.tables import find_column
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import source_name
from rankscope.io.translation import GOLD_COLUMNS, detect_kind, first_bytes
from rankscope.typing import PathLike

__all__ = [
    "Experiment",
    "Experiments",
    "each_experiment",
    "holds_rankings",
    "holds_scores",
    "split_files",
]


Experiments = JudgmentSource | Sequence[JudgmentSource] | Mapping[str, JudgmentSource]
#: The name of the column of experiments.
EXPERIMENT = "experiment"
#: Separates an experiment and a judge; no name contains it.
SEPARATOR = "\x1f"


def holds_rankings(path: PathLike) -> bool:
    """Whether a file holds judgments: XML, a CSV of WMT, pairs, or a table with a column of people; False for a run."""
    kind = detect_kind(path)
    if kind in ("wmt", "jcml", "appraise", "pairs"):
        return True
    lines = data_lines(path)
    if kind != "table" or not lines or not (lines[0].startswith(b"{") or b"," in lines[0] or b"\t" in lines[0]):
        return False
    words = re.findall(r"[\w.-]+", lines[0].decode("utf-8", "replace").lower())
    return not {"segment", "better", *GOLD_COLUMNS}.isdisjoint(words)


def holds_scores(path: PathLike) -> bool:
    """Whether a file holds scores of segments: a seg.scr, a .seg.score, a folder of them, or scores by measures."""
    if os.path.isdir(path):
        from rankscope.io.translation import list_mt_scores

        return bool(list_mt_scores(path))
    kind = detect_kind(path)
    if kind == "seg.scr":  # or a run whose last field is a number: its second field is Q0, and no language pair
        fields = data_lines(path)[0].split()
        return b"-" in fields[1]
    if kind == "seg.score":
        return True
    from rankscope.evaluation.read_scores import names_measures

    return names_measures(path, {})


def data_lines(path: PathLike) -> list[bytes]:
    """The first lines of a file, without empty ones and comments."""
    return [line for line in first_bytes(path).splitlines() if line.strip() and not line.startswith(b"#")]


def split_files(files: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The files of judgments or rankings, and the files of scores, which are all but the first or none.

    Raises InputError where the files behind the first are of both kinds, or the scores come first.
    """
    score_files = [path for path in files[1:] if holds_scores(path)]
    if not score_files:
        if (
            len(files) > 1
            and not any(map(os.path.isdir, files))
            and holds_scores(files[0])
            and holds_rankings(files[1])
        ):
            raise InputError(f"{files[0]}: holds scores, and {files[1]} judgments; name the judgments first")
        return files, ()
    others = [path for path in files[1:] if path not in score_files]
    if others:
        raise InputError(
            f"{others[0]}: holds no scores of a metric, and {score_files[0]} does; expected one file of judgments with "
            "files of scores behind it, or files of rankings only"
        )
    return files[:1], files[1:]


class Experiment(NamedTuple):
    """Judgments to be measured by themselves.

    Attributes
    ----------
    name
        Its name; a single experiment has none.
    source
        Where the judgments come from: an object, or a file, which errors name.
    judgments
        The judgments, or the source where it is to be read as a whole.
    settings
        How these judgments are read.
    """

    name: str
    source: JudgmentSource
    judgments: JudgmentSource
    settings: JudgmentSettings


def each_experiment(judgments: Experiments, settings: JudgmentSettings, needed: Sequence[str]) -> Iterator[Experiment]:
    """The experiments in files, objects and tables. needed: columns of tables that must hold numbers.

    Raises InputError, and ParameterError where names repeat or are missing.
    """
    for name, source in sources_by_name(judgments).items():
        if isinstance(source, (str, os.PathLike)) and may_be_several(source):
            by_name = experiments_in_table(source, settings, needed)
            of_objects = replace(settings, columns=None)
            for experiment, rankings in by_name.items():
                yield Experiment(f"{name} {experiment}".strip(), source, rankings, of_objects)
            if by_name:
                continue
        yield Experiment(name, source, source, settings)


def may_be_several(source: PathLike) -> bool:
    """Whether a file is a table that may have a column of experiments."""
    if os.path.isdir(source) or detect_kind(source) != "table":
        return False
    head = first_bytes(source)
    return head.startswith(b"PAR1") or (EXPERIMENT.encode() in head.lower() and holds_rankings(source))


def experiments_in_table(source: PathLike, settings: JudgmentSettings, needed: Sequence[str]) -> dict[str, Rankings]:
    """The rankings of each experiment in a table, in order of first appearance; none if it has no such column.

    The table is read as a whole, so that errors name the line: meanwhile the names of judges hold the experiment, too.
    """
    import polars as pl

    from rankscope.io.tables import read_table
    from rankscope.io.translation import ITEMS, rankings_from_table

    gold = settings.gold
    table = read_table(source, ITEMS, settings.columns or {})
    column = find_column(table.frame.columns, (EXPERIMENT,))
    if column is None or column in (gold, *needed):
        if source_name(source) != "<stdin>":
            return {}
        return {"": rankings_from_table(table, None, gold=gold, needed=needed)}  # it can be read only once
    judge = table.columns.get("judge", "judge")
    experiment_names = table.names(column, required=False).to_list()
    judges = table.names(judge, required=False).to_list() if "judge" in table else [""] * len(experiment_names)
    labelled_judges = pl.Series(
        judge, [f"{name}{SEPARATOR}{judge_name}" for name, judge_name in zip(experiment_names, judges, strict=True)]
    )
    columns = None if not needed or gold is None else list(dict.fromkeys([gold, *needed]))
    frame = table.frame.drop(column).with_columns(labelled_judges)
    table = replace(table, frame=frame, columns={**table.columns, "judge": judge})
    rankings = rankings_from_table(table, columns, gold=gold, needed=needed)
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


def sources_by_name(judgments: Experiments) -> Mapping[str, JudgmentSource]:
    """The sources by name; a single source has an empty name."""
    if isinstance(judgments, Mapping):
        if not judgments or not all(isinstance(name, str) for name in judgments):
            raise ParameterError("judgments is a mapping without names, expected at least one name with its rankings")
        return judgments
    if not isinstance(judgments, (list, tuple)):
        return {"": cast("JudgmentSource", judgments)}
    if not judgments:
        raise ParameterError("judgments is empty, expected Rankings or a file")
    if len(judgments) == 1:
        return {"": judgments[0]}
    stems = [
        PurePath(source_name(item)).name.partition(".")[0] if isinstance(item, (str, os.PathLike)) else f"#{i + 1}"
        for i, item in enumerate(judgments)
    ]
    if len(set(stems)) < len(stems):  # as in a/dev.jcml and b/dev.jcml
        stems = [
            source_name(item) if isinstance(item, (str, os.PathLike)) else f"#{i + 1}"
            for i, item in enumerate(judgments)
        ]
    if len(set(stems)) < len(stems):
        raise ParameterError("judgments names one file twice, expected each once")
    return dict(zip(stems, judgments, strict=True))
