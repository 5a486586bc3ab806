"""`rankscope agree ranks`: predicted rankings against people's, or two runs against each other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankscope.agreement.rankeval import ORDERS, PRESETS, holds_rankings
from rankscope.agreement.rankeval import ranks as agree_ranks
from rankscope.agreement.run_agreement import runs as agree_runs
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, resamples_option, seed_option
from rankscope.data.ranking import NORMALISATIONS
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, split_compression_suffix
from rankscope.io.read import read_run
from rankscope.settings import LARGEST

__all__ = [
    "ranks",
]


#: Suffixes of the files that are read in a folder, compressed or not.
SUFFIXES = (".jcml", ".xml", ".csv", ".tsv", ".jsonl", ".parquet")
RANK_OPTIONS = (
    click.option("--predicted", multiple=True, metavar="NAME", help="A column to be measured; may be repeated."),
    click.option("--gold", metavar="NAME", help="The column of people's ranks (rank or gold by default)."),
    click.option("--preset", type=click.Choice(PRESETS), help="RankEval's numbers in its digits, errors included."),
    click.option("--by-segment", is_flag=True, help="Every list, too."),
    click.option(
        "--order-by",
        type=click.Choice(ORDERS),
        default=ORDERS[0],
        show_default=True,
        help="The measure that orders experiments in the figure, the best first.",
    ),
    click.option("--invert", is_flag=True, help="The columns hold scores, of which higher is better."),
    click.option(
        "--missing",
        type=click.Choice(("error", "drop")),
        default="error",
        show_default=True,
        help="An item without a rank (or -1, not ranked): refused, or left out.",
    ),
    click.option(
        "--count-gold-ties",
        is_flag=True,
        help="Pairs that people tie agree where they are tied, and disagree elsewhere; by default they are left out.",
    ),
    click.option(
        "--ignore-predicted-ties",
        is_flag=True,
        help="Pairs that only the machine ties are left out; by default they disagree.",
    ),
    click.option(
        "--normalise",
        type=click.Choice(NORMALISATIONS),
        default="ceiling",
        show_default=True,
        help="The ranks of tied items in MRR and in people's ranks of the machine's best.",
    ),
    click.option("--cutoff", type=click.IntRange(1, LARGEST), metavar="K", help="nDCG and ERR of the first K only."),
    CONFIDENCE_LEVEL,
    resamples_option(1000, "Of the bootstrap and of the permutations."),
    seed_option(),
    click.option("--details", is_flag=True, help="Show what a page folds away, too."),
)


def rank_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How rankings are measured."""
    for option in reversed(RANK_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE... | RUN_A RUN_B")
@rank_options
@result_options
def ranks(
    files: tuple[str, ...],
    predicted: tuple[str, ...],
    gold: str | None,
    preset: str | None,
    details: bool,
    **options: Any,
) -> None:
    """Say how well predicted rankings agree with people's, by all measures of RankEval; or how alike two runs rank.

    FILE: JCML, or CSV, TSV, JSONL or Parquet with the columns segment, system, gold and one or more predicted ones; a
    folder of such files, several of them, or a table with the column experiment, are so many experiments (--plot draws
    the measures over them). RUN: as `evaluate` reads them; two of them are compared query by query.

    \b
    rankscope agree ranks demo-answers.csv --predicted llm --predicted reward --invert --missing drop
    rankscope agree ranks judged.jcml --predicted bleu_rank --gold rank
    rankscope agree ranks bm25.run dense.run
    """
    result_output = pop_result_output(options)
    paths = expand_folders(files)
    result_output.check(paths)
    check_single_stdin(paths)
    if len(paths) == 2 and not predicted and gold is None and not any(map(holds_rankings, paths)):
        check_two_runs(preset, options)
        with bytes_progress(paths, "reading runs"):
            a, b = map(read_run, paths)
        result_output.show(agree_runs(a, b), details=details)
        return
    with progress_bar(None, "dealing ranks out") as progress:
        options["exclude_gold_ties"] = not options.pop("count_gold_ties")
        options["penalise_predicted_ties"] = not options.pop("ignore_predicted_ties")
        result = agree_ranks(
            paths, predicted=list(predicted) or None, gold=gold, preset=preset, progress=progress, **options
        )
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


#: Options of rankings and their defaults.
RANK_OPTION_DEFAULTS = {
    "by_segment": False,
    "order_by": ORDERS[0],
    "invert": False,
    "missing": "error",
    "count_gold_ties": False,
    "ignore_predicted_ties": False,
    "normalise": "ceiling",
    "cutoff": None,
}


def check_two_runs(preset: str | None, options: dict[str, Any]) -> None:
    """Raise ParameterError for options that two runs do not have."""
    changed_options = [name for name, default in RANK_OPTION_DEFAULTS.items() if options[name] != default]
    if preset is not None:
        changed_options.append("preset")
    if changed_options:
        name = changed_options[0].replace("_", "-")
        raise ParameterError(f"--{name} is for files of rankings, and these are two runs; leave it out")
