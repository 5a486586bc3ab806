"""The options of intervals and resampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.stats.inputs import LARGEST

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


def resamples_option(default: int, of: str, least: int = 1) -> Callable[[Command], Command]:
    """How many are drawn, at least so many, and of what."""
    return click.option(
        "--resamples",
        "n_resamples",
        type=click.IntRange(least, LARGEST),
        default=default,
        show_default=True,
        metavar="N",
        help=of,
    )


def seed_option(of: str = "Of the random draws; the same one gives the same numbers.") -> Callable[[Command], Command]:
    """Where random numbers begin, and of what."""
    return click.option("--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help=of)
