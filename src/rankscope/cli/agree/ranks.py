"""`rankscope agree ranks`: metrics' rankings against people's, or two runs against each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rankscope.agreement.rankeval import (
    MeasureSettings,
    RankSettings,
    data_lines,
    holds_rankings,
    measure_rankings,
)
from rankscope.agreement.run_agreement import runs as agree_runs
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import InputError
from rankscope.io.core import check_single_stdin, split_compression_suffix
from rankscope.io.read import read_run
from rankscope.io.translation import detect_kind
from rankscope.typing import PathLike

__all__ = [
    "ranks",
]


#: Suffixes of the files that are read in a folder, compressed or not.
SUFFIXES = (".jcml", ".xml", ".csv", ".tsv", ".jsonl", ".parquet")


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="JUDGMENTS [SCORES]... | RANKINGS... | RUN_A RUN_B")
@option_group("Agreement", setting_options(RankSettings))
@option_group("Measures", setting_options(MeasureSettings))
@option_group("Metrics", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", details_option("Also show the tables that are collapsed in the HTML page."), result_options)
def ranks(files: tuple[str, ...], details: bool, **options: Any) -> None:
    """Measure how well metrics rank as people do, with RankEval's measures, or how similar two runs are.

    What the files hold decides. JUDGMENTS and SCORES are those of `agree segments`: one file of judgments, with files
    or folders of metrics' scores behind it. Without SCORES, the other columns of JUDGMENTS are the metrics: predicted
    ranks, or scores if they are named in --higher. RANKINGS: several files of judgments with such columns, or a folder
    of them, are one experiment each; in a table with a column `experiment`, each of its values is one. --plot draws the
    measures of all experiments. RUN_A, RUN_B: two runs, as `evaluate` reads them, are compared query by query.

    \b
    rankscope agree ranks demo-answers.csv --higher llm,reward --missing drop
    rankscope agree ranks wmt12.csv bleu.seg.scr chrf.seg.scr --pairs fr-en,de-en
    rankscope agree ranks judged.jcml --metrics bleu_rank --gold rank
    rankscope agree ranks bm25.run dense.run
    """
    settings, result_output = take_settings(RankSettings, options), pop_result_output(options)
    measure_settings = take_settings(MeasureSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    check_single_stdin(files)
    paths, scores = split_files(files)
    if not scores:
        paths = expand_folders(paths)
    result_output.check((*paths, *scores))
    names_columns = any(
        choice is not None for choice in (judgment_settings.gold, judgment_settings.columns, metric_settings.metrics)
    )
    if len(paths) == 2 and not names_columns and not any(map(holds_rankings, paths)):
        reason = "these are two runs, not files of rankings"
        settings.refuse("by_segment", "order_by", "missing", "preset", since=reason)
        for others in (measure_settings, judgment_settings, metric_settings):
            others.refuse(*others.declared(), since=reason)
        with bytes_progress(paths, "reading runs"):
            a, b = map(read_run, paths)
        result_output.show(agree_runs(a, b), details=details)
        return
    with progress_bar(None, "permuting ranks") as progress:
        result = measure_rankings(
            paths, scores, judgment_settings, metric_settings, measure_settings, settings, progress=progress
        )
    result_output.show(result, details=details)


def expand_folders(files: Sequence[str]) -> list[str]:
    """The files, with the files of rankings in each folder."""
    paths: list[str] = []
    for name in files:
        if name == "-" or not os.path.isdir(name):
            paths.append(name)
            continue
        ranking_files = sorted(
            str(path) for path in Path(name).iterdir() if path.is_file() and has_suffix_of_rankings(path)
        )
        if not ranking_files:
            raise InputError(f"{name}: no file of rankings in this folder, expected some ({', '.join(SUFFIXES)})")
        paths += ranking_files
    return paths


def has_suffix_of_rankings(path: Path) -> bool:
    return Path(split_compression_suffix(path)[0]).suffix.lower() in SUFFIXES and not path.name.startswith(".")


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
