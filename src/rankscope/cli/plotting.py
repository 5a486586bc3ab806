"""`--plot`: the figure of a result, in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankscope.data.sections import Figure, Result
from rankscope.errors import ParameterError, UnknownName
from rankscope.io.write import refuse_overwriting

__all__ = ["check_plot", "draw_plot", "plot_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

PLOT = click.option("--plot", metavar="FILE", help="Draw a figure of it: .svg, .pdf, .png, .html or .json (Vega-Lite).")
FIGURE = click.option(
    "--figure", metavar="NAME", help="Which figure, where there are several; a wrong name lists them."
)


def plot_options(command: Command) -> Command:
    """`--plot` and `--figure`."""
    return PLOT(FIGURE(command))


def check_plot(plot: str | None, figure: str | None, inputs: Sequence[str]) -> None:
    """Raise for what cannot be drawn, before anything is read."""
    if plot is None:
        if figure is not None:
            raise ParameterError(f"--figure {figure} says what to draw; say with --plot which file it goes to")
        return
    from rankscope.reporting.figures.extra import altair, vl_convert  # no other call needs them
    from rankscope.reporting.figures.saving import check_figure_path

    check_figure_path(plot)
    refuse_overwriting(plot, inputs)
    altair()
    vl_convert()


def draw_plot(result: Result, plot: str | None, figure: str | None) -> None:
    """Write the figure named, or the first one."""
    if plot is None:
        return
    from rankscope.reporting.figures import save_figure

    save_figure(choose(result, figure), plot)


def choose(result: Result, name: str | None) -> Figure:
    """The first figure of that name. Raises UnknownName, and ParameterError where there is none at all."""
    figures: dict[str, Figure] = {}
    for section in result.sections():
        if section.figure is not None:
            figures.setdefault(section.figure.name, section.figure)
    if not figures:
        raise ParameterError("these data give no figure; leave --plot out")
    if name is None:
        return next(iter(figures.values()))
    if name not in figures:
        raise UnknownName("figure of this result", name, figures)
    return figures[name]
