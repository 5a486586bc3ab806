"""`rankscope agree wmt12`: published results of WMT12, reproduced."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._output import progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.data.result import Result
from rankscope.translation.wmt12 import (
    JUDGMENTS,
    TEXTS,
    Wmt12Settings,
    reproduce_segment_level,
    reproduce_system_level,
)

__all__ = [
    "wmt12",
]


LEVELS = ("segments", "systems")


@click.command("wmt12", cls=Command)
@click.argument("folder")
@option_group("Statistics", setting_options(Wmt12Settings))
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="segments",
    show_default=True,
    help="What to reproduce: results on segments (numbers of pairs, sentence BLEU, chrF), or BLEU on systems.",
)
@option_group("Output", result_options)
def wmt12(folder: str, level: str, **options: Any) -> None:
    """Reproduce published results of WMT12.

    On segments: the published numbers of pairs, and the agreement of sentence BLEU and chrF with people. On systems:
    the published correlation of BLEU with people. FOLDER holds wmt12.RNK_results.csv, and plain/ with sources,
    references and system-outputs. Takes half a minute.

    \b
    rankscope agree wmt12 wmt12
    rankscope agree wmt12 wmt12 --level systems
    """
    settings, result_output = take_settings(Wmt12Settings, options), pop_result_output(options)
    result_output.check((f"{folder}/{JUDGMENTS}", f"{folder}/{TEXTS}"))
    with progress_bar(1.0, "scoring translations") as progress:
        reproduce = reproduce_system_level if level == "systems" else reproduce_segment_level
        result: Result = reproduce(folder, settings, progress=progress)
    result_output.show(result)
