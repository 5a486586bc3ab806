"""`rankscope agree ranks`: predicted rankings against people's, or two runs against each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from rankscope.agreement.rankeval import MeasureSettings, RankSettings, holds_rankings, measure_rankings
from rankscope.agreement.run_agreement import runs as agree_runs
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import InputError
from rankscope.io.core import check_single_stdin, split_compression_suffix
from rankscope.io.read import read_run

__all__ = [
    "ranks",
]


#: Suffixes of the files that are read in a folder, compressed or not.
SUFFIXES = (".jcml", ".xml", ".csv", ".tsv", ".jsonl", ".parquet")


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE... | RUN_A RUN_B")
@option_group("Agreement", setting_options(RankSettings))
@option_group("Measures", setting_options(MeasureSettings))
@option_group("Output", details_option("Also show the tables that are collapsed in the HTML page."), result_options)
def ranks(files: tuple[str, ...], details: bool, **options: Any) -> None:
    """Measure how well predicted rankings agree with human rankings (RankEval), or how similar two runs are.

    FILE: JCML, or CSV, TSV, JSONL or Parquet with the columns segment, system, gold and one or more predicted columns.
    Several files, or the files of a folder, are one experiment each; in a table with a column `experiment`, each of its
    values is one. --plot draws the measures of all experiments. RUN_A, RUN_B: two runs, as `evaluate` reads them, are
    compared query by query.

    \b
    rankscope agree ranks demo-answers.csv --predicted llm --predicted reward --invert --missing drop
    rankscope agree ranks judged.jcml --predicted bleu_rank --gold rank
    rankscope agree ranks bm25.run dense.run
    """
    settings, result_output = take_settings(RankSettings, options), pop_result_output(options)
    measure_settings = take_settings(MeasureSettings, options)
    paths = expand_folders(files)
    result_output.check(paths)
    check_single_stdin(paths)
    names_columns = any(given is not None for given in (settings.predicted, settings.gold, settings.columns))
    if len(paths) == 2 and not names_columns and not any(map(holds_rankings, paths)):
        reason = "these are two runs, not files of rankings"
        settings.refuse("by_segment", "order_by", "invert", "missing", "preset", since=reason)
        measure_settings.refuse(*measure_settings.declared(), since=reason)
        with bytes_progress(paths, "reading runs"):
            a, b = map(read_run, paths)
        result_output.show(agree_runs(a, b), details=details)
        return
    with progress_bar(None, "permuting ranks") as progress:
        result = measure_rankings(paths, measure_settings, settings, progress=progress)
    result_output.show(result, details=details)


def expand_folders(files: tuple[str, ...]) -> list[str]:
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
