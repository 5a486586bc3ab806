"""Figures: plain data in, Altair charts out; drawn offline to SVG, PDF, PNG, HTML or Vega-Lite's JSON.

Altair and vl-convert (`pip install 'rankscope[report]'`) are loaded when the first figure is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from rankscope.data.section import Figure
from rankscope.errors import ParameterError, UnknownName

# Importing these files registers their figures.
from rankscope.reporting.figures import agreement, curves, learning, online, pairs, studies, systems  # noqa: F401 - for that alone
from rankscope.reporting.figures.registry import FIGURES
from rankscope.reporting.figures.saving import SUFFIXES, check_figure_path, html_page, save_chart, svg_text, vega_lite
from rankscope.reporting.figures.style import (
    GROUNDS,
    Style,
    altair,
    drawing_problem,
    theme,
    unchecked_parts,
    vl_convert,
)

__all__ = [
    "FIGURES",
    "GROUNDS",
    "SUFFIXES",
    "Style",
    "altair",
    "as_html",
    "as_svg",
    "check_figure_path",
    "draw",
    "drawing_problem",
    "save_figure",
    "specification",
    "theme",
    "vl_convert",
]

#: The style of a figure on a page: as wide as its place, in the page's colour of text.
ON_A_PAGE = Style(width=None, ground="page")


def __getattr__(name: str) -> Callable[..., Any]:
    """Every figure is a function here: `figures.leaderboard(...)`."""
    if name not in FIGURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return FIGURES[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *FIGURES])


def draw(figure: Figure, *, style: Style | None = None) -> Any:
    """Draw a figure that a result names.

    Parameters
    ----------
    figure
        The figure.
    style
        Width and ground. Default: 640 px on white.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    UnknownName
        The name is not in `FIGURES`.
    ParameterError
        The data do not fit the figure, or Altair is not installed.

    Examples
    --------
    >>> from rankscope.data.section import Figure
    >>> chart = draw(Figure("leaderboard", {"systems": ["a", "b"], "means": [0.2, 0.3], "measure": "AP"}))
    >>> chart.to_dict()["description"]
    'Systems by AP: b 0.3000, a 0.2000.'
    """
    if figure.name not in FIGURES:
        raise UnknownName("figure", figure.name, FIGURES)
    function = FIGURES[figure.name]
    try:
        signature(function).bind(**figure.data)
    except TypeError as error:
        raise ParameterError(f"the figure {figure.name} cannot be drawn: {error}; see its docstring") from None
    with unchecked_parts():
        return function(**figure.data, style=style or Style())


def chart_of(figure: Any, style: Style | None) -> Any:
    """The chart of a figure; a chart is returned as it is."""
    if isinstance(figure, Figure):
        return draw(figure, style=style)
    if not hasattr(figure, "to_dict"):
        raise ParameterError(f"{type(figure).__name__} is not a figure; expected a Figure or an Altair chart")
    if style is not None:
        raise ParameterError(
            "style has no effect on a chart that is already drawn; pass it to the function that draws the chart"
        )
    return figure


def specification(figure: Any, *, style: Style | None = None) -> dict[str, Any]:
    """Vega-Lite's JSON of a Figure or a chart, as a dict with its data.

    Parameters
    ----------
    figure
        A Figure or an Altair chart.
    style
        Width and ground. By default a Figure is drawn for a page: as wide as its place, transparent, in the page's
        colour of text (`currentColor`), so that it follows a page from light to dark.

    Returns
    -------
    dict
        When putting the JSON into a page, escape `<` in it, as `as_html` does.

    Raises
    ------
    UnknownName, ParameterError
        As for `draw`.
    """
    return vega_lite(chart_of(figure, style or (ON_A_PAGE if isinstance(figure, Figure) else None)))


def as_svg(figure: Any, *, style: Style | None = None) -> str:
    """A Figure or a chart as SVG; the same input gives the same bytes on the same machine.

    Parameters
    ----------
    figure
        A Figure or an Altair chart.
    style
        Width and ground of the figure.

    Returns
    -------
    str
        The picture.

    Raises
    ------
    UnknownName, ParameterError
        As for `draw`.
    """
    return svg_text(vega_lite(chart_of(figure, style)))


def as_html(figure: Any, *, style: Style | None = None) -> str:
    """A Figure or a chart as one HTML page that needs no network and reacts to the pointer.

    Parameters
    ----------
    figure
        A Figure or an Altair chart.
    style
        Width and ground of the figure.

    Returns
    -------
    str
        The page.

    Raises
    ------
    UnknownName, ParameterError
        As for `draw`.
    """
    return html_page(specification(figure, style=style))


def save_figure(figure: Any, path: Any, *, style: Style | None = None) -> None:
    """Write a Figure or a chart, atomically and without network access.

    Parameters
    ----------
    figure
        A Figure or an Altair chart.
    path
        The file; its suffix is one of `SUFFIXES` and is the format.
    style
        Width and ground of the figure.

    Raises
    ------
    ParameterError
        The suffix is unknown; raised before anything is drawn. Or as for `draw`.
    OutputError
        The path cannot be written; raised before anything is drawn.
    """
    save_chart(lambda for_page: chart_of(figure, style or page_style(figure, for_page)), path)


def page_style(figure: Any, for_page: bool) -> Style | None:
    """The style for an HTML file, which the figure fills; None for other files."""
    return ON_A_PAGE if for_page and isinstance(figure, Figure) else None
