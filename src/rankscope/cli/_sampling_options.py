"""The options of intervals, resampling and random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.settings import LARGEST

__all__ = [
    "CONFIDENCE_LEVEL",
    "resamples_option",
    "seed_option",
]


Command = TypeVar("Command", bound=Callable[..., Any])
CONFIDENCE_LEVEL = click.option(
    "--confidence-level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="P",
    help="Share of intervals that hold the truth.",
)


def resamples_option(default: int, help_text: str, minimum: int = 1) -> Callable[[Command], Command]:
    """`--resamples`, an integer from `minimum` on."""
    return click.option(
        "--resamples",
        "n_resamples",
        type=click.IntRange(minimum, LARGEST),
        default=default,
        show_default=True,
        metavar="N",
        help=help_text,
    )


def seed_option(
    help_text: str = "Of the random draws; the same one gives the same numbers.",
) -> Callable[[Command], Command]:
    """`--seed`, the seed of the random numbers."""
    return click.option(
        "--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help=help_text
    )
