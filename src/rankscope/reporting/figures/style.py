"""One look for all figures: grounds, theme, titles that wrap, names of any length."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rankscope.reporting.figures.colours import DARK
from rankscope.reporting.figures.extra import altair
from rankscope.stats.inputs import check_choice, check_count

__all__ = ["GROUNDS", "Style", "finish", "name_labels", "theme"]

#: Where a figure stands: on paper, on a dark slide, or on a page that may be either.
GROUNDS = ("light", "dark", "page")
#: (text, ground). A page's text colour is taken over where SVG stands in the page.
COLOURS = {"light": ("#1A1A1A", "#FFFFFF"), "dark": ("#F2F2F2", DARK), "page": ("currentColor", "transparent")}
#: A title of this many letters fits a phone of 390 px.
PHONE = 44


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a figure is drawn: `width` in pixels with all labels (None: as wide as its place on a page), and `ground`.

    Raises ParameterError for a ground not in `GROUNDS` or a width below 200.
    """

    width: int | None = 640
    ground: str = "light"

    def __post_init__(self) -> None:
        check_choice("ground", self.ground, GROUNDS)
        if self.width is not None:
            check_count("width", self.width, 200)

    @property
    def ink(self) -> str:
        """The colour of text, axes and whatever is not data."""
        return COLOURS[self.ground][0]

    @property
    def paper(self) -> str:
        """The colour behind; white on a page, where it is not known: only for outlines."""
        return "#FFFFFF" if self.ground == "page" else COLOURS[self.ground][1]

    @property
    def narrowest(self) -> int:
        """The least width, in pixels, that the figure must be readable at."""
        return self.width or 340


def theme(ground: str = "light") -> dict[str, Any]:
    """Vega-Lite's `config` of all figures, for one of `GROUNDS`; for your own charts: `chart.configure(**theme())`.

    >>> theme("dark")["background"]
    '#161616'
    """
    check_choice("ground", ground, GROUNDS)
    ink, paper = COLOURS[ground]
    words = {
        "labelColor": ink,
        "titleColor": ink,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    return {
        "background": paper,
        "padding": 4 if ground == "page" else 8,
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": {
            **words,
            "labelLimit": 230,
            "labelFlush": False,
            "domainColor": ink,
            "domainOpacity": 0.6,
            "tickColor": ink,
            "tickOpacity": 0.6,
            "gridColor": ink,
            "gridOpacity": 0.14,
        },
        "axisQuantitative": {"tickCount": 6},
        "legend": {**words, "orient": "bottom", "labelLimit": 230, "symbolStrokeColor": ink, "gradientLength": 180},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": ink,
            "subtitleColor": ink,
            "fontSize": 14,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "offset": 12,
        },
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "point": {"color": ink},
    }


def name_labels(style: Style) -> str:
    """How names stand at an axis or in a legend, as Vega's expression: the middle of a long one is left out.

    The name itself is data; the expression only ever sees it as `datum.label`.
    """
    letters = "containerSize()[0] < 560 ? 18 : 34" if style.width is None else str(34 if style.width >= 560 else 18)
    return f"truncate(datum.label, {letters}, 'center')"


def wrapped(lines: Iterable[str], letters: int) -> list[str]:
    return [part for line in lines if line for part in textwrap.wrap(line, letters, break_on_hyphens=False)]


def finish(chart: Any, *, title: str, subtitle: Iterable[str], description: str, style: Style, height: float) -> Any:
    """A chart with its title, what a screen reader says of it, its size and theme.

    height: of the plot without labels; width is that of all.
    """
    letters = int(style.width / 6.1) if style.width else PHONE
    text = {"text": wrapped([title], letters * 5 // 6 if style.width else PHONE)}
    below = wrapped(subtitle, letters if style.width else PHONE + 14)
    if below:
        text["subtitle"] = below
    properties = {
        "title": altair().TitleParams(**text),
        "description": description,
        "width": style.width or "container",
        "height": height,
        "autosize": altair().AutoSizeParams(type="fit-x", contains="padding"),
    }
    return chart.properties(**properties).configure(**theme(style.ground))
