"""The options of comparisons, which several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli._sampling_options import seed_option
from rankscope.comparison.compare import FAMILIES, INTERVALS, TESTS, ComparisonSettings, check_settings
from rankscope.stats.inputs import ALTERNATIVES
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "comparison_options",
    "pop_comparison_arguments",
]


Command = TypeVar("Command", bound=Callable[..., Any])
#: The arguments of `rs.compare` that are options here.
COMPARISON_ARGUMENTS = (
    "baseline",
    "test",
    "correction",
    "family",
    "alternative",
    "level",
    "interval",
    "rope",
    "n_resamples",
    "rng",
)
COMPARISON_OPTIONS = (
    click.option("--baseline", metavar="NAME", help="Compare the others with this system; default: all pairs."),
    click.option(
        "--test",
        type=click.Choice(list(TESTS)),
        default="t",
        show_default=True,
        help="Of two systems each, of all at once (tukey, randomised-tukey, nemenyi), or Bayesian.",
    ),
    click.option(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default="holm",
        show_default=True,
        help="Of p-values for their number.",
    ),
    click.option(
        "--family",
        type=click.Choice(list(FAMILIES)),
        default="pairs",
        show_default=True,
        help="What is corrected together: the pairs of each measure, or those of all measures.",
    ),
    click.option(
        "--alternative",
        type=click.Choice(list(ALTERNATIVES)),
        default="two-sided",
        show_default=True,
        help="What is looked for: that A's values are greater than B's, less, or either.",
    ),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        metavar="A",
        help="Of significance: the p-value below which a difference counts as shown. Intervals hold in 1 - A of cases.",
    ),
    click.option(
        "--interval",
        type=click.Choice(list(INTERVALS)),
        default="t",
        show_default=True,
        help="Of the mean difference: Student's, or from a bootstrap.",
    ),
    click.option(
        "--rope",
        type=click.FloatRange(min=0),
        default=0.0,
        show_default=True,
        metavar="X",
        help="A difference of at most X, in units of the measure, is none.",
    ),
    click.option(
        "--resamples",
        "n_resamples",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        metavar="N",
        help="Draws of a permutation test or a bootstrap, where one is asked for.",
    ),
    seed_option(),
)


def comparison_options(command: Command) -> Command:
    """How systems are compared: the arguments of `rs.compare`."""
    for option in reversed(COMPARISON_OPTIONS):
        command = option(command)
    return command


def pop_comparison_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of `rs.compare` out of click's options. Wrong ones raise before any file is read."""
    arguments = {name: options.pop(name) for name in COMPARISON_ARGUMENTS}
    settings = ComparisonSettings(
        **{name: value for name, value in arguments.items() if name not in ("baseline", "rng")}
    )
    check_settings(settings, arguments["baseline"])
    return arguments
