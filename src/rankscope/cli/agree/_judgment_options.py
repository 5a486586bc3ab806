"""The options that say which judgments of translations are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, resamples_option, seed_option


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which judgments are read, and how."""
    options = (
        click.option("--pairs", metavar="P,...", help="Language pairs, in this order. Default: all."),
        click.option("--gold", metavar="NAME", help='The column of people. Default: "rank", "gold" or "human".'),
        click.option("--higher", metavar="NAME,...", help="Columns of a table in which higher is better, as scores."),
        click.option(
            "--duplicates",
            type=click.Choice(["keep", "drop", "refuse"]),
            help="Judgments that stand twice, in all fields. Default: keep, as WMT does.",
        ),
        click.option(
            "--reference",
            type=click.Choice(["keep", "drop"]),
            help="The reference, where a ranking CSV has it ranked as a system. Default: keep.",
        ),
        click.option("--lines", metavar="FILE", help="Of WMT11: whose line i is the segment that the CSV numbers i."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def judgments_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which judgments are read, and how they are resampled."""
    options = (CONFIDENCE_LEVEL, resamples_option(1000, "Of the bootstrap over segments."), seed_option())
    for option in reversed(options):
        command = option(command)
    return reading_options(command)


def split_names(options: dict[str, Any], names: Sequence[str]) -> dict[str, list[str]]:
    """Take these options out, each as a list of names, without those that are None."""
    texts = {name: options.pop(name) for name in names}
    return {name: [entry for entry in text.split(",") if entry] for name, text in texts.items() if text is not None}


class PairWeights(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """PAIR=WEIGHT,..."""

    name = "weights"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        weights: dict[str, float] = {}
        for entry in value.split(","):
            pair, separator, weight = entry.rpartition("=")
            try:
                number = float(weight)
            except ValueError:
                separator = ""
            if not separator or not pair:
                self.fail(f"{entry!r}, expected PAIR=WEIGHT, as de-en=0.5", param, ctx)
            if pair in weights:
                self.fail(f"{pair} stands twice, expected each language pair once", param, ctx)
            weights[pair] = number
        return weights
