"""Options that show a result: its format, its file, its figure."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._options import format_option, output_options
from rankscope.cli._output import check_output, write_output
from rankscope.data.result import Result
from rankscope.data.section import Figure
from rankscope.errors import ParameterError, UnknownName
from rankscope.io.core import refuse_overwriting, to_parquet, write_chunks
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.settings import needs

__all__ = [
    "PAGE",
    "PARQUET",
    "ResultOutput",
    "check_page",
    "page_of",
    "pop_result_output",
    "printing_options",
    "result_options",
]


Command = TypeVar("Command", bound=Callable[..., Any])
#: Formats beside the tables: the tidy table as a file for programs; all that a result shows, as one page.
PARQUET, PAGE = "parquet", "html"
PLOT_OPTION = click.option(
    "--plot", metavar="FILE", help="Draw a figure to this file: .svg, .pdf, .png, .html or .json (Vega-Lite)."
)


def figure_option(command: Command) -> Command:
    """`--figure`."""
    option: Callable[[Command], Command] = click.option(
        "--figure",
        metavar="NAME",
        help='Name of the figure to draw; "x 2" is the second of the name x. An unknown name lists all names. '
        "Default: the first.",
    )
    return depends_on(needs("plot"), option)(command)


def result_options(command: Command) -> Command:
    """`--plot`, `--figure`, `--format` and `--output`."""
    return PLOT_OPTION(figure_option(output_options([*RESULT_FORMATS, PAGE, PARQUET])(command)))


def printing_options(command: Command) -> Command:
    """The same for a command whose -o is for something else: the result is printed."""
    return PLOT_OPTION(figure_option(format_option(list(RESULT_FORMATS))(command)))


class ResultOutput(NamedTuple):
    """The values of those options."""

    format_: str
    output: str | None
    plot: str | None
    figure: str | None

    def check(self, inputs: Sequence[str]) -> None:
        """Raise if the output cannot be written or the figure drawn, before any file is read."""
        check_output(self.output, inputs)
        check_page(self.format_, self.output)
        if self.format_ == PARQUET and self.output in (None, "-"):
            raise ParameterError("parquet cannot be printed; name a file with -o")
        if self.plot is None:
            return
        from rankscope.reporting.figures import altair, check_figure_path, vl_convert

        check_figure_path(self.plot)
        refuse_overwriting(self.plot, inputs)
        if self.output not in (None, "-") and os.path.realpath(self.output) == os.path.realpath(self.plot):
            raise ParameterError(f"{self.plot}: is to hold the figure and the output both; name two files")
        altair()
        vl_convert()

    def show(self, result: Result, *, details: bool = False) -> None:
        """Save the figure, and print or write the result."""
        if self.plot is not None:
            from rankscope.reporting.figures import save_figure

            save_figure(choose_figure(result, self.figure), self.plot)
        if self.format_ == PARQUET and self.output is not None:
            write_chunks(self.output, [to_parquet(result.frame())])
        elif self.format_ == PAGE:
            write_output(page_of(result), self.output)
        else:
            write_output(render_result(result, self.format_, details=details), self.output)


def check_page(format_: str, output: str | None) -> None:
    """Raise if the page cannot be written or made, before any file is read."""
    if format_ != PAGE:
        return
    from rankscope.reporting.page import check_page_path, template

    if output not in (None, "-"):
        check_page_path(str(output))
    template()


def page_of(result: Result) -> str:
    """All that a result shows as one HTML page, with the command that made it."""
    import shlex

    from rankscope.reporting.page import result_page

    return result_page(result, command=shlex.join(["rankscope", *sys.argv[1:]])).html


def pop_result_output(options: dict[str, Any]) -> ResultOutput:
    """Take the values of `result_options` out of click's options."""
    return ResultOutput(**{name: options.pop(name, None) for name in ResultOutput._fields})


def choose_figure(result: Result, name: str | None) -> Figure:
    """The figure of that name; several of one name are numbered, as "confusion_matrix 2".

    Raises UnknownName, and ParameterError if the result has no figure.
    """
    figures: dict[str, Figure] = {}
    name_counts: Counter[str] = Counter()
    for section in result.sections():
        if section.figure is not None:
            figure_name = section.figure.name
            name_counts[figure_name] += 1
            count = name_counts[figure_name]
            figures[figure_name if count == 1 else f"{figure_name} {count}"] = section.figure
    if not figures:
        raise ParameterError("these data give no figure; leave --plot out")
    if name is None:
        return next(iter(figures.values()))
    if name not in figures:
        raise UnknownName("figure of this result", name, figures)
    return figures[name]
